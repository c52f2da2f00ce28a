//! Searches of 3+3: [`expectimax`] with heuristic tables, and random moves. They must not depend on players.

pub mod expectimax;
mod random;
