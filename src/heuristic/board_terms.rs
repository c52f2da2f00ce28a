//! The terms that need the whole board. Unlike line terms they are computed at every leaf, so a
//! player pays for them only when a weight is not zero (see [`super::table`]).

use super::{Declared, Role};
use crate::game::board::Board;

/// A term over a whole board.
pub struct BoardTerm {
    /// Key of its weight.
    pub name: &'static str,
    /// What it measures, in one sentence.
    pub doc: &'static str,
    /// Its weight.
    pub weight: Declared,
    /// Its value on a board, 0 to [`LARGEST`]; the same for the transposed board.
    pub value: fn(Board) -> u8,
}

/// Largest value of a board term.
pub const LARGEST: u8 = 16;

/// The four corner cells.
const CORNERS: u64 = 0xF00F_0000_0000_F00F;
/// The twelve cells on an edge.
const EDGES: u64 = 0xFFFF_F00F_F00F_FFFF;

pub(super) const fn weight(max: f64) -> Declared {
    Declared {
        suffix: "",
        role: Role::Weight,
        default: 0.0,
        min: 0.0,
        max,
    }
}

/// The board terms of 2048, off until a campaign turns them on.
pub const BOARD_TERMS: &[BoardTerm] = &[MAX_TILE, EDGE, CORNER];

/// See its `doc`.
pub const MAX_TILE: BoardTerm = BoardTerm {
    name: "max_tile",
    doc: "rank of the largest tile",
    weight: weight(20_000.0),
    value: Board::max_rank,
};

/// See its `doc`.
pub const EDGE: BoardTerm = BoardTerm {
    name: "edge",
    doc: "rank of the largest tile if one such tile stands on an edge of the board",
    weight: weight(20_000.0),
    value: |board| largest_within(board, EDGES),
};

/// See its `doc`.
pub const CORNER: BoardTerm = BoardTerm {
    name: "corner",
    doc: "rank of the largest tile if one such tile stands in a corner of the board",
    weight: weight(20_000.0),
    value: |board| largest_within(board, CORNERS),
};

fn largest_within(board: Board, cells: u64) -> u8 {
    let largest = board.max_rank();
    if Board(board.0 & cells).max_rank() == largest {
        largest
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_measure_what_they_say() {
        let value = |name: &str, ranks: [u8; 16]| {
            let term = BOARD_TERMS.iter().find(|term| term.name == name).unwrap();
            (term.value)(Board::from_ranks(ranks))
        };
        let inside = [1, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2];
        let on_edge = [1, 9, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2];
        let in_corner = [1, 0, 0, 9, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2];
        for (ranks, expected) in [
            (inside, [9, 0, 0]),
            (on_edge, [9, 9, 0]),
            (in_corner, [9; 3]),
        ] {
            assert_eq!(
                ["max_tile", "edge", "corner"].map(|name| value(name, ranks)),
                expected
            );
        }
    }
}
