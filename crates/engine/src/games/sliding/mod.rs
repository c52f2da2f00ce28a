//! Code shared by games of sliding tiles on boards of up to 4x4 cells. It must not depend on the rules of a game.
//!
//! - [`board`], [`rows`], [`shape`]: boards and lines of ranks; tables of the slides of all lines; sizes of boards
//! - [`geometry`]: the cells and slides of a board as a type
//! - [`language`], [`Definition`]: heuristics from a file, as terms of lines and of the whole board
//! - [`board_terms`], [`whole_board`]: terms of whole boards, of the game and of files
//! - [`mod@heuristic`], [`line_tables`]: weights compiled into tables of line values, symmetric, anchored or by
//!   axis
//! - `resolution`: weights that are lost to the rounding of values
//! - [`chance`], `last_layer`, `kernels`, `transposition`: the parts of an expectimax that do not depend on the
//!   rules; `kernels` is the last chance layer in vector instructions
//! - `explain`, `places`: the contribution of each term to the value of a board, and its lines and cells
//! - `motion`: the tiles that a move moves, with start and destination
//! - [`random_moves`]: random players
//! - [`board_text`]: the usual ways to write a position

pub mod board;
pub mod board_terms;
pub mod board_text;
pub mod chance;
mod custom;
pub(in crate::games) mod explain;
pub mod geometry;
pub mod heuristic;
pub(in crate::games) mod kernels;
pub mod language;
pub(in crate::games) mod last_layer;
pub mod line_tables;
pub(in crate::games) mod motion;
pub(in crate::games) mod places;
pub mod random_moves;
mod resolution;
pub mod rows;
#[cfg(test)]
pub(in crate::games) mod samples;
pub mod shape;
pub mod whole_board;

pub(in crate::games) mod transposition;

pub use board::{Board, Direction};
pub use chance::{AllBoardTerms, BoardTerms, NoBoardTerms};
pub use custom::{BoardOf, BuildWith, custom};
pub use geometry::{AnySize, FourByFour, Geometry};
pub use heuristic::{CompiledBoardTerm, Heuristic};
pub use language::Definition;
pub use rows::{Line, MAX_RANK, RowTable};
pub use shape::{Shape, ShapeError};

use crate::player::{Analysis, MoveValue};

/// The direction with the largest value; among equal values, the first. Values are in the order of
/// [`Direction::ALL`]; `None` is an illegal move.
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

/// An analysis from move values in the order of [`Direction::ALL`]; `None` is an illegal move.
pub fn analysis(
    best: Option<Direction>,
    values: [Option<MoveValue>; 4],
    evaluation: Option<f64>,
) -> Analysis<Direction> {
    Analysis {
        best,
        values: Direction::ALL.into_iter().zip(values).collect(),
        evaluation: evaluation.map(MoveValue::One),
        search_end: None,
    }
}
