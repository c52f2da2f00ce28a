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
#[repr(align(64))]
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
        self.set(to, (AtPlace(x), AtPlace(y)), chunks, value);
    }

    /// Sets the first chunks at place `to` to a function of two operands.
    #[inline(always)]
    fn set<X: Operand<N, CHUNKS>, Y: Operand<N, CHUNKS>>(
        &mut self,
        to: usize,
        (x, y): (X, Y),
        chunks: usize,
        value: impl Fn(f64, f64) -> f64,
    ) {
        for chunk in 0..chunks.min(CHUNKS) {
            let mut values = x.numbers(self, chunk);
            for (of_board, y) in values.iter_mut().zip(&y.numbers(self, chunk)) {
                *of_board = value(*of_board, *y);
            }
            self.0[to % PLACES][chunk] = values;
        }
    }
}

/// What a function is applied to.
trait Operand<const N: usize, const CHUNKS: usize>: Copy {
    /// The numbers of a chunk.
    fn numbers(&self, registers: &Registers<N, CHUNKS>, chunk: usize) -> [f64; N];
}

/// Numbers at a place.
#[derive(Clone, Copy)]
struct AtPlace(usize);

impl<const N: usize, const CHUNKS: usize> Operand<N, CHUNKS> for AtPlace {
    #[inline(always)]
    fn numbers(&self, registers: &Registers<N, CHUNKS>, chunk: usize) -> [f64; N] {
        registers.0[self.0 % PLACES][chunk]
    }
}

/// Numbers of a lane.
struct OfLane<'a, L: Lanes<N>, const N: usize> {
    lanes: &'a L,
    lane: L::Lane,
    unit: f64,
}

impl<L: Lanes<N>, const N: usize> Clone for OfLane<'_, L, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: Lanes<N>, const N: usize> Copy for OfLane<'_, L, N> {}

impl<L: Lanes<N>, const N: usize, const CHUNKS: usize> Operand<N, CHUNKS> for OfLane<'_, L, N> {
    #[inline(always)]
    fn numbers(&self, _: &Registers<N, CHUNKS>, chunk: usize) -> [f64; N] {
        let mut numbers = [0.0; N];
        for (number, stored) in numbers.iter_mut().zip(&self.lanes.stored(self.lane, chunk)) {
            *number = f64::from(*stored) * self.unit;
        }
        numbers
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
    /// Where a lane is.
    type Lane: Copy;

    /// The lane in a slot.
    fn lane(&self, slot: usize) -> Self::Lane;

    /// The stored values of a lane, for the boards of a chunk.
    fn stored(&self, lane: Self::Lane, chunk: usize) -> [i32; N];
}

/// The steps that compute the weighted sum of several expressions.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    pub(super) steps: Vec<Step>,
    /// The part of the sum that is the same for all boards.
    pub(super) constant: f64,
}

impl Steps {
    /// The sums of the boards of some chunks, each rounded once to the nearest integer, ties to even, and added to the
    /// stored value of a lane, in `rounded`. They must fit into 32 bits. All boards together take each step, so that a
    /// step is chosen once.
    #[inline(always)]
    pub fn compute<const N: usize, const CHUNKS: usize, L: Lanes<N>>(
        &self,
        lanes: &L,
        added: Option<L::Lane>,
        chunks: usize,
        registers: &mut Registers<N, CHUNKS>,
        rounded: &mut [[i32; N]; CHUNKS],
    ) {
        registers.fill(SUM, chunks, self.constant);
        for step in &self.steps {
            step.run(registers, chunks, lanes);
        }
        for (chunk, rounded) in rounded.iter_mut().enumerate().take(chunks) {
            let mut numbers = [0; N];
            for (number, sum) in numbers.iter_mut().zip(&registers.0[SUM][chunk]) {
                *number = nearest(*sum);
            }
            if let Some(added) = added {
                for (number, added) in numbers.iter_mut().zip(lanes.stored(added, chunk)) {
                    // Places without a board have arbitrary numbers.
                    *number = number.wrapping_add(added);
                }
            }
            *rounded = numbers;
        }
    }

    /// The sums of `N` boards.
    #[inline(always)]
    pub fn values<const N: usize>(&self, lanes: &impl Lanes<N>) -> [i32; N] {
        let (mut registers, mut rounded) = (Registers::<N, 1>::ZERO, [[0; N]]);
        self.compute(lanes, None, 1, &mut registers, &mut rounded);
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
        if let Function::Binary(operator) = &self.function {
            let operands = [&self.x, &self.y];
            operate(*operator, to, operands, registers, chunks, lanes);
            return self.add(registers, chunks);
        }
        let x = self.x.read(X, registers, chunks, lanes);
        let alone = [to, x, x];
        match &self.function {
            Function::Same => registers.map(alone, chunks, |x, _| x),
            Function::Unary(operator) => unary(*operator, alone, registers, chunks),
            Function::Binary(_) => unreachable!("it reads its operands itself"),
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
        self.add(registers, chunks);
    }

    /// Adds the result to the sum, if it goes there.
    #[inline(always)]
    fn add<const N: usize, const CHUNKS: usize>(
        &self,
        registers: &mut Registers<N, CHUNKS>,
        chunks: usize,
    ) {
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
                let numbers = of_lane(lanes, *slot, *unit);
                registers.set(to, (numbers, AtPlace(to)), chunks, |number, _| number);
            }
            Source::LookUp {
                slot,
                first,
                values,
            } => {
                let lane = lanes.lane(*slot);
                for chunk in 0..chunks.min(CHUNKS) {
                    let stored = lanes.stored(lane, chunk);
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

#[inline(always)]
fn of_lane<L: Lanes<N>, const N: usize>(lanes: &L, slot: usize, unit: f64) -> OfLane<'_, L, N> {
    OfLane {
        lanes,
        lane: lanes.lane(slot),
        unit,
    }
}

/// Sets the first chunks at place `to` to the result of an operator. The most frequent operators read lanes without a place
/// between; such loops for all of them make these slower.
#[inline(always)]
fn operate<const N: usize, const CHUNKS: usize>(
    operator: Binary,
    to: usize,
    [x, y]: [&Source; 2],
    registers: &mut Registers<N, CHUNKS>,
    chunks: usize,
    lanes: &impl Lanes<N>,
) {
    match (x, y) {
        (
            Source::Lane { slot, unit },
            Source::Lane {
                slot: second,
                unit: of_second,
            },
        ) if is_frequent(operator) => {
            let operands = (
                of_lane(lanes, *slot, *unit),
                of_lane(lanes, *second, *of_second),
            );
            frequent(operator, to, operands, registers, chunks);
        }
        (Source::Lane { slot, unit }, y) if is_frequent(operator) => {
            let y = AtPlace(y.read(Y, registers, chunks, lanes));
            let operands = (of_lane(lanes, *slot, *unit), y);
            frequent(operator, to, operands, registers, chunks);
        }
        (x, Source::Lane { slot, unit }) if is_frequent(operator) => {
            let x = AtPlace(x.read(X, registers, chunks, lanes));
            let operands = (x, of_lane(lanes, *slot, *unit));
            frequent(operator, to, operands, registers, chunks);
        }
        (x, y) => {
            let x = x.read(X, registers, chunks, lanes);
            let y = y.read(Y, registers, chunks, lanes);
            binary(operator, [to, x, y], registers, chunks);
        }
    }
}

fn is_frequent(operator: Binary) -> bool {
    matches!(
        operator,
        Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Min | Binary::Max
    )
}

/// [`Binary::of`] for several pairs of numbers, for the most frequent operators.
#[inline(always)]
fn frequent<const N: usize, const CHUNKS: usize>(
    operator: Binary,
    to: usize,
    operands: (impl Operand<N, CHUNKS>, impl Operand<N, CHUNKS>),
    registers: &mut Registers<N, CHUNKS>,
    chunks: usize,
) {
    match operator {
        Binary::Add => registers.set(to, operands, chunks, |x, y| x + y),
        Binary::Subtract => registers.set(to, operands, chunks, |x, y| x - y),
        Binary::Multiply => registers.set(to, operands, chunks, |x, y| x * y),
        // No part of an expression is NaN, see `interval`.
        Binary::Min => registers.set(to, operands, chunks, |x, y| if x <= y { x } else { y }),
        Binary::Max => registers.set(to, operands, chunks, |x, y| if x >= y { x } else { y }),
        _ => unreachable!("it is not frequent"),
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
    if is_frequent(operator) {
        let [to, x, y] = places;
        return frequent(operator, to, (AtPlace(x), AtPlace(y)), registers, chunks);
    }
    match operator {
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
        Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Min | Binary::Max => {
            unreachable!("it is frequent")
        }
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
