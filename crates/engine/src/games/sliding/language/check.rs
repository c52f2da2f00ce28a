//! Checks of a heuristic that need more than its text: the cost of an evaluation, and the values on all lines.
//! Values must be finite and, unless the heuristic is anchored, equal for a line and its mirror image.

use super::columns::column;
use super::definition::{Definition, Term};
use super::expression::Setting;
use super::fields::Fields;
use super::lines::LineColumns;
use crate::field_error::FieldError;
use crate::games::sliding::rows::{reverse, unpack};
use crate::heuristic::weights::Weights;

/// Largest number of weights of line terms.
const MOST_WEIGHTS: usize = 400;
/// Largest number of steps for one line.
const MOST_STEPS: usize = 10_000;

/// Largest relative difference between the values of a line and its mirror image that counts as a rounding
/// error. It is relative to the largest value of the term.
const ROUNDING: f64 = 1e-9;

/// Checks that the number of weights and the number of steps for a line are within their limits.
pub fn cost(definition: &Definition, fields: &[Fields]) -> Result<(), FieldError> {
    let (mut steps, mut weights) = (0, 0);
    for (term, fields) in definition.terms.iter().zip(fields) {
        let columns = term.selector.count() * term.places();
        steps += term.value.steps * columns;
        weights += term.weights.len().max(columns);
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

/// Checks the values of all terms on all lines. Parameters have their default values.
pub fn values(definition: &Definition, fields: &[Fields]) -> Result<(), FieldError> {
    for (term, fields) in definition.terms.iter().zip(fields) {
        for index in (0..term.places()).filter(|&index| term.lines.includes(index)) {
            for weight in 0..term.selector.count() {
                let wrong = wrong_value(definition, term, index, weight);
                wrong.map_err(|message| fields.error("value", message))?;
            }
        }
    }
    Ok(())
}

fn wrong_value(
    definition: &Definition,
    term: &Term,
    index: usize,
    weight: usize,
) -> Result<(), String> {
    let parameters = definition.parameter_values(term, index, &Weights::default());
    let setting = Setting {
        index,
        parameters: &parameters,
        selector: &term.selector,
        weight,
    };
    let values = column(LineColumns::all(), &term.value, &setting);
    if let Some(line) = values.iter().position(|value| !value.is_finite()) {
        let value = values[line];
        let (line, name) = (unpack(line as u16), &term.name);
        return Err(format!(
            "the term `{name}` is {value} on the line of ranks {line:?}: it must be finite on every line"
        ));
    }
    if definition.anchored {
        return Ok(());
    }
    let largest = values
        .iter()
        .fold(0.0, |max: f64, value| max.max(value.abs()));
    let differs = |line: &u16| {
        let difference = values[usize::from(*line)] - values[usize::from(reverse(*line))];
        difference.abs() > ROUNDING * largest
    };
    let Some(line) = (0..=u16::MAX).find(differs) else {
        return Ok(());
    };
    let [value, mirrored] = [line, reverse(line)].map(|line| values[usize::from(line)]);
    Err(format!(
        "the term `{}` is {value} on the line of ranks {:?} and {mirrored} on its mirror image: both must be \
         equal unless the file has `lines = \"anchored\"`",
        term.name,
        unpack(line)
    ))
}
