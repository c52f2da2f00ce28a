//! 2048 as JSON. A position is `{"board": [16 tile values, row by row, 0 = empty]}`, with an
//! optional `"seed"` for players that choose at random (default 0), or has another form of
//! [`board_text`].

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::games::sliding::board_text::{self, PositionText, Tiles};
use crate::games::sliding::rows::MAX_RANK;
use crate::games::twenty48::rules::Board;
use crate::player::format::{analysis, value};
use crate::player::{Analysis, Format, PositionError, Request, position::downcast};

/// The format.
pub const FORMAT: Format = Format {
    read: |text, _| parse(text),
    position: |position| downcast(position).map_or_else(|_| Map::new(), fields),
    analysis: answer,
    text_rows: 4,
};

/// The tiles.
pub(in crate::games) fn tiles() -> Tiles {
    Tiles {
        rank,
        allowed: format!("a power of 2 from 2 to {}", 1u32 << MAX_RANK),
    }
}

fn parse(text: &str) -> Result<Request, PositionError> {
    let PositionText { board, next, seed } = board_text::read(text, &tiles())?;
    if next.is_some() {
        return Err(PositionError(
            "2048 has no `next` tile; leave it out".into(),
        ));
    }
    Ok(Request {
        position: Arc::new(board),
        seed,
    })
}

fn fields(board: &Board) -> Map<String, Value> {
    Map::from_iter([("board".to_owned(), json!(board.tiles()))])
}

/// An analysis. For a program that makes its move on another board than the given one, it contains
/// that board.
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
        for tile in ["3", "1", "-2", "65536", "2.5", "\"two\"", "true", "1e30"] {
            let error = parse(&line(tile)).unwrap_err().to_string();
            assert!(error.contains("is not a tile"), "{error}");
        }
        for text in [
            "",
            "board",
            "[]",
            "{}",
            r#"{"board":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,2],"next":1}"#,
            r#"{"board":[2,2]}"#,
            r#"{"board":[],"x":1}"#,
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
