//! Weight matrices: a number or a weight for each cell of the board. A matrix is a short form of an expression over
//! rows: `sum(cells, table(4 * i + j, ..) * if(r > 0, value, 0))`.

use std::ops::Range;

use super::fields::Fields;
use super::names::check_name;
use super::vocabulary::INDEX;
use crate::expression::{Argument, Binary, Syntax, SyntaxKind};
use crate::field_error::FieldError;

/// Number of rows and of columns of a matrix. On a smaller board its top left part applies.
pub const SIDE: usize = 4;

/// The form of [`Matrix`] in which each cell has a weight of its own.
const EACH: &str = "each";

/// A matrix. Cells are in the order of the rows.
pub enum Matrix {
    /// A number for each cell; the term has one weight.
    Numbers(Vec<f64>),
    /// A weight for each name. Cells with the same name share it.
    Weights {
        /// The names, in the order of their first cells.
        names: Vec<String>,
        /// For each cell: the index of its name.
        cells: Vec<usize>,
    },
}

impl Matrix {
    /// Reads the key `matrix` of a term; `None` if it is missing.
    pub fn read(fields: &Fields) -> Result<Option<Self>, FieldError> {
        const KEY: &str = "matrix";
        let Some(value) = fields.value(KEY) else {
            return Ok(None);
        };
        if value.as_str() == Some(EACH) {
            let names = (0..SIDE * SIDE).map(|at| format!("r{}c{}", at / SIDE, at % SIDE));
            return Ok(Some(Matrix::Weights {
                names: names.collect(),
                cells: (0..SIDE * SIDE).collect(),
            }));
        }
        let Some(cells) = cells_of(value) else {
            let message = format!(
                "`matrix` must be {SIDE} rows of {SIDE} numbers, as in [[16, 15, 14, 13], ..], {SIDE} rows of {SIDE} \
                 names of weights, or \"{EACH}\" for a weight of its own for each cell"
            );
            return Err(fields.error(KEY, message));
        };
        let numbers: Option<Vec<f64>> = cells.iter().map(|cell| finite(cell)).collect();
        if let Some(numbers) = numbers {
            return Ok(Some(Matrix::Numbers(numbers)));
        }
        let mut names: Vec<String> = Vec::new();
        let mut of_cells = Vec::new();
        for cell in cells {
            let Some(name) = cell.as_str() else {
                let message =
                    "the cells of a `matrix` are either all finite numbers or all names in quotes";
                return Err(fields.error(KEY, message));
            };
            // The name is the end of a key.
            let checked = check_name(name).and_then(|()| check_name(&format!("x_{name}")));
            checked.map_err(|message| fields.error(KEY, message))?;
            let known = names.iter().position(|known| known == name);
            of_cells.push(known.unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            }));
        }
        Ok(Some(Matrix::Weights {
            names,
            cells: of_cells,
        }))
    }

    /// The expression of a row, from that of the value of a tile.
    pub fn of_row(&self, value: &Syntax) -> Syntax {
        self.of_row_of_image(value, Image(0))
    }

    /// The same for an image of the matrix.
    pub fn of_row_of_image(&self, value: &Syntax, image: Image) -> Syntax {
        let cells = (0..SIDE * SIDE).map(|cell| image.source(cell));
        let place = || {
            let row = binary(Binary::Multiply, number(SIDE as f64), name(INDEX));
            binary(Binary::Add, row, name("j"))
        };
        let looked_up = |numbers: Vec<f64>| {
            let numbers = numbers.into_iter().map(number);
            call("table", [place()].into_iter().chain(numbers))
        };
        let weight = match self {
            Matrix::Numbers(numbers) => looked_up(cells.map(|cell| numbers[cell]).collect()),
            Matrix::Weights { cells: of, .. } => {
                let number_of_name = looked_up(cells.map(|cell| of[cell] as f64).collect());
                call("is", [number_of_name])
            }
        };
        let is_tile = binary(Binary::Greater, name("r"), number(0.0));
        let value = call("if", [is_tile, value.clone(), number(0.0)]);
        call(
            "sum",
            [name("cells"), binary(Binary::Multiply, weight, value)],
        )
    }
}

/// One of the eight images of a matrix under the symmetries of the square. Bit 0 mirrors its columns, bit 1 its rows,
/// bit 2 exchanges rows and columns.
#[derive(Clone, Copy)]
pub struct Image(pub usize);

impl Image {
    /// Number of images.
    pub const COUNT: usize = 8;

    /// The cell of the matrix that is at a cell of the image.
    fn source(self, cell: usize) -> usize {
        let (row, column) = (cell / SIDE, cell % SIDE);
        let (row, column) = match self.0 >> 2 & 1 {
            0 => (row, column),
            _ => (column, row),
        };
        let mirrored = |at: usize, bit: usize| match self.0 >> bit & 1 {
            0 => at,
            _ => SIDE - 1 - at,
        };
        SIDE * mirrored(row, 1) + mirrored(column, 0)
    }
}

/// Where an expression has a name of the place of a cell.
pub fn place_in(syntax: &Syntax) -> Option<Range<usize>> {
    let of_argument = |argument: &Argument| {
        let parts = [&argument.condition, &argument.second].map(Option::as_ref);
        let mut parts = [Some(&argument.value)].into_iter().chain(parts).flatten();
        parts.find_map(place_in)
    };
    match &syntax.form {
        SyntaxKind::Number(_) | SyntaxKind::Text(_) => None,
        SyntaxKind::Name(name) => ["i", "j"]
            .contains(&name.as_str())
            .then(|| syntax.span.clone()),
        SyntaxKind::Unary(_, x) => place_in(x),
        SyntaxKind::Binary(_, x, y) => place_in(x).or_else(|| place_in(y)),
        SyntaxKind::Call(_, arguments) => arguments.iter().find_map(of_argument),
    }
}

/// The cells of a list of [`SIDE`] lists of [`SIDE`] values.
fn cells_of(value: &toml::Value) -> Option<Vec<&toml::Value>> {
    let rows = value.as_array().filter(|rows| rows.len() == SIDE)?;
    let rows = rows
        .iter()
        .map(|row| row.as_array().filter(|row| row.len() == SIDE));
    let rows: Option<Vec<_>> = rows.collect();
    Some(rows?.into_iter().flatten().collect())
}

fn finite(value: &toml::Value) -> Option<f64> {
    let whole = value.as_integer().map(|number| number as f64);
    value
        .as_float()
        .or(whole)
        .filter(|number| number.is_finite())
}

fn part(form: SyntaxKind) -> Syntax {
    // An error is always in the value of the tile, whose parts have their own spans.
    Syntax { form, span: 0..0 }
}

fn name(name: &str) -> Syntax {
    part(SyntaxKind::Name(name.to_owned()))
}

/// A number with its sign.
fn number(number: f64) -> Syntax {
    part(SyntaxKind::Number(number))
}

fn binary(operator: Binary, x: Syntax, y: Syntax) -> Syntax {
    part(SyntaxKind::Binary(operator, Box::new(x), Box::new(y)))
}

fn call(name: &str, values: impl IntoIterator<Item = Syntax>) -> Syntax {
    let argument = |value| Argument {
        value,
        condition: None,
        second: None,
    };
    let arguments = values.into_iter().map(argument).collect();
    part(SyntaxKind::Call(name.to_owned(), arguments))
}
