//! What a user gives a player in a file: a heuristic that replaces its own terms, or the program that plays.

use std::fmt::Debug;
use std::sync::Arc;

use super::{Options, Player};
use crate::heuristic::Parameter;
use crate::heuristic::weights::Weights;
use crate::program::Program;

/// A heuristic from a file.
pub trait CustomHeuristic: Debug + Send + Sync {
    /// The file's contents, as runs and weights files carry it.
    fn table(&self) -> &toml::Table;

    /// Its parameters in the order of its terms.
    fn parameters(&self) -> &[Parameter];

    /// Makes the player with this heuristic; the options have been checked, and the weights fit its parameters.
    ///
    /// # Errors
    /// If the player cannot use the weights. The message says why.
    fn build(&self, options: &Options, weights: &Weights) -> Result<Box<dyn Player>, String>;

    /// The value that a search gives to a lost position, whatever the weights; no position has a lower one.
    /// `None` if there is no such value.
    fn value_of_lost(&self) -> Option<f64> {
        None
    }
}

/// A heuristic or a program, with parameters of its own.
#[derive(Clone, Debug)]
pub enum Extension {
    /// A heuristic in place of the player's own terms.
    Heuristic(Arc<dyn CustomHeuristic>),
    /// The program that plays.
    Program(Arc<Program>),
}

impl Extension {
    /// The file's contents, as runs and weights files carry it.
    pub fn table(&self) -> &toml::Table {
        match self {
            Extension::Heuristic(heuristic) => heuristic.table(),
            Extension::Program(program) => program.table(),
        }
    }

    /// Its parameters in their order.
    pub fn parameters(&self) -> &[Parameter] {
        match self {
            Extension::Heuristic(heuristic) => heuristic.parameters(),
            Extension::Program(program) => program.parameters(),
        }
    }

    /// What descriptions of the player say of it.
    pub fn describe(&self) -> String {
        match self {
            Extension::Heuristic(_) => "own heuristic".to_owned(),
            Extension::Program(program) => program.declaration().words(),
        }
    }
}
