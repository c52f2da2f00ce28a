//! A game played move by move, for those who watch it: each position, what the player thinks of
//! it, and its move. Knows no screen; what is the same for every game is in [`Step`].

use serde_json::{Map, Value, json};

use crate::player::advice::Worth;
use crate::player::view::Grid;
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
    pub fn of(position: impl Shown, before: &GameRecord) -> Self {
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
pub trait Shown {
    /// As it is in a line that `advise` reads.
    fn wire(&self) -> Map<String, Value>;

    /// What it looks like.
    fn grid(&self) -> Grid;

    /// What it counts that its grid does not show.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}
