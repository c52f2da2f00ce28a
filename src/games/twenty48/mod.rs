//! 2048: its rules, heuristic terms, searches and players; [`published`] has a folder for each
//! published player.

pub mod format;
pub mod heuristic;
pub mod kernels;
pub mod players;
pub mod published;
pub mod rules;
pub mod search;

use crate::player::{Game, Players};

/// The game.
pub const GAME: Game = Game {
    name: NAME,
    about: "slide and merge on 4x4; a 2 (0.9) or a 4 (0.1) appears after each move",
    players: Players::One,
    solver: None,
    check: |_| Ok(()),
    format: format::FORMAT,
};

/// Its name on the command line and in files.
pub const NAME: &str = "2048";
