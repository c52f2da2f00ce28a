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

/// Checks that the texts of all cells can be read on their backgrounds: a contrast of 4.5 or more, as level AA of the Web
/// Content Accessibility Guidelines 2.2 (1.4.3) asks for.
#[cfg(test)]
pub(crate) fn expect_readable(grid: &Grid) {
    // Relative luminance, as these guidelines define it.
    let luminance = |color: Color| {
        let linear = color.map(|part| match f64::from(part) / 255.0 {
            dark if dark <= 0.04045 => dark / 12.92,
            light => ((light + 0.055) / 1.055).powf(2.4),
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    };
    for cell in grid.cells.iter().filter(|cell| !cell.text.is_empty()) {
        let [ground, ink] = [cell.ground, cell.ink].map(luminance);
        let contrast = (ground.max(ink) + 0.05) / (ground.min(ink) + 0.05);
        assert!(contrast >= 4.5, "{}: {contrast:.2}", cell.text);
    }
}
