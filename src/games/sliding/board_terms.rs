//! The terms that need the whole board. Unlike line terms they are computed at every leaf, so a
//! player pays for them only when a weight is not zero (see [`crate::games::sliding::table`]).

use crate::games::sliding::board::Board;
use crate::heuristic::Declared;

/// A term over a whole board.
pub struct BoardTerm {
    /// Key of its weight.
    pub name: &'static str,
    /// What it measures, in one sentence.
    pub doc: &'static str,
    /// Its weight.
    pub weight: Declared,
    /// What it measures.
    pub measure: Measure,
}

/// What a board term measures: 0 to [`LARGEST`], the same for the transposed board.
#[derive(Clone, Copy)]
pub enum Measure {
    /// The rank of the largest tile, if one such tile stands there; kernels know this one.
    LargestTile(Place),
    /// Anything else.
    Other(fn(Board) -> u8),
}

/// Cells of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// All sixteen.
    Anywhere,
    /// The twelve on an edge.
    Edge,
    /// The four in a corner.
    Corner,
}

impl Measure {
    /// Its value on a board.
    #[inline]
    pub fn of(self, board: Board) -> u8 {
        match self {
            Measure::LargestTile(place) => {
                let (rank, cells) = board.largest();
                let stands_there = match place {
                    Place::Anywhere => true,
                    Place::Edge => cells & EDGES != 0,
                    Place::Corner => cells & CORNERS != 0,
                };
                rank * u8::from(stands_there)
            }
            Measure::Other(value) => value(board),
        }
    }
}

/// Largest value of a board term.
pub const LARGEST: u8 = 16;

/// The four corner cells.
const CORNERS: u64 = 0xF00F_0000_0000_F00F;
/// The twelve cells on an edge.
const EDGES: u64 = 0xFFFF_F00F_F00F_FFFF;

/// See its `doc`.
pub const MAX_TILE: BoardTerm = BoardTerm {
    name: "max_tile",
    doc: "rank of the largest tile",
    weight: Declared::weight(0.0, 0.0, 20_000.0),
    measure: Measure::LargestTile(Place::Anywhere),
};

/// See its `doc`.
pub const EDGE: BoardTerm = BoardTerm {
    name: "edge",
    doc: "rank of the largest tile if one such tile stands on an edge of the board",
    weight: Declared::weight(0.0, 0.0, 20_000.0),
    measure: Measure::LargestTile(Place::Edge),
};

/// See its `doc`.
pub const CORNER: BoardTerm = BoardTerm {
    name: "corner",
    doc: "rank of the largest tile if one such tile stands in a corner of the board",
    weight: Declared::weight(0.0, 0.0, 20_000.0),
    measure: Measure::LargestTile(Place::Corner),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::heuristic::TERMS;

    #[test]
    fn terms_measure_what_they_say() {
        let value = |name: &str, ranks: [u8; 16]| {
            let term = TERMS.boards.iter().find(|term| term.name == name).unwrap();
            term.measure.of(Board::from_ranks(ranks))
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
