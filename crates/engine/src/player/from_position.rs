//! A player whose games all begin from one given position.

use std::sync::Arc;

use super::position::{Position, PositionError};
use super::session::Session;
use super::{Analysis, Explanation, Player};
use crate::record::GameRecord;
use crate::stop::Stop;

/// A player whose games begin from one position. The seed of a game decides only its random events, and the side of the
/// player in a game of two players.
pub struct FromPosition {
    player: Arc<dyn Player>,
    position: Arc<dyn Position>,
}

impl FromPosition {
    /// The player from this position.
    ///
    /// # Errors
    /// If the player cannot play on from it, see [`Player::begin_from`].
    pub fn new(
        player: Arc<dyn Player>,
        position: Arc<dyn Position>,
    ) -> Result<Self, PositionError> {
        player.begin_from(&*position, 0, Stop::never())?;
        Ok(FromPosition { player, position })
    }
}

/// The position has been accepted once, so it is accepted with every seed.
const ACCEPTED: &str = "a position is accepted or refused whatever the seed is";

impl Player for FromPosition {
    fn play(&self, seed: u64, stop: Stop) -> Option<GameRecord> {
        let played = self.player.play_from(&*self.position, seed, stop);
        played.expect(ACCEPTED)
    }

    fn begin<'a>(&'a self, seed: u64, stop: Stop<'a>) -> Box<dyn Session + 'a> {
        let begun = self.player.begin_from(&*self.position, seed, stop);
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
}
