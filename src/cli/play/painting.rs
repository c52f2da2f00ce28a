//! A position as lines of text: in the colors of the terminal, or without colors and with borders of characters.

use crate::player::view::{Color, Grid};

/// Width of a cell, on boards with wide and with narrow cells.
const CELL: [usize; 2] = [7, 3];
/// Largest number of columns of a board with wide cells.
const MOST_COLUMNS_OF_WIDE_CELLS: usize = 4;
/// Width of the gap between two cells. It looks about as wide as a line is high.
const GAP: usize = 2;

/// The available colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Palette {
    /// No colors.
    None,
    /// The 6x6x6 color cube and the greys of xterm.
    Xterm256,
    /// 24 bits.
    True,
}

impl Palette {
    /// The colors according to the environment; `NO_COLOR` switches them off.
    pub(super) fn of_environment() -> Self {
        let variable = |name| std::env::var(name).unwrap_or_default();
        if !variable("NO_COLOR").is_empty() {
            Palette::None
        } else if ["truecolor", "24bit"].contains(&variable("COLORTERM").as_str()) {
            Palette::True
        } else {
            Palette::Xterm256
        }
    }

    /// Text with a background color.
    fn paint(self, text: &str, ground: Color, ink: Color) -> String {
        let code = |color: Color| match self {
            Palette::True => format!("2;{};{};{}", color[0], color[1], color[2]),
            _ => format!("5;{}", nearest_of_256(color)),
        };
        match self {
            Palette::None => text.to_owned(),
            _ => format!("\x1b[48;{};38;{};1m{text}\x1b[0m", code(ground), code(ink)),
        }
    }

    /// Bold text.
    pub(super) fn bold(self, text: &str) -> String {
        match self {
            Palette::None => text.to_owned(),
            _ => format!("\x1b[1m{text}\x1b[0m"),
        }
    }
}

/// The nearest color among those that are equal on all terminals with 256 colors. 16 to 231 are a cube of six levels
/// (red, green, blue), 232 to 255 are greys from 8 in steps of 10.
fn nearest_of_256(color: Color) -> u8 {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let shown = |number: u8| match number.checked_sub(232) {
        Some(grey) => [8 + 10 * grey; 3],
        None => {
            let cell = usize::from(number - 16);
            [cell / 36, cell / 6 % 6, cell % 6].map(|level| LEVELS[level])
        }
    };
    let distance = |number: u8| -> u32 {
        let pairs = shown(number).into_iter().zip(color);
        pairs.map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
    };
    (16..=255)
        .min_by_key(|&number| distance(number))
        .unwrap_or(16)
}

/// Width of the lines of [`board`].
pub(super) fn width(grid: &Grid) -> usize {
    grid.columns * (cell_width(grid) + GAP) + GAP
}

fn cell_width(grid: &Grid) -> usize {
    CELL[usize::from(grid.columns > MOST_COLUMNS_OF_WIDE_CELLS)]
}

/// A position as lines, with cells that are `height` lines high.
pub(super) fn board(grid: &Grid, palette: Palette, height: usize) -> Vec<String> {
    let frame = |width| palette.paint(&" ".repeat(width), grid.frame, grid.frame);
    let (beam, post) = match palette {
        Palette::None => {
            let cell = format!("+{}", "-".repeat(cell_width(grid) + GAP - 1));
            (format!("{}+ ", cell.repeat(grid.columns)), "| ".to_owned())
        }
        _ => (frame(width(grid)), frame(GAP)),
    };
    let mut lines = vec![beam.clone()];
    for row in grid.cells.chunks(grid.columns) {
        for line in 0..height {
            let cells = row.iter().map(|cell| {
                let text = if line == height / 2 { &*cell.text } else { "" };
                let text = format!("{text:^width$}", width = cell_width(grid));
                palette.paint(&text, cell.ground, cell.ink)
            });
            let inner = cells.collect::<Vec<_>>().join(&post);
            lines.push(format!("{post}{inner}{post}"));
        }
        lines.push(beam.clone());
    }
    if !grid.footer.is_empty() {
        let columns = grid.footer.iter();
        let columns = columns.map(|text| format!("{text:^width$}", width = cell_width(grid) + GAP));
        let columns: String = columns.collect();
        lines.push(format!("{columns:^width$}", width = width(grid)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::rules::{BoardPosition, Rules, Turn};
    use crate::games::twenty48::rules::Board;
    use crate::player::position::Position as _;

    fn sample() -> Grid {
        Board::from_ranks([1, 0, 0, 0, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15]).grid()
    }

    #[test]
    fn without_colors_there_are_borders_of_the_same_width() {
        let lines = board(&sample(), Palette::None, 1);
        assert_eq!(lines[0], "+--------+--------+--------+--------+ ");
        assert_eq!(lines[1], "|    2   |        |        |        | ");
        assert_eq!(lines.len(), 9);
    }

    #[test]
    fn a_board_of_many_columns_is_narrow_and_names_them() {
        let rules = Rules::published();
        let start = Turn::START;
        let turn = start.after(rules.stone(start.position, 2).unwrap());
        let lines = board(&BoardPosition { rules, turn }.grid(), Palette::None, 1);
        assert_eq!(lines[13], "|    |    |  ● |    |    |    | ");
        assert_eq!(lines[14], "+----+----+----+----+----+----+ ");
        assert_eq!(lines[15], "   1    2    3    4    5    6   ");
        assert!(lines.iter().all(|line| line.chars().count() == 32));
    }

    #[test]
    fn colors_are_those_of_the_terminal() {
        let lines = board(&sample(), Palette::True, 3);
        assert_eq!(lines.len(), 17);
        assert!(lines[2].contains("\x1b[48;2;238;228;218;38;2;43;34;25;1m   2   \x1b[0m"));
        let lines = board(&sample(), Palette::Xterm256, 1);
        assert!(lines[7].contains(" 32768 "));
        assert!(lines[7].contains("48;5;"), "{:?}", lines[7]);
        assert_eq!(nearest_of_256([255, 255, 255]), 231);
        assert_eq!(nearest_of_256([0, 0, 0]), 16);
    }
}
