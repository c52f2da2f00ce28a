//! What a page answers: its board, and whether it shows a game. This module must not call a page.

use serde::Deserialize;

use super::Error;
use crate::games::sliding::{MAX_RANK, Shape};
use crate::games::twenty48::rules::{Board, SizedBoard};

/// The largest tile that the players support.
pub(super) const LARGEST: u64 = 1 << MAX_RANK;

/// The source of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardSource {
    /// The game that the page stores in `localStorage`.
    Storage,
    /// The elements of the tiles.
    Elements,
    /// A grid of cells with numbers.
    Grid,
    /// The page adapter of the user.
    Adapter,
}

/// The board of a page.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PageBoard {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// The tiles, row by row from the top left; 0 for an empty cell.
    pub tiles: Vec<u64>,
}

impl PageBoard {
    /// The board in the form of the players.
    ///
    /// # Errors
    /// If it has another size, or a tile that the players do not support.
    pub fn board(&self) -> Result<SizedBoard, Error> {
        let (rows, columns) = (self.rows, self.columns);
        let side = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let shape = Shape::new(side(rows), side(columns));
        let shape = shape.map_err(|_| Error::Size { rows, columns })?;
        let largest = LARGEST;
        let mut ranks = [0; 16];
        for (cell, &tile) in shape.cells().zip(&self.tiles) {
            ranks[cell] = match tile {
                0 => 0,
                tile if tile.is_power_of_two() && (2..=largest).contains(&tile) => {
                    tile.trailing_zeros() as u8
                }
                tile => return Err(Error::Tile { tile, largest }),
            };
        }
        let board = Board::from_ranks(ranks);
        Ok(SizedBoard { shape, board })
    }

    /// Whether two tiles of this value are neighbours.
    pub(super) fn has_neighbours(&self, tile: u64) -> bool {
        let is_there = |cell: usize| self.tiles.get(cell) == Some(&tile);
        (0..self.tiles.len()).any(|cell| {
            let has_right = (cell + 1) % self.columns != 0 && is_there(cell + 1);
            is_there(cell) && (has_right || is_there(cell + self.columns))
        })
    }

    /// The largest tile.
    pub fn largest(&self) -> u64 {
        self.tiles.iter().copied().max().unwrap_or(0)
    }

    /// The sum of all tiles. A move with its new tile increases it.
    pub(super) fn sum(&self) -> u64 {
        self.tiles.iter().sum()
    }

    /// Whether any cell has a tile.
    fn has_tiles(&self) -> bool {
        self.tiles.iter().any(|&tile| tile > 0)
    }
}

/// The state of the game in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageState {
    /// The board.
    pub board: PageBoard,
    /// The score; `None` if the page shows none.
    pub score: Option<u64>,
    /// Whether the page says that the game is over.
    pub is_over: bool,
    /// Whether the game is won and the page waits for "Keep going".
    pub waits: bool,
}

/// What the script in a page returns.
#[derive(Deserialize)]
pub(super) struct ScriptAnswer {
    stored: Option<Stored>,
    shown: Option<PageBoard>,
    /// Whether the page has a visible place for tiles. What it stores does not make it a game.
    shows: bool,
    score: Option<u64>,
    pub(super) over: bool,
    pub(super) won: bool,
    pub(super) loads: bool,
}

/// The game that the page stores.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    board: PageBoard,
    score: u64,
    won: bool,
    over: bool,
    keep_playing: bool,
}

impl ScriptAnswer {
    /// Whether the page shows a game.
    pub(super) fn is_game(&self) -> bool {
        self.shown.as_ref().is_some_and(PageBoard::has_tiles) || self.shows && self.over
    }

    /// Whether what the page stores is what it shows, or it stores nothing.
    pub(super) fn is_settled(&self) -> bool {
        self.stored.is_none() || self.source() == BoardSource::Storage
    }

    /// The source of the board. The storage of an origin is kept when the page changes, so a stored game counts only if
    /// the page shows the same one.
    pub(super) fn source(&self) -> BoardSource {
        match (&self.stored, &self.shown) {
            (Some(stored), Some(shown)) if stored.board == *shown => BoardSource::Storage,
            _ => BoardSource::Elements,
        }
    }

    pub(super) fn state(self, source: BoardSource) -> Option<PageState> {
        match (source, self.stored) {
            // The page has changed, and only what its origin stores has remained.
            (BoardSource::Storage, _) if !self.shows => None,
            (BoardSource::Storage, Some(stored)) => Some(PageState {
                waits: stored.won && !stored.keep_playing && !self.over,
                board: stored.board,
                score: Some(stored.score),
                is_over: stored.over || self.over,
            }),
            // The page deletes its stored game when the game is over.
            (BoardSource::Storage, None) if !self.over => None,
            _ => {
                // A page that is loading shows no tile yet.
                let board = self.shown.filter(PageBoard::has_tiles)?;
                Some(PageState {
                    board,
                    score: self.score,
                    is_over: self.over,
                    waits: self.won && !self.over,
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(rows: usize, columns: usize, tiles: &[u64]) -> PageBoard {
        PageBoard {
            rows,
            columns,
            tiles: tiles.to_vec(),
        }
    }

    #[test]
    fn boards_are_those_of_the_players() {
        let mut tiles = [0; 16];
        (tiles[1], tiles[15]) = (2, 32768);
        let shown = |rows: usize, columns: usize, tiles: &[u64]| -> Vec<u64> {
            let known = board(rows, columns, tiles).board().unwrap();
            known.tiles().map(u64::from).collect()
        };
        assert_eq!(shown(4, 4, &tiles), tiles);
        for shape in Shape::all() {
            let (rows, columns) = (shape.rows(), shape.columns());
            let tiles: Vec<u64> = (1..=rows * columns).map(|cell| 2 << (cell % 8)).collect();
            assert_eq!(shown(rows, columns, &tiles), tiles);
        }
        for tile in [1, 3, 65536, u64::MAX] {
            tiles[3] = tile;
            let error = board(4, 4, &tiles).board().unwrap_err().to_string();
            assert!(error.contains(&format!("the tile {tile};")), "{error}");
        }
        // As many cells do not make another board one of 4 x 4.
        for (rows, columns) in [(5, 5), (1, 4), (2, 8), (0, 0)] {
            let error = board(rows, columns, &vec![2; rows * columns]).board();
            let error = error.unwrap_err().to_string();
            assert!(error.contains(&format!("{rows} x {columns}")), "{error}");
        }
    }

    #[test]
    fn neighbours_are_in_a_row_or_a_column() {
        let has = |rows, columns, tiles: &[u64]| board(rows, columns, tiles).has_neighbours(8);
        assert!(has(2, 2, &[8, 8, 2, 4]) && has(2, 2, &[8, 4, 8, 2]));
        assert!(!has(2, 2, &[8, 4, 2, 8]) && !has(2, 3, &[2, 4, 8, 8, 2, 4]));
    }

    /// An answer in the JSON form of the script. Boards have one row.
    fn answer(stored: Option<&str>, shown: Option<&str>, over: bool) -> ScriptAnswer {
        let board = |tiles: &str| format!(r#"{{"rows":1,"columns":2,"tiles":{tiles}}}"#);
        let stored = stored.map_or("null".to_owned(), |tiles| {
            format!(
                r#"{{"board":{},"score":4,"won":true,"over":false,"keepPlaying":false}}"#,
                board(tiles)
            )
        });
        let shows = shown.is_some();
        let shown = shown.map_or("null".to_owned(), board);
        let text = format!(
            r#"{{"stored":{stored},"shown":{shown},"shows":{shows},"score":8,"over":{over},"won":false,"loads":false}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_page_is_a_game_if_it_shows_one() {
        let [ours, other] = [Some("[2,4]"), Some("[2,8]")];
        let source = |stored, shown| answer(stored, shown, false).source();
        assert_eq!(source(ours, ours), BoardSource::Storage);
        assert_eq!(source(ours, other), BoardSource::Elements);
        assert_eq!(source(None, ours), BoardSource::Elements);
        // Another page of the same origin.
        assert!(!answer(ours, None, false).is_game());
        assert_eq!(answer(ours, None, false).state(BoardSource::Storage), None);
        assert!(!answer(None, Some("[0,0]"), false).is_game());
        assert!(!answer(None, None, false).is_game());
        assert!(answer(None, ours, false).is_game());

        let of_storage = answer(ours, ours, false)
            .state(BoardSource::Storage)
            .unwrap();
        assert_eq!((of_storage.score, of_storage.waits), (Some(4), true));
        let of_elements = answer(ours, other, false)
            .state(BoardSource::Elements)
            .unwrap();
        assert_eq!((of_elements.score, of_elements.waits), (Some(8), false));
        // The stored game is deleted when the game is over, before the page shows that.
        assert_eq!(answer(None, ours, false).state(BoardSource::Storage), None);
        let ended = answer(None, ours, true)
            .state(BoardSource::Storage)
            .unwrap();
        assert!(ended.is_over && ended.score == Some(8));
    }
}
