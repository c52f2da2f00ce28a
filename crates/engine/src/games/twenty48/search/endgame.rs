//! The last moves before the tile 32768, by the exact solution of a smaller game.
//!
//! Just before 32768 the board contains the tiles 16384, 8192 and so on down to 128, and the other eight cells
//! must make one more 128. A board is an *endgame* if exactly eight of its tiles are 128 or more, all eight are
//! different, and one of them is 128. These are its *large* tiles. In the smaller game they stay in their
//! cells:
//!
//! - The game is won when a second 128 is made next to the first.
//! - It is lost when a second 128 is made elsewhere, or when every legal move moves a large tile.
//!
//! A position of the smaller game is the tiles 2 to 64 in eight cells: at most 7^8 = 5,764,801 positions for
//! one arrangement of the large tiles. The value of a position is the largest probability of winning; each mean
//! over random tiles is rounded to 1/65,534. Positions are solved on demand. At most 1.5 million positions were
//! needed for the arrangements seen in games. ([`crate::reference::endgame`] is the definition.)
//!
//! Source of the idea to hold large tiles in place and to solve the rest: the endgame tables of
//! [2048EndgameTablebase](https://github.com/game-difficulty/2048EndgameTablebase).

use crate::games::sliding::RowTable;
use crate::games::sliding::chance::mean_over_spawns;
use crate::games::twenty48::rules::{Board, rows};

/// The value of a game that is won. A value is a probability times this number.
pub const CERTAIN: u16 = 65_534;

/// Moves whose values differ by at most this amount (0.003) count as equal, because the smaller game does not
/// know what a move means for the time after it. In the first trials of `experiments/2048/endgames` with
/// 0.0002, 0.003 and 0.01, the value 0.003 was best and 0.01 worst.
pub const MARGIN: u16 = 197;

/// The rank of 128, the smallest large tile. [`large_cells`] and [`above_target`] test bits of this number.
const TARGET: u8 = 7;

/// The number of large tiles. The number of other cells is the same.
const LARGE_TILES: usize = 8;

/// A mask of the low bits of all cells.
const CELLS: u64 = 0x1111_1111_1111_1111;

/// A mask of the low bits of the last column.
const LAST_COLUMN: u64 = 0x1000_1000_1000_1000;

/// The cells with tiles of 128 or more, each as the low bit of its nibble.
#[inline(always)]
fn large_cells(board: u64) -> u64 {
    // Rank at least 7: bit 3 is set, or bits 0 to 2 are all set.
    (board >> 3 | board >> 2 & board >> 1 & board) & CELLS
}

/// The cells with a tile above 128, each as the low bit of its nibble.
#[inline(always)]
fn above_target(board: u64) -> u64 {
    board >> 3 & CELLS
}

/// True if two of these cells are neighbours.
#[inline(always)]
fn has_neighbours(cells: u64) -> bool {
    cells & cells >> 16 != 0 || cells & (cells & !LAST_COLUMN) << 4 != 0
}

/// The nibbles of the large tiles of an endgame; `None` if the board is not an endgame.
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

/// The endgames of one game in progress. Values do not depend on earlier requests.
#[derive(Default)]
pub struct Endgames {
    /// The last solution that was needed.
    solution: Option<Solution>,
}

impl Endgames {
    /// The values of the boards after the moves of an endgame, in the order of
    /// [`crate::games::twenty48::rules::Direction::ALL`] and in units of 1/[`CERTAIN`]. A move that is illegal
    /// or moves a large tile away has the value `None`. The result is `None` if the board is not an endgame.
    pub fn move_values(&mut self, board: Board) -> Option<[Option<u16>; 4]> {
        let large = large_tiles(board)?;
        // Free the old solution before the new one is allocated.
        self.solution.take_if(|solution| solution.large != large);
        let solution = self.solution.get_or_insert_with(|| Solution::new(large));
        Some(board.all_moved().map(|moved| {
            let is_legal = moved != board;
            is_legal.then(|| solution.after_move(moved)).flatten()
        }))
    }

    /// The moves to consider, in the order of [`crate::games::twenty48::rules::Direction::ALL`]. In an endgame
    /// that can be won, these are the moves that leave the large tiles in place and whose value is at most
    /// [`MARGIN`] below the largest value. Otherwise all moves are allowed.
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

/// The solution of all endgames with the same large tiles in the same cells.
struct Solution {
    rows: &'static RowTable,
    /// The nibbles of the large tiles.
    large: u64,
    /// A mask of the nibbles of all large tiles except the 128.
    above: u64,
    /// The cell of the 128, as the low bit of its nibble.
    target: u64,
    /// The bit positions of the other cells.
    shifts: [u32; LARGE_TILES],
    /// The value of each position plus 1; 0 for a position that is not solved yet. The index is a number in
    /// base 7 whose digits are the ranks of the other cells.
    values: Box<[u16]>,
}

/// The index of the position with a 2 in the nth other cell and no other small tile.
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

    /// The value of a board after a move; `None` if a large tile has moved away.
    #[inline]
    fn after_move(&mut self, board: Board) -> Option<u16> {
        if (board.0 ^ self.large) & self.above != 0 {
            return None;
        }
        // Tiles up to 64 can make a new 128, but no larger tile.
        let targets = large_cells(board.0 & !self.above);
        if targets == self.target {
            return Some(self.mean(board));
        }
        let has_second = targets.count_ones() > 1;
        let value = if has_neighbours(targets) { CERTAIN } else { 0 };
        has_second.then_some(value)
    }

    /// The mean of the values after a random tile.
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

    /// The value of a position; `place` is its index in `values`.
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
