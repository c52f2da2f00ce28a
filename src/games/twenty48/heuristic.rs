//! The heuristic terms of 2048: the terms over boards that heuristics can name, and the heuristic of
//! the built-in players, which `configs/heuristics/2048.toml` defines.

use std::sync::LazyLock;

use crate::field_error::FieldError;
use crate::games::sliding::Definition;
use crate::games::sliding::board_terms::{BoardTerm, CORNER, EDGE, MAX_TILE};
use crate::heuristic::Parameter;

/// The terms over boards that a heuristic of 2048 can name.
pub const BOARDS: &[BoardTerm] = &[MAX_TILE, EDGE, CORNER];

/// The built-in heuristic.
pub static TERMS: LazyLock<Definition> = LazyLock::new(|| {
    Definition::built_in(
        include_str!("../../../configs/heuristics/2048.toml"),
        BOARDS,
    )
});

/// Reads a heuristic of 2048.
///
/// # Errors
/// As [`Definition::read`].
pub fn read(table: &toml::Table) -> Result<Definition, FieldError> {
    Definition::read(table, BOARDS)
}

/// Every parameter of the built-in heuristic, in the order of its terms.
pub fn parameters() -> Vec<Parameter> {
    TERMS.parameters().to_vec()
}
