//! How a move is chosen: [`expectimax`] over the heuristic tables, its slow definition
//! [`textbook`], and two players without a look-ahead in [`simple`].
//!
//! Searches are generic and monomorphised; they know rules and heuristics, never players' names,
//! files or threads.

pub mod chance;
pub mod expectimax;
mod last_layer;
pub mod simple;
pub mod textbook;
mod transposition;
