//! Compiles expressions of whole boards to [`Steps`].

use super::expression::{Expression, ExpressionInputs, Operation, Selector};
use super::steps::{Function, REGISTERS, Source, Step, Steps, Target};

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
        let to = Target::Sum(expression.weight);
        match compiler.compiled(expression.expression, 0) {
            Source::Number(number) => steps.constant += expression.weight * number,
            Source::Register(_) => {
                // The last step has the result.
                if let Some(last) = steps.steps.last_mut() {
                    last.to = to;
                }
            }
            lane => steps.steps.push(Step {
                function: Function::Same,
                x: lane,
                y: Source::Number(0.0),
                to,
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
        let setting = ExpressionInputs {
            index: 0,
            length: 4,
            parameters: &parameters,
            selector: self.expression.selector,
            weight: self.expression.number,
        };
        expression.value([0; 4], &setting)
    }

    /// Compiles an expression to a number, to a lane, or to steps of which the last one leaves it in register `to`. They
    /// use only that register and later ones.
    fn compiled(&mut self, expression: &Expression, to: usize) -> Source {
        if let Some(source) = self.direct(expression) {
            return source;
        }
        let nothing = || Source::Number(0.0);
        let (function, x, y) = match &expression.kind {
            Operation::Unary(operator, x) => {
                (Function::Unary(*operator), self.compiled(x, to), nothing())
            }
            Operation::Binary(operator, x, y) => {
                let [x, y] = self.several([x, y], to);
                (Function::Binary(*operator), x, y)
            }
            Operation::If(parts) => {
                let [condition, then, otherwise] = self.several(parts.each_ref(), to);
                (Function::Choice { otherwise }, condition, then)
            }
            Operation::Interpolate(x, points) => {
                let points = points.as_slice().into();
                (
                    Function::Interpolate(points),
                    self.compiled(x, to),
                    nothing(),
                )
            }
            Operation::Table(x, values) => {
                let values = values.as_slice().into();
                (Function::Table(values), self.compiled(x, to), nothing())
            }
            Operation::Selected(x) => {
                let selected = Function::Selected {
                    selector: self.expression.selector.clone(),
                    number: self.expression.number,
                };
                (selected, self.compiled(x, to), nothing())
            }
            Operation::Number(_)
            | Operation::Parameter(_)
            | Operation::Cell(_)
            | Operation::Variable(_)
            | Operation::Index
            | Operation::Fold(_) => unreachable!("it reads lanes, and no line"),
        };
        let to_register = Target::Register(to);
        self.steps.push(Step {
            function,
            x,
            y,
            to: to_register,
        });
        Source::Register(to)
    }

    /// What a step can read without steps before it: a number, a lane, or a look-up in a table for a lane.
    fn direct(&self, expression: &Expression) -> Option<Source> {
        match self.lanes_of(expression).as_slice() {
            [] => Some(Source::Number(self.value(expression, 0.0))),
            [lane] => match expression.kind {
                Operation::Parameter(_) => {
                    let LaneFormat { unit, slot, .. } = self.lanes[*lane];
                    Some(Source::Lane { slot, unit })
                }
                _ => self.tabulated(expression, *lane),
            },
            _ => None,
        }
    }

    /// Compiles several expressions into registers from `to` on. The one that needs most registers comes first.
    fn several<const N: usize>(&mut self, parts: [&Expression; N], to: usize) -> [Source; N] {
        let mut order: [usize; N] = std::array::from_fn(|part| part);
        order.sort_by_key(|&part| std::cmp::Reverse(self.needed(parts[part])));
        let mut sources = [const { Source::Number(0.0) }; N];
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
        if self.direct(expression).is_some() {
            return 0;
        }
        let mut needed: Vec<usize> = parts.into_iter().map(|part| self.needed(part)).collect();
        needed.sort_unstable_by(|one, other| other.cmp(one));
        let together = needed.iter().enumerate().map(|(before, own)| before + own);
        together.max().unwrap_or(0).max(1)
    }

    /// A table look-up for an expression that reads one lane, if it saves time.
    fn tabulated(&self, expression: &Expression, lane: usize) -> Option<Source> {
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
        Some(Source::LookUp {
            slot,
            first,
            values,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::resolve::{Scope, resolve};
    use super::super::steps::Lanes;
    use super::*;
    use crate::expression::parse;

    const NAMES: [&str; 4] = ["few", "fine", "low", "power"];

    struct Stored<F>(F);

    impl<const N: usize, F: Fn(usize) -> [i32; N]> Lanes<N> for Stored<F> {
        type Lane = usize;

        fn lane(&self, slot: usize) -> usize {
            slot
        }

        fn stored(&self, slot: usize, _: usize) -> [i32; N] {
            (self.0)(slot)
        }
    }

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
            "(few + fine) * (low * few) - (low - fine) * few + min(fine, few) * (3 - min(few + low, few - fine))",
            "max(low, few) - max(fine - low, few * fine) + (few / fine) * low - fine",
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
            let values: [i32; 16] = steps.values(&Stored(|slot| {
                std::array::from_fn(|board| stored(slot, board))
            }));
            for (board, value) in values.into_iter().enumerate() {
                let of_lane = |lane: &LaneFormat| f64::from(stored(lane.slot, board)) * lane.unit;
                let parameters: Vec<f64> = lanes.iter().map(of_lane).chain([1.5]).collect();
                let setting = ExpressionInputs {
                    index: 0,
                    length: 4,
                    parameters: &parameters,
                    selector: &selector,
                    weight: 1,
                };
                let slow = 1024.0 * expression.value([0; 4], &setting);
                assert!(slow.abs() < 2e9, "{text}: {slow}");
                assert_eq!(value, slow.round_ties_even() as i32, "{text}: {board}");
                let [alone] = steps.values(&Stored(|slot| [stored(slot, board)]));
                assert_eq!(alone, value, "{text}");
            }
        }
    }
}
