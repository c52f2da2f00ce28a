//! The values of all lines of a heuristic: exact ([`LineValues`]) and in fixed point ([`LineTables`]). Both
//! exist in two kinds, symmetric and anchored.
//!
//! A line is read from cell 0 to cell 3: a row from column 0, a column from row 0. Row i and column i use the
//! same table, so a board and its transposed board have the same value.
//!
//! A search must not check the kind at every leaf. It gets the tables by place once ([`LineTables::by_place`]),
//! or it selects a kernel.

use std::sync::Arc;

use crate::games::sliding::board::Board;
use crate::games::sliding::rows::LINES;

/// Fixed-point values of all lines. The index is the packed line.
pub type LineTable = [i32; LINES];

/// Exact values of all lines: each table has [`LINES`] values. The index is the packed line.
pub enum LineValues {
    /// A line and its mirror image have the same value.
    Symmetric {
        /// Values of lines 0 and 3.
        outer: Vec<f64>,
        /// Values of lines 1 and 2; `None` if they equal those of the outer lines.
        inner: Option<Vec<f64>>,
    },
    /// Lines 0 to 3 have separate tables, and a line and its mirror image can have different values.
    Anchored([Vec<f64>; 4]),
}

/// Fixed-point values of all lines, in one table or several.
#[derive(Clone)]
pub enum LineTables {
    /// A line and its mirror image have the same value.
    Symmetric {
        /// Values of lines 0 and 3.
        outer: Arc<LineTable>,
        /// Values of lines 1 and 2. It is the same table as `outer` if the values are equal.
        inner: Arc<LineTable>,
    },
    /// Lines 0 to 3 have separate tables, and a line and its mirror image can have different values.
    Anchored([Arc<LineTable>; 4]),
}

impl LineValues {
    /// An upper bound on the absolute value of the sum over the eight lines of any board. NaN or infinite if a
    /// value is NaN or infinite.
    pub fn largest_sum(&self) -> f64 {
        match self {
            LineValues::Symmetric { outer, inner } => {
                let outer = largest(outer);
                let inner = inner.as_deref().map_or(outer, largest);
                4.0 * outer + 4.0 * inner
            }
            LineValues::Anchored(lines) => {
                2.0 * lines.iter().map(|line| largest(line)).sum::<f64>()
            }
        }
    }

    /// The values multiplied by `scale`, rounded to the nearest integers, which must fit into 32 bits.
    ///
    /// # Panics
    /// If a table does not have exactly [`LINES`] values.
    pub fn fixed_point(&self, scale: f64) -> LineTables {
        let table = |values: &Vec<f64>| fixed_point(values, scale);
        match self {
            LineValues::Symmetric { outer, inner } => {
                let outer = table(outer);
                let inner = inner.as_ref().map_or_else(|| outer.clone(), table);
                LineTables::Symmetric { outer, inner }
            }
            LineValues::Anchored(lines) => LineTables::Anchored(lines.each_ref().map(table)),
        }
    }
}

/// The largest absolute value; NaN if one is NaN.
fn largest(values: &[f64]) -> f64 {
    // For numbers of at least 0, the order of the bit patterns is the order of the numbers, and NaN is the
    // largest.
    let bits = values.iter().map(|value| value.abs().to_bits());
    f64::from_bits(bits.max().unwrap_or(0))
}

/// Rounds to the nearest integer, ties to even. It replaces `f64::round_ties_even`, which is a function call on
/// processors without an instruction for it.
fn nearest(value: f64) -> i32 {
    // A sum with this number has no fraction bits, so the addition rounds to an integer, ties to even. This
    // fails only for values that do not fit into an `i32` in any case.
    const NO_FRACTION: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
    ((value + NO_FRACTION) - NO_FRACTION) as i32
}

fn fixed_point(values: &[f64], scale: f64) -> Arc<LineTable> {
    let fixed: Arc<[i32]> = values.iter().map(|value| nearest(value * scale)).collect();
    fixed
        .try_into()
        .unwrap_or_else(|_| panic!("a table has one value for each line"))
}

impl LineTables {
    /// The tables of lines 0 to 3.
    #[inline]
    pub fn by_place(&self) -> [&LineTable; 4] {
        match self {
            LineTables::Symmetric { outer, inner } => [outer, inner, inner, outer],
            LineTables::Anchored(lines) => lines.each_ref().map(|table| &**table),
        }
    }
}

/// The sum of the line values of one orientation of a board.
#[inline(always)]
pub fn lines_value(tables: [&LineTable; 4], board: Board) -> i32 {
    tables[0][board.row(0) as usize]
        + tables[1][board.row(1) as usize]
        + tables[2][board.row(2) as usize]
        + tables[3][board.row(3) as usize]
}

#[cfg(test)]
mod tests {
    use super::nearest;
    use proptest::prelude::*;

    #[test]
    fn the_nearest_integer_is_that_of_the_standard_library() {
        let halves = (-9..10).map(|number| f64::from(number) / 2.0);
        let most = f64::from(i32::MAX);
        let large = [
            most,
            -most,
            most - 0.5,
            1e10,
            -1e16,
            1e300,
            f64::INFINITY,
            f64::NAN,
        ];
        let near = [0.49999999999999994, -0.0, 1e-320, -0.500_000_000_000_000_1];
        for value in halves.chain(large).chain(near) {
            assert_eq!(nearest(value), value.round_ties_even() as i32, "{value}");
        }
    }

    proptest! {
        #[test]
        fn the_nearest_integer_of_any_number(value: f64, small in -3e9f64..3e9) {
            for value in [value, small] {
                prop_assert_eq!(nearest(value), value.round_ties_even() as i32);
            }
        }
    }
}
