//! A game played move by move, for display: each position, its analysis and the move. This module
//! must not know a screen or a file.

use std::sync::Arc;

use super::analysis::Analysis;
use super::position::Position;
use crate::record::GameRecord;

/// A game in progress.
pub trait Session {
    /// Analyses the position and makes the player's move. Once the game is over, each step holds
    /// the record of the game and makes no move. `None` if a stop was requested; then the game cannot
    /// be continued.
    fn step(&mut self) -> Option<Step>;

    /// Takes the move of a person (see [`Step::asked`]). The next step makes this move, or asks
    /// again if it is illegal.
    fn answer(&mut self, _chosen: &str) {}
}

/// A position, its analysis and the move.
#[derive(Clone, Debug)]
pub struct Step {
    /// The position before the move.
    pub position: Arc<dyn Position>,
    /// Moves made before this one.
    pub moves: u32,
    /// Other numbers of the game before the move, e.g. `score`.
    pub counts: Vec<(&'static str, u64)>,
    /// The analysis. Its best move is the move made.
    pub analysis: Analysis,
    /// The moves that a person can choose from; empty if no person is to move.
    pub asked: Vec<String>,
    /// The record of the game, once it is over.
    pub ended: Option<GameRecord>,
}

impl Step {
    /// A position without an analysis.
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
