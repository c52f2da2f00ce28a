//! Weights to the exact values of all lines: the sum of `weight * value` in the order of the terms.

use std::collections::HashMap;
use std::sync::Arc;

use super::columns;
use super::definition::{Definition, Term, is_outer};
use super::expression::Setting;
use super::stored::Stored;
use crate::games::sliding::line_tables::LineValues;
use crate::games::sliding::rows::unpack;
use crate::heuristic::OUTER;
use crate::heuristic::weights::Weights;

/// Lines that are added up together, so that the sums stay in the nearest cache.
const BLOCK: usize = 2048;

/// A column and its weight.
type Summand = (Arc<Stored>, f64);

/// Columns of terms with parameters, by term, weight, place of the line and bits of the parameters.
type Computed = HashMap<(usize, usize, usize, Vec<u64>), Arc<Stored>>;

impl Definition {
    /// The exact values of all lines. A parameter that the weights leave out has its default.
    pub fn line_values(&self, weights: &Weights) -> LineValues {
        let mut computed = Computed::new();
        let mut of_line = |index| self.sums(&self.summands(index, weights, &mut computed));
        if self.anchored {
            return LineValues::Anchored([0, 1, 2, 3].map(of_line));
        }
        LineValues::Symmetric {
            outer: of_line(0),
            inner: self.splits(weights).then(|| of_line(1)),
        }
    }

    /// Whether outer and inner lines may differ in value.
    fn splits(&self, weights: &Weights) -> bool {
        let apart = |term: &Term| term.lines.includes(0) != term.lines.includes(1);
        self.terms.iter().any(apart) || weights.iter().any(|(key, _)| key.ends_with(OUTER))
    }

    /// What is added up for the line at a place. A term of weight 0 has no effect, whatever its value.
    fn summands(&self, index: usize, weights: &Weights, computed: &mut Computed) -> Vec<Summand> {
        let mut summands = Vec::new();
        for (at, term) in self.terms.iter().enumerate() {
            for number in 0..term.selector.len() {
                let weight = term.weight(number, index, weights);
                if weight == 0.0 {
                    continue;
                }
                let place = if term.value.reads_index { index } else { 0 };
                let column = if term.is_linear() {
                    Arc::clone(&self.linear_columns(term)[term.places() * number + place])
                } else {
                    let parameters = self.parameter_values(term, index, weights);
                    let bits = parameters.iter().map(|value| value.to_bits()).collect();
                    let column = computed.entry((at, number, place, bits));
                    let new =
                        || Arc::new(Stored::Many(self.column(term, number, index, &parameters)));
                    Arc::clone(column.or_insert_with(new))
                };
                summands.push((column, weight));
            }
        }
        summands
    }

    /// The columns of a linear term, by weight and place of the line. They are computed once.
    fn linear_columns<'a>(&self, term: &'a Term) -> &'a [Arc<Stored>] {
        term.columns.get_or_init(|| {
            let places = term.places();
            let column = |at| self.column(term, at / places, at % places, &[]);
            let count = term.selector.len() * places;
            (0..count)
                .map(|at| Arc::new(Stored::new(column(at))))
                .collect()
        })
    }

    fn column(&self, term: &Term, weight: usize, index: usize, parameters: &[f64]) -> Vec<f64> {
        let setting = Setting {
            index,
            parameters,
            selector: &term.selector,
            weight,
        };
        columns::column(self.lines(), &term.value, &setting)
    }

    fn sums(&self, summands: &[Summand]) -> Vec<f64> {
        let lines = self.lines();
        let mut sums = vec![0.0; lines.indices.len()];
        for (number, sums) in sums.chunks_mut(BLOCK).enumerate() {
            for (column, weight) in summands {
                column.add(*weight, BLOCK * number, sums);
            }
        }
        if self.anchored {
            return sums;
        }
        lines
            .places
            .iter()
            .map(|&place| sums[usize::from(place)])
            .collect()
    }

    /// The first term that is not finite on some line under these weights: a message with the term,
    /// the line and the value.
    pub fn not_finite(&self, weights: &Weights) -> Option<String> {
        let mut computed = Computed::new();
        for index in if self.anchored { 0..4 } else { 0..2 } {
            let mut summands = self.summands(index, weights, &mut computed).into_iter();
            for term in &self.terms {
                for number in 0..term.selector.len() {
                    let weight = term.weight(number, index, weights);
                    if weight == 0.0 {
                        continue;
                    }
                    let column = summands.next().map(|(column, _)| column)?;
                    let values =
                        (0..self.lines().indices.len()).map(|place| weight * column.value(place));
                    let mut wrong = values.enumerate().filter(|(_, value)| !value.is_finite());
                    if let Some((place, value)) = wrong.next() {
                        return Some(self.message(term, index, place, value));
                    }
                }
            }
        }
        None
    }

    /// The message that a term has a value that is not finite.
    pub(super) fn message(&self, term: &Term, index: usize, place: usize, value: f64) -> String {
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
