//! Programs outside of tiletune whose parameters are tuned. A program is started as a process and given weights
//! and seeds; it answers with numbers. What it does with them is its own affair: it can play a game, or compute
//! a noisy function. `docs/external.md` is the protocol for those who write a program.
//!
//! - [`declaration`]: what a file says of a program: command, limits, parameters
//! - [`protocol`]: the lines that go to a program and come back. It knows no process, so that another carrier
//!   than a pipe, such as a cluster, can use it
//! - `process`: one running program: started, asked, ended
//! - `pool`: as many processes as threads ask; crashes, time limits, games that do not repeat
//! - `player`: the player that other modules see
//!
//! To the rest of the library a program is a player without positions: a task is a *game* of one move, and the
//! number that its file names is the *score*. Its declaration takes the place of a heuristic, so that weights
//! files carry it. Only this module may start a process.

pub mod declaration;
mod player;
mod pool;
mod process;
pub mod protocol;

use crate::player::options::HEURISTIC;
use crate::player::{Entry, Game, Kind, PlayerOption, Players};

pub use player::{Program, read};

/// The game.
pub const GAME: Game = Game {
    has_real_scores: true,
    ..Game::new(
        NAME,
        "any program: it gets weights and seeds and answers with a score for each seed",
        Players::One,
    )
};

/// Its name on the command line and in files.
pub const NAME: &str = "external";

/// The name of its player.
pub const PROGRAM: &str = "program";

/// Its players.
pub const PLAYERS: &[Entry] = &[Entry {
    options: &[PlayerOption::new(
        HEURISTIC,
        "Program file: the command and the parameters of the program",
        Kind::Heuristic { read },
    )],
    // What it plays depends on the program.
    sample: &[],
    ..Entry::without_weights(
        PROGRAM,
        &GAME,
        "a program that is started as a process (docs/external.md)",
        player::build,
    )
}];
