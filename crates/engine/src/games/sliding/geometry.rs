//! The cells and the slides of a board as a type, so that searches on 4x4 boards are compiled for them and lose
//! nothing to the smaller boards. It must not know a rule of a game.

use crate::games::sliding::board::Board;
use crate::games::sliding::rows::RowTable;
use crate::games::sliding::shape::Shape;

/// The cells of a board, and the slides of its rows and columns.
pub trait Geometry: Copy + Send + Sync + 'static {
    /// The slides of the rows.
    fn rows(&self) -> &'static RowTable;

    /// The slides of the columns.
    fn columns(&self) -> &'static RowTable;

    /// The empty cells of a board, as in [`Board::empty_mask`].
    fn empty_mask(&self, board: Board) -> u64;

    /// Number of empty cells.
    #[inline(always)]
    fn empty_cells(&self, board: Board) -> u32 {
        self.empty_mask(board).count_ones()
    }

    /// The boards after all moves, in the order of [`Direction::ALL`](super::Direction::ALL). An illegal move
    /// leaves the board as it is.
    #[inline(always)]
    fn all_moved(&self, board: Board) -> [Board; 4] {
        let [left, right] = board.both_slid(self.rows());
        let [up, down] = board.transpose().both_slid(self.columns());
        [up.transpose(), down.transpose(), left, right]
    }
}

/// The board of 4x4 cells.
#[derive(Clone, Copy)]
pub struct FourByFour(
    /// The slides of all lines.
    pub &'static RowTable,
);

impl Geometry for FourByFour {
    #[inline(always)]
    fn rows(&self) -> &'static RowTable {
        self.0
    }

    #[inline(always)]
    fn columns(&self) -> &'static RowTable {
        self.0
    }

    #[inline(always)]
    fn empty_mask(&self, board: Board) -> u64 {
        board.empty_mask()
    }
}

/// A board of any size.
#[derive(Clone, Copy)]
pub struct AnySize {
    rows: &'static RowTable,
    columns: &'static RowTable,
    cells: u64,
}

impl AnySize {
    /// The board of this size. `slides` are the slides of lines of a length.
    pub fn new(shape: Shape, slides: fn(usize) -> &'static RowTable) -> Self {
        AnySize {
            rows: slides(shape.columns()),
            columns: slides(shape.rows()),
            cells: shape.low_bits(),
        }
    }
}

impl Geometry for AnySize {
    #[inline(always)]
    fn rows(&self) -> &'static RowTable {
        self.rows
    }

    #[inline(always)]
    fn columns(&self) -> &'static RowTable {
        self.columns
    }

    #[inline(always)]
    fn empty_mask(&self, board: Board) -> u64 {
        board.empty_mask() & self.cells
    }
}
