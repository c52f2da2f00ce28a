//! Searches of gravity four in a row: [`alpha_beta`] with a static evaluation, the exact solver [`perfect`],
//! and random moves. They must not depend on players.

pub mod alpha_beta;
mod ordering;
pub mod perfect;
mod random;

pub use random::RandomStones;
