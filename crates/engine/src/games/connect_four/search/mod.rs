//! Searches of gravity four in a row: [`alpha_beta`] over a static evaluation, the exact solver
//! [`perfect`], and random moves. They must not know players.

pub mod alpha_beta;
mod ordering;
pub mod perfect;
mod random;

pub use random::RandomStones;
