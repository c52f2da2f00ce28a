//! The analysis of a position by a player: the move that it makes, the value of every move, and the
//! static value of the position.

use std::fmt;
use std::sync::Arc;

use super::position::Position;

/// A move of some game. Its `Display` form is its name on the command line, in files and on
/// screens.
pub trait Move: Copy + PartialEq + fmt::Debug + fmt::Display + Send + 'static {}

impl<M: Copy + PartialEq + fmt::Debug + fmt::Display + Send + 'static> Move for M {}

/// The analysis of a position by a player. Moves are of type `M`; where the game is not known
/// statically they are names.
#[derive(Clone, Debug)]
pub struct Analysis<M = String> {
    /// The move that the player makes; `None` where the game is over.
    pub best: Option<M>,
    /// The moves that the player values, in the order of the game; `None` for an illegal move.
    pub values: Vec<(M, Option<MoveValue>)>,
    /// The static value of the position, if the player has one. In a game for two players it has
    /// one number for each.
    pub evaluation: Option<MoveValue>,
    /// The position in which the search ended, for a published program that makes its move there.
    pub search_end: Option<SearchEnd>,
}

/// The name of a heuristic term and the points that it gives to a position.
pub type TermPoints = (String, f64);

/// What each term of a player's heuristic gives to the position after each legal move, before chance or an
/// opponent moves. Moves are of type `M`, in the order of the game.
pub type Explanation<M = String> = Vec<(M, Vec<TermPoints>)>;

/// The end of a search that does not restore the position it began from.
#[derive(Clone, Debug)]
pub struct SearchEnd {
    /// The value that the search found.
    pub value: MoveValue,
    /// The position left behind.
    pub position: Arc<dyn Position>,
}

impl<M> Default for Analysis<M> {
    /// No move, no value.
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
    /// The same with the names of the moves.
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

/// The value of a move or a position to a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MoveValue {
    /// More is better.
    One(f64),
    /// Two numbers. For a move, the second decides where the first are equal. For a position, they
    /// are the values for both players.
    Two([f64; 2]),
}

impl MoveValue {
    /// The numbers.
    pub fn numbers(&self) -> &[f64] {
        match self {
            MoveValue::One(number) => std::slice::from_ref(number),
            MoveValue::Two(numbers) => numbers,
        }
    }

    /// The numbers, each written by `number`, separated by a slash.
    pub fn text(&self, number: fn(f64) -> String) -> String {
        let numbers: Vec<String> = self.numbers().iter().map(|&value| number(value)).collect();
        numbers.join("/")
    }
}
