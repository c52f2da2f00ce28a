//! Games played move by move, for display: each position, its analysis, and the move. This module must not
//! depend on a screen or a file.

use std::sync::Arc;

use super::analysis::Analysis;
use super::position::Position;
use crate::record::GameRecord;

/// A game in progress.
pub trait Session {
    /// Analyses the position and makes the player's move. After the end of the game, each step contains the
    /// record and makes no move. Returns `None` if a stop is requested; the game cannot be continued after
    /// that.
    fn step(&mut self) -> Option<Step>;

    /// Sets the move of a person (see [`Step::asked`]). The next step makes this move, or asks again if it is
    /// illegal.
    fn answer(&mut self, _chosen: &str) {}
}

/// A position, its analysis and the move.
#[derive(Clone, Debug)]
pub struct Step {
    /// The position before the move.
    pub position: Arc<dyn Position>,
    /// Number of moves before this one.
    pub moves: u32,
    /// Other numbers of the game before the move, such as `score`.
    pub counts: Vec<(&'static str, u64)>,
    /// The analysis. The move made is its best move.
    pub analysis: Analysis,
    /// The legal moves if a person is to move; otherwise empty.
    pub asked: Vec<String>,
    /// The record of the game if it has ended.
    pub ended: Option<GameRecord>,
}

impl Step {
    /// A step with a position and without an analysis.
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
