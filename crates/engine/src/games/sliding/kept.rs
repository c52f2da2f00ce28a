//! Tables that were computed to check weights, kept until a player with these weights is built. A candidate
//! of a search is checked, then built, and its tables are computed once. This module must not compute them.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::games::sliding::line_tables::LineTables;
use crate::heuristic::weights::Weights;

/// Most tables that are kept: more than candidates of a generation, as a rule. Tables take up to 1 MiB.
const MOST: usize = 64;

/// Line tables and their number of fraction bits.
pub type Scaled = (LineTables, i32);

/// The tables of the weights that were checked last and are not in use yet.
#[derive(Default)]
pub struct Kept(Mutex<VecDeque<(Weights, Scaled)>>);

impl Kept {
    /// Keeps the tables of some weights, and drops the oldest ones if there are too many.
    pub fn put(&self, weights: &Weights, tables: Scaled) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, _)| !known.equals_to_the_bit(weights));
        if kept.len() == MOST {
            kept.pop_front();
        }
        kept.push_back((weights.clone(), tables));
    }

    /// The tables of these weights, which are then no longer kept.
    pub fn take(&self, weights: &Weights) -> Option<Scaled> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = kept.iter();
        let place = known.position(|(known, _)| known.equals_to_the_bit(weights))?;
        kept.remove(place).map(|(_, tables)| tables)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::samples::random_lines;
    use crate::heuristic::Parameter;

    fn weights(value: f64) -> Weights {
        let parameters = [Parameter::new("a", "", 0.0, 0.0, 1.0)];
        Weights::new([("a".to_owned(), value)], &parameters).unwrap()
    }

    #[test]
    fn tables_are_taken_once_by_the_bits_of_their_weights() {
        let kept = Kept::default();
        let tables = random_lines(1).fixed_point(1.0);
        kept.put(&weights(0.0), (tables.clone(), 3));
        kept.put(&weights(0.0), (tables.clone(), 4));
        assert!(kept.take(&weights(-0.0)).is_none());
        assert!(matches!(kept.take(&weights(0.0)), Some((_, 4))));
        assert!(kept.take(&weights(0.0)).is_none());
        for number in 0..=MOST as i32 {
            kept.put(&weights(f64::from(number)), (tables.clone(), number));
        }
        assert!(kept.take(&weights(0.0)).is_none(), "the oldest is dropped");
        assert!(matches!(kept.take(&weights(1.0)), Some((_, 1))));
    }
}
