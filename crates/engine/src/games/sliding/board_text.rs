//! The usual ways to write a position of tiles on a board of up to 4x4 cells. The game says which numbers are tiles,
//! and how large the board is.
//!
//! - `{"board": ..}` with the optional keys `"ranks"`, `"next"` and `"seed"`, or the board alone
//! - a board (here of 4x4 cells): a list of 16 cells, or of four rows of four; or a text of 16 numbers between spaces or
//!   commas, on one line or four; or a text of 16 hexadecimal digits, the ranks of the cells in reading order
//! - the game that the browser version of 2048 saves (`localStorage.gameState`)
//!
//! A cell is a number, also as `16.0` or `"16"`; an empty one is 0, null or `"."`. Numbers are ranks with
//! `"ranks": true`, and without this key if all are at most 15 and one of them is no tile.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::board::Board;
use super::rows::MAX_RANK;
use super::shape::Shape;
use crate::player::PositionError;
use crate::record::from_text;

/// A board with a number of this size, or a larger one, is a board of tiles.
const NO_RANK: u64 = 18;

/// The board of a game, and the numbers of its tiles.
pub struct Tiles {
    /// The size of the board.
    pub shape: Shape,
    /// The rank of a tile; `None` for a number that is none.
    pub rank: fn(u64) -> Option<u8>,
    /// The tiles in words.
    pub allowed: String,
}

/// A position as somebody has written it.
#[derive(Debug)]
pub struct PositionText {
    /// The board.
    pub board: Board,
    /// The next tile, if it is given.
    pub next: Option<Value>,
    /// Seed of the player's random choices.
    pub seed: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PositionJson {
    board: Value,
    ranks: Option<bool>,
    next: Option<Value>,
    #[serde(default, deserialize_with = "from_text")]
    seed: u64,
}

/// Reads a position.
///
/// # Errors
/// If the text has none of the forms, or a cell has no tile.
pub fn read(text: &str, tiles: &Tiles) -> Result<PositionText, PositionError> {
    let text = text.trim();
    let refused = |error: serde_json::Error| PositionError(error.to_string());
    let mut wire = PositionJson {
        board: Value::Null,
        ranks: None,
        next: None,
        seed: 0,
    };
    match text.chars().next() {
        Some('{') => {
            let fields: Map<String, Value> = serde_json::from_str(text).map_err(refused)?;
            match fields.get("grid") {
                Some(grid) => wire.board = saved(grid, tiles.shape)?,
                // From the text, so that an error has its place.
                None => wire = serde_json::from_str(text).map_err(refused)?,
            }
        }
        Some('[') => wire.board = serde_json::from_str(text).map_err(refused)?,
        _ => wire.board = Value::from(text),
    }
    Ok(PositionText {
        board: board_of(&wire.board, wire.ranks, tiles)?,
        next: wire.next,
        seed: wire.seed,
    })
}

/// The board of a list or a text.
fn board_of(board: &Value, are_ranks: Option<bool>, tiles: &Tiles) -> Result<Board, PositionError> {
    if let Value::String(text) = board {
        if let Some(ranks) = hexadecimal(text, tiles.shape) {
            return of_ranks(&ranks, tiles.shape);
        }
        let words = text.split([' ', '\t', '\r', '\n', ',', ';']);
        let cells = words.filter(|word| !word.is_empty()).map(Value::from);
        return of_cells(&cells.collect::<Vec<_>>(), are_ranks, tiles);
    }
    let Value::Array(list) = board else {
        return Err(PositionError(format!(
            "the board is {board}, not a list of {} cells or of {} rows",
            tiles.shape.number_of_cells(),
            tiles.shape.rows()
        )));
    };
    if !list.iter().any(Value::is_array) {
        return of_cells(list, are_ranks, tiles);
    }
    let columns = tiles.shape.columns();
    let mut cells = Vec::new();
    for (row, number) in list.iter().zip(1..) {
        match row.as_array() {
            Some(row) if row.len() == columns => cells.extend_from_slice(row),
            Some(row) => {
                let count = row.len();
                return Err(PositionError(format!(
                    "row {number} of the board has {count} cells, not {columns}"
                )));
            }
            None => {
                return Err(PositionError(format!(
                    "row {number} of the board is {row}, not a list of {columns} cells"
                )));
            }
        }
    }
    of_cells(&cells, are_ranks, tiles)
}

/// The ranks of as many hexadecimal digits as the board has cells.
fn hexadecimal(text: &str, shape: Shape) -> Option<Vec<u64>> {
    let text = text.trim();
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let ranks: Option<Vec<u64>> = digits
        .chars()
        .map(|digit| digit.to_digit(16).map(u64::from))
        .collect();
    ranks.filter(|ranks| ranks.len() == shape.number_of_cells())
}

/// The cells of a saved game in reading order; it has them column by column.
fn saved(grid: &Value, shape: Shape) -> Result<Value, PositionError> {
    let columns = grid.get("cells").and_then(Value::as_array);
    let columns: Option<Vec<&Vec<Value>>> =
        columns.and_then(|columns| columns.iter().map(Value::as_array).collect());
    let columns = columns.ok_or_else(|| {
        PositionError("the saved game has no list of columns `cells` in its `grid`".into())
    })?;
    let is_of_size = columns.len() == shape.columns()
        && columns.iter().all(|column| column.len() == shape.rows());
    if !is_of_size {
        return Err(PositionError(format!(
            "the board of the saved game is {} x {}, not {} x {}",
            columns.first().map_or(0, |column| column.len()),
            columns.len(),
            shape.rows(),
            shape.columns()
        )));
    }
    // `Shape::cells` counts four cells in each row.
    let cell = |cell: usize| match &columns[cell % 4][cell / 4] {
        Value::Null => Value::Null,
        tile => tile.get("value").cloned().unwrap_or_else(|| tile.clone()),
    };
    Ok(shape.cells().map(cell).collect())
}

/// The board of these cells in reading order.
fn of_cells(
    cells: &[Value],
    are_ranks: Option<bool>,
    tiles: &Tiles,
) -> Result<Board, PositionError> {
    let numbers: Vec<Option<u64>> = cells.iter().map(number).collect();
    let is_tile =
        |number: &Option<u64>| number.is_none_or(|one| one == 0 || (tiles.rank)(one).is_some());
    let is_rank = |number: &Option<u64>| number.is_some_and(|one| one < NO_RANK);
    let looks_like_ranks = numbers.iter().all(is_rank) && !numbers.iter().all(is_tile);
    let are_small = numbers.iter().flatten().all(|&one| one <= MAX_RANK.into());
    let are_ranks = are_ranks.unwrap_or(looks_like_ranks && are_small);
    let rank = |(cell, number): (&Value, &Option<u64>)| {
        let rank = match number {
            Some(number) if are_ranks => Some(*number),
            Some(0) => Some(0),
            Some(number) => (tiles.rank)(*number).map(u64::from),
            None => None,
        };
        let wanted = format!("0 (empty) or {}", tiles.allowed);
        rank.ok_or_else(|| {
            PositionError(if looks_like_ranks {
                format!("{cell} is not a tile: {wanted}; ranks are 0 to {MAX_RANK}")
            } else {
                format!("{cell} is not a tile: {wanted}")
            })
        })
    };
    let ranks: Result<Vec<u64>, PositionError> = cells.iter().zip(&numbers).map(rank).collect();
    of_ranks(&ranks?, tiles.shape)
}

fn of_ranks(ranks: &[u64], shape: Shape) -> Result<Board, PositionError> {
    if let Some(rank) = ranks.iter().find(|&&rank| rank > u64::from(MAX_RANK)) {
        return Err(PositionError(format!(
            "{rank} is not a rank: 0 (empty) to {MAX_RANK}"
        )));
    }
    let cells = shape.number_of_cells();
    if ranks.len() != cells {
        let count = ranks.len();
        let message = format!("the board has {count} cells, not {cells}");
        return Err(PositionError(message));
    }
    let placed = shape.cells().zip(ranks);
    Ok(Board(
        placed.fold(0, |board, (cell, rank)| board | rank << (4 * cell)),
    ))
}

/// The number of a cell; `None` if it is none.
fn number(cell: &Value) -> Option<u64> {
    match cell {
        Value::Null => Some(0),
        Value::String(text) => match text.trim() {
            "" | "." => Some(0),
            text => whole(text.parse().ok()?),
        },
        Value::Number(number) => number.as_u64().or_else(|| whole(number.as_f64()?)),
        _ => None,
    }
}

/// A whole number that is written with a fraction of 0.
fn whole(number: f64) -> Option<u64> {
    let is_whole = number >= 0.0 && number <= u32::MAX.into() && number.fract() == 0.0;
    is_whole.then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::three_plus_three;
    use crate::games::twenty48;

    const FIRST: [u8; 16] = [14, 13, 12, 1, 11, 10, 9, 1, 8, 7, 6, 1, 1, 1, 1, 0];

    #[test]
    fn every_usual_form_is_the_same_board() {
        let tiles = twenty48::format::tiles(Shape::STANDARD);
        let list = "16384,8192,4096,2,2048,1024,512,2,256,128,64,2,2,2,2,0";
        let rows = "16384 8192 4096 2\n2048,1024, 512 2\r\n256\t128 64 2\n 2 2 2 .";
        let saved = r#"{"grid":{"size":4,"cells":[
            [{"position":{"x":0,"y":0},"value":16384},{"value":2048},{"value":256},{"value":2}],
            [{"value":8192},{"value":1024},{"value":128},{"value":2}],
            [{"value":4096},{"value":512},{"value":64},{"value":2}],
            [{"value":2},{"value":2},{"value":2},null]]},"score":4,"over":false,"won":true,"keepPlaying":true}"#;
        for text in [
            list,
            &list.replace(',', " "),
            rows,
            &format!("[{list}]"),
            &format!(r#"{{"board":[{list}],"seed":"7"}}"#),
            &format!(r#"{{"board":"{list}"}}"#),
            "[[16384,8192,4096,2],[2048,1024,512,2],[256,128,64,2],[2,2,2,null]]",
            r#"["16384",8192.0,"4096.0",2,2048,1024,512,2,256,128,64,2,2,2,2,"."]"#,
            "EDC1BA9187611110",
            "0xedc1ba9187611110",
            r#"{"board":"EDC1BA9187611110"}"#,
            "14 13 12 1 11 10 9 1 8 7 6 1 1 1 1 0",
            r#"{"board":[14,13,12,1,11,10,9,1,8,7,6,1,1,1,1,0],"ranks":true}"#,
            saved,
        ] {
            let read = read(text, &tiles).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(read.board, Board::from_ranks(FIRST), "{text}");
        }
    }

    #[test]
    fn every_usual_form_of_a_smaller_board_is_the_same_board() {
        let tiles = twenty48::format::tiles("2x3".parse().unwrap());
        let saved = r#"{"grid":{"cells":[[{"value":64},{"value":2}],[{"value":32},null],[null,{"value":4}]]}}"#;
        for text in [
            "64 32 0 2 0 4",
            "64 32 .\n2 . 4",
            "[64,32,0,2,0,4]",
            "[[64,32,0],[2,0,4]]",
            r#"{"board":[[64,32,0],[2,0,4]]}"#,
            "650102",
            "0x650102",
            r#"{"board":[6,5,0,1,0,2],"ranks":true}"#,
            saved,
        ] {
            let read = read(text, &tiles).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(read.board, Board(0x0201_0056), "{text}");
        }
        for (text, said) in [
            ("2 4 8 16", "the board has 4 cells, not 6"),
            (
                "[[2,4],[8,16],[2,4]]",
                "row 1 of the board has 2 cells, not 3",
            ),
            (r#"{"board":7}"#, "not a list of 6 cells or of 2 rows"),
            (
                r#"{"grid":{"cells":[[null],[null]]}}"#,
                "is 1 x 2, not 2 x 3",
            ),
        ] {
            let error = read(text, &tiles).unwrap_err();
            assert!(error.0.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn ranks_are_told_from_tiles() {
        let of = |tiles: &Tiles, text: &str| read(text, tiles).map(|read| read.board);
        let tiles = twenty48::format::tiles(Shape::STANDARD);
        // All of these are tiles.
        let small = "2 4 8 16 0 0 0 0 0 0 0 0 0 0 0 0";
        let board = of(&tiles, small).unwrap();
        assert_eq!(board.ranks()[..4], [1, 2, 3, 4]);
        let forced = r#"{"board":[2,4,8,15,0,0,0,0,0,0,0,0,0,0,0,0],"ranks":true}"#;
        assert_eq!(of(&tiles, forced).unwrap().ranks()[..4], [2, 4, 8, 15]);
        let never = r#"{"board":[3,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"ranks":false}"#;
        assert!(
            of(&tiles, never)
                .unwrap_err()
                .0
                .starts_with("3 is not a tile")
        );
        let large = "17 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0";
        let error = of(&tiles, large).unwrap_err().0;
        assert!(error.contains("is not a tile") && error.ends_with("; ranks are 0 to 15"));
        let forced = r#"{"board":[17,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"ranks":true}"#;
        let error = of(&tiles, forced).unwrap_err().0;
        assert_eq!(error, "17 is not a rank: 0 (empty) to 15");
        let other = three_plus_three::format::tiles();
        assert_eq!(
            of(&other, "1 2 3 6 12 0 0 0 0 0 0 0 0 0 0 0")
                .unwrap()
                .ranks()[4],
            5
        );
        assert_eq!(
            of(&other, "1 2 3 4 5 0 0 0 0 0 0 0 0 0 0 0")
                .unwrap()
                .ranks()[4],
            5
        );
    }

    #[test]
    fn other_texts_are_refused_with_the_reason() {
        let tiles = twenty48::format::tiles(Shape::STANDARD);
        for (text, said) in [
            ("", "the board has 0 cells, not 16"),
            ("2 4 8", "the board has 3 cells, not 16"),
            ("up", "\"up\" is not a tile: 0 (empty) or a power of 2"),
            ("[[2,4],[8,16]]", "row 1 of the board has 2 cells, not 4"),
            (
                "[[0,0,0,0],2,4,8]",
                "row 2 of the board is 2, not a list of 4 cells",
            ),
            ("[2.5,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]", "2.5 is not a tile"),
            ("[-2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]", "-2 is not a tile"),
            (r#"{"board":7}"#, "the board is 7, not a list"),
            (r#"{"board":[],"bord":1}"#, "unknown field `bord`"),
            (r#"{"board":[}"#, "column 11"),
            (
                r#"{"grid":{"size":3,"cells":[[null],[null],[null]]}}"#,
                "is 1 x 3, not 4 x 4",
            ),
            (r#"{"grid":7}"#, "has no list of columns"),
        ] {
            let error = read(text, &tiles).unwrap_err();
            assert!(error.0.contains(said), "{text}: {error}");
        }
    }
}
