//! A game played move by move, for those who watch it: each position, what the player thinks of it,
//! and its move. Knows no screen and no file.

use std::sync::Arc;

use super::analysis::Analysis;
use super::position::Position;
use crate::record::GameRecord;

/// A game in progress.
pub trait Session {
    /// Lets the player think and makes its move. Once the game is over the step holds the record of
    /// the game, and nothing moves any more.
    fn step(&mut self) -> Step;

    /// Takes the move of a person who was asked for it (see [`Step::asked`]). The next step makes it,
    /// or asks again if it is not legal.
    fn answer(&mut self, _chosen: &str) {}
}

/// A position, what the player thinks of it, and its move.
#[derive(Clone, Debug)]
pub struct Step {
    /// The position before the move.
    pub position: Arc<dyn Position>,
    /// Moves made before this one.
    pub moves: u32,
    /// What else the game counts, e.g. `score`; before the move.
    pub counts: Vec<(&'static str, u64)>,
    /// What the player thinks; its best move is the one made.
    pub analysis: Analysis,
    /// The moves between which a person is asked to choose; empty where nobody is.
    pub asked: Vec<String>,
    /// The record of the game, once it is over.
    pub ended: Option<GameRecord>,
}

impl Step {
    /// A position that nobody has thought about yet.
    pub fn new(
        position: impl Position,
        moves: u32,
        more_counts: impl IntoIterator<Item = (&'static str, u64)>,
    ) -> Self {
        let mut counts = position.counts();
        counts.extend(more_counts);
        Step {
            position: Arc::new(position),
            moves,
            counts,
            analysis: Analysis::default(),
            asked: Vec::new(),
            ended: None,
        }
    }
}
