//! The value of an expression on all lines at once, equal to the bit to
//! [`Expression::value`](super::expression::Expression::value) on each of them.
//!
//! Lines are computed in blocks, an operation at a time. The elements of a fold are the same for all
//! lines except that some lines have fewer, so a fold is unrolled. A part of an expression that reads
//! nothing but a few ranks is computed once for each of their values and then looked up.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::expression::{Expression, Fold, Folded, Kind, SLOTS, Setting, interpolated, looked_up};
use super::lines::{Binding, Lines};
use super::syntax::{Binary, power};

/// Lines that are computed together.
const BLOCK: usize = 512;

/// A value for each line of a block.
enum Vector {
    Same(f64),
    Each(Vec<f64>),
}

impl Vector {
    #[inline(always)]
    fn at(&self, line: usize) -> f64 {
        match self {
            Vector::Same(value) => *value,
            Vector::Each(values) => values[line],
        }
    }

    fn map(self, value: impl Fn(f64) -> f64) -> Vector {
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

/// The value of an expression on each of some lines, by place.
pub fn column(lines: &Lines, expression: &Expression, setting: &Setting) -> Vec<f64> {
    let mut evaluation = Evaluation {
        lines,
        setting,
        bound: Vec::new(),
        known: HashMap::new(),
        block: 0..0,
    };
    let mut column = Vec::with_capacity(lines.indices.len());
    while column.len() < lines.indices.len() {
        let start = column.len();
        evaluation.block = start..(start + BLOCK).min(lines.indices.len());
        match evaluation.evaluate(expression) {
            Vector::Same(value) => column.resize(evaluation.block.end, value),
            Vector::Each(values) => column.extend(values),
        }
    }
    column
}

struct Evaluation<'a> {
    lines: &'a Lines,
    setting: &'a Setting<'a>,
    /// By slot: the variable and the number of its possible values.
    bound: Vec<(Binding<'a>, usize)>,
    /// Values computed in advance, by the address of the expression.
    known: HashMap<usize, Rc<[f64]>>,
    /// Places of the lines that are computed.
    block: Range<usize>,
}

impl<'a> Evaluation<'a> {
    fn evaluate(&mut self, expression: &Expression) -> Vector {
        if let Some(known) = self.known_in_advance(expression) {
            return known;
        }
        match &expression.kind {
            Kind::Number(number) => Vector::Same(*number),
            Kind::Cell(cell) => {
                self.read(Binding::Each(&self.lines.cells[*cell][self.block.clone()]))
            }
            Kind::Variable(slot) => self.read(self.bound[*slot].0),
            Kind::Index => Vector::Same(self.setting.index as f64),
            Kind::Parameter(parameter) => Vector::Same(self.setting.parameters[*parameter]),
            Kind::Unary(operator, x) => {
                let operator = *operator;
                self.evaluate(x).map(|x| operator.of(x))
            }
            Kind::Binary(operator, x, y) => {
                let x = self.evaluate(x);
                let y = self.evaluate(y);
                combined(*operator, x, y)
            }
            Kind::If(parts) => self.chosen(parts),
            Kind::Interpolate(x, points) => self.evaluate(x).map(|x| interpolated(points, x)),
            Kind::Table(x, values) => self.evaluate(x).map(|x| looked_up(values, x)),
            Kind::Selected(x) => {
                let Setting {
                    selector, weight, ..
                } = *self.setting;
                self.evaluate(x).map(|x| selector.of(weight, x))
            }
            Kind::Fold(folded) => self.fold(folded),
        }
    }

    fn read(&self, binding: Binding) -> Vector {
        match binding {
            Binding::Same(value) => Vector::Same(f64::from(value)),
            Binding::Each(values) => {
                Vector::Each(values.iter().map(|&value| f64::from(value)).collect())
            }
        }
    }

    fn chosen(&mut self, parts: &[Expression; 3]) -> Vector {
        let [condition, then, otherwise] = parts;
        let condition = self.evaluate(condition);
        let then = self.evaluate(then);
        let otherwise = self.evaluate(otherwise);
        if let Vector::Same(condition) = condition {
            return if condition != 0.0 { then } else { otherwise };
        }
        let value = |line| match condition.at(line) != 0.0 {
            true => then.at(line),
            false => otherwise.at(line),
        };
        Vector::Each((0..self.block.len()).map(value).collect())
    }

    fn fold(&mut self, folded: &Folded) -> Vector {
        let length = self.block.len();
        let mut result = Vec::new();
        // Sums start with 0, the others with their first value.
        let mut begun = vec![false; length];
        for element in 0..folded.domain.most() {
            let lines = self.lines;
            let bindings = lines.bindings(folded.domain, element, &self.block);
            self.bound.truncate(folded.slot);
            self.bound.extend(
                bindings
                    .into_iter()
                    .zip(folded.domain.ranges().iter().copied()),
            );
            let condition = folded.condition.as_ref().map(|holds| self.evaluate(holds));
            let value = self.evaluate(&folded.value);
            if folded.fold == Fold::Sum && matches!(value, Vector::Same(0.0)) {
                continue;
            }
            result.resize(length, 0.0);
            let existing = lines.existing(folded.domain, element, &self.block);
            let counts = included(existing, condition.as_ref(), length);
            match (folded.fold, counts) {
                (Fold::Sum, counts) => add(&mut result, &value, counts.as_deref()),
                (fold, counts) => {
                    for line in 0..length {
                        if counts.as_ref().is_none_or(|counts| counts[line]) {
                            let value = value.at(line);
                            result[line] = match begun[line] {
                                true => fold.joined(result[line], value),
                                false => value,
                            };
                            begun[line] = true;
                        }
                    }
                }
            }
        }
        self.bound.truncate(folded.slot);
        match result.is_empty() {
            true => Vector::Same(0.0),
            false => Vector::Each(result),
        }
    }

    /// The values of an expression that reads nothing but a few bytes of the line.
    fn known_in_advance(&mut self, expression: &Expression) -> Option<Vector> {
        let count = expression.known?;
        let inputs = (0..SLOTS + 4).filter(|input| expression.inputs >> input & 1 == 1);
        let inputs: Vec<(usize, usize)> = inputs.map(|input| (input, self.range(input))).collect();
        let address = std::ptr::from_ref(expression) as usize;
        let known = match self.known.get(&address) {
            Some(known) => Rc::clone(known),
            None => {
                let known = self.all_values(expression, &inputs, count);
                self.known.insert(address, Rc::clone(&known));
                known
            }
        };
        match known.iter().all(|value| value.to_bits() == 0) {
            true => Some(Vector::Same(0.0)),
            false => Some(self.look_up(&known, &inputs)),
        }
    }

    /// Number of possible values of a variable or cell.
    fn range(&self, input: usize) -> usize {
        match input {
            0..SLOTS => self.bound[input].1,
            _ => 16,
        }
    }

    /// The values of an expression for all values of its inputs, the first input running slowest.
    fn all_values(
        &self,
        expression: &Expression,
        inputs: &[(usize, usize)],
        count: usize,
    ) -> Rc<[f64]> {
        let value = |number: usize| {
            let mut variables = [0.0; SLOTS];
            let mut line = [0; 4];
            let mut rest = number;
            for &(input, range) in inputs.iter().rev() {
                match input {
                    0..SLOTS => variables[input] = (rest % range) as f64,
                    _ => line[input - SLOTS] = (rest % range) as u8,
                }
                rest /= range;
            }
            expression.evaluate(line, self.setting, &mut variables)
        };
        (0..count).map(value).collect()
    }

    fn look_up(&self, known: &[f64], inputs: &[(usize, usize)]) -> Vector {
        // The number of a combination is `start` plus each value times its step.
        let (mut start, mut step) = (0, 1);
        let mut steps: Vec<(&[u8], usize)> = Vec::new();
        for &(input, range) in inputs.iter().rev() {
            let binding = match input {
                0..SLOTS => self.bound[input].0,
                _ => Binding::Each(&self.lines.cells[input - SLOTS][self.block.clone()]),
            };
            match binding {
                Binding::Same(value) => start += usize::from(value) * step,
                Binding::Each(values) => steps.push((values, step)),
            }
            step *= range;
        }
        let known = &known[start..];
        let values = match steps.as_slice() {
            [] => return Vector::Same(known[0]),
            [(one, step)] => one
                .iter()
                .map(|&one| known[usize::from(one) * step])
                .collect(),
            [(one, step), (other, larger)] => one
                .iter()
                .zip(*other)
                .map(|(&one, &other)| known[usize::from(one) * step + usize::from(other) * larger])
                .collect(),
            steps => {
                let number = |line: usize| {
                    let parts = steps.iter();
                    parts
                        .map(|(values, step)| usize::from(values[line]) * step)
                        .sum::<usize>()
                };
                (0..self.block.len())
                    .map(|line| known[number(line)])
                    .collect()
            }
        };
        Vector::Each(values)
    }
}

/// The lines on which an element counts; `None` for all.
fn included(
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
        (existing, Some(Vector::Same(holds))) => match *holds != 0.0 {
            true => included(existing, None, length),
            false => Some(vec![false; length]),
        },
    }
}

/// Adds a value to the sums of the lines on which it counts.
fn add(sums: &mut [f64], value: &Vector, counts: Option<&[bool]>) {
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

/// An operation on each line. The frequent ones have loops of their own.
fn combined(operator: Binary, x: Vector, y: Vector) -> Vector {
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

/// Powers of values of which many are equal.
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
