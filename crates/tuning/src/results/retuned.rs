//! A comparison of a row with the same row after its other weights have been tuned again.

use schemars::JsonSchema;
use serde::Serialize;

use super::PairedDifference;
use tiletune_engine::record::as_text;

/// A row, and the rows in which its weights are tuned again.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Retuned {
    /// Name of the row with fixed weights.
    pub row: String,
    /// Name of the row that both are compared with.
    pub baseline: String,
    /// The row with fixed weights - baseline; `None` if the row is the baseline, or not played.
    pub fixed: Option<PairedDifference>,
    /// The rows that are tuned again.
    pub retuned: Vec<RetunedRow>,
}

/// A row that is tuned again.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RetunedRow {
    /// Its name.
    pub row: String,
    /// Seed of its campaign.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub seed: u64,
    /// Number of games of its campaign at most.
    pub training_games: u64,
    /// The row - baseline, with an interval that is simultaneous over the experiment.
    pub difference: PairedDifference,
    /// Name of the control: the baseline, tuned again with the same seed. `None` if there is none, or
    /// this is it.
    pub control: Option<String>,
    /// The row - control, with an interval that is simultaneous over the experiment.
    pub against_control: Option<PairedDifference>,
}
