//! A player whose scores are exact: where a player has an exact result, a search or a comparison can use it in the place of
//! games. This module must not name a game.

use std::sync::OnceLock;

use super::exact::{ExactResult, NOT_EXACT, Work};
use super::options::{OptionKind, PlayerOption};
use super::position::{Position, PositionError};
use super::session::Session;
use super::{Analysis, Explanation, Player};
use crate::record::{GameRecord, Names, Numbers};
use crate::stop::Stop;

/// The option of players with an exact result: every "game" is then the computation of the expected score. Its result does
/// not depend on the seed.
pub const EXACT: PlayerOption = PlayerOption {
    is_stored_at_default: false,
    ..PlayerOption::new(
        "exact_scores",
        "Whether the score of every game is the exact expected score instead of that of a played game, on a board of at \
         most nine cells",
        OptionKind::Switch { default: false },
    )
};

/// A player whose games are all the exact expected score.
pub(super) struct ExactScores {
    player: Box<dyn Player>,
    score: OnceLock<f64>,
}

impl ExactScores {
    /// The player with the scores of another one.
    ///
    /// # Errors
    /// If that one has no exact result.
    pub(super) fn new(player: Box<dyn Player>) -> Result<Self, String> {
        match player.exact_result().seconds() {
            Some(_) => Ok(ExactScores {
                player,
                score: OnceLock::new(),
            }),
            None => Err(NOT_EXACT.into()),
        }
    }
}

impl Player for ExactScores {
    fn play(&self, seed: u64, stop: Stop) -> Option<GameRecord> {
        let score = match self.score.get() {
            Some(score) => *score,
            None => {
                // A player with an estimate has a result, unless a stop is requested.
                let work = Work::quiet(1, stop);
                let exact = self.player.exact_result().compute(false, &work).ok()??;
                *self.score.get_or_init(|| exact.mean)
            }
        };
        let numbers = Numbers::new(score, Names::new(&[] as &[&str]), &[]);
        Some(GameRecord::of_program(seed, numbers))
    }

    fn begin<'a>(&'a self, seed: u64, stop: Stop<'a>) -> Box<dyn Session + 'a> {
        self.player.begin(seed, stop)
    }

    fn begin_from<'a>(
        &'a self,
        position: &dyn Position,
        seed: u64,
        stop: Stop<'a>,
    ) -> Result<Box<dyn Session + 'a>, PositionError> {
        self.player.begin_from(position, seed, stop)
    }

    fn analyze(
        &self,
        position: &dyn Position,
        seed: u64,
        stop: Stop,
    ) -> Result<Option<Analysis>, PositionError> {
        self.player.analyze(position, seed, stop)
    }

    fn explain(&self, position: &dyn Position) -> Result<Option<Explanation>, PositionError> {
        self.player.explain(position)
    }

    fn prepare(&self, work: &Work) -> Option<()> {
        self.player.exact_result().prepare(work)
    }

    fn exact_result(&self) -> &dyn ExactResult {
        self.player.exact_result()
    }
}
