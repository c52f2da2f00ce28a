//! Compiles expressions of whole boards to [`Steps`].

use super::expression::{Expression, Operation, Selector, Setting};
use super::steps::{REGISTERS, Source, Step, Steps};
use crate::expression::Binary;

/// A part of an expression that reads one lane is tabulated if the lane has at most as many values.
const MOST_TABULATED: i64 = 4096;
/// Such a part is tabulated if it has at least as many operations; a table look-up takes about as long.
const LEAST_TABULATED: usize = 4;

/// How a lane represents numbers.
#[derive(Clone, Copy, Debug)]
pub struct LaneFormat {
    /// A stored value v means `v * unit`. It is a power of two, negative for smallest values, which are stored as
    /// largest values of the opposite numbers.
    pub unit: f64,
    /// The smallest stored value.
    pub first: i32,
    /// The largest stored value.
    pub last: i32,
    /// Where steps find it.
    pub slot: usize,
}

/// An expression, its weight, and what its names stand for.
pub struct Weighted<'a> {
    /// The expression.
    pub expression: &'a Expression,
    /// Its weight, multiplied by the scale of the result.
    pub weight: f64,
    /// For each of its names: a lane or a number.
    pub names: &'a [Name],
    /// The weights of its term.
    pub selector: &'a Selector,
    /// The index of the weight for which it is evaluated.
    pub number: usize,
}

/// What a name in an expression stands for.
#[derive(Clone, Copy, Debug)]
pub enum Name {
    /// The index of a lane.
    Lane(usize),
    /// The value of a parameter.
    Number(f64),
}

/// Compiles the sum of expressions that read lanes of these formats.
///
/// # Errors
/// If an expression needs more than [`REGISTERS`] registers.
pub fn compiled(expressions: &[Weighted], lanes: &[LaneFormat]) -> Result<Steps, String> {
    let mut steps = Steps::default();
    for expression in expressions {
        let mut compiler = Compiler {
            expression,
            lanes,
            steps: &mut steps.steps,
        };
        if compiler.needed(expression.expression) > REGISTERS {
            return Err(format!(
                "it has too many operations inside of each other: at most {REGISTERS} results may be needed at a time"
            ));
        }
        match compiler.compiled(expression.expression, 0) {
            Source::Number(number) => steps.constant += expression.weight * number,
            Source::Register(at) => steps.steps.push(Step::Add {
                at,
                weight: expression.weight,
            }),
        }
    }
    Ok(steps)
}

/// Compiles one expression.
struct Compiler<'a> {
    expression: &'a Weighted<'a>,
    lanes: &'a [LaneFormat],
    steps: &'a mut Vec<Step>,
}

impl Compiler<'_> {
    /// The lanes that an expression reads, without repetitions.
    fn lanes_of(&self, expression: &Expression) -> Vec<usize> {
        let names = self.expression.names.iter().enumerate();
        let read = names.filter(|(place, _)| expression.parameters >> place & 1 == 1);
        let mut lanes: Vec<usize> = read
            .filter_map(|(_, name)| match name {
                Name::Lane(lane) => Some(*lane),
                Name::Number(_) => None,
            })
            .collect();
        lanes.sort_unstable();
        lanes.dedup();
        lanes
    }

    /// The value of an expression that reads no other lane than one with this value.
    fn value(&self, expression: &Expression, lane: f64) -> f64 {
        let names = self.expression.names.iter().map(|name| match name {
            Name::Lane(_) => lane,
            Name::Number(number) => *number,
        });
        let parameters: Vec<f64> = names.collect();
        let setting = Setting {
            index: 0,
            length: 4,
            parameters: &parameters,
            selector: self.expression.selector,
            weight: self.expression.number,
        };
        expression.value([0; 4], &setting)
    }

    /// Compiles an expression to a number, or to steps that leave it in register `to` and use only that one and later
    /// ones.
    fn compiled(&mut self, expression: &Expression, to: usize) -> Source {
        let lanes = self.lanes_of(expression);
        match lanes.as_slice() {
            [] => return Source::Number(self.value(expression, 0.0)),
            [lane] => {
                if let Some(step) = self.tabulated(expression, *lane, to) {
                    self.steps.push(step);
                    return Source::Register(to);
                }
            }
            _ => {}
        }
        let step = match &expression.kind {
            Operation::Parameter(place) => {
                let Name::Lane(lane) = self.expression.names[*place] else {
                    unreachable!("a number reads no lane")
                };
                let LaneFormat { unit, slot, .. } = self.lanes[lane];
                Step::Lane {
                    to,
                    lane: slot,
                    unit,
                }
            }
            Operation::Unary(operator, x) => {
                self.compiled(x, to);
                Step::Unary {
                    operator: *operator,
                    at: to,
                }
            }
            Operation::Binary(operator, x, y) => self.binary(*operator, x, y, to),
            Operation::If(parts) => {
                let [condition, then, otherwise] = self.several(parts.each_ref(), to);
                Step::Choice {
                    condition,
                    then,
                    otherwise,
                    to,
                }
            }
            Operation::Interpolate(x, points) => {
                self.compiled(x, to);
                let points = points.as_slice().into();
                Step::Interpolate { at: to, points }
            }
            Operation::Table(x, values) => {
                self.compiled(x, to);
                let values = values.as_slice().into();
                Step::Table { at: to, values }
            }
            Operation::Selected(x) => {
                self.compiled(x, to);
                Step::Selected {
                    at: to,
                    selector: self.expression.selector.clone(),
                    number: self.expression.number,
                }
            }
            Operation::Number(_)
            | Operation::Cell(_)
            | Operation::Variable(_)
            | Operation::Index
            | Operation::Fold(_) => unreachable!("it reads lanes, and no line"),
        };
        self.steps.push(step);
        Source::Register(to)
    }

    fn binary(&mut self, operator: Binary, x: &Expression, y: &Expression, to: usize) -> Step {
        match self.several([x, y], to) {
            [Source::Register(x), Source::Register(y)] => Step::Binary { operator, x, y, to },
            [Source::Number(x), Source::Register(at)] => Step::NumberFirst { operator, x, at },
            [Source::Register(at), Source::Number(y)] => Step::NumberLast { operator, at, y },
            [Source::Number(_), Source::Number(_)] => unreachable!("one of them reads a lane"),
        }
    }

    /// Compiles several expressions into registers from `to` on. The one that needs most registers comes first.
    fn several<const N: usize>(&mut self, parts: [&Expression; N], to: usize) -> [Source; N] {
        let mut order: [usize; N] = std::array::from_fn(|part| part);
        order.sort_by_key(|&part| std::cmp::Reverse(self.needed(parts[part])));
        let mut sources = [Source::Number(0.0); N];
        let mut next = to;
        for part in order {
            sources[part] = self.compiled(parts[part], next);
            if let Source::Register(_) = sources[part] {
                next += 1;
            }
        }
        sources
    }

    /// Number of registers that an expression needs.
    fn needed(&self, expression: &Expression) -> usize {
        let parts: Vec<&Expression> = match &expression.kind {
            Operation::Unary(_, x)
            | Operation::Interpolate(x, _)
            | Operation::Table(x, _)
            | Operation::Selected(x) => vec![x],
            Operation::Binary(_, x, y) => vec![x, y],
            Operation::If(parts) => parts.iter().collect(),
            _ => vec![],
        };
        if self.lanes_of(expression).is_empty() {
            return 0;
        }
        let mut needed: Vec<usize> = parts.into_iter().map(|part| self.needed(part)).collect();
        needed.sort_unstable_by(|one, other| other.cmp(one));
        let together = needed.iter().enumerate().map(|(before, own)| before + own);
        together.max().unwrap_or(0).max(1)
    }

    /// A table look-up for an expression that reads one lane, if it saves time.
    fn tabulated(&self, expression: &Expression, lane: usize, to: usize) -> Option<Step> {
        let LaneFormat {
            unit,
            first,
            last,
            slot,
        } = self.lanes[lane];
        let count = i64::from(last) - i64::from(first) + 1;
        if expression.operations < LEAST_TABULATED || count > MOST_TABULATED {
            return None;
        }
        let values = (first..=last).map(|stored| self.value(expression, f64::from(stored) * unit));
        let values = values.collect();
        Some(Step::LookUp {
            to,
            lane: slot,
            first,
            values,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::resolve::{Scope, resolve};
    use super::*;
    use crate::expression::parse;

    const NAMES: [&str; 4] = ["few", "fine", "low", "power"];

    /// A sum with few values, one with many, a smallest value; and a parameter.
    fn lanes() -> [LaneFormat; 3] {
        let lane = |slot, unit, first, last| LaneFormat {
            unit,
            first,
            last,
            slot,
        };
        [
            lane(2, 1.0, 0, 16),
            lane(0, libm::exp2(-20.0), 1, 1 << 29),
            lane(1, -0.5, -40, 10),
        ]
    }

    #[test]
    fn steps_have_the_value_of_the_expression_rounded_once() {
        let names = [
            Name::Lane(0),
            Name::Lane(1),
            Name::Lane(2),
            Name::Number(1.5),
        ];
        let selector = Selector::Knots(vec![1.0, 5.0, 8.0]);
        let lanes = lanes();
        for text in [
            "few",
            "-low + fine / 3 - 2 * few",
            "ln(max(few, 1)) + ln(fine) * sqrt(fine)",
            "few^power + fine^power - 2^few",
            "min(few, fine, -low) + max(low, few, 3)",
            "if(few > 3 and not low == 2 or fine <= few, fine, abs(low))",
            "if(power > 1, few, low)",
            "interpolate(fine + low, 1: 2, 40: -1.5) + table(few + low, 2, -1, 4)",
            "knot(few) + knot(fine - few)",
            "exp(-few) * floor(fine) + (few != low) - (few >= low) * (few < fine) + exp(fine / 600)",
            "power * 3",
            "((few + low) * (fine - low) + (few - fine) * (low + 2)) / ((few + 3) * (fine + 2) + (few + 1) * (fine + 4))",
        ] {
            let all = NAMES.map(str::to_owned);
            let scope = Scope {
                parameters: &all,
                anchored: false,
                of_board: true,
                selector: &selector,
            };
            let expression = resolve(&parse(text).unwrap(), &scope).unwrap();
            let weighted = Weighted {
                expression: &expression,
                weight: 1024.0,
                names: &names,
                selector: &selector,
                number: 1,
            };
            let steps = compiled(&[weighted], &lanes).unwrap();
            // By slot and board.
            let stored = |slot: usize, board: usize| match slot {
                0 => 1 + (board * board * 1_234_567) as i32 % (1 << 28),
                1 => board as i32 * 3 - 40,
                _ => board as i32,
            };
            let values: [i32; 16] = steps.values(stored);
            for (board, value) in values.into_iter().enumerate() {
                let of_lane = |lane: &LaneFormat| f64::from(stored(lane.slot, board)) * lane.unit;
                let parameters: Vec<f64> = lanes.iter().map(of_lane).chain([1.5]).collect();
                let setting = Setting {
                    index: 0,
                    length: 4,
                    parameters: &parameters,
                    selector: &selector,
                    weight: 1,
                };
                let slow = 1024.0 * expression.value([0; 4], &setting);
                assert!(slow.abs() < 2e9, "{text}: {slow}");
                assert_eq!(value, slow.round_ties_even() as i32, "{text}: {board}");
                let [alone] = steps.values(|slot, _| stored(slot, board));
                assert_eq!(alone, value, "{text}");
            }
        }
    }
}
