//! 2048. It must not import another game.
//!
//! - [`rules`]: moves, random tiles, the score, whole games, visual form of a board
//! - [`heuristic`]: the terms of the static evaluation
//! - [`exact`]: perfect play and exact results on boards of up to nine cells
//! - [`search`]: expectimax, greedy and random moves, and batched games
//! - `kernels`: batched games in vector instructions
//! - [`players`]: the catalogue entries of players that are not published programs
//! - [`published`]: one folder for each published player
//! - [`interactive`]: games whose moves the caller chooses
//! - [`mod@format`]: positions and analyses as JSON
//! - [`setup`]: the options of the game, its board and its random tiles

pub mod exact;
pub mod format;
pub mod heuristic;
pub mod interactive;
mod kernels;
pub mod players;
pub mod published;
pub mod rules;
pub mod search;
pub mod setup;

use crate::player::{GameEntry, PlayerEntry, Players};

/// The catalogue entry of the game.
pub const GAME: GameEntry = GameEntry {
    check: players::check,
    is_tile: |tile| format::rank(tile.into()).is_some(),
    format: format::FORMAT,
    move_costs: exact::agent::move_costs,
    start_interactive: Some(interactive::start_interactive),
    ..GameEntry::new(
        NAME,
        "slide and merge on 4x4; a 2 (0.9) or a 4 (0.1) appears after each move",
        Players::One,
    )
};

/// Name of the game on the command line and in files.
pub const NAME: &str = "2048";

/// The catalogue entries of its players.
pub const PLAYERS: &[PlayerEntry] = &[
    players::EXPECTIMAX,
    published::expectimax_faithful::EXPECTIMAX_FAITHFUL,
    published::minimax_six::MINIMAX_SIX,
    published::minimax_six::MINIMAX_SIX_FAITHFUL,
    published::snake::SNAKE,
    published::snake::SNAKE_INTENDED,
    players::GREEDY,
    players::PERFECT,
    players::RANDOM,
];
