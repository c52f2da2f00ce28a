//! The exact result of a player, where all positions of a game can be counted: its expected score without any game. This
//! module must not name a game.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::options::Options;
use super::position::Position;
use crate::stop::Stop;

/// Why most players have no exact result.
pub const NOT_EXACT: &str = "an exact result needs a built-in player of 2048, whose move depends on the position alone, on \
                             a board of at most nine cells";

/// What each legal move loses against the best move, with perfect play after it, in points.
pub type MoveCosts = Vec<(String, f64)>;

/// The costs of the moves of a position, if they are known without a long computation.
pub type MoveCostsOf = fn(&Options, &dyn Position, &Work) -> Option<MoveCosts>;

static CACHE: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Sets the folder in which players keep long computations, such as the solution of a game. Without one they keep nothing.
/// The folder never changes a result.
pub fn set_cache(folder: Option<PathBuf>) {
    *CACHE.lock().unwrap_or_else(PoisonError::into_inner) = folder;
}

/// The folder of [`set_cache`].
pub fn cache() -> Option<PathBuf> {
    let folder = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    folder.clone()
}

/// How a computation is run. It does not change the result.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// Number of threads.
    pub threads: usize,
    /// The token that stops it.
    pub stop: Stop<'a>,
    /// Called now and then, from the thread of the caller.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Called with a message for the user, such as what a long computation needs before it begins.
    pub say: &'a (dyn Fn(&str) + Sync),
}

impl<'a> Work<'a> {
    /// Work with a number of threads and a stop token, without progress and messages.
    pub fn quiet(threads: usize, stop: Stop<'a>) -> Self {
        Work {
            threads,
            stop,
            progress: &|_| (),
            say: &|_| (),
        }
    }
}

/// A computation that takes long.
#[derive(Clone, Debug, PartialEq)]
pub struct Preparation {
    /// What is computed, and what that takes, in words.
    pub words: String,
    /// Estimate of its processor time in seconds.
    pub seconds: f64,
    /// Estimate of its memory and of the file that it writes, together in bytes.
    pub bytes: f64,
}

/// A phase of a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The positions that any player can reach are listed.
    Positions,
    /// The values of perfect play are computed.
    Values,
    /// The moves of the player are computed.
    Player,
}

/// The progress of a computation.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The phase.
    pub phase: Phase,
    /// Number of positions of this phase so far.
    pub states: u64,
}

/// The way to the exact result of a player. The defaults are those of a player without one.
pub trait ExactResult {
    /// Computes what [`ExactResult::compute`] needs beside the moves of the player, such as the solution of the game, and says
    /// so. Without this call it is computed by `compute`. Returns `None` if a stop is requested.
    fn prepare(&self, _work: &Work) -> Option<()> {
        Some(())
    }

    /// The exact result of the player, without any game; with `losses` also where it loses against perfect play.
    /// Returns `None` if a stop is requested.
    ///
    /// # Errors
    /// If there is no exact result of this player, or on this board. The message contains the reason.
    fn compute(&self, _losses: bool, _work: &Work) -> Result<Option<Exact>, String> {
        Err(NOT_EXACT.into())
    }

    /// Estimate of the memory and of the file of the solution that [`ExactResult::compute`] needs, together in bytes; `None`
    /// if there is no exact result.
    fn bytes(&self) -> Option<f64> {
        None
    }

    /// Estimate of the processor time of [`ExactResult::compute`] in seconds, without measuring anything; `None` if there is
    /// no exact result.
    fn seconds(&self) -> Option<f64> {
        None
    }
}

/// A player has no exact result.
pub(super) struct NoExactResult;

impl ExactResult for NoExactResult {}

/// The exact result of a player.
#[derive(Clone, Debug)]
pub struct Exact {
    /// Expected score.
    pub mean: f64,
    /// Expected number of moves.
    pub moves: f64,
    /// Largest tile at the end -> its probability.
    pub largest: BTreeMap<u32, f64>,
    /// Number of positions that the player can reach.
    pub positions: u64,
    /// Expected score of perfect play.
    pub perfect: f64,
    /// Where the player loses against perfect play, if that was asked for.
    pub losses: Option<Losses>,
}

impl Exact {
    /// The expected score as a share of that of perfect play.
    pub fn share(&self) -> f64 {
        self.mean / self.perfect
    }
}

/// Where a player loses against perfect play. The loss of a move is the difference between the best value and the value of
/// the move, both with perfect play after it. The expected losses of a game add up to the difference between the
/// expected scores of perfect play and of the player.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    /// Expected points that a game loses.
    pub points: f64,
    /// The losses by situation, the largest first.
    pub situations: Vec<SituationLoss>,
    /// The positions with the largest losses, the largest first.
    pub positions: Vec<PositionLoss>,
}

/// The losses in a situation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SituationLoss {
    /// Number of empty cells before the move.
    pub empty_cells: u32,
    /// Whether a largest tile is in a corner.
    pub largest_in_corner: bool,
    /// Expected number of moves of a game in this situation.
    pub moves: f64,
    /// Expected points that a game loses in it.
    pub points: f64,
}

/// The loss in a position. Images of a position are counted together; position and moves are those of the image
/// that loses most.
#[derive(Clone, Debug)]
pub struct PositionLoss {
    /// The position.
    pub position: Arc<dyn Position>,
    /// Expected number of times that a game comes to it.
    pub visits: f64,
    /// The move of the player.
    pub chosen: String,
    /// The best move.
    pub best: String,
    /// Points that the move loses.
    pub loss: f64,
    /// Expected points that a game loses in it.
    pub points: f64,
}
