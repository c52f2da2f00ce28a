//! Heuristic terms of the whole board. Line terms are tabulated; board terms are computed at every leaf, and
//! only if their weight is not 0 (see [`crate::games::sliding::heuristic`]).
//!
//! The vector kernels support only [`BoardMeasure::LargestTile`], with at most one term for each [`CellSet`]. A
//! search with any other board term uses the portable code, which is slower.

use crate::games::sliding::board::Board;
use crate::games::sliding::shape::Shape;
use crate::heuristic::ParameterRange;

/// A term of the whole board. Its [`BoardMeasure`] decides whether a search can use vector instructions.
pub struct BoardTerm {
    /// Key of its weight.
    pub name: &'static str,
    /// One sentence: what it measures.
    pub doc: &'static str,
    /// Range and default of its weight.
    pub weight: ParameterRange,
    /// The measured quantity.
    pub measure: BoardMeasure,
}

/// The quantity that a board term measures, from 0 to [`LARGEST`]. It must be equal for a board and the
/// transposed board.
#[derive(Clone, Copy)]
pub enum BoardMeasure {
    /// The rank of the largest tile if a tile of this rank is in one of the cells of [`CellSet`]; otherwise 0.
    /// The vector kernels support it.
    LargestTile(CellSet),
    /// Any other function, of boards of 4x4 cells. A search with such a term uses the portable code.
    Other(fn(Board) -> u8),
}

/// A set of cells of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellSet {
    /// All cells.
    Anywhere,
    /// The cells on an edge, corners included.
    Edge,
    /// The four corner cells.
    Corner,
}

impl BoardMeasure {
    /// The value of the measure on a board. `cells` are its [`BoardMeasure::cells`].
    #[inline]
    pub fn of(self, board: Board, cells: u64) -> u8 {
        match self {
            BoardMeasure::LargestTile(_) => {
                let (rank, at) = board.largest();
                rank * u8::from(at & cells != 0)
            }
            BoardMeasure::Other(value) => value(board),
        }
    }

    /// The cells of its [`CellSet`] on boards of a size, four bits for each.
    pub fn cells(self, shape: Shape) -> u64 {
        match self {
            BoardMeasure::LargestTile(CellSet::Edge) => shape.edges(),
            BoardMeasure::LargestTile(CellSet::Corner) => shape.corners(),
            BoardMeasure::LargestTile(CellSet::Anywhere) | BoardMeasure::Other(_) => u64::MAX,
        }
    }
}

/// Largest value of a board term.
pub const LARGEST: u8 = 16;

/// See [`BoardTerm::doc`] of the constant.
pub const MAX_TILE: BoardTerm = BoardTerm {
    name: "max_tile",
    doc: "rank of the largest tile",
    weight: ParameterRange::weight(0.0, 0.0, 20_000.0),
    measure: BoardMeasure::LargestTile(CellSet::Anywhere),
};

/// See [`BoardTerm::doc`] of the constant.
pub const EDGE: BoardTerm = BoardTerm {
    name: "edge",
    doc: "rank of the largest tile, if it lies on an edge of the board",
    weight: ParameterRange::weight(0.0, 0.0, 20_000.0),
    measure: BoardMeasure::LargestTile(CellSet::Edge),
};

/// See [`BoardTerm::doc`] of the constant.
pub const CORNER: BoardTerm = BoardTerm {
    name: "corner",
    doc: "rank of the largest tile, if it lies in a corner of the board",
    weight: ParameterRange::weight(0.0, 0.0, 20_000.0),
    measure: BoardMeasure::LargestTile(CellSet::Corner),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::heuristic::BOARDS;

    #[test]
    fn terms_measure_what_they_say() {
        let value = |name: &str, ranks: [u8; 16]| {
            let term = BOARDS.iter().find(|term| term.name == name).unwrap();
            let cells = term.measure.cells(Shape::STANDARD);
            term.measure.of(Board::from_ranks(ranks), cells)
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
