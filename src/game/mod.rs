//! The rules of the games, and nothing else: no weights, no search, no files.
//!
//! [`twenty48`] is the game; [`rows`] holds its row tables beside the slow rule that they are
//! generated from; [`rng`] derives every seed of the program and draws every random number of a
//! game; [`view`] is the form in which a position is shown.

pub mod rng;
pub mod rows;
pub mod twenty48;
pub mod view;
