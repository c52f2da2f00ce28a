//! The JSON form of positions and analyses. Each game has such a format. Only the command line and
//! the code that writes files and answers requests may use it.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::analysis::{Analysis, Explanation, MoveValue, TermPoints};
use super::options::Options;
use super::position::{Position, PositionError};
use super::{Player, PlayerSpec};
use crate::stop::Stop;

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

/// The answer of a player to a position.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The analysis.
    pub analysis: Analysis,
    /// What each term gives to each move, if that was asked for.
    pub explanation: Option<Explanation>,
}

/// The answer of a player to a position in the JSON form of its game. `player` is made from `spec`. `None` if the
/// analysis was left unfinished because `stop` was requested.
///
/// # Errors
/// If the position is illegal, or an explanation is asked for and the player has no terms.
pub fn advice(
    spec: &PlayerSpec,
    player: &dyn Player,
    position: &str,
    is_explained: bool,
    stop: Stop,
) -> Result<Option<Advice>, PositionError> {
    let Request { position, seed } = (spec.entry.game.format.read)(position, &spec.options)?;
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
    }))
}

impl Advice {
    /// Its JSON in the form of a game: the analysis, and with an explanation the key `terms`.
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
        answer
    }
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
