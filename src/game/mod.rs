//! The rules of the games, and nothing else: no weights, no search, no files.
//!
//! [`twenty48`] is a game; [`board`] is the board of ranks, [`rows`] holds the row tables of 2048
//! beside the slow rule that they are generated from, and [`solitaire`] the loop that plays a game to
//! its end. [`rng`] derives every seed of the program and draws every random number of a game;
//! [`view`] is the form in which a position is shown.

pub mod board;
pub mod rng;
pub mod rows;
pub mod solitaire;
pub mod twenty48;
pub mod view;
