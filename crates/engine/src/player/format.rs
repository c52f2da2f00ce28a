//! The JSON format of positions and analyses. Each game has one. Only the command line, and code that writes
//! files or answers requests, may use it.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::analysis::{Analysis, Explanation, MoveValue, TermPoints};
use super::exact::{MoveCosts, Work};
use super::options::Options;
use super::position::{Position, PositionError, downcast};
use super::{Player, PlayerSpec};
use crate::record::from_text;
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
    /// Number of lines on which a board can be written as text, and of cells on each; `None` if it cannot.
    pub text_size: fn(&Options) -> Option<[usize; 2]>,
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
        text_size: |_| None,
    };

    /// The format of a game whose positions are JSON objects by serde. Besides the fields of the position, an object
    /// can have a `seed` for players that choose at random. Analyses have the form of [`analysis`].
    pub const fn of<P: Position + Serialize + DeserializeOwned>() -> Format {
        Format {
            read: |text, _| read::<P>(text),
            position: |position| downcast::<P>(position).map_or_else(|_| Map::new(), fields),
            analysis,
            text_size: |_| None,
        }
    }
}

fn read<P: Position + DeserializeOwned>(text: &str) -> Result<Request, PositionError> {
    let refused = |error: serde_json::Error| PositionError(error.to_string());
    let mut fields: Map<String, Value> = serde_json::from_str(text).map_err(refused)?;
    let seed = fields.remove("seed").map(from_text).transpose();
    let seed = seed.map_err(refused)?.unwrap_or_default();
    let position: P = serde_json::from_value(fields.into()).map_err(refused)?;
    position.check().map_err(PositionError)?;
    Ok(Request {
        position: Arc::new(position),
        seed,
    })
}

/// The fields of a position; none if it is not an object.
fn fields(position: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(position) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
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
    /// What each legal move loses against perfect play; `None` if it was not requested, or if the solution of the game is
    /// not at hand.
    pub costs: Option<MoveCosts>,
    /// The `id` of the position, which the answer repeats.
    pub id: Option<Value>,
}

/// What an answer shall have besides the analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The contribution of each term. A player without terms is refused, unless the costs are known.
    pub terms: bool,
    /// The costs of moves, if they are known.
    pub costs: bool,
}

impl Wanted {
    /// Terms and costs, or none of them.
    pub fn explained(is_explained: bool) -> Self {
        Wanted {
            terms: is_explained,
            costs: is_explained,
        }
    }
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
    wanted: Wanted,
    stop: Stop,
) -> Result<Option<Advice>, PositionError> {
    let (text, id) = take_id(position);
    let Request { position, seed } = (spec.entry.game.format.read)(&text, &spec.options)?;
    let Some(analysis) = player.analyze(&*position, seed, stop)? else {
        return Ok(None);
    };
    let costs = if wanted.costs {
        let move_costs = spec.entry.game.move_costs;
        move_costs(&spec.options, &*position, &Work::quiet(1, stop))
    } else {
        None
    };
    let explanation = if wanted.terms {
        player.explain(&*position)?
    } else {
        None
    };
    if wanted.terms && explanation.is_none() && costs.is_none() {
        return Err(PositionError("this player has no terms to explain".into()));
    }
    Ok(Some(Advice {
        analysis,
        explanation,
        costs,
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
    /// The JSON form: the analysis in the format of the game and, if they were requested, the keys `terms` and
    /// `costs`.
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
        if let Some(costs) = &self.costs {
            let costs = costs.iter().map(|(of, cost)| (of.clone(), number(*cost)));
            answer["costs"] = costs.collect();
        }
        if let Some(id) = &self.id {
            answer["id"] = id.clone();
        }
        answer
    }
}

/// The usual JSON form of an analysis: the move, the value of every move by its name (null for an illegal move), and
/// the static value of the position (null if the player has none).
pub fn analysis(of: &Analysis) -> Value {
    let values = of.values.iter();
    let values: Map<String, Value> = values
        .map(|(name, of)| (name.clone(), of.map_or(Value::Null, value)))
        .collect();
    json!({
        "move": of.best,
        "values": values,
        "evaluation": of.evaluation.map(value),
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Heap {
        stones: u32,
    }

    impl Position for Heap {
        fn check(&self) -> Result<(), String> {
            match self.stones {
                0..=9 => Ok(()),
                stones => Err(format!("{stones} stones; at most 9 are allowed")),
            }
        }
    }

    #[test]
    fn a_position_of_serde_is_read_and_written() {
        let format = Format::of::<Heap>();
        let request = (format.read)(r#"{"stones":3,"seed":"7"}"#, &Options::default()).unwrap();
        assert_eq!(
            downcast::<Heap>(&*request.position),
            Ok(&Heap { stones: 3 })
        );
        assert_eq!(request.seed, 7);
        let written = Value::from((format.position)(&*request.position));
        assert_eq!(written.to_string(), r#"{"stones":3}"#);
        let wrong = [
            (
                "3",
                "invalid type: integer `3`, expected a map at line 1 column 1",
            ),
            ("{}", "missing field `stones`"),
            (r#"{"stones":10}"#, "10 stones; at most 9 are allowed"),
        ];
        for (text, expected) in wrong {
            let error = (format.read)(text, &Options::default()).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn infinities_are_strings() {
        let values = [
            ("up", None),
            ("down", Some(f64::NEG_INFINITY)),
            ("left", Some(1.5)),
            ("right", Some(f64::INFINITY)),
        ];
        let values = values.map(|(name, value)| (name.to_owned(), value.map(MoveValue::One)));
        let analyzed = Analysis {
            best: Some("right".to_owned()),
            values: values.into(),
            ..Analysis::default()
        };
        let expected = concat!(
            r#"{"move":"right","values":{"up":null,"down":"-inf","left":1.5,"right":"inf"},"#,
            r#""evaluation":null}"#
        );
        assert_eq!(analysis(&analyzed).to_string(), expected);
    }
}
