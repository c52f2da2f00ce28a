//! The lines that a term applies to, and its numbers, which can have separate values for some lines.

use crate::games::sliding::line_tables::{COLUMNS, LinePlace, ROWS};
use crate::heuristic::weights::Weights;
use crate::heuristic::{INNER, OUTER, Parameter};

/// The lines that a term applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineSet {
    /// All lines. The weights may have separate values for outer and inner lines.
    Every,
    /// The two outer lines of each orientation.
    Outer,
    /// The two inner lines of each orientation.
    Inner,
    /// All lines, with separate weights for each place.
    Each,
    /// The rows. Place and direction count.
    Rows,
    /// The columns. Place and direction count.
    Columns,
}

impl LineSet {
    /// All sets with their names in files.
    pub const ALL: [(&'static str, LineSet); 6] = [
        ("every", LineSet::Every),
        ("outer", LineSet::Outer),
        ("inner", LineSet::Inner),
        ("each", LineSet::Each),
        ("rows", LineSet::Rows),
        ("columns", LineSet::Columns),
    ];

    /// True if the set contains a line.
    pub fn includes(self, place: LinePlace) -> bool {
        match self {
            LineSet::Every | LineSet::Each => true,
            LineSet::Outer => place.is_outer,
            LineSet::Inner => !place.is_outer,
            LineSet::Rows => place.axis == ROWS,
            LineSet::Columns => place.axis == COLUMNS,
        }
    }

    /// True if the set is that of one axis, so that a row and a column of the same place differ.
    pub fn is_of_axis(self) -> bool {
        matches!(self, LineSet::Rows | LineSet::Columns)
    }
}

/// Suffix of the key of a weight for the line at this place.
pub fn line_suffix(index: usize) -> String {
    format!("_line{index}")
}

/// A number of a term (a weight or a parameter), and its tunable parameter.
#[derive(Clone, Debug)]
pub struct Number {
    /// The name in expressions; empty for a weight.
    pub name: String,
    /// The tunable parameter. Its key has no suffix for outer or inner lines.
    pub parameter: Parameter,
    /// True if outer and inner lines may have separate values.
    pub splits: bool,
}

impl Number {
    /// The value on an outer line, or on an inner one.
    pub fn value(&self, weights: &Weights, is_outer: bool) -> f64 {
        let lines = if is_outer { OUTER } else { INNER };
        let split = if self.splits {
            weights.get(&format!("{}{lines}", self.parameter.key))
        } else {
            None
        };
        let whole = || weights.get(&self.parameter.key);
        split.or_else(whole).unwrap_or(self.parameter.default)
    }

    /// The tunable parameters: one, or three if outer and inner lines may have separate values.
    pub(super) fn listed(&self) -> impl Iterator<Item = Parameter> + '_ {
        let suffixes: &[&str] = if self.splits {
            &["", OUTER, INNER]
        } else {
            &[""]
        };
        suffixes.iter().map(|lines| Parameter {
            key: format!("{}{lines}", self.parameter.key),
            ..self.parameter.clone()
        })
    }
}
