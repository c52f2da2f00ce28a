//! What a position looks like, whatever its game: a grid of coloured cells with a short text each.
//! Games say what to show, nothing here knows on what it is drawn.

/// Red, green and blue.
pub type Color = [u8; 3];

/// One cell of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What stands in it; empty for an empty cell.
    pub text: String,
    /// Color of the cell.
    pub ground: Color,
    /// Color of its text.
    pub ink: Color,
}

/// A position as rows of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Cells of a row.
    pub columns: usize,
    /// The cells, row by row from the top left.
    pub cells: Vec<Cell>,
    /// What stands below each column; nothing for no column.
    pub footer: Vec<String>,
    /// Color of what holds the cells.
    pub frame: Color,
}
