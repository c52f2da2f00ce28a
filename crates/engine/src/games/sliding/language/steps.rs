//! Expressions of whole boards, compiled to steps for several boards at once. The value of a board is bit-identical to
//! that of [`Expression::value`](super::expression::Expression::value): every operation is an IEEE operation in double
//! precision or a function of `libm`, on each board by itself.
//!
//! A *lane* is what an expression reads: a sum, a largest or a smallest value over lines, in fixed point. A lane is
//! given by its slot. [`super::step_compiler`] makes the steps.

use super::expression::{Selector, interpolated, looked_up};
use crate::expression::{Binary, Unary, power, truth};

/// Number of registers. A register holds one number for each board.
pub(super) const REGISTERS: usize = 8;

/// A step: a function of two numbers of each board.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub function: Function,
    pub x: Source,
    pub y: Source,
    pub to: Target,
}

#[derive(Clone, Debug)]
pub(super) enum Function {
    /// x.
    Same,
    Unary(Unary),
    Binary(Binary),
    /// y if x is not 0.
    Choice {
        otherwise: Source,
    },
    Interpolate(Box<[(f64, f64)]>),
    Table(Box<[f64]>),
    Selected {
        selector: Selector,
        number: usize,
    },
}

/// What a step reads.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Number(f64),
    Register(usize),
    /// The lane in a slot, multiplied by its unit.
    Lane {
        slot: usize,
        unit: f64,
    },
    /// A number for each value of the lane in a slot, from `first` on.
    LookUp {
        slot: usize,
        first: i32,
        values: Box<[f64]>,
    },
}

/// Where the result of a step goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Register(usize),
    /// It is multiplied by a weight and added to the sum.
    Sum(f64),
}

/// The lanes of `N` boards.
pub trait Lanes<const N: usize> {
    /// The stored values of the lane in a slot.
    fn stored(&self, slot: usize) -> [i32; N];
}

/// The steps that compute the weighted sum of several expressions.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    pub(super) steps: Vec<Step>,
    /// The part of the sum that is the same for all boards.
    pub(super) constant: f64,
}

impl Steps {
    /// The sums of `N` boards, each rounded once to the nearest integer, ties to even. They must fit into 32 bits.
    #[inline(always)]
    pub fn values<const N: usize>(&self, lanes: &impl Lanes<N>) -> [i32; N] {
        let mut registers = [[0.0; N]; REGISTERS];
        let mut sums = [self.constant; N];
        for step in &self.steps {
            step.run(&mut registers, &mut sums, lanes);
        }
        let mut rounded = [0; N];
        for (rounded, sum) in rounded.iter_mut().zip(sums) {
            *rounded = nearest(sum);
        }
        rounded
    }
}

/// The nearest integer, ties to even, of a number that fits into 32 bits.
#[inline(always)]
pub fn nearest(number: f64) -> i32 {
    // The sum has no fraction bits; its lowest bits are those of the integer, in two's complement.
    const NO_FRACTION: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
    (number + NO_FRACTION).to_bits() as i32
}

#[inline(always)]
fn map<const N: usize>(x: [f64; N], value: impl Fn(f64) -> f64) -> [f64; N] {
    let mut values = x;
    for value_of in &mut values {
        *value_of = value(*value_of);
    }
    values
}

#[inline(always)]
fn map_both<const N: usize>(x: [f64; N], y: [f64; N], value: impl Fn(f64, f64) -> f64) -> [f64; N] {
    let mut values = x;
    for (value_of, y) in values.iter_mut().zip(&y) {
        *value_of = value(*value_of, *y);
    }
    values
}

impl Step {
    #[inline(always)]
    fn run<const N: usize>(
        &self,
        registers: &mut [[f64; N]; REGISTERS],
        sums: &mut [f64; N],
        lanes: &impl Lanes<N>,
    ) {
        let x = self.x.numbers(registers, lanes);
        let y = self.y.numbers(registers, lanes);
        let values = match &self.function {
            Function::Same => x,
            Function::Unary(operator) => unary(*operator, x),
            Function::Binary(operator) => binary(*operator, x, y),
            Function::Choice { otherwise } => {
                let mut values = otherwise.numbers(registers, lanes);
                for ((value, then), condition) in values.iter_mut().zip(&y).zip(&x) {
                    *value = if *condition != 0.0 { *then } else { *value };
                }
                values
            }
            Function::Interpolate(points) => map(x, |x| interpolated(points, x)),
            Function::Table(values) => map(x, |x| looked_up(values, x)),
            Function::Selected { selector, number } => map(x, |x| selector.of(*number, x)),
        };
        match self.to {
            Target::Register(to) => registers[to % REGISTERS] = values,
            Target::Sum(weight) => {
                for (sum, value) in sums.iter_mut().zip(values) {
                    *sum += weight * value;
                }
            }
        }
    }
}

impl Source {
    #[inline(always)]
    fn numbers<const N: usize>(
        &self,
        registers: &[[f64; N]; REGISTERS],
        lanes: &impl Lanes<N>,
    ) -> [f64; N] {
        let mut numbers = [0.0; N];
        match self {
            Source::Number(number) => numbers = [*number; N],
            Source::Register(at) => numbers = registers[at % REGISTERS],
            Source::Lane { slot, unit } => {
                for (number, stored) in numbers.iter_mut().zip(lanes.stored(*slot)) {
                    *number = f64::from(stored) * unit;
                }
            }
            Source::LookUp {
                slot,
                first,
                values,
            } => {
                for (number, stored) in numbers.iter_mut().zip(lanes.stored(*slot)) {
                    let at = stored.wrapping_sub(*first) as usize;
                    *number = values[at.min(values.len() - 1)];
                }
            }
        }
        numbers
    }
}

/// [`Unary::of`] for several numbers. The operations of the processor that are used here give the bits of `libm`.
#[inline(always)]
fn unary<const N: usize>(operator: Unary, x: [f64; N]) -> [f64; N] {
    match operator {
        Unary::Negative => map(x, |x| -x),
        Unary::Not => map(x, |x| truth(x == 0.0)),
        Unary::Abs => map(x, f64::abs),
        Unary::Sqrt => map(x, f64::sqrt),
        Unary::Exp | Unary::Ln | Unary::Floor => map(x, |x| operator.of(x)),
    }
}

/// [`Binary::of`] for several pairs of numbers.
#[inline(always)]
fn binary<const N: usize>(operator: Binary, x: [f64; N], y: [f64; N]) -> [f64; N] {
    match operator {
        Binary::Add => map_both(x, y, |x, y| x + y),
        Binary::Subtract => map_both(x, y, |x, y| x - y),
        Binary::Multiply => map_both(x, y, |x, y| x * y),
        Binary::Divide => map_both(x, y, |x, y| x / y),
        Binary::Power => map_both(x, y, power),
        Binary::Equal => map_both(x, y, |x, y| truth(x == y)),
        Binary::NotEqual => map_both(x, y, |x, y| truth(x != y)),
        Binary::Less => map_both(x, y, |x, y| truth(x < y)),
        Binary::LessOrEqual => map_both(x, y, |x, y| truth(x <= y)),
        Binary::Greater => map_both(x, y, |x, y| truth(x > y)),
        Binary::GreaterOrEqual => map_both(x, y, |x, y| truth(x >= y)),
        Binary::And => map_both(x, y, |x, y| truth((x != 0.0) & (y != 0.0))),
        Binary::Or => map_both(x, y, |x, y| truth((x != 0.0) | (y != 0.0))),
        // No part of an expression is NaN, see `interval`.
        Binary::Min => map_both(x, y, |x, y| if x <= y { x } else { y }),
        Binary::Max => map_both(x, y, |x, y| if x >= y { x } else { y }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_integer_is_that_of_the_standard_library() {
        for number in [
            0.5,
            1.5,
            -0.5,
            -2.5,
            2_147_483_646.4,
            -2_147_483_647.5,
            3.49,
        ] {
            assert_eq!(nearest(number), f64::round_ties_even(number) as i32);
        }
    }
}
