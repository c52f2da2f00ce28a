//! Information about a run of any kind: remaining work, printed results, main results, results of a web page, and a
//! game to show. This module must not know a kind of run.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::record::GameRecord;
use tiletune_report::report::Block;
use tiletune_tuning::results::{RunData, Verdict};

/// The printed output of a run.
pub struct Output {
    /// The result as an object.
    pub json: Value,
    /// The result as text.
    pub blocks: Vec<Block>,
    /// A message before the result.
    pub before: Option<String>,
    /// Messages after the result.
    pub after: Vec<String>,
    /// The exit code. A verdict can have a special one.
    pub code: u8,
}

/// Upper limits of the remaining work; `None` if there is no limit or it is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RemainingWork {
    pub games: Option<u64>,
    /// Generations of the whole search, including the complete ones.
    pub generations: Option<u32>,
    /// Time of a search.
    pub time: Option<Duration>,
}

impl RemainingWork {
    /// The remaining work with a time limit in minutes.
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
    /// Results with their labels: start and tuned weights, rows, players.
    pub all: Vec<(String, String)>,
}

/// The player of a recorded game of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedPlayer {
    /// A candidate of a generation, both counted from 0.
    Candidate {
        generation: u32,
        /// The candidate within it.
        candidate: u32,
    },
    /// A finalist of the race, counted from 0.
    Finalist(u32),
    /// A set of weights in the hold-out games.
    HoldOut {
        /// `start` or `tuned`.
        weights: &'static str,
        /// The search depth, if it differs from that of the search.
        depth: Option<u8>,
    },
}

/// A recorded game that can be shown move by move.
pub struct ShownGame {
    pub player: PlayerSpec,
    pub weights: Weights,
    /// Seed and result.
    pub record: GameRecord,
    /// Description of the game.
    pub title: String,
}

/// The contents of a `report.html`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportSummary {
    /// The names of the charts.
    pub charts: Vec<&'static str>,
    /// A note for the user.
    pub note: Option<String>,
}

/// The contents of the web page of a run, besides its charts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// The results so far.
    pub blocks: Vec<Block>,
    /// The objective of a search, in words.
    pub objective: Option<String>,
    /// The results of a search, if it has some.
    pub found: Option<SearchResult>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SearchResult {
    /// Whether the search has ended.
    pub is_tuned: bool,
    /// The objective of the start weights in the games at the beginning of the campaign; left out without such games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_level: Option<f64>,
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
                start_level: data.start_level,
                hold_out,
            }),
        }
    }
}
