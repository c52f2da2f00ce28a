//! How a move of gravity four in a row is chosen: [`alpha_beta`] over a static evaluation, the
//! exact solver [`perfect`], and random moves.

pub mod alpha_beta;
mod ordering;
pub mod perfect;
mod random;

pub use random::RandomStones;
