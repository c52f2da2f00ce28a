//! The record of one game. This module must not play games.

mod game;
mod numbers;
mod seed;

pub use game::{GameRecord, GameResult, Outcome, Phase};
pub use numbers::{MOST_NUMBERS, Missing, Names, Numbers, Unrepeated};
pub use seed::{as_text, from_text};
