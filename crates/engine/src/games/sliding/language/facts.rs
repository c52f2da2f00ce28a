//! Builds expressions from parts and derives their properties.

use super::expression::{Expression, FoldExpression, Operation};
use crate::expression::{Binary, ExpressionError, Unary};

/// Number of steps of an expensive operation.
const EXPENSIVE: usize = 20;

/// An expression without subexpressions.
pub fn leaf(kind: Operation) -> Expression {
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

/// The properties of an expression that contains both; its operation is that of `one`.
pub fn joined_facts(one: Expression, other: &Expression) -> Expression {
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

/// An expression with one subexpression.
pub fn around(
    inner: Expression,
    kind: impl FnOnce(Box<Expression>) -> Result<Operation, ExpressionError>,
) -> Result<Expression, ExpressionError> {
    let facts = joined_facts(leaf(Operation::Index), &inner);
    Ok(Expression {
        kind: kind(Box::new(inner))?,
        ..facts
    })
}

/// An operation on one number.
pub fn unary(operator: Unary, x: Expression) -> Expression {
    let mut facts = joined_facts(leaf(Operation::Index), &x);
    if matches!(operator, Unary::Exp | Unary::Ln) {
        facts.operations += EXPENSIVE;
        facts.steps += EXPENSIVE;
    }
    let kind = Operation::Unary(operator, Box::new(x));
    Expression { kind, ..facts }
}

/// An operation on two numbers.
pub fn binary(operator: Binary, x: Expression, y: Expression) -> Expression {
    let mut facts = joined_facts(joined_facts(leaf(Operation::Index), &x), &y);
    if operator == Binary::Power {
        facts.operations += EXPENSIVE;
        facts.steps += EXPENSIVE;
    }
    let kind = Operation::Binary(operator, Box::new(x), Box::new(y));
    Expression { kind, ..facts }
}

/// A fold expression.
pub fn folded(folded: FoldExpression) -> Expression {
    let parts = folded.condition.iter().chain([&folded.value]);
    let facts = parts.fold(leaf(Operation::Index), joined_facts);
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
        kind: Operation::Fold(Box::new(folded)),
    }
}
