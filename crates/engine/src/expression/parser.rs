//! Parses text to a [`Syntax`] tree. The parser knows the grammar, but no names. Length, nesting and size of an
//! expression are limited, so that no text can exhaust time, memory or the stack.
//!
//! ```text
//! expression = both { "or" both }            both     = negation { "and" negation }
//! negation   = "not" negation | comparison   comparison = sum [ ("==" | "!=" | "<" | ..) sum ]
//! sum        = product { ("+" | "-") product }
//! product    = signed { ("*" | "/") signed }
//! signed     = "-" signed | atom [ "^" signed ]
//! atom       = number | text | name | name "(" [ argument { "," argument } ] ")" | "(" expression ")"
//! argument   = expression [ "where" expression | ":" expression ]
//! ```
//!
//! A text stands in single or double quotes. A name with other characters than letters, digits and `_` stands in
//! backticks.

use std::ops::Range;

use winnow::combinator::{alt, not, opt, preceded, terminated};
use winnow::error::{ErrMode, ParserError};
use winnow::stream::{Location, Stream};
use winnow::token::{one_of, take_while};
use winnow::{LocatingSlice, ModalResult, Parser, Stateful};

use super::syntax::{Argument, Binary, Syntax, SyntaxKind, Unary, instead_of};

/// Largest length of an expression, in bytes.
pub const LONGEST: usize = 2_000;
/// Largest number of parts of an expression: numbers, names, operators, calls.
pub const MOST_PARTS: usize = 400;
/// Largest nesting depth of parentheses, calls, signs and exponents.
pub const DEEPEST: usize = 24;

/// An error in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// What is wrong, and what is allowed.
    pub message: String,
    /// The position of the error, as a byte range of the text.
    pub span: Range<usize>,
}

impl ExpressionError {
    /// An error at a byte range of the text.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        let message = message.into();
        ExpressionError { message, span }
    }
}

/// Words that cannot be names.
pub const KEYWORDS: [&str; 4] = ["and", "or", "not", "where"];

#[derive(Clone, Debug, Default)]
struct Size {
    depth: usize,
    parts: usize,
}

type Input<'a> = Stateful<LocatingSlice<&'a str>, Size>;
type Parsed<T> = ModalResult<T, ExpressionError>;

impl ParserError<Input<'_>> for ExpressionError {
    type Inner = Self;

    fn from_input(input: &Input) -> Self {
        unexpected(input, "an operator")
    }

    fn into_inner(self) -> Result<Self, Self> {
        Ok(self)
    }
}

/// Parses an expression.
///
/// # Errors
/// The first error in the text.
pub fn parse(text: &str) -> Result<Syntax, ExpressionError> {
    if text.len() > LONGEST {
        let message = format!(
            "an expression of {} bytes is too long: at most {LONGEST}",
            text.len()
        );
        return Err(ExpressionError::new(0..text.len(), message));
    }
    let mut input = Stateful {
        input: LocatingSlice::new(text),
        state: Size::default(),
    };
    let whole = preceded(space, expression).parse_next(&mut input);
    let whole = whole.map_err(|error| match error {
        ErrMode::Backtrack(mistake) | ErrMode::Cut(mistake) => mistake,
        ErrMode::Incomplete(_) => unexpected(&input, "more"),
    })?;
    if input.input.is_empty() {
        Ok(whole)
    } else {
        Err(unexpected(&input, "an operator"))
    }
}

/// The error that something other than `wanted` follows.
fn unexpected(input: &Input, wanted: &str) -> ExpressionError {
    let start = input.input.current_token_start();
    let rest: &str = input.input.as_ref();
    let length = match rest.chars().next() {
        None => {
            return ExpressionError::new(
                start..start,
                format!("the expression ends where {wanted} is expected"),
            );
        }
        Some(first) if is_letter(first) => rest.find(|c| !is_in_word(c)).unwrap_or(rest.len()),
        Some(first) => first.len_utf8(),
    };
    let found = &rest[..length];
    let span = start..start + length;
    match instead_of(rest) {
        Some((sign, instead)) => {
            let message = format!("`{sign}` is not part of the language: {instead}");
            ExpressionError::new(start..start + sign.len(), message)
        }
        None => ExpressionError::new(span, format!("`{found}` where {wanted} is expected")),
    }
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn is_in_word(c: char) -> bool {
    is_letter(c) || c.is_ascii_digit()
}

fn space(input: &mut Input) -> Parsed<()> {
    take_while(0.., char::is_whitespace)
        .void()
        .parse_next(input)
}

fn symbol<'a>(text: &'static str) -> impl Parser<Input<'a>, &'a str, ErrMode<ExpressionError>> {
    terminated(text, space)
}

fn keyword<'a>(word: &'static str) -> impl Parser<Input<'a>, &'a str, ErrMode<ExpressionError>> {
    terminated(word, (not(one_of(is_in_word)), space))
}

fn expected(input: &mut Input, text: &'static str, wanted: &str) -> Parsed<()> {
    match opt(symbol(text)).parse_next(input)? {
        Some(_) => Ok(()),
        None => Err(ErrMode::Cut(unexpected(input, wanted))),
    }
}

/// Parses with `inner`, one nesting level deeper.
fn deeper<'a, T>(
    input: &mut Input<'a>,
    mut inner: impl FnMut(&mut Input<'a>) -> Parsed<T>,
) -> Parsed<T> {
    input.state.depth += 1;
    if input.state.depth > DEEPEST {
        let start = input.input.current_token_start();
        let message = format!("nested too deeply: at most {DEEPEST} levels");
        return Err(ErrMode::Cut(ExpressionError::new(start..start, message)));
    }
    let parsed = inner(input);
    input.state.depth -= 1;
    parsed
}

fn part(input: &mut Input, form: SyntaxKind, span: Range<usize>) -> Parsed<Syntax> {
    input.state.parts += 1;
    if input.state.parts > MOST_PARTS {
        let message =
            format!("an expression has at most {MOST_PARTS} numbers, names and operators");
        return Err(ErrMode::Cut(ExpressionError::new(span, message)));
    }
    Ok(Syntax { form, span })
}

/// Operands with operators between them, left-associative.
fn chain<'a>(
    input: &mut Input<'a>,
    operand: fn(&mut Input<'a>) -> Parsed<Syntax>,
    operator: fn(&mut Input<'a>) -> Parsed<Binary>,
) -> Parsed<Syntax> {
    let mut left = operand(input)?;
    while let Some(operator) = opt(operator).parse_next(input)? {
        let right = operand(input)?;
        left = joined(input, operator, left, right)?;
    }
    Ok(left)
}

fn joined(input: &mut Input, operator: Binary, left: Syntax, right: Syntax) -> Parsed<Syntax> {
    let span = left.span.start..right.span.end;
    let form = SyntaxKind::Binary(operator, Box::new(left), Box::new(right));
    part(input, form, span)
}

fn expression(input: &mut Input) -> Parsed<Syntax> {
    deeper(input, |input| {
        chain(input, both, |input| {
            keyword("or").value(Binary::Or).parse_next(input)
        })
    })
}

fn both(input: &mut Input) -> Parsed<Syntax> {
    chain(input, negation, |input| {
        keyword("and").value(Binary::And).parse_next(input)
    })
}

fn negation(input: &mut Input) -> Parsed<Syntax> {
    let start = input.input.current_token_start();
    if opt(keyword("not")).parse_next(input)?.is_none() {
        return comparison(input);
    }
    let inner = deeper(input, negation)?;
    let span = start..inner.span.end;
    part(input, SyntaxKind::Unary(Unary::Not, Box::new(inner)), span)
}

fn comparison(input: &mut Input) -> Parsed<Syntax> {
    let left = sum(input)?;
    let Some(operator) = opt(compared).parse_next(input)? else {
        return Ok(left);
    };
    let right = sum(input)?;
    let both = joined(input, operator, left, right)?;
    let start = input.input.current_token_start();
    if opt(compared).parse_next(input)?.is_some() {
        let message = "comparisons cannot be chained: write `a < b and b < c`";
        return Err(ErrMode::Cut(ExpressionError::new(
            start..start + 1,
            message,
        )));
    }
    Ok(both)
}

fn compared(input: &mut Input) -> Parsed<Binary> {
    let operator = alt((
        "==".value(Binary::Equal),
        "!=".value(Binary::NotEqual),
        "<=".value(Binary::LessOrEqual),
        ">=".value(Binary::GreaterOrEqual),
        "<".value(Binary::Less),
        ">".value(Binary::Greater),
    ));
    terminated(operator, space).parse_next(input)
}

fn sum(input: &mut Input) -> Parsed<Syntax> {
    chain(input, product, |input| {
        let operator = alt(("+".value(Binary::Add), "-".value(Binary::Subtract)));
        terminated(operator, space).parse_next(input)
    })
}

fn product(input: &mut Input) -> Parsed<Syntax> {
    chain(input, signed, |input| {
        let start = input.input.current_token_start();
        if opt("**").parse_next(input)?.is_some() {
            let message = "`**` is not part of the language: write `^` for a power";
            return Err(ErrMode::Cut(ExpressionError::new(
                start..start + 2,
                message,
            )));
        }
        let operator = alt(("*".value(Binary::Multiply), "/".value(Binary::Divide)));
        terminated(operator, space).parse_next(input)
    })
}

fn signed(input: &mut Input) -> Parsed<Syntax> {
    let start = input.input.current_token_start();
    if opt(symbol("-")).parse_next(input)?.is_some() {
        let inner = deeper(input, signed)?;
        let span = start..inner.span.end;
        return part(
            input,
            SyntaxKind::Unary(Unary::Negative, Box::new(inner)),
            span,
        );
    }
    let base = atom(input)?;
    if opt(symbol("^")).parse_next(input)?.is_none() {
        return Ok(base);
    }
    let exponent = deeper(input, signed)?;
    joined(input, Binary::Power, base, exponent)
}

fn atom(input: &mut Input) -> Parsed<Syntax> {
    if opt(symbol("(")).parse_next(input)?.is_some() {
        let inner = expression(input)?;
        expected(input, ")", "`)` or an operator")?;
        return Ok(inner);
    }
    let start = input.input.current_token_start();
    if let Some(digits) = opt(number).parse_next(input)? {
        let span = start..start + digits.len();
        return match digits.parse() {
            Ok(value) if f64::is_finite(value) => part(input, SyntaxKind::Number(value), span),
            _ => Err(ErrMode::Cut(ExpressionError::new(
                span,
                format!("`{digits}` is not a number"),
            ))),
        };
    }
    for quote in ["'", "\"", "`"] {
        if let Some(inner) = quoted(input, quote)? {
            let span = start..start + inner.len() + 2;
            let form = if quote == "`" {
                SyntaxKind::Name(inner)
            } else {
                SyntaxKind::Text(inner)
            };
            return part(input, form, span);
        }
    }
    let Some(name) = opt(word).parse_next(input)? else {
        return Err(ErrMode::Cut(unexpected(input, "a number, a name or `(`")));
    };
    if opt(symbol("(")).parse_next(input)?.is_none() {
        return part(
            input,
            SyntaxKind::Name(name.to_owned()),
            start..start + name.len(),
        );
    }
    let arguments = arguments(input)?;
    let end = input.input.previous_token_end();
    part(
        input,
        SyntaxKind::Call(name.to_owned(), arguments),
        start..end,
    )
}

/// Parses what stands between two quotes; `None` if no quote follows.
fn quoted(input: &mut Input, quote: &'static str) -> Parsed<Option<String>> {
    let start = input.input.current_token_start();
    if opt(quote).parse_next(input)?.is_none() {
        return Ok(None);
    }
    let is_inner = |c: char| !quote.contains(c);
    let inner: &str = take_while(0.., is_inner).parse_next(input)?;
    if opt(symbol(quote)).parse_next(input)?.is_none() {
        let message = format!("no second {quote} ends what begins here");
        let error = ExpressionError::new(start..start + quote.len(), message);
        return Err(ErrMode::Cut(error));
    }
    Ok(Some(inner.to_owned()))
}

/// Parses the arguments of a call after the opening parenthesis, up to the closing one.
fn arguments(input: &mut Input) -> Parsed<Vec<Argument>> {
    let mut arguments = Vec::new();
    if opt(symbol(")")).parse_next(input)?.is_some() {
        return Ok(arguments);
    }
    loop {
        arguments.push(argument(input)?);
        if opt(symbol(",")).parse_next(input)?.is_none() {
            expected(input, ")", "`,`, `)` or an operator")?;
            return Ok(arguments);
        }
    }
}

fn argument(input: &mut Input) -> Parsed<Argument> {
    let value = expression(input)?;
    let condition = match opt(keyword("where")).parse_next(input)? {
        Some(_) => Some(expression(input)?),
        None => None,
    };
    let second = match opt(symbol(":")).parse_next(input)? {
        Some(_) => Some(expression(input)?),
        None => None,
    };
    Ok(Argument {
        value,
        condition,
        second,
    })
}

/// Parses a number: digits with an optional decimal point and an optional exponent of ten.
fn number<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    let start = input.input.current_token_start();
    let digits = |least: usize| take_while(least.., |c: char| c.is_ascii_digit());
    let whole = (digits(1), opt(('.', digits(0)))).void();
    let exponent = opt((one_of(['e', 'E']), opt(one_of(['+', '-'])), digits(1)));
    let mut number = (alt((whole, ('.', digits(1)).void())), exponent).take();
    let number = number.parse_next(input)?;
    if let Some(name) = opt(take_while(1.., is_in_word)).parse_next(input)? {
        let span = start..start + number.len() + name.len();
        let message =
            format!("an operator is missing in `{number}{name}`: a product is `{number} * {name}`");
        return Err(ErrMode::Cut(ExpressionError::new(span, message)));
    }
    space(input)?;
    Ok(number)
}

/// Parses an identifier that is not a keyword.
fn word<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    let start = input.checkpoint();
    let word = (one_of(is_letter), take_while(0.., is_in_word)).take();
    let word: &str = terminated(word, space).parse_next(input)?;
    if KEYWORDS.contains(&word) {
        input.reset(&start);
        return Err(ErrMode::Backtrack(unexpected(input, "a name")));
    }
    Ok(word)
}
