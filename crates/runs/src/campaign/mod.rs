//! A tuning campaign: the generations of the search, the race of its finalists, the hold-out games,
//! charts and report. It begins in an empty run directory or continues in an interrupted one (see
//! [`Run`](crate::run::Run)).
//!
//! A campaign is a pure function of its resolved configuration. The tables contain its whole state. A generation is
//! complete if its file in `generations` exists, and a resumed campaign replays the fitness of the complete
//! generations. The clock affects only a budget in minutes; the generation at which such a budget ended the search is
//! recorded.

mod continuation;
mod deeper;
mod deterministic;
mod effect;
mod event;
mod event_log;
mod exact;
mod finalists;
mod finish;
mod generations;
mod hold_out;
mod importance;
mod looks;
mod output;
pub mod plan;
pub mod race;
mod race_games;
mod recommendation;
mod recorded;
mod replay;
mod run_data;
mod scores;
mod start_games;
mod training_seeds;
mod validation;
mod verify;

pub use continuation::{continue_with, end_search};
pub use deeper::unmeasured_in;
pub use event::{Challenger, Event, SearchEnd, notices};
pub(crate) use event_log::{has_no_noise, of_run};
pub(crate) use finish::{race_means, recorded_race};
pub(crate) use hold_out::HoldOutGames;
pub(crate) use importance::understood;
pub use importance::{CandidateList, ListedCandidate, candidates};
pub use looks::EarlierLook;
pub use output::CampaignOutput;
pub(crate) use output::findings;
pub use recommendation::{BestSeen, Recommendation, Recommended};
pub(crate) use recommendation::{
    WeightsFiles, at_bounds, last_line, recorded_selection, write_weights,
};
pub(crate) use recorded::race_table;
pub use replay::{Claim, WeightsClaim, claim, replay};
pub(crate) use replay::{claimed, replay_run};
use run_data::load_with;
pub(crate) use run_data::{data, of_session};
pub use run_data::{generations, load, training_games};
pub use start_games::unknown_power;
pub(crate) use validation::{recorded_validation, validation};

use std::path::Path;

use serde_json::Value;

use crate::config::campaign::Campaign;
use crate::config::{ConfigError, Source};
use crate::run::games_table::GamesTable;
use crate::run::manifest::{Seeds, Status};
use crate::run::replay::Replay;
use crate::run::{
    Control, Output, RecordedPlayer, RemainingWork, ReportSummary, RunDirectory, RunError, RunKind,
    RunPlan, SearchPlace, ShownGame, StoreError, View, draw_charts, kind, tables, write_report,
};
use race::RaceResult;
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::stop::Stop;
use tiletune_report::chart::{CHARTS, Figure, figures, infos};
use tiletune_report::report::campaign as page;
use tiletune_tuning::Catalogue;
use tiletune_tuning::evaluation::EvaluatorFactory;
use tiletune_tuning::results::{GenerationRow, Validation};

#[derive(Clone, Debug, PartialEq)]
pub struct CampaignOutcome {
    /// The tuned weights and their statistics from the search.
    pub recommendation: Recommendation,
    pub stopped_by: SearchEnd,
    /// The race between the finalists, in their order; `None` with one finalist.
    pub race: Option<RaceResult>,
    /// What the winner is, if the final mean raced against challengers.
    pub winner_is: Option<Challenger>,
    /// Number of candidates that the player could not use. They ranked last.
    pub refused: u32,
    /// Free parameters that had no effect when each was moved alone from its tuned value.
    pub without_effect: Vec<String>,
    /// Number of training games of the other candidates in which a program failed. Each counted as the worst result.
    pub failed_games: u64,
    /// The last generation of the search.
    pub last_generation: Option<GenerationRow>,
    /// Comparison of start and tuned weights; `None` if the campaign has no hold-out games.
    pub validation: Option<Validation>,
    /// The last earlier look at the search whose weights were shown to be better.
    pub earlier: Option<EarlierLook>,
}

impl CampaignOutcome {
    /// Which weights are in `best.toml`.
    pub fn recommended(&self) -> Recommended {
        Recommended::by(self.validation.as_ref(), self.earlier.as_ref())
    }
}

impl Campaign {
    /// The registered kind of run.
    pub const KIND: RunKind = RunKind {
        name: "campaign",
        tables: &[
            &tables::GENERATIONS,
            &tables::CANDIDATES,
            &tables::DIAGNOSTICS,
            &tables::TRAIN,
            &tables::START,
            &tables::RACE,
            &tables::HOLD_OUT,
            &tables::DEEPER,
        ],
        plan: kind::plan::<Campaign>,
        search: Some(SearchPlace::Run),
        charts: || infos(CHARTS),
        charts_as: None,
        published: &[],
        progress: output::progress,
        findings: output::findings,
        shows_games: true,
        has_rows: false,
    };
}

impl RunPlan for Campaign {
    type Outcome = CampaignOutcome;

    fn registered() -> &'static RunKind {
        &Campaign::KIND
    }

    fn resolved(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(&self.config)
    }

    fn name(&self) -> &str {
        &self.config.name
    }

    fn seeds(&self) -> Seeds {
        Seeds {
            campaign: self.config.seed,
            hold_out: self.hold_out_seed(),
        }
    }

    fn players(&self) -> Vec<&PlayerSpec> {
        vec![&self.player]
    }

    fn exact_players(&self) -> Vec<&PlayerSpec> {
        let has_exact = self.config.validation.games > 0 && exact::is_short(self);
        has_exact.then_some(&self.player).into_iter().collect()
    }

    fn remaining(&self, directory: &RunDirectory) -> Result<RemainingWork, StoreError> {
        let played = training_games(&generations(self, directory)?);
        let plan = plan::Plan::of(self, played, event_log::one_game_since(directory)?);
        let has_ended = event_log::has_ended(directory)?;
        let has_start = directory.start_part().exists() || has_ended;
        let plan = plan.map(|plan| plan.after_start(has_start));
        let plan = plan.map(|plan| if has_ended { plan.after_search() } else { plan });
        let generations = plan.and_then(|plan| plan.generations);
        let games = plan.and_then(plan::Plan::expected_games);
        let timings = directory.timings::<event_log::TimedGeneration>()?;
        let played: f64 = timings.iter().map(|timing| timing.seconds / 60.0).sum();
        let minutes = self.config.budget.minutes;
        let minutes = minutes.map(|minutes| (minutes - played).max(0.0));
        Ok(RemainingWork::new(games, generations, minutes))
    }

    fn report(
        &self,
        directory: &RunDirectory,
        status: Status,
        stop: Stop,
    ) -> Result<ReportSummary, RunError> {
        let data = understood(self, directory, data(self, directory, "tuned", status)?)?;
        let charts = draw_charts(directory, CHARTS, &data, stop)?;
        let blocks = page::report(&data, &charts);
        Ok(write_report(directory, &data.name, &blocks, &charts)?)
    }

    fn parameters(&self) -> Vec<&str> {
        self.space.names()
    }

    fn view(
        &self,
        directory: &RunDirectory,
        generations: Vec<GenerationRow>,
    ) -> Result<View, RunError> {
        let data = understood(self, directory, load_with(self, directory, generations)?)?;
        let blocks = match data.tuned {
            Some(_) => page::results(&data),
            // Before the tuned weights exist, the results would only say where the search began.
            None => page::plainly(&data),
        };
        Ok(View::of_search(&data, blocks))
    }

    fn figures(
        &self,
        directory: &RunDirectory,
        generations: Vec<GenerationRow>,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Figure>, RunError> {
        let data = understood(self, directory, load_with(self, directory, generations)?)?;
        Ok(figures(CHARTS, &data, is_wanted))
    }

    fn check_results(
        &self,
        directory: &RunDirectory,
        stop: Stop,
        replay: &mut Replay,
    ) -> Result<(), RunError> {
        verify::compare_files(self, directory, stop, replay)
    }

    fn tables<'a>(&'a self, directory: &'a RunDirectory) -> Result<Vec<GamesTable<'a>>, RunError> {
        recorded::tables(self, directory)
    }

    fn recorded_game(
        &self,
        directory: &RunDirectory,
        played_by: RecordedPlayer,
        game: u32,
    ) -> Result<ShownGame, RunError> {
        recorded::shown_game(self, directory, played_by, game)
    }

    fn claim(
        &self,
        catalogue: &Catalogue,
        directory: &RunDirectory,
        _first: Option<u32>,
    ) -> Result<(Value, u64), RunError> {
        Ok(claim(&claimed(catalogue, directory)?))
    }

    fn replay(
        &self,
        catalogue: &Catalogue,
        directory: &RunDirectory,
        _first: Option<u32>,
        machines: &dyn EvaluatorFactory,
        control: &mut Control,
    ) -> Result<Replay, RunError> {
        replay_run(catalogue, directory, "tuned", machines, control)
    }

    fn printed(
        &self,
        outcome: &CampaignOutcome,
        directory: &RunDirectory,
    ) -> Result<Output, RunError> {
        output::printed(self, outcome, directory)
    }

    fn from_source(
        catalogue: &Catalogue,
        source: &Source,
        folder: &Path,
    ) -> Result<Self, ConfigError> {
        Campaign::resolve_with(catalogue, source, folder)
    }

    fn execute(
        &self,
        machines: &dyn EvaluatorFactory,
        directory: &RunDirectory,
        control: &mut Control,
    ) -> Result<CampaignOutcome, RunError> {
        let evaluator = &*machines.evaluator(&self.player)?;
        let mut search =
            generations::CampaignSearch::open(self, directory, control.progress.stop())?;
        search.check_play(evaluator, control.progress)?;
        let stopped_by = search.run(evaluator, control)?;
        finish::finish((machines, evaluator), search, stopped_by, control)
    }
}
