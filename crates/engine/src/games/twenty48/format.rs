//! 2048 as JSON. A position is `{"board": [16 tile values, row by row, 0 = empty]}`, or as many as the board has cells, with an
//! optional `"seed"` for players that choose at random (default 0), or has another form of
//! [`board_text`].

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::games::sliding::Shape;
use crate::games::sliding::board_text::{self, PositionText, Tiles};
use crate::games::sliding::rows::MAX_RANK;
use crate::games::twenty48::rules::{Board, SizedBoard};
use crate::games::twenty48::setup::shape;
use crate::player::format::{analysis, value};
use crate::player::position::{Position, downcast};
use crate::player::{Analysis, Format, PositionError, Request};

/// The format.
pub const FORMAT: Format = Format {
    read: |text, options| parse(text, shape(options)),
    position: fields,
    analysis: answer,
    text_size: |options| Some([shape(options).rows(), shape(options).columns()]),
};

/// The tiles of a board of this size.
pub(in crate::games) fn tiles(shape: Shape) -> Tiles {
    Tiles {
        shape,
        rank,
        allowed: format!("a power of 2 from 2 to {}", 1u32 << MAX_RANK),
    }
}

fn parse(text: &str, shape: Shape) -> Result<Request, PositionError> {
    let PositionText { board, next, seed } = board_text::read(text, &tiles(shape))?;
    if next.is_some() {
        return Err(PositionError(
            "2048 has no `next` tile; leave it out".into(),
        ));
    }
    let position: Arc<dyn Position> = if shape == Shape::STANDARD {
        Arc::new(board)
    } else {
        Arc::new(SizedBoard { shape, board })
    };
    Ok(Request { position, seed })
}

fn fields(position: &dyn Position) -> Map<String, Value> {
    let tiles: Vec<u32> = match (downcast(position), downcast(position)) {
        (Ok::<&Board, _>(board), _) => board.tiles().into(),
        (_, Ok::<&SizedBoard, _>(sized)) => sized.tiles().collect(),
        _ => return Map::new(),
    };
    Map::from_iter([("board".to_owned(), json!(tiles))])
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
        let Request { position, seed } = parse(&line("64"), Shape::STANDARD).unwrap();
        let board: &Board = downcast(&*position).unwrap();
        assert_eq!(board.tiles()[..4], [0, 2, 32768, 64]);
        assert_eq!(seed, 0);
        for tile in ["3", "1", "-2", "65536", "2.5", "\"two\"", "true", "1e30"] {
            let error = parse(&line(tile), Shape::STANDARD).unwrap_err().to_string();
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
            assert!(parse(text, Shape::STANDARD).is_err(), "{text}");
        }
    }
}
