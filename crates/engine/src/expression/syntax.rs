//! The syntax tree of an expression. Names are not resolved yet. Each node has its position in the text, for
//! error messages.

use std::ops::Range;

/// A node of the syntax tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Syntax {
    /// The kind of the node.
    pub form: SyntaxKind,
    /// Its byte range in the text.
    pub span: Range<usize>,
}

/// The kinds of nodes.
#[derive(Clone, Debug, PartialEq)]
pub enum SyntaxKind {
    /// A number literal without a sign.
    Number(f64),
    /// A text literal, without its quotes.
    Text(String),
    /// A name without arguments.
    Name(String),
    /// `-x` or `not x`.
    Unary(Unary, Box<Syntax>),
    /// `x + y` and other binary operators.
    Binary(Binary, Box<Syntax>, Box<Syntax>),
    /// `name(argument, ..)`.
    Call(String, Vec<Argument>),
}

/// An argument of a call: `value`, `value where condition`, or `value: second`.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The value of the argument.
    pub value: Syntax,
    /// The expression after `where`.
    pub condition: Option<Syntax>,
    /// The expression after the colon.
    pub second: Option<Syntax>,
}

/// An operation on one number. Conditions give 1 or 0; every number except 0 counts as true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-x`
    Negative,
    /// `not x`
    Not,
    /// `abs(x)`
    Abs,
    /// `exp(x)`
    Exp,
    /// `ln(x)`, the natural logarithm
    Ln,
    /// `sqrt(x)`
    Sqrt,
    /// `floor(x)`
    Floor,
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `x + y`
    Add,
    /// `x - y`
    Subtract,
    /// `x * y`
    Multiply,
    /// `x / y`
    Divide,
    /// `x ^ y`; the result is 0 for x = 0
    Power,
    /// `x == y`
    Equal,
    /// `x != y`
    NotEqual,
    /// `x < y`
    Less,
    /// `x <= y`
    LessOrEqual,
    /// `x > y`
    Greater,
    /// `x >= y`
    GreaterOrEqual,
    /// `x and y`
    And,
    /// `x or y`
    Or,
    /// `min(x, y)`
    Min,
    /// `max(x, y)`
    Max,
}

impl Unary {
    /// The result. Functions that processors compute differently come from `libm`.
    #[inline(always)]
    pub fn of(self, x: f64) -> f64 {
        match self {
            Unary::Negative => -x,
            Unary::Not => truth(x == 0.0),
            Unary::Abs => x.abs(),
            Unary::Exp => libm::exp(x),
            Unary::Ln => libm::log(x),
            Unary::Sqrt => libm::sqrt(x),
            Unary::Floor => libm::floor(x),
        }
    }
}

impl Binary {
    /// The result of the operation.
    #[inline(always)]
    pub fn of(self, x: f64, y: f64) -> f64 {
        match self {
            Binary::Add => x + y,
            Binary::Subtract => x - y,
            Binary::Multiply => x * y,
            Binary::Divide => x / y,
            Binary::Power => power(x, y),
            Binary::Equal => truth(x == y),
            Binary::NotEqual => truth(x != y),
            Binary::Less => truth(x < y),
            Binary::LessOrEqual => truth(x <= y),
            Binary::Greater => truth(x > y),
            Binary::GreaterOrEqual => truth(x >= y),
            Binary::And => truth(x != 0.0 && y != 0.0),
            Binary::Or => truth(x != 0.0 || y != 0.0),
            // `f64::min` and `f64::max` would drop a NaN.
            Binary::Min => [y, x][usize::from(x.is_nan() || x <= y)],
            Binary::Max => [y, x][usize::from(x.is_nan() || x >= y)],
        }
    }
}

/// The number of a condition: 1 or 0.
#[inline(always)]
pub fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// `base^exponent` by `libm`. A power of 0 is defined as 0, so that empty cells have no effect.
#[inline]
pub fn power(base: f64, exponent: f64) -> f64 {
    if base == 0.0 {
        0.0
    } else {
        libm::pow(base, exponent)
    }
}

/// Finds an operator of another language at the start of the text, and the advice what to write.
pub fn instead_of(text: &str) -> Option<(&'static str, &'static str)> {
    const KNOWN: [(&str, &str); 9] = [
        ("&&", "write `and`"),
        ("&", "write `and`"),
        ("||", "write `or`"),
        ("|", "write `or`"),
        ("!", "write `not`, or `!=` for unequal"),
        ("=>", "write `>=`"),
        ("=<", "write `<=`"),
        ("=", "write `==` to compare"),
        (
            "%",
            "write `a - b * floor(a / b)` for the remainder of a divided by b",
        ),
    ];
    let equality = ["==", "!="].iter().any(|sign| text.starts_with(sign));
    let mut known = KNOWN.into_iter();
    known.find(|(sign, _)| !equality && text.starts_with(sign))
}
