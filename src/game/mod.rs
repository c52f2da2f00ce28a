//! The rules of the games, and nothing else: no weights, no search, no files.
//!
//! [`twenty48`] and [`three_plus_three`] are games; [`board`] is the board of ranks, [`rows`] holds the row tables
//! and the slow rule of 2048 that they are generated from, and [`solitaire`] the loop that plays a game to
//! its end. [`rng`] derives every seed of the program and draws every random number of a game;
//! [`view`] is the form in which a position is shown.

pub mod board;
pub mod rng;
pub mod rows;
pub mod solitaire;
pub mod three_plus_three;
pub mod twenty48;
pub mod view;
