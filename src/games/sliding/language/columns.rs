//! The value of an expression on all lines at once, equal to the bit to
//! [`Expression::value`](super::expression::Expression::value) on each of them.
//!
//! Lines are computed in blocks, an operation at a time. The elements of a fold are the same for all
//! lines except that some lines have fewer, so a fold is unrolled. A part of an expression that reads
//! nothing but a few ranks is computed once for each of their values and then looked up.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::LazyLock;

use super::domain::Domain;
use super::expression::{Expression, Fold, Folded, Kind, SLOTS, Setting, interpolated, looked_up};
use super::syntax::{Binary, power};
use crate::games::sliding::rows::{LINES, reverse, unpack};

/// Lines that are computed together.
const BLOCK: usize = 512;

/// Lines, and the elements of each by domain.
pub struct Lines {
    /// The lines by place.
    pub indices: Vec<u16>,
    /// The place of every line, that of its mirror image if only one of the two is there.
    pub places: Vec<u16>,
    /// By cell: its rank.
    cells: [Vec<u8>; 4],
    /// By number of the tile: its rank and position; 0 if there are fewer.
    tiles: [[Vec<u8>; 2]; 4],
    /// By number of the run: its rank, length and position; 0 if there are fewer.
    runs: [[Vec<u8>; 3]; 4],
}

impl Lines {
    /// Every line.
    pub fn all() -> &'static Lines {
        static ALL: LazyLock<Lines> = LazyLock::new(|| Lines::new((0..=u16::MAX).collect()));
        &ALL
    }

    /// One of each line and its mirror image: the one with the smaller index.
    pub fn canonical() -> &'static Lines {
        static CANONICAL: LazyLock<Lines> = LazyLock::new(|| {
            let indices = 0..=u16::MAX;
            Lines::new(indices.filter(|&index| index <= reverse(index)).collect())
        });
        &CANONICAL
    }

    fn new(indices: Vec<u16>) -> Self {
        let mut places = vec![0; LINES];
        for (place, &index) in indices.iter().enumerate() {
            places[usize::from(reverse(index))] = place as u16;
        }
        // After the mirror images, so that a line that is there has its own place.
        for (place, &index) in indices.iter().enumerate() {
            places[usize::from(index)] = place as u16;
        }
        let count = indices.len();
        let mut lines = Lines {
            cells: std::array::from_fn(|_| vec![0; count]),
            tiles: std::array::from_fn(|_| std::array::from_fn(|_| vec![0; count])),
            runs: std::array::from_fn(|_| std::array::from_fn(|_| vec![0; count])),
            indices,
            places,
        };
        for place in 0..count {
            lines.fill(place);
        }
        lines
    }

    /// Fills in the elements of the line at a place.
    fn fill(&mut self, place: usize) {
        let line = unpack(self.indices[place]);
        let (mut tiles, mut runs, mut last) = (0, 0, 0);
        for (position, rank) in line.into_iter().enumerate() {
            self.cells[position][place] = rank;
            if rank == 0 {
                continue;
            }
            self.tiles[tiles][0][place] = rank;
            self.tiles[tiles][1][place] = position as u8;
            tiles += 1;
            if rank != last {
                self.runs[runs][0][place] = rank;
                self.runs[runs][2][place] = position as u8;
                runs += 1;
                last = rank;
            }
            self.runs[runs - 1][1][place] += 1;
        }
    }

    /// What the variables of an element are bound to, in the order of the domain.
    fn bindings(&self, domain: Domain, element: usize, block: &Range<usize>) -> Vec<Binding<'_>> {
        let width = domain.width();
        if domain == Domain::Runs {
            let columns = self.runs[element].iter();
            return columns
                .map(|column| Binding::Each(&column[block.clone()]))
                .collect();
        }
        let ranks = (element..element + width).map(|at| match domain.skips_empty() {
            true => Binding::Each(&self.tiles[at][0][block.clone()]),
            false => Binding::Each(&self.cells[at][block.clone()]),
        });
        let position = match domain.skips_empty() {
            true => Binding::Each(&self.tiles[element][1][block.clone()]),
            false => Binding::Same(element as u8),
        };
        ranks.chain([position]).collect()
    }

    /// Nonzero where a line has this element; `None` if every line has it.
    fn existing(&self, domain: Domain, element: usize, block: &Range<usize>) -> Option<&[u8]> {
        let column = match domain {
            Domain::Runs => &self.runs[element][1],
            _ if domain.skips_empty() => &self.tiles[element + domain.width() - 1][0],
            _ => return None,
        };
        Some(&column[block.clone()])
    }
}

/// What a variable is, for each line of a block.
#[derive(Clone, Copy)]
enum Binding<'a> {
    /// A value for each line.
    Each(&'a [u8]),
    /// The same value.
    Same(u8),
}

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
        let values = evaluation.evaluate(expression);
        let length = evaluation.block.len();
        column.extend((0..length).map(|line| values.at(line)));
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
        if let Some(known) = self.from_known(expression) {
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
        let mut result = vec![0.0; length];
        // Sums start with 0, the others with their first value.
        let mut begun = vec![folded.fold == Fold::Sum; length];
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
            let existing = lines.existing(folded.domain, element, &self.block);
            if condition.is_none() && existing.is_none() && folded.fold == Fold::Sum {
                for (line, result) in result.iter_mut().enumerate() {
                    *result += value.at(line);
                }
                continue;
            }
            for (line, (result, begun)) in result.iter_mut().zip(&mut begun).enumerate() {
                let exists = existing.is_none_or(|existing| existing[line] != 0);
                let counts = exists && condition.as_ref().is_none_or(|holds| holds.at(line) != 0.0);
                let value = value.at(line);
                let joined = match *begun {
                    true => folded.fold.joined(*result, value),
                    false => value,
                };
                *result = if counts { joined } else { *result };
                *begun |= counts;
            }
        }
        self.bound.truncate(folded.slot);
        Vector::Each(result)
    }

    /// The values of an expression that reads nothing but a few bytes of the line.
    fn from_known(&mut self, expression: &Expression) -> Option<Vector> {
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
        Some(self.look_up(&known, &inputs))
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
        let binding = |input: usize| match input {
            0..SLOTS => self.bound[input].0,
            _ => Binding::Each(&self.lines.cells[input - SLOTS][self.block.clone()]),
        };
        let bindings: Vec<(Binding, usize)> = inputs
            .iter()
            .map(|&(input, range)| (binding(input), range))
            .collect();
        let values = match bindings.as_slice() {
            [(Binding::Each(one), _)] => one.iter().map(|&one| known[one as usize]).collect(),
            [(Binding::Each(one), _), (Binding::Each(other), range)] => one
                .iter()
                .zip(*other)
                .map(|(&one, &other)| known[one as usize * range + other as usize])
                .collect(),
            bindings => {
                let number = |line: usize| {
                    bindings
                        .iter()
                        .fold(0, |number, (binding, range)| match binding {
                            Binding::Same(value) => number * range + *value as usize,
                            Binding::Each(values) => number * range + values[line] as usize,
                        })
                };
                (0..self.block.len())
                    .map(|line| known[number(line)])
                    .collect()
            }
        };
        Vector::Each(values)
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
