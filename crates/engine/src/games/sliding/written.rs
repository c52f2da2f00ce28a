//! Heuristics of sliding games as the rest of the program sees them. It must not know the rules of a
//! game.

use std::any::Any;
use std::sync::Arc;

use crate::games::sliding::{Definition, Heuristic};
use crate::heuristic::weights::Weights;
use crate::heuristic::{Parameter, Written};
use crate::player::Options;

/// The heuristic that the options give, or the built-in one.
pub fn chosen(options: &Options, built_in: &Arc<Definition>) -> Arc<Definition> {
    let given = options.heuristic().map(|given| {
        let given: Arc<dyn Any + Send + Sync> = given.clone();
        given.downcast()
    });
    match given {
        Some(given) => {
            given.unwrap_or_else(|_| unreachable!("read as a heuristic of sliding games"))
        }
        None => built_in.clone(),
    }
}

impl Written for Definition {
    fn table(&self) -> &toml::Table {
        Definition::table(self)
    }

    fn parameters(&self) -> &[Parameter] {
        Definition::parameters(self)
    }

    fn check(&self, weights: &Weights) -> Result<(), String> {
        Heuristic::check(self, weights)
    }

    fn value_of_lost(&self) -> Option<f64> {
        Some(0.0)
    }
}
