//! Reads the terms of a file, and the parameters of terms.

use super::definition::{Definition, Term};
use super::expression::{Expression, Selector};
use super::fields::{Fields, finite};
use super::kinds::check_line_term;
use super::line_set::{LineSet, Number, line_suffix};
use super::matrix::Matrix;
use super::names::check_name;
use super::resolve::{MOST_PARAMETERS, Scope, resolve};
use super::vocabulary::is_reserved;
use crate::expression::{ExpressionError, Syntax, parse};
use crate::field_error::FieldError;
use crate::heuristic::{POWER, Parameter, Role, Scale, Short};

/// Largest allowed knot or table value.
const LARGEST_NUMBER: i64 = 1_000;

/// Reads a term.
pub fn term(fields: &Fields, definition: &Definition) -> Result<Term, FieldError> {
    check_line_term(fields)?;
    let name = fields.needed_text("name")?;
    check_name(name).map_err(|message| fields.error("name", message))?;
    let doc = fields.needed_text("doc")?;
    let matrix = Matrix::read(fields)?;
    let applies = lines(fields, matrix.as_ref())?;
    if applies == LineSet::Each && !definition.anchored {
        let message = "`each` needs `lines = \"anchored\"` at the top of the file";
        return Err(fields.error("lines", message));
    }
    let selector = selector(fields, matrix.as_ref())?;
    let keys = keys(name, doc, applies, &selector, matrix.as_ref());
    let weights = weights(fields, name, applies, keys, matrix.as_ref())?;
    let parameters = named(fields, Some(name), name, applies == LineSet::Every)?;
    let names = names(&parameters, definition);
    let known = Scope {
        parameters: &names,
        anchored: definition.anchored || applies.is_of_axis(),
        of_board: false,
        selector: &selector,
    };
    let value = value(fields, &known, parameters.len(), matrix.as_ref())?;
    Ok(Term {
        name: name.to_owned(),
        doc: doc.to_owned(),
        lines: applies,
        weights,
        selector,
        parameters,
        value,
        columns: Default::default(),
    })
}

/// The lines that a term applies to: the rows for a matrix.
pub fn lines(fields: &Fields, matrix: Option<&Matrix>) -> Result<LineSet, FieldError> {
    let given = fields.one_of("lines", &LineSet::ALL)?;
    match (matrix, given) {
        (None, given) => Ok(given.unwrap_or(LineSet::Every)),
        (Some(_), None) => Ok(LineSet::Rows),
        (Some(_), Some(_)) => {
            let message = "a `matrix` counts each cell once, in its row: leave `lines` out";
            Err(fields.error("lines", message))
        }
    }
}

/// The names of the parameters that a term can read: its own, then those of the file.
pub fn names(parameters: &[Number], definition: &Definition) -> Vec<String> {
    let all = parameters.iter().chain(&definition.shared);
    all.map(|number| number.name.clone()).collect()
}

/// Reads the knots or values of a term. The weights of a matrix are numbered.
pub fn selector(fields: &Fields, matrix: Option<&Matrix>) -> Result<Selector, FieldError> {
    let knots = fields.whole_numbers("knots")?;
    let values = fields.whole_numbers("table")?;
    if let Some(matrix) = matrix {
        if let Some(key) = ["knots", "table"]
            .into_iter()
            .find(|key| fields.value(key).is_some())
        {
            let message = format!("a term with a `matrix` has no `{key}`");
            return Err(fields.error(key, message));
        }
        return Ok(match matrix {
            Matrix::Numbers(_) => Selector::One,
            Matrix::Weights { names, .. } => {
                Selector::Values((0..names.len()).map(|number| number as f64).collect())
            }
        });
    }
    let (key, numbers) = match (knots, values) {
        (None, None) => return Ok(Selector::One),
        (Some(_), Some(_)) => {
            return Err(fields.error("table", "a term has either `knots` or a `table`"));
        }
        (Some(knots), None) => ("knots", knots),
        (None, Some(values)) => ("table", values),
    };
    let ascend = numbers.windows(2).all(|pair| pair[0] < pair[1]);
    let in_range = numbers
        .iter()
        .all(|number| (0..=LARGEST_NUMBER).contains(number));
    let least = if key == "knots" { 2 } else { 1 };
    if !ascend || !in_range || numbers.len() < least {
        let message = format!(
            "`{key}` needs {least} or more whole numbers from 0 to {LARGEST_NUMBER} that ascend"
        );
        return Err(fields.error(key, message));
    }
    let numbers = numbers.into_iter().map(|number| number as f64).collect();
    Ok(match key {
        "knots" => Selector::Knots(numbers),
        _ => Selector::Values(numbers),
    })
}

/// The keys of the weights of a term and what each measures: one, or one for each knot, value or name of the matrix.
/// With `lines = "each"` each of them becomes four, one for each place of a line.
pub fn keys(
    name: &str,
    doc: &str,
    applies: LineSet,
    selector: &Selector,
    matrix: Option<&Matrix>,
) -> Vec<(String, String)> {
    let numbered = |of: &str, numbers: &[f64]| {
        let key = |number| (format!("{name}_{number}"), format!("{doc}; {of} {number}"));
        numbers.iter().map(key).collect()
    };
    let keys: Vec<(String, String)> = match (matrix, selector) {
        (Some(Matrix::Weights { names, .. }), _) => {
            let key = |cell| (format!("{name}_{cell}"), format!("{doc}; {cell}"));
            names.iter().map(key).collect()
        }
        (_, Selector::One) => vec![(name.to_owned(), doc.to_owned())],
        (_, Selector::Knots(knots)) => numbered("knot", knots),
        (_, Selector::Values(values)) => numbered("value", values),
    };
    if applies != LineSet::Each {
        return keys;
    }
    let of_lines = |(key, doc): &(String, String)| {
        let of_line = |index| (line_suffix(index), format!("{doc}; line {index}"));
        [0, 1, 2, 3]
            .map(of_line)
            .map(|(suffix, doc)| (format!("{key}{suffix}"), doc))
    };
    keys.iter().flat_map(of_lines).collect()
}

/// Reads the weights of a term, which have these keys.
pub fn weights(
    fields: &Fields,
    name: &str,
    applies: LineSet,
    keys: Vec<(String, String)>,
    matrix: Option<&Matrix>,
) -> Result<Vec<Number>, FieldError> {
    let constant = fields.truth("constant")?.unwrap_or(false);
    let several = ["knots", "table", "matrix"];
    let several = several
        .into_iter()
        .find(|key| fields.value(key).is_some() && keys.len() > 1);
    if let (true, Some(several)) = (constant, several) {
        let message = format!("a constant has one weight, and no `{several}`");
        return Err(fields.error("constant", message));
    }
    let role = if constant {
        Role::Constant
    } else {
        Role::Weight
    };
    let Some(weight) = fields.table("weight")? else {
        let message =
            "`weight` is missing, as in weight = { default = 0.0, min = 0.0, max = 500.0 }";
        return Err(fields.error("weight", message));
    };
    weight.only(&["default", "min", "max", "scale"])?;
    let defaults = match matrix {
        Some(matrix) => matrix.defaults(&weight)?,
        None => weight.numbers("default", keys.len())?,
    };
    let defaults = defaults.unwrap_or(vec![0.0; keys.len()]);
    let parameters = keys.into_iter().zip(defaults).map(|((key, doc), default)| {
        let parameter = bounded(&weight, key, doc, role, default, Some(name))?;
        let splits = applies == LineSet::Every;
        Ok(Number {
            name: String::new(),
            parameter,
            splits,
        })
    });
    parameters.collect()
}

/// Reads the named parameters of a term, or the shared ones, in alphabetical order. `splits` says whether they may have
/// separate values for outer and inner lines.
pub fn named(
    fields: &Fields,
    term: Option<&str>,
    prefix: &str,
    splits: bool,
) -> Result<Vec<Number>, FieldError> {
    let Some(table) = fields.table("parameters")? else {
        return Ok(Vec::new());
    };
    let most = MOST_PARAMETERS / 2;
    if table.keys().len() > most {
        return Err(fields.error("parameters", format!("too many parameters: at most {most}")));
    }
    let number = |name: &str| {
        check_name(name).map_err(|message| table.error(name, message))?;
        if is_reserved(name) {
            let message =
                format!("`{name}` has a meaning of its own in expressions: choose another name");
            return Err(table.error(name, message));
        }
        let Some(inner) = table.table(name)? else {
            return Err(table.error(name, "a table is expected"));
        };
        inner.only(&["default", "min", "max", "scale", "doc"])?;
        let doc = match (inner.text("doc")?, term) {
            (Some(doc), _) => doc.to_owned(),
            (None, Some(term)) if format!("_{name}") == POWER => format!("exponent of {term}"),
            (None, Some(term)) => format!("{name} of {term}"),
            (None, None) => inner.needed_text("doc")?.to_owned(),
        };
        let default = inner.number("default")?;
        let default = default.ok_or_else(|| inner.error("default", "`default` is missing"))?;
        let (key, role) = match term {
            Some(_) => (format!("{prefix}_{name}"), Role::Power),
            None => (name.to_owned(), Role::Constant),
        };
        let parameter = bounded(&inner, key, doc, role, default, term)?;
        Ok(Number {
            name: name.to_owned(),
            parameter,
            splits,
        })
    };
    table.keys().into_iter().map(number).collect()
}

/// A parameter with the bounds and the scale given in a table.
fn bounded(
    fields: &Fields,
    key: String,
    doc: String,
    role: Role,
    default: f64,
    term: Option<&str>,
) -> Result<Parameter, FieldError> {
    let needed = |key: &str| {
        let missing = || {
            fields.error(
                key,
                format!("`{key}` is missing: the bounds of a search are needed"),
            )
        };
        fields.number(key)?.ok_or_else(missing)
    };
    let (min, max) = (needed("min")?, needed("max")?);
    if min >= max {
        let message = format!("`max` {} must be above `min` {}", Short(max), Short(min));
        return Err(fields.error("max", message));
    }
    let scales = [("linear", Scale::Linear), ("log", Scale::Log)];
    let scale = fields.one_of("scale", &scales)?.unwrap_or_default();
    // A term may be off until a search begins within its bounds.
    let may_be_off = fields.value("default").is_some() || scale == Scale::Log;
    let is_off = role == Role::Weight && default == 0.0 && may_be_off;
    let beyond = match default {
        _ if is_off => None,
        low if low < min => Some(("below", "min", min)),
        high if high > max => Some(("above", "max", max)),
        _ => None,
    };
    if let Some((beyond, bound, end)) = beyond {
        let (given, end) = (Short(default), Short(end));
        let message = match fields.value("default") {
            Some(_) => format!("`default` {given} of `{key}` is {beyond} its `{bound}` {end}"),
            None => format!(
                "the `default` of `{key}` is {given} if it is left out, {beyond} its `{bound}` {end}"
            ),
        };
        return Err(default_error(fields, default, message));
    }
    if scale == Scale::Log && min <= 0.0 {
        return Err(fields.error("min", "a scale of \"log\" needs a `min` above 0"));
    }
    Ok(Parameter {
        key,
        doc: doc.into(),
        role,
        default,
        min,
        max,
        scale,
        integer: false,
        choices: Vec::new(),
        term: term.map(str::to_owned),
    })
}

/// An error at a number of the defaults, or at all of them.
fn default_error(fields: &Fields, default: f64, message: String) -> FieldError {
    const KEY: &str = "default";
    let is_it = |value: &toml::Value| finite(value) == Some(default);
    let position = |list: &toml::Value| list.as_array()?.iter().position(is_it);
    let list = fields.value(KEY).and_then(toml::Value::as_array);
    let mut rows = list.into_iter().flatten().enumerate();
    let in_rows = rows.find_map(|(row, list)| Some(vec![row, position(list)?]));
    let in_list = fields.value(KEY).and_then(position).map(|at| vec![at]);
    fields.error_at(KEY, &in_list.or(in_rows).unwrap_or_default(), message)
}

/// Reads the expression of a term over lines. The first `own` parameters in scope are those of the term.
fn value(
    fields: &Fields,
    known: &Scope,
    own: usize,
    matrix: Option<&Matrix>,
) -> Result<Expression, FieldError> {
    let value = expression(fields, "value", known, |value| match matrix {
        Some(matrix) => Ok(matrix.of_row(&value)),
        None => Ok(value),
    })?;
    let unused = (0..own).find(|place| value.parameters >> place & 1 == 0);
    if let Some(unused) = unused {
        let name = &known.parameters[unused];
        let message = format!("the parameter `{name}` of the term is not used");
        return Err(fields.error("value", message));
    }
    if *known.selector != Selector::One && !value.selects {
        let message = "`knots` needs `knot(..)` in the expression, `table` needs `is(..)`";
        return Err(fields.error("value", message));
    }
    Ok(value)
}

/// Reads an expression. `around` adds what a short form stands for.
pub fn expression(
    fields: &Fields,
    key: &str,
    known: &Scope,
    around: impl Fn(Syntax) -> Result<Syntax, ExpressionError>,
) -> Result<Expression, FieldError> {
    let text = fields.needed_text(key)?;
    let resolved = parse(text).and_then(around);
    let resolved = resolved.and_then(|syntax| resolve(&syntax, known));
    resolved.map_err(|ExpressionError { message, span }| fields.error(key, message).at(span))
}
