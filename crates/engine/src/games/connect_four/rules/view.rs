//! The visual form of a position: red and yellow discs on a blue board.

use crate::games::connect_four::rules::{BoardPosition, Side};
use crate::player::position;
use crate::player::view::{Cell, Color, Grid};

const FRAME: Color = [0x1c, 0x4f, 0xb0];
const EMPTY: Color = [0x10, 0x2f, 0x6b];
const RED: Color = [0xe8, 0x3b, 0x2e];
const YELLOW: Color = [0xf7, 0xd1, 0x2f];
const INK: Color = [0x0c, 0x0c, 0x0c];

impl position::Position for BoardPosition {
    fn grid(&self) -> Grid {
        let BoardPosition { rules, turn } = self;
        let cell = |number| {
            let owner = Side::BOTH.into_iter().find(|side| side.number() == number);
            // Different characters distinguish the players where colors are not shown.
            let (text, ground) = match owner {
                None => ("", EMPTY),
                Some(Side::First) => ("●", RED),
                Some(Side::Second) => ("○", YELLOW),
            };
            Cell {
                text: text.into(),
                ground,
                ink: INK,
            }
        };
        Grid {
            columns: rules.columns() as usize,
            cells: turn.numbers(rules).into_iter().map(cell).collect(),
            footer: (1..=rules.columns())
                .map(|column| column.to_string())
                .collect(),
            frame: FRAME,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect_four::rules::{Rules, Turn};
    use crate::player::position::Position;
    use crate::player::view;

    #[test]
    fn players_differ_in_color_and_sign() {
        let rules = Rules::published();
        let mut turn = Turn::START;
        for column in [0, 5] {
            turn = turn.after(rules.stone(turn.position, column).unwrap());
        }
        let grid = BoardPosition { rules, turn }.grid();
        assert_eq!((grid.columns, grid.cells.len()), (6, 42));
        assert_eq!(grid.footer, ["1", "2", "3", "4", "5", "6"]);
        let bottom: Vec<&str> = grid.cells[36..].iter().map(|cell| &*cell.text).collect();
        assert_eq!(bottom, ["●", "", "", "", "", "○"]);
        let grounds = [36, 37, 41].map(|index| grid.cells[index].ground);
        assert_eq!(grounds, [RED, EMPTY, YELLOW]);
        view::expect_readable(&BoardPosition { rules, turn }.grid());
    }
}
