//! Conditions over the parameters of a campaign, such as `low < high` and `method == 'fast'`. Their grammar is that of
//! heuristic files. This module must not change values.

use tiletune_engine::expression::{
    Argument, Binary, ExpressionError, Syntax, SyntaxKind, Unary, parse,
};
use tiletune_engine::field_error::FieldError;
use tiletune_engine::suggestion::did_you_mean;

use crate::results::Parameter;

/// The names that a condition may use.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub parameters: &'a [Parameter],
    /// Names and values of other parameters, which the search does not change.
    pub constants: &'a [(String, f64)],
}

/// A condition with resolved names.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Condition {
    text: String,
    root: Truth,
    /// The parameters that it reads, ascending.
    reads: Vec<usize>,
}

/// What holds or does not hold.
#[derive(Clone, Debug, PartialEq)]
enum Truth {
    Not(Box<Truth>),
    And(Box<Truth>, Box<Truth>),
    Or(Box<Truth>, Box<Truth>),
    Compared(Binary, Box<Number>, Box<Number>),
    /// True if the category with this index has the choice with this number.
    Chosen(usize, f64),
}

/// A number that depends on the values of the parameters.
#[derive(Clone, Debug, PartialEq)]
enum Number {
    Constant(f64),
    Parameter(usize),
    Unary(Unary, Box<Number>),
    Binary(Binary, Box<Number>, Box<Number>),
}

impl Condition {
    /// Reads a condition.
    ///
    /// # Errors
    /// The first error in the text, with its place in it.
    pub fn read(text: &str, scope: Scope) -> Result<Self, FieldError> {
        let mut resolver = Resolver {
            scope,
            reads: Vec::new(),
        };
        let root = parse(text).and_then(|syntax| resolver.truth(&syntax));
        let root = root.map_err(|ExpressionError { message, span }| {
            FieldError::new([""; 0], format!("`{text}`: {message}")).at(span)
        })?;
        let mut reads = resolver.reads;
        reads.sort_unstable();
        reads.dedup();
        Ok(Condition {
            text: text.to_owned(),
            root,
            reads,
        })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The parameters that it reads, ascending.
    pub fn reads(&self) -> &[usize] {
        &self.reads
    }

    /// True if it holds for the values of all parameters. A comparison with a number that is not finite may not hold.
    pub fn holds(&self, values: &[f64]) -> bool {
        self.root.holds(values)
    }

    /// How far the condition is from its limit, in the unit of its comparisons: above 0 where it holds, below 0 where
    /// it does not. The smaller one of `and`, the larger one of `or`.
    pub fn slack(&self, values: &[f64]) -> f64 {
        self.root.slack(values)
    }

    /// True if it needs two numbers to be equal, which hardly any candidate fulfils.
    pub fn is_equation(&self) -> bool {
        self.root.is_equation()
    }
}

impl Truth {
    fn holds(&self, values: &[f64]) -> bool {
        match self {
            Truth::Not(inner) => !inner.holds(values),
            Truth::And(one, other) => one.holds(values) && other.holds(values),
            Truth::Or(one, other) => one.holds(values) || other.holds(values),
            Truth::Compared(operator, one, other) => {
                operator.of(one.value(values), other.value(values)) != 0.0
            }
            Truth::Chosen(index, number) => values[*index] == *number,
        }
    }

    fn slack(&self, values: &[f64]) -> f64 {
        match self {
            Truth::Not(inner) => -inner.slack(values),
            Truth::And(one, other) => one.slack(values).min(other.slack(values)),
            Truth::Or(one, other) => one.slack(values).max(other.slack(values)),
            Truth::Compared(operator, one, other) => {
                let difference = other.value(values) - one.value(values);
                match operator {
                    Binary::Greater | Binary::GreaterOrEqual => -difference,
                    Binary::Equal => -difference.abs(),
                    Binary::NotEqual => difference.abs(),
                    _ => difference,
                }
            }
            Truth::Chosen(..) if self.holds(values) => f64::INFINITY,
            Truth::Chosen(..) => f64::NEG_INFINITY,
        }
    }

    fn is_equation(&self) -> bool {
        match self {
            Truth::And(one, other) => one.is_equation() || other.is_equation(),
            Truth::Compared(operator, ..) => *operator == Binary::Equal,
            Truth::Not(inner) => {
                matches!(&**inner, Truth::Compared(operator, ..) if *operator == Binary::NotEqual)
            }
            Truth::Or(..) | Truth::Chosen(..) => false,
        }
    }
}

impl Number {
    fn value(&self, values: &[f64]) -> f64 {
        match self {
            Number::Constant(number) => *number,
            Number::Parameter(index) => values[*index],
            Number::Unary(operator, x) => operator.of(x.value(values)),
            Number::Binary(operator, x, y) => operator.of(x.value(values), y.value(values)),
        }
    }
}

struct Resolver<'a> {
    scope: Scope<'a>,
    reads: Vec<usize>,
}

fn wrong<T>(syntax: &Syntax, message: impl Into<String>) -> Result<T, ExpressionError> {
    Err(ExpressionError::new(syntax.span.clone(), message))
}

fn is_comparison(operator: Binary) -> bool {
    use Binary::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    matches!(
        operator,
        Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual
    )
}

impl Resolver<'_> {
    fn truth(&mut self, syntax: &Syntax) -> Result<Truth, ExpressionError> {
        match &syntax.form {
            SyntaxKind::Unary(Unary::Not, inner) => Ok(Truth::Not(Box::new(self.truth(inner)?))),
            SyntaxKind::Binary(operator @ (Binary::And | Binary::Or), one, other) => {
                let [one, other] = [Box::new(self.truth(one)?), Box::new(self.truth(other)?)];
                Ok(if *operator == Binary::And {
                    Truth::And(one, other)
                } else {
                    Truth::Or(one, other)
                })
            }
            SyntaxKind::Binary(operator, one, other) if is_comparison(*operator) => {
                if let Some(chosen) = self.chosen(*operator, one, other)? {
                    return Ok(chosen);
                }
                let [one, other] = [self.number(one)?, self.number(other)?];
                Ok(Truth::Compared(*operator, Box::new(one), Box::new(other)))
            }
            _ => wrong(
                syntax,
                "this is no condition: write a comparison, such as `low < high` or `method == 'fast'`",
            ),
        }
    }

    /// A comparison of a category with a text; `None` if neither side is a text.
    fn chosen(
        &mut self,
        operator: Binary,
        one: &Syntax,
        other: &Syntax,
    ) -> Result<Option<Truth>, ExpressionError> {
        let (category, text, of_text) = match (&one.form, &other.form) {
            (_, SyntaxKind::Text(text)) => (one, text, other),
            (SyntaxKind::Text(text), _) => (other, text, one),
            _ => return Ok(None),
        };
        let parameters = self.scope.parameters;
        let index = match &category.form {
            // The names of parameters that are not tuned are numbers.
            SyntaxKind::Name(name) if self.place(name).is_none() => {
                self.named(name, category)?;
                None
            }
            SyntaxKind::Name(name) => self.place(name),
            _ => None,
        };
        let index = index.filter(|&index| !parameters[index].choices.is_empty());
        let Some(index) = index else {
            let message = "only a parameter with `choices` is compared with a text";
            return wrong(category, message);
        };
        let choices = &parameters[index].choices;
        let Some(number) = choices.iter().position(|choice| choice == text) else {
            let near = did_you_mean(text, choices.iter().map(String::as_str));
            let (name, choices) = (&parameters[index].name, choices.join(", "));
            let message =
                format!("`{text}` is no choice of `{name}`{near} (its choices: {choices})");
            return wrong(of_text, message);
        };
        self.reads.push(index);
        let chosen = Truth::Chosen(index, number as f64);
        match operator {
            Binary::Equal => Ok(Some(chosen)),
            Binary::NotEqual => Ok(Some(Truth::Not(Box::new(chosen)))),
            _ => wrong(of_text, "texts have no order: compare with `==` or `!=`"),
        }
    }

    fn number(&mut self, syntax: &Syntax) -> Result<Number, ExpressionError> {
        match &syntax.form {
            SyntaxKind::Number(number) => Ok(Number::Constant(*number)),
            SyntaxKind::Text(_) => wrong(
                syntax,
                "a text stands only beside `==` or `!=`, with a parameter that has `choices` on the other side",
            ),
            SyntaxKind::Name(name) => self.named(name, syntax),
            SyntaxKind::Unary(Unary::Negative, inner) => {
                let inner = self.number(inner)?;
                Ok(Number::Unary(Unary::Negative, Box::new(inner)))
            }
            SyntaxKind::Binary(
                operator @ (Binary::Add
                | Binary::Subtract
                | Binary::Multiply
                | Binary::Divide
                | Binary::Power),
                one,
                other,
            ) => {
                let [one, other] = [self.number(one)?, self.number(other)?];
                Ok(Number::Binary(*operator, Box::new(one), Box::new(other)))
            }
            SyntaxKind::Call(name, arguments) => self.call(name, arguments, syntax),
            SyntaxKind::Unary(..) | SyntaxKind::Binary(..) => {
                wrong(syntax, "a number is needed here, and this is a condition")
            }
        }
    }

    fn named(&mut self, name: &str, syntax: &Syntax) -> Result<Number, ExpressionError> {
        let Scope {
            parameters,
            constants,
        } = self.scope;
        let Some(index) = self.place(name) else {
            let constant = constants.iter().find(|(known, _)| known == name);
            if let Some((_, value)) = constant {
                return Ok(Number::Constant(*value));
            }
            let tuned = parameters.iter().map(|known| known.name.as_str());
            let others = constants.iter().map(|(known, _)| known.as_str());
            let near = did_you_mean(name, tuned.clone().chain(others));
            let tuned: Vec<&str> = tuned.collect();
            let tuned = tuned.join(", ");
            let message = format!("unknown parameter `{name}`{near} (tuned are: {tuned})");
            return wrong(syntax, message);
        };
        if !parameters[index].choices.is_empty() {
            let choices = parameters[index].choices.join(", ");
            let message = format!(
                "`{name}` is no number: compare it with `==` or `!=` with one of its choices, in quotes: {choices} \
                 (two categories cannot be compared)"
            );
            return wrong(syntax, message);
        }
        self.reads.push(index);
        Ok(Number::Parameter(index))
    }

    fn call(
        &mut self,
        name: &str,
        arguments: &[Argument],
        syntax: &Syntax,
    ) -> Result<Number, ExpressionError> {
        let is_plain = |one: &Argument| one.condition.is_none() && one.second.is_none();
        let unary = match name {
            "abs" => Some(Unary::Abs),
            "exp" => Some(Unary::Exp),
            "ln" => Some(Unary::Ln),
            "sqrt" => Some(Unary::Sqrt),
            "floor" => Some(Unary::Floor),
            _ => None,
        };
        let binary = match name {
            "min" => Some(Binary::Min),
            "max" => Some(Binary::Max),
            _ => None,
        };
        match (unary, binary, arguments) {
            (Some(operator), _, [x]) if is_plain(x) => {
                Ok(Number::Unary(operator, Box::new(self.number(&x.value)?)))
            }
            (_, Some(operator), [x, y]) if is_plain(x) && is_plain(y) => {
                let [x, y] = [self.number(&x.value)?, self.number(&y.value)?];
                Ok(Number::Binary(operator, Box::new(x), Box::new(y)))
            }
            _ => wrong(
                syntax,
                "conditions have the functions abs, exp, ln, sqrt and floor of one number, min and max of two",
            ),
        }
    }

    fn place(&self, name: &str) -> Option<usize> {
        let mut parameters = self.scope.parameters.iter();
        parameters.position(|known| known.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_engine::heuristic::Scale;

    fn parameters() -> Vec<Parameter> {
        let parameter = |name: &str, choices: &[&str]| Parameter {
            name: name.into(),
            start: 0.0,
            min: 0.0,
            max: 10.0,
            scale: Scale::Linear,
            integer: false,
            choices: choices.iter().map(|&one| one.to_owned()).collect(),
            fixed: false,
            step: 1.0,
        };
        let method = parameter("method", &["fast", "exact"]);
        vec![parameter("low", &[]), parameter("lmr.high", &[]), method]
    }

    fn read(text: &str) -> Result<Condition, FieldError> {
        let scope = Scope {
            parameters: &parameters(),
            constants: &[("depth".to_owned(), 3.0)],
        };
        Condition::read(text, scope)
    }

    #[test]
    fn conditions_hold_or_not_and_say_by_how_much() {
        // The values are low = 2, lmr.high = 5, method = exact.
        for (text, holds, slack) in [
            ("low < `lmr.high`", true, 3.0),
            ("low >= `lmr.high`", false, -3.0),
            ("`lmr.high` > 2 * low + 1", false, 0.0),
            ("`lmr.high` >= 2 * low + 1", true, 0.0),
            ("low + `lmr.high` <= 6 and low < depth", false, -1.0),
            ("low + `lmr.high` <= 6 or low < depth", true, 1.0),
            ("not low < 1", true, 1.0),
            ("abs(low - 4) <= 1", false, -1.0),
            ("max(low, `lmr.high`) ^ 2 == 25", true, 0.0),
            ("method == 'exact'", true, f64::INFINITY),
            (r#""fast" != method"#, true, f64::INFINITY),
            ("method == 'fast' and low < 3", false, f64::NEG_INFINITY),
            ("method == 'fast' or low < 3", true, 1.0),
            ("ln(low - 3) < 0", false, f64::NAN),
        ] {
            let condition = read(text).unwrap();
            let values = [2.0, 5.0, 1.0];
            assert_eq!(condition.holds(&values), holds, "{text}");
            let found = condition.slack(&values);
            assert!(found == slack || found.is_nan() && slack.is_nan(), "{text}");
        }
        assert_eq!(read("low < 3 and method == 'fast'").unwrap().reads, [0, 2]);
        assert!(read("low < 3 and low == `lmr.high`").unwrap().is_equation());
        assert!(!read("method == 'fast'").unwrap().is_equation());
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        for (text, place, part) in [
            ("low", 0..3, "no condition"),
            ("lo < 3", 0..2, "did you mean `low`?"),
            ("low < ", 6..6, "ends where a number"),
            ("low = 3", 4..5, "write `==`"),
            ("1 < low < 3", 8..9, "cannot be chained"),
            ("low < 'fast'", 0..3, "only a parameter with `choices`"),
            ("mehtod == 'fast'", 0..6, "did you mean `method`?"),
            ("depth == 'fast'", 0..5, "only a parameter with `choices`"),
            ("method < 3", 0..6, "in quotes: fast, exact"),
            ("method == 'fats'", 10..16, "did you mean `fast`?"),
            ("method < 'fast'", 9..15, "no order"),
            ("method == 'fast", 10..11, "no second '"),
            ("low + (low < 3) < 5", 7..14, "this is a condition"),
            ("sum(low) < 3", 0..9, "conditions have the functions"),
            ("low and low < 3", 0..3, "no condition"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.message.contains(part), "{text}: {error}");
            assert_eq!(error.at, Some(place), "{text}: {error}");
        }
    }
}
