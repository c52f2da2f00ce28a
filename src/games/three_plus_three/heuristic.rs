//! The heuristic terms of 3+3: terms of [`crate::games::sliding`], and terms for the rules of 3+3.
//! Tiles do not slide over gaps, so only neighbours can merge, and a 1 merges only with a 2.
//!
//! The board terms `directions` and `moves` have no vector kernel; see
//! [`crate::games::sliding::board_terms`].

use crate::games::sliding::board_terms::{BoardTerm, CORNER, EDGE, MAX_TILE, Measure};
use crate::games::sliding::line_terms::{
    EMPTY, LINE_END, LOST_PENALTY, LineTerm, MONOTONICITY, Powers, RANK_SUM, SMOOTHNESS,
};
use crate::games::sliding::{Line, Terms, rows::pack};
use crate::games::three_plus_three::rules::line_facts::FactTable;
use crate::games::three_plus_three::rules::{THREE, merged};
use crate::heuristic::Declared;

/// The terms of 3+3. The defaults of shared terms are those of 2048. The others were chosen by
/// hand.
pub const TERMS: Terms = Terms {
    lines: &[
        LOST_PENALTY,
        EMPTY,
        MONOTONICITY,
        RANK_SUM,
        SMOOTHNESS,
        LINE_END,
        TWINS,
        ONE_TWO,
        STEPS,
        WEDGED,
        OPEN,
    ],
    boards: &[MAX_TILE, EDGE, CORNER, DIRECTIONS, MOVES],
};

const TWINS: LineTerm = LineTerm {
    name: "twins",
    doc: "number of pairs of equal neighbours greater than 2: possible merges",
    weight: Declared::weight(700.0, 0.0, 5_000.0),
    power: None,
    value: |line, _| neighbours(line, |one, other| one == other && one >= THREE),
};

const ONE_TWO: LineTerm = LineTerm {
    name: "one_two",
    doc: "number of pairs of neighbours 1 and 2: possible merges",
    weight: Declared::weight(700.0, 0.0, 5_000.0),
    power: None,
    value: |line, _| {
        neighbours(line, |one, other| {
            merged(one, other) == Some(THREE) && one != other
        })
    },
};

const STEPS: LineTerm = LineTerm {
    name: "steps",
    doc: "number of pairs of neighbours greater than 2 of which one is twice the other",
    weight: Declared::weight(0.0, 0.0, 3_000.0),
    power: None,
    value: |line, _| {
        neighbours(line, |one, other| {
            one.min(other) >= THREE && one.abs_diff(other) == 1
        })
    },
};

const WEDGED: LineTerm = LineTerm {
    name: "wedged",
    doc: "minus the number of tiles between two larger neighbours (the edge counts as larger), \
          neither of them twice the tile",
    weight: Declared::weight(0.0, 0.0, 3_000.0),
    power: None,
    value: wedged,
};

const OPEN: LineTerm = LineTerm {
    name: "open",
    doc: "1 if the line has a gap or a possible merge, so that a tile can appear at its end",
    weight: Declared::weight(0.0, 0.0, 10_000.0),
    power: None,
    value: |line, _| f64::from(FactTable::get().of(pack(line)).is_open()),
};

const DIRECTIONS: BoardTerm = BoardTerm {
    name: "directions",
    doc: "number of legal directions",
    weight: Declared::weight(0.0, 0.0, 20_000.0),
    measure: Measure::Other(|board| {
        let [rows, columns] = FactTable::get().sums(board);
        (rows.directions() + columns.directions()) as u8
    }),
};

const MOVES: BoardTerm = BoardTerm {
    name: "moves",
    doc: "number of legal moves, each counted once for every cell where the next tile can appear",
    weight: Declared::weight(0.0, 0.0, 5_000.0),
    measure: Measure::Other(|board| {
        let [rows, columns] = FactTable::get().sums(board);
        (rows.moves() + columns.moves()) as u8
    }),
};

/// Number of pairs of neighbouring cells with a property.
fn neighbours(line: Line, holds: fn(u8, u8) -> bool) -> f64 {
    let pairs = line.windows(2);
    pairs.filter(|pair| holds(pair[0], pair[1])).count() as f64
}

/// The edge counts as a neighbour larger than every tile.
fn wedged(line: Line, _: &Powers) -> f64 {
    const EDGE: u8 = 255;
    let beside = |cell: usize| {
        [
            cell.checked_sub(1).map_or(EDGE, |before| line[before]),
            line.get(cell + 1).copied().unwrap_or(EDGE),
        ]
    };
    let is_wedged = |cell: &usize| {
        let rank = line[*cell];
        rank > 0 && beside(*cell).into_iter().all(|other| other > rank + 1)
    };
    -((0..4).filter(is_wedged).count() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::board_terms::LARGEST;
    use crate::games::sliding::table::powers;
    use crate::games::three_plus_three::rules::samples::positions;

    fn line_value(name: &str, line: Line) -> f64 {
        let term = TERMS.lines.iter().find(|term| term.name == name);
        (term.unwrap().value)(line, &powers(1.0))
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
    fn a_line_and_its_mirror_image_have_one_value() {
        TERMS.check_mirror_images();
    }

    #[test]
    fn a_board_and_its_transposed_image_have_one_value() {
        for position in positions(500) {
            for term in TERMS.boards {
                let value = term.measure.of(position.board);
                assert_eq!(value, term.measure.of(position.board.transpose()));
                assert!(value <= LARGEST);
            }
        }
    }

    #[test]
    fn keys_are_unique() {
        let parameters = TERMS.parameters();
        for (index, parameter) in parameters.iter().enumerate() {
            let before = &parameters[..index];
            assert!(before.iter().all(|other| other.key != parameter.key));
        }
    }
}
