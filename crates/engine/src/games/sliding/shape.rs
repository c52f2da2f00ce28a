//! The size of a board of sliding tiles: 2 to 4 rows and 2 to 4 columns. All sizes have the same 64 bits: cell
//! (row r, column c) is always nibble 4r+c. The cells outside of a smaller board are 0; they are not empty
//! cells, and nothing slides into them.

use std::fmt;
use std::str::FromStr;

/// Number of rows and columns of a board, 2 to 4 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    rows: u8,
    columns: u8,
}

/// The reason why a text or a size is not a [`Shape`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// The text is not a number of rows and a number of columns.
    #[error("`{0}` is not a board: write rows x columns, 2 to 4 each, such as 3x4")]
    Text(String),
    /// The board is too small or too large.
    #[error(
        "boards of {rows}x{columns} are not built in, only those of 2 to 4 rows and 2 to 4 columns. For another size \
         tune a program of your own (docs/external.md)"
    )]
    Size {
        /// Number of rows.
        rows: u32,
        /// Number of columns.
        columns: u32,
    },
}

/// Smallest number of rows and of columns.
const FEWEST: u8 = 2;
/// Largest number of rows and of columns.
const MOST: u8 = 4;

impl Shape {
    /// The board of 4 rows and 4 columns.
    pub const STANDARD: Shape = Shape {
        rows: MOST,
        columns: MOST,
    };

    /// The board with this number of rows and columns.
    ///
    /// # Errors
    /// If one of them is not from 2 to 4.
    pub fn new(rows: u32, columns: u32) -> Result<Self, ShapeError> {
        let side = |number: u32| {
            let number = u8::try_from(number).ok()?;
            (FEWEST..=MOST).contains(&number).then_some(number)
        };
        match (side(rows), side(columns)) {
            (Some(rows), Some(columns)) => Ok(Shape { rows, columns }),
            _ => Err(ShapeError::Size { rows, columns }),
        }
    }

    /// All sizes, the smallest first.
    pub fn all() -> impl Iterator<Item = Shape> {
        (FEWEST..=MOST).flat_map(|rows| (FEWEST..=MOST).map(move |columns| Shape { rows, columns }))
    }

    /// Number of rows. It is also the length of a column.
    #[inline(always)]
    pub fn rows(self) -> usize {
        self.rows.into()
    }

    /// Number of columns. It is also the length of a row.
    #[inline(always)]
    pub fn columns(self) -> usize {
        self.columns.into()
    }

    /// Number of cells.
    pub fn number_of_cells(self) -> usize {
        self.rows() * self.columns()
    }

    /// The cells in reading order, each as the number of its nibble: 4 * row + column.
    pub fn cells(self) -> impl Iterator<Item = usize> + Clone {
        let columns = self.columns();
        (0..self.number_of_cells()).map(move |cell| 4 * (cell / columns) + cell % columns)
    }

    /// The bits of all cells: four for each.
    pub fn mask(self) -> u64 {
        self.cells().fold(0, |mask, cell| mask | 0xF << (4 * cell))
    }

    /// The lowest bit of each cell, as in [`Board::empty_mask`](super::Board::empty_mask).
    pub fn low_bits(self) -> u64 {
        self.mask() & 0x1111_1111_1111_1111
    }

    /// The cells in the corners: four bits for each.
    pub fn corners(self) -> u64 {
        let (row, column) = (self.rows() - 1, self.columns() - 1);
        let corners = [0, column, 4 * row, 4 * row + column];
        corners
            .iter()
            .fold(0, |mask, cell| mask | 0xF << (4 * cell))
    }

    /// The cells on an edge, corners included: four bits for each.
    pub fn edges(self) -> u64 {
        let is_on_edge = |cell: &usize| {
            let (row, column) = (cell / 4, cell % 4);
            row == 0 || column == 0 || row + 1 == self.rows() || column + 1 == self.columns()
        };
        let edges = self.cells().filter(is_on_edge);
        edges.fold(0, |mask, cell| mask | 0xF << (4 * cell))
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{}x{}", self.rows, self.columns)
    }
}

impl FromStr for Shape {
    type Err = ShapeError;

    /// Reads rows and columns, such as `3x4`.
    fn from_str(text: &str) -> Result<Self, ShapeError> {
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let sides = text.split_once(['x', 'X', '×']);
        let sides = sides.and_then(|(rows, columns)| Some((number(rows)?, number(columns)?)));
        let (rows, columns) = sides.ok_or_else(|| ShapeError::Text(text.to_owned()))?;
        Shape::new(rows, columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_sizes_are_read_and_written() {
        let all: Vec<Shape> = Shape::all().collect();
        assert_eq!(all.len(), 9);
        for shape in all {
            assert_eq!(shape.to_string().parse(), Ok(shape));
        }
        for text in ["4x4", "4X4", " 4 x 4 ", "4×4"] {
            assert_eq!(text.parse(), Ok(Shape::STANDARD), "{text}");
        }
        let refused = |text: &str| text.parse::<Shape>().unwrap_err().to_string();
        for text in ["", "4", "x", "4x", "4x4x4", "-3x4", "3.5x4", "four"] {
            assert!(refused(text).contains("write rows x columns"), "{text}");
        }
        for text in ["5x5", "1x4", "4x5", "0x0", "300x2"] {
            assert!(refused(text).contains("docs/external.md"), "{text}");
        }
    }

    #[test]
    fn masks_are_those_of_the_cells() {
        assert_eq!(Shape::STANDARD.mask(), u64::MAX);
        assert_eq!(Shape::STANDARD.corners(), 0xF00F_0000_0000_F00F);
        assert_eq!(Shape::STANDARD.edges(), 0xFFFF_F00F_F00F_FFFF);
        let shape: Shape = "2x3".parse().unwrap();
        assert_eq!(shape.cells().collect::<Vec<_>>(), [0, 1, 2, 4, 5, 6]);
        assert_eq!(shape.mask(), 0x0FFF_0FFF);
        assert_eq!(shape.low_bits(), 0x0111_0111);
        assert_eq!(shape.corners(), 0x0F0F_0F0F);
        assert_eq!(shape.edges(), shape.mask());
        for shape in Shape::all() {
            assert_eq!(
                shape.mask().count_ones() as usize,
                4 * shape.number_of_cells()
            );
            assert_eq!(shape.edges() & !shape.mask(), 0);
            assert_eq!(shape.corners() & !shape.edges(), 0);
        }
    }
}
