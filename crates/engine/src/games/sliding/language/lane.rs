//! The values of all lines for a sum or an extreme value, in fixed point.

use std::sync::Arc;

use super::expression::Fold;
use super::step_compiler::LaneFormat;
use crate::games::sliding::line_tables::{ByAxis, MOST_FRACTION_BITS, exponent};

/// Exact values of all lines, by place. A line that does not count has no values.
pub type ExactTables = ByAxis<Option<Arc<Vec<f64>>>>;

/// Most fraction bits of a lane whose values are exact.
const EXACT_BITS: i32 = 12;

/// The values of all lines for a sum or an extreme value, before they are combined. The stored values of smallest
/// values are largest values of the opposite numbers.
pub struct Lane {
    /// True for largest and smallest values, false for a sum.
    pub is_extreme: bool,
    /// The stored values by line. A line that does not count has no table: 0 in a sum, and a value that is never
    /// larger than another one in an extreme value.
    pub tables: ByAxis<Option<Arc<Vec<i32>>>>,
    pub(super) format: LaneFormat,
    fold: Fold,
}

impl Lane {
    /// Rounds exact values to fixed point. Values that have few fraction bits stay exact.
    pub(super) fn new(fold: Fold, exact: &ExactTables) -> Result<Self, String> {
        let is_extreme = fold != Fold::Sum;
        let sign = if fold == Fold::Min { -1.0 } else { 1.0 };
        let different = different(exact);
        let place_of = |table: &Arc<Vec<f64>>| {
            let place = different.iter().position(|known| Arc::ptr_eq(known, table));
            place.unwrap_or_default()
        };
        let ends: Vec<[f64; 2]> = different.iter().map(|table| ends(table, sign)).collect();
        let lines = exact.as_flattened().iter().flatten();
        let ends: Vec<[f64; 2]> = lines.map(|table| ends[place_of(table)]).collect();
        let largest = ends.iter().map(|[low, high]| low.abs().max(high.abs()));
        let largest = if is_extreme {
            largest.fold(0.0, f64::max)
        } else {
            largest.sum()
        };
        let bits = bits(&different, largest)?;
        let scale = libm::exp2(f64::from(bits));
        let stored = |value: f64| (value * scale).round_ties_even() as i32;
        let lows = ends.iter().map(|[low, _]| stored(*low));
        let highs = ends.iter().map(|[_, high]| stored(*high));
        let (first, last) = if is_extreme {
            (lows.min().unwrap_or(0), highs.max().unwrap_or(0))
        } else {
            (lows.sum(), highs.sum())
        };
        let rounded: Vec<Arc<Vec<i32>>> = different
            .iter()
            .map(|table| Arc::new(table.iter().map(|value| stored(sign * value)).collect()))
            .collect();
        let table = |table: &Option<Arc<Vec<f64>>>| {
            let table = table.as_ref()?;
            Some(Arc::clone(&rounded[place_of(table)]))
        };
        let tables = exact.each_ref().map(|axis| axis.each_ref().map(table));
        Ok(Lane {
            is_extreme,
            tables,
            format: LaneFormat {
                unit: libm::exp2(f64::from(-bits)) * sign,
                first,
                last,
                slot: 0,
            },
            fold,
        })
    }

    /// True if both lanes have the same values on all boards.
    pub(super) fn equals(&self, other: &Lane) -> bool {
        let equal = |one: &Option<Arc<Vec<i32>>>, other: &Option<Arc<Vec<i32>>>| match (one, other)
        {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other) || one == other,
            (None, None) => true,
            _ => false,
        };
        let (own, others) = (self.tables.as_flattened(), other.tables.as_flattened());
        self.fold == other.fold
            && self.format.unit.to_bits() == other.format.unit.to_bits()
            && own.iter().zip(others).all(|(one, other)| equal(one, other))
    }

    /// The smallest and the largest stored value of an extreme value; `None` for a sum.
    pub fn extreme(&self) -> Option<[i32; 2]> {
        self.is_extreme
            .then_some([self.format.first, self.format.last])
    }
}

/// The different tables, each once.
fn different(exact: &ExactTables) -> Vec<&Arc<Vec<f64>>> {
    let mut different: Vec<&Arc<Vec<f64>>> = Vec::new();
    for table in exact.as_flattened().iter().flatten() {
        if !different.iter().any(|known| Arc::ptr_eq(known, table)) {
            different.push(table);
        }
    }
    different
}

/// The smallest and the largest of the numbers, each multiplied by `sign`.
fn ends(numbers: &[f64], sign: f64) -> [f64; 2] {
    let start = [f64::INFINITY, f64::NEG_INFINITY];
    numbers.iter().fold(start, |[low, high], number| {
        [low.min(sign * number), high.max(sign * number)]
    })
}

/// The number of fraction bits: as few as the values need to be exact, or as many as fit into 31 bits. `largest` is a
/// bound on the result.
fn bits(tables: &[&Arc<Vec<f64>>], largest: f64) -> Result<i32, String> {
    if largest == 0.0 {
        return Ok(0);
    }
    // Each of eight lines is rounded once.
    let room = (f64::from(i32::MAX) - 8.0) / largest;
    let finest = exponent(room);
    if finest.abs() > MOST_FRACTION_BITS || !largest.is_finite() {
        return Err(format!(
            "can be as large as {largest:.1e}: it cannot be represented"
        ));
    }
    let is_exact = |bits: i32| {
        let scale = libm::exp2(f64::from(bits));
        let is_whole = |value: &f64| libm::floor(value * scale) == value * scale;
        tables.iter().all(|table| table.iter().all(is_whole))
    };
    let exact = (0..=EXACT_BITS.min(finest)).find(|&bits| is_exact(bits));
    Ok(exact.unwrap_or(finest))
}
