//! The players without weights.

use serde_json::Value;

use super::advice::{NotAPosition, Opinion, Position, Worth};
use super::playing::{Playing, Stepped};
use super::{Entry, Player};
use crate::game::twenty48::{self, Board, Direction, Game, Policy, Spawns};
use crate::record::GameRecord;
use crate::search::simple::{Greedy, Random};
use crate::search::whole_games;
use crate::simd::InstructionSet;

pub(super) const GREEDY: Entry = Entry {
    name: "greedy",
    game: "2048",
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
            games: |seeds| twenty48::play_many(seeds, Spawns::TwosAndFours, |_| Greedy),
            value: |board, direction| f64::from(board.points_of(direction)),
        })
    },
};

pub(super) const RANDOM: Entry = Entry {
    name: "random",
    game: "2048",
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
            games: |seeds| whole_games::random(seeds, InstructionSet::chosen()),
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
        whole_games::AT_A_TIME
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
