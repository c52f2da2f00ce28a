//! The data of a campaign for charts and reports.

use crate::results::importance::Importance;
use crate::results::search::{AtBound, Correlation, Diagnostic, GenerationRow, Parameter};
use crate::results::validation::Validation;
use tiletune_engine::record::GameRecord;

/// Weights that are measured at one search depth only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unmeasured {
    /// That depth; `None` if it is adaptive.
    pub own: Option<u8>,
    /// Another depth at which to compare them.
    pub other: u8,
}

impl Unmeasured {
    /// Weights for this depth, which is `None` if it is adaptive.
    pub fn of(own: Option<u8>) -> Self {
        let other = match own {
            Some(deep @ 10..) => deep - 2,
            Some(depth) => depth + 2,
            None => 3,
        };
        Unmeasured { own, other }
    }
}

/// The data of a campaign for charts and reports. The campaign may be incomplete.
#[derive(Clone, Debug, PartialEq)]
pub struct RunData {
    /// Name of the campaign.
    pub name: String,
    /// The reason for the campaign, from its configuration.
    pub why: String,
    /// Name of the game, such as `2048`.
    pub game: String,
    /// Player and its options in words, such as `expectimax, depth 1`.
    pub player: String,
    /// The objective in words with its unit, such as `mean score (points)`.
    pub objective: String,
    /// True if the objective is the mean score, so that it can be compared directly with hold-out means.
    pub objective_is_mean_score: bool,
    /// Seed of the campaign.
    pub seed: u64,
    /// Seed of the hold-out games.
    pub hold_out_seed: u64,
    /// All parameters, including fixed ones.
    pub parameters: Vec<Parameter>,
    /// The generations in order; can be empty.
    pub generations: Vec<GenerationRow>,
    /// The diagnostics that the optimizer declares.
    pub diagnostics: &'static [Diagnostic],
    /// The correlations; `None` until the search has ended, or if the optimizer does not learn them.
    pub correlation: Option<Correlation>,
    /// Tuned values, one for each parameter; `None` until the search has ended.
    pub tuned: Option<Vec<f64>>,
    /// How much each parameter matters; `None` until the search has ended, or if it says too little.
    pub importance: Option<Importance>,
    /// The parameters that are not active at the tuned values, ascending; empty until the search has ended.
    pub inactive: Vec<usize>,
    /// The tuned values that are at a bound.
    pub at_bounds: Vec<AtBound>,
    /// The validation; `None` until the hold-out games have been played.
    pub validation: Option<Validation>,
    /// The validations of earlier looks at the search, before it went on with more budget.
    pub earlier: Vec<Validation>,
    /// The objective of the start weights in the games at the beginning of the campaign; `None` without such games.
    pub start_level: Option<f64>,
    /// Notices about the search in addition to its result, for example about refused candidates. One sentence
    /// each.
    pub notices: Vec<String>,
    /// The search depths at which start and tuned weights have not been compared; `None` if they have been, if the
    /// search has not ended, or if the player has no depth.
    pub unmeasured: Option<Unmeasured>,
    /// Hold-out games of the start weights, in the order of the seeds; empty before validation.
    pub hold_out_start: Vec<GameRecord>,
    /// Hold-out games of the tuned weights, in the order of the seeds; empty before validation.
    pub hold_out_tuned: Vec<GameRecord>,
    /// Further facts for the report as pairs of label and text: status, version, commit, processor, times.
    pub facts: Vec<(String, String)>,
}
