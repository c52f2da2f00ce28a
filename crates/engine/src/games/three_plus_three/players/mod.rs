//! The players of 3+3 that are not published programs.

mod expectimax;
mod random;

pub use expectimax::EXPECTIMAX;
pub use random::RANDOM;
