//! JSON format of gravity four in a row.
//!
//! A position is `{"rows": 7, "columns": 6, "board": [cells row by row from the top, 0 = empty, 1 and 2 the
//! players' stones], "to_move": 1}`. Optional keys are `"connect"`, the number of stones in line that wins, and
//! `"seed"` for players that choose at random. An analysis contains the column of the move, from 1; the value
//! of every column (null for a full column); the scores of player 1 and player 2 (null if the player has no
//! scores).
//!
//! A position can also be the columns of its moves, from 1: `443` or `4 4 3`.
//!
//! Either player can be to move with any number of stones, because a game can have a handicap. A position in
//! which a player has already won is analysed too, but its analysis has no move.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::games::connect_four::players::rules;
use crate::games::connect_four::rules::{BoardPosition, Rules, Side, Turn};
use crate::player::{Analysis, Format, PositionError, Request, format::value, position::downcast};
use crate::record::from_text;

/// The format of positions and analyses.
pub const FORMAT: Format = Format {
    read: |text, options| {
        let usual = rules(options).map_err(refused)?;
        parse(text, &usual)
    },
    position: |position| downcast(position).map_or_else(|_| Map::new(), fields),
    analysis,
    text_size: |_| None,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PositionJson {
    rows: Option<u32>,
    columns: Option<u32>,
    connect: Option<u32>,
    // Any JSON values, so that the error message for a wrong cell can name the allowed values.
    board: Vec<Value>,
    to_move: Value,
    #[serde(default, deserialize_with = "from_text")]
    seed: u64,
}

/// Reads a position. Missing rules are taken from `usual`.
fn parse(text: &str, usual: &Rules) -> Result<Request, PositionError> {
    if !text.trim_start().starts_with('{') {
        return played(text, usual);
    }
    let wire: PositionJson = serde_json::from_str(text).map_err(refused)?;
    let rules = Rules::new(
        wire.rows.unwrap_or(usual.rows()),
        wire.columns.unwrap_or(usual.columns()),
        wire.connect.unwrap_or(usual.connect()),
    );
    let rules = rules.map_err(refused)?;
    let mut sides = Side::BOTH.into_iter();
    let to_move = sides.find(|side| wire.to_move == side.number());
    let to_move = to_move
        .ok_or_else(|| PositionError(format!("`to_move` is 1 or 2, not {}", wire.to_move)))?;
    let cells: Result<Vec<u8>, _> = wire.board.iter().map(cell).collect();
    let turn = Turn::of_numbers(&rules, &cells?, to_move).map_err(refused)?;
    Ok(Request {
        position: Arc::new(BoardPosition { rules, turn }),
        seed: wire.seed,
    })
}

/// The position after these moves from the empty board: columns counted from 1, as digits without spaces, or as numbers
/// between spaces or commas.
fn played(text: &str, rules: &Rules) -> Result<Request, PositionError> {
    let text = text.trim().trim_start_matches('[').trim_end_matches(']');
    let words: Vec<&str> = if text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.split("").filter(|word| !word.is_empty()).collect()
    } else {
        let words = text.split([' ', '\t', ',']);
        words.filter(|word| !word.is_empty()).collect()
    };
    let columns = rules.columns();
    let mut turn = Turn::START;
    for (word, number) in words.into_iter().zip(1..) {
        let column = word.parse().ok().filter(|one| (1..=columns).contains(one));
        let column = column.ok_or_else(|| {
            PositionError(format!(
                "move {number}, `{word}`, is not a column from 1 to {columns}"
            ))
        })?;
        if rules.is_won(turn.position.other) {
            let ended = format!("the game has ended before move {number}");
            return Err(PositionError(ended));
        }
        let stone = rules.stone(turn.position, column - 1);
        let full = || PositionError(format!("move {number}: column {column} is full"));
        turn = turn.after(stone.ok_or_else(full)?);
    }
    let rules = *rules;
    Ok(Request {
        position: Arc::new(BoardPosition { rules, turn }),
        seed: 0,
    })
}

/// Reads the number of a cell.
fn cell(value: &Value) -> Result<u8, PositionError> {
    let number = value.as_u64().and_then(|number| number.try_into().ok());
    number.ok_or_else(|| PositionError(format!("{value} is not a cell: 0 (empty), 1 or 2")))
}

fn refused(reason: impl ToString) -> PositionError {
    PositionError(reason.to_string())
}

fn fields(BoardPosition { rules, turn }: &BoardPosition) -> Map<String, Value> {
    let fields = [
        ("rows", json!(rules.rows())),
        ("columns", json!(rules.columns())),
        ("connect", json!(rules.connect())),
        ("board", json!(turn.numbers(rules))),
        ("to_move", json!(turn.to_move.number())),
    ];
    Map::from_iter(fields.map(|(key, value)| (key.to_owned(), value)))
}

fn analysis(of: &Analysis) -> Value {
    let values = of.values.iter();
    let values: Vec<Value> = values
        .map(|(_, of)| of.map_or(Value::Null, value))
        .collect();
    let column = of
        .best
        .as_ref()
        .and_then(|column| column.parse::<u32>().ok());
    json!({
        "move": column,
        "values": values,
        "evaluation": of.evaluation.map(value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_of_columns_is_a_position() {
        let rules = Rules::published();
        let of = |text: &str| {
            let request = parse(text, &rules).unwrap();
            *downcast::<BoardPosition>(&*request.position).unwrap()
        };
        let mut cells = vec![0; 36];
        cells[33] = 2;
        cells.extend([0, 0, 1, 1, 0, 0]);
        let expected = of(&json!({ "board": cells, "to_move": 2 }).to_string());
        for text in ["443", "4 4 3", "4,4,3", "[4, 4, 3]", " 4, 4 ,3 "] {
            assert_eq!(of(text), expected, "{text}");
        }
        for (text, said) in [
            ("447", "move 3, `7`, is not a column from 1 to 6"),
            ("left", "move 1, `left`, is not a column"),
            ("44444444", "move 8: column 4 is full"),
            ("12121213", "the game has ended before move 8"),
        ] {
            let error = parse(text, &rules).unwrap_err();
            assert!(error.0.starts_with(said), "{text}: {error}");
        }
    }
}
