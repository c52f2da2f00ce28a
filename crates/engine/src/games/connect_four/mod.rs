//! Gravity four in a row, a game for two players. It must not import another game.
//!
//! - [`rules`]: boards, stones, openings, whole games, text form of a position
//! - [`heuristic`]: the string evaluation and the terms of open lines and threats
//! - [`search`]: alpha-beta, the exact solver, random moves
//! - [`players`]: the catalogue entries, and matches between agents
//! - [`published`]: the searches of the published players, one folder each
//! - [`interactive`]: games whose moves the caller chooses
//! - [`mod@format`]: positions and analyses as JSON

pub mod format;
pub mod heuristic;
pub mod interactive;
pub mod players;
pub mod published;
pub mod rules;
pub mod search;

use crate::player::{GameEntry, PlayerEntry, Players};

/// Name of the game on the command line and in files.
pub const NAME: &str = "connect-four";

/// The catalogue entry of the game.
pub const GAME: GameEntry = GameEntry {
    name: NAME,
    about: "gravity four in a row on 6 rows of 7 columns, or on another board, against an opponent",
    players: Players::Two,
    solver: Some("perfect"),
    check: players::check,
    is_tile: |_| false,
    has_real_scores: false,
    format: format::FORMAT,
    direct_match: Some(players::direct_match),
    move_costs: |_, _, _| None,
    start_interactive: Some(interactive::start_interactive),
};

/// The catalogue entries of its players.
pub const PLAYERS: &[PlayerEntry] = &[
    players::STRINGS,
    players::STRINGS_REPOSITORY,
    players::STRINGS_ARTICLE,
    players::PERFECT,
    players::RANDOM,
];
