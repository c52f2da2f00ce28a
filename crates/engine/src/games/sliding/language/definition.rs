//! A heuristic: its terms, and the list of its parameters.

use std::fmt;
use std::sync::Arc;

use super::expression::{Expression, ExpressionInputs, Selector};
use super::line_columns::{ByLength, LineColumns};
use super::line_set::{LineSet, Number};
use super::stored::CompactColumn;
use super::whole_term::WholeTerm;
use crate::field_error::FieldError;
use crate::games::sliding::board::Board;
use crate::games::sliding::board_terms::BoardTerm;
use crate::games::sliding::line_tables::LinePlace;
use crate::games::sliding::rows::{reversed, unpack};
use crate::games::sliding::shape::Shape;
use crate::heuristic::Parameter;
use crate::heuristic::weights::Weights;

/// A heuristic: line terms in the order of its file, and board terms.
pub struct Definition {
    pub(super) table: toml::Table,
    /// One sentence: what it is.
    pub about: String,
    /// True if the value of a line depends on its place and direction in every term. If false, a line and its
    /// mirror image have the same value in the terms of all lines.
    pub anchored: bool,
    /// Terms of lines.
    pub terms: Vec<Term>,
    /// Terms of whole boards, defined in the file.
    pub whole_terms: Vec<WholeTerm>,
    /// Terms of whole boards, selected from those of the game.
    pub boards: Vec<&'static BoardTerm>,
    /// Parameters that several terms can read.
    pub(super) shared: Vec<Number>,
    pub(super) parameters: Vec<Parameter>,
    /// Whether the terms have a meaning on lines of 2, 3 and 4 cells; see [`Definition::fits`].
    pub(super) fits: ByLength<Result<(), FieldError>>,
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
    pub(super) columns: ByLength<Vec<Arc<CompactColumn>>>,
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
    pub fn is_on(&self, weights: &Weights) -> bool {
        let is_on = |number| {
            (LinePlace::all(Shape::STANDARD))
                .any(|place| self.weight(number, place, weights) != 0.0)
        };
        (0..self.selector.count()).any(is_on)
    }

    /// The weight number `number` of the selector, on the line at a place.
    pub(super) fn weight(&self, number: usize, place: LinePlace, weights: &Weights) -> f64 {
        if self.lines.includes(place) {
            self.number(number, place).value(weights, place.is_outer)
        } else {
            0.0
        }
    }

    /// The key of this weight.
    pub(super) fn key(&self, number: usize, place: LinePlace) -> &str {
        &self.number(number, place).parameter.key
    }

    fn number(&self, number: usize, place: LinePlace) -> &Number {
        match self.lines {
            LineSet::Each => &self.weights[4 * number + place.index],
            _ => &self.weights[number],
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
        place: LinePlace,
        weights: &Weights,
    ) -> Vec<f64> {
        let numbers = term.parameters.iter().chain(&self.shared);
        numbers
            .map(|number| number.value(weights, place.is_outer))
            .collect()
    }

    /// The values of the named parameters of a term of the whole board.
    pub(super) fn whole_parameters(&self, term: &WholeTerm, weights: &Weights) -> Vec<f64> {
        let numbers = term.parameters.iter().chain(&self.shared);
        numbers.map(|number| number.value(weights, true)).collect()
    }

    /// The contribution of a term of the whole board to the value of a board, in points.
    pub fn whole_contribution(
        &self,
        term: &WholeTerm,
        weights: &Weights,
        shape: Shape,
        board: Board,
    ) -> f64 {
        let parameters = self.whole_parameters(term, weights);
        term.contribution(shape, board, weights, &parameters)
    }

    /// The contribution of each term with a nonzero weight to the value of a board, in points and in the order
    /// of the terms. The sum of the contributions is the static value of the board, except for the rounding of
    /// the tables.
    pub fn contributions(
        &self,
        weights: &Weights,
        shape: Shape,
        board: Board,
    ) -> Vec<(String, f64)> {
        let boards = [board, board.transpose()];
        let lines = LinePlace::all(shape).map(|place| (place, boards[place.axis].row(place.index)));
        let lines: Vec<(LinePlace, u16)> = lines.collect();
        let of_term = |term: &Term| {
            let values = lines.iter();
            let values = values.map(|&(place, line)| self.contribution(term, place, line, weights));
            (term.name.clone(), values.sum())
        };
        let of_board = |term: &&BoardTerm| {
            let weight = weights.get(term.name).unwrap_or(term.weight.default);
            let value = f64::from(term.measure.of(board, term.measure.cells(shape)));
            (weight != 0.0).then(|| (term.name.to_owned(), weight * value))
        };
        let of_whole = |term: &WholeTerm| {
            let value = self.whole_contribution(term, weights, shape, board);
            (term.name.clone(), value)
        };
        let on = self.terms.iter().filter(|term| term.is_on(weights));
        let whole = self.whole_terms.iter();
        let whole = whole.filter(|term| term.is_on(weights)).map(of_whole);
        let boards = self.boards.iter().filter_map(of_board);
        on.map(of_term).chain(whole).chain(boards).collect()
    }

    /// The contribution of a term to the value of the line at a place. This is the definition; the tables are
    /// computed for all lines at once.
    pub fn contribution(&self, term: &Term, place: LinePlace, line: u16, weights: &Weights) -> f64 {
        let line = if self.has_direction() {
            line
        } else {
            line.min(reversed(line, place.length))
        };
        let parameters = self.parameter_values(term, place, weights);
        let value = |number| {
            let weight = term.weight(number, place, weights);
            let setting = ExpressionInputs {
                index: place.index,
                length: place.length,
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

    /// True if rows and columns can have different values.
    pub fn is_by_axis(&self) -> bool {
        self.terms.iter().any(|term| term.lines.is_of_axis())
    }

    /// True if a line and its mirror image can have different values.
    pub(super) fn has_direction(&self) -> bool {
        self.anchored || self.is_by_axis()
    }

    /// The lines of a length that can have different values.
    pub(super) fn lines(&self, length: usize) -> &'static LineColumns {
        if self.has_direction() {
            LineColumns::all(length)
        } else {
            LineColumns::canonical(length)
        }
    }
}
