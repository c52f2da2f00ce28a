//! Heuristics of sliding games from files. This module must not depend on the rules of a game.

use std::sync::Arc;

use crate::field_error::FieldError;
use crate::games::sliding::board_terms::BoardTerm;
use crate::games::sliding::language::Definition;
use crate::heuristic::Parameter;
use crate::heuristic::weights::Weights;
use crate::player::{CustomHeuristic, Options, Player};

/// Builds a player with the terms of a definition.
pub type BuildWith = fn(&Arc<Definition>, &Options, &Weights) -> Result<Box<dyn Player>, String>;

#[derive(Debug)]
struct FileHeuristic {
    definition: Arc<Definition>,
    build: BuildWith,
}

/// Reads a heuristic from a table. Its board terms may be any of `boards`. `build` builds the player that uses
/// it.
///
/// # Errors
/// The errors of [`Definition::read`].
pub fn custom(
    table: &toml::Table,
    boards: &'static [BoardTerm],
    build: BuildWith,
) -> Result<Arc<dyn CustomHeuristic>, FieldError> {
    let definition = Arc::new(Definition::read(table, boards)?);
    Ok(Arc::new(FileHeuristic { definition, build }))
}

impl CustomHeuristic for FileHeuristic {
    fn table(&self) -> &toml::Table {
        self.definition.table()
    }

    fn parameters(&self) -> &[Parameter] {
        self.definition.parameters()
    }

    fn build(&self, options: &Options, weights: &Weights) -> Result<Box<dyn Player>, String> {
        (self.build)(&self.definition, options, weights)
    }

    fn value_of_lost(&self) -> Option<f64> {
        Some(0.0)
    }
}
