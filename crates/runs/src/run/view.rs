//! What a page shows of a run, complete or not. This module must not know a kind of run.

use schemars::JsonSchema;
use serde::Serialize;

use tiletune_report::report::Block;
use tiletune_tuning::results::{RunData, Verdict};

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
