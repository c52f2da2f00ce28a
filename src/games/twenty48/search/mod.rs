//! How a move of 2048 is chosen: [`expectimax`] over heuristic tables made ready for it
//! ([`compiled`]), moves without look-ahead ([`simple`]), and [`batch`]ed games where there is no
//! look-ahead. Generic and monomorphised; knows no players' names.

pub mod batch;
pub mod compiled;
pub mod expectimax;
pub mod simple;
