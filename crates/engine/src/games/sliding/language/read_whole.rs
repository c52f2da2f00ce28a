//! Reads terms of the whole board: `[[board_term]]`, and matrices of which the best image counts.

use std::sync::OnceLock;

use super::definition::Definition;
use super::expression::{Expression, Fold, Operation, Selector};
use super::facts::{binary, leaf};
use super::fields::Fields;
use super::kinds::{check_board_term, check_line_term};
use super::line_columns::ByLength;
use super::line_set::LineSet;
use super::matrix::{Image, Matrix, place_in};
use super::names::check_name;
use super::resolve::{MOST_PARAMETERS, Scope};
use super::term::{expression, keys, lines, named, names, selector, weights};
use super::vocabulary::is_reserved;
use super::whole_term::{LineFold, Parts, WholeTerm};
use crate::expression::{Binary, ExpressionError};
use crate::field_error::FieldError;
use crate::games::sliding::shape::Shape;

/// The tables of a `[[board_term]]` with values over lines.
const FOLDS: [(&str, Fold); 3] = [
    ("sums", Fold::Sum),
    ("maxima", Fold::Max),
    ("minima", Fold::Min),
];

/// The table with the values that are combined in this way.
pub fn fold_key(fold: Fold) -> &'static str {
    let mut folds = FOLDS.iter();
    let found = folds.find(|(_, known)| *known == fold);
    found.map_or("sums", |(key, _)| key)
}

/// The lines over which a sum can run.
const LINES: [(&str, LineSet); 5] = [
    ("every", LineSet::Every),
    ("rows", LineSet::Rows),
    ("columns", LineSet::Columns),
    ("outer", LineSet::Outer),
    ("inner", LineSet::Inner),
];

/// Reads a `[[board_term]]`.
pub fn board_term(fields: &Fields, definition: &Definition) -> Result<WholeTerm, FieldError> {
    check_board_term(fields)?;
    let (name, doc) = name_and_doc(fields)?;
    let term = without_expressions(fields, name, doc, None)?;
    let parameter_names = names(&term.parameters, definition);
    let folds = folds(fields, &parameter_names)?;
    let all = folds.iter().map(|fold| fold.name.clone());
    let all: Vec<String> = all.chain(parameter_names).collect();
    if all.len() > MOST_PARAMETERS {
        let message = format!(
            "{} sums and parameters are too many: at most {MOST_PARAMETERS}",
            all.len()
        );
        return Err(fields.error("value", message));
    }
    let scope = Scope {
        parameters: &all,
        anchored: false,
        of_board: true,
        selector: &term.selector,
    };
    let value = expression(fields, "value", &scope, Ok)?;
    check_use(fields, &folds, &value, term.parameters.len(), &all)?;
    if term.selector != Selector::One && !value.selects {
        let message = "`knots` needs `knot(..)` in the expression, `table` needs `is(..)`";
        return Err(fields.error("value", message));
    }
    Ok(WholeTerm {
        folds,
        value,
        ..term
    })
}

fn name_and_doc<'a>(fields: &'a Fields) -> Result<(&'a str, &'a str), FieldError> {
    let name = fields.needed_text("name")?;
    check_name(name).map_err(|message| fields.error("name", message))?;
    Ok((name, fields.needed_text("doc")?))
}

/// A term with its weights and parameters, whose values over lines and expression are not read yet.
fn without_expressions(
    fields: &Fields,
    name: &str,
    doc: &str,
    matrix: Option<&Matrix>,
) -> Result<WholeTerm, FieldError> {
    let selector = selector(fields, matrix)?;
    let keys = keys(name, doc, LineSet::Rows, &selector, matrix);
    Ok(WholeTerm {
        name: name.to_owned(),
        doc: doc.to_owned(),
        weights: weights(fields, name, LineSet::Rows, keys, matrix)?,
        selector,
        parameters: named(fields, Some(name), name, false)?,
        folds: Vec::new(),
        value: leaf(Operation::Number(0.0)),
        weighs_lines: false,
        on_smaller: Vec::new(),
    })
}

/// The error that no expression reads a parameter.
fn unused_parameter(fields: &Fields, name: &str) -> FieldError {
    let message = format!("the parameter `{name}` of the term is not used");
    fields.error("value", message)
}

/// Checks that the expression reads each value over lines, and that some expression reads each parameter of the term.
fn check_use(
    fields: &Fields,
    folds: &[LineFold],
    value: &Expression,
    own: usize,
    names: &[String],
) -> Result<(), FieldError> {
    let reads = |place: usize| value.parameters >> place & 1 == 1;
    if let Some(unused) = (0..folds.len()).find(|&place| !reads(place)) {
        let message = format!("the value does not read `{}`: leave it out", names[unused]);
        return Err(fields.error("value", message));
    }
    let is_read = |place: usize| {
        let mut folds_read = folds.iter().map(|fold| fold.value.parameters);
        reads(folds.len() + place) || folds_read.any(|read| read >> place & 1 == 1)
    };
    match (0..own).find(|&place| !is_read(place)) {
        Some(unused) => Err(unused_parameter(fields, &names[folds.len() + unused])),
        None => Ok(()),
    }
}

/// Reads the values over lines.
fn folds(fields: &Fields, parameters: &[String]) -> Result<Vec<LineFold>, FieldError> {
    let mut folds: Vec<LineFold> = Vec::new();
    for (key, fold) in FOLDS {
        let Some(table) = fields.table(key)? else {
            continue;
        };
        for name in table.keys() {
            check_name(name).map_err(|message| table.error(name, message))?;
            if is_reserved(name) {
                let message = format!(
                    "`{name}` has a meaning of its own in expressions: choose another name"
                );
                return Err(table.error(name, message));
            }
            let is_taken = folds.iter().any(|known| known.name == name);
            if is_taken || parameters.iter().any(|known| known == name) {
                let message =
                    format!("`{name}` is there twice, here and as another sum or parameter");
                return Err(table.error(name, message));
            }
            folds.push(line_fold(&table, name, fold, parameters)?);
        }
    }
    if folds.is_empty() {
        let message = "a term of the board needs sums over lines, as in \
                       sums.empty = { lines = \"rows\", value = \"count(cells where r == 0)\" }";
        return Err(fields.error("sums", message));
    }
    Ok(folds)
}

/// Reads one of the values over lines: `{ lines, value }`, or the value alone for every line.
fn line_fold(
    table: &Fields,
    name: &str,
    fold: Fold,
    parameters: &[String],
) -> Result<LineFold, FieldError> {
    let scope = Scope {
        parameters,
        anchored: true,
        of_board: false,
        selector: &Selector::One,
    };
    let is_text = table.value(name).is_some_and(toml::Value::is_str);
    let (lines, value) = if is_text {
        let value = expression(table, name, &scope, Ok)?;
        (LineSet::Every, value)
    } else {
        let Some(inner) = table.table(name)? else {
            return Err(table.error(name, "a table is expected"));
        };
        inner.only(&["lines", "value"])?;
        let lines = inner.one_of("lines", &LINES)?;
        let value = expression(&inner, "value", &scope, Ok)?;
        (lines.unwrap_or(LineSet::Every), value)
    };
    Ok(LineFold {
        name: name.to_owned(),
        fold,
        lines,
        value,
        columns: ByLength::default(),
        lane: OnceLock::new(),
    })
}

/// Reads a `[[term]]` with the key `images`: the best of the images of a matrix.
pub fn best_image(fields: &Fields, definition: &Definition) -> Result<WholeTerm, FieldError> {
    check_line_term(fields)?;
    if fields.value("constant").is_some() {
        return Err(fields.error(
            "constant",
            "a term with `images` is no constant: leave `constant` out",
        ));
    }
    fields.one_of("images", &[("best", ())])?;
    let (name, doc) = name_and_doc(fields)?;
    let Some(matrix) = Matrix::read(fields)? else {
        return Err(fields.error("images", "`images` needs a `matrix` in its term"));
    };
    lines(fields, Some(&matrix))?;
    let term = without_expressions(fields, name, doc, Some(&matrix))?;
    let parameter_names = names(&term.parameters, definition);
    let scope = Scope {
        parameters: &parameter_names,
        anchored: true,
        of_board: false,
        selector: &term.selector,
    };
    let of_image = |(number, image): (usize, Image)| {
        let value = expression(fields, "value", &scope, |value| match place_in(&value) {
            None => Ok(matrix.of_row_of_image(&value, image)),
            Some(place) => {
                let message = "with `images` the value of a tile cannot depend on its place";
                Err(ExpressionError::new(place, message))
            }
        });
        value.map(|value| LineFold {
            name: format!("image {number}"),
            fold: Fold::Sum,
            lines: LineSet::Rows,
            value,
            columns: ByLength::default(),
            lane: OnceLock::new(),
        })
    };
    let images = |shape| -> Result<Parts, FieldError> {
        let folds = Image::all(shape).enumerate().map(of_image);
        let folds = folds.collect::<Result<Vec<LineFold>, FieldError>>()?;
        let value = largest(folds.len());
        Ok(Parts { folds, value })
    };
    let Parts { folds, value } = images(Shape::STANDARD)?;
    let smaller = Shape::all().filter(|&shape| shape != Shape::STANDARD);
    let on_smaller = smaller.map(|shape| Ok((shape, images(shape)?)));
    let on_smaller = on_smaller.collect::<Result<_, FieldError>>()?;
    let mut places = 0..term.parameters.len();
    if let Some(unused) = places.find(|place| folds[0].value.parameters >> place & 1 == 0) {
        return Err(unused_parameter(fields, &parameter_names[unused]));
    }
    Ok(WholeTerm {
        folds,
        value,
        weighs_lines: true,
        on_smaller,
        ..term
    })
}

/// The largest of the first `count` parameters.
fn largest(count: usize) -> Expression {
    let image = |place: usize| Expression {
        parameters: 1 << place,
        ..leaf(Operation::Parameter(place))
    };
    let others = (1..count).map(image);
    others.fold(image(0), |so_far, image| binary(Binary::Max, so_far, image))
}
