//! JSON format of 2048. A position is `{"board": [16 tile values, row by row, 0 = empty]}`. An optional
//! `"seed"` (default 0) is for players that choose at random.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::games::sliding::format::{analysis, board_of};
use crate::games::sliding::rows::MAX_RANK;
use crate::games::twenty48::rules::Board;
use crate::player::{Analysis, Format, PositionError, Request, format::value, position::downcast};
use crate::record::from_text;

/// The format of positions and analyses.
pub const FORMAT: Format = Format {
    read: |text, _| parse(text),
    position: |position| downcast(position).map_or_else(|_| Map::new(), fields),
    analysis: answer,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BoardJson {
    board: Vec<Value>,
    #[serde(default, deserialize_with = "from_text")]
    seed: u64,
}

fn parse(text: &str) -> Result<Request, PositionError> {
    let wire: BoardJson =
        serde_json::from_str(text).map_err(|error| PositionError(error.to_string()))?;
    let allowed = format!("a power of 2 from 2 to {}", 1u32 << MAX_RANK);
    Ok(Request {
        position: Arc::new(board_of(&wire.board, rank, &allowed)?),
        seed: wire.seed,
    })
}

fn fields(board: &Board) -> Map<String, Value> {
    Map::from_iter([("board".to_owned(), json!(board.tiles()))])
}

/// The JSON form of an analysis. If the program makes its move on another board than the given one, the
/// analysis contains that board.
fn answer(of: &Analysis) -> Value {
    match &of.search_end {
        None => analysis(of),
        Some(left) => json!({
            "move": of.best,
            "value": value(left.value),
            "left": downcast::<Board>(&*left.position).map(|board| board.tiles()).ok(),
        }),
    }
}

/// The rank of a tile; `None` for a number that is not a tile.
pub(super) fn rank(tile: u64) -> Option<u8> {
    let rank = tile.checked_ilog2()?;
    let is_tile = tile.is_power_of_two() && (1..=u32::from(MAX_RANK)).contains(&rank);
    is_tile.then_some(rank as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_legal_positions_are_accepted() {
        let line =
            |tile: &str| format!(r#"{{"board":[0,2,32768,{tile},0,0,0,0,0,0,0,0,0,0,0,4]}}"#);
        let Request { position, seed } = parse(&line("64")).unwrap();
        let board: &Board = downcast(&*position).unwrap();
        assert_eq!(board.tiles()[..4], [0, 2, 32768, 64]);
        assert_eq!(seed, 0);
        for tile in ["3", "1", "-2", "65536", "2.0", "\"2\"", "null", "1e30"] {
            let error = parse(&line(tile)).unwrap_err().to_string();
            assert!(error.contains("is not a tile"), "{error}");
        }
        for text in [
            "",
            "board",
            "[]",
            "{}",
            r#"{"board":[2,2]}"#,
            r#"{"board":[],"x":1}"#,
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
