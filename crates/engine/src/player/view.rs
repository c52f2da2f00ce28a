//! The visual form of a position of any game: a grid of colored cells with short texts. It must not depend on
//! the device that displays it.

/// Red, green and blue, 0 to 255 each.
pub type Color = [u8; 3];

/// One cell of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The text; empty for an empty cell.
    pub text: String,
    /// Background color.
    pub ground: Color,
    /// Text color.
    pub ink: Color,
}

/// A position as rows of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Number of cells in a row.
    pub columns: usize,
    /// The cells, row by row from the top left.
    pub cells: Vec<Cell>,
    /// Texts below the columns; empty if there are none.
    pub footer: Vec<String>,
    /// Color of the frame around the cells.
    pub frame: Color,
}

impl Default for Grid {
    /// A grid without cells.
    fn default() -> Self {
        Grid {
            columns: 1,
            cells: Vec::new(),
            footer: Vec::new(),
            frame: [0; 3],
        }
    }
}
