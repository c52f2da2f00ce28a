//! The visual form of a position of 3+3: a blue 1, a red 2, and larger tiles from white to red.

use crate::games::three_plus_three::rules::Position;
use crate::player::position;
use crate::player::view::{Cell, Color, Grid};

const FRAME: Color = [0x9c, 0xb9, 0xb9];
const EMPTY: Color = [0xbb, 0xd9, 0xd9];
const DARK_INK: Color = [0x26, 0x26, 0x26];
const LIGHT_INK: Color = [0xff, 0xff, 0xff];
/// Background and text color by rank. The last entry is also used for larger ranks.
const TILES: [(Color, Color); 10] = [
    (EMPTY, DARK_INK),
    ([0x52, 0xa8, 0xe6], DARK_INK),
    ([0xee, 0x5a, 0x78], DARK_INK),
    ([0xff, 0xff, 0xff], DARK_INK),
    ([0xfd, 0xf4, 0xdc], DARK_INK),
    ([0xfb, 0xe6, 0xb4], DARK_INK),
    ([0xf8, 0xd2, 0x88], DARK_INK),
    ([0xf4, 0xb5, 0x64], DARK_INK),
    ([0xe8, 0x8e, 0x4a], DARK_INK),
    ([0xbd, 0x53, 0x30], LIGHT_INK),
];

impl position::Position for Position {
    fn counts(&self) -> Vec<(&'static str, u64)> {
        vec![("next", self.next.into())]
    }

    fn grid(&self) -> Grid {
        let cell = |(rank, tile): (u8, u32)| {
            let (ground, ink) = TILES[usize::from(rank).min(TILES.len() - 1)];
            let text = if tile == 0 {
                String::new()
            } else {
                tile.to_string()
            };
            Cell { text, ground, ink }
        };
        let cells = self.board.ranks().into_iter().zip(self.tiles());
        Grid {
            columns: 4,
            cells: cells.map(cell).collect(),
            footer: Vec::new(),
            frame: FRAME,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::board::Board;
    use crate::player::position::Position as _;
    use crate::player::view;

    #[test]
    fn every_tile_has_its_color() {
        let ranks = [0, 1, 2, 3, 9, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let board = Board::from_ranks(ranks);
        let grid = Position { board, next: 1 }.grid();
        let texts: Vec<&str> = grid.cells[..6].iter().map(|cell| &*cell.text).collect();
        assert_eq!(texts, ["", "1", "2", "3", "192", "12288"]);
        assert_eq!(grid.cells[5].ground, TILES[9].0);
        let board = Board::from_ranks(std::array::from_fn(|rank| rank as u8));
        view::expect_readable(&Position { board, next: 1 }.grid());
    }
}
