//! Searches of 2048: [`expectimax`] over a [`compiled`] heuristic, and moves without look-ahead
//! ([`simple`]), whose games are played in a [`batch`]. Searches are generic and monomorphised.
//! They must not know players.

pub mod batch;
pub mod compiled;
pub mod expectimax;
pub mod simple;
mod spawns;
