//! The reserved names of the language.

use super::domain::Domain;
use crate::expression::{KEYWORDS, Unary};

/// Functions of one number.
pub const UNARY: [(&str, Unary); 5] = [
    ("abs", Unary::Abs),
    ("exp", Unary::Exp),
    ("ln", Unary::Ln),
    ("sqrt", Unary::Sqrt),
    ("floor", Unary::Floor),
];

/// All other functions.
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

/// The name of the last cell, as in `cell(last)`.
pub const LAST_CELL: &str = "last";

/// The name of the place of the line; it is defined only if lines have places.
pub const INDEX: &str = "i";

/// What the language has for a function or a name of other languages.
pub fn instead_of(name: &str) -> Option<&'static str> {
    const KNOWN: [(&str, &str); 12] = [
        ("log", "the natural logarithm is `ln`"),
        ("log2", "the logarithm to base 2 is `ln(x) / ln(2)`"),
        ("log10", "the logarithm to base 10 is `ln(x) / ln(10)`"),
        ("pow", "a power is `x^y`"),
        ("ceil", "`-floor(-x)` rounds up"),
        ("round", "`floor(x + 0.5)` rounds"),
        (
            "mod",
            "the remainder of a divided by b is `a - b * floor(a / b)`",
        ),
        ("rank", "the rank of a cell is `r`"),
        ("tile", "the tile of 2048 in a cell is `2^r`"),
        ("row", "in terms of rows and in a matrix the row is `i`"),
        (
            "column",
            "in terms of rows and in a matrix the column is `j`",
        ),
        ("col", "in terms of rows and in a matrix the column is `j`"),
    ];
    let mut known = KNOWN.iter();
    known
        .find(|(other, _)| *other == name)
        .map(|(_, here)| *here)
}

/// True if the language itself uses the name.
pub fn is_reserved(name: &str) -> bool {
    let variables = Domain::ALL.iter().flat_map(|(_, _, variables)| *variables);
    let domains = Domain::ALL.iter().map(|(domain, ..)| domain);
    functions().any(|known| known == name)
        || KEYWORDS.contains(&name)
        || name == INDEX
        || variables.chain(domains).any(|known| *known == name)
}

/// The names of all functions.
pub fn functions() -> impl Iterator<Item = &'static str> {
    UNARY.iter().map(|(name, _)| *name).chain(FUNCTIONS)
}
