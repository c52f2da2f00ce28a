//! 3+3, a browser game like Threes: its rules, heuristic terms, search and players; [`published`]
//! has the automaton that was published for it.

pub mod format;
pub mod heuristic;
pub mod players;
pub mod published;
pub mod rules;
pub mod search;

use crate::player::{Game, Players};

/// The game.
pub const GAME: Game = Game {
    name: NAME,
    about: "3+3: neighbours merge without sliding over gaps, 1 and 2 to 3, then 3·2^k; the next \
            tile is known",
    players: Players::One,
    solver: None,
    check: |_| Ok(()),
    format: format::FORMAT,
};

/// Its name on the command line and in files.
pub const NAME: &str = "three-plus-three";
