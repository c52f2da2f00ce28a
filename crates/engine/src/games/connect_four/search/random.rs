//! Random moves of gravity four in a row.

use crate::games::connect_four::rules::{Policy, Rules, Turn, random_stone};
use crate::random::GameRng;

/// A player that drops its stones into uniformly random columns.
pub struct RandomStones {
    rules: Rules,
    rng: GameRng,
}

impl RandomStones {
    /// The player for one game. `seed` seeds its random stream.
    pub fn new(rules: Rules, seed: u64) -> Self {
        RandomStones {
            rules,
            rng: GameRng::new(seed),
        }
    }

    /// Rules of the board.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }
}

impl Policy for RandomStones {
    fn choose(&mut self, turn: Turn) -> u64 {
        random_stone(&self.rules, turn, &mut self.rng)
    }
}
