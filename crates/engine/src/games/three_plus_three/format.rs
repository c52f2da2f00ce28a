//! JSON format of 3+3. A position has the fields of a 2048 position, and the next tile: `"next": 1` or `2`. The
//! move values of the freedom players are `[largest tile, freedom]`.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::games::sliding::Shape;
use crate::games::sliding::board_text::{self, PositionText, Tiles};
use crate::games::sliding::rows::MAX_RANK;
use crate::games::three_plus_three::rules::{Position, rank_of, tile_of};
use crate::player::{Format, PositionError, Request, format::analysis, position::downcast};

/// The format of positions and analyses.
pub const FORMAT: Format = Format {
    read: |text, _| parse(text),
    position: |position| downcast(position).map_or_else(|_| Map::new(), fields),
    analysis,
    text_size: |_| Some([4, 4]),
};

/// The tiles.
pub(in crate::games) fn tiles() -> Tiles {
    Tiles {
        shape: Shape::STANDARD,
        rank: rank_of,
        allowed: format!("1, 2 or 3·2^k up to {}", tile_of(MAX_RANK)),
    }
}

fn parse(text: &str) -> Result<Request, PositionError> {
    let PositionText { board, next, seed } = board_text::read(text, &tiles())?;
    let next = match next {
        Some(next) if next == 1 => 1,
        Some(next) if next == 2 => 2,
        Some(next) => {
            return Err(PositionError(format!("next {next} is neither 1 nor 2")));
        }
        None => {
            let missing = "the next tile is missing: {\"board\":[..],\"next\":1} or 2";
            return Err(PositionError(missing.into()));
        }
    };
    let position = Arc::new(Position { board, next });
    Ok(Request { position, seed })
}

fn fields(position: &Position) -> Map<String, Value> {
    let pairs = [
        ("board", json!(position.tiles())),
        ("next", json!(position.next)),
    ];
    Map::from_iter(pairs.map(|(key, value)| (key.to_owned(), value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_legal_positions_are_accepted() {
        let line = |tile: &str, next: &str| {
            format!(r#"{{"board":[0,1,2,{tile},0,0,0,0,0,0,0,0,0,0,0,12288],"next":{next}}}"#)
        };
        let Request { position, seed } = parse(&line("3", "2")).unwrap();
        let position: &Position = downcast(&*position).unwrap();
        assert_eq!(position.tiles()[..4], [0, 1, 2, 3]);
        assert_eq!((position.next, seed), (2, 0));
        for (tile, next, said) in [
            (
                "4",
                "1",
                "4 is not a tile: 0 (empty) or 1, 2 or 3·2^k up to 12288",
            ),
            ("24576", "1", "24576 is not a tile"),
            ("-1", "1", "-1 is not a tile"),
            ("3", "3", "next 3 is neither 1 nor 2"),
            ("3", "0", "next 0 is neither 1 nor 2"),
            ("3", "null", "the next tile is missing"),
        ] {
            let error = parse(&line(tile, next)).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        let without_next = r#"{"board":[0,1,2,3,0,0,0,0,0,0,0,0,0,0,0,0]}"#;
        assert!(parse(without_next).is_err());
    }
}
