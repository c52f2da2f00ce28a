//! Heuristics of sliding games as the rest of the program sees them. It must not know the rules of a
//! game.

use crate::games::sliding::{Definition, Heuristic};
use crate::heuristic::weights::Weights;
use crate::heuristic::{Parameter, Written};

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
}
