//! The players without weights: `greedy` and `random`.

use crate::games::sliding::{analysis, random_moves::Random};
use crate::games::twenty48::rules::{Board, Direction, Game, Policy, Spawns, play_many};
use crate::games::twenty48::{GAME, search::batch, search::simple::Greedy};
use crate::player::{Agent, Analysis, MoveValue, PlayerEntry, SinglePlayer};
use crate::record::GameRecord;
use crate::simd::InstructionSet;
use crate::stop::Stop;

/// The catalogue entry of `greedy`.
pub const GREEDY: PlayerEntry = PlayerEntry::without_weights(
    "greedy",
    &GAME,
    "the move that scores the most points at once",
    |_, _| {
        Ok(Box::new(SinglePlayer(SimpleAgent {
            policy: |_| Greedy,
            games: |seeds, stop| play_many(seeds, Spawns::TwosAndFours, |_| Greedy, stop),
            value: |board, direction| f64::from(board.points_of(direction)),
        })))
    },
);

/// The catalogue entry of `random`.
pub const RANDOM: PlayerEntry =
    PlayerEntry::without_weights("random", &GAME, "a uniformly chosen legal move", |_, _| {
        Ok(Box::new(SinglePlayer(SimpleAgent {
            policy: Random::new,
            games: |seeds, stop| batch::random(seeds, InstructionSet::chosen(), stop),
            value: |_, _| 0.0,
        })))
    });

/// A player without weights. It has three functions: the policy for the seed of a game, whole games, and the
/// value of a legal move.
struct SimpleAgent<P> {
    policy: fn(u64) -> P,
    games: fn(&[u64], Stop) -> Option<Vec<GameRecord>>,
    value: fn(Board, Direction) -> f64,
}

impl<P: Policy<Board, Direction> + 'static> Agent for SimpleAgent<P> {
    type Game = Game;
    type Search<'a> = P;

    fn game(&self, seed: u64) -> Game {
        Game::new(seed, Spawns::TwosAndFours)
    }

    fn search(&self, seed: u64, _: Stop) -> P {
        (self.policy)(seed)
    }

    fn analyze(&self, policy: &mut P, board: Board) -> Analysis<Direction> {
        let value = |direction| {
            let is_legal = board.moved(direction) != board;
            is_legal.then(|| MoveValue::One((self.value)(board, direction)))
        };
        analysis(policy.choose(board), Direction::ALL.map(value), None)
    }

    fn play_many(&self, seeds: &[u64], stop: Stop) -> Option<Vec<GameRecord>> {
        (self.games)(seeds, stop)
    }

    fn batch_size(&self) -> usize {
        batch::BATCH_SIZE
    }
}
