//! The boards after a random tile and a legal move, for all empty cells of a board at once. This module must
//! not search.

use crate::games::sliding::Geometry;
use crate::games::sliding::board::{FIRST_CROSSING, spread};
use crate::games::twenty48::rules::Board;

/// The boards after a tile of one rank, in each empty cell, and a legal move.
pub(super) struct Spawns {
    boards: [Board; 64],
    /// For each empty cell: the end of its boards in `boards`.
    ends: [u8; 16],
    cells: usize,
}

impl Spawns {
    /// A tile changes one row and one column. All other lines move as in `board`, so each board is slid only
    /// once.
    #[inline(always)]
    pub(super) fn new(board: Board, rank: u16, geometry: &impl Geometry) -> Self {
        let across = board.transpose();
        let (rows, columns) = (geometry.rows(), geometry.columns());
        let [left, right] = board.both_slid(rows);
        let [up, down] = across.both_slid(columns).map(Board::transpose);
        let mut spawns = Spawns {
            boards: [Board(0); 64],
            ends: [0; 16],
            cells: 0,
        };
        let mut cells = geometry.empty_mask(board);
        let mut end = 0;
        while cells != 0 {
            let cell = cells.trailing_zeros() as usize / 4;
            cells &= cells - 1;
            let (row, column) = (cell / 4, cell % 4);
            let spawned = Board(board.0 | u64::from(rank) << (4 * cell));
            let in_row = rows.slides(spawned.row(row));
            let in_column = columns.slides(across.row(column) | rank << (4 * row));
            let with_row = |board: Board, line: u16| {
                Board(board.0 & !(0xFFFF << (16 * row)) | u64::from(line) << (16 * row))
            };
            let with_column = |board: Board, line: u16| {
                let others = board.0 & !(FIRST_CROSSING << (4 * column));
                Board(others | spread(line) << (4 * column))
            };
            for moved in [
                with_column(up, in_column.to_first),
                with_column(down, in_column.to_last),
                with_row(left, in_row.to_first),
                with_row(right, in_row.to_last),
            ] {
                // The next move overwrites an illegal one. There are at most 60 legal boards.
                spawns.boards[end & 63] = moved;
                end += usize::from(moved != spawned);
            }
            spawns.ends[spawns.cells & 15] = end as u8;
            spawns.cells += 1;
        }
        spawns
    }

    /// The boards of all empty cells.
    pub(super) fn all_moved(&self) -> &[Board] {
        let end = self.cells.checked_sub(1).map_or(0, |last| self.ends[last]);
        &self.boards[..usize::from(end)]
    }

    /// For each empty cell: the boards after the legal moves, in the order of
    /// [`crate::games::sliding::Direction::ALL`].
    #[inline(always)]
    pub(super) fn iter(&self) -> impl Iterator<Item = &[Board]> {
        let mut start = 0;
        self.ends[..self.cells].iter().map(move |&end| {
            let boards = &self.boards[start..usize::from(end)];
            start = usize::from(end);
            boards
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::Shape;
    use crate::games::twenty48::rules::Direction;
    use crate::games::twenty48::rules::samples::boards;
    use crate::games::twenty48::rules::{Rules, Spawn, Variation};

    #[test]
    fn the_boards_are_those_of_each_tile_and_move() {
        for (board, shape) in boards(450).zip(Shape::all().collect::<Vec<_>>().iter().cycle()) {
            let board = Board(board.0 & shape.mask());
            let rules = Variation::new(*shape, Spawn::USUAL, 2);
            for rank in [1, 2, 5] {
                let spawns = Spawns::new(board, rank, &rules);
                let cells = shape.cells().filter(|&cell| board.ranks()[cell] == 0);
                let expected: Vec<Vec<Board>> = cells
                    .map(|cell| {
                        let spawned = Board(board.0 | u64::from(rank) << (4 * cell));
                        let moved = Direction::ALL.map(|direction| rules.moved(spawned, direction));
                        moved
                            .into_iter()
                            .filter(|&moved| moved != spawned)
                            .collect()
                    })
                    .collect();
                assert!(
                    spawns.iter().eq(expected.iter().map(Vec::as_slice)),
                    "{board:?}"
                );
                assert_eq!(spawns.all_moved(), expected.concat());
            }
        }
    }
}
