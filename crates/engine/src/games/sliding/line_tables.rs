//! The values of all lines of a heuristic: exact ([`LineValues`]) and in fixed point ([`LineTables`]). Both
//! exist in three forms: symmetric, anchored and by axis.
//!
//! A line is read from cell 0 to its last cell: a row from column 0, a column from row 0. In the first two forms,
//! which are for 4x4 boards, row i and column i use the same table, so a board and its transposed board have the
//! same value.
//!
//! A search must not check the kind at every leaf. It gets the tables by place once ([`LineTables::by_place`]),
//! or it selects a kernel.

use std::sync::{Arc, LazyLock};

use crate::games::sliding::board::Board;
use crate::games::sliding::rows::LINES;
use crate::games::sliding::shape::Shape;

/// Fixed-point values of all lines. The index is the packed line.
pub type LineTable = [i32; LINES];

/// Largest absolute number of fraction bits, so that scales and scaled values are far from the limits
/// of double precision. Steps are from 2^-900 to 2^900 points.
pub(in crate::games) const MOST_FRACTION_BITS: i32 = 900;

/// The axis of rows, as an index.
pub const ROWS: usize = 0;
/// The axis of columns, as an index.
pub const COLUMNS: usize = 1;

/// Something for each line of a board: rows 0 to 3, then columns 0 to 3.
pub type ByAxis<T> = [[T; 4]; 2];

/// A line of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinePlace {
    /// [`ROWS`] or [`COLUMNS`].
    pub axis: usize,
    /// Its number, from 0 at the top or at the left.
    pub index: usize,
    /// True for the first and the last of the lines of its axis.
    pub is_outer: bool,
    /// Number of its cells.
    pub length: usize,
}

impl LinePlace {
    /// A row of a 4x4 board.
    pub const fn row(index: usize) -> Self {
        LinePlace {
            axis: ROWS,
            index,
            is_outer: index == 0 || index == 3,
            length: 4,
        }
    }

    /// The lines of one axis of a board.
    pub fn of_axis(shape: Shape, axis: usize) -> impl Iterator<Item = LinePlace> {
        let (rows, columns) = (shape.rows(), shape.columns());
        let (count, length) = if axis == ROWS {
            (rows, columns)
        } else {
            (columns, rows)
        };
        (0..count).map(move |index| LinePlace {
            axis,
            index,
            is_outer: index == 0 || index + 1 == count,
            length,
        })
    }

    /// The lines of a board: its rows, then its columns.
    pub fn all(shape: Shape) -> impl Iterator<Item = LinePlace> {
        [ROWS, COLUMNS]
            .into_iter()
            .flat_map(move |axis| LinePlace::of_axis(shape, axis))
    }
}

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
    /// Rows and columns have separate tables.
    ByAxis([AxisValues; 2]),
}

/// Exact values of the lines of one axis of a board.
#[derive(Clone, Default)]
pub struct AxisValues {
    /// Different tables, with a value for each line of the length of the axis.
    pub tables: Vec<Vec<f64>>,
    /// For each line: the index of its table; `None` if the board does not have the line.
    pub by_place: [Option<usize>; 4],
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
    /// Rows and columns have separate tables. Equal tables of an axis are shared. A line that the board does not
    /// have is 0 in all of them.
    ByAxis(ByAxis<Arc<LineTable>>),
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
            LineValues::ByAxis(axes) => axes.iter().map(AxisValues::largest_sum).sum(),
        }
    }

    /// The values multiplied by `scale`, rounded to the nearest integers, which must fit into 32 bits.
    ///
    /// # Panics
    /// If a table has more than [`LINES`] values.
    pub fn fixed_point(&self, scale: f64) -> LineTables {
        let table = |values: &Vec<f64>| fixed_point(values, scale);
        match self {
            LineValues::Symmetric { outer, inner } => {
                let outer = table(outer);
                let inner = inner.as_ref().map_or_else(|| outer.clone(), table);
                LineTables::Symmetric { outer, inner }
            }
            LineValues::Anchored(lines) => LineTables::Anchored(lines.each_ref().map(table)),
            LineValues::ByAxis(axes) => {
                LineTables::ByAxis(axes.each_ref().map(|axis| axis.fixed_point(scale)))
            }
        }
    }
}

impl AxisValues {
    /// An upper bound on the absolute value of the sum over the lines of the axis.
    fn largest_sum(&self) -> f64 {
        let of_tables: Vec<f64> = self.tables.iter().map(|table| largest(table)).collect();
        let lines = self.by_place.iter().flatten();
        lines.map(|&table| of_tables[table]).sum()
    }

    /// See [`LineValues::fixed_point`].
    fn fixed_point(&self, scale: f64) -> [Arc<LineTable>; 4] {
        static NOTHING: LazyLock<Arc<LineTable>> = LazyLock::new(|| fixed_point(&[], 1.0));
        let tables = self.tables.iter().map(|values| fixed_point(values, scale));
        let tables: Vec<Arc<LineTable>> = tables.collect();
        let of_place = |table: Option<usize>| table.map_or(&*NOTHING, |table| &tables[table]);
        shared(self.by_place.map(|table| Arc::clone(of_place(table))))
    }
}

/// The same tables. A table that equals an earlier one is replaced by it, so that searches read less memory.
fn shared(mut tables: [Arc<LineTable>; 4]) -> [Arc<LineTable>; 4] {
    for at in 1..tables.len() {
        let (before, rest) = tables.split_at_mut(at);
        if let Some(same) = before
            .iter()
            .find(|known| Arc::ptr_eq(known, &rest[0]) || **known == rest[0])
        {
            rest[0] = Arc::clone(same);
        }
    }
    tables
}

/// The largest absolute value; NaN if one is NaN.
fn largest(values: &[f64]) -> f64 {
    // For numbers of at least 0, the order of the bit patterns is the order of the numbers, and NaN is the
    // largest.
    let bits = values.iter().map(|value| value.abs().to_bits());
    f64::from_bits(bits.max().unwrap_or(0))
}

/// The exponent of a positive number in binary form: its logarithm to base 2, rounded down. It is exact, so a number
/// that is twice as large has an exponent that is larger by one. A number below the normal range has the least one.
pub(in crate::games) fn exponent(number: f64) -> i32 {
    (number.to_bits() >> 52) as i32 - 1023
}

/// Rounds to the nearest integer, ties to even. It replaces `f64::round_ties_even`, which is a function call on
/// processors without an instruction for it.
fn nearest(value: f64) -> i32 {
    // A sum with this number has no fraction bits, so the addition rounds to an integer, ties to even. This
    // fails only for values that do not fit into an `i32` in any case.
    const NO_FRACTION: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
    ((value + NO_FRACTION) - NO_FRACTION) as i32
}

/// A table of these values; lines without a value have 0.
fn fixed_point(values: &[f64], scale: f64) -> Arc<LineTable> {
    let fixed = values.iter().map(|value| nearest(value * scale));
    let fixed: Arc<[i32]> = if values.len() == LINES {
        fixed.collect()
    } else {
        let mut all: Vec<i32> = fixed.collect();
        all.resize(LINES, 0);
        all.into()
    };
    fixed
        .try_into()
        .unwrap_or_else(|_| panic!("a table has at most one value for each line"))
}

impl LineTables {
    /// The tables of rows 0 to 3 and of columns 0 to 3.
    #[inline]
    pub fn by_place(&self) -> ByAxis<&LineTable> {
        match self {
            LineTables::Symmetric { outer, inner } => [[outer, inner, inner, outer]; 2],
            LineTables::Anchored(lines) => [lines.each_ref().map(|table| &**table); 2],
            LineTables::ByAxis(lines) => {
                (lines.each_ref()).map(|axis| axis.each_ref().map(|table| &**table))
            }
        }
    }

    /// True if rows and columns have separate tables.
    pub fn is_by_axis(&self) -> bool {
        matches!(self, LineTables::ByAxis(_))
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
