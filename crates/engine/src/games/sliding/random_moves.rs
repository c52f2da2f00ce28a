//! Uniformly chosen moves, for the random players of sliding games.

use crate::games::sliding::board::Direction;
use crate::random::{GameRng, Stream, derive};

/// Plays a uniformly chosen legal move.
pub struct Random(GameRng);

impl Random {
    /// The player's random stream for the game of `seed`, separate from the game's spawns.
    pub fn new(seed: u64) -> Self {
        Random(GameRng::new(derive(seed, Stream::Player, 0, 0)))
    }

    /// The player's own random stream.
    pub fn rng(&self) -> &GameRng {
        &self.0
    }

    /// A uniformly chosen number below `bound`.
    #[inline(always)]
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0.below(bound)
    }

    /// A uniformly chosen legal direction; `None` if there is none.
    pub fn pick(&mut self, is_legal: impl Fn(Direction) -> bool) -> Option<Direction> {
        let mut untried = Direction::ALL;
        for count in (1..=4).rev() {
            let pick = self.below(count) as usize;
            if is_legal(untried[pick]) {
                return Some(untried[pick]);
            }
            untried.swap(pick, count as usize - 1);
        }
        None
    }
}
