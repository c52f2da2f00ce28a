//! The importance of each parameter around some weights, from moving one parameter at a time.

use schemars::JsonSchema;
use serde::Serialize;

use super::PairedDifference;

/// The results of the rows in which one parameter is moved and the others are kept.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Sensitivity {
    /// Key of the parameter.
    pub parameter: String,
    /// Name of the row in which it is not moved.
    pub baseline: String,
    /// Its value there.
    pub value: f64,
    /// Its other values, in ascending order.
    pub moves: Vec<ParameterMove>,
    /// The importance: the largest mean loss of a move, below 0 if each move gains.
    pub largest_loss: f64,
    /// Whether a move is worse than the baseline, by its verdict.
    pub matters: bool,
    /// Whether a move is better than the baseline, by its verdict.
    pub improves: bool,
    /// The smallest and the largest value up to which, starting from `value`, no move is worse than the
    /// baseline by its verdict. The moves do not show that the values between them make no difference.
    pub not_shown_to_matter: [f64; 2],
}

/// A parameter at another value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ParameterMove {
    /// Name of the row.
    pub row: String,
    /// The value.
    pub value: f64,
    /// The value as a multiple of the baseline's; `None` if that is 0.
    pub factor: Option<f64>,
    /// Row - baseline on the same seeds, with an interval that is simultaneous over the experiment.
    pub difference: PairedDifference,
}

impl Sensitivity {
    /// The move with the largest mean loss.
    pub fn worst(&self) -> Option<&ParameterMove> {
        let moves = self.moves.iter();
        moves.min_by(|one, other| one.difference.mean.total_cmp(&other.difference.mean))
    }

    /// The move with the largest mean gain.
    pub fn best(&self) -> Option<&ParameterMove> {
        let moves = self.moves.iter();
        moves.max_by(|one, other| one.difference.mean.total_cmp(&other.difference.mean))
    }
}
