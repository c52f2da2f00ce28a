//! The line values of nneonneo/2048-ai in its arithmetic: f32 sums of f64 powers, in the original order of
//! operations. Rounding only at the end would change the last bit of about a quarter of the lines.
//!
//! `crates/engine/data/heuristics/2048.toml` defines the terms. This module only reproduces the original
//! arithmetic.

use crate::games::sliding::rows::{LINES, Line, of_every_line, unpack};
use crate::games::twenty48::{heuristic, rules::Board};
use crate::heuristic::{Parameter, weights::Weights};

const TERMS: [&str; 5] = [
    "lost_penalty",
    "empty",
    "merges",
    "monotonicity",
    "rank_sum",
];

/// The parameters: weights and powers of the original terms. They are the same for all lines.
pub fn parameters() -> Vec<Parameter> {
    let is_original = |parameter: &Parameter| {
        let term = parameter.term.as_deref();
        !parameter.is_split() && term.is_some_and(|term| TERMS.contains(&term))
    };
    heuristic::parameters()
        .into_iter()
        .filter(is_original)
        .collect()
}

/// Weights and powers in f32, like the constants of the original.
struct Constants {
    lost_penalty: f32,
    empty: f32,
    merges: f32,
    monotonicity: f32,
    rank_sum: f32,
    /// `rank^power` for the monotonicity.
    heights: [f64; 16],
    /// `rank^power` for the sum.
    sizes: [f64; 16],
}

impl Constants {
    fn new(weights: &Weights) -> Self {
        let parameters = parameters();
        let value = |key: &str| weights.or_default(key, &parameters) as f32;
        let powers = |key| {
            let power = f64::from(value(key));
            std::array::from_fn(|rank| libm::pow(rank as f64, power))
        };
        Constants {
            lost_penalty: value("lost_penalty"),
            empty: value("empty"),
            merges: value("merges"),
            monotonicity: value("monotonicity"),
            rank_sum: value("rank_sum"),
            heights: powers("monotonicity_power"),
            sizes: powers("rank_sum_power"),
        }
    }
}

/// The values of all lines.
pub struct OriginalLines(Box<[f32; LINES]>);

impl OriginalLines {
    /// The values for these weights. A missing parameter has its published value.
    pub fn new(weights: &Weights) -> Self {
        let constants = Constants::new(weights);
        OriginalLines(of_every_line(|index| line_value(unpack(index), &constants)))
    }

    /// The value of a board: the sum over its rows plus the sum over its columns. The order of additions
    /// matters in f32.
    #[inline]
    pub fn value(&self, board: Board) -> f32 {
        self.rows(board) + self.rows(board.transpose())
    }

    #[inline(always)]
    fn rows(&self, board: Board) -> f32 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|row| self.0[board.row(row) as usize]);
        a + b + c + d
    }
}

fn line_value(line: Line, constants: &Constants) -> f32 {
    let mut sum = 0f32;
    let mut falls = 0f32;
    let mut rises = 0f32;
    for rank in line {
        add(&mut sum, constants.sizes[rank as usize]);
    }
    for (left, right) in [(0, 1), (1, 2), (2, 3)] {
        let [left, right] = [line[left], line[right]];
        let height = |rank: u8| constants.heights[rank as usize];
        if left > right {
            add(&mut falls, height(left) - height(right));
        } else {
            add(&mut rises, height(right) - height(left));
        }
    }
    let empty = line.into_iter().filter(|&rank| rank == 0).count() as f32;
    constants.lost_penalty + constants.empty * empty + constants.merges * merges(line)
        - constants.monotonicity * falls.min(rises)
        - constants.rank_sum * sum
}

/// Adds in f64 and rounds to f32, as C does for `float += double`.
fn add(sum: &mut f32, term: f64) {
    *sum = (f64::from(*sum) + term) as f32;
}

/// Number of tiles in runs of at least two equal tiles; empty cells are skipped.
fn merges(line: Line) -> f32 {
    let tiles: Vec<u8> = line.into_iter().filter(|&rank| rank > 0).collect();
    let runs = tiles.chunk_by(|left, right| left == right).map(<[u8]>::len);
    runs.filter(|&length| length > 1).sum::<usize>() as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::rules::samples::board_of;
    use crate::games::vectors;
    use serde_json::Value;

    #[test]
    fn every_line_has_the_original_value_to_the_bit() {
        // Rows and their values from a run of the original program.
        let golden = vectors::text("expectimax_rows.csv");
        let lines = OriginalLines::new(&Weights::default());
        let mut rows = 0;
        for line in golden.lines().skip(1) {
            let mut fields = line.split(',');
            let index = u16::from_str_radix(fields.next().unwrap(), 16).unwrap();
            let expected: f32 = fields.next().unwrap().parse().unwrap();
            assert_eq!(
                lines.0[index as usize].to_bits(),
                expected.to_bits(),
                "{index:04x}"
            );
            rows += 1;
        }
        assert_eq!(rows, 4096);
    }

    #[test]
    fn boards_have_the_original_value_to_the_bit() {
        let golden = vectors::text("expectimax_boards.json");
        let records: Vec<Value> = serde_json::from_str(&golden).unwrap();
        let lines = OriginalLines::new(&Weights::default());
        for record in &records {
            let value = lines.value(board_of(&record["b"]));
            // Nine decimal digits identify every f32.
            let expected = record["heur"].as_f64().unwrap() as f32;
            assert_eq!(value.to_bits(), expected.to_bits());
        }
        assert_eq!(records.len(), 100);
    }

    #[test]
    fn the_parameters_are_the_original_constants() {
        let keys: Vec<String> = parameters().into_iter().map(|known| known.key).collect();
        let expected = [
            "lost_penalty",
            "empty",
            "merges",
            "monotonicity",
            "monotonicity_power",
            "rank_sum",
            "rank_sum_power",
        ];
        assert_eq!(keys, expected);
        let unknown = Weights::new([("smoothness".to_owned(), 1.0)], &parameters());
        assert!(unknown.is_err());
    }
}
