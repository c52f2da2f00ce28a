//! Compiles weights into fixed-point tables of line values.
//!
//! Values are integers. The number of fraction bits depends on the weights. A sum therefore does not depend on
//! its order, and all instruction sets give identical values. The scale is the finest one at which no board can
//! overflow 32 bits. It follows the largest possible value in both directions: weights that are all multiplied by
//! a power of two give the same integers, and so the same games.

use std::sync::Arc;

use crate::games::sliding::board::Board;
use crate::games::sliding::board_terms::{BoardMeasure, BoardTerm, LARGEST};
use crate::games::sliding::language::{Definition, WholeValues};
use crate::games::sliding::line_tables::{
    COLUMNS, LineTables, LineValues, MOST_FRACTION_BITS, ROWS, exponent, lines_value,
};
use crate::games::sliding::shape::Shape;
use crate::games::sliding::whole_board::{self, WholeBoard};
use crate::heuristic::weights::Weights;

/// A compiled heuristic.
#[derive(Clone)]
pub struct Heuristic {
    /// Values of the lines.
    pub lines: LineTables,
    /// Board terms of the game with a nonzero weight, in the order of the [`Definition`].
    pub board_terms: Vec<CompiledBoardTerm>,
    /// The terms of the whole board of a file, if some of their weights are not 0.
    pub whole: Option<Arc<dyn WholeBoard>>,
    /// A stored value v means `v * 2^-fraction_bits` points.
    pub fraction_bits: i32,
}

/// A board term and its tabulated contributions.
#[derive(Clone)]
pub struct CompiledBoardTerm {
    /// The measured quantity.
    pub measure: BoardMeasure,
    /// See [`BoardMeasure::cells`].
    pub cells: u64,
    /// Contribution to the value of a board; the index is the measured value.
    pub contribution: [i32; LARGEST as usize + 1],
}

impl CompiledBoardTerm {
    /// The contribution to the value of a board.
    #[inline(always)]
    pub fn value(&self, board: Board) -> i32 {
        self.contribution[self.measure.of(board, self.cells) as usize]
    }
}

/// The values of all lines and the board terms in use, before rounding.
pub struct Exact {
    /// Values of the lines.
    pub lines: LineValues,
    /// Board terms of the game with a nonzero weight.
    pub board_terms: Vec<(&'static BoardTerm, f64)>,
    /// The terms of the whole board of a file, if some of their weights are not 0.
    pub whole: Option<WholeValues>,
    /// The board.
    pub shape: Shape,
}

impl Exact {
    /// The values for the weights of a heuristic on boards of a size. A missing parameter has its default.
    ///
    /// # Errors
    /// If a term of the whole board may not be finite on some board.
    pub fn new(definition: &Definition, shape: Shape, weights: &Weights) -> Result<Self, String> {
        let board_terms = definition.boards.iter().map(|term| {
            let weight = weights.get(term.name);
            (*term, weight.unwrap_or(term.weight.default))
        });
        Ok(Exact {
            lines: definition.line_values_on(shape, weights),
            board_terms: board_terms.filter(|(_, weight)| *weight != 0.0).collect(),
            whole: definition.whole_values(shape, weights)?,
            shape,
        })
    }

    /// Line values of 4x4 boards without board terms.
    pub fn of_lines(lines: LineValues) -> Self {
        Exact {
            lines,
            board_terms: Vec::new(),
            whole: None,
            shape: Shape::STANDARD,
        }
    }

    /// An upper bound on the absolute value of any board.
    fn largest(&self) -> f64 {
        let terms: f64 = self
            .board_terms
            .iter()
            .map(|(_, weight)| f64::from(LARGEST) * weight.abs())
            .sum();
        let whole = self.whole.as_ref().map_or(0.0, WholeValues::largest);
        self.lines.largest_sum() + terms + whole
    }

    /// Checks that a scale can represent the values.
    ///
    /// # Errors
    /// If a value is not finite, or if the largest possible value of a board is too large or too small.
    pub fn check(&self) -> Result<(), String> {
        let largest = self.largest();
        let bits = board_fraction_bits(largest);
        if largest.is_finite() && bits.abs() <= MOST_FRACTION_BITS {
            return Ok(());
        }
        let limits = [MOST_FRACTION_BITS, -MOST_FRACTION_BITS];
        let [least, most] = limits.map(|bits| libm::exp2(f64::from(31 - bits)));
        Err(format!(
            "these weights give boards values of up to {largest:.1e} points; allowed are {least:.0e} to {most:.0e}"
        ))
    }
}

impl Heuristic {
    /// Compiles the weights of a heuristic for 4x4 boards. A missing parameter has its default.
    ///
    /// # Errors
    /// If a term is not finite on some line, or if no scale can represent the values of boards.
    pub fn new(definition: &Definition, weights: &Weights) -> Result<Self, String> {
        Heuristic::on(Shape::STANDARD, definition, weights)
    }

    /// Compiles the weights of a heuristic for boards of a size. A missing parameter has its default.
    ///
    /// # Errors
    /// If a term has no meaning on a line of the board or is not finite there, or if no scale can represent the
    /// values of boards.
    pub fn on(shape: Shape, definition: &Definition, weights: &Weights) -> Result<Self, String> {
        if shape != Shape::STANDARD {
            definition.fits(shape).map_err(|error| error.message)?;
        }
        let exact = Exact::new(definition, shape, weights)?;
        let fits = exact.check();
        fits.map_err(|message| definition.not_finite(shape, weights).unwrap_or(message))?;
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
                cells: term.measure.cells(exact.shape),
                contribution: std::array::from_fn(|rank| {
                    (weight * rank as f64 * scale).round_ties_even() as i32
                }),
            });
        let lines = exact.lines.fixed_point(scale);
        let whole = exact.whole.as_ref();
        let whole = whole.map(|values| whole_board::compile(&lines, values, scale));
        Heuristic {
            lines,
            board_terms: compiled.collect(),
            whole,
            fraction_bits,
        }
    }

    /// The static value of a board, in fixed point. Searches use `LastLayer::value`, which does not check the
    /// kind of the tables at each call.
    pub fn value(&self, board: Board) -> i32 {
        let tables = self.lines.by_place();
        let terms = self.board_terms.iter().map(|term| term.value(board));
        let rows = lines_value(tables[ROWS], board);
        let columns = lines_value(tables[COLUMNS], board.transpose());
        let whole = self.whole.as_ref().map_or(0, |whole| whole.value(board));
        rows + columns + terms.sum::<i32>() + whole
    }

    /// True if it has no terms of the whole board, neither of the game nor of a file.
    pub fn has_only_lines(&self) -> bool {
        self.board_terms.is_empty() && self.whole.is_none()
    }

    /// Converts a fixed-point value to points.
    pub fn points(&self, value: f64) -> f64 {
        value * libm::exp2(f64::from(-self.fraction_bits))
    }
}

/// The number of fraction bits of the finest scale at which no board with an absolute value of at most
/// `largest` overflows 31 bits: the logarithm of the room for it, rounded down. It is 0 if all values are 0.
fn board_fraction_bits(largest: f64) -> i32 {
    // Each of eight lines and the terms of the board is rounded once.
    const ROUNDING: f64 = 64.0;
    if largest == 0.0 {
        return 0;
    }
    exponent((f64::from(i32::MAX) - ROUNDING) / largest)
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
    use crate::heuristic::terms::complete;
    use crate::heuristic::{INNER, OUTER, POWER, Role};
    use crate::reference::line_terms::{TWENTY48, powers};
    use proptest::prelude::*;

    /// The value of a board directly from the terms, without tables and fixed point.
    fn slow_value(shape: Shape, weights: &Weights, board: Board) -> f64 {
        let all = parameters();
        let setting = |key: String| {
            let declared = all.iter().find(|known| known.key == key)?;
            Some(weights.effective(&key).unwrap_or(declared.default))
        };
        let mut sum = 0.0;
        let (rows, columns) = (shape.rows(), shape.columns());
        for (board, count, length) in [(board, rows, columns), (board.transpose(), columns, rows)] {
            for row in 0..count {
                let is_outer = row == 0 || row == count - 1;
                let lines = if is_outer { OUTER } else { INNER };
                for term in TWENTY48 {
                    let power = setting(format!("{}{POWER}{lines}", term.name)).unwrap_or(1.0);
                    let line = &unpack(board.row(row))[..length];
                    sum += setting(format!("{}{lines}", term.name)).unwrap()
                        * (term.value)(line, &powers(power));
                }
            }
        }
        let terms = TERMS.boards.iter().map(|term| {
            setting(term.name.into()).unwrap()
                * f64::from(term.measure.of(board, term.measure.cells(shape)))
        });
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
            let nine: Vec<Shape> = Shape::all().collect();
            for shape in [Shape::STANDARD, nine[boards[0] as usize % 9]] {
                let heuristic = Heuristic::on(shape, &TERMS, &weights).unwrap();
                let rounding = heuristic.points(0.5) * 11.0;
                for bits in &boards {
                    let board = Board(bits & shape.mask());
                    let fast = heuristic.points(f64::from(heuristic.value(board)));
                    let slow = slow_value(shape, &weights, board);
                    let largest = rounding + 1e-9 * slow.abs();
                    prop_assert!((fast - slow).abs() <= largest, "{shape} {fast} {slow}");
                }
            }
        }
    }

    #[test]
    fn defaults_give_the_published_row_values() {
        // Rows and their values from a run of nneonneo/2048-ai. Its f32 sums have rounding errors of up to 0.5.
        let golden = vectors::text("expectimax_rows.csv");
        let heuristic = Heuristic::new(&TERMS, &Weights::default()).unwrap();
        let outer = heuristic.lines.by_place()[ROWS][0];
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
        let heuristic = Heuristic::from_exact(&Exact::of_lines(lines));
        for (ranks, expected) in boards.into_iter().zip(expected) {
            let value = heuristic.value(Board::from_ranks(ranks));
            assert_eq!(heuristic.points(f64::from(value)), expected);
        }
    }

    #[test]
    fn values_that_no_scale_represents_are_errors() {
        for (value, fits) in [
            (1e260, true),
            (1e280, false),
            (f64::INFINITY, false),
            (f64::NAN, false),
            (0.0, true),
            (1e-250, true),
            (1e-280, false),
            (1e-310, false),
        ] {
            for place in 0..4 {
                let mut tables = [0; 4].map(|_| vec![0.0; LINES]);
                tables[place][5] = value;
                let lines = LineValues::Anchored(tables);
                let exact = Exact::of_lines(lines);
                assert_eq!(exact.check().is_ok(), fits, "{value} in line {place}");
            }
        }
    }

    /// The scales of files before this limit was removed: 10 fraction bits at most and -10 at least.
    #[test]
    fn scales_between_the_former_limits_are_the_former_ones() {
        for power in -300..370 {
            let largest = libm::exp2(f64::from(power) / 10.0) * 1.0001;
            let former = fraction_bits(largest, 64.0, 10);
            let bits = board_fraction_bits(largest);
            assert_eq!(bits.min(10), former, "{largest}");
        }
    }

    #[test]
    fn a_power_of_two_changes_only_the_scale() {
        let parameters = parameters();
        let changes = [("smoothness", 12.3), ("line_end", 45.6), ("corner", 321.0)];
        let weights = Weights::default().with(changes, &parameters).unwrap();
        let weights = complete(&weights, &parameters);
        let scaled = |power: i32| {
            let factor = libm::exp2(f64::from(power));
            let linear = parameters.iter().filter(|known| known.role != Role::Power);
            let linear = linear
                .filter_map(|known| Some((known.key.as_str(), factor * weights.get(&known.key)?)));
            Heuristic::new(&TERMS, &weights.with(linear, &parameters).unwrap()).unwrap()
        };
        let one = scaled(0);
        for power in -40..=20 {
            let other = scaled(power);
            assert_eq!(other.fraction_bits, one.fraction_bits - power);
            for board in boards(20) {
                assert_eq!(other.value(board), one.value(board), "2^{power}: {board:?}");
            }
        }
    }
}
