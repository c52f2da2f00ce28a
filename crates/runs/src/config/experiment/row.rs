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
    /// Index of the row with which it is compared.
    pub baseline: Option<usize>,
    /// The parameter in which it differs from this row, if it measures how much the parameter matters.
    pub moved: Option<String>,
    /// The campaign that tunes its weights before it plays, if one does; it starts at `weights`.
    pub retuned: Option<Retuned>,
    /// The published histogram.
    pub published: Option<Histogram>,
    /// The distribution to test the results against.
    pub reference: Option<Histogram>,
}

/// A row that is tuned before it plays.
pub struct Retuned {
    /// Index of the row that plays with the weights before they are tuned.
    pub of: usize,
    /// The campaign. Its recommendation is the weights of the row.
    pub campaign: Campaign,
}
