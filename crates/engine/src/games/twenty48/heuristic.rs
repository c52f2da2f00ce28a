//! The heuristic terms of 2048: the board terms that a heuristic can use, and the heuristic of the built-in
//! players. The latter is defined in `crates/engine/data/heuristics/2048.toml`.

use std::sync::{Arc, LazyLock};

use crate::games::sliding::Definition;
use crate::games::sliding::board_terms::{BoardTerm, CORNER, EDGE, MAX_TILE};
use crate::heuristic::Parameter;

/// The board terms that a heuristic of 2048 can use.
pub const BOARDS: &[BoardTerm] = &[MAX_TILE, EDGE, CORNER];

/// The built-in heuristic.
pub static TERMS: LazyLock<Arc<Definition>> = LazyLock::new(|| {
    let text = include_str!("../../../data/heuristics/2048.toml");
    Arc::new(Definition::built_in(text, BOARDS))
});

/// All parameters of the built-in heuristic, in the order of its terms.
pub fn parameters() -> Vec<Parameter> {
    TERMS.parameters().to_vec()
}
