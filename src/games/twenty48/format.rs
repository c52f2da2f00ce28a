//! Positions of 2048 as JSON: `{"board": [16 tile values, row by row, 0 = empty]}`, for players that
//! choose at random with a `"seed"` (0 if left out; other players do not look at it).

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::games::sliding::board_of;
use crate::games::sliding::rows::MAX_RANK;
use crate::games::twenty48::rules::Board;
use crate::player::advice::NotAPosition;
use crate::player::playing::Shown;
use crate::player::view::Grid;

impl Shown for Board {
    fn wire(&self) -> Map<String, Value> {
        Map::from_iter([("board".to_owned(), json!(self.tiles()))])
    }

    fn grid(&self) -> Grid {
        Board::grid(*self)
    }
}

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
}
