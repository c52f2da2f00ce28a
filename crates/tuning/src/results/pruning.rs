//! The results of leaving out the terms of a heuristic one by one.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::difference::{PairedDifference, Verdict};
use tiletune_engine::record::{as_text, from_text};

/// What `tune --prune` found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pruned {
    /// The run whose tuned weights are pruned.
    pub run: String,
    /// Name of its campaign.
    pub name: String,
    /// Game, e.g. `2048`.
    pub game: String,
    /// Player and its options in words.
    pub player: String,
    /// The objective in words with its unit.
    pub objective: String,
    /// Games of each set of weights at each step, on seeds that nothing else uses.
    pub games: u32,
    /// Seed of the run, from which all seeds are derived.
    #[serde(serialize_with = "as_text", deserialize_with = "from_text")]
    #[schemars(with = "String")]
    pub seed: u64,
    /// Number of terms of the tuned weights.
    pub terms: u32,
    /// The command that began it, and goes on with it.
    pub command: String,
    /// Whether a loss is shown, or only one term is left.
    pub is_complete: bool,
    /// The steps, each with one term less.
    pub steps: Vec<PruneStep>,
}

/// One term less than before, the rest tuned again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PruneStep {
    /// The term that was left out in this step.
    pub dropped: String,
    /// Number of terms that are left.
    pub terms: u32,
    /// The run that tuned them, a folder beside the report.
    pub run: String,
    /// The objective of these weights.
    pub value: f64,
    /// Its 95 % interval; null if it is not known.
    pub interval: Option<[f64; 2]>,
    /// The objective of the weights with all terms in the same games.
    pub full: f64,
    /// Difference of these weights from those with all terms, game by game.
    pub difference: PairedDifference,
    /// The weights.
    pub weights: BTreeMap<String, f64>,
}

impl PruneStep {
    /// Whether the games show that these weights are worse than those with all terms.
    pub fn is_loss(&self) -> bool {
        self.difference.verdict == Verdict::Worse
    }
}

impl Pruned {
    /// The last step before the loss is shown; `None` if already the first term is needed, or none was tried.
    pub fn smallest(&self) -> Option<&PruneStep> {
        self.steps.iter().take_while(|step| !step.is_loss()).last()
    }
}
