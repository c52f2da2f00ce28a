//! A tuning campaign: ask, play, tell, write; then the race between restarts and the hold-out
//! games. Begun in an empty run directory or gone on with in one that was interrupted.
//!
//! A campaign is a pure function of its resolved configuration. All state lies in the tables: a
//! generation counts once its file in `generations` is there, and going on means telling the
//! optimizer the fitness of the complete generations again. Clocks decide only a budget in
//! minutes, and that decision is recorded as the generation it fell on.

mod directory;
mod event;
mod finish;
mod recommendation;
mod recorded;
mod run_data;
mod search;

pub use directory::{begin, open};
pub use event::{Event, StoppedBy};
pub use recommendation::{BestSeen, Recommendation};
pub use recorded::{PlayedBy, recorded_game};
pub use run_data::load;

use std::convert::Infallible;

use crate::config::campaign::Campaign;
use crate::evaluation::{EvaluationError, Evaluator, Progress};
use crate::random::{Stream, shown_seed};
use crate::record::{GenerationRow, Phase, Validation};
use crate::store::StoreError;
use crate::store::run_directory::RunDirectory;

/// Why a campaign did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The user asked for an end. The run can be resumed.
    #[error("interrupted")]
    Interrupted,
    /// The run directory cannot be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The tables are not those that this program and configuration would have made.
    #[error("{0}")]
    Differs(String),
}

impl From<EvaluationError<StoreError>> for CampaignError {
    fn from(error: EvaluationError<StoreError>) -> Self {
        match error {
            EvaluationError::Interrupted => CampaignError::Interrupted,
            EvaluationError::Sink(error) => CampaignError::Store(error),
        }
    }
}

impl From<EvaluationError<Infallible>> for CampaignError {
    fn from(error: EvaluationError<Infallible>) -> Self {
        match error {
            EvaluationError::Interrupted => CampaignError::Interrupted,
            EvaluationError::Sink(never) => match never {},
        }
    }
}

/// Who wants to know how a campaign gets on.
pub trait Observer {
    /// A generation is about to be played.
    fn generation_begins(&mut self, _generation: u32, _games: u64) {}
    /// A generation is complete.
    fn generation_ends(&mut self, _row: &GenerationRow) {}
    /// The search has ended.
    fn search_ends(&mut self, _generations: u32, _reason: StoppedBy) {}
    /// Games of a later phase are about to be played.
    fn phase_begins(&mut self, _phase: Phase, _games: u64) {}
}

/// An observer that does not look.
pub struct Unobserved;

impl Observer for Unobserved {}

/// What a campaign came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The weights that it recommends, and how it came to them.
    pub recommendation: Recommendation,
    /// Start against recommended weights; `None` if no hold-out games were asked for.
    pub validation: Option<Validation>,
}

/// The seed under which `evaluate` replays a campaign's hold-out games.
pub fn hold_out_seed(campaign_seed: u64) -> u64 {
    shown_seed(campaign_seed, Stream::HoldOut)
}

/// Runs a campaign in its directory from wherever it stands to its end.
///
/// # Errors
/// If a stop was asked for through `progress`, the directory fails, or its tables are not those of
/// this campaign.
pub fn run(
    campaign: &Campaign,
    evaluator: &impl Evaluator,
    directory: &RunDirectory,
    progress: &Progress,
    observer: &mut dyn Observer,
) -> Result<Outcome, CampaignError> {
    let mut searched = search::Search::open(campaign, directory)?;
    searched.check_play(evaluator, progress)?;
    searched.run(evaluator, progress, observer)?;
    finish::finish(campaign, evaluator, directory, searched, progress, observer)
}
