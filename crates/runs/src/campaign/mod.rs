//! A tuning campaign: the generations of the search, the race between restarts, the hold-out games,
//! charts and report. It begins in an empty run directory or continues in an interrupted one (see
//! [`Run`](crate::run::Run)).
//!
//! A campaign is a pure function of its resolved configuration. The tables contain its whole state: a
//! generation is complete if its file in `generations` exists, and a resumed campaign replays the
//! fitness of the complete generations. The clock affects only a budget in minutes; the generation at
//! which such a budget ended the search is recorded.

mod deeper;
mod event;
mod finish;
mod generations;
mod hold_out;
mod notices;
pub mod plan;
pub mod race;
mod recommendation;
mod recorded;
mod replay;
mod run_data;
mod sample;
mod scores;
mod validation;
mod verify;

pub use deeper::{unmeasured, unmeasured_in};
pub use event::{Event, StoppedBy, race_words};
pub use finish::not_beaten;
pub(crate) use finish::{VALIDATION, race_means, recorded_race, validation};
pub(crate) use hold_out::{Table as HoldOutTable, hold_out_games};
pub use notices::notices;
pub use recommendation::{BestSeen, Recommendation};
pub(crate) use recommendation::{at_bounds, recorded_selection};
pub use recorded::{PlayedBy, recorded_game};
pub use replay::{replay, replay_run};
pub(crate) use run_data::{data, of_session};
pub use run_data::{generations, load, load_with, report, training_games};

use std::path::Path;

use crate::config::campaign::{Campaign, Config};
use crate::config::{ConfigError, Source};
use crate::run::TableName;
use crate::run::manifest::{Seeds, Status};
use crate::run::{Control, Kind, RunDirectory, RunError, RunPlan};
use race::RaceResult;
use tiletune_engine::player::{Catalogue, PlayerSpec};
use tiletune_engine::random::{Stream, shown_seed};
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::EvaluatorFactory;
use tiletune_tuning::results::{GenerationRow, Validation};

/// The result of a campaign.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The weights that it recommends, and how they were found.
    pub recommendation: Recommendation,
    /// Why the search ended.
    pub stopped_by: StoppedBy,
    /// The race between the finalists, in their order; `None` if there was only one.
    pub race: Option<RaceResult>,
    /// Number of candidates that the player could not use; they ranked last.
    pub refused: u32,
    /// The first generations of the search, at most [`FIRST_GENERATIONS`](tiletune_tuning::stats::signal::FIRST_GENERATIONS).
    pub first_generations: Vec<GenerationRow>,
    /// The last generation of the search.
    pub last_generation: Option<GenerationRow>,
    /// Comparison of start and recommended weights; `None` if the campaign has no hold-out games.
    pub validation: Option<Validation>,
}

/// The seed under which `evaluate` replays a campaign's hold-out games.
pub fn hold_out_seed(campaign_seed: u64) -> u64 {
    shown_seed(campaign_seed, Stream::HoldOut)
}

impl RunPlan for Campaign {
    const KIND: Kind = Kind::Campaign;
    const TABLES: &'static [TableName] = &[
        TableName::Generations,
        TableName::Candidates,
        TableName::Diagnostics,
        TableName::Train,
        TableName::Race,
        TableName::HoldOut,
        TableName::Deeper,
    ];
    type Config = Config;
    type Outcome = Outcome;

    fn from_source(
        catalogue: &Catalogue,
        source: &Source,
        folder: &Path,
    ) -> Result<Self, ConfigError> {
        Campaign::resolve_with(catalogue, source, folder)
    }

    fn config(&self) -> &Config {
        &self.config
    }

    fn name(&self) -> &str {
        &self.config.name
    }

    fn seeds(&self) -> Seeds {
        let campaign = self.config.seed;
        Seeds {
            campaign,
            hold_out: hold_out_seed(campaign),
        }
    }

    fn players(&self) -> Vec<&PlayerSpec> {
        vec![&self.player]
    }

    fn execute(
        &self,
        machines: &dyn EvaluatorFactory,
        directory: &RunDirectory,
        control: &mut Control,
    ) -> Result<Outcome, RunError> {
        let evaluator = &*machines.evaluator(&self.player)?;
        let mut search = generations::Search::open(self, directory, control.progress.stop())?;
        search.check_play(evaluator, control.progress)?;
        let stopped_by = search.run(evaluator, control)?;
        finish::finish((machines, evaluator), search, stopped_by, control)
    }

    fn report(
        &self,
        _outcome: &Outcome,
        directory: &RunDirectory,
        stop: Stop,
    ) -> Result<(), RunError> {
        report(self, directory, Status::Complete, stop).map(drop)
    }
}
