//! The last moves before the tile 32768, by the exact solution of a smaller game.
//!
//! Just before 32768 the board holds the tiles 16384, 8192 and so on down to 128, and the other eight
//! cells must make one more 128. A board is an *endgame* if exactly eight of its tiles are 128 or
//! more, all eight are different, and one is 128. These are its *large* tiles. In the smaller game they
//! stay in their cells:
//!
//! - The game is won when a second 128 is made next to the first.
//! - It is lost when a second 128 is made elsewhere, or when every legal move moves a large tile.
//!
//! Its positions are the tiles 2 to 64 in eight cells, at most 7^8 = 5,764,801 for an arrangement of the
//! large tiles. The value of a position is the largest probability of winning; each mean over new tiles
//! is rounded to 1/65,534. The positions that a value needs are solved when it is asked for, a million
//! and a half at most in the arrangements that were seen in games.
//! ([`crate::reference::endgame`] is the definition.)
//!
//! The idea to hold large tiles in place and to solve the rest is that of the endgame tables of
//! [2048EndgameTablebase](https://github.com/game-difficulty/2048EndgameTablebase).

use crate::games::sliding::RowTable;
use crate::games::sliding::chance::mean_over_spawns;
use crate::games::twenty48::rules::{Board, rows};

/// The value of a game that is won. A value is a probability times this number.
pub const CERTAIN: u16 = 65_534;

/// Moves whose values differ by no more, 0.003, count as equal, because the smaller game does not see what a
/// move means for the time after it. Of 0.0002, 0.003 and 0.01 it did best, and 0.01 worst, in the first trials
/// of `experiments/2048/endgames`.
pub const MARGIN: u16 = 197;

/// The rank of 128, the smallest large tile. [`large_cells`] and [`above_target`] test bits of this number.
const TARGET: u8 = 7;

/// The number of large tiles, and of the other cells.
const LARGE_TILES: usize = 8;

/// The low bits of all cells.
const CELLS: u64 = 0x1111_1111_1111_1111;

/// The low bits of the last column.
const LAST_COLUMN: u64 = 0x1000_1000_1000_1000;

/// The low bits of the cells with tiles from 128 up.
#[inline(always)]
fn large_cells(board: u64) -> u64 {
    (board >> 3 | board >> 2 & board >> 1 & board) & CELLS
}

/// The low bits of the cells with a tile above 128.
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
    is_endgame.then_some(board.0 & (cells * 0xF))
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
        // The old solution is freed before the new one is made.
        self.solution.take_if(|solution| solution.large != large);
        let solution = self.solution.get_or_insert_with(|| Solution::new(large));
        Some(board.all_moved().map(|moved| {
            let is_legal = moved != board;
            is_legal.then(|| solution.after_move(moved)).flatten()
        }))
    }

    /// The moves that should be considered, in the order of
    /// [`crate::games::twenty48::rules::Direction::ALL`]. In an endgame that can be won these are the moves
    /// that leave the large tiles in place and whose value is at most [`MARGIN`] below the largest one.
    /// Otherwise all are.
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
    /// The places of the lowest bits of the other cells.
    shifts: [u32; LARGE_TILES],
    /// The values of positions plus 1, 0 for those that are not solved yet. A position's place has the
    /// ranks of the other cells as its digits.
    values: Box<[u16]>,
}

/// The place of a position with a 2 in the nth other cell and nothing else.
fn place_of_two(cell: usize) -> usize {
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
            values: vec![0; place_of_two(LARGE_TILES)].into_boxed_slice(),
        }
    }

    /// The value of a board after a move; `None` if a large tile has been moved away.
    #[inline]
    fn after_move(&mut self, board: Board) -> Option<u16> {
        if (board.0 ^ self.large) & self.above != 0 {
            return None;
        }
        // Tiles up to 64 make no tile above 128.
        let targets = large_cells(board.0 & !self.above);
        if targets == self.target {
            return Some(self.mean(board));
        }
        let has_second = targets.count_ones() > 1;
        let value = if has_neighbours(targets) { CERTAIN } else { 0 };
        has_second.then_some(value)
    }

    /// The mean over new tiles.
    fn mean(&mut self, board: Board) -> u16 {
        let others = self.shifts.into_iter().enumerate();
        let ranks = others
            .clone()
            .map(|(cell, shift)| (cell, (board.0 >> shift & 0xF) as usize));
        let place: usize = ranks.map(|(cell, rank)| rank * place_of_two(cell)).sum();
        let mut weighted = 0;
        for (cell, shift) in others {
            if board.0 >> shift & 0xF == 0 {
                let place = |rank| place + rank * place_of_two(cell);
                let two = self.value(Board(board.0 | 1 << shift), place(1));
                let four = self.value(Board(board.0 | 2 << shift), place(2));
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
