//! Terms of the whole board: an expression of named sums, largest and smallest values of lines.

use std::sync::{Arc, OnceLock};

use super::expression::{Expression, ExpressionInputs, Fold, Selector};
use super::lane::Lane;
use super::line_columns::ByLength;
use super::line_set::{LineSet, Number};
use super::stored::CompactColumn;
use crate::games::sliding::board::Board;
use crate::games::sliding::line_tables::LinePlace;
use crate::games::sliding::rows::unpack;
use crate::games::sliding::shape::Shape;
use crate::heuristic::weights::Weights;

/// A term of the whole board.
pub struct WholeTerm {
    /// Name of the term. It is the key of the weight if there is only one.
    pub name: String,
    /// One sentence: what it measures.
    pub doc: String,
    /// Its weights, in the order of their keys.
    pub weights: Vec<Number>,
    /// The meaning of the weights: one weight, or one for each knot, value or cell of a matrix.
    pub selector: Selector,
    /// Parameters of its expressions.
    pub parameters: Vec<Number>,
    pub(super) folds: Vec<LineFold>,
    /// The expression. Its parameters are the folds, then those of the term, then those of the file.
    pub(super) value: Expression,
    /// True if the weights apply to the values of lines and not to the expression, as those of a matrix.
    pub(super) weighs_lines: bool,
    /// The sums and the expression on boards where they are other ones than on 4x4: the images of a matrix.
    pub(super) on_smaller: Vec<(Shape, Parts)>,
}

/// The sums of a term and its expression of them.
pub(super) struct Parts {
    pub folds: Vec<LineFold>,
    pub value: Expression,
}

/// A value over lines: a sum, the largest or the smallest value.
pub(super) struct LineFold {
    /// Its name in the expression of the term.
    pub name: String,
    /// How the values of the lines are combined.
    pub fold: Fold,
    /// The lines over which it runs.
    pub lines: LineSet,
    /// The value of a line. Its parameters are those of the term, then those of the file.
    pub value: Expression,
    /// The values of all lines by weight and by place, if they do not depend on parameters.
    pub columns: ByLength<Vec<Arc<CompactColumn>>>,
    /// The lane on 4x4 boards, if it does not depend on weights and parameters.
    pub lane: OnceLock<Arc<Lane>>,
}

impl LineFold {
    /// Number of places whose lines can have different values: 1 or 4.
    pub fn places(&self) -> usize {
        if self.value.reads_index { 4 } else { 1 }
    }
}

impl WholeTerm {
    /// The value of a weight.
    pub(super) fn weight(&self, number: usize, weights: &Weights) -> f64 {
        let parameter = &self.weights[number].parameter;
        weights.get(&parameter.key).unwrap_or(parameter.default)
    }

    /// True if at least one weight is not 0.
    pub fn is_on(&self, weights: &Weights) -> bool {
        (0..self.weights.len()).any(|number| self.weight(number, weights) != 0.0)
    }

    /// The sums and the expression on a board.
    pub(super) fn parts_on(&self, shape: Shape) -> (&[LineFold], &Expression) {
        let mut smaller = self.on_smaller.iter();
        match smaller.find(|(of, _)| *of == shape) {
            Some((_, parts)) => (&parts.folds, &parts.value),
            None => (&self.folds, &self.value),
        }
    }

    /// The contribution to the value of a board. This is the definition. `parameters` are the values of the parameters
    /// of the term and of the file.
    pub(super) fn contribution(
        &self,
        shape: Shape,
        board: Board,
        weights: &Weights,
        parameters: &[f64],
    ) -> f64 {
        let (folds, value) = self.parts_on(shape);
        let folded = folds
            .iter()
            .map(|fold| self.folded(fold, (shape, board), weights, parameters));
        let names: Vec<f64> = folded.chain(parameters.iter().copied()).collect();
        if self.weighs_lines {
            return value.value([0; 4], &self.setting(0, LinePlace::row(0), &names));
        }
        let weighted = |number| match self.weight(number, weights) {
            0.0 => 0.0,
            weight => {
                weight * value.value([0; 4], &self.setting(number, LinePlace::row(0), &names))
            }
        };
        (0..self.selector.count()).map(weighted).sum()
    }

    /// The value of one of the sums, largest or smallest values.
    fn folded(
        &self,
        fold: &LineFold,
        (shape, board): (Shape, Board),
        weights: &Weights,
        parameters: &[f64],
    ) -> f64 {
        let boards = [board, board.transpose()];
        let values = LinePlace::all(shape)
            .filter(|&place| fold.lines.includes(place))
            .map(|place| {
                let line = unpack(boards[place.axis].row(place.index));
                let value = |number| {
                    let setting = self.setting(number, place, parameters);
                    fold.value.value(line, &setting)
                };
                if !self.weighs_lines {
                    return value(0);
                }
                let weighted =
                    (0..self.selector.count()).map(|number| match self.weight(number, weights) {
                        0.0 => 0.0,
                        weight => weight * value(number),
                    });
                weighted.sum()
            });
        values
            .reduce(|so_far, value| fold.fold.joined(so_far, value))
            .unwrap_or(0.0)
    }

    /// The setting of an evaluation.
    pub(super) fn setting<'a>(
        &'a self,
        number: usize,
        place: LinePlace,
        parameters: &'a [f64],
    ) -> ExpressionInputs<'a> {
        ExpressionInputs {
            index: place.index,
            length: place.length,
            parameters,
            selector: &self.selector,
            weight: number,
        }
    }
}
