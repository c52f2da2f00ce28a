//! The last moves before the tile 32768, solved exactly.
//!
//! Just before 32768 the board holds the tiles 16384, 8192 and so on down to 128, and the other eight
//! cells must make one more 128. A board is an *endgame* if exactly eight of its tiles are 128 or
//! more, all eight are different, and one is 128. (This also happens before 49152.) The solution is
//! that of a smaller game:
//!
//! - The seven tiles above 128 must stay in their cells, and so must the 128 as long as it is alone.
//! - The game is won when a second 128 is next to another one, or the two have merged.
//! - It is lost when no such move is left, or a second 128 is made in any other place.
//!
//! Its positions are the tiles 2 to 64 in eight cells, at most 7^8 = 5,764,801 for an arrangement of the
//! large tiles. The value of a position is the largest probability of winning. The positions that a
//! value needs are solved when it is asked for, usually some 100,000.
//! ([`crate::reference::endgame`] is the definition.)
//!
//! The idea to hold large tiles in place and to solve the rest is that of the endgame tables of
//! [2048EndgameTablebase](https://github.com/game-difficulty/2048EndgameTablebase).

use crate::games::sliding::RowTable;
use crate::games::sliding::chance::mean_over_spawns;
use crate::games::twenty48::rules::{Board, rows};

/// The value of certain success. Values are probabilities in this unit.
pub const CERTAIN: u16 = 65_534;

/// Moves whose values differ by no more, 0.003, count as equal: the model does not see what a move
/// means for the time after it. It was chosen in trials; see `experiments/expectimax-endgames`.
pub const MARGIN: u16 = 197;

/// The rank of the tile that is made, 128; a tile of this rank or more is large.
const TARGET: u8 = 7;

/// The number of large tiles, and of the cells beside them.
const LARGE_TILES: usize = 8;

/// The low bits of all cells.
const CELLS: u64 = 0x1111_1111_1111_1111;

/// The low bits of the last column.
const LAST_COLUMN: u64 = 0x1000_1000_1000_1000;

/// The low bits of the cells with large tiles.
#[inline(always)]
fn large_cells(board: u64) -> u64 {
    (board >> 3 | board >> 2 & board >> 1 & board) & CELLS
}

/// The low bits of the cells with a rank above that of 128.
#[inline(always)]
fn above_target(board: u64) -> u64 {
    board >> 3 & CELLS
}

/// Whether two of these cells are next to each other.
#[inline(always)]
fn has_neighbours(cells: u64) -> bool {
    cells & cells >> 16 != 0 || cells & (cells & !LAST_COLUMN) << 4 != 0
}

/// The bits of the large tiles of an endgame; `None` if the board is none.
fn large_tiles(board: Board) -> Option<u64> {
    let cells = large_cells(board.0);
    if cells.count_ones() as usize != LARGE_TILES {
        return None;
    }
    let large = board.ranks().into_iter().filter(|&rank| rank >= TARGET);
    let seen = large.fold(0_u32, |seen, rank| seen | 1 << rank);
    let is_endgame = seen.count_ones() as usize == LARGE_TILES && seen >> TARGET & 1 == 1;
    is_endgame.then_some(board.0 & cells * 0xF)
}

/// The endgames of one game in progress. Values do not depend on what was asked before.
#[derive(Default)]
pub struct Endgames {
    /// The solution that was needed last.
    solution: Option<Solution>,
}

impl Endgames {
    /// The values of the boards after the moves of an endgame, in the order of
    /// [`crate::games::twenty48::rules::Direction::ALL`], in units of 1/[`CERTAIN`]. `None` for a move
    /// that is illegal or moves a large tile away. `None` for all if the board is no endgame.
    pub fn move_values(&mut self, board: Board) -> Option<[Option<u16>; 4]> {
        let large = large_tiles(board)?;
        if self.solution.as_ref().map(|solution| solution.large) != Some(large) {
            // The old one is freed before the new one is made.
            self.solution = None;
        }
        let solution = self.solution.get_or_insert_with(|| Solution::new(large));
        Some(board.all_moved().map(|moved| {
            let is_legal = moved != board;
            is_legal.then(|| solution.after_move(moved)).flatten()
        }))
    }

    /// The moves that should be considered, in the order of
    /// [`crate::games::twenty48::rules::Direction::ALL`]: in an endgame that can be won, those whose
    /// value is at most [`MARGIN`] below the largest one; otherwise all.
    pub fn allowed(&mut self, board: Board) -> [bool; 4] {
        let values = self.move_values(board).unwrap_or_default();
        match values.iter().flatten().max() {
            None | Some(0) => [true; 4],
            Some(&best) => {
                values.map(|value| value.is_some_and(|value| value >= best.saturating_sub(MARGIN)))
            }
        }
    }
}

/// The solution of the endgames with the same large tiles in the same cells.
struct Solution {
    rows: &'static RowTable,
    /// The bits of the large tiles.
    large: u64,
    /// The bits of the cells of all large tiles but the 128.
    above: u64,
    /// The low bit of the cell of the 128.
    target: u64,
    /// The first bits of the other cells.
    shifts: [u32; LARGE_TILES],
    /// The values of positions plus 1, 0 for those that are not solved yet. A position's place has the
    /// ranks of the other cells as its digits.
    values: Box<[u16]>,
}

/// The place of a position with rank 1 in the nth other cell and nothing else.
fn digit(cell: usize) -> usize {
    usize::from(TARGET).pow(cell as u32)
}

impl Solution {
    fn new(large: u64) -> Self {
        let (cells, above) = (large_cells(large), above_target(large));
        let mut shifts = [0; LARGE_TILES];
        let others = (0..64).step_by(4).filter(|shift| cells >> shift & 1 == 0);
        for (place, shift) in shifts.iter_mut().zip(others) {
            *place = shift;
        }
        Solution {
            rows: rows(),
            large,
            above: above * 0xF,
            target: cells & !above,
            shifts,
            values: vec![0; digit(LARGE_TILES)].into_boxed_slice(),
        }
    }

    /// The value of a board after a move; `None` if a large tile has been moved away.
    #[inline]
    fn after_move(&mut self, board: Board) -> Option<u16> {
        if (board.0 ^ self.large) & self.above != 0 {
            return None;
        }
        let others = board.0 & !self.above;
        if above_target(others) != 0 {
            return Some(CERTAIN);
        }
        let targets = large_cells(others);
        if targets == self.target {
            return Some(self.mean(board));
        }
        let has_second = targets.count_ones() > 1;
        let value = if has_neighbours(targets) { CERTAIN } else { 0 };
        has_second.then_some(value)
    }

    /// The mean over new tiles.
    fn mean(&mut self, board: Board) -> u16 {
        let digits = self.shifts.into_iter().enumerate();
        let ranks = digits.map(|(cell, shift)| digit(cell) * (board.0 >> shift & 0xF) as usize);
        let place: usize = ranks.sum();
        let mut weighted = 0;
        for (cell, shift) in self.shifts.into_iter().enumerate() {
            if board.0 >> shift & 0xF == 0 {
                let two = self.value(Board(board.0 | 1 << shift), place + digit(cell));
                let four = self.value(Board(board.0 | 2 << shift), place + 2 * digit(cell));
                weighted += 9 * i64::from(two) + i64::from(four);
            }
        }
        mean_over_spawns(weighted, board.empty_cells()) as u16
    }

    /// The value of a position, which has this place in `values`.
    #[inline(always)]
    fn value(&mut self, board: Board, place: usize) -> u16 {
        match self.values[place] {
            0 => self.solve(board, place),
            known => known - 1,
        }
    }

    #[inline(never)]
    fn solve(&mut self, board: Board, place: usize) -> u16 {
        let mut best = 0;
        for moved in board.all_moved_by(self.rows) {
            if moved != board {
                best = best.max(self.after_move(moved).unwrap_or(0));
            }
        }
        self.values[place] = best + 1;
        best
    }
}

#[cfg(test)]
mod tests;
