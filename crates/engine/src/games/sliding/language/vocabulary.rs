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
