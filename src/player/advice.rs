//! What players say about a position: a line of JSON in, a line of JSON out.
//!
//! 2048 in: `{"board": [16 tile values, row by row, 0 = empty]}`, for players that draw lots with a
//! `"seed"` (0 if left out; other players do not look at it). Out, for every game that is played by
//! directions: the move, the value of every direction (null = illegal) and the static value of the
//! board (null if the player has none).

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::game::rows::MAX_RANK;
use crate::game::twenty48::{Board, Direction};

/// Why a text is no legal position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotAPosition(pub(super) String);

/// A position of 2048.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The board.
    pub board: Board,
    /// Seed of what the player draws by lot.
    pub seed: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    board: Vec<Value>,
    #[serde(default)]
    seed: u64,
}

impl Position {
    /// Reads a position.
    ///
    /// # Errors
    /// If the text is not JSON of that form, or a tile is none that a board can hold.
    pub fn parse(text: &str) -> Result<Self, NotAPosition> {
        let wire: Wire =
            serde_json::from_str(text).map_err(|error| NotAPosition(error.to_string()))?;
        let allowed = format!("a power of 2 from 2 to {}", 1u32 << MAX_RANK);
        Ok(Position {
            board: board_of(&wire.board, rank, &allowed)?,
            seed: wire.seed,
        })
    }
}

fn rank(tile: u64) -> Option<u8> {
    let rank = tile.checked_ilog2()?;
    let is_tile = tile.is_power_of_two() && (1..=u32::from(MAX_RANK)).contains(&rank);
    is_tile.then_some(rank as u8)
}

/// The board with these tiles: 16 numbers, row by row, 0 = empty. `rank` knows the tiles of the
/// game, `allowed` says in words what they are.
pub(super) fn board_of(
    cells: &[Value],
    rank: fn(u64) -> Option<u8>,
    allowed: &str,
) -> Result<Board, NotAPosition> {
    let rank = |tile: &Value| match tile.as_u64() {
        Some(0) => Ok(0),
        Some(number) if let Some(rank) = rank(number) => Ok(rank),
        _ => Err(NotAPosition(format!(
            "{tile} is no tile: 0 (empty) or {allowed}"
        ))),
    };
    let ranks: Vec<u8> = cells.iter().map(rank).collect::<Result<_, _>>()?;
    let ranks = <[u8; 16]>::try_from(ranks)
        .map_err(|ranks| NotAPosition(format!("the board has {} cells, not 16", ranks.len())))?;
    Ok(Board::from_ranks(ranks))
}

/// What a player that has a value for every direction thinks of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opinion {
    /// The move that it makes; `None` if none is legal.
    pub chosen: Option<Direction>,
    /// In the order of [`Direction::ALL`]; `None` for an illegal move.
    pub values: [Option<Worth>; 4],
    /// The static value of the board, if the player has one.
    pub evaluation: Option<f64>,
}

impl Opinion {
    /// As it is answered.
    pub fn answer(self) -> Value {
        let named = Direction::ALL.iter().zip(self.values);
        let values: Map<String, Value> = named
            .map(|(direction, value)| {
                (
                    direction.name().to_owned(),
                    value.map_or(Value::Null, Worth::json),
                )
            })
            .collect();
        json!({
            "move": self.chosen.map(Direction::name),
            "values": values,
            "evaluation": self.evaluation.map(number),
        })
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_legal_positions_are_taken() {
        let board =
            |tile: &str| format!(r#"{{"board":[0,2,32768,{tile},0,0,0,0,0,0,0,0,0,0,0,4]}}"#);
        let position = Position::parse(&board("64")).unwrap();
        assert_eq!(position.board.tiles()[..4], [0, 2, 32768, 64]);
        assert_eq!(position.seed, 0);
        for tile in ["3", "1", "-2", "65536", "2.0", "\"2\"", "null", "1e30"] {
            let error = Position::parse(&board(tile)).unwrap_err().to_string();
            assert!(error.contains("is no tile"), "{error}");
        }
        for text in [
            "",
            "board",
            "[]",
            "{}",
            r#"{"board":[2,2]}"#,
            r#"{"board":[],"x":1}"#,
        ] {
            assert!(Position::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn infinities_are_words() {
        let values = [
            None,
            Some(f64::NEG_INFINITY),
            Some(1.5),
            Some(f64::INFINITY),
        ];
        let opinion = Opinion {
            chosen: Some(Direction::Right),
            values: values.map(|value| value.map(Worth::One)),
            evaluation: None,
        };
        let text = opinion.answer().to_string();
        let expected = concat!(
            r#"{"move":"right","values":{"up":null,"down":"-inf","left":1.5,"right":"inf"},"#,
            r#""evaluation":null}"#
        );
        assert_eq!(text, expected);
    }
}
