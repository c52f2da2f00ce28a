//! The JSON form of positions and analyses. Each game has such a format. Only the command line and
//! the code that writes files may use it.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::analysis::{Analysis, MoveValue};
use super::options::Options;
use super::position::{Position, PositionError};

/// The JSON of a game.
#[derive(Clone, Copy)]
pub struct Format {
    /// Reads a position. What the text leaves out is taken from the options of the player.
    pub read: fn(&str, &Options) -> Result<Request, PositionError>,
    /// Writes a position as [`Format::read`] reads it.
    pub position: fn(&dyn Position) -> Map<String, Value>,
    /// Writes an analysis.
    pub analysis: fn(&Analysis) -> Value,
}

impl Format {
    /// The format of a game without a JSON form: no text is a position, positions are written
    /// without fields and analyses as null.
    pub const NONE: Format = Format {
        read: |_, _| Err(PositionError("this game has no JSON form".into())),
        position: |_| Map::new(),
        analysis: |_| Value::Null,
    };
}

/// A position to analyse.
#[derive(Clone, Debug)]
pub struct Request {
    /// The position.
    pub position: Arc<dyn Position>,
    /// Seed of the player's random choices.
    pub seed: u64,
}

/// A value of a move or a position: a number, or an array of them.
pub fn value(value: MoveValue) -> Value {
    match value {
        MoveValue::One(value) => number(value),
        MoveValue::Two(values) => values.map(number).to_vec().into(),
    }
}

/// A number. JSON has no infinities, so they are written as text.
pub fn number(value: f64) -> Value {
    if value == f64::INFINITY {
        "inf".into()
    } else if value == f64::NEG_INFINITY {
        "-inf".into()
    } else {
        value.into()
    }
}
