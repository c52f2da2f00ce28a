//! What a player thinks of a position: the move it makes, the value of every move, the static value.

use std::fmt;
use std::sync::Arc;

use super::position::Position;

/// A move of some game. Its `Display` form is its name on the command line, in files and on screens.
pub trait Move: Copy + PartialEq + fmt::Debug + fmt::Display + Send + 'static {}

impl<M: Copy + PartialEq + fmt::Debug + fmt::Display + Send + 'static> Move for M {}

/// What a player thinks of a position. Moves are of type `M`; by their names where the game is not
/// known statically.
#[derive(Clone, Debug)]
pub struct Analysis<M = String> {
    /// The move that the player makes; `None` where the game is over.
    pub best: Option<M>,
    /// Every move that the player has something to say about, in the order of the game; `None` for an
    /// illegal one.
    pub values: Vec<(M, Option<MoveValue>)>,
    /// The static value of the position, if the player has one; in a game of two those of both
    /// players.
    pub evaluation: Option<MoveValue>,
    /// Of a published program that moves on the position that its search ends with: that position.
    pub left: Option<Left>,
}

/// Where a search that does not return to its position has ended.
#[derive(Clone, Debug)]
pub struct Left {
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
            left: None,
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
            left: self.left,
        }
    }
}

/// What a move or a position is worth to a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MoveValue {
    /// More is better.
    One(f64),
    /// Two numbers: of a move the first that differs decides; of a position those of both players.
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
