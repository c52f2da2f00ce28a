//! Compiles weights into the exact values of all lines: the sum of `weight * value`, in the order of the terms.

use std::sync::Arc;

use super::columns;
use super::definition::{Definition, Term};
use super::expression::ExpressionInputs;
use super::line_columns::by_length;
use super::line_set::LineSet;
use super::stored::CompactColumn;
use super::sums::{Summand, sums};
use crate::games::sliding::line_tables::{AxisValues, COLUMNS, LinePlace, LineValues, ROWS};
use crate::games::sliding::rows::unpack;
use crate::games::sliding::shape::Shape;
use crate::heuristic::OUTER;
use crate::heuristic::weights::Weights;

impl Definition {
    /// The exact values of all lines of a 4x4 board. A missing parameter has its default.
    pub fn line_values(&self, weights: &Weights) -> LineValues {
        if self.is_by_axis() {
            return self.line_values_on(Shape::STANDARD, weights);
        }
        if self.anchored {
            let rows = [0, 1, 2, 3].map(LinePlace::row);
            return LineValues::Anchored(self.tables(rows, weights));
        }
        if self.splits(weights) {
            let [outer, inner] = self.tables([0, 1].map(LinePlace::row), weights);
            let inner = Some(inner);
            return LineValues::Symmetric { outer, inner };
        }
        let [outer] = self.tables([LinePlace::row(0)], weights);
        let inner = None;
        LineValues::Symmetric { outer, inner }
    }

    /// The exact values of all lines of a board of any size.
    pub fn line_values_on(&self, shape: Shape, weights: &Weights) -> LineValues {
        if shape == Shape::STANDARD && !self.is_by_axis() {
            return self.line_values(weights);
        }
        let axis = |axis| self.axis_values(LinePlace::of_axis(shape, axis), weights);
        let rows = axis(ROWS);
        // The lines of a square are the same unless rows and columns differ.
        let are_same = shape.rows() == shape.columns() && !self.is_by_axis();
        let columns = if are_same {
            rows.clone()
        } else {
            axis(COLUMNS)
        };
        LineValues::ByAxis([rows, columns])
    }

    /// The exact values of all lines at these places, which are all parallel lines of a board.
    fn axis_values(
        &self,
        places: impl Iterator<Item = LinePlace>,
        weights: &Weights,
    ) -> AxisValues {
        let splits = self.splits(weights);
        // The place whose table a line has.
        let owner = |place: &LinePlace| {
            if self.has_direction() {
                place.index
            } else {
                usize::from(splits && !place.is_outer)
            }
        };
        let mut axis = AxisValues::default();
        for place in places {
            if owner(&place) == place.index {
                let [table] = self.tables([place], weights);
                axis.tables.push(table);
            }
            axis.by_place[place.index] = Some(owner(&place));
        }
        axis
    }

    /// The exact values of all lines, for each of the given places of a line. The places have the same length.
    fn tables<const N: usize>(&self, places: [LinePlace; N], weights: &Weights) -> [Vec<f64>; N] {
        let lines = self.lines(places[0].length);
        let summands = self.summands(places, weights).into_iter();
        let summands: Vec<Summand<N>> = summands.map(|(_, summand)| summand).collect();
        let sums = sums(&summands, lines.indices.len());
        if self.has_direction() {
            return sums;
        }
        sums.map(|sums| {
            let value = |&place: &u16| sums[usize::from(place)];
            lines.places[..lines.number_of_all()]
                .iter()
                .map(value)
                .collect()
        })
    }

    /// True if outer and inner lines can have different values.
    fn splits(&self, weights: &Weights) -> bool {
        let [first, second] = [0, 1].map(LinePlace::row);
        let apart = |term: &Term| term.lines.includes(first) != term.lines.includes(second);
        self.terms.iter().any(apart) || weights.iter().any(|(key, _)| key.ends_with(OUTER))
    }

    /// The terms and their summands for the given places of a line. A term with weight 0 is left out, even if
    /// its value is not finite.
    fn summands<const N: usize>(
        &self,
        places: [LinePlace; N],
        weights: &Weights,
    ) -> Vec<(&Term, Summand<N>)> {
        let mut summands = Vec::new();
        for term in &self.terms {
            let parameters = places.map(|place| {
                if term.is_linear() {
                    Vec::new()
                } else {
                    self.parameter_values(term, place, weights)
                }
            });
            for number in 0..term.selector.count() {
                let mut weights = places.map(|place| term.weight(number, place, weights));
                if weights.iter().all(|&weight| weight == 0.0) {
                    continue;
                }
                let columns = self.columns(term, number, places, weights, &parameters);
                // Adding 0 never changes a sum, because no sum is -0.
                for (weight, column) in weights.iter_mut().zip(&columns) {
                    *weight = if column.is_zero() { 0.0 } else { *weight };
                }
                summands.push((term, Summand { columns, weights }));
            }
        }
        summands
    }

    /// The column of a term for each of the given places of a line. It is empty where the weight is 0. Equal
    /// columns are shared.
    pub(super) fn columns<const N: usize>(
        &self,
        term: &Term,
        number: usize,
        places: [LinePlace; N],
        weights: [f64; N],
        parameters: &[Vec<f64>; N],
    ) -> [Arc<CompactColumn>; N] {
        let nothing = Arc::new(CompactColumn::Many(Vec::new()));
        let mut columns: [Arc<CompactColumn>; N] = std::array::from_fn(|_| Arc::clone(&nothing));
        let index = |table: usize| {
            if term.value.reads_index {
                places[table].index
            } else {
                0
            }
        };
        for table in (0..N).filter(|&table| weights[table] != 0.0) {
            let same = (0..table).find(|&before| {
                weights[before] != 0.0
                    && index(before) == index(table)
                    && bits(&parameters[before]) == bits(&parameters[table])
            });
            columns[table] = match same {
                Some(before) => Arc::clone(&columns[before]),
                None if term.is_linear() => {
                    let at = term.places() * number + index(table);
                    Arc::clone(&self.linear_columns(term, places[table].length)[at])
                }
                None => {
                    let place = places[table];
                    let setting = setting(term, number, place, &parameters[table]);
                    let lines = self.lines(place.length);
                    Arc::new(columns::stored(lines, &term.value, &setting))
                }
            };
        }
        columns
    }

    /// The columns of a linear term on lines of a length, by weight and by place of the line. They are computed
    /// once and cached.
    fn linear_columns<'a>(&self, term: &'a Term, length: usize) -> &'a [Arc<CompactColumn>] {
        term.columns[by_length(length)].get_or_init(|| {
            let places = term.places();
            let column = |at| {
                let place = LinePlace {
                    length,
                    ..LinePlace::row(at % places)
                };
                let setting = setting(term, at / places, place, &[]);
                columns::column(self.lines(length), &term.value, &setting)
            };
            let count = term.selector.count() * places;
            (0..count)
                .map(|at| Arc::new(CompactColumn::new(column(at))))
                .collect()
        })
    }

    /// The error message for the first term that is not finite on some line with these weights. The message
    /// contains the term, the line and the value.
    pub fn not_finite(&self, shape: Shape, weights: &Weights) -> Option<String> {
        LinePlace::all(shape).find_map(|place| self.not_finite_at(place, weights))
    }

    fn not_finite_at(&self, place: LinePlace, weights: &Weights) -> Option<String> {
        self.summands([place], weights)
            .into_iter()
            .find_map(|(term, summand)| {
                let ([weight], [column]) = (summand.weights, summand.columns);
                let value = |number| weight * column.value(number);
                let mut numbers = 0..self.lines(place.length).indices.len();
                let number = numbers.find(|&number| !value(number).is_finite());
                let number = number.filter(|_| weight != 0.0)?;
                Some(self.message(term, place, number, value(number)))
            })
    }

    /// The error message for a term with a value that is not finite on the line of this number.
    fn message(&self, term: &Term, place: LinePlace, number: usize, value: f64) -> String {
        let line = unpack(self.lines(place.length).indices[number]);
        let line = &line[..place.length];
        let index = place.index;
        let kind = match term.lines {
            LineSet::Rows => format!("row {index}"),
            LineSet::Columns => format!("column {index}"),
            _ if self.anchored => format!("line {index}"),
            _ if place.is_outer => "an outer line".to_owned(),
            _ => "an inner line".to_owned(),
        };
        let name = &term.name;
        format!(
            "the term `{name}` is {value} on {kind} of ranks {line:?}: it must be finite on every line"
        )
    }
}

/// The evaluation setting of one column of a term.
fn setting<'a>(
    term: &'a Term,
    weight: usize,
    place: LinePlace,
    parameters: &'a [f64],
) -> ExpressionInputs<'a> {
    ExpressionInputs {
        index: place.index,
        length: place.length,
        parameters,
        selector: &term.selector,
        weight,
    }
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}
