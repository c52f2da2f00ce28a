//! Resolves calls: functions and folds. Checks that they have the required arguments.

use std::ops::Range;

use super::domain::Domain;
use super::expression::{Expression, Fold, FoldExpression, LAST, Operation, SLOTS, Selector};
use super::facts::{around, binary, folded, joined_facts, leaf, unary};
use super::resolve::{ResolveResult, Resolver};
use super::vocabulary::{LAST_CELL, UNARY, functions, instead_of};
use crate::expression::{Argument, Binary, ExpressionError, Syntax, SyntaxKind, Unary};
use crate::suggestion::did_you_mean;

/// Largest nesting depth of folds.
const DEEPEST_FOLDS: usize = 3;
/// Largest number of values of a `table`, and of points of an `interpolate`.
const MOST_VALUES: usize = 64;

impl Resolver<'_> {
    pub(super) fn call(
        &mut self,
        name: &str,
        arguments: &[Argument],
        span: &Range<usize>,
    ) -> ResolveResult {
        let fold = match name {
            "sum" | "count" => true,
            "min" | "max" => arguments.first().is_some_and(is_domain),
            _ => false,
        };
        if self.names.of_board && (fold || name == "cell") {
            let message = "an expression of the whole board reads no line: give the fold a name in the `sums`, `maxima` or \
                           `minima` of the term, and write the name here";
            return Err(ExpressionError::new(span.clone(), message));
        }
        if fold {
            return self.fold(name, arguments, span);
        }
        if let Some(argument) = arguments
            .iter()
            .find_map(|argument| argument.condition.as_ref())
        {
            let message =
                "`where` stands behind what a fold runs over, as in `count(cells where r > 3)`";
            return Err(ExpressionError::new(argument.span.clone(), message));
        }
        if name == "interpolate" {
            return self.interpolate(arguments, span);
        }
        if let Some(second) = arguments
            .iter()
            .find_map(|argument| argument.second.as_ref())
        {
            let message = "only `interpolate` has arguments with a colon";
            return Err(ExpressionError::new(second.span.clone(), message));
        }
        let values: Vec<&Syntax> = arguments.iter().map(|argument| &argument.value).collect();
        self.function(name, &values, span)
    }

    fn function(&mut self, name: &str, values: &[&Syntax], span: &Range<usize>) -> ResolveResult {
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
                let seen = parts.iter().fold(leaf(Operation::Index), joined_facts);
                let kind = Operation::If(Box::new(parts));
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
                let suggestion = match instead_of(name) {
                    Some(here) => format!("; {here}"),
                    None => did_you_mean(name, known),
                };
                let all: Vec<&str> = functions().collect();
                let name_span = span.start..span.start + name.len();
                let message = match Domain::named(name) {
                    Some(_) => self.unknown(name),
                    None => format!(
                        "unknown function `{name}`{suggestion} (known: {})",
                        all.join(", ")
                    ),
                };
                Err(ExpressionError::new(name_span, message))
            }
        }
    }

    fn smallest_or_largest(
        &mut self,
        operator: Binary,
        values: &[&Syntax],
        span: &Range<usize>,
    ) -> ResolveResult {
        let Some((first, others)) = values
            .split_first()
            .filter(|(_, others)| !others.is_empty())
        else {
            let message = "`min` and `max` need two or more numbers, or what they run over and a value, as in \
                           `max(cells, r)`";
            return Err(ExpressionError::new(span.clone(), message));
        };
        let first = self.expression(first)?;
        others.iter().try_fold(first, |so_far, other| {
            Ok(binary(operator, so_far, self.expression(other)?))
        })
    }

    fn table(&mut self, values: &[&Syntax], span: &Range<usize>) -> ResolveResult {
        let Some((x, values)) = values
            .split_first()
            .filter(|(_, values)| !values.is_empty())
        else {
            let message = "`table` needs x and the values for x = 0, 1, ..";
            return Err(ExpressionError::new(span.clone(), message));
        };
        few_enough(values.len(), span)?;
        let x = self.expression(x)?;
        let values: Result<Vec<f64>, ExpressionError> =
            values.iter().map(|value| number(value)).collect();
        around(x, |x| Ok(Operation::Table(x, values?)))
    }

    fn interpolate(&mut self, arguments: &[Argument], span: &Range<usize>) -> ResolveResult {
        let Some((x, points)) = arguments.split_first().filter(|(x, points)| {
            x.second.is_none()
                && !points.is_empty()
                && points.iter().all(|point| point.second.is_some())
        }) else {
            let message =
                "`interpolate` needs x and points, as in `interpolate(r, 1: 0, 8: 2.5, 15: 4)`";
            return Err(ExpressionError::new(span.clone(), message));
        };
        few_enough(points.len(), span)?;
        let mut known: Vec<(f64, f64)> = Vec::new();
        for point in points {
            let at = number(&point.value)?;
            if known.last().is_some_and(|(before, _)| *before >= at) {
                let message = "the points of `interpolate` must ascend";
                return Err(ExpressionError::new(point.value.span.clone(), message));
            }
            let value = point.second.as_ref().unwrap_or(&point.value);
            known.push((at, number(value)?));
        }
        let x = self.expression(&x.value)?;
        around(x, |x| Ok(Operation::Interpolate(x, known)))
    }

    fn selected(&mut self, name: &str, values: &[&Syntax], span: &Range<usize>) -> ResolveResult {
        let needed = match (name, self.names.selector) {
            ("knot", Selector::Knots(_)) | ("is", Selector::Values(_)) => None,
            ("knot", _) => Some("`knot` needs `knots = [..]` in its term"),
            _ => Some("`is` needs `table = [..]` in its term"),
        };
        if let Some(message) = needed {
            return Err(ExpressionError::new(span.clone(), message));
        }
        let [x] = exactly(name, values, span)?;
        let x = self.expression(x)?;
        let selected = around(x, |x| Ok(Operation::Selected(x)))?;
        Ok(Expression {
            selects: true,
            ..selected
        })
    }

    fn fold(&mut self, name: &str, arguments: &[Argument], span: &Range<usize>) -> ResolveResult {
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
                return Err(ExpressionError::new(span.clone(), message));
            }
        };
        if let Some(misplaced) =
            others.and_then(|value| value.condition.as_ref().or(value.second.as_ref()))
        {
            let message =
                format!("`where` stands before the comma, as in `{name}(cells where r > 3, r)`");
            return Err(ExpressionError::new(misplaced.span.clone(), message));
        }
        if let Some(second) = &first.second {
            let message = format!("`:` stands in `interpolate` only, not in `{name}`");
            return Err(ExpressionError::new(second.span.clone(), message));
        }
        let (domain, variables) = domain(&first.value)?;
        self.folds += 1;
        let slot = self.variables.len();
        self.variables.extend(variables);
        self.ranges.extend(domain.ranges());
        if self.folds > DEEPEST_FOLDS || self.variables.len() > SLOTS {
            let message = format!("folds are nested too deeply: at most {DEEPEST_FOLDS}");
            return Err(ExpressionError::new(span.clone(), message));
        }
        let condition = first.condition.as_ref();
        let condition = condition.map(|holds| self.expression(holds)).transpose()?;
        let value = match others {
            Some(value) => self.expression(&value.value)?,
            None => leaf(Operation::Number(1.0)),
        };
        self.folds -= 1;
        self.variables.truncate(slot);
        self.ranges.truncate(slot);
        let fold = match name {
            "min" => Fold::Min,
            "max" => Fold::Max,
            _ => Fold::Sum,
        };
        Ok(folded(FoldExpression {
            fold,
            domain,
            slot,
            condition,
            value,
        }))
    }
}

/// True if an argument is a domain, or has a `where`: the call is then a fold.
fn is_domain(argument: &Argument) -> bool {
    let name = match &argument.value.form {
        SyntaxKind::Name(name) | SyntaxKind::Call(name, _) => Domain::named(name),
        _ => None,
    };
    name.is_some() || argument.condition.is_some()
}

/// Resolves the domain of a fold and the names of its variables, as in `pairs` or `pairs(x, y)`.
fn domain(syntax: &Syntax) -> Result<(Domain, Vec<String>), ExpressionError> {
    let (name, given) = match &syntax.form {
        SyntaxKind::Name(name) => (name.as_str(), &[][..]),
        SyntaxKind::Call(name, given) => (name.as_str(), given.as_slice()),
        _ => ("", &[][..]),
    };
    let Some((domain, usual)) = Domain::named(name) else {
        let all: Vec<&str> = Domain::ALL.iter().map(|(name, ..)| *name).collect();
        let suggestion = did_you_mean(name, all.iter().copied());
        let message = format!("a fold runs over one of: {}{suggestion}", all.join(", "));
        return Err(ExpressionError::new(syntax.span.clone(), message));
    };
    if given.is_empty() && matches!(syntax.form, SyntaxKind::Call(..)) {
        let message = format!(
            "names of variables are expected in the parentheses: write `{name}`, or `{name}({})`",
            usual.join(", ")
        );
        return Err(ExpressionError::new(syntax.span.clone(), message));
    }
    if given.len() > usual.len() {
        let message = format!(
            "`{name}` has {} variables: {}",
            usual.len(),
            usual.join(", ")
        );
        return Err(ExpressionError::new(syntax.span.clone(), message));
    }
    let mut variables: Vec<String> = usual.iter().map(|&name| name.to_owned()).collect();
    for (variable, argument) in variables.iter_mut().zip(given) {
        match &argument.value.form {
            SyntaxKind::Name(name) if argument.condition.is_none() && argument.second.is_none() => {
                variable.clone_from(name);
            }
            _ => {
                let message = "the name of a variable is expected";
                return Err(ExpressionError::new(argument.value.span.clone(), message));
            }
        }
    }
    let is_twice = |at: &usize| variables[..*at].contains(&variables[*at]);
    if let Some(twice) = (0..variables.len()).find(is_twice) {
        let message = format!(
            "two variables have the name `{}`: the variables are {}",
            variables[twice],
            variables.join(", ")
        );
        return Err(ExpressionError::new(syntax.span.clone(), message));
    }
    Ok((domain, variables))
}

fn few_enough(values: usize, span: &Range<usize>) -> Result<(), ExpressionError> {
    if values <= MOST_VALUES {
        return Ok(());
    }
    let message = format!("{values} values are too many: at most {MOST_VALUES}");
    Err(ExpressionError::new(span.clone(), message))
}

fn exactly<'a, const N: usize>(
    name: &str,
    values: &[&'a Syntax],
    span: &Range<usize>,
) -> Result<[&'a Syntax; N], ExpressionError> {
    <[&Syntax; N]>::try_from(values).map_err(|_| {
        let given = values.len();
        let message = format!(
            "`{name}` needs {N} argument{}, not {given}",
            if N == 1 { "" } else { "s" }
        );
        ExpressionError::new(span.clone(), message)
    })
}

/// A number literal, with or without a sign.
fn number(syntax: &Syntax) -> Result<f64, ExpressionError> {
    match &syntax.form {
        SyntaxKind::Number(number) => Ok(*number),
        SyntaxKind::Unary(Unary::Negative, inner) => number(inner).map(|number| -number),
        _ => Err(ExpressionError::new(
            syntax.span.clone(),
            "a number is expected here",
        )),
    }
}

fn cell(syntax: &Syntax) -> ResolveResult {
    let is_last = matches!(&syntax.form, SyntaxKind::Name(name) if name == LAST_CELL);
    let cell = if is_last {
        Some(LAST)
    } else {
        let number = number(syntax)?;
        (0..4).find(|&cell| cell as f64 == number)
    };
    let Some(cell) = cell else {
        return Err(ExpressionError::new(
            syntax.span.clone(),
            "cells are numbered 0 to 3; `cell(last)` is the last one",
        ));
    };
    Ok(Expression {
        inputs: 1 << (SLOTS + cell),
        ..leaf(Operation::Cell(cell))
    })
}
