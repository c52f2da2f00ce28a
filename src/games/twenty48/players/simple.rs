//! The players without weights.

use crate::games::sliding::random_moves::Random;
use crate::games::twenty48::NAME;
use serde_json::Value;

use crate::games::sliding::Opinion;
use crate::games::sliding::Stepped;
use crate::games::twenty48::format::Position;
use crate::games::twenty48::rules;
use crate::games::twenty48::rules::{Board, Direction, Game, Policy, Spawns};
use crate::games::twenty48::search::batch;
use crate::games::twenty48::search::simple::Greedy;
use crate::player::advice::{NotAPosition, Worth};
use crate::player::playing::Playing;
use crate::player::{Entry, Player};
use crate::record::GameRecord;
use crate::simd::InstructionSet;

/// The player.
pub const GREEDY: Entry = Entry {
    name: "greedy",
    game: NAME,
    about: "the move that scores the most points at once",
    depths: None,
    options: &[],
    parameters: Vec::new,
    published: None,
    check: |_| Ok(()),
    sample: &[(None, 50)],
    build: |_, _| {
        Box::new(Simple {
            policy: |_| Greedy,
            games: |seeds| rules::play_many(seeds, Spawns::TwosAndFours, |_| Greedy),
            value: |board, direction| f64::from(board.points_of(direction)),
        })
    },
};

/// The player.
pub const RANDOM: Entry = Entry {
    name: "random",
    game: NAME,
    about: "a uniformly chosen legal move",
    depths: None,
    options: &[],
    parameters: Vec::new,
    published: None,
    check: |_| Ok(()),
    sample: &[(None, 50)],
    build: |_, _| {
        Box::new(Simple {
            policy: Random::new,
            games: |seeds| batch::random(seeds, InstructionSet::chosen()),
            value: |_, _| 0.0,
        })
    },
};

/// A player without weights: a policy made anew for each game from its seed, how it plays whole
/// games, and what it says a legal move is worth.
struct Simple<P> {
    policy: fn(u64) -> P,
    games: fn(&[u64]) -> Vec<GameRecord>,
    value: fn(Board, Direction) -> f64,
}

impl<P: Policy> Simple<P> {
    fn opinion(&self, policy: &mut P, board: Board) -> Opinion {
        Opinion {
            chosen: policy.choose(board),
            values: Direction::ALL.map(|direction| {
                (board.moved(direction) != board)
                    .then(|| Worth::One((self.value)(board, direction)))
            }),
            evaluation: None,
        }
    }
}

impl<P: Policy> Player for Simple<P> {
    fn play(&self, seed: u64) -> GameRecord {
        self.play_many(&[seed])[0]
    }

    fn play_many(&self, seeds: &[u64]) -> Vec<GameRecord> {
        (self.games)(seeds)
    }

    fn games_at_a_time(&self) -> usize {
        batch::AT_A_TIME
    }

    fn begin(&self, seed: u64) -> Box<dyn Playing + '_> {
        let opinion = |policy: &mut P, board| self.opinion(policy, board);
        let policy = (self.policy)(seed);
        let game = Game::new(seed, Spawns::TwosAndFours);
        Box::new(Stepped::new(seed, game, policy, opinion))
    }

    fn advise(&self, position: &str) -> Result<Value, NotAPosition> {
        let Position { board, seed } = Position::parse(position)?;
        Ok(self.opinion(&mut (self.policy)(seed), board).answer())
    }
}
