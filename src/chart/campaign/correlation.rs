//! Chart: heat map of the correlations between the free parameters.

use crate::chart::draw::{
    Color, DrawError, Drawn, Frame, GRID, INK, Label, Layout, Legend, MARGIN, Mark, PAPER, Page,
    RGBAColor, WIDTH, diverging, fitted, text_width,
};
use crate::chart::{Chart, Figure, Table, caption, cell};
use crate::number::{compact, grouped};
use crate::record::{Correlation, RunData};

pub(super) const CHART: Chart = Chart {
    name: "correlation",
    title: "Correlation of the parameters in the final search distribution",
    about: "Which parameters the search moves together (blue) or in opposite directions \
            (vermillion). Two correlated parameters can partly replace each other.",
    draw,
};

const NAME_SIZE: f64 = 12.0;
const GAP: f64 = 8.0;
/// Names longer than this are cut, so that enough space is left for the cells.
const LONGEST_NAME: f64 = 230.0;

/// Where the heat map lies on the page.
struct Grid {
    left: f64,
    top: f64,
    cell: f64,
    names: Vec<String>,
    upward: bool,
}

fn draw(data: &RunData) -> Result<Option<Figure>, DrawError> {
    // One parameter has nothing to be correlated with.
    let Some(correlation) = data
        .correlation
        .as_ref()
        .filter(|found| found.names.len() > 1)
    else {
        return Ok(None);
    };
    let grid = grid(correlation)?;
    let entry = |value: f64| Legend::new(Mark::Area, diverging(value), compact(value));
    let layout = Layout {
        title: CHART.title,
        legend: vec![
            entry(-1.0),
            entry(-0.5),
            entry(0.5),
            entry(1.0),
            Legend::new(Mark::Area, GRID, "itself, or not known"),
        ],
        caption: caption::of_search(data),
        body_height: grid.top + grid.cell * grid.names.len() as f64,
    };
    let mut table = Table::new(["row", "column", "correlation"]);
    for (row, name) in correlation.names.iter().enumerate() {
        for (column, other) in correlation.names.iter().enumerate() {
            table.row([
                name.clone(),
                other.clone(),
                cell(value(correlation, row, column)),
            ]);
        }
    }
    Figure::new(&layout, table, |page| draw_grid(page, correlation, &grid))
}

fn value(correlation: &Correlation, row: usize, column: usize) -> f64 {
    let row = correlation.matrix.get(row);
    row.and_then(|row| row.get(column))
        .copied()
        .unwrap_or(f64::NAN)
}

/// Cells as large as the page allows. The names above the columns are turned if they are too wide.
fn grid(correlation: &Correlation) -> Result<Grid, DrawError> {
    let (mut names, mut longest) = (Vec::new(), 0.0_f64);
    for name in &correlation.names {
        let name = fitted(name, NAME_SIZE, false, LONGEST_NAME)?;
        longest = longest.max(text_width(&name, NAME_SIZE, false)?);
        names.push(name);
    }
    let space = WIDTH - 2.0 * MARGIN - longest - GAP;
    let cell = (space / names.len() as f64).min(76.0);
    let upward = longest > cell - 6.0;
    let top = GAP + if upward { longest } else { 20.0 };
    // In the middle of the page with its names.
    let left = longest + GAP + (space - cell * names.len() as f64) / 2.0;
    Ok(Grid {
        left,
        top,
        cell,
        names,
        upward,
    })
}

fn draw_grid(page: &Page<'_>, correlation: &Correlation, grid: &Grid) -> Drawn {
    let (left, top) = (page.body.left + grid.left, page.body.top + grid.top);
    for (index, name) in grid.names.iter().enumerate() {
        let middle = grid.cell * (index as f64 + 0.5);
        let label = Label::new(name, NAME_SIZE);
        page.text((left - GAP, top + middle), label.to_the_left())?;
        let label = match grid.upward {
            true => label.upward(),
            false => label.centered(),
        };
        page.text((left + middle, top - GAP), label)?;
        for column in 0..grid.names.len() {
            let x = left + grid.cell * column as f64;
            let y = top + grid.cell * index as f64;
            let square = Frame {
                left: x,
                top: y,
                right: x + grid.cell,
                bottom: y + grid.cell,
            };
            let found = value(correlation, index, column);
            draw_cell(page, square, (index != column).then_some(found))?;
        }
    }
    Ok(())
}

/// `None` is a parameter's correlation with itself, which is always 1.
fn draw_cell(page: &Page<'_>, square: Frame, value: Option<f64>) -> Drawn {
    let value = value.filter(|value| value.is_finite());
    let (ground, text, color) = match value {
        Some(value) => (diverging(value), grouped(value, 2), ink_on(value)),
        None => (GRID, String::new(), INK),
    };
    let inner = Frame {
        right: square.right - 1.0,
        bottom: square.bottom - 1.0,
        ..square
    };
    page.rectangle(inner, ground.filled())?;
    let size = ((square.right - square.left) / 4.2).clamp(9.0, 13.0);
    let middle = (
        (square.left + square.right) / 2.0,
        (square.top + square.bottom) / 2.0,
    );
    page.text(middle, Label::new(&text, size).centered().colored(color))
}

/// Light text on the strongest blue, dark text elsewhere.
fn ink_on(value: f64) -> RGBAColor {
    if value > 0.85 { PAPER } else { INK }
}
