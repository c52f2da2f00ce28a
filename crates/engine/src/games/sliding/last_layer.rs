//! The last layer of chance nodes of an expectimax. A search spends nearly all of its time here. This is the
//! portable code; `kernels` computes the same values with vector instructions.
//!
//! A random tile changes one row and one column. After a move along the rows, three of the four slid rows are
//! therefore the same as without the tile: they have the same values and the same cells in the columns. Both
//! orientations of the board are slid once. Each random tile then costs, for each direction, one slide, one
//! line value, and the values of the four crossing lines.
//!
//! Boards of all sizes have four lines in both orientations. A line that a smaller board does not have is 0; it
//! never changes, and its value is 0.
//!
//! Tests compare this code with its definition, [`crate::reference::twenty48`].

use crate::games::sliding::board::{Board, FIRST_CROSSING, spread};
use crate::games::sliding::chance::BoardTerms;
use crate::games::sliding::geometry::Geometry;
use crate::games::sliding::heuristic::Heuristic;
use crate::games::sliding::kernels::Sum;
use crate::games::sliding::line_tables::{ByAxis, COLUMNS, LineTable, ROWS, lines_value};
use crate::games::sliding::rows::RowTable;

/// Evaluates the last chance layer, for the slides of one game and one heuristic.
pub struct LastLayer<'a, T, G> {
    geometry: G,
    /// Tables of rows 0 to 3 and of columns 0 to 3.
    tables: ByAxis<&'a LineTable>,
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

/// A board after a move.
#[derive(Clone, Copy)]
struct Leaf {
    /// The board, if there are board terms.
    board: Board,
    /// The value of its lines.
    value: i32,
    /// True if the move is legal.
    is_legal: bool,
}

impl<'a, T: BoardTerms, G: Geometry> LastLayer<'a, T, G> {
    /// `geometry` has the slides of the game. `heuristic` must be compiled for its board.
    pub fn new(geometry: G, heuristic: &'a Heuristic, board_terms: T) -> Self {
        LastLayer {
            geometry,
            tables: heuristic.lines.by_place(),
            board_terms,
        }
    }

    /// The slides of the lines of an axis.
    #[inline(always)]
    fn slides<const AXIS: usize>(&self) -> &'static RowTable {
        if AXIS == COLUMNS {
            self.geometry.columns()
        } else {
            self.geometry.rows()
        }
    }

    /// The static value of a board, given in both orientations. It equals [`Heuristic::value`].
    #[inline(always)]
    pub fn value(&self, board: Board, transposed: Board) -> i32 {
        let rows = lines_value(self.tables[ROWS], board);
        let columns = lines_value(self.tables[COLUMNS], transposed);
        rows + columns + self.board_terms.value(board)
    }

    /// The static values of four boards, each given in both orientations.
    #[inline(always)]
    pub fn values(&self, boards: [(Board, Board); 4]) -> [i32; 4] {
        let terms = self.board_terms.values(boards.map(|(board, _)| board));
        std::array::from_fn(|at| {
            let (board, transposed) = boards[at];
            let rows = lines_value(self.tables[ROWS], board);
            rows + lines_value(self.tables[COLUMNS], transposed) + terms[at]
        })
    }

    /// The sum over the empty cells and the given random tiles, each a rank and its weight: the weight times the
    /// best value after the tile.
    #[inline(always)]
    pub fn sum(&self, board: Board, spawns: impl IntoIterator<Item = (u16, i64)> + Clone) -> Sum {
        let transposed = board.transpose();
        let rows = self.axis::<ROWS>(board);
        let columns = self.axis::<COLUMNS>(transposed);
        let mut weighted = 0;
        let mut leaves = 0;
        let mut cells = self.geometry.empty_mask(board);
        while cells != 0 {
            let cell = cells.trailing_zeros() as usize / 4;
            cells &= cells - 1;
            let (row, column) = (cell / 4, cell % 4);
            for (rank, weight) in spawns.clone() {
                let (best, legal) =
                    self.best_after::<ROWS, COLUMNS>([&rows, &columns], [row, column], rank);
                weighted += weight * i64::from(best);
                leaves += legal;
            }
        }
        Sum { weighted, leaves }
    }

    /// The best value of a move after a tile of this rank appears in an empty cell, and the number of legal
    /// moves. `lines` are the lines of axis `ALONG` and those of axis `ACROSS`, the other one; `cell` is the line
    /// of the cell along each of them.
    #[inline(always)]
    pub fn best_after<const ALONG: usize, const ACROSS: usize>(
        &self,
        lines: [&Axis; 2],
        cell: [usize; 2],
        rank: u16,
    ) -> (i32, u64) {
        let [along, across] = lines;
        let along_line = along.lines[cell[0]] | rank << (4 * cell[1]);
        let across_line = across.lines[cell[1]] | rank << (4 * cell[0]);
        let [a, b] = self.after_moves::<ALONG, ACROSS>(along, cell[0], along_line);
        let [c, d] = self.after_moves::<ACROSS, ALONG>(across, cell[1], across_line);
        let leaves = [a, b, c, d];
        let terms = if T::ACTIVE {
            self.board_terms.values(leaves.map(|leaf| leaf.board))
        } else {
            [0; 4]
        };
        let (mut best, mut legal) = (0, 0);
        for (leaf, terms) in leaves.into_iter().zip(terms) {
            best = best.max(if leaf.is_legal { leaf.value + terms } else { 0 });
            legal += u64::from(leaf.is_legal);
        }
        (best, legal)
    }

    /// The rows of a board, slid in both directions. For `AXIS` = [`COLUMNS`], pass the transposed board.
    pub fn axis<const AXIS: usize>(&self, board: Board) -> Axis {
        let lines = [0, 1, 2, 3].map(|line| board.row(line));
        let slides = lines.map(|line| self.slides::<AXIS>().slides(line));
        Axis {
            lines,
            to_first: self.slid::<AXIS>(lines, slides.map(|slides| slides.to_first)),
            to_last: self.slid::<AXIS>(lines, slides.map(|slides| slides.to_last)),
        }
    }

    #[inline(always)]
    fn slid<const AXIS: usize>(&self, before: [u16; 4], after: [u16; 4]) -> SlidAxis {
        let values: [i32; 4] = std::array::from_fn(|i| self.tables[AXIS][i][after[i] as usize]);
        SlidAxis {
            changed: (0..4).fold(0, |bits, i| bits | u8::from(before[i] != after[i]) << i),
            crossing: (0..4).fold(0, |board, i| board | spread(after[i]) << (4 * i)),
            values,
            sum: values.iter().sum(),
        }
    }

    /// The two moves along axis `ALONG` after a random tile has changed line `index` to `line`.
    #[inline(always)]
    fn after_moves<const ALONG: usize, const ACROSS: usize>(
        &self,
        axis: &Axis,
        index: usize,
        line: u16,
    ) -> [Leaf; 2] {
        let slides = self.slides::<ALONG>().slides(line);
        [
            self.after_move::<ALONG, ACROSS>(&axis.to_first, index, line, slides.to_first),
            self.after_move::<ALONG, ACROSS>(&axis.to_last, index, line, slides.to_last),
        ]
    }

    /// The board after a move. `slid` is the move without the random tile; line `index` is `before` with the tile
    /// and `after` when slid. The value is computed for illegal moves too, so that no branch is needed.
    #[inline(always)]
    fn after_move<const ALONG: usize, const ACROSS: usize>(
        &self,
        slid: &SlidAxis,
        index: usize,
        before: u16,
        after: u16,
    ) -> Leaf {
        let is_legal = (slid.changed & !(1 << index) != 0) | (before != after);
        let crossing =
            Board(slid.crossing & !(FIRST_CROSSING << (4 * index)) | spread(after) << (4 * index));
        let own = self.tables[ALONG][index][after as usize];
        let mut value = slid.sum - slid.values[index] + own;
        for line in 0..4 {
            value += self.tables[ACROSS][line][crossing.row(line) as usize];
        }
        // If the lines are columns of the board, `crossing` is the moved board itself.
        let board = if ALONG == COLUMNS || !T::ACTIVE {
            crossing
        } else {
            crossing.transpose()
        };
        Leaf {
            board,
            value,
            is_legal,
        }
    }
}
