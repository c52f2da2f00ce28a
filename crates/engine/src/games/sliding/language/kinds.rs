//! The two kinds of terms of a file, and the keys that each has.

use super::fields::Fields;
use crate::field_error::FieldError;

/// A kind of terms.
#[derive(Clone, Copy)]
pub struct TermKind {
    /// The name of its tables in a file.
    table: &'static str,
    /// Its keys.
    keys: &'static [&'static str],
}

/// A term over lines, or a matrix.
const LINE_TERM: TermKind = TermKind {
    table: "term",
    keys: &[
        "name",
        "doc",
        "value",
        "weight",
        "constant",
        "parameters",
        "knots",
        "table",
        "lines",
        "matrix",
        "images",
    ],
};

/// A term of the whole board.
const BOARD_TERM: TermKind = TermKind {
    table: "board_term",
    keys: &[
        "name",
        "doc",
        "value",
        "weight",
        "parameters",
        "knots",
        "table",
        "sums",
        "maxima",
        "minima",
    ],
};

/// Checks that a `[[term]]` has no other keys than its own.
pub fn check_line_term(fields: &Fields) -> Result<(), FieldError> {
    check(fields, LINE_TERM, BOARD_TERM)
}

/// Checks that a `[[board_term]]` has no other keys than its own.
pub fn check_board_term(fields: &Fields) -> Result<(), FieldError> {
    check(fields, BOARD_TERM, LINE_TERM)
}

fn check(fields: &Fields, own: TermKind, other: TermKind) -> Result<(), FieldError> {
    let given = fields.keys().into_iter();
    let mut unknown = given.filter(|key| !own.keys.contains(key));
    if let Some(key) = unknown.find(|key| other.keys.contains(key)) {
        let message = format!(
            "`{key}` belongs to a `[[{}]]`; this is a `[[{}]]`",
            other.table, own.table
        );
        return Err(fields.error(key, message));
    }
    fields.only(own.keys)
}
