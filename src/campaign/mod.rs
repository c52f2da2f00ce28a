//! A tuning campaign: ask, play, tell, write; then the race between restarts and the hold-out
//! games; then charts and report. It begins in an empty run directory or continues in one that was
//! interrupted (see [`Run`](crate::run::Run)).
//!
//! A campaign is a pure function of its resolved configuration. All state lies in the tables: a
//! generation counts once its file in `generations` exists, and to resume is to tell the optimizer
//! the fitness of the complete generations again. Clocks decide only a budget in minutes, and that
//! decision is recorded as the generation it fell on.

mod event;
mod finish;
mod generations;
mod recommendation;
mod recorded;
mod run_data;

pub use event::{Event, StoppedBy};
pub use recommendation::{BestSeen, Recommendation};
pub use recorded::{PlayedBy, recorded_game};
pub use run_data::{load, report};

use std::path::Path;

use crate::config::campaign::{Campaign, Config};
use crate::config::{ConfigError, Source};
use crate::evaluation::Evaluator;
use crate::player::Catalogue;
use crate::random::{Stream, shown_seed};
use crate::record::Validation;
use crate::run::directory::TableName;
use crate::run::manifest::{Seeds, Status};
use crate::run::{Control, Execute, Kind, RunDirectory, RunError, RunPlan};

/// What a campaign came to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The weights that it recommends, and how it came to them.
    pub recommendation: Recommendation,
    /// Why the search ended.
    pub stopped_by: StoppedBy,
    /// Start against recommended weights; `None` if no hold-out games were asked for.
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
        TableName::Games,
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

    fn report(&self, _outcome: &Outcome, directory: &RunDirectory) -> Result<(), RunError> {
        report(self, directory, Status::Complete).map(drop)
    }
}

impl<E: Evaluator> Execute<E> for Campaign {
    fn execute(
        &self,
        evaluator: &E,
        directory: &RunDirectory,
        control: &mut Control,
    ) -> Result<Outcome, RunError> {
        let mut search = generations::Search::open(self, directory)?;
        search.check_play(evaluator, control.progress)?;
        let stopped_by = search.run(evaluator, control)?;
        finish::finish(evaluator, search, stopped_by, control)
    }
}
