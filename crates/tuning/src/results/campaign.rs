//! The data of a campaign that charts and reports show.

use crate::results::search::{AtBound, Correlation, Diagnostic, GenerationRow, Parameter};
use crate::results::validation::Validation;
use tiletune_engine::record::GameRecord;

/// The data of a campaign, complete or not, that charts and reports show.
#[derive(Clone, Debug, PartialEq)]
pub struct RunData {
    /// Name of the campaign.
    pub name: String,
    /// Why it was run, from its config.
    pub why: String,
    /// Game, e.g. `2048`.
    pub game: String,
    /// Player and its options in words, e.g. `expectimax, depth 1`.
    pub player: String,
    /// The objective in words with its unit, e.g. `mean score (points)`.
    pub objective: String,
    /// Whether the objective is the mean score, so that it compares with hold-out means directly.
    pub objective_is_mean_score: bool,
    /// Seed of the campaign.
    pub seed: u64,
    /// Seed of the hold-out games.
    pub hold_out_seed: u64,
    /// Every parameter, fixed ones included.
    pub parameters: Vec<Parameter>,
    /// Generations in order; may be empty.
    pub generations: Vec<GenerationRow>,
    /// The diagnostics of the generations.
    pub diagnostics: &'static [Diagnostic],
    /// Present once the search has ended, if the optimizer learns correlations.
    pub correlation: Option<Correlation>,
    /// Tuned values, one per parameter; present once the search has ended.
    pub tuned: Option<Vec<f64>>,
    /// The tuned values that lie at a bound.
    pub at_bounds: Vec<AtBound>,
    /// Present once the hold-out games are played.
    pub validation: Option<Validation>,
    /// Sentences about the search besides its result, for example about candidates that were refused.
    pub notices: Vec<String>,
    /// The sentence that the search has ended, but other search depths were not measured; `None` if they
    /// were, or if the player has no depth.
    pub unmeasured: Option<String>,
    /// Hold-out games of the start weights, in seed order; empty before validation.
    pub hold_out_start: Vec<GameRecord>,
    /// Hold-out games of the tuned weights, in seed order; empty before validation.
    pub hold_out_tuned: Vec<GameRecord>,
    /// Further facts for the report: label and text (status, version, commit, processor, times).
    pub facts: Vec<(String, String)>,
}
