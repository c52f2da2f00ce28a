//! A resolved row of an experiment.

use crate::config::campaign::Campaign;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::PlayerSpec;
use tiletune_tuning::results::experiment::Histogram;

pub struct Row {
    pub name: String,
    /// Heading that it shares with adjacent rows.
    pub group: Option<String>,
    pub player: PlayerSpec,
    pub weights: Weights,
    pub games: u32,
    /// Index of its baseline.
    pub baseline: Option<usize>,
    /// The only parameter that differs from the baseline, if the row measures the importance of this parameter.
    pub moved: Option<String>,
    /// The campaign that tunes its weights before it plays, if there is one. The campaign starts at `weights`.
    pub retuned: Option<Retuned>,
    /// The published histogram.
    pub published: Option<Histogram>,
    /// The reference distribution.
    pub reference: Option<Histogram>,
}

/// A row that is tuned before it plays.
pub struct Retuned {
    /// Index of the row that plays with the weights before tuning.
    pub of: usize,
    /// The campaign. The row plays with its tuned weights.
    pub campaign: Campaign,
}
