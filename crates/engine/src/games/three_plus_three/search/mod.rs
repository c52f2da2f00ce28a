//! Searches of 3+3: [`expectimax`] over heuristic tables, and random moves. They must not know
//! players.

pub mod expectimax;
mod random;
