//! Checks of a heuristic that need more than its text: the cost of an evaluation, and the values on all lines.
//! Values must be finite and, unless the heuristic is anchored, equal for a line and its mirror image.

use super::columns::column;
use super::definition::{Definition, Term};
use super::expression::{Expression, ExpressionInputs, SLOTS};
use super::fields::Fields;
use super::line_columns::{LineColumns, by_length};
use super::read_whole::fold_key;
use crate::field_error::FieldError;
use crate::games::sliding::line_tables::{COLUMNS, LinePlace, ROWS};
use crate::games::sliding::rows::{reversed, unpack};
use crate::games::sliding::shape::Shape;
use crate::heuristic::weights::Weights;

/// Largest number of weights of line terms.
const MOST_WEIGHTS: usize = 400;
/// Largest number of steps for one line.
const MOST_STEPS: usize = 10_000;

/// Largest relative difference between the values of a line and its mirror image that counts as a rounding
/// error. It is relative to the largest value of the term.
const ROUNDING: f64 = 1e-9;

/// Checks that the number of weights and the number of steps for a line are within their limits.
pub fn cost(
    definition: &Definition,
    fields: &[Fields],
    whole: &[&Fields],
) -> Result<(), FieldError> {
    let of_lines = definition.terms.iter().map(|term| {
        let columns = term.selector.count() * term.places();
        (term.value.steps * columns, term.weights.len().max(columns))
    });
    let of_board = definition.whole_terms.iter().map(|term| {
        let columns = if term.weighs_lines {
            term.selector.count()
        } else {
            1
        };
        let steps = (term.folds.iter()).map(|fold| fold.value.steps * fold.places() * columns);
        (steps.sum(), term.weights.len())
    });
    let fields = fields.iter().chain(whole.iter().copied());
    let (mut steps, mut weights) = (0, 0);
    for ((steps_of_term, weights_of_term), fields) in of_lines.chain(of_board).zip(fields) {
        steps += steps_of_term;
        weights += weights_of_term;
        if weights > MOST_WEIGHTS {
            let message = format!(
                "with this term the heuristic has {weights} weights: at most {MOST_WEIGHTS}"
            );
            return Err(fields.error("name", message));
        }
        if steps > MOST_STEPS {
            let message = format!(
                "with this term the heuristic needs {steps} steps for a line: at most {MOST_STEPS} (an \
                 operation is a step, a power 20; a fold takes its steps for each element, a term for each \
                 weight)"
            );
            return Err(fields.error("value", message));
        }
    }
    Ok(())
}

/// Checks the values of all terms on all lines of four cells. Parameters have their default values.
pub fn values(definition: &Definition, fields: &[Fields]) -> Result<(), FieldError> {
    for (term, fields) in definition.terms.iter().zip(fields) {
        let wrong = values_of(definition, term, 4);
        wrong.map_err(|message| fields.error("value", message))?;
    }
    Ok(())
}

/// Checks the values of a term on all lines of `length` cells.
fn values_of(definition: &Definition, term: &Term, length: usize) -> Result<(), String> {
    let all = [ROWS, COLUMNS].into_iter().flat_map(|axis| {
        (0..4).map(move |index| LinePlace {
            axis,
            length,
            ..LinePlace::row(index)
        })
    });
    let mut places: Vec<LinePlace> = all.filter(|&place| term.lines.includes(place)).collect();
    // Rows and columns of a place have the same values, and all places if the term does not read them.
    places.sort_by_key(|place| place.index);
    places.dedup_by_key(|place| place.index);
    places.truncate(term.places());
    for place in places {
        for weight in 0..term.selector.count() {
            wrong_value(definition, term, place, weight)?;
        }
    }
    Ok(())
}

impl Definition {
    /// Checks that the terms have a meaning on the lines of a board: they read only cells that these have, their
    /// values are finite and, unless the heuristic is anchored, equal for a line and its mirror image.
    ///
    /// # Errors
    /// The first term without a meaning. The path is that of its expression in the file.
    pub fn fits(&self, shape: Shape) -> Result<(), FieldError> {
        // Lines of four cells are checked when the file is read.
        let lengths = [shape.columns(), shape.rows()].into_iter();
        for length in lengths.filter(|&length| length < 4) {
            let fits = self.fits[by_length(length)].get_or_init(|| self.check_length(length));
            if let Err(error) = fits {
                let message = format!("on a board of {shape} {}", error.message);
                return Err(FieldError {
                    message,
                    ..error.clone()
                });
            }
        }
        Ok(())
    }

    fn check_length(&self, length: usize) -> Result<(), FieldError> {
        for term in &self.terms {
            let checked = reads_only(&term.name, &term.value, length);
            let checked = checked.and_then(|()| values_of(self, term, length));
            checked.map_err(|message| self.error_in(&term.name, &["value"], message))?;
        }
        for term in &self.whole_terms {
            for fold in &term.folds {
                let place = [fold_key(fold.fold), &fold.name, "value"];
                let checked = reads_only(&term.name, &fold.value, length);
                checked.map_err(|message| self.error_in(&term.name, &place, message))?;
            }
        }
        Ok(())
    }

    /// An error in a term of the file.
    fn error_in(&self, term: &str, place: &[&str], message: String) -> FieldError {
        let terms = |kind| self.table.get(kind).and_then(toml::Value::as_array);
        let is_it =
            |table: &toml::Value| table.get("name").and_then(toml::Value::as_str) == Some(term);
        let found = ["term", "board_term"].into_iter().find_map(|kind| {
            let index = terms(kind)?.iter().position(is_it)?;
            Some([kind.to_owned(), index.to_string()])
        });
        let place = place.iter().map(|key| (*key).to_owned());
        FieldError::new(found.into_iter().flatten().chain(place), message)
    }
}

/// Checks that an expression reads no cell that lines of `length` cells do not have.
fn reads_only(term: &str, value: &Expression, length: usize) -> Result<(), String> {
    let reads = |cell: &usize| value.inputs >> (SLOTS + cell) & 1 == 1;
    match (length..4).find(reads) {
        None => Ok(()),
        Some(cell) => Err(format!(
            "the term `{term}` has no meaning: it reads cell({cell}), and some lines have only the cells 0 to {}; \
             `cell(last)` is the last cell of any line",
            length - 1
        )),
    }
}

/// Checks the values over lines of all terms of the whole board, and that the terms are finite on every board of 4x4
/// cells. Weights and parameters have their default values; a weight of 0 counts as 1.
pub fn whole_values(definition: &Definition, fields: &[&Fields]) -> Result<(), FieldError> {
    for (term, fields) in definition.whole_terms.iter().zip(fields) {
        let parameters = definition.whole_parameters(term, &Weights::default());
        let mut all_finite = term.folds.iter().flat_map(|fold| {
            let numbers = if term.weighs_lines {
                term.selector.count()
            } else {
                1
            };
            let settings = (0..numbers * fold.places()).map(|at| {
                let place = LinePlace::row(at % fold.places());
                term.setting(at / fold.places(), place, &parameters)
            });
            settings.map(move |setting| {
                let values = column(LineColumns::all(4), &fold.value, &setting);
                let wrong = values.iter().position(|value| !value.is_finite());
                wrong.map(|line| (&fold.name, unpack(line as u16), values[line]))
            })
        });
        if let Some((name, line, value)) = all_finite.find_map(|wrong| wrong) {
            let message = format!(
                "`{name}` is {value} on the line of ranks {line:?}: it must be finite on every line"
            );
            return Err(fields.error("value", message));
        }
        let all = term
            .weights
            .iter()
            .filter(|number| number.parameter.default == 0.0);
        let all = all.map(|number| (number.parameter.key.as_str(), 1.0));
        let weights = Weights::default().with(all, definition.parameters());
        let weights = weights.map_err(|error| fields.error("weight", error.to_string()))?;
        let checked = definition.whole_values_of([term], Shape::STANDARD, &weights);
        let checked = checked.and_then(|values| values.steps(1.0, &vec![0; values.lanes().len()]));
        checked.map_err(|message| fields.error("value", message))?;
    }
    let Some(last) = fields.last() else {
        return Ok(());
    };
    let together = definition.whole_values_of(
        &definition.whole_terms,
        Shape::STANDARD,
        &Weights::default(),
    );
    together.map_err(|message| last.error("name", message))?;
    Ok(())
}

fn wrong_value(
    definition: &Definition,
    term: &Term,
    place: LinePlace,
    weight: usize,
) -> Result<(), String> {
    let parameters = definition.parameter_values(term, place, &Weights::default());
    let length = place.length;
    let setting = ExpressionInputs {
        index: place.index,
        length,
        parameters: &parameters,
        selector: &term.selector,
        weight,
    };
    let values = column(LineColumns::all(length), &term.value, &setting);
    if let Some(line) = values.iter().position(|value| !value.is_finite()) {
        let value = values[line];
        let (line, name) = (unpack(line as u16), &term.name);
        let line = &line[..length];
        return Err(format!(
            "the term `{name}` is {value} on the line of ranks {line:?}: it must be finite on every line"
        ));
    }
    if definition.anchored || term.lines.is_of_axis() {
        return Ok(());
    }
    let largest = values
        .iter()
        .fold(0.0, |max: f64, value| max.max(value.abs()));
    let differs = |line: &u16| {
        let mirrored = reversed(*line, length);
        let difference = values[usize::from(*line)] - values[usize::from(mirrored)];
        difference.abs() > ROUNDING * largest
    };
    let Some(line) = (0..values.len()).map(|line| line as u16).find(differs) else {
        return Ok(());
    };
    let both = [line, reversed(line, length)];
    let [value, mirrored] = both.map(|line| values[usize::from(line)]);
    Err(format!(
        "the term `{}` is {value} on the line of ranks {:?} and {mirrored} on its mirror image: both must be \
         equal unless the file has `lines = \"anchored\"`, or the term `lines = \"rows\"` or `\"columns\"`",
        term.name,
        &unpack(line)[..length]
    ))
}
