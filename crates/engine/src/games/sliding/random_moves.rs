//! Uniformly random moves, for the random players of sliding games.

use crate::games::sliding::board::Direction;
use crate::random::{GameRng, Stream, derive};

/// Chooses uniformly random legal moves.
pub struct Random(GameRng);

impl Random {
    /// The random choices in the game of `seed`. Their stream is separate from the stream of the game's random
    /// tiles.
    pub fn new(seed: u64) -> Self {
        Random(GameRng::new(derive(seed, Stream::Player, 0, 0)))
    }

    /// The random stream of the player.
    pub fn rng(&self) -> &GameRng {
        &self.0
    }

    /// A uniformly random number below `bound`.
    #[inline(always)]
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0.below(bound)
    }

    /// A uniformly random legal direction; `None` if no direction is legal.
    pub fn pick(&mut self, is_legal: impl Fn(Direction) -> bool) -> Option<Direction> {
        let mut untried = Direction::ALL;
        // Draws without replacement: an illegal pick is swapped behind the untried directions.
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
