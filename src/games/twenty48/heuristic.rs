//! The heuristic terms of 2048. All of them are defined in [`crate::games::sliding`].

use crate::games::sliding::Terms;
use crate::games::sliding::board_terms::{CORNER, EDGE, MAX_TILE};
use crate::games::sliding::line_terms::{
    EMPTY, LINE_END, LOST_PENALTY, MERGES, MONOTONICITY, RANK_SUM, SMOOTHNESS,
};
use crate::heuristic::Parameter;

/// The terms of 2048. The defaults of the first five are those of nneonneo/2048-ai, which xificurk
/// found with CMA-ES. The others have default weight 0.
pub const TERMS: Terms = Terms {
    lines: &[
        LOST_PENALTY,
        EMPTY,
        MERGES,
        MONOTONICITY,
        RANK_SUM,
        SMOOTHNESS,
        LINE_END,
    ],
    boards: &[MAX_TILE, EDGE, CORNER],
};

/// Every parameter of the terms of 2048; see [`Terms::parameters`].
pub fn parameters() -> Vec<Parameter> {
    TERMS.parameters()
}
