//! Positions for tests.

use crate::games::sliding::Board;
use crate::games::three_plus_three::rules::{Position, rank_of};
use crate::random::GameRng;

/// Positions with different numbers of empty cells and with tiles like those of real games.
pub(crate) fn positions(count: u32) -> impl Iterator<Item = Position> {
    let mut rng = GameRng::new(33);
    (0..count).map(move |index| {
        let largest = 2 + rng.below(11);
        let empty_of_16 = index % 13;
        let board = Board::from_ranks(std::array::from_fn(|_| match rng.below(16) {
            number if number < empty_of_16 => 0,
            _ => 1 + rng.below(largest) as u8,
        }));
        let next = 1 + rng.below(2) as u8;
        Position { board, next }
    })
}

/// The board with these tiles, given as a JSON array.
pub(crate) fn board_of(tiles: &serde_json::Value) -> Board {
    let tile = |cell: usize| tiles[cell].as_u64().unwrap();
    Board::from_ranks(std::array::from_fn(|cell| match tile(cell) {
        0 => 0,
        tile => rank_of(tile).unwrap(),
    }))
}
