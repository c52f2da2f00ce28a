//! 3+3 (three-plus-three), a browser game like Threes. It must not import another game.
//!
//! - [`rules`]: moves, the next tile, the score, whole games, visual form of a position
//! - [`heuristic`]: the terms of the static evaluation
//! - [`search`]: expectimax and random moves
//! - [`players`]: the catalogue entries of players that are not published programs
//! - [`published`]: the published player
//! - [`interactive`]: games whose moves the caller chooses
//! - [`mod@format`]: positions as JSON

pub mod format;
pub mod heuristic;
pub mod interactive;
pub mod players;
pub mod published;
pub mod rules;
pub mod search;

use crate::player::{GameEntry, PlayerEntry, Players};

/// The catalogue entry of the game.
pub const GAME: GameEntry = GameEntry {
    is_tile: |tile| tile > 1 && rules::rank_of(tile.into()).is_some(),
    format: format::FORMAT,
    start_interactive: Some(interactive::start_interactive),
    ..GameEntry::new(
        NAME,
        "3+3: tiles move by one cell; neighbours 1 and 2 merge into 3, equal ones from 3 into their sum; \
         the next tile is known",
        Players::One,
    )
};

/// Name of the game on the command line and in files.
pub const NAME: &str = "three-plus-three";

/// The catalogue entries of its players.
pub const PLAYERS: &[PlayerEntry] = &[
    players::EXPECTIMAX,
    published::freedom::FREEDOM,
    published::freedom::FREEDOM_SERVER,
    players::RANDOM,
];
