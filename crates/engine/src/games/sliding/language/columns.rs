//! Computes the value of an expression on all lines. The results are bit-identical to
//! [`Expression::value`](super::expression::Expression::value) on each line.
//!
//! Lines are computed in blocks, one operation at a time. A fold has the same elements on all lines, except
//! that some lines have fewer, so a fold is unrolled. A subexpression that reads only a few ranks is evaluated
//! once for each combination of their values, and then looked up.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::expression::{
    Expression, ExpressionInputs, Fold, FoldExpression, INPUTS, Operation, SLOTS, cell_at,
    interpolated, looked_up,
};
use super::line_columns::{Binding, LineColumns};
use super::stored::CompactColumn;
use super::vector::{Vector, add, combined, included};

/// Number of lines in a block.
const BLOCK: usize = 512;

/// The value of an expression on each line of `lines`, in their order.
pub fn column(
    lines: &LineColumns,
    expression: &Expression,
    setting: &ExpressionInputs,
) -> Vec<f64> {
    ColumnEvaluator::new(lines, setting).column(expression)
}

/// The same values as a [`CompactColumn`]. It is small if the value is equal for all lines or depends on one
/// cell only.
pub fn stored(
    lines: &'static LineColumns,
    expression: &Expression,
    setting: &ExpressionInputs,
) -> CompactColumn {
    // Which cells are read and whether all values are equal does not depend on the lines, so a few lines are
    // enough to find out.
    let by_cell = LineColumns::by_cell(lines.length);
    let mut evaluation = ColumnEvaluator::new(&by_cell[0], setting);
    let first = evaluation.next(expression, 0);
    if let Vector::Same(value) = first {
        return CompactColumn::same(value, lines.indices.len());
    }
    if let Some(cell) = (0..lines.length).find(|cell| evaluation.read == 1 << cell) {
        evaluation.lines = &by_cell[cell];
        let values = evaluation.column(expression);
        let numbers = Cow::Borrowed(lines.cells[cell].as_slice());
        return CompactColumn::Few { values, numbers };
    }
    evaluation.lines = lines;
    CompactColumn::Many(evaluation.column(expression))
}

struct ColumnEvaluator<'a> {
    lines: &'a LineColumns,
    setting: &'a ExpressionInputs<'a>,
    /// The variables of the surrounding folds, by slot.
    bound: Vec<BoundVariable<'a>>,
    /// Precomputed values; the key is the address of the expression.
    known: HashMap<usize, Rc<[f64]>>,
    /// The range of lines that is being computed.
    block: Range<usize>,
    /// The cells that were read, one bit for each. If empty cells are skipped, or for runs, this counts as all
    /// cells.
    read: u8,
}

/// The bits of all four cells.
const ALL_CELLS: u8 = 0b1111;

/// A variable of a fold.
struct BoundVariable<'a> {
    values: Binding<'a>,
    /// Number of possible values.
    range: usize,
    /// The cells that it depends on, one bit for each.
    cells: u8,
}

impl<'a> ColumnEvaluator<'a> {
    fn new(lines: &'a LineColumns, setting: &'a ExpressionInputs<'a>) -> Self {
        ColumnEvaluator {
            lines,
            setting,
            bound: Vec::new(),
            known: HashMap::new(),
            block: 0..0,
            read: 0,
        }
    }

    /// The values on all lines.
    fn column(&mut self, expression: &Expression) -> Vec<f64> {
        let mut column = Vec::with_capacity(self.lines.indices.len());
        while column.len() < self.lines.indices.len() {
            match self.next(expression, column.len()) {
                Vector::Same(value) => column.resize(self.block.end, value),
                Vector::Each(values) => column.extend(values),
            }
        }
        column
    }

    /// The values on the block of lines that starts at `start`.
    fn next(&mut self, expression: &Expression, start: usize) -> Vector {
        self.block = start..(start + BLOCK).min(self.lines.indices.len());
        self.evaluate(expression)
    }

    fn evaluate(&mut self, expression: &Expression) -> Vector {
        if let Some(known) = self.known_in_advance(expression) {
            return known;
        }
        match &expression.kind {
            Operation::Number(number) => Vector::Same(*number),
            Operation::Cell(cell) => read(self.binding(SLOTS + cell)),
            Operation::Variable(slot) => read(self.binding(*slot)),
            Operation::Index => Vector::Same(self.setting.index as f64),
            Operation::Parameter(parameter) => Vector::Same(self.setting.parameters[*parameter]),
            Operation::Unary(operator, x) => {
                let operator = *operator;
                self.evaluate(x).map(|x| operator.of(x))
            }
            Operation::Binary(operator, x, y) => {
                let x = self.evaluate(x);
                let y = self.evaluate(y);
                combined(*operator, x, y)
            }
            Operation::If(parts) => self.chosen(parts),
            Operation::Interpolate(x, points) => self.evaluate(x).map(|x| interpolated(points, x)),
            Operation::Table(x, values) => self.evaluate(x).map(|x| looked_up(values, x)),
            Operation::Selected(x) => {
                let ExpressionInputs {
                    selector, weight, ..
                } = *self.setting;
                self.evaluate(x).map(|x| selector.of(weight, x))
            }
            Operation::Fold(folded) => self.fold(folded),
        }
    }

    /// The binding of a variable or cell. Its cells are marked as read.
    fn binding(&mut self, input: usize) -> Binding<'a> {
        let (values, cells) = match input {
            0..SLOTS => (self.bound[input].values, self.bound[input].cells),
            _ => {
                let cell = cell_at(input - SLOTS, self.lines.length);
                let values = &self.lines.cells[cell][self.block.clone()];
                (Binding::Each(values), 1 << cell)
            }
        };
        self.read |= cells;
        values
    }

    fn chosen(&mut self, parts: &[Expression; 3]) -> Vector {
        let [condition, then, otherwise] = parts;
        // Both branches are evaluated, because lines of a block can differ in the condition.
        let condition = self.evaluate(condition);
        let then = self.evaluate(then);
        let otherwise = self.evaluate(otherwise);
        if let Vector::Same(condition) = condition {
            return if condition != 0.0 { then } else { otherwise };
        }
        let value = |line| {
            if condition.at(line) != 0.0 {
                then.at(line)
            } else {
                otherwise.at(line)
            }
        };
        Vector::Each((0..self.block.len()).map(value).collect())
    }

    fn fold(&mut self, folded: &FoldExpression) -> Vector {
        let length = self.block.len();
        let mut result = Vec::new();
        // Sums start with 0; minimum and maximum start with the first value.
        let mut begun = vec![false; length];
        for element in 0..folded.domain.most_in(self.lines.length) {
            let lines = self.lines;
            let bindings = lines.bindings(folded.domain, element, &self.block);
            self.bound.truncate(folded.slot);
            let variables = bindings.into_iter().zip(folded.domain.ranges());
            let variables = variables
                .enumerate()
                .map(|(at, (values, &range))| BoundVariable {
                    values,
                    range,
                    cells: match values {
                        Binding::Same(_) => 0,
                        Binding::Each(_) if folded.domain.skips_empty() => ALL_CELLS,
                        Binding::Each(_) => 1 << (element + at),
                    },
                });
            self.bound.extend(variables);
            let condition = folded.condition.as_ref().map(|holds| self.evaluate(holds));
            let value = self.evaluate(&folded.value);
            if folded.fold == Fold::Sum && matches!(value, Vector::Same(0.0)) {
                continue;
            }
            result.resize(length, 0.0);
            let existing = lines.existing(folded.domain, element, &self.block);
            self.read |= existing.map_or(0, |_| ALL_CELLS);
            let counts = included(existing, condition.as_ref(), length);
            match (folded.fold, counts) {
                (Fold::Sum, counts) => add(&mut result, &value, counts.as_deref()),
                (fold, counts) => {
                    for line in 0..length {
                        if counts.as_ref().is_none_or(|counts| counts[line]) {
                            let value = value.at(line);
                            result[line] = if begun[line] {
                                fold.joined(result[line], value)
                            } else {
                                value
                            };
                            begun[line] = true;
                        }
                    }
                }
            }
        }
        self.bound.truncate(folded.slot);
        if result.is_empty() {
            Vector::Same(0.0)
        } else {
            Vector::Each(result)
        }
    }

    /// The values of an expression that reads only a few bytes of a line, from its table; `None` if it is not
    /// precomputed.
    fn known_in_advance(&mut self, expression: &Expression) -> Option<Vector> {
        let count = expression.known?;
        let inputs = (0..INPUTS).filter(|input| expression.inputs >> input & 1 == 1);
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
        Some(self.look_up(&known, &inputs))
    }

    /// Number of possible values of a variable or cell.
    fn range(&self, input: usize) -> usize {
        match input {
            0..SLOTS => self.bound[input].range,
            _ => 16,
        }
    }

    /// The values for all combinations of the inputs. The first input changes slowest.
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
                    // A cell can be read by its number and as the last one. Then a combination in which both
                    // differ is never looked up.
                    _ => {
                        let cell = cell_at(input - SLOTS, self.setting.length);
                        line[cell] = (rest % range) as u8;
                    }
                }
                rest /= range;
            }
            expression.evaluate(line, self.setting, &mut variables)
        };
        (0..count).map(value).collect()
    }

    fn look_up(&mut self, known: &[f64], inputs: &[(usize, usize)]) -> Vector {
        let before = self.read;
        // The index of a combination is `start` plus, for each input, its value times its step.
        let (mut start, mut step) = (0, 1);
        let mut steps: Vec<(&[u8], usize, usize)> = Vec::new();
        for &(input, range) in inputs.iter().rev() {
            match self.binding(input) {
                Binding::Same(value) => start += usize::from(value) * step,
                Binding::Each(values) => steps.push((values, step, range)),
            }
            step *= range;
        }
        let known = &known[start..];
        if is_zero(known, &steps) {
            self.read = before;
            return Vector::Same(0.0);
        }
        let values = match steps.as_slice() {
            [] => return Vector::Same(known[0]),
            [(one, 1, _)] => one.iter().map(|&one| known[usize::from(one)]).collect(),
            [(one, step, _)] => one
                .iter()
                .map(|&one| known[usize::from(one) * step])
                .collect(),
            [(one, step, _), (other, larger, _)] => one
                .iter()
                .zip(*other)
                .map(|(&one, &other)| known[usize::from(one) * step + usize::from(other) * larger])
                .collect(),
            steps => {
                let number = |line: usize| {
                    let parts = steps.iter();
                    parts
                        .map(|(values, step, _)| usize::from(values[line]) * step)
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

fn read(binding: Binding) -> Vector {
    match binding {
        Binding::Same(value) => Vector::Same(f64::from(value)),
        Binding::Each(values) => {
            Vector::Each(values.iter().map(|&value| f64::from(value)).collect())
        }
    }
}

/// True if the values of all combinations are +0 (not -0). A variable is given by its values, its step in the
/// index, and the number of its possible values.
fn is_zero(known: &[f64], variables: &[(&[u8], usize, usize)]) -> bool {
    match variables.split_last() {
        None => known[0].to_bits() == 0,
        Some(((_, step, range), others)) => {
            (0..*range).all(|value| is_zero(&known[value * step..], others))
        }
    }
}
