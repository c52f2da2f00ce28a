//! The heuristic terms of 3+3: the board terms that a heuristic can use, and the heuristic of the built-in
//! player. The latter is defined in `crates/engine/data/heuristics/three-plus-three.toml`.
//!
//! The board terms `directions` and `moves` have no vector kernel; see [`crate::games::sliding::board_terms`].

use std::sync::{Arc, LazyLock};

use crate::games::sliding::Definition;
use crate::games::sliding::board_terms::{BoardMeasure, BoardTerm, CORNER, EDGE, MAX_TILE};
use crate::games::three_plus_three::rules::line_facts::FactTable;
use crate::heuristic::ParameterRange;

/// The board terms that a heuristic of 3+3 can use.
pub const BOARDS: &[BoardTerm] = &[MAX_TILE, EDGE, CORNER, DIRECTIONS, MOVES];

/// The built-in heuristic.
pub static TERMS: LazyLock<Arc<Definition>> = LazyLock::new(|| {
    let text = include_str!("../../../data/heuristics/three-plus-three.toml");
    Arc::new(Definition::built_in(text, BOARDS))
});

const DIRECTIONS: BoardTerm = BoardTerm {
    name: "directions",
    doc: "number of legal directions",
    weight: ParameterRange::weight(0.0, 0.0, 20_000.0),
    measure: BoardMeasure::Other(|board| {
        let [rows, columns] = FactTable::get().sums(board);
        (rows.directions() + columns.directions()) as u8
    }),
};

const MOVES: BoardTerm = BoardTerm {
    name: "moves",
    doc: "number of legal moves, each counted once for every cell where the next tile can appear",
    weight: ParameterRange::weight(0.0, 0.0, 5_000.0),
    measure: BoardMeasure::Other(|board| {
        let [rows, columns] = FactTable::get().sums(board);
        (rows.moves() + columns.moves()) as u8
    }),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::board_terms::LARGEST;
    use crate::games::sliding::line_tables::LinePlace;
    use crate::games::sliding::{Line, Shape, rows::pack};
    use crate::games::three_plus_three::rules::samples::positions;
    use crate::heuristic::weights::Weights;

    fn line_value(name: &str, line: Line) -> f64 {
        let term = TERMS.terms.iter().find(|term| term.name == name);
        let weights = Weights::default().with([(name, 1.0)], TERMS.parameters());
        TERMS.contribution(
            term.unwrap(),
            LinePlace::row(0),
            pack(line),
            &weights.unwrap(),
        )
    }

    #[test]
    fn line_terms_measure_what_they_say() {
        for (name, line, expected) in [
            ("twins", [3, 3, 3, 0], 2.0),
            ("twins", [3, 0, 3, 1], 0.0),
            ("twins", [1, 1, 2, 2], 0.0),
            ("one_two", [1, 1, 2, 2], 1.0),
            ("one_two", [1, 2, 1, 2], 3.0),
            ("one_two", [1, 0, 2, 3], 0.0),
            ("steps", [3, 4, 5, 5], 2.0),
            ("steps", [2, 3, 1, 2], 0.0),
            ("wedged", [6, 3, 6, 0], -1.0),
            ("wedged", [6, 5, 6, 0], 0.0),
            ("wedged", [1, 6, 3, 5], -2.0),
            ("open", [1, 0, 0, 0], 1.0),
            ("open", [1, 3, 1, 4], 0.0),
            ("open", [1, 3, 1, 2], 1.0),
        ] {
            assert_eq!(line_value(name, line), expected, "{name} of {line:?}");
        }
    }

    #[test]
    fn a_board_and_its_transposed_image_have_one_value() {
        for position in positions(500) {
            for term in BOARDS {
                let cells = term.measure.cells(Shape::STANDARD);
                let value = term.measure.of(position.board, cells);
                assert_eq!(value, term.measure.of(position.board.transpose(), cells));
                assert!(value <= LARGEST);
            }
        }
    }
}
