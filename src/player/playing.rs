//! A game played move by move, for those who watch it: each position, what the player thinks of
//! it, and its move. Knows no screen; what is the same for every game is in [`Step`].

use serde_json::{Map, Value, json};

use super::advice::{Opinion, number};
use crate::game::twenty48::{Board, Direction, Game, Policy, Spawns};
use crate::game::view::Grid;
use crate::record::GameRecord;

/// A game in progress.
pub trait Playing {
    /// Lets the player think and makes its move. Once the game is over the step says what it came
    /// to, and nothing moves any more.
    fn step(&mut self) -> Step;
}

/// A position, what the player thinks of it, and its move.
#[derive(Clone, Debug)]
pub struct Step {
    /// The position before the move, as it is in a line that `advise` reads.
    pub position: Map<String, Value>,
    /// What it looks like.
    pub grid: Grid,
    /// Moves made before this one.
    pub moves: u32,
    /// What else the game counts, e.g. `score`; as it is before the move.
    pub counts: Vec<(&'static str, u64)>,
    /// The move; `None` once the game is over.
    pub chosen: Option<String>,
    /// Value of every move that the player has one for; `None` for an illegal one.
    pub values: Vec<(String, Option<f64>)>,
    /// The static value of the position, if the player has one.
    pub evaluation: Option<f64>,
    /// What the game came to, once it is over.
    pub ended: Option<GameRecord>,
}

impl Step {
    /// The step as one JSON object.
    pub fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("moves".into(), self.moves.into());
        object.extend(self.position.clone());
        let counts = self.counts.iter();
        object.extend(counts.map(|&(name, count)| (name.to_owned(), count.into())));
        object.insert("move".into(), json!(self.chosen));
        let values: Map<String, Value> = self
            .values
            .iter()
            .map(|(name, value)| (name.clone(), value.map_or(Value::Null, number)))
            .collect();
        object.insert("values".into(), values.into());
        object.insert("evaluation".into(), json!(self.evaluation.map(number)));
        object.into()
    }

    /// A position of 2048 about which nothing is thought yet.
    pub(super) fn of_2048(board: Board, before: &GameRecord) -> Self {
        let mut position = Map::new();
        position.insert("board".into(), json!(board.tiles()));
        Step {
            position,
            grid: board.grid(),
            moves: before.moves,
            counts: vec![
                ("score", before.score),
                ("max_tile", u64::from(before.max_tile)),
            ],
            chosen: None,
            values: Vec::new(),
            evaluation: None,
            ended: None,
        }
    }
}

/// A game of 2048 with a search that lasts as long as the game, and what it thinks of a position.
pub(super) struct Stepped<S, O> {
    seed: u64,
    game: Game,
    search: S,
    opinion: O,
}

impl<S: Policy, O: FnMut(&mut S, Board) -> Opinion> Stepped<S, O> {
    /// The start of the game that `seed` names; `opinion` chooses as `search` does.
    pub(super) fn new(seed: u64, spawns: Spawns, search: S, opinion: O) -> Self {
        Stepped {
            seed,
            game: Game::new(seed, spawns),
            search,
            opinion,
        }
    }

    fn record(&self) -> GameRecord {
        self.game.record(self.seed, self.search.leaf_evaluations())
    }
}

impl<S: Policy, O: FnMut(&mut S, Board) -> Opinion> Playing for Stepped<S, O> {
    fn step(&mut self) -> Step {
        let (board, before) = (self.game.board(), self.record());
        let opinion = (self.opinion)(&mut self.search, board);
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
            evaluation: opinion.evaluation,
            ended,
            ..Step::of_2048(board, &before)
        }
    }
}
