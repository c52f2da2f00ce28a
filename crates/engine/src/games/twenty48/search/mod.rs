//! Searches of 2048: [`expectimax`] with a [`compiled`] heuristic, and moves without look-ahead ([`simple`]),
//! whose games are played in a [`batch`]. The last moves before 32768 can be solved exactly ([`endgame`]).
//! Searches are generic and monomorphised. They must not depend on players.

pub mod batch;
pub mod compiled;
pub mod endgame;
pub mod expectimax;
pub mod simple;
mod spawns;
