//! A heuristic: its terms, and the parameters that follow from them.

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

/// A heuristic: terms over lines in the order of its file, and terms over boards.
pub struct Definition {
    pub(super) table: toml::Table,
    /// What it is, in a sentence.
    pub about: String,
    /// Whether each line has a value of its own, by its place and direction. If not, a line and its
    /// mirror image have the same value.
    pub anchored: bool,
    /// Terms over lines.
    pub terms: Vec<Term>,
    /// Terms over boards, from those that the game offers.
    pub boards: Vec<&'static BoardTerm>,
    /// Parameters that several terms can read.
    pub(super) shared: Vec<Number>,
    pub(super) parameters: Vec<Parameter>,
}

/// A term over a line.
pub struct Term {
    /// Its name: the key of its weight, if it has one.
    pub name: String,
    /// What it measures, in a sentence.
    pub doc: String,
    /// The lines that it applies to.
    pub lines: LineSet,
    /// Its weights, in the order of their keys.
    pub weights: Vec<Number>,
    /// What the weights belong to.
    pub selector: Selector,
    /// Parameters of its expression.
    pub parameters: Vec<Number>,
    pub(super) value: Expression,
    pub(super) columns: OnceLock<Vec<Arc<CompactColumn>>>,
}

/// The lines that a term applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineSet {
    /// Every line. The weights may be given for outer and inner lines separately.
    Every,
    /// The two outer lines of each direction.
    Outer,
    /// The two inner lines of each direction.
    Inner,
    /// Every line, with weights for each by its place.
    Each,
}

impl LineSet {
    /// All, with their names in files.
    pub const ALL: [(&'static str, LineSet); 4] = [
        ("every", LineSet::Every),
        ("outer", LineSet::Outer),
        ("inner", LineSet::Inner),
        ("each", LineSet::Each),
    ];

    /// Whether it applies to the line at a place.
    pub fn includes(self, index: usize) -> bool {
        match self {
            LineSet::Every | LineSet::Each => true,
            LineSet::Outer => is_outer(index),
            LineSet::Inner => !is_outer(index),
        }
    }
}

/// Whether the line at a place is an outer one.
pub fn is_outer(index: usize) -> bool {
    index == 0 || index == 3
}

/// What the key of a term's weight for the line at a place ends with.
pub fn line_suffix(index: usize) -> String {
    format!("_line{index}")
}

/// A number of a term, and its parameter.
#[derive(Clone, Debug)]
pub struct Number {
    /// The name by which an expression reads it; empty for a weight.
    pub name: String,
    /// The parameter. Its key has no suffix of outer or inner lines.
    pub parameter: Parameter,
    /// Whether it may be given for outer and inner lines separately.
    pub splits: bool,
}

impl Number {
    /// Its value on the line at a place.
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

    /// Its parameters: one, or also those of outer and inner lines.
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
    /// Whether its values depend on weights only by a factor.
    pub(super) fn is_linear(&self) -> bool {
        self.value.parameters == 0
    }

    /// Number of different values that a line can have by its place.
    pub(super) fn places(&self) -> usize {
        if self.value.reads_index { 4 } else { 1 }
    }

    /// Whether one of its weights is not 0.
    fn is_on(&self, weights: &Weights) -> bool {
        let is_on = |number| (0..4).any(|index| self.weight(number, index, weights) != 0.0);
        (0..self.selector.count()).any(is_on)
    }

    /// The weight with this number among those of the selector, on the line at a place.
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
    /// The contents of its file.
    pub fn table(&self) -> &toml::Table {
        &self.table
    }

    /// Its parameters in the order of its terms.
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

    /// What each term with a weight other than 0 adds to the value of a board, in points, in the order of
    /// the terms. The sum is the static value of the board, up to the rounding of the tables.
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

    /// What a term adds to the value of the line at a place. This is its definition; the tables are
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

    /// The lines that differ in value.
    pub(super) fn lines(&self) -> &'static LineColumns {
        if self.anchored {
            LineColumns::all()
        } else {
            LineColumns::canonical()
        }
    }
}
