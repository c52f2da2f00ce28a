//! Bounds of an expression of a whole board, from the bounds of what it reads. They show that no board has a value that is
//! not finite, and how large the values can become. The bounds may be wider than the values.

use super::expression::{Expression, Operation, Selector};
use crate::expression::{Binary, Unary, power};

/// All numbers from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The smallest number.
    pub low: f64,
    /// The largest number.
    pub high: f64,
}

/// A name that an expression reads.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// The bounds of its values.
    pub interval: Interval,
    /// All values are multiples of it; 0 if there is no such number.
    pub step: f64,
}

impl Interval {
    /// An interval of one number.
    pub fn of(number: f64) -> Self {
        Interval {
            low: number,
            high: number,
        }
    }

    /// The smallest interval with these numbers.
    fn around(numbers: impl IntoIterator<Item = f64>) -> Self {
        let start = Interval {
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
        };
        numbers.into_iter().fold(start, |so_far, number| Interval {
            low: so_far.low.min(number),
            high: so_far.high.max(number),
        })
    }

    fn joined(self, other: Interval) -> Self {
        Interval::around([self.low, self.high, other.low, other.high])
    }

    fn contains(self, number: f64) -> bool {
        self.low <= number && number <= self.high
    }

    fn ends(self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// The largest absolute value.
    pub fn largest(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// The interval of an operation whose extreme values are at the ends of both intervals.
    fn at_corners(self, other: Interval, value: impl Fn(f64, f64) -> f64) -> Self {
        let pairs = self.ends().map(|x| other.ends().map(|y| value(x, y)));
        Interval::around(pairs.into_iter().flatten())
    }
}

/// Bounds of an expression. `inputs` are those of the names that it reads.
///
/// # Errors
/// If some part may be infinite or no number, with what to write instead.
pub fn interval(
    expression: &Expression,
    inputs: &[Input],
    selector: &Selector,
) -> Result<Interval, String> {
    let of = |part: &Expression| interval(part, inputs, selector);
    let found = match &expression.kind {
        Operation::Number(number) => Interval::of(*number),
        Operation::Parameter(place) => inputs[*place].interval,
        Operation::Unary(operator, x) => of_unary(*operator, of(x)?)?,
        Operation::Binary(operator, x, y) => of_binary(*operator, of(x)?, of(y)?)?,
        Operation::If(parts) => {
            let [condition, then, otherwise] = &**parts;
            of(condition)?;
            let branch = |part: &Expression, holds: bool| match narrowed(inputs, condition, holds) {
                Some(inputs) => interval(part, &inputs, selector).map(Some),
                None => Ok(None),
            };
            match (branch(then, true)?, branch(otherwise, false)?) {
                (Some(then), Some(otherwise)) => then.joined(otherwise),
                (Some(only), None) | (None, Some(only)) => only,
                (None, None) => Interval::of(0.0),
            }
        }
        Operation::Interpolate(x, points) => {
            of(x)?;
            Interval::around(points.iter().map(|(_, value)| *value))
        }
        Operation::Table(x, values) => {
            of(x)?;
            Interval::around(values.iter().copied())
        }
        Operation::Selected(x) => {
            of(x)?;
            match selector {
                Selector::One => Interval::of(1.0),
                _ => Interval {
                    low: 0.0,
                    high: 1.0,
                },
            }
        }
        Operation::Cell(_) | Operation::Variable(_) | Operation::Index | Operation::Fold(_) => {
            unreachable!("an expression of the whole board reads no line")
        }
    };
    if found.low.is_finite() && found.high.is_finite() {
        return Ok(found);
    }
    Err(format!(
        "a part of it may reach {} or {}: it must be finite on every board",
        found.low, found.high
    ))
}

fn of_unary(operator: Unary, x: Interval) -> Result<Interval, String> {
    let outside = |name: &str, needed: &str, instead: &str| {
        let Interval { low, high } = x;
        Err(format!(
            "`{name}` of a number from {low} to {high}, which must be {needed} on every board: write {instead}"
        ))
    };
    match operator {
        Unary::Abs if x.contains(0.0) => Ok(Interval::around([0.0, x.largest()])),
        Unary::Not => Ok(Interval::around([0.0, 1.0])),
        Unary::Ln if x.low <= 0.0 => outside("ln", "above 0", "`ln(max(.., 1))`"),
        Unary::Sqrt if x.low < 0.0 => outside("sqrt", "0 or more", "`sqrt(max(.., 0))`"),
        // All others are monotonic.
        _ => Ok(Interval::around(x.ends().map(|x| operator.of(x)))),
    }
}

fn of_binary(operator: Binary, x: Interval, y: Interval) -> Result<Interval, String> {
    match operator {
        Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Min | Binary::Max => {
            Ok(x.at_corners(y, |x, y| operator.of(x, y)))
        }
        Binary::Divide if y.contains(0.0) => Err(format!(
            "a division by a number from {} to {}, which must not be 0 on any board: write `/ max(.., 1)`",
            y.low, y.high
        )),
        Binary::Divide => Ok(x.at_corners(y, |x, y| x / y)),
        Binary::Power => of_power(x, y),
        // Conditions.
        _ => Ok(Interval::around([0.0, 1.0])),
    }
}

/// Bounds of a power. A power of 0 is 0.
fn of_power(x: Interval, y: Interval) -> Result<Interval, String> {
    let is_whole = y.low == y.high && libm::floor(y.low) == y.low;
    if x.low < 0.0 && !is_whole {
        return Err(format!(
            "a power of a number from {} to {}, which must be 0 or more on every board, or the exponent a whole number",
            x.low, x.high
        ));
    }
    if x.contains(0.0) && y.low < 0.0 {
        return Err(format!(
            "a power with an exponent from {} of a number from {} to {}, which must not come near 0: write `max(.., 1) ^`",
            y.low, x.low, x.high
        ));
    }
    let corners = x.at_corners(y, power);
    let zero = x.contains(0.0).then_some(Interval::of(0.0));
    // Between 0 and 1, a power is near 1 if its exponent is near 0.
    let one = (x.low < 1.0 && x.high > 0.0 && y.contains(0.0)).then_some(Interval::of(1.0));
    let joined = |so_far: Interval, other: Interval| so_far.joined(other);
    Ok(zero.into_iter().chain(one).fold(corners, joined))
}

/// The inputs for which a condition holds, or does not: the input that a simple comparison with a number reads is
/// narrowed. `None` if there are none.
fn narrowed(inputs: &[Input], condition: &Expression, holds: bool) -> Option<Vec<Input>> {
    let mut inputs = inputs.to_vec();
    let Operation::Binary(operator, x, y) = &condition.kind else {
        return Some(inputs);
    };
    let (Operation::Parameter(place), Operation::Number(number)) = (&x.kind, &y.kind) else {
        return Some(inputs);
    };
    let operator = match (operator, holds) {
        (operator, true) => *operator,
        (Binary::Less, false) => Binary::GreaterOrEqual,
        (Binary::LessOrEqual, false) => Binary::Greater,
        (Binary::Greater, false) => Binary::LessOrEqual,
        (Binary::GreaterOrEqual, false) => Binary::Less,
        (Binary::Equal, false) => Binary::NotEqual,
        (Binary::NotEqual, false) => Binary::Equal,
        _ => return Some(inputs),
    };
    let Input { interval, step } = &mut inputs[*place];
    // The nearest values of the input on both sides of the number.
    let (below, above) = match *step {
        0.0 => (*number, *number),
        step => (
            (libm::ceil(number / step) - 1.0) * step,
            (libm::floor(number / step) + 1.0) * step,
        ),
    };
    match operator {
        Binary::Less => interval.high = interval.high.min(below),
        Binary::LessOrEqual => interval.high = interval.high.min(*number),
        Binary::Greater => interval.low = interval.low.max(above),
        Binary::GreaterOrEqual => interval.low = interval.low.max(*number),
        Binary::Equal => {
            interval.low = interval.low.max(*number);
            interval.high = interval.high.min(*number);
        }
        Binary::NotEqual if interval.low == *number => interval.low = above,
        Binary::NotEqual if interval.high == *number => interval.high = below,
        _ => {}
    }
    (interval.low <= interval.high).then_some(inputs)
}
