//! The player `random`.

use crate::games::sliding::{analysis, random_moves::Random};
use crate::games::three_plus_three::GAME;
use crate::games::three_plus_three::rules::{Direction, Game, Policy, Position};
use crate::player::{Agent, Analysis, MoveValue, PlayerEntry, SinglePlayer};
use crate::stop::Stop;

/// The catalogue entry of `random`.
pub const RANDOM: PlayerEntry =
    PlayerEntry::without_weights("random", &GAME, "a uniformly chosen legal move", |_, _| {
        Ok(Box::new(SinglePlayer(RandomAgent)))
    });

struct RandomAgent;

impl Agent for RandomAgent {
    type Game = Game;
    type Search<'a> = Random;

    fn game(&self, seed: u64) -> Game {
        Game::new(seed)
    }

    fn search(&self, seed: u64, _: Stop) -> Random {
        Random::new(seed)
    }

    fn analyze(&self, search: &mut Random, position: Position) -> Analysis<Direction> {
        let value = |direction| position.moved(direction).map(|_| MoveValue::One(0.0));
        analysis(search.choose(position), Direction::ALL.map(value), None)
    }
}
