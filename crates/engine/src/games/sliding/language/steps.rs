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

/// A step. Registers are given by their numbers.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Lane {
        to: usize,
        lane: usize,
        unit: f64,
    },
    LookUp {
        to: usize,
        lane: usize,
        first: i32,
        values: Box<[f64]>,
    },
    Unary {
        operator: Unary,
        at: usize,
    },
    Binary {
        operator: Binary,
        x: usize,
        y: usize,
        to: usize,
    },
    NumberFirst {
        operator: Binary,
        x: f64,
        at: usize,
    },
    NumberLast {
        operator: Binary,
        at: usize,
        y: f64,
    },
    Choice {
        condition: Source,
        then: Source,
        otherwise: Source,
        to: usize,
    },
    Interpolate {
        at: usize,
        points: Box<[(f64, f64)]>,
    },
    Table {
        at: usize,
        values: Box<[f64]>,
    },
    Selected {
        at: usize,
        selector: Selector,
        number: usize,
    },
    /// Adds a multiple of a register to the result.
    Add {
        at: usize,
        weight: f64,
    },
}

/// A number, or the numbers of a register.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Number(f64),
    Register(usize),
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
    /// `lane(lane, board)` is the stored value of a lane.
    #[inline(always)]
    pub fn values<const N: usize>(&self, lane: impl Fn(usize, usize) -> i32) -> [i32; N] {
        let mut registers = [[0.0; N]; REGISTERS];
        let mut sums = [self.constant; N];
        for step in &self.steps {
            step.run(&mut registers, &mut sums, &lane);
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

/// The register with a number, of which the lowest bits count.
#[inline(always)]
fn register<const N: usize>(registers: &[[f64; N]; REGISTERS], at: usize) -> [f64; N] {
    registers[at % REGISTERS]
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
        lane: &impl Fn(usize, usize) -> i32,
    ) {
        let (to, values) = match self {
            Step::Lane { to, lane: of, unit } => {
                let mut values = [0.0; N];
                for (board, value) in values.iter_mut().enumerate() {
                    *value = f64::from(lane(*of, board)) * unit;
                }
                (*to, values)
            }
            Step::LookUp {
                to,
                lane: of,
                first,
                values: table,
            } => {
                let mut values = [0.0; N];
                for (board, value) in values.iter_mut().enumerate() {
                    let at = lane(*of, board).wrapping_sub(*first) as usize;
                    *value = table[at.min(table.len() - 1)];
                }
                (*to, values)
            }
            Step::Unary { operator, at } => (*at, unary(*operator, register(registers, *at))),
            Step::Binary { operator, x, y, to } => {
                let (x, y) = (register(registers, *x), register(registers, *y));
                (*to, binary(*operator, x, y))
            }
            Step::NumberFirst { operator, x, at } => {
                (*at, binary(*operator, [*x; N], register(registers, *at)))
            }
            Step::NumberLast { operator, at, y } => {
                (*at, binary(*operator, register(registers, *at), [*y; N]))
            }
            Step::Choice {
                condition,
                then,
                otherwise,
                to,
            } => {
                let [condition, then, otherwise] =
                    [condition, then, otherwise].map(|source| match source {
                        Source::Number(number) => [*number; N],
                        Source::Register(at) => register(registers, *at),
                    });
                let mut values = otherwise;
                for ((value, then), condition) in values.iter_mut().zip(&then).zip(&condition) {
                    *value = if *condition != 0.0 { *then } else { *value };
                }
                (*to, values)
            }
            Step::Interpolate { at, points } => (
                *at,
                map(register(registers, *at), |x| interpolated(points, x)),
            ),
            Step::Table { at, values } => {
                (*at, map(register(registers, *at), |x| looked_up(values, x)))
            }
            Step::Selected {
                at,
                selector,
                number,
            } => {
                let value = |x| selector.of(*number, x);
                (*at, map(register(registers, *at), value))
            }
            Step::Add { at, weight } => {
                let values = register(registers, *at);
                for (sum, value) in sums.iter_mut().zip(values) {
                    *sum += weight * value;
                }
                return;
            }
        };
        registers[to % REGISTERS] = values;
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
