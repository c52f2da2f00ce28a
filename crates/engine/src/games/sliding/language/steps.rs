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

/// Where a step finds what it reads, if that is in no register.
const X: usize = REGISTERS;
const Y: usize = REGISTERS + 1;
const OTHERWISE: usize = REGISTERS + 2;
/// Where a step leaves what is added to the sum.
const ADDED: usize = REGISTERS + 3;
/// The sum.
const SUM: usize = REGISTERS + 4;
/// A power of two makes the check of an index cheap.
const PLACES: usize = 16;

/// Numbers of `CHUNKS` times `N` boards: the registers and what else [`Steps`] need.
pub struct Registers<const N: usize, const CHUNKS: usize>([[[f64; N]; CHUNKS]; PLACES]);

impl<const N: usize, const CHUNKS: usize> Registers<N, CHUNKS> {
    /// Registers with 0.
    pub const ZERO: Self = Registers([[[0.0; N]; CHUNKS]; PLACES]);

    /// Sets the first chunks at a place to a number.
    #[inline(always)]
    fn fill(&mut self, place: usize, chunks: usize, number: f64) {
        for of_chunk in self.0[place % PLACES].iter_mut().take(chunks) {
            *of_chunk = [number; N];
        }
    }

    /// Sets the first chunks at place `to` to a function of those at places `x` and `y`.
    #[inline(always)]
    fn map(&mut self, [to, x, y]: [usize; 3], chunks: usize, value: impl Fn(f64, f64) -> f64) {
        for chunk in 0..chunks.min(CHUNKS) {
            let mut values = self.0[x % PLACES][chunk];
            for (of_board, y) in values.iter_mut().zip(&self.0[y % PLACES][chunk]) {
                *of_board = value(*of_board, *y);
            }
            self.0[to % PLACES][chunk] = values;
        }
    }
}

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

/// The lanes of boards in chunks of `N`.
pub trait Lanes<const N: usize> {
    /// The stored values of the lane in a slot, for the boards of a chunk.
    fn stored(&self, slot: usize, chunk: usize) -> [i32; N];
}

/// The steps that compute the weighted sum of several expressions.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    pub(super) steps: Vec<Step>,
    /// The part of the sum that is the same for all boards.
    pub(super) constant: f64,
}

impl Steps {
    /// The sums of the boards of some chunks, each rounded once to the nearest integer, ties to even, in `rounded`. They
    /// must fit into 32 bits. All boards together take each step, so that a step is chosen once.
    #[inline(always)]
    pub fn compute<const N: usize, const CHUNKS: usize>(
        &self,
        lanes: &impl Lanes<N>,
        chunks: usize,
        registers: &mut Registers<N, CHUNKS>,
        rounded: &mut [[i32; N]; CHUNKS],
    ) {
        registers.fill(SUM, chunks, self.constant);
        for step in &self.steps {
            step.run(registers, chunks, lanes);
        }
        for (rounded, sums) in rounded.iter_mut().zip(&registers.0[SUM]).take(chunks) {
            for (rounded, sum) in rounded.iter_mut().zip(sums) {
                *rounded = nearest(*sum);
            }
        }
    }

    /// The sums of `N` boards.
    #[inline(always)]
    pub fn values<const N: usize>(&self, lanes: &impl Lanes<N>) -> [i32; N] {
        let (mut registers, mut rounded) = (Registers::<N, 1>::ZERO, [[0; N]]);
        self.compute(lanes, 1, &mut registers, &mut rounded);
        let [values] = rounded;
        values
    }
}

/// The nearest integer, ties to even, of a number that fits into 32 bits.
#[inline(always)]
pub fn nearest(number: f64) -> i32 {
    // The sum has no fraction bits; its lowest bits are those of the integer, in two's complement.
    const NO_FRACTION: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
    (number + NO_FRACTION).to_bits() as i32
}

impl Step {
    #[inline(always)]
    fn run<const N: usize, const CHUNKS: usize>(
        &self,
        registers: &mut Registers<N, CHUNKS>,
        chunks: usize,
        lanes: &impl Lanes<N>,
    ) {
        let to = match self.to {
            Target::Register(to) => to,
            Target::Sum(_) => ADDED,
        };
        let x = self.x.read(X, registers, chunks, lanes);
        let alone = [to, x, x];
        match &self.function {
            Function::Same => registers.map(alone, chunks, |x, _| x),
            Function::Unary(operator) => unary(*operator, alone, registers, chunks),
            Function::Binary(operator) => {
                let y = self.y.read(Y, registers, chunks, lanes);
                binary(*operator, [to, x, y], registers, chunks);
            }
            Function::Choice { otherwise } => {
                let y = self.y.read(Y, registers, chunks, lanes);
                let otherwise = otherwise.read(OTHERWISE, registers, chunks, lanes);
                for chunk in 0..chunks.min(CHUNKS) {
                    let [x, y] = [x, y].map(|place| registers.0[place % PLACES][chunk]);
                    let mut values = registers.0[otherwise % PLACES][chunk];
                    for ((value, then), condition) in values.iter_mut().zip(&y).zip(&x) {
                        *value = if *condition != 0.0 { *then } else { *value };
                    }
                    registers.0[to % PLACES][chunk] = values;
                }
            }
            Function::Interpolate(points) => {
                registers.map(alone, chunks, |x, _| interpolated(points, x));
            }
            Function::Table(values) => registers.map(alone, chunks, |x, _| looked_up(values, x)),
            Function::Selected { selector, number } => {
                registers.map(alone, chunks, |x, _| selector.of(*number, x));
            }
        }
        if let Target::Sum(weight) = self.to {
            registers.map([SUM, SUM, ADDED], chunks, |sum, value| sum + weight * value);
        }
    }
}

impl Source {
    /// The place where the numbers are; those that are in no register are put at place `to`. Do not use closures here: the
    /// compiler can leave them as separate functions, without the instructions of their caller.
    #[inline(always)]
    fn read<const N: usize, const CHUNKS: usize>(
        &self,
        to: usize,
        registers: &mut Registers<N, CHUNKS>,
        chunks: usize,
        lanes: &impl Lanes<N>,
    ) -> usize {
        match self {
            Source::Register(at) => return *at,
            Source::Number(number) => registers.fill(to, chunks, *number),
            Source::Lane { slot, unit } => {
                for chunk in 0..chunks.min(CHUNKS) {
                    let stored = lanes.stored(*slot, chunk);
                    let mut numbers = [0.0; N];
                    for (number, stored) in numbers.iter_mut().zip(&stored) {
                        *number = f64::from(*stored) * unit;
                    }
                    registers.0[to % PLACES][chunk] = numbers;
                }
            }
            Source::LookUp {
                slot,
                first,
                values,
            } => {
                for chunk in 0..chunks.min(CHUNKS) {
                    let stored = lanes.stored(*slot, chunk);
                    let mut numbers = [0.0; N];
                    for (number, stored) in numbers.iter_mut().zip(&stored) {
                        let at = stored.wrapping_sub(*first) as usize;
                        *number = values[at.min(values.len() - 1)];
                    }
                    registers.0[to % PLACES][chunk] = numbers;
                }
            }
        }
        to
    }
}

/// [`Unary::of`] for several numbers. The operations of the processor that are used here give the bits of `libm`.
#[inline(always)]
fn unary<const N: usize, const CHUNKS: usize>(
    operator: Unary,
    places: [usize; 3],
    registers: &mut Registers<N, CHUNKS>,
    chunks: usize,
) {
    match operator {
        Unary::Negative => registers.map(places, chunks, |x, _| -x),
        Unary::Not => registers.map(places, chunks, |x, _| truth(x == 0.0)),
        Unary::Abs => registers.map(places, chunks, |x, _| x.abs()),
        Unary::Sqrt => registers.map(places, chunks, |x, _| x.sqrt()),
        Unary::Exp | Unary::Ln | Unary::Floor => {
            registers.map(places, chunks, |x, _| operator.of(x));
        }
    }
}

/// [`Binary::of`] for several pairs of numbers.
#[inline(always)]
fn binary<const N: usize, const CHUNKS: usize>(
    operator: Binary,
    places: [usize; 3],
    registers: &mut Registers<N, CHUNKS>,
    chunks: usize,
) {
    match operator {
        Binary::Add => registers.map(places, chunks, |x, y| x + y),
        Binary::Subtract => registers.map(places, chunks, |x, y| x - y),
        Binary::Multiply => registers.map(places, chunks, |x, y| x * y),
        Binary::Divide => registers.map(places, chunks, |x, y| x / y),
        Binary::Power => registers.map(places, chunks, power),
        Binary::Equal => registers.map(places, chunks, |x, y| truth(x == y)),
        Binary::NotEqual => registers.map(places, chunks, |x, y| truth(x != y)),
        Binary::Less => registers.map(places, chunks, |x, y| truth(x < y)),
        Binary::LessOrEqual => registers.map(places, chunks, |x, y| truth(x <= y)),
        Binary::Greater => registers.map(places, chunks, |x, y| truth(x > y)),
        Binary::GreaterOrEqual => registers.map(places, chunks, |x, y| truth(x >= y)),
        Binary::And => registers.map(places, chunks, |x, y| truth((x != 0.0) & (y != 0.0))),
        Binary::Or => registers.map(places, chunks, |x, y| truth((x != 0.0) | (y != 0.0))),
        // No part of an expression is NaN, see `interval`.
        Binary::Min => registers.map(places, chunks, |x, y| if x <= y { x } else { y }),
        Binary::Max => registers.map(places, chunks, |x, y| if x >= y { x } else { y }),
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
