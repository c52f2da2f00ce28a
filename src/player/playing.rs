//! A game played move by move, for those who watch it: each position, what the player thinks of
//! it, and its move. Knows no screen; what is the same for every game is in [`Step`].

use serde_json::{Map, Value, json};

use super::advice::{Opinion, Worth};
use crate::game::board::{Board, Direction};
use crate::game::solitaire::{Policy, Solitaire};
use crate::game::view::Grid;
use crate::record::GameRecord;

/// A game in progress.
pub trait Playing {
    /// Lets the player think and makes its move. Once the game is over the step says what it came
    /// to, and nothing moves any more.
    fn step(&mut self) -> Step;

    /// Tells the move of a person who was asked for it (see [`Step::asked`]); the next step makes it,
    /// or asks again where it is none.
    fn answer(&mut self, _chosen: &str) {}
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
    pub values: Vec<(String, Option<Worth>)>,
    /// The static value of the position, if the player has one; in a game of two the scores of both.
    pub evaluation: Option<Worth>,
    /// The moves between which a person is asked to choose; empty where nobody is.
    pub asked: Vec<String>,
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
            .map(|(name, value)| (name.clone(), value.map_or(Value::Null, Worth::json)))
            .collect();
        object.insert("values".into(), values.into());
        let evaluation = self.evaluation.map(Worth::json);
        object.insert("evaluation".into(), json!(evaluation));
        if !self.asked.is_empty() {
            object.insert("asked".into(), json!(self.asked));
        }
        object.into()
    }

    /// A position about which nothing is thought yet.
    pub(super) fn of(position: impl Shown, before: &GameRecord) -> Self {
        Step {
            position: position.wire(),
            grid: position.grid(),
            moves: before.moves,
            counts: [
                &position.counts()[..],
                &[
                    ("score", before.score),
                    ("max_tile", u64::from(before.max_tile)),
                ],
            ]
            .concat(),
            chosen: None,
            values: Vec::new(),
            evaluation: None,
            asked: Vec::new(),
            ended: None,
        }
    }
}

/// A position that can be watched.
pub(super) trait Shown {
    /// As it is in a line that `advise` reads.
    fn wire(&self) -> Map<String, Value>;

    /// What it looks like.
    fn grid(&self) -> Grid;

    /// What it counts that its grid does not show.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// A position of 2048.
impl Shown for Board {
    fn wire(&self) -> Map<String, Value> {
        Map::from_iter([("board".to_owned(), json!(self.tiles()))])
    }

    fn grid(&self) -> Grid {
        Board::grid(*self)
    }
}

/// A game in progress with a search that lasts as long as the game, and what it thinks of a
/// position.
pub(super) struct Stepped<G, S, O> {
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
    pub(super) fn new(seed: u64, game: G, search: S, opinion: O) -> Self {
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
