//! The visual form of a position of 2048: tiles in the colors of the original game, with a darker text that can be read on
//! them.

use crate::games::sliding::Shape;
use crate::games::twenty48::rules::Board;
use crate::player::position::Position;
use crate::player::view::{Cell, Color, Grid};

const FRAME: Color = [0xbb, 0xad, 0xa0];
const EMPTY: Color = [0xcd, 0xc1, 0xb4];
/// Background colors of the tiles 2 to 2048.
const TILES: [Color; 11] = [
    [0xee, 0xe4, 0xda],
    [0xed, 0xe0, 0xc8],
    [0xf2, 0xb1, 0x79],
    [0xf5, 0x95, 0x63],
    [0xf6, 0x7c, 0x5f],
    [0xf6, 0x5e, 0x3b],
    [0xed, 0xcf, 0x72],
    [0xed, 0xcc, 0x61],
    [0xed, 0xc8, 0x50],
    [0xed, 0xc5, 0x3f],
    [0xed, 0xc2, 0x2e],
];
/// Background color of tiles above 2048.
const BEYOND: Color = [0x3c, 0x3a, 0x32];
const DARK_INK: Color = [0x2b, 0x22, 0x19];
/// Text color of tiles above 2048.
const LIGHT_INK: Color = [0xf9, 0xf6, 0xf2];

/// A position of a variation: a board of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SizedBoard {
    /// The size.
    pub shape: Shape,
    /// The board. Cells outside of the shape are 0.
    pub board: Board,
}

impl SizedBoard {
    /// The tiles, row by row from the top left; 0 for an empty cell.
    pub fn tiles(self) -> impl Iterator<Item = u32> {
        let tiles = self.board.tiles();
        self.shape.cells().map(move |cell| tiles[cell])
    }
}

impl Position for Board {
    fn grid(&self) -> Grid {
        grid(4, self.tiles())
    }
}

impl Position for SizedBoard {
    fn grid(&self) -> Grid {
        grid(self.shape.columns(), self.tiles())
    }
}

fn grid(columns: usize, tiles: impl IntoIterator<Item = u32>) -> Grid {
    Grid {
        columns,
        cells: tiles.into_iter().map(cell).collect(),
        footer: Vec::new(),
        frame: FRAME,
    }
}

fn cell(tile: u32) -> Cell {
    if tile == 0 {
        return Cell {
            text: String::new(),
            ground: EMPTY,
            ink: DARK_INK,
        };
    }
    let known = TILES.get(tile.ilog2() as usize - 1);
    let (ground, ink) = known.map_or((BEYOND, LIGHT_INK), |ground| (*ground, DARK_INK));
    Cell {
        text: tile.to_string(),
        ground,
        ink,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::view;

    #[test]
    fn every_tile_has_its_color() {
        let grid = Board::from_ranks([0, 1, 2, 11, 12, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).grid();
        assert_eq!(grid.cells.len(), 16);
        let texts: Vec<&str> = grid.cells[..6].iter().map(|cell| &*cell.text).collect();
        assert_eq!(texts, ["", "2", "4", "2048", "4096", "32768"]);
        let grounds: Vec<Color> = grid.cells[..6].iter().map(|cell| cell.ground).collect();
        assert_eq!(
            grounds,
            [EMPTY, TILES[0], TILES[1], TILES[10], BEYOND, BEYOND]
        );
        let all = Board::from_ranks(std::array::from_fn(|rank| rank as u8));
        view::expect_readable(&all.grid());
    }
}
