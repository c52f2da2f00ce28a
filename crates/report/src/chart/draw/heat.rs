//! Heat maps: a square for each pair of names, as large as the page allows. Texts that would be too small to read are
//! left out, and the caption says so.

use plotters::style::{Color as _, RGBAColor};

use super::error::{DrawError, Drawn};
use super::legend::LegendEntry;
use super::palette::{GRID, INK, PAPER, diverging};
use super::sheet::{Layout, draw_sheet};
use super::surface::{Frame, Label, MARGIN, Surface, WIDTH, fitted, text_width};
use crate::chart::figure::Figure;
use crate::number::{compact, grouped};

/// Largest and smallest size of the names. Smaller names are unreadable.
const NAME_SIZES: (f64, f64) = (12.0, 7.0);
/// Distance from one name to the next, in sizes of the names.
const NAME_PITCH: f64 = 1.2;
/// Largest and smallest size of the numbers.
const NUMBER_SIZES: (f64, f64) = (13.0, 7.0);
/// Width of a cell in sizes of its number. The widest number, −0.00, is 3.1 sizes wide.
const CELL_OF_NUMBER: f64 = 3.6;
const GAP: f64 = 8.0;
/// Names longer than this are cut, to leave enough space for the cells.
const LONGEST_NAME: f64 = 230.0;

/// Position of the heat map on the page, and sizes of its texts.
struct HeatGrid {
    left: f64,
    top: f64,
    cell: f64,
    names: NameColumn,
    upward: bool,
    /// Size of the numbers; `None` if the cells are too small for them.
    number_size: Option<f64>,
    /// Distance of the named parameters: with 2 every second one is named, so that names do not touch.
    stride: usize,
}

/// The names of the parameters as they are drawn.
struct NameColumn {
    texts: Vec<String>,
    size: f64,
    /// Width of the longest name.
    width: f64,
}

/// The figure as SVG text.
pub(super) fn svg(
    figure: &Figure,
    names: &[String],
    values: &[Vec<f64>],
) -> Result<String, DrawError> {
    let grid = grid(names)?;
    let entry = |value: f64| LegendEntry::area(diverging(value), compact(value));
    let unknown = LegendEntry::area(GRID, "itself, or not known".to_owned());
    let caption = format!("{}{}", remarks(&grid, figure.name), figure.caption);
    let layout = Layout {
        title: figure.title,
        legend: [-1.0, -0.5, 0.5, 1.0]
            .map(entry)
            .into_iter()
            .chain([unknown])
            .collect(),
        caption: &caption,
        body_height: grid.top + grid.cell * names.len() as f64,
    };
    draw_sheet(&layout, |surface| draw_grid(surface, values, &grid))
}

/// Sentences about the texts that do not fit into the cells.
fn remarks(grid: &HeatGrid, name: &str) -> String {
    let mut remarks = String::new();
    if grid.number_size.is_none() {
        remarks += &format!("The cells are too small for numbers, which are in {name}.csv. ");
    }
    if grid.stride > 1 {
        remarks += &format!("One parameter in {} is named. ", grid.stride);
    }
    remarks
}

/// Cells as large as the page allows. The names above the columns are turned if they are too wide.
fn grid(names: &[String]) -> Result<HeatGrid, DrawError> {
    let count = names.len() as f64;
    let space = |names: &NameColumn| WIDTH - 2.0 * MARGIN - names.width - GAP;
    let largest = NameColumn::new(names, NAME_SIZES.0)?;
    let names = match name_size(space(&largest) / count) {
        size if size < NAME_SIZES.0 => NameColumn::new(names, size)?,
        _ => largest,
    };
    let space = space(&names);
    let cell = (space / count).min(76.0);
    let upward = names.width > cell - 6.0;
    let top = GAP + if upward { names.width } else { 20.0 };
    // The cells and the names together are centred on the page.
    let left = names.width + GAP + (space - cell * count) / 2.0;
    Ok(HeatGrid {
        left,
        top,
        cell,
        names,
        upward,
        number_size: number_size(cell),
        stride: stride(cell),
    })
}

/// Size of the names for cells of this size.
fn name_size(cell: f64) -> f64 {
    (cell / NAME_PITCH).clamp(NAME_SIZES.1, NAME_SIZES.0)
}

/// Distance of the named parameters for cells of this size; 1 if the smallest names fit.
fn stride(cell: f64) -> usize {
    (NAME_SIZES.1 * NAME_PITCH / cell).ceil() as usize
}

/// Size of the numbers in cells of this size. Unreadable numbers are left out, because the colour shows the
/// correlation, too.
fn number_size(cell: f64) -> Option<f64> {
    let size = (cell / CELL_OF_NUMBER).min(NUMBER_SIZES.0);
    (size >= NUMBER_SIZES.1).then_some(size)
}

impl NameColumn {
    fn new(names: &[String], size: f64) -> Result<Self, DrawError> {
        let (mut texts, mut width) = (Vec::new(), 0.0_f64);
        for name in names {
            let name = fitted(name, size, false, LONGEST_NAME)?;
            width = width.max(text_width(&name, size, false)?);
            texts.push(name);
        }
        Ok(NameColumn { texts, size, width })
    }
}

fn draw_grid(surface: &Surface<'_>, values: &[Vec<f64>], grid: &HeatGrid) -> Drawn {
    let (left, top) = (surface.body.left + grid.left, surface.body.top + grid.top);
    for (index, name) in grid.names.texts.iter().enumerate() {
        if index.is_multiple_of(grid.stride) {
            let middle = grid.cell * (index as f64 + 0.5);
            let label = Label::new(name, grid.names.size);
            surface.text((left - GAP, top + middle), label.to_the_left())?;
            let label = if grid.upward {
                label.upward()
            } else {
                label.centered()
            };
            surface.text((left + middle, top - GAP), label)?;
        }
        for column in 0..grid.names.texts.len() {
            let x = left + grid.cell * column as f64;
            let y = top + grid.cell * index as f64;
            let square = Frame {
                left: x,
                top: y,
                right: x + grid.cell,
                bottom: y + grid.cell,
            };
            let found = values.get(index).and_then(|row| row.get(column));
            let found = found.copied().filter(|_| index != column);
            draw_cell(surface, square, found, grid.number_size)?;
        }
    }
    Ok(())
}

/// Draws a cell. `None` is the correlation of a parameter with itself, which is always 1. Without a size the number is
/// left out.
fn draw_cell(surface: &Surface<'_>, square: Frame, value: Option<f64>, size: Option<f64>) -> Drawn {
    let value = value.filter(|value| value.is_finite());
    let (ground, text, color) = match value {
        Some(value) => (diverging(value), grouped(value, 2), ink_on(value)),
        None => (GRID, String::new(), INK),
    };
    // A gap of a whole pixel would cover most of a very small cell.
    let gap = ((square.right - square.left) / 8.0).min(1.0);
    let inner = Frame {
        right: square.right - gap,
        bottom: square.bottom - gap,
        ..square
    };
    surface.rectangle(inner, ground.filled())?;
    let Some(size) = size else {
        return Ok(());
    };
    let middle = (
        (square.left + square.right) / 2.0,
        (square.top + square.bottom) / 2.0,
    );
    surface.text(middle, Label::new(&text, size).centered().colored(color))
}

/// Light text on the strongest blue, dark text elsewhere.
fn ink_on(value: f64) -> RGBAColor {
    if value > 0.85 { PAPER } else { INK }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid_of(parameters: usize) -> HeatGrid {
        let names = (0..parameters).map(|index| format!("merge_value_{index}_outer"));
        grid(&names.collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn numbers_shrink_with_their_cells_and_are_left_out_of_small_ones() {
        for parameters in 2..50 {
            let grid = grid_of(parameters);
            let Some(size) = grid.number_size else {
                assert!(parameters > 25, "{parameters}");
                assert!(remarks(&grid, "correlation").contains("too small for numbers"));
                continue;
            };
            assert!(parameters < 35, "{parameters}");
            assert!((7.0..=13.0).contains(&size));
            let widest = text_width("−0.00", size, false).unwrap();
            assert!(widest + 2.0 < grid.cell, "{parameters}: {widest}");
        }
        assert_eq!(grid_of(5).number_size, Some(13.0));
        assert_eq!(remarks(&grid_of(5), "correlation"), "");
    }

    #[test]
    fn no_name_touches_the_next() {
        for parameters in [2, 20, 35, 50, 60, 78, 90, 100, 110, 200, 400] {
            let HeatGrid {
                cell,
                names,
                stride,
                ..
            } = grid_of(parameters);
            let pitch = cell * stride as f64;
            assert!(names.size * 1.19 < pitch, "{parameters}: {pitch}");
        }
        let named = |parameters: usize| {
            let grid = grid_of(parameters);
            (grid.names.size, grid.stride)
        };
        assert_eq!(named(35), (12.0, 1));
        let (size, stride) = named(78);
        assert!((7.0..12.0).contains(&size) && stride == 1);
        assert_eq!(named(150), (7.0, 2));
        assert!(remarks(&grid_of(150), "correlation").ends_with("One parameter in 2 is named. "));
    }
}
