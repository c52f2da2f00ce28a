//! Vectors of values, one for each line of a block, and operations on whole vectors. This module must not
//! depend on expressions.

use crate::expression::{Binary, power};

/// A vector with one value for each line of a block.
pub enum Vector {
    /// The same value on all lines.
    Same(f64),
    /// One value for each line.
    Each(Vec<f64>),
}

impl Vector {
    #[inline(always)]
    /// The value on a line of the block.
    pub fn at(&self, line: usize) -> f64 {
        match self {
            Vector::Same(value) => *value,
            Vector::Each(values) => values[line],
        }
    }

    /// Applies a function to each value.
    pub fn map(self, value: impl Fn(f64) -> f64) -> Vector {
        match self {
            Vector::Same(x) => Vector::Same(value(x)),
            Vector::Each(mut values) => {
                for x in &mut values {
                    *x = value(*x);
                }
                Vector::Each(values)
            }
        }
    }

    /// Applies a function to each pair of values of two vectors.
    fn map_with(self, other: Vector, value: impl Fn(f64, f64) -> f64) -> Vector {
        match (self, other) {
            (Vector::Same(x), Vector::Same(y)) => Vector::Same(value(x, y)),
            (Vector::Same(x), Vector::Each(mut values)) => {
                for y in &mut values {
                    *y = value(x, *y);
                }
                Vector::Each(values)
            }
            (Vector::Each(mut values), Vector::Same(y)) => {
                for x in &mut values {
                    *x = value(*x, y);
                }
                Vector::Each(values)
            }
            (Vector::Each(mut values), Vector::Each(others)) => {
                for (x, y) in values.iter_mut().zip(others) {
                    *x = value(*x, y);
                }
                Vector::Each(values)
            }
        }
    }
}

/// The lines on which an element counts; `None` means all lines.
pub fn included(
    existing: Option<&[u8]>,
    condition: Option<&Vector>,
    length: usize,
) -> Option<Vec<bool>> {
    match (existing, condition) {
        (None, None) => None,
        (Some(existing), None) => Some(existing.iter().map(|&exists| exists != 0).collect()),
        (None, Some(Vector::Each(holds))) => {
            Some(holds.iter().map(|&holds| holds != 0.0).collect())
        }
        (Some(existing), Some(Vector::Each(holds))) => {
            let both = existing.iter().zip(holds);
            Some(
                both.map(|(&exists, &holds)| exists != 0 && holds != 0.0)
                    .collect(),
            )
        }
        (existing, Some(Vector::Same(holds))) => {
            if *holds != 0.0 {
                included(existing, None, length)
            } else {
                Some(vec![false; length])
            }
        }
    }
}

/// Adds a value to the sums of the lines on which the element counts.
pub fn add(sums: &mut [f64], value: &Vector, counts: Option<&[bool]>) {
    match (value, counts) {
        (Vector::Same(value), None) => sums.iter_mut().for_each(|sum| *sum += value),
        (Vector::Each(values), None) => {
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += value;
            }
        }
        (Vector::Same(value), Some(counts)) => {
            for (sum, &counts) in sums.iter_mut().zip(counts) {
                *sum = if counts { *sum + value } else { *sum };
            }
        }
        (Vector::Each(values), Some(counts)) => {
            for ((sum, value), &counts) in sums.iter_mut().zip(values).zip(counts) {
                *sum = if counts { *sum + value } else { *sum };
            }
        }
    }
}

/// Applies a binary operation on each line. Frequent operations have separate, faster loops.
pub fn combined(operator: Binary, x: Vector, y: Vector) -> Vector {
    match (operator, x, y) {
        (Binary::Add, x, y) => x.map_with(y, |x, y| Binary::Add.of(x, y)),
        (Binary::Subtract, x, y) => x.map_with(y, |x, y| Binary::Subtract.of(x, y)),
        (Binary::Multiply, x, y) => x.map_with(y, |x, y| Binary::Multiply.of(x, y)),
        (Binary::Min, x, y) => x.map_with(y, |x, y| Binary::Min.of(x, y)),
        (Binary::Max, x, y) => x.map_with(y, |x, y| Binary::Max.of(x, y)),
        (Binary::Power, Vector::Each(bases), Vector::Same(exponent)) => powers(bases, exponent),
        (operator, x, y) => x.map_with(y, |x, y| operator.of(x, y)),
    }
}

/// Powers of values. A small cache avoids repeated computation, because many values are equal.
fn powers(mut bases: Vec<f64>, exponent: f64) -> Vector {
    const SEEN: usize = 64;
    let mut seen = [(0.0, 0.0); SEEN];
    for base in &mut bases {
        let hash = base.to_bits().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58;
        let entry = &mut seen[hash as usize];
        if entry.0 != *base {
            *entry = (*base, power(*base, exponent));
        }
        *base = entry.1;
    }
    Vector::Each(bases)
}
