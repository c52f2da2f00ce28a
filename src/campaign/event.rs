//! What a campaign writes into its logs.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::optimizer::StopReason;
use crate::store::StoreError;
use crate::store::logs::{self, Log};
use crate::store::run_directory::RunDirectory;

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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

/// A line of `timing.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Generation.
    pub generation: u32,
    /// Seconds from its beginning to its end.
    pub seconds: f64,
    /// Of these, spent playing.
    pub playing: f64,
    /// Games played.
    pub games: u64,
}

/// `events.jsonl`, which holds each event once.
pub(super) struct Events {
    log: Log,
    written: Vec<Event>,
}

impl Events {
    pub(super) fn open(directory: &RunDirectory) -> Result<Self, StoreError> {
        let path = directory.path("events.jsonl");
        Ok(Events {
            log: Log::open(&path)?,
            written: logs::read(&path)?,
        })
    }

    /// Writes an event unless it stands there already.
    pub(super) fn record(&mut self, event: Event) -> Result<(), StoreError> {
        if !self.written.contains(&event) {
            self.log.append(&event)?;
            self.written.push(event);
        }
        Ok(())
    }

    /// How and when an earlier process ended the search, if it did.
    pub(super) fn search_ended(&self) -> Option<(u32, StoppedBy)> {
        self.written.iter().find_map(|event| match event {
            Event::SearchEnded {
                generations,
                reason,
            } => Some((*generations, *reason)),
            _ => None,
        })
    }
}
