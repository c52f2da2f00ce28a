//! [`Syntax`] to [`Expression`]: the meaning of names, and whether calls have the arguments that
//! they need.

use std::ops::Range;

use super::domain::Domain;
use super::expression::{Expression, Fold, Folded, Kind, MOST_KNOWN, SLOTS, Selector};
use super::parser::{KEYWORDS, Mistake};
use super::syntax::{Argument, Binary, Form, Syntax, Unary};
use crate::games::sliding::rows::LINES;
use crate::suggestion::did_you_mean;

/// Deepest nesting of folds.
const DEEPEST_FOLDS: usize = 3;
/// Most values of a `table` and points of an `interpolate`.
const MOST_VALUES: usize = 64;
/// Steps that an expensive operation counts as.
const EXPENSIVE: usize = 20;

/// Most named parameters that an expression can read.
pub const MOST_PARAMETERS: usize = 64;

/// Functions of one number.
const UNARY: [(&str, Unary); 5] = [
    ("abs", Unary::Abs),
    ("exp", Unary::Exp),
    ("ln", Unary::Ln),
    ("sqrt", Unary::Sqrt),
    ("floor", Unary::Floor),
];

/// Functions that are not of this kind.
const FUNCTIONS: [&str; 10] = [
    "min",
    "max",
    "if",
    "table",
    "interpolate",
    "knot",
    "is",
    "cell",
    "sum",
    "count",
];

/// The place of the line, where lines have places.
const INDEX: &str = "i";

/// The names that an expression may use besides those of the language.
pub struct Names<'a> {
    /// Named parameters, those of the term first. At most [`MOST_PARAMETERS`].
    pub parameters: &'a [String],
    /// Whether lines have places and a direction.
    pub anchored: bool,
    /// Weights of the term.
    pub selector: &'a Selector,
}

/// Whether the language itself uses a name.
pub fn is_reserved(name: &str) -> bool {
    let variables = Domain::ALL.iter().flat_map(|(_, _, variables)| *variables);
    let domains = Domain::ALL.iter().map(|(domain, ..)| domain);
    functions().any(|known| known == name)
        || KEYWORDS.contains(&name)
        || name == INDEX
        || variables.chain(domains).any(|known| *known == name)
}

fn functions() -> impl Iterator<Item = &'static str> {
    UNARY.iter().map(|(name, _)| *name).chain(FUNCTIONS)
}

/// Resolves the names of an expression.
///
/// # Errors
/// The first unknown name or wrong argument.
pub fn resolve(syntax: &Syntax, names: &Names) -> Result<Expression, Mistake> {
    let mut resolver = Resolver {
        names,
        variables: Vec::new(),
        ranges: Vec::new(),
        folds: 0,
    };
    resolver.expression(syntax)
}

struct Resolver<'a> {
    names: &'a Names<'a>,
    /// Names of the variables by slot.
    variables: Vec<String>,
    /// Number of their possible values.
    ranges: Vec<usize>,
    /// Number of folds around.
    folds: usize,
}

type Resolved = Result<Expression, Mistake>;

impl Resolver<'_> {
    fn expression(&mut self, syntax: &Syntax) -> Resolved {
        let mut expression = self.uncounted(syntax)?;
        expression.known = self.combinations(&expression);
        if let Some(known) = expression.known {
            let in_advance = expression.operations * known / LINES;
            expression.steps = expression.steps.min(2 + in_advance);
        }
        Ok(expression)
    }

    /// See [`Expression::known`].
    fn combinations(&self, expression: &Expression) -> Option<usize> {
        let is_read = matches!(expression.kind, Kind::Variable(_) | Kind::Cell(_));
        if expression.folds || expression.inputs == 0 || is_read {
            return None;
        }
        let range = |input: usize| self.ranges.get(input).copied().unwrap_or(16);
        let ranges = (0..SLOTS + 4).filter(|input| expression.inputs >> input & 1 == 1);
        let combinations = ranges.fold(1, |count: usize, input| count.saturating_mul(range(input)));
        (combinations <= MOST_KNOWN).then_some(combinations)
    }

    fn uncounted(&mut self, syntax: &Syntax) -> Resolved {
        match &syntax.form {
            Form::Number(number) => Ok(leaf(Kind::Number(*number))),
            Form::Name(name) => self.name(name, &syntax.span),
            Form::Unary(operator, x) => Ok(unary(*operator, self.expression(x)?)),
            Form::Binary(operator, x, y) => {
                let x = self.expression(x)?;
                Ok(binary(*operator, x, self.expression(y)?))
            }
            Form::Call(name, arguments) => self.call(name, arguments, &syntax.span),
        }
    }

    fn name(&self, name: &str, span: &Range<usize>) -> Resolved {
        // The innermost variable of several with one name.
        if let Some(slot) = self.variables.iter().rposition(|known| known == name) {
            let read = Expression {
                inputs: 1 << slot,
                ..leaf(Kind::Variable(slot))
            };
            return Ok(read);
        }
        if let Some(place) = self.names.parameters.iter().position(|known| known == name) {
            let read = Expression {
                parameters: 1 << place,
                ..leaf(Kind::Parameter(place))
            };
            return Ok(read);
        }
        if name == INDEX && self.names.anchored {
            let index = leaf(Kind::Index);
            return Ok(Expression {
                reads_index: true,
                ..index
            });
        }
        Err(Mistake::new(span.clone(), self.unknown(name)))
    }

    /// Why a name has no meaning here.
    fn unknown(&self, name: &str) -> String {
        if name == INDEX {
            return "`i`, the place of the line, needs `lines = \"anchored\"` at the top of the file"
                .into();
        }
        if functions().any(|known| known == name) {
            return format!("`{name}` is a function: arguments in parentheses must follow");
        }
        let owners = Domain::ALL.iter();
        let mut owners = owners.filter(|(_, _, variables)| variables.contains(&name));
        if let Some((domain, ..)) = owners.next() {
            return format!(
                "`{name}` has a value only inside of a fold, as in `sum({domain}, {name})`"
            );
        }
        if Domain::named(name).is_some() {
            return format!(
                "`{name}` is the first argument of `sum`, `count`, `min` or `max`, and no value"
            );
        }
        let known: Vec<&str> = self.names.parameters.iter().map(String::as_str).collect();
        let visible: Vec<&str> = self.variables.iter().map(String::as_str).collect();
        let suggestion = did_you_mean(name, known.iter().chain(&visible).copied());
        let all: Vec<&str> = visible.into_iter().chain(known).collect();
        let known = match all.is_empty() {
            true => "; there is no variable or parameter here".to_owned(),
            false => format!(" (known here: {})", all.join(", ")),
        };
        format!("unknown name `{name}`{suggestion}{known}")
    }

    fn call(&mut self, name: &str, arguments: &[Argument], span: &Range<usize>) -> Resolved {
        let fold = match name {
            "sum" | "count" => true,
            "min" | "max" => arguments.first().is_some_and(is_domain),
            _ => false,
        };
        if fold {
            return self.fold(name, arguments, span);
        }
        if let Some(argument) = arguments
            .iter()
            .find_map(|argument| argument.condition.as_ref())
        {
            let message =
                "`where` stands behind what a fold runs over, as in `count(cells where r > 3)`";
            return Err(Mistake::new(argument.span.clone(), message));
        }
        if name == "interpolate" {
            return self.interpolate(arguments, span);
        }
        if let Some(second) = arguments
            .iter()
            .find_map(|argument| argument.second.as_ref())
        {
            let message = "only `interpolate` has arguments with a colon";
            return Err(Mistake::new(second.span.clone(), message));
        }
        let values: Vec<&Syntax> = arguments.iter().map(|argument| &argument.value).collect();
        self.function(name, &values, span)
    }

    fn function(&mut self, name: &str, values: &[&Syntax], span: &Range<usize>) -> Resolved {
        if let Some((_, operator)) = UNARY.iter().find(|(known, _)| *known == name) {
            let [x] = exactly(name, values, span)?;
            return Ok(unary(*operator, self.expression(x)?));
        }
        match name {
            "min" => self.smallest_or_largest(Binary::Min, values, span),
            "max" => self.smallest_or_largest(Binary::Max, values, span),
            "if" => {
                let [condition, then, otherwise] = exactly(name, values, span)?;
                let parts = [condition, then, otherwise].map(|part| self.expression(part));
                let [condition, then, otherwise] = parts;
                let parts = [condition?, then?, otherwise?];
                let seen = parts.iter().fold(leaf(Kind::Index), joined_facts);
                let kind = Kind::If(Box::new(parts));
                Ok(Expression { kind, ..seen })
            }
            "table" => self.table(values, span),
            "knot" | "is" => self.selected(name, values, span),
            "cell" => {
                let [number] = exactly(name, values, span)?;
                cell(number)
            }
            _ => {
                let known = functions().chain(Domain::ALL.iter().map(|(domain, ..)| *domain));
                let suggestion = did_you_mean(name, known);
                let all: Vec<&str> = functions().collect();
                let name_span = span.start..span.start + name.len();
                let message = match Domain::named(name) {
                    Some(_) => self.unknown(name),
                    None => format!(
                        "unknown function `{name}`{suggestion} (known: {})",
                        all.join(", ")
                    ),
                };
                Err(Mistake::new(name_span, message))
            }
        }
    }

    fn smallest_or_largest(
        &mut self,
        operator: Binary,
        values: &[&Syntax],
        span: &Range<usize>,
    ) -> Resolved {
        let Some((first, others)) = values
            .split_first()
            .filter(|(_, others)| !others.is_empty())
        else {
            let message = "`min` and `max` need two or more numbers, or what they run over and a value, as in \
                           `max(cells, r)`";
            return Err(Mistake::new(span.clone(), message));
        };
        let first = self.expression(first)?;
        others.iter().try_fold(first, |so_far, other| {
            Ok(binary(operator, so_far, self.expression(other)?))
        })
    }

    fn table(&mut self, values: &[&Syntax], span: &Range<usize>) -> Resolved {
        let Some((x, values)) = values
            .split_first()
            .filter(|(_, values)| !values.is_empty())
        else {
            let message = "`table` needs x and the values for x = 0, 1, ..";
            return Err(Mistake::new(span.clone(), message));
        };
        few_enough(values.len(), span)?;
        let x = self.expression(x)?;
        let values: Result<Vec<f64>, Mistake> = values.iter().map(|value| number(value)).collect();
        around(x, |x| Ok(Kind::Table(x, values?)))
    }

    fn interpolate(&mut self, arguments: &[Argument], span: &Range<usize>) -> Resolved {
        let Some((x, points)) = arguments.split_first().filter(|(x, points)| {
            x.second.is_none()
                && !points.is_empty()
                && points.iter().all(|point| point.second.is_some())
        }) else {
            let message =
                "`interpolate` needs x and points, as in `interpolate(r, 1: 0, 8: 2.5, 15: 4)`";
            return Err(Mistake::new(span.clone(), message));
        };
        few_enough(points.len(), span)?;
        let mut known: Vec<(f64, f64)> = Vec::new();
        for point in points {
            let at = number(&point.value)?;
            if known.last().is_some_and(|(before, _)| *before >= at) {
                let message = "the points of `interpolate` must ascend";
                return Err(Mistake::new(point.value.span.clone(), message));
            }
            let value = point.second.as_ref().unwrap_or(&point.value);
            known.push((at, number(value)?));
        }
        let x = self.expression(&x.value)?;
        around(x, |x| Ok(Kind::Interpolate(x, known)))
    }

    fn selected(&mut self, name: &str, values: &[&Syntax], span: &Range<usize>) -> Resolved {
        let needed = match (name, self.names.selector) {
            ("knot", Selector::Knots(_)) | ("is", Selector::Values(_)) => None,
            ("knot", _) => Some("`knot` needs `knots = [..]` in its term"),
            _ => Some("`is` needs `table = [..]` in its term"),
        };
        if let Some(message) = needed {
            return Err(Mistake::new(span.clone(), message));
        }
        let [x] = exactly(name, values, span)?;
        let x = self.expression(x)?;
        let selected = around(x, |x| Ok(Kind::Selected(x)))?;
        Ok(Expression {
            selects: true,
            ..selected
        })
    }

    fn fold(&mut self, name: &str, arguments: &[Argument], span: &Range<usize>) -> Resolved {
        let (first, others) = match (arguments.split_first(), name) {
            (Some((first, [])), "count") => (first, None),
            (Some((first, [value])), "sum" | "min" | "max") => (first, Some(value)),
            _ => {
                let message = match name {
                    "count" => {
                        "`count` needs what it runs over, as in `count(cells where r == 0)`".into()
                    }
                    _ => format!(
                        "`{name}` needs what it runs over and a value, as in `{name}(cells, r)`"
                    ),
                };
                return Err(Mistake::new(span.clone(), message));
            }
        };
        if let Some(misplaced) =
            others.and_then(|value| value.condition.as_ref().or(value.second.as_ref()))
        {
            let message =
                format!("`where` stands before the comma, as in `{name}(cells where r > 3, r)`");
            return Err(Mistake::new(misplaced.span.clone(), message));
        }
        let (domain, variables) = domain(&first.value)?;
        self.folds += 1;
        let slot = self.variables.len();
        self.variables.extend(variables);
        self.ranges.extend(domain.ranges());
        if self.folds > DEEPEST_FOLDS || self.variables.len() > SLOTS {
            let message = format!("folds are nested too deeply: at most {DEEPEST_FOLDS}");
            return Err(Mistake::new(span.clone(), message));
        }
        let condition = first.condition.as_ref();
        let condition = condition.map(|holds| self.expression(holds)).transpose()?;
        let value = match others {
            Some(value) => self.expression(&value.value)?,
            None => leaf(Kind::Number(1.0)),
        };
        self.folds -= 1;
        self.variables.truncate(slot);
        self.ranges.truncate(slot);
        let fold = match name {
            "min" => Fold::Min,
            "max" => Fold::Max,
            _ => Fold::Sum,
        };
        Ok(folded(Folded {
            fold,
            domain,
            slot,
            condition,
            value,
        }))
    }
}

/// Whether an argument names what a fold runs over.
fn is_domain(argument: &Argument) -> bool {
    let name = match &argument.value.form {
        Form::Name(name) | Form::Call(name, _) => Domain::named(name),
        _ => None,
    };
    name.is_some() || argument.condition.is_some()
}

/// What a fold runs over, and the names of the variables: `pairs` or `pairs(x, y)`.
fn domain(syntax: &Syntax) -> Result<(Domain, Vec<String>), Mistake> {
    let (name, given) = match &syntax.form {
        Form::Name(name) => (name.as_str(), &[][..]),
        Form::Call(name, given) => (name.as_str(), given.as_slice()),
        _ => ("", &[][..]),
    };
    let Some((domain, usual)) = Domain::named(name) else {
        let all: Vec<&str> = Domain::ALL.iter().map(|(name, ..)| *name).collect();
        let suggestion = did_you_mean(name, all.iter().copied());
        let message = format!("a fold runs over one of: {}{suggestion}", all.join(", "));
        return Err(Mistake::new(syntax.span.clone(), message));
    };
    if given.len() > usual.len() {
        let message = format!(
            "`{name}` has {} variables: {}",
            usual.len(),
            usual.join(", ")
        );
        return Err(Mistake::new(syntax.span.clone(), message));
    }
    let mut variables: Vec<String> = usual.iter().map(|&name| name.to_owned()).collect();
    for (variable, argument) in variables.iter_mut().zip(given) {
        match &argument.value.form {
            Form::Name(name) if argument.condition.is_none() && argument.second.is_none() => {
                variable.clone_from(name);
            }
            _ => {
                let message = "the name of a variable is expected";
                return Err(Mistake::new(argument.value.span.clone(), message));
            }
        }
    }
    Ok((domain, variables))
}

fn few_enough(values: usize, span: &Range<usize>) -> Result<(), Mistake> {
    if values <= MOST_VALUES {
        return Ok(());
    }
    let message = format!("{values} values are too many: at most {MOST_VALUES}");
    Err(Mistake::new(span.clone(), message))
}

fn exactly<'a, const N: usize>(
    name: &str,
    values: &[&'a Syntax],
    span: &Range<usize>,
) -> Result<[&'a Syntax; N], Mistake> {
    <[&Syntax; N]>::try_from(values).map_err(|_| {
        let given = values.len();
        let message = format!(
            "`{name}` needs {N} argument{}, not {given}",
            if N == 1 { "" } else { "s" }
        );
        Mistake::new(span.clone(), message)
    })
}

/// A number in the text, with or without sign.
fn number(syntax: &Syntax) -> Result<f64, Mistake> {
    match &syntax.form {
        Form::Number(number) => Ok(*number),
        Form::Unary(Unary::Negative, inner) => number(inner).map(|number| -number),
        _ => Err(Mistake::new(
            syntax.span.clone(),
            "a number is expected here",
        )),
    }
}

fn cell(syntax: &Syntax) -> Resolved {
    let number = number(syntax)?;
    let Some(cell) = (0..4).find(|&cell| cell as f64 == number) else {
        return Err(Mistake::new(
            syntax.span.clone(),
            "cells are numbered 0 to 3",
        ));
    };
    Ok(Expression {
        inputs: 1 << (SLOTS + cell),
        ..leaf(Kind::Cell(cell))
    })
}

fn leaf(kind: Kind) -> Expression {
    Expression {
        kind,
        inputs: 0,
        folds: false,
        parameters: 0,
        selects: false,
        reads_index: false,
        known: None,
        operations: 1,
        steps: 1,
    }
}

/// What is known about an expression that contains two.
fn joined_facts(one: Expression, other: &Expression) -> Expression {
    Expression {
        kind: one.kind,
        inputs: one.inputs | other.inputs,
        folds: one.folds || other.folds,
        parameters: one.parameters | other.parameters,
        selects: one.selects || other.selects,
        reads_index: one.reads_index || other.reads_index,
        known: None,
        operations: one.operations + other.operations,
        steps: one.steps + other.steps,
    }
}

/// An expression around another one.
fn around(
    inner: Expression,
    kind: impl FnOnce(Box<Expression>) -> Result<Kind, Mistake>,
) -> Resolved {
    let facts = joined_facts(leaf(Kind::Index), &inner);
    Ok(Expression {
        kind: kind(Box::new(inner))?,
        ..facts
    })
}

fn unary(operator: Unary, x: Expression) -> Expression {
    let mut facts = joined_facts(leaf(Kind::Index), &x);
    if matches!(operator, Unary::Exp | Unary::Ln) {
        facts.operations += EXPENSIVE;
        facts.steps += EXPENSIVE;
    }
    let kind = Kind::Unary(operator, Box::new(x));
    Expression { kind, ..facts }
}

fn binary(operator: Binary, x: Expression, y: Expression) -> Expression {
    let mut facts = joined_facts(joined_facts(leaf(Kind::Index), &x), &y);
    if operator == Binary::Power {
        facts.operations += EXPENSIVE;
        facts.steps += EXPENSIVE;
    }
    let kind = Kind::Binary(operator, Box::new(x), Box::new(y));
    Expression { kind, ..facts }
}

fn folded(folded: Folded) -> Expression {
    let parts = folded.condition.iter().chain([&folded.value]);
    let facts = parts.fold(leaf(Kind::Index), joined_facts);
    let own = ((1u32 << folded.domain.ranges().len()) - 1) << folded.slot;
    Expression {
        inputs: facts.inputs & !own,
        folds: true,
        parameters: facts.parameters,
        selects: facts.selects,
        reads_index: facts.reads_index,
        known: None,
        operations: facts.operations * folded.domain.most(),
        steps: facts.steps * folded.domain.most(),
        kind: Kind::Fold(Box::new(folded)),
    }
}
