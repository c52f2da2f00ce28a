//! What a campaign writes into its logs.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::optimizer::StopReason;
use crate::run::{RunDirectory, StoreError, logs};

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StoppedBy {
    /// The budget of generations is used up.
    Generations,
    /// Another generation would exceed the budget of games.
    Games,
    /// The budget of minutes is used up.
    Minutes,
    /// A stop rule of the optimizer.
    Optimizer(StopReason),
}

impl fmt::Display for StoppedBy {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            StoppedBy::Generations => formatter.write_str("the budget of generations is used up"),
            StoppedBy::Games => formatter.write_str("the budget of games is used up"),
            StoppedBy::Minutes => formatter.write_str("the budget of minutes is used up"),
            StoppedBy::Optimizer(reason) => write!(formatter, "{reason}"),
        }
    }
}

/// A line of `events.jsonl`. Events carry no times, and each is written once, also by a campaign
/// that is interrupted and resumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Event {
    /// The search began.
    SearchBegan {
        /// Candidates of a generation.
        population: u32,
    },
    /// A run of the optimizer ended and the next begins.
    Restarted {
        /// Index of the new run.
        run: u32,
        /// Its first generation.
        generation: u32,
        /// Candidates of a generation of the new run.
        population: u32,
        /// Why the old run ended.
        reason: StopReason,
    },
    /// The search ended.
    SearchEnded {
        /// Generations played.
        generations: u32,
        /// Why.
        reason: StoppedBy,
    },
    /// The race between the final means of the runs was decided.
    RaceDecided {
        /// Index of the run whose mean is recommended.
        run: u32,
    },
    /// Hold-out games are played and compared.
    Validated,
}

/// The log of events.
pub(super) const FILE: &str = "events.jsonl";

/// A log of these events.
pub(super) type Events = logs::Events<Event>;

/// Opens the log of a run directory.
pub(super) fn open(directory: &RunDirectory) -> Result<Events, StoreError> {
    Events::open(&directory.path(FILE))
}

/// How and when an earlier process ended the search, if it did.
pub(super) fn search_ended(events: &[Event]) -> Option<(u32, StoppedBy)> {
    events.iter().find_map(|event| match event {
        Event::SearchEnded {
            generations,
            reason,
        } => Some((*generations, *reason)),
        _ => None,
    })
}

/// What `timing.jsonl` says of a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct OfGeneration {
    /// Generation.
    pub(super) generation: u32,
    /// Of the seconds from its beginning to its end, those spent playing.
    pub(super) playing: f64,
}
