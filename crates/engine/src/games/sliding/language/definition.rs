//! A heuristic: its terms, and the list of its parameters.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::expression::{Expression, Selector, Setting};
use super::lines::LineColumns;
use super::stored::CompactColumn;
use crate::games::sliding::board::Board;
use crate::games::sliding::board_terms::BoardTerm;
use crate::games::sliding::rows::{reverse, unpack};
use crate::heuristic::weights::Weights;
use crate::heuristic::{INNER, OUTER, Parameter};

/// A heuristic: line terms in the order of its file, and board terms.
pub struct Definition {
    pub(super) table: toml::Table,
    /// One sentence: what it is.
    pub about: String,
    /// True if the value of a line depends on its place and direction. If false, a line and its mirror image
    /// have the same value.
    pub anchored: bool,
    /// Terms of lines.
    pub terms: Vec<Term>,
    /// Terms of whole boards, selected from those of the game.
    pub boards: Vec<&'static BoardTerm>,
    /// Parameters that several terms can read.
    pub(super) shared: Vec<Number>,
    pub(super) parameters: Vec<Parameter>,
}

/// A line term.
pub struct Term {
    /// Name of the term. It is the key of the weight if there is only one.
    pub name: String,
    /// One sentence: what it measures.
    pub doc: String,
    /// The lines to which it applies.
    pub lines: LineSet,
    /// Its weights, in the order of their keys.
    pub weights: Vec<Number>,
    /// The meaning of the weights: one weight, or one for each knot or value.
    pub selector: Selector,
    /// Parameters of its expression.
    pub parameters: Vec<Number>,
    pub(super) value: Expression,
    pub(super) columns: OnceLock<Vec<Arc<CompactColumn>>>,
}

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
}

impl LineSet {
    /// All sets with their names in files.
    pub const ALL: [(&'static str, LineSet); 4] = [
        ("every", LineSet::Every),
        ("outer", LineSet::Outer),
        ("inner", LineSet::Inner),
        ("each", LineSet::Each),
    ];

    /// True if the set contains the line at this place, 0 to 3.
    pub fn includes(self, index: usize) -> bool {
        match self {
            LineSet::Every | LineSet::Each => true,
            LineSet::Outer => is_outer(index),
            LineSet::Inner => !is_outer(index),
        }
    }
}

/// True if the line at this place is an outer line.
pub fn is_outer(index: usize) -> bool {
    index == 0 || index == 3
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
    /// The value on the line at a place.
    pub fn value(&self, weights: &Weights, index: usize) -> f64 {
        let lines = if is_outer(index) { OUTER } else { INNER };
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

impl Term {
    /// True if the weights are the only parameters, so that the values of the term are constants.
    pub(super) fn is_linear(&self) -> bool {
        self.value.parameters == 0
    }

    /// Number of places whose lines can have different values: 1 or 4.
    pub(super) fn places(&self) -> usize {
        if self.value.reads_index { 4 } else { 1 }
    }

    /// True if at least one weight is not 0.
    fn is_on(&self, weights: &Weights) -> bool {
        let is_on = |number| (0..4).any(|index| self.weight(number, index, weights) != 0.0);
        (0..self.selector.count()).any(is_on)
    }

    /// The weight number `number` of the selector, on the line at a place.
    pub(super) fn weight(&self, number: usize, index: usize, weights: &Weights) -> f64 {
        let number = match self.lines {
            LineSet::Each => 4 * number + index,
            _ => number,
        };
        if self.lines.includes(index) {
            self.weights[number].value(weights, index)
        } else {
            0.0
        }
    }
}

impl fmt::Debug for Definition {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter
            .debug_tuple("Definition")
            .field(&self.table)
            .finish()
    }
}

impl Definition {
    /// The content of its file.
    pub fn table(&self) -> &toml::Table {
        &self.table
    }

    /// Its parameters, in the order of its terms.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The values of the named parameters of a term on the line at a place.
    pub(super) fn parameter_values(
        &self,
        term: &Term,
        index: usize,
        weights: &Weights,
    ) -> Vec<f64> {
        let numbers = term.parameters.iter().chain(&self.shared);
        numbers.map(|number| number.value(weights, index)).collect()
    }

    /// The contribution of each term with a nonzero weight to the value of a board, in points and in the order
    /// of the terms. The sum of the contributions is the static value of the board, except for the rounding of
    /// the tables.
    pub fn contributions(&self, weights: &Weights, board: Board) -> Vec<(String, f64)> {
        let lines =
            [board, board.transpose()].map(|board| [0, 1, 2, 3].map(|row| (row, board.row(row))));
        let of_term = |term: &Term| {
            let values = lines.as_flattened().iter();
            let values = values.map(|&(index, line)| self.contribution(term, index, line, weights));
            (term.name.clone(), values.sum())
        };
        let of_board = |term: &&BoardTerm| {
            let weight = weights.get(term.name).unwrap_or(term.weight.default);
            let value = f64::from(term.measure.of(board));
            (weight != 0.0).then(|| (term.name.to_owned(), weight * value))
        };
        let on = self.terms.iter().filter(|term| term.is_on(weights));
        let boards = self.boards.iter().filter_map(of_board);
        on.map(of_term).chain(boards).collect()
    }

    /// The contribution of a term to the value of the line at a place. This is the definition; the tables are
    /// computed for all lines at once.
    pub fn contribution(&self, term: &Term, index: usize, line: u16, weights: &Weights) -> f64 {
        let line = if self.anchored {
            line
        } else {
            line.min(reverse(line))
        };
        let parameters = self.parameter_values(term, index, weights);
        let value = |number| {
            let weight = term.weight(number, index, weights);
            let setting = Setting {
                index,
                parameters: &parameters,
                selector: &term.selector,
                weight: number,
            };
            match weight {
                0.0 => 0.0,
                weight => weight * term.value.value(unpack(line), &setting),
            }
        };
        (0..term.selector.count()).map(value).sum()
    }

    /// The lines that can have different values.
    pub(super) fn lines(&self) -> &'static LineColumns {
        if self.anchored {
            LineColumns::all()
        } else {
            LineColumns::canonical()
        }
    }
}
