//! The six features of the minimax study of 2048. This is their only definition; [`super::sum`] computes their
//! weighted sum fast.
//!
//! Features read the board along a snake: rows 0 and 2 from left to right, rows 1 and 3 from right to left, so
//! that consecutive cells are neighbours. The rank of a tile is its log2; an empty cell has rank 0. Two
//! features of the published program differ from their description in the article. They exist in both forms.

use crate::games::twenty48::rules::Board;
use crate::heuristic::{Form, Parameter, ParameterRange};

/// The ranks along the snake.
pub type Snake = [u8; 16];

/// A feature of the study.
pub struct Feature {
    /// Key of its weight.
    pub name: &'static str,
    /// One sentence: what it measures.
    pub doc: &'static str,
    /// Range and default of its weight.
    pub weight: ParameterRange,
    /// The value as computed by the published program.
    pub value: fn(&Snake) -> f64,
    /// The value as described in the article; `None` if it is the same.
    pub intended: Option<fn(&Snake) -> f64>,
}

/// The chosen forms of the two features that exist in two forms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forms {
    /// Form of `smooth`.
    pub smooth: Form,
    /// Form of `repeat`.
    pub repeat: Form,
}

/// All features; the default weights are those of the published combination.
pub const FEATURES: [Feature; 6] = [
    Feature {
        name: "smooth",
        doc: "minus the sum of rank differences along the snake; published form: signed, so that only \
              the two ends matter; intended form: absolute",
        weight: ParameterRange::weight(1.0, 0.0, 10.0),
        value: |snake| f64::from(snake[0]) - f64::from(snake[15]),
        intended: Some(|snake| {
            let steps = snake.windows(2).map(|pair| pair[0].abs_diff(pair[1]));
            -f64::from(steps.map(u32::from).sum::<u32>())
        }),
    },
    Feature {
        name: "mono",
        doc: "minus the number of descents along the snake; prefers large tiles at its end",
        weight: ParameterRange::weight(2.0, 0.0, 10.0),
        value: |snake| -count(snake.windows(2).filter(|pair| pair[0] > pair[1])),
        intended: None,
    },
    Feature {
        name: "empty_cells",
        doc: "number of empty cells",
        weight: ParameterRange::weight(3.0, 0.0, 10.0),
        value: |snake| count(snake.iter().filter(|&&rank| rank == 0)),
        intended: None,
    },
    Feature {
        name: "max_level",
        doc: "rank of the largest tile",
        weight: ParameterRange::weight(1.0, 0.0, 10.0),
        value: |snake| snake.iter().copied().max().map_or(0.0, f64::from),
        intended: None,
    },
    Feature {
        name: "repeat",
        doc: "minus the number of tiles equal to another tile; published form: always 0, because \
              its counters are never increased",
        weight: ParameterRange::weight(0.0, 0.0, 10.0),
        value: |_| 0.0,
        intended: Some(|snake| {
            let tiles = count(snake.iter().filter(|&&rank| rank > 0));
            let distinct = count((1..16).filter(|rank| snake.contains(rank)));
            distinct - tiles
        }),
    },
    Feature {
        name: "average",
        doc: "mean rank over all 16 cells; larger without merges",
        weight: ParameterRange::weight(0.0, 0.0, 10.0),
        value: |snake| f64::from(snake.iter().copied().map(u32::from).sum::<u32>()) / 16.0,
        intended: None,
    },
];

fn count(items: impl Iterator) -> f64 {
    items.count() as f64
}

/// The parameters of the players that use these features.
pub fn parameters() -> Vec<Parameter> {
    let parameter = |feature: &Feature| feature.weight.parameter(feature.name, feature.doc);
    FEATURES.iter().map(parameter).collect()
}

/// The ranks of a board along the snake.
pub fn along_snake(board: Board) -> Snake {
    let ranks = board.ranks();
    std::array::from_fn(|step| match step / 4 {
        0 | 2 => ranks[step],
        row => ranks[4 * row + 3 - step % 4],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::rules::samples::board_of;
    use crate::games::vectors;

    #[test]
    fn features_are_those_of_the_published_program() {
        // Vectors from runs of the original program.
        let mut positions = 0;
        for record in vectors::records("minimax_six_positions.jsonl") {
            let board = board_of(&record["b"]);
            for feature in FEATURES {
                // The program has shorter names for two of them.
                let name = match feature.name {
                    "empty_cells" => "empty",
                    name => name,
                };
                let value = (feature.value)(&along_snake(board));
                assert_eq!(
                    Some(value),
                    record["feat"][name].as_f64(),
                    "{name} of {board:?}"
                );
            }
            positions += 1;
        }
        assert_eq!(positions, 150);
    }

    #[test]
    fn intended_forms_measure_what_the_article_says() {
        let snake = along_snake(Board::from_ranks([
            1, 2, 0, 3, 3, 3, 2, 2, 0, 0, 0, 0, 5, 0, 0, 0,
        ]));
        let value = |name| {
            let feature = FEATURES.iter().find(|feature| feature.name == name);
            feature.unwrap().intended.unwrap()(&snake)
        };
        // Along the snake: 1 2 0 3 | 2 2 3 3 | 0 0 0 0 | 0 0 0 5.
        assert_eq!(value("smooth"), -(1.0 + 2.0 + 3.0 + 1.0 + 1.0 + 3.0 + 5.0));
        // There are eight tiles, and four different ones: 1, 2, 3 and 5.
        assert_eq!(value("repeat"), -4.0);
    }
}
