//! Weight matrices: a number or a weight for each cell of the board. A matrix is a short form of an expression over
//! rows: `sum(cells, table(4 * i + j, ..) * if(r > 0, value, 0))`.

use std::ops::Range;

use super::fields::{Fields, finite, many, row_in_words};
use super::names::check_name;
use super::vocabulary::INDEX;
use crate::expression::{Argument, Binary, Syntax, SyntaxKind};
use crate::field_error::FieldError;
use crate::games::sliding::shape::Shape;

/// Number of rows and of columns of a matrix. On a smaller board its top left part applies.
pub const SIDE: usize = 4;

/// The key of a term.
const KEY: &str = "matrix";

/// The key of the defaults of weights.
const DEFAULT: &str = "default";

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
        let cells = cells_of(fields, value)?;
        let place = |cell: usize| [cell / SIDE, cell % SIDE];
        let is_of_names = cells[0].is_str();
        let is_other = |cell: &toml::Value| {
            is_of_names != cell.is_str() || !is_of_names && finite(cell).is_none()
        };
        if let Some(cell) = cells.iter().position(|cell| is_other(cell)) {
            let message = if is_of_names != cells[cell].is_str() {
                "numbers and names of weights cannot be mixed in a `matrix`: write one or the other in all cells"
            } else {
                "the cells of a `matrix` are either all finite numbers or all names in quotes"
            };
            return Err(fields.error_at(KEY, &place(cell), message));
        }
        if !is_of_names {
            let numbers = cells.into_iter().filter_map(finite);
            return Ok(Some(Matrix::Numbers(numbers.collect())));
        }
        let mut names: Vec<String> = Vec::new();
        let mut of_cells = Vec::new();
        for (cell, name) in cells
            .into_iter()
            .filter_map(toml::Value::as_str)
            .enumerate()
        {
            // The name is the end of a key.
            let checked = check_name(name).and_then(|()| check_name(&format!("x_{name}")));
            checked.map_err(|message| fields.error_at(KEY, &place(cell), message))?;
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

    /// Reads the defaults of the weights: one for all, a list in the order of the names, or four rows of four numbers, which
    /// are equal where the names are; `None` if the key is missing.
    pub fn defaults(&self, weight: &Fields) -> Result<Option<Vec<f64>>, FieldError> {
        let Matrix::Weights { names, cells } = self else {
            return weight.numbers(DEFAULT, 1);
        };
        let Some(rows) = weight.rows(DEFAULT)? else {
            let wrong =
                |error: FieldError| match weight.value(DEFAULT).and_then(toml::Value::as_array) {
                    Some(list) if list.len() != names.len() => {
                        weight.error(DEFAULT, needed(names, list.len()))
                    }
                    _ => error,
                };
            return weight.numbers(DEFAULT, names.len()).map_err(wrong);
        };
        let numbers = rows.concat();
        if rows.len() != SIDE || numbers.len() != SIDE * SIDE {
            let message = format!(
                "the rows of `{DEFAULT}` must be those of the `matrix`, {SIDE} of {SIDE} numbers; here there are {} of {}",
                rows.len(),
                rows[0].len()
            );
            return Err(weight.error(DEFAULT, message));
        }
        let mut of_names: Vec<Option<f64>> = vec![None; names.len()];
        for (cell, (&number, &name)) in numbers.iter().zip(cells).enumerate() {
            let known = *of_names[name].get_or_insert(number);
            if known != number {
                let message = format!(
                    "the cells `{}` share a weight, but have the numbers {known} and {number} here",
                    names[name]
                );
                return Err(weight.error_at(DEFAULT, &[cell / SIDE, cell % SIDE], message));
            }
        }
        Ok(of_names.into_iter().collect())
    }

    /// The expression of a row, from that of the value of a tile.
    pub fn of_row(&self, value: &Syntax) -> Syntax {
        self.with_cells(value, |cell| cell)
    }

    /// The same for an image of the matrix.
    pub fn of_row_of_image(&self, value: &Syntax, image: Image) -> Syntax {
        self.with_cells(value, |cell| image.source(cell))
    }

    /// The expression of a row if `source` is the cell of the matrix that counts at a cell.
    fn with_cells(&self, value: &Syntax, source: impl Fn(usize) -> usize) -> Syntax {
        let cells = (0..SIDE * SIDE).map(source);
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

/// One of the images of the matrix of a board under the symmetries of the board: eight of a square, four of a rectangle.
#[derive(Clone, Copy)]
pub struct Image {
    /// The board. Its matrix is the top left part of the matrix of 4x4.
    shape: Shape,
    /// Bit 0 mirrors the columns, bit 1 the rows, bit 2 exchanges rows and columns.
    bits: usize,
}

impl Image {
    /// The images on a board, the matrix itself first.
    pub fn all(shape: Shape) -> impl Iterator<Item = Image> {
        let count = if shape.rows() == shape.columns() {
            8
        } else {
            4
        };
        (0..count).map(move |bits| Image { shape, bits })
    }

    /// The cell of the matrix that is at a cell of the image. Cells outside of the board stay.
    fn source(self, cell: usize) -> usize {
        let (row, column) = (cell / SIDE, cell % SIDE);
        let (rows, columns) = (self.shape.rows(), self.shape.columns());
        if row >= rows || column >= columns {
            return cell;
        }
        let (row, column) = match self.bits >> 2 & 1 {
            0 => (row, column),
            _ => (column, row),
        };
        let mirrored = |at: usize, bit: usize, count: usize| match self.bits >> bit & 1 {
            0 => at,
            _ => count - 1 - at,
        };
        SIDE * mirrored(row, 1, rows) + mirrored(column, 0, columns)
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
fn cells_of<'a>(
    fields: &Fields,
    value: &'a toml::Value,
) -> Result<Vec<&'a toml::Value>, FieldError> {
    let wrong = |place: &[usize], here: &str| {
        let message = format!(
            "`{KEY}` must be {SIDE} rows of {SIDE} numbers, as in [[16, 15, 14, 13], ..], {SIDE} rows of {SIDE} names of \
             weights, or \"{EACH}\" for a weight of its own for each cell{here}"
        );
        fields.error_at(KEY, place, message)
    };
    let rows = value.as_array().ok_or_else(|| wrong(&[], ""))?;
    if rows.len() != SIDE {
        let here = format!("; here there are {}", many(rows.len(), "row"));
        return Err(wrong(&[], &here));
    }
    let mut cells = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let of_row = row.as_array().filter(|row| row.len() == SIDE);
        cells.extend(of_row.ok_or_else(|| wrong(&[at], &format!("; {}", row_in_words(at, row))))?);
    }
    Ok(cells)
}

/// The message that a list of defaults has another length than that of the names.
fn needed(names: &[String], given: usize) -> String {
    let first = names.iter().take(3).map(String::as_str);
    let first: Vec<&str> = first.collect();
    let more = if names.len() > first.len() {
        ", .."
    } else {
        ""
    };
    let order = format!(
        "in the order of first appearance ({}{more})",
        first.join(", ")
    );
    let cells = if given == SIDE * SIDE {
        ", not one for each cell"
    } else {
        ""
    };
    format!(
        "`default` needs {}, one for each name {order}{cells}, or {SIDE} rows of {SIDE} as the `matrix`; here there are \
         {given}",
        many(names.len(), "number")
    )
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

#[cfg(test)]
mod tests {
    use crate::games::sliding::Shape;
    use crate::games::sliding::heuristic::Heuristic;
    use crate::games::sliding::language::Definition;
    use crate::games::twenty48::heuristic::BOARDS;
    use crate::games::twenty48::rules::Board;
    use crate::games::twenty48::rules::samples::boards;
    use crate::heuristic::weights::Weights;

    type Cells = [[u8; 4]; 4];

    /// The images of a smaller board, in the top left corner: those of a square also with rows and columns exchanged.
    fn images(shape: Shape, board: Cells) -> Vec<Cells> {
        let (rows, columns) = (shape.rows(), shape.columns());
        let from = |at: usize, count: usize, is_turned: bool| {
            if is_turned && at < count {
                count - 1 - at
            } else {
                at
            }
        };
        let mut images = Vec::new();
        for (upside_down, mirrored) in [(false, false), (false, true), (true, false), (true, true)]
        {
            let image: Cells = std::array::from_fn(|row| {
                let row = board[from(row, rows, upside_down)];
                std::array::from_fn(|column| row[from(column, columns, mirrored)])
            });
            images.push(image);
            if rows == columns {
                images.push(std::array::from_fn(|row| image.map(|of| of[row])));
            }
        }
        images
    }

    #[test]
    fn the_best_image_on_any_board_is_one_of_the_top_left_part() {
        let text = "about = 'x'\n[[term]]\nname = 'm'\ndoc = 'd'\nvalue = 'r'\nimages = 'best'\nweight = { default = 1, \
                    min = -9, max = 99 }\nmatrix = [[40, 30, 22, 17], [9, 13, 14, 15], [8, 5, 3, 2], [0, 1, 1, -4]]\n";
        const NUMBERS: [[f64; 4]; 4] = [
            [40.0, 30.0, 22.0, 17.0],
            [9.0, 13.0, 14.0, 15.0],
            [8.0, 5.0, 3.0, 2.0],
            [0.0, 1.0, 1.0, -4.0],
        ];
        let definition = Definition::read(&text.parse().unwrap(), BOARDS).unwrap();
        let weights = Weights::default();
        let weighted = |cells: Cells| -> f64 {
            let numbers = NUMBERS.as_flattened().iter();
            let pairs = numbers.zip(cells.as_flattened());
            pairs.map(|(number, rank)| number * f64::from(*rank)).sum()
        };
        for shape in Shape::all() {
            definition.fits(shape).unwrap();
            let heuristic = Heuristic::on(shape, &definition, &weights).unwrap();
            for board in boards(100) {
                let board = Board(board.0 & shape.mask());
                let ranks = board.ranks();
                let cells =
                    std::array::from_fn(|row| std::array::from_fn(|at| ranks[4 * row + at]));
                let images = images(shape, cells).into_iter();
                let expected = images.map(weighted).fold(f64::NEG_INFINITY, f64::max);
                let value = heuristic.points(f64::from(heuristic.value(board)));
                let rounding = heuristic.points(9.0);
                assert!(
                    (value - expected).abs() <= rounding,
                    "{shape} {value} {expected}"
                );
                let parts = definition.contributions(&weights, shape, board);
                let sum: f64 = parts.iter().map(|(_, points)| points).sum();
                assert!((sum - expected).abs() <= 1e-9, "{shape} {sum} {expected}");
            }
        }
    }
}
