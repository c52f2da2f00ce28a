//! A player whose games all begin from one given position.

use std::sync::Arc;

use super::position::{Position, PositionError};
use super::session::Session;
use super::{Analysis, Explanation, Places, Player};
use crate::random::{Stream, derive};
use crate::record::GameRecord;
use crate::stop::Stop;

/// A player whose games begin from one position. The seed of a game decides only its random events, and the side of the
/// player in a game of two players.
pub struct FromPosition {
    player: Arc<dyn Player>,
    position: Arc<dyn Position>,
    number: u64,
}

impl FromPosition {
    /// The player from this position. `number` distinguishes positions whose games shall differ in their random events;
    /// with 0 a game has the events of its own seed.
    ///
    /// # Errors
    /// If the player cannot play on from it, see [`Player::begin_from`].
    pub fn new(
        player: Arc<dyn Player>,
        position: Arc<dyn Position>,
        number: u64,
    ) -> Result<Self, PositionError> {
        player.begin_from(&*position, 0, Stop::never())?;
        Ok(FromPosition {
            player,
            position,
            number,
        })
    }

    /// The seed of a game from this position.
    fn seed(&self, seed: u64) -> u64 {
        // In a game of two players the last two bits have a meaning of their own.
        match self.number {
            0 => seed,
            number => derive(seed >> 2, Stream::Evaluate, number, 0) & !3 | (seed & 3),
        }
    }
}

/// The position has been accepted once, so it is accepted with every seed.
const ACCEPTED: &str = "a position is accepted or refused whatever the seed is";

impl Player for FromPosition {
    fn play(&self, seed: u64, stop: Stop) -> Option<GameRecord> {
        let played = self
            .player
            .play_from(&*self.position, self.seed(seed), stop);
        played.expect(ACCEPTED)
    }

    fn begin<'a>(&'a self, seed: u64, stop: Stop<'a>) -> Box<dyn Session + 'a> {
        let begun = self
            .player
            .begin_from(&*self.position, self.seed(seed), stop);
        begun.expect(ACCEPTED)
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

    fn places(
        &self,
        position: &dyn Position,
        after: Option<&str>,
    ) -> Result<Option<Places>, PositionError> {
        self.player.places(position, after)
    }
}
