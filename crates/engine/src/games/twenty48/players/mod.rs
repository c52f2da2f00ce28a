//! The players of 2048 that are not published programs.

mod expectimax;
mod simple;

pub use expectimax::{CHANCE_LAYERS, EXPECTIMAX, cutoff};
pub use simple::{GREEDY, RANDOM};
