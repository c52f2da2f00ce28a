//! The form of an expression as it is written: names have no meaning yet. Each part knows its place
//! in the text, for messages.

use std::ops::Range;

/// A part of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Syntax {
    /// What it is.
    pub form: SyntaxKind,
    /// Its bytes in the text.
    pub span: Range<usize>,
}

/// The form of a part of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum SyntaxKind {
    /// A number without sign.
    Number(f64),
    /// A name that is not called.
    Name(String),
    /// `-x` or `not x`.
    Unary(Unary, Box<Syntax>),
    /// `x + y` and its like.
    Binary(Binary, Box<Syntax>, Box<Syntax>),
    /// `name(argument, ..)`.
    Call(String, Vec<Argument>),
}

/// An argument of a call: `value`, `value where condition` or `value: second`.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The argument itself.
    pub value: Syntax,
    /// What stands behind `where`.
    pub condition: Option<Syntax>,
    /// What stands behind the colon.
    pub second: Option<Syntax>,
}

/// An operation on one number. A condition is 1 or 0; every number but 0 counts as true.
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
    /// `x ^ y`; 0 for x = 0
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
    /// Its value. Functions that processors compute differently come from `libm`.
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
    /// Its value.
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
            // Not `f64::min` and `f64::max`, which would lose a NaN.
            Binary::Min => [y, x][usize::from(x.is_nan() || x <= y)],
            Binary::Max => [y, x][usize::from(x.is_nan() || x >= y)],
        }
    }
}

/// A condition as a number.
#[inline(always)]
pub fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// `base^exponent` by `libm`. A power of 0 is 0, so that empty cells have no effect.
#[inline]
pub fn power(base: f64, exponent: f64) -> f64 {
    if base == 0.0 {
        0.0
    } else {
        libm::pow(base, exponent)
    }
}

/// Operators of other languages at the start of a text, and what stands for them here.
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
