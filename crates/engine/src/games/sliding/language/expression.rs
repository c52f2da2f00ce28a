//! Expressions whose names are resolved, and their definition: the value of an expression on one
//! line. It is slow; [`super::columns`] computes the same values for all lines at once.

use super::domain::{Domain, elements};
use super::syntax::{Binary, Unary, truth};
use crate::games::sliding::rows::Line;

/// Most variables of folds that are visible at one place.
pub const SLOTS: usize = 16;

/// An expression with what is known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// What it computes.
    pub kind: Operation,
    /// Variables and cells that it reads: bit s for the variable in slot s that is bound outside of
    /// it, bit `SLOTS + c` for cell c.
    pub inputs: u32,
    /// Whether it contains a fold, and so reads the whole line.
    pub folds: bool,
    /// Named parameters that it reads: bit p for the one with index p.
    pub parameters: u64,
    /// Whether it reads `i`.
    pub reads_index: bool,
    /// Whether it depends on the weight that the term is evaluated for.
    pub selects: bool,
    /// Number of combinations of its inputs, if they are so few that [`super::columns`] computes their
    /// values in advance.
    pub known: Option<usize>,
    /// Number of operations, expensive ones counted several times.
    pub operations: usize,
    /// Number of operations for each line when all lines are computed.
    pub steps: usize,
}

/// Most combinations of inputs whose values are computed in advance.
pub const MOST_KNOWN: usize = 512;

/// What an expression computes.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// A constant.
    Number(f64),
    /// The rank in cell 0 to 3.
    Cell(usize),
    /// A variable of a fold.
    Variable(usize),
    /// `i`: the place of the line, 0 to 3.
    Index,
    /// A named parameter: an index into those of the term, followed by those of the file.
    Parameter(usize),
    /// An operation on one number.
    Unary(Unary, Box<Expression>),
    /// An operation on two numbers.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// `if(condition, then, else)`.
    If(Box<[Expression; 3]>),
    /// `interpolate(x, at: value, ..)`: linear between the points, constant beyond them.
    Interpolate(Box<Expression>, Vec<(f64, f64)>),
    /// `table(x, v0, v1, ..)`: the value whose number is x, rounded down and limited to the table.
    Table(Box<Expression>, Vec<f64>),
    /// `knot(x)` or `is(x)`: depends on the weight that the term is evaluated for.
    Selected(Box<Expression>),
    /// A fold over elements of the line.
    Fold(Box<FoldExpression>),
}

/// A fold.
#[derive(Clone, Debug, PartialEq)]
pub struct FoldExpression {
    /// What is done with the values.
    pub fold: Fold,
    /// Over what.
    pub domain: Domain,
    /// Slot of the first variable.
    pub slot: usize,
    /// Elements that do not meet it are left out.
    pub condition: Option<Expression>,
    /// The value of an element; 1 for a count.
    pub value: Expression,
}

/// What a fold does with the values of its elements. Without any element it is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Their sum, in the order of the line.
    Sum,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

impl Fold {
    /// The result so far and the value of the next element.
    #[inline(always)]
    pub fn joined(self, so_far: f64, value: f64) -> f64 {
        match self {
            Fold::Sum => so_far + value,
            Fold::Min => Binary::Min.of(so_far, value),
            Fold::Max => Binary::Max.of(so_far, value),
        }
    }
}

/// The weights of a term: one, or one for each knot or value.
#[derive(Clone, Debug, PartialEq)]
pub enum Selector {
    /// One weight.
    One,
    /// A weight for each knot: `knot(x)` is the hat function of the knot.
    Knots(Vec<f64>),
    /// A weight for each value: `is(x)` is 1 if x is the value.
    Values(Vec<f64>),
}

impl Selector {
    /// Number of weights.
    pub fn count(&self) -> usize {
        match self {
            Selector::One => 1,
            Selector::Knots(numbers) | Selector::Values(numbers) => numbers.len(),
        }
    }

    /// The value of `knot(x)` or `is(x)` for one of the weights.
    #[inline(always)]
    pub fn of(&self, weight: usize, x: f64) -> f64 {
        match self {
            Selector::One => 1.0,
            Selector::Knots(knots) => hat(knots, weight, x),
            Selector::Values(values) => truth(x == values[weight]),
        }
    }
}

/// The hat function of a knot: 1 there, 0 at the other knots, linear between them, constant beyond
/// the first and the last.
fn hat(knots: &[f64], knot: usize, x: f64) -> f64 {
    let top = knots[knot];
    let foot = if x <= top {
        knot.checked_sub(1).map(|before| knots[before])
    } else {
        knots.get(knot + 1).copied()
    };
    foot.map_or(1.0, |foot| ((x - foot) / (top - foot)).max(0.0))
}

/// What an expression is evaluated for, besides the line.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The place of the line, 0 to 3.
    pub index: usize,
    /// Values of the named parameters.
    pub parameters: &'a [f64],
    /// The weights of the term.
    pub selector: &'a Selector,
    /// Which of them.
    pub weight: usize,
}

/// Values of the variables by slot.
pub type Variables = [f64; SLOTS];

impl Expression {
    /// The value on a line.
    pub fn value(&self, line: Line, setting: &Setting) -> f64 {
        self.evaluate(line, setting, &mut [0.0; SLOTS])
    }

    /// The value where variables are bound.
    pub fn evaluate(&self, line: Line, setting: &Setting, variables: &mut Variables) -> f64 {
        match &self.kind {
            Operation::Number(number) => *number,
            Operation::Cell(cell) => f64::from(line[*cell]),
            Operation::Variable(slot) => variables[*slot],
            Operation::Index => setting.index as f64,
            Operation::Parameter(parameter) => setting.parameters[*parameter],
            Operation::Unary(operator, x) => operator.of(x.evaluate(line, setting, variables)),
            Operation::Binary(operator, x, y) => {
                let x = x.evaluate(line, setting, variables);
                operator.of(x, y.evaluate(line, setting, variables))
            }
            Operation::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                let holds = condition.evaluate(line, setting, variables) != 0.0;
                let chosen = if holds { then } else { otherwise };
                chosen.evaluate(line, setting, variables)
            }
            Operation::Interpolate(x, points) => {
                interpolated(points, x.evaluate(line, setting, variables))
            }
            Operation::Table(x, values) => looked_up(values, x.evaluate(line, setting, variables)),
            Operation::Selected(x) => {
                let x = x.evaluate(line, setting, variables);
                setting.selector.of(setting.weight, x)
            }
            Operation::Fold(folded) => folded.evaluate(line, setting, variables),
        }
    }
}

impl FoldExpression {
    fn evaluate(&self, line: Line, setting: &Setting, variables: &mut Variables) -> f64 {
        let mut result = None;
        for element in elements(self.domain, line) {
            for (slot, value) in element.into_iter().enumerate() {
                variables[self.slot + slot] = f64::from(value);
            }
            let condition = self.condition.as_ref();
            if condition.is_none_or(|holds| holds.evaluate(line, setting, variables) != 0.0) {
                let value = self.value.evaluate(line, setting, variables);
                let so_far = match (self.fold, result) {
                    (_, Some(so_far)) => self.fold.joined(so_far, value),
                    (Fold::Sum, None) => 0.0 + value,
                    (Fold::Min | Fold::Max, None) => value,
                };
                result = Some(so_far);
            }
        }
        result.unwrap_or(0.0)
    }
}

/// See [`Operation::Interpolate`].
#[inline(always)]
pub fn interpolated(points: &[(f64, f64)], x: f64) -> f64 {
    let above = points.iter().position(|(at, _)| x < *at);
    match above {
        Some(0) => points[0].1,
        Some(above) => {
            let [(from, low), (to, high)] = [points[above - 1], points[above]];
            low + (high - low) * ((x - from) / (to - from))
        }
        None if x.is_nan() => x,
        None => points[points.len() - 1].1,
    }
}

/// See [`Operation::Table`].
#[inline(always)]
pub fn looked_up(values: &[f64], x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    // A conversion of a float limits it to the type.
    values[(libm::floor(x) as usize).min(values.len() - 1)]
}
