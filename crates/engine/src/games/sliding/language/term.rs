//! Reads the terms of a file, and the parameters of terms.

use std::sync::OnceLock;

use super::definition::{Definition, LineSet, Number, Term, line_suffix};
use super::expression::{Expression, Selector};
use super::fields::Fields;
use super::parser::{ExpressionError, parse};
use super::resolve::{MOST_PARAMETERS, Scope, resolve};
use super::vocabulary::is_reserved;
use crate::field_error::FieldError;
use crate::heuristic::Scale;
use crate::heuristic::{INNER, OUTER, POWER, Parameter, Role};

/// Largest length of a name, in bytes.
const LONGEST_NAME: usize = 40;
/// Largest allowed knot or table value.
const LARGEST_NUMBER: i64 = 1_000;

/// Reads a term.
pub fn term(fields: &Fields, definition: &Definition) -> Result<Term, FieldError> {
    fields.only(&[
        "name",
        "doc",
        "value",
        "weight",
        "constant",
        "parameters",
        "knots",
        "table",
        "lines",
    ])?;
    let name = fields.needed_text("name")?;
    check_name(name).map_err(|message| fields.error("name", message))?;
    let doc = fields.needed_text("doc")?;
    let applies = fields
        .one_of("lines", &LineSet::ALL)?
        .unwrap_or(LineSet::Every);
    if applies == LineSet::Each && !definition.anchored {
        let message = "`each` needs `lines = \"anchored\"` at the top of the file";
        return Err(fields.error("lines", message));
    }
    let selector = selector(fields)?;
    let weights = weights(fields, name, doc, applies, &selector)?;
    let parameters = named(fields, Some(name), name)?;
    let value = value(fields, definition, &parameters, &selector)?;
    Ok(Term {
        name: name.to_owned(),
        doc: doc.to_owned(),
        lines: applies,
        weights,
        selector,
        parameters,
        value,
        columns: OnceLock::new(),
    })
}

/// Checks the name of a term or parameter.
fn check_name(name: &str) -> Result<(), String> {
    let is_safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    if !begins || name.len() > LONGEST_NAME || !name.chars().all(is_safe) {
        return Err(format!(
            "`{name}` is no name: a small letter, then small letters, digits and `_`, at most \
             {LONGEST_NAME} in all"
        ));
    }
    let lines = [0, 1, 2, 3].map(line_suffix);
    let mut taken = [OUTER, INNER]
        .into_iter()
        .chain(lines.iter().map(String::as_str));
    match taken.find(|suffix| name.ends_with(suffix)) {
        Some(suffix) => Err(format!(
            "a name cannot end with `{suffix}`, which keys of weights have"
        )),
        None => Ok(()),
    }
}

/// Reads the knots or values of a term.
fn selector(fields: &Fields) -> Result<Selector, FieldError> {
    let knots = fields.whole_numbers("knots")?;
    let values = fields.whole_numbers("table")?;
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

/// Reads the weights of a term: one, or one for each knot or value. With `lines = "each"` each of them becomes
/// four, one for each place of a line.
fn weights(
    fields: &Fields,
    name: &str,
    doc: &str,
    applies: LineSet,
    selector: &Selector,
) -> Result<Vec<Number>, FieldError> {
    let constant = fields.truth("constant")?.unwrap_or(false);
    if constant && *selector != Selector::One {
        return Err(fields.error("constant", "a constant has neither `knots` nor a `table`"));
    }
    let role = if constant {
        Role::Constant
    } else {
        Role::Weight
    };
    let (of, numbers): (&str, &[f64]) = match selector {
        Selector::One => ("", &[]),
        Selector::Knots(knots) => ("knot", knots),
        Selector::Values(values) => ("value", values),
    };
    let mut keys = match of {
        "" => vec![(name.to_owned(), doc.to_owned())],
        _ => numbers
            .iter()
            .map(|number| (format!("{name}_{number}"), format!("{doc}; {of} {number}")))
            .collect(),
    };
    if applies == LineSet::Each {
        let of_lines = |(key, doc): &(String, String)| {
            let (key, doc) = (key.clone(), doc.clone());
            [0, 1, 2, 3].map(|index| {
                (
                    format!("{key}{}", line_suffix(index)),
                    format!("{doc}; line {index}"),
                )
            })
        };
        keys = keys.iter().flat_map(of_lines).collect();
    }
    let Some(weight) = fields.table("weight")? else {
        let message =
            "`weight` is missing, as in weight = { default = 0.0, min = 0.0, max = 500.0 }";
        return Err(fields.error("weight", message));
    };
    weight.only(&["default", "min", "max", "scale"])?;
    let defaults = weight
        .numbers("default", keys.len())?
        .unwrap_or(vec![0.0; keys.len()]);
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

/// Reads the named parameters of a term, or the shared ones, in alphabetical order.
pub fn named(fields: &Fields, term: Option<&str>, prefix: &str) -> Result<Vec<Number>, FieldError> {
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
        let splits = term.is_some() && splits_parameters(fields)?;
        Ok(Number {
            name: name.to_owned(),
            parameter,
            splits,
        })
    };
    table.keys().into_iter().map(number).collect()
}

/// True if the parameters of a term may have separate values for outer and inner lines.
fn splits_parameters(fields: &Fields) -> Result<bool, FieldError> {
    let applies = fields.one_of("lines", &LineSet::ALL)?;
    Ok(applies.is_none_or(|applies| applies == LineSet::Every))
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
        return Err(fields.error("max", format!("`max` {max} must be above `min` {min}")));
    }
    let scales = [("linear", Scale::Linear), ("log", Scale::Log)];
    let scale = fields.one_of("scale", &scales)?.unwrap_or_default();
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
        term: term.map(str::to_owned),
    })
}

fn value(
    fields: &Fields,
    definition: &Definition,
    parameters: &[Number],
    selector: &Selector,
) -> Result<Expression, FieldError> {
    let text = fields.needed_text("value")?;
    let all = parameters.iter().chain(&definition.shared);
    let names: Vec<String> = all.map(|number| number.name.clone()).collect();
    let known = Scope {
        parameters: &names,
        anchored: definition.anchored,
        selector,
    };
    let resolved = parse(text).and_then(|syntax| resolve(&syntax, &known));
    let value = resolved
        .map_err(|ExpressionError { message, span }| fields.error("value", message).at(span))?;
    let unused = (0..parameters.len()).find(|place| value.parameters >> place & 1 == 0);
    if let Some(unused) = unused {
        let name = &names[unused];
        let message = format!("the parameter `{name}` of the term is not used");
        return Err(fields.error("value", message));
    }
    if *selector != Selector::One && !value.selects {
        let message = "`knots` needs `knot(..)` in the expression, `table` needs `is(..)`";
        return Err(fields.error("value", message));
    }
    Ok(value)
}
