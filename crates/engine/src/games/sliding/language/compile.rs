//! Compiles weights into the exact values of all lines: the sum of `weight * value`, in the order of the terms.

use std::sync::Arc;

use super::columns;
use super::definition::{Definition, Term, is_outer};
use super::expression::Setting;
use super::stored::CompactColumn;
use super::sums::{Summand, sums};
use crate::games::sliding::line_tables::LineValues;
use crate::games::sliding::rows::unpack;
use crate::heuristic::OUTER;
use crate::heuristic::weights::Weights;

impl Definition {
    /// The exact values of all lines. A missing parameter has its default.
    pub fn line_values(&self, weights: &Weights) -> LineValues {
        if self.anchored {
            return LineValues::Anchored(self.tables([0, 1, 2, 3], weights));
        }
        if self.splits(weights) {
            let [outer, inner] = self.tables([0, 1], weights);
            let inner = Some(inner);
            return LineValues::Symmetric { outer, inner };
        }
        let [outer] = self.tables([0], weights);
        let inner = None;
        LineValues::Symmetric { outer, inner }
    }

    /// The exact values of all lines, for each of the given places of a line.
    fn tables<const N: usize>(&self, indices: [usize; N], weights: &Weights) -> [Vec<f64>; N] {
        let lines = self.lines();
        let summands = self.summands(indices, weights).into_iter();
        let summands: Vec<Summand<N>> = summands.map(|(_, summand)| summand).collect();
        let sums = sums(&summands, lines.indices.len());
        if self.anchored {
            return sums;
        }
        sums.map(|sums| {
            let value = |&place: &u16| sums[usize::from(place)];
            lines.places.iter().map(value).collect()
        })
    }

    /// True if outer and inner lines can have different values.
    fn splits(&self, weights: &Weights) -> bool {
        let apart = |term: &Term| term.lines.includes(0) != term.lines.includes(1);
        self.terms.iter().any(apart) || weights.iter().any(|(key, _)| key.ends_with(OUTER))
    }

    /// The terms and their summands for the given places of a line. A term with weight 0 is left out, even if
    /// its value is not finite.
    fn summands<const N: usize>(
        &self,
        indices: [usize; N],
        weights: &Weights,
    ) -> Vec<(&Term, Summand<N>)> {
        let mut summands = Vec::new();
        for term in &self.terms {
            let parameters = indices.map(|index| {
                if term.is_linear() {
                    Vec::new()
                } else {
                    self.parameter_values(term, index, weights)
                }
            });
            for number in 0..term.selector.count() {
                let mut weights = indices.map(|index| term.weight(number, index, weights));
                if weights.iter().all(|&weight| weight == 0.0) {
                    continue;
                }
                let columns = self.columns(term, number, indices, weights, &parameters);
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
    fn columns<const N: usize>(
        &self,
        term: &Term,
        number: usize,
        indices: [usize; N],
        weights: [f64; N],
        parameters: &[Vec<f64>; N],
    ) -> [Arc<CompactColumn>; N] {
        let nothing = Arc::new(CompactColumn::Many(Vec::new()));
        let mut columns: [Arc<CompactColumn>; N] = std::array::from_fn(|_| Arc::clone(&nothing));
        let place = |table: usize| {
            if term.value.reads_index {
                indices[table]
            } else {
                0
            }
        };
        for table in (0..N).filter(|&table| weights[table] != 0.0) {
            let same = (0..table).find(|&before| {
                weights[before] != 0.0
                    && place(before) == place(table)
                    && bits(&parameters[before]) == bits(&parameters[table])
            });
            columns[table] = match same {
                Some(before) => Arc::clone(&columns[before]),
                None if term.is_linear() => {
                    let at = term.places() * number + place(table);
                    Arc::clone(&self.linear_columns(term)[at])
                }
                None => {
                    let setting = setting(term, number, indices[table], &parameters[table]);
                    Arc::new(columns::stored(self.lines(), &term.value, &setting))
                }
            };
        }
        columns
    }

    /// The columns of a linear term, by weight and by place of the line. They are computed once and cached.
    fn linear_columns<'a>(&self, term: &'a Term) -> &'a [Arc<CompactColumn>] {
        term.columns.get_or_init(|| {
            let places = term.places();
            let column = |at| {
                let setting = setting(term, at / places, at % places, &[]);
                columns::column(self.lines(), &term.value, &setting)
            };
            let count = term.selector.count() * places;
            (0..count)
                .map(|at| Arc::new(CompactColumn::new(column(at))))
                .collect()
        })
    }

    /// The error message for the first term that is not finite on some line with these weights. The message
    /// contains the term, the line and the value.
    pub fn not_finite(&self, weights: &Weights) -> Option<String> {
        for (term, summand) in self.summands([0, 1, 2, 3], weights) {
            for (index, column) in summand.columns.iter().enumerate() {
                let weight = summand.weights[index];
                let value = |place| weight * column.value(place);
                let mut places = 0..self.lines().indices.len();
                if weight != 0.0
                    && let Some(place) = places.find(|&place| !value(place).is_finite())
                {
                    return Some(self.message(term, index, place, value(place)));
                }
            }
        }
        None
    }

    /// The error message for a term with a value that is not finite.
    fn message(&self, term: &Term, index: usize, place: usize, value: f64) -> String {
        let line = unpack(self.lines().indices[place]);
        let kind = match (self.anchored, is_outer(index)) {
            (true, _) => format!("line {index}"),
            (false, true) => "an outer line".to_owned(),
            (false, false) => "an inner line".to_owned(),
        };
        let name = &term.name;
        format!(
            "the term `{name}` is {value} on {kind} of ranks {line:?}: it must be finite on every line"
        )
    }
}

/// The evaluation setting of one column of a term.
fn setting<'a>(term: &'a Term, weight: usize, index: usize, parameters: &'a [f64]) -> Setting<'a> {
    Setting {
        index,
        parameters,
        selector: &term.selector,
        weight,
    }
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}
