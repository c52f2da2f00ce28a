//! The analysis of a position by a player: the chosen move, the value of every move, and the static value of
//! the position.

use std::fmt;
use std::sync::Arc;

use super::position::Position;
use super::view::Grid;

/// A move of a game. Its `Display` form is its name on the command line, in files and in the browser.
pub trait Move: Copy + PartialEq + fmt::Debug + fmt::Display + Send + 'static {}

impl<M: Copy + PartialEq + fmt::Debug + fmt::Display + Send + 'static> Move for M {}

/// The analysis of a position by a player. `M` is the type of moves. Where the game is not known at compile
/// time, moves are represented by their names.
#[derive(Clone, Debug)]
pub struct Analysis<M = String> {
    /// The move that the player makes; `None` if the game is over.
    pub best: Option<M>,
    /// All moves that the player evaluates with their values, in the order of the game; an illegal move has the
    /// value `None`.
    pub values: Vec<(M, Option<MoveValue>)>,
    /// The static value of the position, if the player has one. In a game for two players it has one number for
    /// each player.
    pub evaluation: Option<MoveValue>,
    /// The position in which the search ended. Only for a published program that makes its move in that
    /// position.
    pub search_end: Option<SearchEnd>,
}

impl<M: PartialEq> Analysis<M> {
    /// The value of the best move, which is that of the position; `None` if there is no move, or its value is no single
    /// finite number.
    pub fn value_of_best(&self) -> Option<f64> {
        let best = self.best.as_ref()?;
        let (_, value) = self.values.iter().find(|(name, _)| name == best)?;
        match value {
            Some(MoveValue::One(value)) if value.is_finite() => Some(*value),
            _ => None,
        }
    }
}

/// The name of a heuristic term, and its contribution to the value of a position in points.
pub type TermPoints = (String, f64);

/// The contribution of each heuristic term to the position after each legal move, before a random event or a
/// move of the opponent. `M` is the type of moves; they are in the order of the game.
pub type Explanation<M = String> = Vec<(M, Vec<TermPoints>)>;

/// A board, and the places on it at which each heuristic term gives its points.
#[derive(Clone, Debug)]
pub struct Places {
    /// The visual form of the board.
    pub grid: Grid,
    /// The terms that are on.
    pub terms: Vec<TermPlaces>,
}

/// The places on a board at which a heuristic term gives its points, for display. The points of all lines and of
/// the whole board add up to the contribution of the term.
#[derive(Clone, Debug, PartialEq)]
pub struct TermPlaces {
    /// Name of the term.
    pub term: String,
    /// The points of each line of the board. A term of the whole board has none.
    pub lines: Vec<LinePoints>,
    /// The share of each cell, in points, row by row. The shares of a term that measures something that no cell
    /// holds are 0.
    pub cells: Vec<f64>,
    /// The points of a term of the whole board; 0 for a term of lines.
    pub board: f64,
}

/// A line of a board and its points.
#[derive(Clone, Debug, PartialEq)]
pub struct LinePoints {
    /// Its cells, counted row by row from the top left.
    pub cells: Vec<usize>,
    /// The points that a term gives to it.
    pub points: f64,
}

/// The end of a search that does not restore the position at which it started.
#[derive(Clone, Debug)]
pub struct SearchEnd {
    /// The value that the search found.
    pub value: MoveValue,
    /// The position in which the search ended.
    pub position: Arc<dyn Position>,
}

impl<M> Default for Analysis<M> {
    /// An analysis without a move and without values.
    fn default() -> Self {
        Analysis {
            best: None,
            values: Vec::new(),
            evaluation: None,
            search_end: None,
        }
    }
}

impl<M: Move> Analysis<M> {
    /// The same analysis, with names instead of typed moves.
    pub fn named(self) -> Analysis {
        let values = self.values.into_iter();
        Analysis {
            best: self.best.map(|best| best.to_string()),
            values: values.map(|(of, value)| (of.to_string(), value)).collect(),
            evaluation: self.evaluation,
            search_end: self.search_end,
        }
    }
}

/// The value of a move or of a position, from the view of a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MoveValue {
    /// One number. More is better.
    One(f64),
    /// Two numbers. For moves they are compared lexicographically. For a position they are the values for both
    /// players.
    Two([f64; 2]),
}

impl MoveValue {
    /// The numbers as a slice.
    pub fn numbers(&self) -> &[f64] {
        match self {
            MoveValue::One(number) => std::slice::from_ref(number),
            MoveValue::Two(numbers) => numbers,
        }
    }

    /// The numbers as text, each formatted by `number`, separated by a slash.
    pub fn text(&self, number: fn(f64) -> String) -> String {
        let numbers: Vec<String> = self.numbers().iter().map(|&value| number(value)).collect();
        numbers.join("/")
    }
}
