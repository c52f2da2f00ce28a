//! Gravity four in a row: its rules, heuristic terms, searches and players; [`published`] has the
//! programs that were published for it.

pub mod format;
pub mod heuristic;
pub mod players;
pub mod published;
pub mod rules;
pub mod search;

use crate::player::{Game, Players};

/// Its name on the command line and in files.
pub const NAME: &str = "connect-four";

/// The game.
pub const GAME: Game = Game {
    name: NAME,
    about: "gravity four in a row on 7 rows of 6 columns, or on another board, against an opponent",
    players: Players::Two,
    solver: Some("perfect"),
    check: players::check,
    format: format::FORMAT,
};
