//! A heuristic from a file, or an external program, as a part of a player.

use std::fmt::Debug;
use std::sync::Arc;

use super::{HEURISTIC, Options};
use crate::field_error::{FieldError, Within};
use crate::heuristic::weights::Weights;
use crate::heuristic::{LostWeight, Parameter};
use crate::player::Player;
use crate::program::Program;

/// A heuristic from a file.
pub trait CustomHeuristic: Debug + Send + Sync {
    /// The content of its file. Runs and weights files contain a copy.
    fn table(&self) -> &toml::Table;

    /// Its parameters in the order of its terms.
    fn parameters(&self) -> &[Parameter];

    /// Checks that the heuristic has a meaning with the options of the player, such as its board. It does not depend on
    /// weights.
    ///
    /// # Errors
    /// The first term without a meaning. The path starts at the root of its file.
    fn check(&self, _options: &Options) -> Result<(), FieldError> {
        Ok(())
    }

    /// Builds the player with this heuristic. The options must be checked, and the weights must fit its
    /// parameters.
    ///
    /// # Errors
    /// If the player cannot use the weights. The message contains the reason.
    fn build(&self, options: &Options, weights: &Weights) -> Result<Box<dyn Player>, String>;

    /// The value that a search gives to a lost position with any weights. A search never returns less. `None`
    /// if there is no such value.
    fn value_of_lost(&self) -> Option<f64> {
        None
    }

    /// The weights that are lost to the resolution of the values.
    fn lost_weights(&self, _options: &Options, _weights: &Weights) -> Vec<LostWeight> {
        Vec::new()
    }
}

/// A heuristic or a program, with its own parameters.
#[derive(Clone, Debug)]
pub enum Extension {
    /// A heuristic that replaces the player's own terms.
    Heuristic(Arc<dyn CustomHeuristic>),
    /// The external program that plays.
    Program(Arc<Program>),
}

impl Extension {
    /// The content of its file. Runs and weights files contain a copy.
    pub fn table(&self) -> &toml::Table {
        match self {
            Extension::Heuristic(heuristic) => heuristic.table(),
            Extension::Program(program) => program.table(),
        }
    }

    /// Its parameters, in their order.
    pub fn parameters(&self) -> &[Parameter] {
        match self {
            Extension::Heuristic(heuristic) => heuristic.parameters(),
            Extension::Program(program) => program.parameters(),
        }
    }

    /// Checks that a heuristic has a meaning with the options of its player (see [`CustomHeuristic::check`]).
    ///
    /// # Errors
    /// The first term without a meaning. The path begins with [`HEURISTIC`].
    pub fn check(&self, options: &Options) -> Result<(), FieldError> {
        match self {
            Extension::Heuristic(heuristic) => heuristic.check(options).within([HEURISTIC]),
            Extension::Program(_) => Ok(()),
        }
    }

    /// The words for it in descriptions of the player.
    pub fn describe(&self) -> String {
        match self {
            Extension::Heuristic(_) => "own heuristic".to_owned(),
            Extension::Program(program) => program.declaration().words(),
        }
    }
}
