//! The rules of the games, and nothing else: no weights, no search, no files.
//!
//! [`twenty48`], [`three_plus_three`] and [`connect_four`] are games; [`board`] is the board of ranks
//! of the first two, [`rows`] holds the row tables and the slow rule of 2048 that they are generated
//! from, and [`solitaire`] the loop that plays a game of one player to its end. [`rng`] derives every
//! seed of the program and draws every random number of a game; [`view`] is the form in which a
//! position is shown.

pub mod board;
pub mod connect_four;
pub mod rng;
pub mod rows;
pub mod solitaire;
pub mod three_plus_three;
pub mod twenty48;
pub mod view;
