//! The heuristic terms of 2048: the terms over boards that heuristics can name, and the heuristic of
//! the built-in players, which `crates/engine/data/heuristics/2048.toml` defines.

use std::sync::{Arc, LazyLock};

use crate::games::sliding::Definition;
use crate::games::sliding::board_terms::{BoardTerm, CORNER, EDGE, MAX_TILE};
use crate::heuristic::Parameter;

/// The terms over boards that a heuristic of 2048 can name.
pub const BOARDS: &[BoardTerm] = &[MAX_TILE, EDGE, CORNER];

/// The built-in heuristic.
pub static TERMS: LazyLock<Arc<Definition>> = LazyLock::new(|| {
    let text = include_str!("../../../data/heuristics/2048.toml");
    Arc::new(Definition::built_in(text, BOARDS))
});

/// Every parameter of the built-in heuristic, in the order of its terms.
pub fn parameters() -> Vec<Parameter> {
    TERMS.parameters().to_vec()
}
