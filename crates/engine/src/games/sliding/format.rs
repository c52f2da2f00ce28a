//! JSON format of boards and analyses of sliding games. An analysis contains the move, the value of every
//! direction (null for an illegal move), and the static value of the board (null if the player has none).

use serde_json::{Map, Value, json};

use crate::games::sliding::board::Board;
use crate::player::{Analysis, PositionError, format::value};

/// Reads a board from 16 tile numbers, row by row; 0 is an empty cell. `rank` maps a tile of the game to its
/// rank, and `allowed` describes the valid tiles for the error message.
///
/// # Errors
/// If there are not 16 cells, or if a number is not a tile of the game.
pub fn board_of(
    cells: &[Value],
    rank: fn(u64) -> Option<u8>,
    allowed: &str,
) -> Result<Board, PositionError> {
    let rank = |tile: &Value| match tile.as_u64() {
        Some(0) => Ok(0),
        Some(number) if let Some(rank) = rank(number) => Ok(rank),
        _ => Err(PositionError(format!(
            "{tile} is not a tile: 0 (empty) or {allowed}"
        ))),
    };
    let ranks: Vec<u8> = cells.iter().map(rank).collect::<Result<_, _>>()?;
    let ranks = <[u8; 16]>::try_from(ranks)
        .map_err(|ranks| PositionError(format!("the board has {} cells, not 16", ranks.len())))?;
    Ok(Board::from_ranks(ranks))
}

/// The JSON form of an analysis.
pub fn analysis(analysis: &Analysis) -> Value {
    let values = analysis.values.iter();
    let values: Map<String, Value> = values
        .map(|(name, of)| (name.clone(), of.map_or(Value::Null, value)))
        .collect();
    json!({
        "move": analysis.best,
        "values": values,
        "evaluation": analysis.evaluation.map(value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::{self, board::Direction};
    use crate::player::analysis::MoveValue;

    #[test]
    fn infinities_are_strings() {
        let values = [
            None,
            Some(f64::NEG_INFINITY),
            Some(1.5),
            Some(f64::INFINITY),
        ];
        let values = values.map(|value| value.map(MoveValue::One));
        let analyzed = sliding::analysis(Some(Direction::Right), values, None);
        let text = analysis(&analyzed.named()).to_string();
        let expected = concat!(
            r#"{"move":"right","values":{"up":null,"down":"-inf","left":1.5,"right":"inf"},"#,
            r#""evaluation":null}"#
        );
        assert_eq!(text, expected);
    }
}
