//! Compiles weights into fixed-point tables of line values.
//!
//! Values are integers. The number of fraction bits depends on the weights. A sum therefore does not depend on
//! its order, and all instruction sets give identical values. The scale is the finest one at which no board can
//! overflow 32 bits.

use crate::games::sliding::board::Board;
use crate::games::sliding::board_terms::{BoardMeasure, BoardTerm, LARGEST};
use crate::games::sliding::language::Definition;
use crate::games::sliding::line_tables::{LineTables, LineValues, lines_value};
use crate::heuristic::weights::Weights;

/// A compiled heuristic.
#[derive(Clone)]
pub struct Heuristic {
    /// Values of the lines.
    pub lines: LineTables,
    /// Board terms with a nonzero weight, in the order of the [`Definition`].
    pub board_terms: Vec<CompiledBoardTerm>,
    /// A stored value v means `v * 2^-fraction_bits` points.
    pub fraction_bits: i32,
}

/// A board term and its tabulated contributions.
#[derive(Clone)]
pub struct CompiledBoardTerm {
    /// The measured quantity.
    pub measure: BoardMeasure,
    /// Contribution to the value of a board; the index is the measured value.
    pub contribution: [i32; LARGEST as usize + 1],
}

/// Coarsest accepted scale: steps of 1024 points.
const MIN_FRACTION_BITS: i32 = -10;

/// Finest scale: steps of 1/1024 point.
const MAX_FRACTION_BITS: i32 = 10;

/// The values of all lines and the board terms in use, before rounding.
pub struct Exact {
    /// Values of the lines.
    pub lines: LineValues,
    /// Board terms with a nonzero weight.
    pub board_terms: Vec<(&'static BoardTerm, f64)>,
}

impl Exact {
    /// The values for the weights of a heuristic. A missing parameter has its default.
    pub fn new(definition: &Definition, weights: &Weights) -> Self {
        let board_terms = definition.boards.iter().map(|term| {
            let weight = weights.get(term.name);
            (*term, weight.unwrap_or(term.weight.default))
        });
        Exact {
            lines: definition.line_values(weights),
            board_terms: board_terms.filter(|(_, weight)| *weight != 0.0).collect(),
        }
    }

    /// An upper bound on the absolute value of any board.
    fn largest(&self) -> f64 {
        let terms: f64 = self
            .board_terms
            .iter()
            .map(|(_, weight)| f64::from(LARGEST) * weight.abs())
            .sum();
        self.lines.largest_sum() + terms
    }

    /// Checks that the values fit the tables.
    ///
    /// # Errors
    /// If a value is not finite, or if values of boards can exceed 32 bits even at the coarsest scale.
    pub fn check(&self) -> Result<(), String> {
        let largest = self.largest();
        if largest.is_finite() && board_fraction_bits(largest) >= MIN_FRACTION_BITS {
            return Ok(());
        }
        let most = libm::exp2(f64::from(31 - MIN_FRACTION_BITS));
        Err(format!(
            "these weights give boards values of up to {largest:.1e} points; the limit is {most:.1e}"
        ))
    }
}

impl Heuristic {
    /// Compiles the weights of a heuristic. A missing parameter has its default.
    ///
    /// # Errors
    /// If a term is not finite on some line, or if values of boards can exceed 32 bits.
    pub fn new(definition: &Definition, weights: &Weights) -> Result<Self, String> {
        let exact = Exact::new(definition, weights);
        let fits = exact.check();
        fits.map_err(|message| definition.not_finite(weights).unwrap_or(message))?;
        Ok(Heuristic::from_exact(&exact))
    }

    /// Compiles exact values, which must pass [`Exact::check`].
    pub fn from_exact(exact: &Exact) -> Self {
        let fraction_bits = board_fraction_bits(exact.largest());
        let scale = libm::exp2(f64::from(fraction_bits));
        let compiled = exact
            .board_terms
            .iter()
            .map(|(term, weight)| CompiledBoardTerm {
                measure: term.measure,
                contribution: std::array::from_fn(|rank| {
                    (weight * rank as f64 * scale).round_ties_even() as i32
                }),
            });
        Heuristic {
            lines: exact.lines.fixed_point(scale),
            board_terms: compiled.collect(),
            fraction_bits,
        }
    }

    /// The static value of a board, in fixed point. Searches use `LastLayer::value`, which does not check the
    /// kind of the tables at each call.
    pub fn value(&self, board: Board) -> i32 {
        let tables = self.lines.by_place();
        let terms = self.board_terms.iter();
        let terms = terms.map(|term| term.contribution[term.measure.of(board) as usize]);
        lines_value(tables, board) + lines_value(tables, board.transpose()) + terms.sum::<i32>()
    }

    /// Converts a fixed-point value to points.
    pub fn points(&self, value: f64) -> f64 {
        value * libm::exp2(f64::from(-self.fraction_bits))
    }
}

/// The number of fraction bits of the finest scale at which no board with an absolute value of at most
/// `largest` overflows.
fn board_fraction_bits(largest: f64) -> i32 {
    fraction_bits(largest, 64.0, MAX_FRACTION_BITS)
}

/// The number of fraction bits, at most `finest`, at which `largest` plus rounding errors fits 31 bits.
/// `rounding` is the bound on the sum of rounding errors, in units of the result.
pub(in crate::games) fn fraction_bits(largest: f64, rounding: f64, finest: i32) -> i32 {
    let room = (f64::from(i32::MAX) - rounding) / largest.max(1.0);
    (libm::floor(libm::log2(room)) as i32).min(finest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sliding::rows::{LINES, unpack};
    use crate::games::sliding::samples::random_lines;
    use crate::games::twenty48::heuristic::{TERMS, parameters};
    use crate::games::twenty48::rules::samples::boards;
    use crate::games::vectors;
    use crate::heuristic::{INNER, OUTER, POWER};
    use crate::reference::line_terms::{TWENTY48, powers};
    use proptest::prelude::*;

    /// The value of a board directly from the terms, without tables and fixed point.
    fn slow_value(weights: &Weights, board: Board) -> f64 {
        let all = parameters();
        let setting = |key: String| {
            let declared = all.iter().find(|known| known.key == key)?;
            Some(weights.effective(&key).unwrap_or(declared.default))
        };
        let mut sum = 0.0;
        for board in [board, board.transpose()] {
            for (row, lines) in [OUTER, INNER, INNER, OUTER].into_iter().enumerate() {
                for term in TWENTY48 {
                    let power = setting(format!("{}{POWER}{lines}", term.name)).unwrap_or(1.0);
                    sum += setting(format!("{}{lines}", term.name)).unwrap()
                        * (term.value)(unpack(board.row(row)), &powers(power));
                }
            }
        }
        let terms = TERMS
            .boards
            .iter()
            .map(|term| setting(term.name.into()).unwrap() * f64::from(term.measure.of(board)));
        sum + terms.sum::<f64>()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn tables_are_the_rounded_terms(
            boards in prop::collection::vec(any::<u64>(), 50),
            at in prop::collection::vec(0.0f64..1.0, 64),
            split: bool,
        ) {
            let all = parameters();
            let chosen = all.iter().filter(|parameter| {
                let apart = parameter.key.ends_with(OUTER) || parameter.key.ends_with(INNER);
                let term = parameter.key.trim_end_matches(OUTER).trim_end_matches(INNER);
                let can_split = TWENTY48.iter().any(|line| term.starts_with(line.name));
                apart == (split && can_split)
            });
            let pairs = chosen.zip(&at).map(|(parameter, at)| {
                (parameter.key.clone(), parameter.min + at * (parameter.max - parameter.min))
            });
            let weights = Weights::new(pairs, &all).unwrap();
            let heuristic = Heuristic::new(&TERMS, &weights).unwrap();
            let rounding = heuristic.points(0.5) * 11.0;
            for bits in boards {
                let fast = heuristic.points(f64::from(heuristic.value(Board(bits))));
                let slow = slow_value(&weights, Board(bits));
                prop_assert!((fast - slow).abs() <= rounding + 1e-9 * slow.abs(), "{fast} {slow}");
            }
        }
    }

    #[test]
    fn defaults_give_the_published_row_values() {
        // Rows and their values from a run of nneonneo/2048-ai. Its f32 sums have rounding errors of up to 0.5.
        let golden = vectors::text("expectimax_rows.csv");
        let heuristic = Heuristic::new(&TERMS, &Weights::default()).unwrap();
        let outer = heuristic.lines.by_place()[0];
        let mut rows = 0;
        for line in golden.lines().skip(1) {
            let mut fields = line.split(',');
            let index = u16::from_str_radix(fields.next().unwrap(), 16).unwrap();
            let published: f64 = fields.next().unwrap().parse().unwrap();
            let ours = heuristic.points(f64::from(outer[index as usize]));
            assert!(
                (ours - published).abs() <= 0.75,
                "{index:04x}: {ours} {published}"
            );
            rows += 1;
        }
        assert_eq!(rows, 4096);
    }

    #[test]
    fn anchored_values_are_those_of_each_line_read_from_cell_0() {
        let lines = random_lines(7);
        let LineValues::Anchored(values) = &lines else {
            unreachable!()
        };
        let exact = |ranks: [u8; 16]| {
            let rank = |row: usize, column: usize| usize::from(ranks[4 * row + column]);
            let row = |i| (0..4).map(move |j| rank(i, j) << (4 * j)).sum::<usize>();
            let column = |i| (0..4).map(move |j| rank(j, i) << (4 * j)).sum::<usize>();
            let of_both = |i: usize| values[i][row(i)] + values[i][column(i)];
            (0..4).map(of_both).sum::<f64>()
        };
        let boards: Vec<[u8; 16]> = boards(500).map(Board::ranks).collect();
        let expected: Vec<f64> = boards.iter().map(|&ranks| exact(ranks)).collect();
        let board_terms = vec![];
        let heuristic = Heuristic::from_exact(&Exact { lines, board_terms });
        for (ranks, expected) in boards.into_iter().zip(expected) {
            let value = heuristic.value(Board::from_ranks(ranks));
            assert_eq!(heuristic.points(f64::from(value)), expected);
        }
    }

    #[test]
    fn values_that_overflow_or_are_not_numbers_are_errors() {
        let most = libm::exp2(41.0);
        for (value, fits) in [
            (most / 8.1, true),
            (most / 2.0, false),
            (f64::INFINITY, false),
            (f64::NAN, false),
        ] {
            for place in 0..4 {
                let mut tables = [0; 4].map(|_| vec![0.0; LINES]);
                tables[place][5] = value;
                let lines = LineValues::Anchored(tables);
                let board_terms = vec![];
                let exact = Exact { lines, board_terms };
                assert_eq!(exact.check().is_ok(), fits, "{value} in line {place}");
            }
        }
    }
}
