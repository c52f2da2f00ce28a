//! The JSON format of positions and analyses. Each game has one. Only the command line, and code that writes
//! files or answers requests, may use it.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::analysis::{Analysis, Explanation, MoveValue, TermPoints};
use super::options::Options;
use super::position::{Position, PositionError};
use super::{Player, PlayerSpec};
use crate::stop::Stop;

/// The JSON format of a game.
#[derive(Clone, Copy)]
pub struct Format {
    /// Reads a position. Values that the text does not contain are taken from the options of the player.
    pub read: fn(&str, &Options) -> Result<Request, PositionError>,
    /// Writes a position in the form that [`Format::read`] reads.
    pub position: fn(&dyn Position) -> Map<String, Value>,
    /// Writes an analysis.
    pub analysis: fn(&Analysis) -> Value,
    /// Number of lines on which a board can be written as text, with as many cells each; 0 if it cannot.
    pub text_rows: usize,
}

impl Format {
    /// The format of a game without a JSON form: reading always fails, positions have no fields, and analyses
    /// are null.
    pub const NONE: Format = Format {
        read: |_, _| {
            Err(PositionError(
                "positions of this game cannot be written".into(),
            ))
        },
        position: |_| Map::new(),
        analysis: |_| Value::Null,
        text_rows: 0,
    };
}

/// A request to analyse a position.
#[derive(Clone, Debug)]
pub struct Request {
    /// The position to analyse.
    pub position: Arc<dyn Position>,
    /// Seed of the random choices of the player.
    pub seed: u64,
}

/// The result of a request: the analysis, and the explanation if it was requested.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The analysis of the position.
    pub analysis: Analysis,
    /// The contribution of each term to each move; `None` if it was not requested.
    pub explanation: Option<Explanation>,
    /// The `id` of the position, which the answer repeats.
    pub id: Option<Value>,
}

/// Analyses a position that is given in the JSON format of its game. `player` must be built from `spec`.
/// Returns `None` if `stop` is requested before the analysis is complete.
///
/// # Errors
/// If the position is invalid, or if an explanation is requested and the player has no terms.
pub fn advice(
    spec: &PlayerSpec,
    player: &dyn Player,
    position: &str,
    is_explained: bool,
    stop: Stop,
) -> Result<Option<Advice>, PositionError> {
    let (text, id) = take_id(position);
    let Request { position, seed } = (spec.entry.game.format.read)(&text, &spec.options)?;
    let Some(analysis) = player.analyze(&*position, seed, stop)? else {
        return Ok(None);
    };
    let explanation = if !is_explained {
        None
    } else {
        let none = || PositionError("this player has no terms to explain".into());
        Some(player.explain(&*position)?.ok_or_else(none)?)
    };
    Ok(Some(Advice {
        analysis,
        explanation,
        id,
    }))
}

/// A position without its key `id`, and the id, which the answer repeats.
pub fn take_id(position: &str) -> (Cow<'_, str>, Option<Value>) {
    // Most positions have none. Then the text stays as it is, so that an error has its place.
    if position.contains("\"id\"")
        && let Ok(Value::Object(mut fields)) = serde_json::from_str(position)
        && let Some(id) = fields.remove("id")
    {
        return (Value::Object(fields).to_string().into(), Some(id));
    }
    (position.into(), None)
}

impl Advice {
    /// The JSON form: the analysis in the format of the game and, with an explanation, the key `terms`.
    pub fn json(&self, format: &Format) -> Value {
        let mut answer = (format.analysis)(&self.analysis);
        if let Some(explanation) = &self.explanation {
            let points = |(term, points): &TermPoints| (term.clone(), number(*points));
            let terms = explanation.iter().map(|(of, terms)| {
                let terms: Value = terms.iter().map(points).collect();
                (of.clone(), terms)
            });
            answer["terms"] = terms.collect();
        }
        if let Some(id) = &self.id {
            answer["id"] = id.clone();
        }
        answer
    }
}

/// The JSON form of a value of a move or a position: a number, or an array of two numbers.
pub fn value(value: MoveValue) -> Value {
    match value {
        MoveValue::One(value) => number(value),
        MoveValue::Two(values) => values.map(number).to_vec().into(),
    }
}

/// The JSON form of a number. JSON has no infinities, so they are strings.
pub fn number(value: f64) -> Value {
    if value == f64::INFINITY {
        "inf".into()
    } else if value == f64::NEG_INFINITY {
        "-inf".into()
    } else {
        value.into()
    }
}
