//! What players say about a position of 2048: a line of JSON in, a line of JSON out.
//!
//! In: `{"board": [16 tile values, row by row, 0 = empty]}`, for players that draw lots with a
//! `"seed"` (0 if left out; other players do not look at it). Out: the move, the value of every
//! direction (null = illegal) and the static value of the board (null if the player has none).

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::game::rows::MAX_RANK;
use crate::game::twenty48::{Board, Direction};

/// Why a text is no legal position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotAPosition(String);

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
        let ranks: Vec<u8> = wire.board.iter().map(rank).collect::<Result<_, _>>()?;
        let ranks = <[u8; 16]>::try_from(ranks).map_err(|ranks| {
            NotAPosition(format!("the board has {} cells, not 16", ranks.len()))
        })?;
        Ok(Position {
            board: Board::from_ranks(ranks),
            seed: wire.seed,
        })
    }
}

fn rank(tile: &Value) -> Result<u8, NotAPosition> {
    match tile.as_u64() {
        Some(0) => Ok(0),
        Some(value)
            if value.is_power_of_two() && (1..=u32::from(MAX_RANK)).contains(&value.ilog2()) =>
        {
            Ok(value.ilog2() as u8)
        }
        _ => Err(NotAPosition(format!(
            "{tile} is no tile: 0 (empty) or a power of 2 from 2 to {}",
            1u32 << MAX_RANK
        ))),
    }
}

/// What a player that has a value for every direction thinks of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opinion {
    /// The move that it makes; `None` if none is legal.
    pub chosen: Option<Direction>,
    /// In the order of [`Direction::ALL`]; `None` for an illegal move.
    pub values: [Option<f64>; 4],
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
                    value.map_or(Value::Null, number),
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
            values,
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
