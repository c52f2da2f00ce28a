//! Weights compiled into fixed-point tables of the values of all lines.
//!
//! Values are integers with a number of fraction bits that the weights determine. A sum therefore
//! does not depend on its order, and all instruction sets give identical values. The scale is the
//! finest at which no board can overflow 32 bits.

use std::sync::Arc;

use crate::games::sliding::board_terms::{BoardTerm, LARGEST, Measure};
use crate::games::sliding::line_terms::{LineTerm, Powers};
use crate::games::sliding::rows::{LINES, reverse, unpack};
use crate::games::sliding::{Terms, board::Board};
use crate::heuristic::{Declared, INNER, OUTER, weights::Weights};

/// Fixed-point values of every line.
pub type LineTable = [i32; LINES];

/// A compiled heuristic.
#[derive(Clone)]
pub struct Heuristic {
    /// Values of the two outer lines of each direction.
    pub outer: Arc<LineTable>,
    /// Values of the two inner lines. The same table as `outer` unless the weights are split.
    pub inner: Arc<LineTable>,
    /// Board terms with a weight other than 0, in the order of the game's [`Terms`].
    pub board_terms: Vec<CompiledBoardTerm>,
    /// A value v stands for `v * 2^-fraction_bits`.
    pub fraction_bits: i32,
}

/// A board term with its contribution by rank.
#[derive(Clone)]
pub struct CompiledBoardTerm {
    /// What it measures.
    pub measure: Measure,
    /// Contribution to the value of a board, by measured value.
    pub contribution: [i32; LARGEST as usize + 1],
}

/// Coarsest scale accepted: steps of 1024 points.
const MIN_FRACTION_BITS: i32 = -10;

/// Finest scale used: steps of 1/1024 of a point.
const MAX_FRACTION_BITS: i32 = 10;

/// `rank^power`, computed by `libm` so that the bits are the same on every platform. `0^power` is
/// 0.
pub fn powers(power: f64) -> Powers {
    std::array::from_fn(|rank| match rank {
        0 => 0.0,
        rank => libm::pow(rank as f64, power),
    })
}

/// The value of every line and the board terms in use, before rounding.
struct Exact {
    outer: Vec<f64>,
    /// `None` if inner lines have the values of outer lines.
    inner: Option<Vec<f64>>,
    board_terms: Vec<(&'static BoardTerm, f64)>,
}

impl Exact {
    fn new(terms: &Terms, weights: &Weights) -> Self {
        let split = weights.iter().any(|(key, _)| key.ends_with(OUTER));
        let board_terms = terms
            .boards
            .iter()
            .map(|term| (term, setting(weights, term.name, &term.weight, "")));
        Exact {
            outer: line_values(terms, weights, OUTER),
            inner: split.then(|| line_values(terms, weights, INNER)),
            board_terms: board_terms.filter(|(_, weight)| *weight != 0.0).collect(),
        }
    }

    /// A bound on the absolute value of any board.
    fn largest(&self) -> f64 {
        // Not `f64::max`, which would lose a NaN.
        let larger = |max: f64, value: &f64| if value.abs() <= max { max } else { value.abs() };
        let largest = |values: &[f64]| values.iter().fold(0.0, larger);
        let outer = largest(&self.outer);
        let inner = self.inner.as_deref().map_or(outer, largest);
        let terms: f64 = self
            .board_terms
            .iter()
            .map(|(_, weight)| f64::from(LARGEST) * weight.abs())
            .sum();
        4.0 * outer + 4.0 * inner + terms
    }
}

impl Heuristic {
    /// Whether weights of these terms fit the tables.
    ///
    /// # Errors
    /// If the values of boards would be too large for 32 bits.
    pub fn check(terms: &Terms, weights: &Weights) -> Result<(), String> {
        let largest = Exact::new(terms, weights).largest();
        if largest.is_finite() && board_fraction_bits(largest) >= MIN_FRACTION_BITS {
            return Ok(());
        }
        let most = libm::exp2(f64::from(31 - MIN_FRACTION_BITS));
        Err(format!(
            "these weights give boards values of up to {largest:.1e} points; the limit is {most:.1e}"
        ))
    }

    /// Compiles weights of these terms. A parameter that they leave out has its default. The
    /// weights must pass [`Heuristic::check`].
    pub fn new(terms: &Terms, weights: &Weights) -> Self {
        let exact = Exact::new(terms, weights);
        let fraction_bits = board_fraction_bits(exact.largest());
        let scale = libm::exp2(f64::from(fraction_bits));
        let outer = fixed_point(&exact.outer, scale);
        let inner = exact
            .inner
            .map_or(outer.clone(), |inner| fixed_point(&inner, scale));
        Heuristic {
            outer,
            inner,
            board_terms: exact
                .board_terms
                .into_iter()
                .map(|(term, weight)| CompiledBoardTerm {
                    measure: term.measure,
                    contribution: std::array::from_fn(|rank| {
                        (weight * rank as f64 * scale).round_ties_even() as i32
                    }),
                })
                .collect(),
            fraction_bits,
        }
    }

    /// The static value of a board, in fixed point.
    #[inline]
    pub fn value(&self, board: Board) -> i32 {
        self.value_of_both(board, board.transpose())
    }

    /// The static value of a board given in both orientations.
    #[inline(always)]
    pub fn value_of_both(&self, board: Board, transposed: Board) -> i32 {
        self.lines_value(board) + self.lines_value(transposed) + self.terms_value(board)
    }

    #[inline(always)]
    fn lines_value(&self, board: Board) -> i32 {
        self.outer[board.row(0) as usize]
            + self.inner[board.row(1) as usize]
            + self.inner[board.row(2) as usize]
            + self.outer[board.row(3) as usize]
    }

    #[inline]
    fn terms_value(&self, board: Board) -> i32 {
        let terms = self.board_terms.iter();
        terms
            .map(|term| term.contribution[term.measure.of(board) as usize])
            .sum()
    }

    /// A fixed-point value as a number.
    pub fn points(&self, value: f64) -> f64 {
        value * libm::exp2(f64::from(-self.fraction_bits))
    }
}

/// The number set for `name` on outer or inner lines, or its default.
fn setting(weights: &Weights, name: &str, declared: &Declared, lines: &str) -> f64 {
    let key = format!("{name}{}{lines}", declared.role.suffix());
    weights.effective(&key).unwrap_or(declared.default)
}

/// The value of every line: the sum of `weight * term` in the order of the terms. The tables are
/// these values rounded.
fn line_values(terms: &Terms, weights: &Weights, lines: &str) -> Vec<f64> {
    let mut values = vec![0.0; LINES];
    for term in terms.lines {
        let weight = setting(weights, term.name, &term.weight, lines);
        if weight != 0.0 {
            let power = term
                .power
                .map_or(1.0, |power| setting(weights, term.name, &power, lines));
            add_term(&mut values, term, weight, &powers(power));
        }
    }
    values
}

/// Adds a term to every line. A line and its mirror image have the same value, which saves half of
/// the work.
fn add_term(values: &mut [f64], term: &LineTerm, weight: f64, powers: &Powers) {
    for index in 0..=u16::MAX {
        let mirrored = reverse(index);
        if index <= mirrored {
            let value = weight * (term.value)(unpack(index), powers);
            values[index as usize] += value;
            if index < mirrored {
                values[mirrored as usize] += value;
            }
        }
    }
}

/// The finest scale at which no board with a value of at most `largest` overflows.
fn board_fraction_bits(largest: f64) -> i32 {
    fraction_bits(largest, 64.0, MAX_FRACTION_BITS)
}

/// The scale, at most `finest` fraction bits, at which `largest` and the `rounding` of its summands
/// (in units of the result) stay within 31 bits.
pub(in crate::games) fn fraction_bits(largest: f64, rounding: f64, finest: i32) -> i32 {
    let room = (f64::from(i32::MAX) - rounding) / largest.max(1.0);
    (libm::floor(libm::log2(room)) as i32).min(finest)
}

fn fixed_point(values: &[f64], scale: f64) -> Arc<LineTable> {
    let fixed: Arc<[i32]> = values
        .iter()
        .map(|value| (value * scale).round_ties_even() as i32)
        .collect();
    fixed
        .try_into()
        .unwrap_or_else(|_| unreachable!("one value per line"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::heuristic::{TERMS, parameters};
    use crate::games::vectors;
    use proptest::prelude::*;

    /// The value of a board directly from the terms: no tables, no fixed point.
    fn slow_value(weights: &Weights, board: Board) -> f64 {
        let mut sum = 0.0;
        for board in [board, board.transpose()] {
            for (row, lines) in [OUTER, INNER, INNER, OUTER].into_iter().enumerate() {
                for term in TERMS.lines {
                    let power = term
                        .power
                        .map_or(1.0, |p| setting(weights, term.name, &p, lines));
                    sum += setting(weights, term.name, &term.weight, lines)
                        * (term.value)(unpack(board.row(row)), &powers(power));
                }
            }
        }
        let terms = TERMS.boards.iter().map(|term| {
            setting(weights, term.name, &term.weight, "") * f64::from(term.measure.of(board))
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
                let can_split = TERMS.lines.iter().any(|line| term.starts_with(line.name));
                apart == (split && can_split)
            });
            let pairs = chosen.zip(&at).map(|(parameter, at)| {
                (parameter.key.clone(), parameter.min + at * (parameter.max - parameter.min))
            });
            let weights = Weights::new(pairs, &all).unwrap();
            let heuristic = Heuristic::new(&TERMS, &weights);
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
        // Rows and their values from running nneonneo/2048-ai, whose f32 sums have rounding errors
        // of up to 0.5.
        let golden = vectors::text("expectimax_rows.csv");
        let heuristic = Heuristic::new(&TERMS, &Weights::default());
        let mut rows = 0;
        for line in golden.lines().skip(1) {
            let mut fields = line.split(',');
            let index = u16::from_str_radix(fields.next().unwrap(), 16).unwrap();
            let published: f64 = fields.next().unwrap().parse().unwrap();
            let ours = heuristic.points(f64::from(heuristic.outer[index as usize]));
            assert!(
                (ours - published).abs() <= 0.75,
                "{index:04x}: {ours} {published}"
            );
            rows += 1;
        }
        assert_eq!(rows, 4096);
    }
}
