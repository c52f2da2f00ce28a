//! The last layer of chance nodes of an expectimax. A search spends nearly all of its time here. This is the
//! portable code; `kernels` computes the same values with vector instructions.
//!
//! A random tile changes one row and one column. After a move along the rows, three of the four slid rows are
//! therefore the same as without the tile: they have the same values and the same cells in the columns. Both
//! orientations of the board are slid once. Each random tile then costs, for each direction, one slide, one
//! line value, and the values of the four crossing lines.
//!
//! Tests compare this code with its definition, [`crate::reference::twenty48`].

use crate::games::sliding::chance::{BoardTerms, mean_over_spawns};
use crate::games::sliding::heuristic::Heuristic;
use crate::games::sliding::kernels::Sum;
use crate::games::sliding::line_tables::{LineTable, lines_value};
use crate::games::sliding::{board::Board, rows::RowTable};

/// Evaluates the last chance layer, for the slides of one game and one heuristic.
pub struct LastLayer<'a, T> {
    rows: &'static RowTable,
    /// Tables of lines 0 to 3.
    tables: [&'a LineTable; 4],
    board_terms: T,
}

/// One orientation of the board, slid in both directions.
pub struct Axis {
    lines: [u16; 4],
    to_first: SlidAxis,
    to_last: SlidAxis,
}

/// The board slid in one direction along an axis, before a tile appears.
struct SlidAxis {
    /// Bit i is 1 if line i changed.
    changed: u8,
    /// The slid lines as a board in the other orientation.
    crossing: u64,
    /// Value of each slid line.
    values: [i32; 4],
    /// Sum of the four values.
    sum: i32,
}

/// The nibbles of a board that contain line 0 of the other orientation.
pub const FIRST_CROSSING: u64 = 0x000F_000F_000F_000F;

/// Turns a line into column 0 of a board: nibble i moves to row i.
#[inline(always)]
pub fn spread(line: u16) -> u64 {
    let line = u64::from(line);
    (line | line << 12 | line << 24 | line << 36) & FIRST_CROSSING
}

impl<'a, T: BoardTerms> LastLayer<'a, T> {
    /// `rows` is the slide table of the game.
    pub fn new(rows: &'static RowTable, heuristic: &'a Heuristic, board_terms: T) -> Self {
        LastLayer {
            rows,
            tables: heuristic.lines.by_place(),
            board_terms,
        }
    }

    /// The static value of a board, given in both orientations. It equals [`Heuristic::value`].
    #[inline(always)]
    pub fn value(&self, board: Board, transposed: Board) -> i32 {
        let lines = lines_value(self.tables, board) + lines_value(self.tables, transposed);
        lines + self.board_terms.value(board)
    }

    /// The value of a chance node directly above the leaves, and the number of evaluated boards.
    pub fn chance(&self, board: Board) -> (i32, u64) {
        let sum = self.sum(board, [(1, 9), (2, 1)]);
        (
            mean_over_spawns(sum.weighted, board.empty_cells()),
            sum.leaves,
        )
    }

    /// The sum over the random 4s only.
    pub fn fours(&self, board: Board) -> Sum {
        self.sum(board, [(2, 1)])
    }

    #[inline(always)]
    fn sum<const N: usize>(&self, board: Board, spawns: [(u16, i64); N]) -> Sum {
        let transposed = board.transpose();
        let rows = self.axis(board);
        let columns = self.axis(transposed);
        let mut weighted = 0;
        let mut leaves = 0;
        let mut cells = board.empty_mask();
        while cells != 0 {
            let cell = cells.trailing_zeros() as usize / 4;
            cells &= cells - 1;
            let (row, column) = (cell / 4, cell % 4);
            for (rank, weight) in spawns {
                let (best, legal) = self.best_after(&rows, &columns, row, column, rank);
                weighted += weight * i64::from(best);
                leaves += legal;
            }
        }
        Sum { weighted, leaves }
    }

    /// The best value of a move after a tile of this rank appears in an empty cell, and the number of legal
    /// moves.
    #[inline(always)]
    pub fn best_after(
        &self,
        rows: &Axis,
        columns: &Axis,
        row: usize,
        column: usize,
        rank: u16,
    ) -> (i32, u64) {
        let mut best = 0;
        let row_line = rows.lines[row] | rank << (4 * column);
        let column_line = columns.lines[column] | rank << (4 * row);
        let legal = self.best_along::<false>(rows, row, row_line, &mut best)
            + self.best_along::<true>(columns, column, column_line, &mut best);
        (best, legal)
    }

    /// The rows of a board, slid in both directions. Pass the transposed board for its columns.
    pub fn axis(&self, board: Board) -> Axis {
        let lines = [0, 1, 2, 3].map(|line| board.row(line));
        let slides = lines.map(|line| self.rows.slides(line));
        Axis {
            lines,
            to_first: self.slid(lines, slides.map(|slides| slides.to_first)),
            to_last: self.slid(lines, slides.map(|slides| slides.to_last)),
        }
    }

    #[inline(always)]
    fn slid(&self, before: [u16; 4], after: [u16; 4]) -> SlidAxis {
        let values: [i32; 4] = std::array::from_fn(|i| self.tables[i][after[i] as usize]);
        SlidAxis {
            changed: (0..4).fold(0, |bits, i| bits | u8::from(before[i] != after[i]) << i),
            crossing: (0..4).fold(0, |board, i| board | spread(after[i]) << (4 * i)),
            values,
            sum: values.iter().sum(),
        }
    }

    /// Computes the two moves along an axis after a random tile has changed line `index` to `line`. Raises
    /// `best` to the larger value, and returns how many of the two moves are legal.
    #[inline(always)]
    fn best_along<const ACROSS: bool>(
        &self,
        axis: &Axis,
        index: usize,
        line: u16,
        best: &mut i32,
    ) -> u64 {
        let slides = self.rows.slides(line);
        let (first, first_legal) =
            self.after_move::<ACROSS>(&axis.to_first, index, line, slides.to_first);
        let (last, last_legal) =
            self.after_move::<ACROSS>(&axis.to_last, index, line, slides.to_last);
        *best = (*best).max(if first_legal { first } else { 0 });
        *best = (*best).max(if last_legal { last } else { 0 });
        u64::from(first_legal) + u64::from(last_legal)
    }

    /// The static value of the board after a move, and whether the move is legal. `slid` is the move without
    /// the random tile; line `index` is `before` with the tile and `after` when slid. The value is computed for
    /// illegal moves too, so that no branch is needed.
    #[inline(always)]
    fn after_move<const ACROSS: bool>(
        &self,
        slid: &SlidAxis,
        index: usize,
        before: u16,
        after: u16,
    ) -> (i32, bool) {
        let legal = (slid.changed & !(1 << index) != 0) | (before != after);
        let crossing =
            Board(slid.crossing & !(FIRST_CROSSING << (4 * index)) | spread(after) << (4 * index));
        let mut value = slid.sum - slid.values[index] + self.tables[index][after as usize];
        for line in 0..4 {
            value += self.tables[line][crossing.row(line) as usize];
        }
        if T::ACTIVE {
            // If the lines are columns of the board, `crossing` is the moved board itself.
            let moved = if ACROSS {
                crossing
            } else {
                crossing.transpose()
            };
            value += self.board_terms.value(moved);
        }
        (value, legal)
    }
}
