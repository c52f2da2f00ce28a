//! Rules of 3+3 (three-plus-three), a browser game like Threes: moves, the next tile, the score, and whole
//! games. They must not depend on heuristics or searches.
//!
//! A move treats each line separately. Two neighbours merge into their sum if they are 1 and 2, or if they are
//! equal and greater than 2. Then all tiles behind the first gap of the line move by one cell. If any line has
//! changed, a tile appears in a uniformly random empty cell among the last cells of all four lines. This tile
//! is known before the move: 1 and 2 alternate. A move that changes no line is illegal. The game ends when no
//! move is legal.
//!
//! Source: the browser game as neoatlantis/saechsli plays it. The source does not define the start and the
//! score, so these are assumptions: the board starts with one 1 and one 2 in random cells, and the first next
//! tile is a 1. As in Threes, a tile 3·2^k scores 3^(k+1), and the tiles 1 and 2 score nothing.

mod game;
pub mod line_facts;
mod view;

use std::sync::LazyLock;

use crate::games::sliding::{Board, Line, MAX_RANK, RowTable, rows::unpack};

pub use crate::games::sliding::board::Direction;
pub use crate::player::single_player::Policy;
pub use game::{Game, play};

/// The rank of the smallest tile that merges with an equal tile: 3.
pub const THREE: u8 = 3;

/// The tile of a rank: 0 (empty), 1, 2, then 3, 6, 12, ..., 12288.
pub fn tile_of(rank: u8) -> u32 {
    match rank {
        0..THREE => u32::from(rank),
        _ => 3 << (rank - THREE),
    }
}

/// The rank of a tile; `None` for a number that is not a tile.
pub fn rank_of(tile: u64) -> Option<u8> {
    (1..=MAX_RANK).find(|&rank| u64::from(tile_of(rank)) == tile)
}

/// The rank into which two neighbours merge; `None` if they do not merge. Two tiles of [`MAX_RANK`] do not
/// merge, because a nibble cannot encode their sum.
pub fn merged(one: u8, other: u8) -> Option<u8> {
    match (one, other) {
        (1, 2) | (2, 1) => Some(THREE),
        (THREE..MAX_RANK, _) if one == other => Some(one + 1),
        _ => None,
    }
}

/// Slides one line towards its first cell. The scan for merges goes from the first cell to the last and
/// continues behind each merged pair. A merge leaves a gap. Then the tiles behind the first gap move by one
/// cell.
pub fn slide(line: Line) -> Line {
    let mut after = line;
    let mut cell = 0;
    while cell < 3 {
        if let Some(sum) = merged(after[cell], after[cell + 1]) {
            after[cell] = sum;
            after[cell + 1] = 0;
            cell += 1;
        }
        cell += 1;
    }
    if let Some(gap) = after.iter().position(|&rank| rank == 0) {
        after[gap..].rotate_left(1);
    }
    after
}

/// The destination of the tile in each cell under [`slide`]; `None` for an empty cell. Two tiles with the same
/// destination merge there.
pub fn destinations(line: Line) -> [Option<usize>; 4] {
    // First the tiles merge, then those behind the first gap move by one cell.
    let mut destinations = [0, 1, 2, 3].map(|cell| (line[cell] != 0).then_some(cell));
    let mut cell = 0;
    while cell < 3 {
        if merged(line[cell], line[cell + 1]).is_some() {
            destinations[cell + 1] = Some(cell);
            cell += 1;
        }
        cell += 1;
    }
    let is_gap = |cell: &usize| !destinations.contains(&Some(*cell));
    if let Some(gap) = (0..4).find(is_gap) {
        let closed = |to: usize| if to > gap { to - 1 } else { to };
        destinations = destinations.map(|to| to.map(closed));
    }
    destinations
}

/// The table of [`slide`]. It is computed at the first use.
pub fn rows() -> &'static RowTable {
    static TABLE: LazyLock<RowTable> = LazyLock::new(|| RowTable::build(slide));
    &TABLE
}

/// The empty cells in which a tile can appear after a move: those on the side opposite to the move. Each cell
/// is the low bit of its nibble.
#[inline(always)]
pub fn spawn_cells(moved: Board, direction: Direction) -> u64 {
    let side = match direction {
        Direction::Up => 0x1111_0000_0000_0000,
        Direction::Down => 0x0000_0000_0000_1111,
        Direction::Left => 0x1000_1000_1000_1000,
        Direction::Right => 0x0001_0001_0001_0001,
    };
    moved.empty_mask() & side
}

/// A position: the board and the next tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The ranks of the tiles; see [`tile_of`].
    pub board: Board,
    /// The tile that appears after the next move: 1 or 2. Its rank is the same number.
    pub next: u8,
}

impl Position {
    /// The board after a move, before a tile appears; `None` if the move is illegal.
    #[inline]
    pub fn moved(self, direction: Direction) -> Option<Board> {
        let moved = self.board.moved_by(rows(), direction);
        (moved != self.board).then_some(moved)
    }

    /// The tiles, row by row from the top left; 0 for an empty cell.
    pub fn tiles(self) -> [u32; 16] {
        self.board.ranks().map(tile_of)
    }

    /// Score of the tiles on the board, in points.
    pub fn score(self) -> u64 {
        let ranks = self.board.ranks().into_iter();
        ranks
            .filter(|&rank| rank >= THREE)
            .map(|rank| 3_u64.pow(u32::from(rank - THREE) + 1))
            .sum()
    }

    /// True if two tiles of [`MAX_RANK`] are neighbours. Without the limit on ranks they would merge.
    fn is_capped(self) -> bool {
        let has_pair = |board: Board| {
            (0..4).any(|row| {
                let line = unpack(board.row(row));
                line.windows(2).any(|pair| pair == [MAX_RANK; 2])
            })
        };
        self.board.has_two_of_max_rank()
            && (has_pair(self.board) || has_pair(self.board.transpose()))
    }
}

/// The tile that appears after this one: 1 and 2 alternate.
#[inline(always)]
pub fn next_after(rank: u8) -> u8 {
    3 - rank
}

#[cfg(test)]
pub(crate) mod samples;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::rows::{pack, reverse};
    use crate::games::vectors;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn lines_slide_as_in_the_original() {
        // Vectors from runs of the original program: the line, the line after the move, and whether it moved.
        // -1 marks a last cell in which a tile may appear.
        let golden = vectors::text("three_plus_three_lines.csv");
        let mut lines = 0;
        for text in golden.lines().skip(1) {
            let fields: Vec<&str> = text.split(',').collect();
            let ranks = |field: &str| -> Line {
                let cells: Vec<u8> = field
                    .split(' ')
                    .map(|cell| match cell {
                        "0" | "-1" => 0,
                        tile => rank_of(tile.parse().unwrap()).unwrap(),
                    })
                    .collect();
                cells.try_into().unwrap()
            };
            let before = ranks(fields[0]);
            assert_eq!(slide(before), ranks(fields[1]), "{before:?}");
            assert_eq!(slide(before) != before, fields[2] == "1", "{before:?}");
            assert_eq!(
                slide(before)[3] == 0,
                fields[1].ends_with("-1"),
                "{before:?}"
            );
            lines += 1;
        }
        assert_eq!(lines, 1296);
    }

    #[test]
    fn positions_follow_as_in_the_original() {
        let names = [
            (Direction::Left, "left"),
            (Direction::Right, "right"),
            (Direction::Up, "top"),
            (Direction::Down, "bottom"),
        ];
        let mut positions = 0;
        for record in vectors::records("three_plus_three_positions.jsonl") {
            let board = samples::board_of(&record["b"]);
            let next = record["food"].as_u64().unwrap() as u8;
            let position = Position { board, next };
            for (direction, name) in names {
                let expected: BTreeSet<u64> = record["succ"][name]
                    .as_array()
                    .map(|boards| {
                        boards
                            .iter()
                            .map(|tiles| samples::board_of(tiles).0)
                            .collect()
                    })
                    .unwrap_or_default();
                let mut found = BTreeSet::new();
                if let Some(moved) = position.moved(direction) {
                    let cells = spawn_cells(moved, direction);
                    let places = (0..64).filter(|bit| cells >> bit & 1 == 1);
                    found.extend(places.map(|bit| moved.0 | u64::from(next) << bit));
                }
                assert_eq!(found, expected, "{name} of {board:?}");
            }
            positions += 1;
        }
        assert_eq!(positions, 50);
    }

    #[test]
    fn every_entry_of_the_table_is_the_rule() {
        for index in 0..=u16::MAX {
            let line = unpack(index);
            let slides = rows().slides(index);
            assert_eq!(slides.to_first, pack(slide(line)));
            assert_eq!(slides.to_last, reverse(pack(slide(unpack(reverse(index))))));
            // A tile can appear in the last cell of every line that has moved.
            assert!(slide(line) == line || slide(line)[3] == 0);
        }
    }

    #[test]
    fn tiles_that_go_where_the_destinations_say_make_the_line_of_the_rule() {
        for index in 0..=u16::MAX {
            let line = unpack(index);
            let mut made: Line = [0; 4];
            for (rank, to) in line.into_iter().zip(destinations(line)) {
                assert_eq!(rank == 0, to.is_none(), "{line:?}");
                let Some(to) = to else { continue };
                made[to] = match made[to] {
                    0 => rank,
                    other => merged(other, rank).unwrap(),
                };
            }
            assert_eq!(made, slide(line), "{line:?}");
        }
    }

    proptest! {
        #[test]
        fn moves_follow_the_slow_rule_and_turn_with_the_board(bits: u64) {
            let by_line = |board: Board, line: fn(u16) -> u16| {
                let rows = (0..4).map(|row| u64::from(line(board.row(row))) << (16 * row));
                Board(rows.sum())
            };
            let mirror = |board| by_line(board, reverse);
            let after = |board, direction| {
                Position { board, next: 1 }.moved(direction).unwrap_or(board)
            };
            let board = Board(bits);
            let left = by_line(board, |line| pack(slide(unpack(line))));
            prop_assert_eq!(after(board, Direction::Left), left);
            let right = mirror(after(mirror(board), Direction::Left));
            prop_assert_eq!(after(board, Direction::Right), right);
            let turned = board.transpose();
            let up = after(turned, Direction::Left).transpose();
            prop_assert_eq!(after(board, Direction::Up), up);
            let down = after(turned, Direction::Right).transpose();
            prop_assert_eq!(after(board, Direction::Down), down);
        }
    }

    #[test]
    fn tiles_and_ranks_are_inverse() {
        assert_eq!(tile_of(0), 0);
        assert_eq!([1, 2, 3, 4, 12, 15].map(tile_of), [1, 2, 3, 6, 1536, 12288]);
        for rank in 1..=MAX_RANK {
            assert_eq!(rank_of(tile_of(rank).into()), Some(rank));
        }
        for tile in [0, 4, 5, 9, 24576, u64::MAX] {
            assert_eq!(rank_of(tile), None);
        }
    }

    #[test]
    fn the_score_is_that_of_threes() {
        let ranks = [1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12];
        let position = Position {
            board: Board::from_ranks(ranks),
            next: 1,
        };
        assert_eq!(position.score(), 3 + 9 + 27 + 3_u64.pow(10));
    }
}
