//! Compiles the terms of the whole board of a [`Definition`] with weights: tables of the values of lines, and what the
//! expressions compute from them.

use std::sync::Arc;

use super::columns;
use super::definition::Definition;
use super::expression::{Expression, Selector};
use super::interval::{Input, Interval, interval};
use super::lane::{ExactTables, Lane};
use super::line_columns::{LineColumns, by_length};
use super::step_compiler::{LaneFormat, Name, Weighted, compiled};
use super::steps::Steps;
use super::stored::CompactColumn;
use super::sums::{Summand, sums};
use super::whole_term::{LineFold, WholeTerm};
use crate::games::sliding::line_tables::LinePlace;
use crate::games::sliding::rows::LINES;
use crate::games::sliding::shape::Shape;
use crate::heuristic::weights::Weights;

/// Largest number of different sums of all terms.
pub const MOST_SUMS: usize = 15;
/// Largest number of different largest and smallest values of all terms.
pub const MOST_EXTREMES: usize = 8;

/// The terms of the whole board that are in use.
pub struct WholeValues {
    lanes: Vec<Arc<Lane>>,
    terms: Vec<UsedTerm>,
}

/// A term in use, with what its names stand for.
struct UsedTerm {
    expression: Expression,
    selector: Selector,
    /// The weights by number, without those that are 0.
    weights: Vec<(usize, f64)>,
    names: Vec<Name>,
    /// Bounds of the expression.
    bounds: Interval,
}

impl Definition {
    /// The terms of the whole board whose weights are not 0; `None` if there are none. A missing parameter has its
    /// default.
    ///
    /// # Errors
    /// If a value is not finite on some line, or may not be finite on some board.
    pub fn whole_values(
        &self,
        shape: Shape,
        weights: &Weights,
    ) -> Result<Option<WholeValues>, String> {
        let on = self.whole_terms.iter();
        let on = on.filter(|term| term.is_on(weights));
        let values = self.whole_values_of(on, shape, weights)?;
        Ok((!values.terms.is_empty()).then_some(values))
    }

    /// Some of the terms of the whole board.
    ///
    /// # Errors
    /// As [`Definition::whole_values`].
    pub(super) fn whole_values_of<'a>(
        &self,
        terms: impl IntoIterator<Item = &'a WholeTerm>,
        shape: Shape,
        weights: &Weights,
    ) -> Result<WholeValues, String> {
        let mut values = WholeValues {
            lanes: Vec::new(),
            terms: Vec::new(),
        };
        for term in terms {
            let parameters = self.whole_parameters(term, weights);
            let added = values.add(term, shape, weights, &parameters);
            added.map_err(|message| format!("the term `{}`: {message}", term.name))?;
        }
        let extremes = values.lanes.iter().filter(|lane| lane.is_extreme).count();
        let sums = values.lanes.len() - extremes;
        for (count, most, of) in [
            (sums, MOST_SUMS, "sums"),
            (extremes, MOST_EXTREMES, "maxima and minima"),
        ] {
            if count > most {
                return Err(format!(
                    "the terms of the whole board have {count} different {of}: at most {most}"
                ));
            }
        }
        Ok(values)
    }
}

impl WholeValues {
    /// Sums, largest and smallest values of lines.
    pub fn lanes(&self) -> &[Arc<Lane>] {
        &self.lanes
    }

    /// An upper bound on the absolute value of all terms together.
    pub fn largest(&self) -> f64 {
        let of_term = |term: &UsedTerm| {
            let weights = term.weights.iter();
            weights
                .map(|(_, weight)| weight.abs() * term.bounds.largest())
                .sum::<f64>()
        };
        self.terms.iter().map(of_term).sum()
    }

    /// The steps that compute all terms together, multiplied by `scale`. They read the lanes by their slots.
    ///
    /// # Errors
    /// If an expression needs too many registers.
    pub fn steps(&self, scale: f64, slots: &[usize]) -> Result<Steps, String> {
        let mut weighted = Vec::new();
        for term in &self.terms {
            weighted.extend(term.weights.iter().map(|&(number, weight)| Weighted {
                expression: &term.expression,
                weight: weight * scale,
                names: &term.names,
                selector: &term.selector,
                number,
            }));
        }
        let formats = self.lanes.iter().zip(slots);
        let formats = formats.map(|(lane, &slot)| LaneFormat {
            slot,
            ..lane.format
        });
        compiled(&weighted, &formats.collect::<Vec<_>>())
    }

    fn add(
        &mut self,
        term: &WholeTerm,
        shape: Shape,
        weights: &Weights,
        parameters: &[f64],
    ) -> Result<(), String> {
        let mut names = Vec::new();
        let (folds, value) = term.parts_on(shape);
        for fold in folds {
            let lane = lane(term, fold, shape, weights, parameters);
            let lane = lane.map_err(|message| format!("`{}` {message}", fold.name))?;
            names.push(Name::Lane(self.number_of(lane)));
        }
        names.extend(parameters.iter().map(|&number| Name::Number(number)));
        let inputs: Vec<Input> = names.iter().map(|name| self.input(*name)).collect();
        let bounds = interval(value, &inputs, &term.selector)?;
        let used = if term.weighs_lines {
            vec![(0, 1.0)]
        } else {
            let all =
                (0..term.selector.count()).map(|number| (number, term.weight(number, weights)));
            all.filter(|(_, weight)| *weight != 0.0).collect()
        };
        self.terms.push(UsedTerm {
            expression: value.clone(),
            // The weights of a matrix are in the values of the lines.
            selector: if term.weighs_lines {
                Selector::One
            } else {
                term.selector.clone()
            },
            weights: used,
            names,
            bounds,
        });
        Ok(())
    }

    /// The bounds of what a name stands for.
    fn input(&self, name: Name) -> Input {
        match name {
            Name::Number(number) => Input {
                interval: Interval::of(number),
                step: 0.0,
            },
            Name::Lane(lane) => {
                let LaneFormat {
                    unit, first, last, ..
                } = self.lanes[lane].format;
                let ends = [first, last].map(|stored| f64::from(stored) * unit);
                Input {
                    interval: Interval {
                        low: ends[0].min(ends[1]),
                        high: ends[0].max(ends[1]),
                    },
                    step: unit.abs(),
                }
            }
        }
    }

    /// The number of a lane: that of an existing one with equal values, or a new one.
    fn number_of(&mut self, lane: Arc<Lane>) -> usize {
        let mut known = self.lanes.iter();
        let known = known.position(|known| Arc::ptr_eq(known, &lane) || known.equals(&lane));
        known.unwrap_or_else(|| {
            self.lanes.push(lane);
            self.lanes.len() - 1
        })
    }
}

/// The lane of a sum, largest or smallest value. It is computed once if it does not depend on weights.
fn lane(
    term: &WholeTerm,
    fold: &LineFold,
    shape: Shape,
    weights: &Weights,
    parameters: &[f64],
) -> Result<Arc<Lane>, String> {
    let is_standard = shape == Shape::STANDARD;
    if is_standard && let Some(lane) = fold.lane.get() {
        return Ok(Arc::clone(lane));
    }
    let exact = exact_values(term, fold, shape, weights, parameters);
    let lane = Arc::new(Lane::new(fold.fold, &exact)?);
    if is_standard && fold.value.parameters == 0 && !term.weighs_lines {
        return Ok(Arc::clone(fold.lane.get_or_init(|| lane)));
    }
    Ok(lane)
}

/// The values of a sum, largest or smallest value on all lines, by place. Places with equal values share them.
fn exact_values(
    term: &WholeTerm,
    fold: &LineFold,
    shape: Shape,
    weights: &Weights,
    parameters: &[f64],
) -> ExactTables {
    let mut tables = ExactTables::default();
    let mut known: Vec<(LinePlace, Arc<Vec<f64>>)> = Vec::new();
    for place in LinePlace::all(shape).filter(|&place| fold.lines.includes(place)) {
        let is_same = |(other, _): &&(LinePlace, _)| {
            other.length == place.length && (fold.places() == 1 || other.index == place.index)
        };
        let values = known
            .iter()
            .find(is_same)
            .map(|(_, values)| Arc::clone(values));
        let values = values.unwrap_or_else(|| {
            let values = Arc::new(values_at(term, fold, place, weights, parameters));
            known.push((place, Arc::clone(&values)));
            values
        });
        tables[place.axis][place.index] = Some(values);
    }
    tables
}

/// The values on all lines at a place; longer lines have that of the empty line.
pub(super) fn values_at(
    term: &WholeTerm,
    fold: &LineFold,
    place: LinePlace,
    weights: &Weights,
    parameters: &[f64],
) -> Vec<f64> {
    let lines = LineColumns::all(place.length);
    let count = if term.weighs_lines {
        term.selector.count()
    } else {
        1
    };
    let is_constant = fold.value.parameters == 0;
    let column = |number: usize, index: usize| {
        let setting = term.setting(number, LinePlace { index, ..place }, parameters);
        Arc::new(columns::stored(lines, &fold.value, &setting))
    };
    let of_number = |number: usize| -> Arc<CompactColumn> {
        if !is_constant {
            return column(number, place.index);
        }
        let places = fold.places();
        let cached = fold.columns[by_length(place.length)].get_or_init(|| {
            (0..count * places)
                .map(|at| column(at / places, at % places))
                .collect()
        });
        Arc::clone(&cached[number * places + place.index.min(places - 1)])
    };
    let summands = (0..count).map(|number| {
        let weight = if term.weighs_lines {
            term.weight(number, weights)
        } else {
            1.0
        };
        let column = of_number(number);
        let weight = if column.is_zero() { 0.0 } else { weight };
        Summand {
            columns: [column],
            weights: [weight],
        }
    });
    let summands: Vec<Summand<1>> = summands
        .filter(|summand| summand.weights[0] != 0.0)
        .collect();
    let [mut values] = sums(&summands, lines.indices.len());
    let of_empty_line = values[0];
    values.resize(LINES, of_empty_line);
    values
}
