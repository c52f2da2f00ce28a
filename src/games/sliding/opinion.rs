//! What a player of a sliding game thinks of a position, and boards as JSON. Out, for every game that is
//! played by directions: the move, the value of every direction (null = illegal) and the static value
//! of the board (null if the player has none).

use serde_json::{Map, Value, json};

use crate::games::sliding::board::{Board, Direction};
use crate::player::advice::{NotAPosition, Worth, number};

/// The board with these tiles: 16 numbers, row by row, 0 = empty. `rank` knows the tiles of the
/// game, `allowed` says in words what they are.
pub fn board_of(
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

#[cfg(test)]
mod tests {
    use super::*;

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
