//! Boards for tests.

use crate::games::sliding::Board;
use crate::random::GameRng;

/// Boards with different numbers of empty cells and with tiles like those of real games.
pub(crate) fn boards(count: u32) -> impl Iterator<Item = Board> {
    let mut rng = GameRng::new(48);
    (0..count).map(move |index| {
        let largest = 2 + rng.below(12);
        let empty_of_16 = index % 13;
        Board::from_ranks(std::array::from_fn(|_| match rng.below(16) {
            number if number < empty_of_16 => 0,
            _ => 1 + rng.below(largest) as u8,
        }))
    })
}

/// The board with these tiles, given as a JSON array.
pub(crate) fn board_of(tiles: &serde_json::Value) -> Board {
    let tile = |cell: usize| tiles[cell].as_u64().unwrap();
    let rank = |cell| tile(cell).checked_ilog2().unwrap_or(0) as u8;
    Board::from_ranks(std::array::from_fn(rank))
}
