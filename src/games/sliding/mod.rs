//! What the sliding games share: the 4x4 [`board`] of ranks and its lines ([`rows`]), heuristic
//! terms over lines and boards ([`line_terms`], [`board_terms`]) and their tables ([`table`]), the
//! parts of an expectimax that do not depend on the rules ([`chance`], [`last_layer`] and its
//! vector [`kernels`], [`transposition`]). Names no game.

pub mod board;
pub mod board_terms;
pub mod chance;
pub mod format;
pub mod kernels;
pub mod last_layer;
pub mod line_terms;
pub mod random_moves;
pub mod rows;
pub mod table;
mod terms;
pub mod transposition;

pub use terms::Terms;

use crate::player::analysis::{Analysis, MoveValue};
use board::Direction;

/// The move of the largest value, the first of equals; values in the order of [`Direction::ALL`],
/// `None` for an illegal move.
pub fn first_best<T: PartialOrd>(values: [Option<T>; 4]) -> Option<Direction> {
    let mut best: Option<(Direction, T)> = None;
    for (direction, value) in Direction::ALL.into_iter().zip(values) {
        if let Some(value) = value
            && best.as_ref().is_none_or(|(_, largest)| value > *largest)
        {
            best = Some((direction, value));
        }
    }
    best.map(|(direction, _)| direction)
}

/// An analysis from the values in the order of [`Direction::ALL`], `None` for an illegal move.
pub fn analysis(
    best: Option<Direction>,
    values: [Option<MoveValue>; 4],
    evaluation: Option<f64>,
) -> Analysis<Direction> {
    Analysis {
        best,
        values: Direction::ALL.into_iter().zip(values).collect(),
        evaluation: evaluation.map(MoveValue::One),
        left: None,
    }
}
