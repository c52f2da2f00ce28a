//! What a run says of itself, whatever its kind: the work that remains, results as they are printed, results at a glance
//! and on a page, and a game to be shown. This module must not know a kind of run.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::record::GameRecord;
use tiletune_report::report::Block;
use tiletune_tuning::results::{RunData, Verdict};

/// What is printed of the outcome of a run.
pub struct Output {
    /// The result as an object.
    pub json: Value,
    /// The result as text.
    pub blocks: Vec<Block>,
    /// A message before the result, whose last line is the most important one.
    pub before: Option<String>,
    /// Messages after the result.
    pub after: Vec<String>,
    /// The exit code; a verdict can have one of its own.
    pub code: u8,
}

/// What is still to be played, at most; `None` where it is not limited or not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RemainingWork {
    /// Games.
    pub games: Option<u64>,
    /// Generations of a search, those that are played included.
    pub generations: Option<u32>,
    /// Time of a search.
    pub time: Option<Duration>,
}

impl RemainingWork {
    /// With a limit of the time in minutes.
    pub fn new(games: Option<u64>, generations: Option<u32>, minutes: Option<f64>) -> Self {
        let time = minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes));
        RemainingWork {
            games,
            generations,
            time,
        }
    }
}

/// The main results of a run in words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// All in one line; `None` without results.
    pub headline: Option<String>,
    /// Results by what they are of: start and tuned weights, rows, players.
    pub all: Vec<(String, String)>,
}

/// The player of a recorded game of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedPlayer {
    /// A candidate of a generation, both counted from 0.
    Candidate {
        /// The generation.
        generation: u32,
        /// The candidate within it.
        candidate: u32,
    },
    /// A finalist of the race between restarts, counted from 0.
    Finalist(u32),
    /// A set of weights in the hold-out games.
    HoldOut {
        /// `start` or `tuned`.
        weights: &'static str,
        /// The search depth, if it is another one than that of the search.
        depth: Option<u8>,
    },
}

/// A recorded game that can be shown move by move.
pub struct ShownGame {
    /// The player.
    pub player: PlayerSpec,
    /// Its weights.
    pub weights: Weights,
    /// Seed and result.
    pub record: GameRecord,
    /// Which game it is.
    pub title: String,
}

/// What `report.html` was written with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportSummary {
    /// The names of the charts.
    pub charts: Vec<&'static str>,
    /// What a user should know of it.
    pub note: Option<String>,
}

/// What a page shows of a run beside its charts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// The results so far.
    pub blocks: Vec<Block>,
    /// What a search maximises, in words.
    pub objective: Option<String>,
    /// Of a search with results: what it found.
    pub found: Option<SearchResult>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SearchResult {
    /// Whether the search has ended.
    pub is_tuned: bool,
    /// The objective in the hold-out games; left out before they are played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold_out: Option<HoldOutResult>,
}

/// The objective in the hold-out games.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HoldOutResult {
    /// Of the start weights.
    start: f64,
    /// Of the tuned weights.
    tuned: f64,
    /// 95 % interval of the tuned weights; null if there is none.
    interval: Option<[f64; 2]>,
    /// What the tuned weights are.
    verdict: Verdict,
}

impl View {
    /// The view of a search with these results.
    pub fn of_search(data: &RunData, blocks: Vec<Block>) -> Self {
        let hold_out = data.validation.as_ref().map(|validation| {
            let objective = &validation.objective;
            HoldOutResult {
                start: objective.start,
                tuned: objective.tuned,
                interval: objective.tuned_interval,
                verdict: objective.difference.verdict,
            }
        });
        View {
            blocks,
            objective: Some(data.objective.clone()),
            found: Some(SearchResult {
                is_tuned: data.tuned.is_some(),
                hold_out,
            }),
        }
    }
}
