//! A game of one player against chance, played move by move.

use crate::games::sliding::Opinion;
use crate::games::sliding::board::Direction;
use crate::games::sliding::solitaire::{Policy, Solitaire};
use crate::player::advice::Worth;
use crate::player::playing::{Playing, Shown, Step};
use crate::record::GameRecord;

/// A game in progress with a search that lasts as long as the game, and what it thinks of a
/// position.
pub struct Stepped<G, S, O> {
    seed: u64,
    game: G,
    search: S,
    opinion: O,
}

impl<G, S, O> Stepped<G, S, O>
where
    G: Solitaire,
    S: Policy<G::Position>,
    O: FnMut(&mut S, G::Position) -> Opinion,
{
    /// A game that began from `seed`; `opinion` chooses as `search` does.
    pub fn new(seed: u64, game: G, search: S, opinion: O) -> Self {
        Stepped {
            seed,
            game,
            search,
            opinion,
        }
    }

    fn record(&self) -> GameRecord {
        self.game.record(self.seed, self.search.leaf_evaluations())
    }
}

impl<G, S, O> Playing for Stepped<G, S, O>
where
    G: Solitaire<Position: Shown>,
    S: Policy<G::Position>,
    O: FnMut(&mut S, G::Position) -> Opinion,
{
    fn step(&mut self) -> Step {
        let (position, before) = (self.game.position(), self.record());
        let opinion = (self.opinion)(&mut self.search, position);
        let directions = Direction::ALL.map(|direction| direction.name().to_owned());
        let ended = match opinion.chosen {
            Some(direction) => {
                assert!(self.game.play(direction), "illegal {direction:?}");
                None
            }
            None => Some(self.record()),
        };
        Step {
            chosen: opinion.chosen.map(|direction| direction.name().to_owned()),
            values: directions.into_iter().zip(opinion.values).collect(),
            evaluation: opinion.evaluation.map(Worth::One),
            ended,
            ..Step::of(position, &before)
        }
    }
}
