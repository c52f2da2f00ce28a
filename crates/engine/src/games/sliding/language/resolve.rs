//! Resolves names: [`Syntax`] to [`Expression`].

use std::ops::Range;

use super::domain::Domain;
use super::expression::{Expression, INPUTS, MOST_KNOWN, Operation, Selector};
use super::facts::{binary, leaf, unary};
use super::vocabulary::{INDEX, functions, instead_of};
use crate::expression::{ExpressionError, Syntax, SyntaxKind};
use crate::games::sliding::rows::LINES;
use crate::suggestion::did_you_mean;

/// Largest number of named parameters that an expression can read.
pub const MOST_PARAMETERS: usize = 64;

/// The names that an expression may use in addition to those of the language.
pub struct Scope<'a> {
    /// Named parameters; those of the term come first. At most [`MOST_PARAMETERS`].
    pub parameters: &'a [String],
    /// True if lines have places and a direction.
    pub anchored: bool,
    /// True for an expression of the whole board, which reads no line: its names are sums and parameters.
    pub of_board: bool,
    /// Weights of the term.
    pub selector: &'a Selector,
}

/// Resolves the names of an expression.
///
/// # Errors
/// The first unknown name or invalid argument.
pub fn resolve(syntax: &Syntax, names: &Scope) -> Result<Expression, ExpressionError> {
    let mut resolver = Resolver {
        names,
        variables: Vec::new(),
        ranges: Vec::new(),
        folds: 0,
    };
    resolver.expression(syntax)
}

/// The names that are visible at one position of an expression.
pub(super) struct Resolver<'a> {
    pub(super) names: &'a Scope<'a>,
    /// Names of the fold variables, by slot.
    pub(super) variables: Vec<String>,
    /// Number of possible values of each variable.
    pub(super) ranges: Vec<usize>,
    /// Number of surrounding folds.
    pub(super) folds: usize,
}

/// A resolved expression or the error.
pub(super) type ResolveResult = Result<Expression, ExpressionError>;

impl Resolver<'_> {
    /// Resolves a subexpression.
    pub(super) fn expression(&mut self, syntax: &Syntax) -> ResolveResult {
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
        let is_read = matches!(expression.kind, Operation::Variable(_) | Operation::Cell(_));
        if expression.folds || expression.inputs == 0 || is_read {
            return None;
        }
        let range = |input: usize| self.ranges.get(input).copied().unwrap_or(16);
        let ranges = (0..INPUTS).filter(|input| expression.inputs >> input & 1 == 1);
        let combinations = ranges.fold(1, |count: usize, input| count.saturating_mul(range(input)));
        (combinations <= MOST_KNOWN).then_some(combinations)
    }

    fn uncounted(&mut self, syntax: &Syntax) -> ResolveResult {
        match &syntax.form {
            SyntaxKind::Number(number) => Ok(leaf(Operation::Number(*number))),
            SyntaxKind::Text(_) => {
                let message = "a text is no value of a heuristic: write a number or a name";
                Err(ExpressionError::new(syntax.span.clone(), message))
            }
            SyntaxKind::Name(name) => self.name(name, &syntax.span),
            SyntaxKind::Unary(operator, x) => Ok(unary(*operator, self.expression(x)?)),
            SyntaxKind::Binary(operator, x, y) => {
                let x = self.expression(x)?;
                Ok(binary(*operator, x, self.expression(y)?))
            }
            SyntaxKind::Call(name, arguments) => self.call(name, arguments, &syntax.span),
        }
    }

    fn name(&self, name: &str, span: &Range<usize>) -> ResolveResult {
        // Inner variables shadow outer ones, and all variables shadow parameters.
        if let Some(slot) = self.variables.iter().rposition(|known| known == name) {
            let read = Expression {
                inputs: 1 << slot,
                ..leaf(Operation::Variable(slot))
            };
            return Ok(read);
        }
        if let Some(place) = self.names.parameters.iter().position(|known| known == name) {
            let read = Expression {
                parameters: 1 << place,
                ..leaf(Operation::Parameter(place))
            };
            return Ok(read);
        }
        if name == INDEX && self.names.anchored {
            let index = leaf(Operation::Index);
            return Ok(Expression {
                reads_index: true,
                ..index
            });
        }
        Err(ExpressionError::new(span.clone(), self.unknown(name)))
    }

    /// Where a variable of folds has a value. Inside of another fold, the variables of that one are named.
    fn place_of(&self, domain: &str, name: &str) -> String {
        match self.variables.as_slice() {
            [] => format!("inside of a fold, as in `sum({domain}, {name})`"),
            here => format!(
                "in a fold such as `sum({domain}, {name})`; here the names are {}",
                here.join(", ")
            ),
        }
    }

    /// The error message for a name without a meaning at this position.
    pub(super) fn unknown(&self, name: &str) -> String {
        if name == INDEX {
            return "`i`, the place of the line, needs `lines = \"rows\"` or `\"columns\"` in the term, or `lines = \"anchored\"` at the top of the file"
                .into();
        }
        if functions().any(|known| known == name) {
            return format!("`{name}` is a function: arguments in parentheses must follow");
        }
        let owners = Domain::ALL.iter();
        let mut owners = owners.filter(|(_, _, variables)| variables.contains(&name));
        if let Some((domain, ..)) = owners.next()
            && !self.names.of_board
        {
            return format!("`{name}` has a value only {}", self.place_of(domain, name));
        }
        if Domain::named(name).is_some() {
            return format!(
                "`{name}` is the first argument of `sum`, `count`, `min` or `max`, and no value"
            );
        }
        let known: Vec<&str> = self.names.parameters.iter().map(String::as_str).collect();
        let visible: Vec<&str> = self.variables.iter().map(String::as_str).collect();
        let place = self.names.anchored.then_some(INDEX);
        let all: Vec<&str> = visible.into_iter().chain(place).chain(known).collect();
        let is_place = matches!(name, "row" | "column" | "col");
        let has_such = !self.names.of_board && (self.names.anchored || !is_place);
        let here = instead_of(name).filter(|_| has_such);
        let suggestion = match here {
            Some(here) if self.variables.is_empty() => {
                format!("; inside of a fold such as `sum(cells, r)`, {here}")
            }
            Some(here) => format!("; {here}"),
            None => did_you_mean(name, all.iter().copied()),
        };
        let known = if all.is_empty() {
            "; there is no variable or parameter here".to_owned()
        } else {
            format!(" (known here: {})", all.join(", "))
        };
        format!("unknown name `{name}`{suggestion}{known}")
    }
}
