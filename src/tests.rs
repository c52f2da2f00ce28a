//! The schemas in `docs/schemas`. They follow from the types of printed and served data.
#![allow(dead_code, reason = "the forms at the end only declare a schema")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Value, json};

/// The schema of what a command prints.
pub(crate) fn printed<T: JsonSchema>(command: &str) -> Value {
    schema::<T>(&format!("What `tiletune` prints with --json: {command}"))
}

/// The schema of what the server answers.
pub(crate) fn answered<T: JsonSchema>(request: &str) -> Value {
    schema::<T>(&format!("What `tiletune serve` answers: {request}"))
}

fn schema<T: JsonSchema>(title: &str) -> Value {
    let generator = SchemaSettings::draft07().for_serialize().into_generator();
    let mut generated = generator.into_root_schema_for::<T>().to_value();
    plain(&mut generated);
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": title,
    });
    if let (Value::Object(schema), Value::Object(generated)) = (&mut schema, generated) {
        // Existing keys stay.
        for (key, value) in generated {
            schema.entry(key).or_insert(value);
        }
    }
    schema
}

/// Removes descriptions that repeat the type, and documentation links. Only the described keys are printed.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("format").is_some_and(Value::is_string) {
                object.remove("format");
                object.remove("minimum");
                object.remove("maximum");
            }
            if object.contains_key("properties") && object.contains_key("type") {
                object.insert("additionalProperties".into(), json!(false));
            }
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            object.values_mut().for_each(plain);
        }
        Value::Array(values) => values.iter_mut().for_each(plain),
        _ => {}
    }
}

/// Compares the files with schemas; with `TILETUNE_UPDATE` in the environment writes them.
pub(crate) fn check<const N: usize>(schemas: [(&str, Value); N]) {
    for (name, schema) in schemas {
        let path = format!("{}/docs/schemas/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let expected = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("TILETUNE_UPDATE").is_some() {
            std::fs::write(&path, &expected).unwrap();
        }
        let hint = "run `TILETUNE_UPDATE=1 cargo test follow_from_the_types`";
        assert!(
            std::fs::read_to_string(&path).unwrap() == expected,
            "{path}: {hint}"
        );
    }
}

// The forms of data that games write with their own formats, and of flattened data.

/// A number; `inf` and `-inf` are texts.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum NumberOrText {
    Number(f64),
    Text(String),
}

/// An opponent, or several.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Opponents {
    One(String),
    Several(Vec<String>),
}

/// A value: "inf", "-inf": won, lost; in connect-four two values, one for each player.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum MoveValue {
    One(NumberOrText),
    Two([NumberOrText; 2]),
}

/// The answer to a position.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Advice {
    Values {
        /// The best move; null if none is legal. In connect-four a column, from 1.
        r#move: Option<AdvisedMove>,
        /// Move -> its value; null: illegal. In connect-four an array, a value for each column.
        values: MoveValues,
        /// Value of the position without a search; null if the player has none.
        evaluation: Option<MoveValue>,
        /// Move -> term -> points that it gives to the position after the move; only with `--explain`.
        #[serde(skip_serializing_if = "Option::is_none")]
        terms: Option<BTreeMap<String, BTreeMap<String, NumberOrText>>>,
        /// Legal move -> points that it loses against perfect play; only with `--explain`, where the board is solved.
        #[serde(skip_serializing_if = "Option::is_none")]
        costs: Option<BTreeMap<String, f64>>,
    },
    Board {
        /// The best move; null if none is legal.
        r#move: Option<String>,
        /// Its value.
        value: Option<MoveValue>,
        /// The board that the search leaves behind, on which this program makes its move.
        left: Vec<u32>,
    },
    Refused {
        /// Why the position is refused.
        error: String,
    },
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum AdvisedMove {
    Name(String),
    Column(u32),
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum MoveValues {
    Named(BTreeMap<String, Option<MoveValue>>),
    Columns(Vec<Option<MoveValue>>),
}

/// The numbers of a position.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Counts {
    /// Score.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<u64>,
    /// Largest tile.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tile: Option<u64>,
    /// Next tile.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
    /// Player to move: 1 or 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    to_move: Option<u64>,
}

/// The numbers of a position that somebody sets up.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NextTile {
    /// Next tile.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
}

/// A position, as `advise` reads it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PositionFields {
    /// The board.
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<Vec<u64>>,
    /// The next tile.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
    /// Rows of the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    /// Columns of the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<u64>,
    /// Stones in line that win.
    #[serde(skip_serializing_if = "Option::is_none")]
    connect: Option<u64>,
    /// Player to move: 1 or 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    to_move: Option<u64>,
}

/// The numbers of a game.
#[derive(Serialize, JsonSchema)]
pub(crate) struct GameCounts {
    /// Score.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<u64>,
    /// Largest tile.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tile: Option<u64>,
    /// Player to move: 1 or 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    player: Option<u64>,
}

/// The values of an option.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OptionValues {
    /// Kind of its values: `depth`, `number`, `whole`, `switch`, `choice` or `text`.
    kind: String,
    /// Of a depth: what it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
    /// Of a depth: the smallest.
    #[serde(skip_serializing_if = "Option::is_none")]
    least: Option<u8>,
    /// Of a depth: the largest here.
    #[serde(skip_serializing_if = "Option::is_none")]
    most: Option<u8>,
    /// Of a depth: whether `adaptive` is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    adaptive: Option<bool>,
    /// Of a number: what is allowed, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed: Option<String>,
    /// Of a choice: the names.
    #[serde(skip_serializing_if = "Option::is_none")]
    names: Option<Vec<String>>,
    /// Of a text: its form.
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<String>,
}
