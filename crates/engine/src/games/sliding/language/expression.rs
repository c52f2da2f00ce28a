//! Expressions with resolved names, and the definition of their value on one line. This code is slow;
//! [`super::columns`] computes the same values for all lines at once.

use super::domain::{Domain, elements};
use crate::expression::{Binary, Unary, truth};
use crate::games::sliding::rows::Line;

/// Largest number of fold variables that are visible at one place.
pub const SLOTS: usize = 16;

/// The number by which [`Operation::Cell`] stands for the last cell of a line of any length.
pub const LAST: usize = 4;

/// Number of inputs of an expression: the fold variables, the four cells, and the last cell.
pub const INPUTS: usize = SLOTS + LAST + 1;

/// The cell of a line of `length` cells that [`Operation::Cell`] reads.
pub fn cell_at(cell: usize, length: usize) -> usize {
    if cell == LAST { length - 1 } else { cell }
}

/// An expression and its properties.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// What it computes.
    pub kind: Operation,
    /// The variables and cells that it reads: bit s for the variable in slot s if it is bound outside of the
    /// expression, bit `SLOTS + c` for cell c or [`LAST`].
    pub inputs: u32,
    /// True if it contains a fold, and therefore reads the whole line.
    pub folds: bool,
    /// The named parameters that it reads: bit p for parameter p.
    pub parameters: u64,
    /// True if it reads `i`.
    pub reads_index: bool,
    /// True if it depends on the weight for which the term is evaluated.
    pub selects: bool,
    /// Number of combinations of its inputs, if they are few enough for [`super::columns`] to precompute their
    /// values.
    pub known: Option<usize>,
    /// Cost of one evaluation: number of operations, with expensive ones counted several times.
    pub operations: usize,
    /// Cost for each line when all lines are computed.
    pub steps: usize,
}

/// Largest number of combinations of inputs that is precomputed.
pub const MOST_KNOWN: usize = 512;

/// What an expression computes.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// A constant.
    Number(f64),
    /// The rank in cell 0 to 3, or in the [`LAST`] one.
    Cell(usize),
    /// A variable of a fold.
    Variable(usize),
    /// `i`: the place of the line, 0 to 3.
    Index,
    /// A named parameter: an index into the parameters of the term, followed by those of the file.
    Parameter(usize),
    /// An operation on one number.
    Unary(Unary, Box<Expression>),
    /// An operation on two numbers.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// `if(condition, then, else)`.
    If(Box<[Expression; 3]>),
    /// `interpolate(x, at: value, ..)`: linear between the points, constant beyond them.
    Interpolate(Box<Expression>, Vec<(f64, f64)>),
    /// `table(x, v0, v1, ..)`: the value with the index x. The index is rounded down and limited to the table.
    Table(Box<Expression>, Vec<f64>),
    /// `knot(x)` or `is(x)`: depends on the weight for which the term is evaluated.
    Selected(Box<Expression>),
    /// A fold over elements of the line.
    Fold(Box<FoldExpression>),
}

/// A fold over the elements of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct FoldExpression {
    /// How the values of the elements are combined.
    pub fold: Fold,
    /// The elements over which it runs.
    pub domain: Domain,
    /// Slot of the first variable.
    pub slot: usize,
    /// Elements that do not satisfy it are skipped.
    pub condition: Option<Expression>,
    /// The value of an element; 1 for a count.
    pub value: Expression,
}

/// How a fold combines the values of its elements. The result without any element is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// The sum, in the order of the line.
    Sum,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
}

impl Fold {
    /// Combines the result so far with the value of the next element.
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

/// The hat function of a knot: 1 at the knot, 0 at the other knots, linear between knots, constant outside of
/// the first and the last knot.
fn hat(knots: &[f64], knot: usize, x: f64) -> f64 {
    let top = knots[knot];
    let foot = if x <= top {
        knot.checked_sub(1).map(|before| knots[before])
    } else {
        knots.get(knot + 1).copied()
    };
    foot.map_or(1.0, |foot| ((x - foot) / (top - foot)).max(0.0))
}

/// The inputs of an evaluation besides the line.
#[derive(Clone, Copy, Debug)]
pub struct ExpressionInputs<'a> {
    /// The place of the line, 0 to 3.
    pub index: usize,
    /// Number of cells of the line.
    pub length: usize,
    /// Values of the named parameters.
    pub parameters: &'a [f64],
    /// The weights of the term.
    pub selector: &'a Selector,
    /// The index of the weight for which the term is evaluated.
    pub weight: usize,
}

/// Values of the fold variables, by slot.
pub type Variables = [f64; SLOTS];

impl Expression {
    /// The value on a line.
    pub fn value(&self, line: Line, setting: &ExpressionInputs) -> f64 {
        self.evaluate(line, setting, &mut [0.0; SLOTS])
    }

    /// The value inside of folds: `variables` holds the values of their variables.
    pub fn evaluate(
        &self,
        line: Line,
        setting: &ExpressionInputs,
        variables: &mut Variables,
    ) -> f64 {
        match &self.kind {
            Operation::Number(number) => *number,
            Operation::Cell(cell) => f64::from(line[cell_at(*cell, setting.length)]),
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
    fn evaluate(&self, line: Line, setting: &ExpressionInputs, variables: &mut Variables) -> f64 {
        let mut result = None;
        for element in elements(self.domain, line, setting.length) {
            for (slot, value) in element.into_iter().enumerate() {
                variables[self.slot + slot] = f64::from(value);
            }
            let condition = self.condition.as_ref();
            if condition.is_none_or(|holds| holds.evaluate(line, setting, variables) != 0.0) {
                let value = self.value.evaluate(line, setting, variables);
                let so_far = match (self.fold, result) {
                    (_, Some(so_far)) => self.fold.joined(so_far, value),
                    // 0.0 + value, as in the columns: it turns -0 into +0.
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
    // The conversion limits the float to the range of the type, so a negative x gives index 0.
    values[(libm::floor(x) as usize).min(values.len() - 1)]
}
