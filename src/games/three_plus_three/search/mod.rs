//! How a move of 3+3 is chosen: [`expectimax`] over heuristic tables, or at random.

pub mod expectimax;
mod random;
