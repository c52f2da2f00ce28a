//! Positions and opinions of gravity four in a row as JSON.
//!
//! In: `{"rows": 7, "columns": 6, "board": [cells row by row from the top, 0 = empty, 1 and 2 the
//! players' stones], "to_move": 1}`, with `"connect"` where another number of stones in line wins,
//! and for players that draw lots with a `"seed"`. Out: the column of the move, from 1; the value of
//! every column (null = full); the scores of player 1 and player 2 (null if the player has none).
//!
//! Either player may be to move, whatever the number of stones: with a handicap every number can
//! come about. Positions in which someone has won are answered as well, without a move.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::games::connect_four::rules::{Rules, Side, Turn};
use crate::player::advice::{NotAPosition, number};

/// A position that was asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Position {
    pub(super) rules: Rules,
    pub(super) turn: Turn,
    /// Seed of what the player draws by lot.
    pub(super) seed: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    rows: Option<u32>,
    columns: Option<u32>,
    connect: Option<u32>,
    // Any values, so that what is no stone is told in the words of the game.
    board: Vec<Value>,
    to_move: Value,
    #[serde(default)]
    seed: u64,
}

impl Position {
    /// Reads a position; what it does not say of the board is as in `usual`.
    pub(super) fn parse(text: &str, usual: &Rules) -> Result<Self, NotAPosition> {
        let wire: Wire = serde_json::from_str(text).map_err(refused)?;
        let rules = Rules::new(
            wire.rows.unwrap_or(usual.rows()),
            wire.columns.unwrap_or(usual.columns()),
            wire.connect.unwrap_or(usual.connect()),
        );
        let rules = rules.map_err(refused)?;
        let mut sides = Side::BOTH.into_iter();
        let to_move = sides.find(|side| wire.to_move == side.number());
        let to_move = to_move
            .ok_or_else(|| NotAPosition(format!("`to_move` is 1 or 2, not {}", wire.to_move)))?;
        let cells: Result<Vec<u8>, _> = wire.board.iter().map(cell).collect();
        let turn = Turn::of_numbers(&rules, &cells?, to_move);
        Ok(Position {
            rules,
            turn: turn.map_err(refused)?,
            seed: wire.seed,
        })
    }
}

/// The number of a cell.
fn cell(value: &Value) -> Result<u8, NotAPosition> {
    let number = value.as_u64().and_then(|number| number.try_into().ok());
    number.ok_or_else(|| NotAPosition(format!("{value} is no stone: 0 (empty), 1 or 2")))
}

fn refused(reason: impl ToString) -> NotAPosition {
    NotAPosition(reason.to_string())
}

/// A position as [`Position::parse`] reads it.
pub(super) fn wire(rules: &Rules, turn: Turn) -> Map<String, Value> {
    let mut position = Map::new();
    position.insert("rows".into(), rules.rows().into());
    position.insert("columns".into(), rules.columns().into());
    position.insert("connect".into(), rules.connect().into());
    position.insert("board".into(), json!(turn.numbers(rules)));
    position.insert("to_move".into(), turn.to_move.number().into());
    position
}

/// What a player thinks of a position.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Opinion {
    /// The cell into which its stone falls; `None` if the game is over.
    pub(super) chosen: Option<u64>,
    /// By column; `None` for a column in which no move can be made.
    pub(super) values: Vec<Option<f64>>,
    /// Scores of player 1 and player 2, if the player has any.
    pub(super) evaluation: Option<[f64; 2]>,
}

impl Opinion {
    /// The move and the values of `think`, which is not asked where the game is over.
    pub(super) fn of_moves(
        rules: &Rules,
        turn: Turn,
        think: impl FnOnce() -> (u64, Vec<Option<f64>>),
    ) -> Self {
        let (chosen, values) = if rules.is_over(turn.position) {
            (None, vec![None; rules.columns() as usize])
        } else {
            let (chosen, values) = think();
            (Some(chosen), values)
        };
        Opinion {
            chosen,
            values,
            evaluation: None,
        }
    }

    pub(super) fn with_evaluation(self, scores: [f64; 2]) -> Self {
        Opinion {
            evaluation: Some(scores),
            ..self
        }
    }

    /// As it is answered.
    pub(super) fn answer(self, rules: &Rules) -> Value {
        let values = self.values.into_iter();
        let values: Vec<Value> = values
            .map(|value| value.map_or(Value::Null, number))
            .collect();
        json!({
            "move": self.chosen.map(|stone| rules.column_of(stone) + 1),
            "values": values,
            "evaluation": self.evaluation.map(|scores| scores.map(number)),
        })
    }
}
