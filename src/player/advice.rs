//! What players say about a position, whatever the game: what a move is worth, and why a text is no
//! position.

use serde_json::Value;

/// Why a text is no legal position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotAPosition(pub String);

/// What a move is worth to a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Worth {
    /// More is better.
    One(f64),
    /// The first number that differs decides.
    Two([f64; 2]),
}

impl Worth {
    fn numbers(&self) -> &[f64] {
        match self {
            Worth::One(number) => std::slice::from_ref(number),
            Worth::Two(numbers) => numbers,
        }
    }

    /// In words: the numbers, each written by `number`, parted by a stroke.
    pub fn text(&self, number: fn(f64) -> String) -> String {
        let numbers: Vec<String> = self.numbers().iter().map(|&value| number(value)).collect();
        numbers.join("/")
    }

    /// As it is answered: a number, or an array of them.
    pub fn json(self) -> Value {
        match self {
            Worth::One(value) => number(value),
            Worth::Two(values) => values.map(number).to_vec().into(),
        }
    }
}

/// A number; JSON has no infinities, so they are written as text.
pub fn number(value: f64) -> Value {
    if value == f64::INFINITY {
        "inf".into()
    } else if value == f64::NEG_INFINITY {
        "-inf".into()
    } else {
        value.into()
    }
}
