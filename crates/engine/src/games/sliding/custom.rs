//! Heuristics of sliding games from files. This module must not depend on the rules of a game.

use std::sync::Arc;

use crate::field_error::FieldError;
use crate::games::sliding::board_terms::BoardTerm;
use crate::games::sliding::language::Definition;
use crate::games::sliding::resolution::lost_weights;
use crate::games::sliding::shape::Shape;
use crate::heuristic::weights::Weights;
use crate::heuristic::{LostWeight, Parameter};
use crate::player::{CustomHeuristic, Options, Player};

/// Builds a player with the terms of a definition.
pub type BuildWith = fn(&Arc<Definition>, &Options, &Weights) -> Result<Box<dyn Player>, String>;

/// The size of the board of a player with these options.
pub type BoardOf = fn(&Options) -> Shape;

#[derive(Debug)]
struct FileHeuristic {
    definition: Arc<Definition>,
    board: BoardOf,
    build: BuildWith,
}

/// Reads a heuristic from a table. Its board terms may be any of `boards`. `board` is the size of the board of a player,
/// and `build` builds the player.
///
/// # Errors
/// The errors of [`Definition::read`].
pub fn custom(
    table: &toml::Table,
    boards: &'static [BoardTerm],
    board: BoardOf,
    build: BuildWith,
) -> Result<Arc<dyn CustomHeuristic>, FieldError> {
    let definition = Arc::new(Definition::read(table, boards)?);
    Ok(Arc::new(FileHeuristic {
        definition,
        board,
        build,
    }))
}

impl CustomHeuristic for FileHeuristic {
    fn table(&self) -> &toml::Table {
        self.definition.table()
    }

    fn parameters(&self) -> &[Parameter] {
        self.definition.parameters()
    }

    fn check(&self, options: &Options) -> Result<(), FieldError> {
        self.definition.fits((self.board)(options))
    }

    fn build(&self, options: &Options, weights: &Weights) -> Result<Box<dyn Player>, String> {
        (self.build)(&self.definition, options, weights)
    }

    fn value_of_lost(&self) -> Option<f64> {
        Some(0.0)
    }

    fn lost_weights(&self, options: &Options, weights: &Weights) -> Vec<LostWeight> {
        lost_weights(&self.definition, (self.board)(options), weights)
    }
}
