//! Chart: step size and axis ratio of the search distribution by generation.

use super::search::{axis, curve, dividers, restarts};
use crate::chart::axis::Axis;
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::{Table, cell};
use crate::chart::{Chart, caption};
use tiletune_tuning::results::{GenerationRow, RunData};

pub(super) const CHART: Chart = Chart {
    name: "step-size",
    title: "Step size and axis ratio by generation",
    about: "Step size of the search, and the ratio of the longest to the shortest axis of its \
            distribution. Both axes are logarithmic.",
    draw,
};

fn draw(data: &RunData) -> Option<Figure> {
    let rows = &data.generations;
    rows.first()?;
    let sigma = "step size σ (1 = the whole width of a parameter’s bounds)";
    let ratio = "axis ratio (longest to shortest axis of the distribution)";
    let panels = vec![
        panel(rows, sigma, |row| row.sigma),
        panel(rows, ratio, |row| row.axis_ratio),
    ];
    let table = Table::of(
        rows,
        &[
            ("generation", &|row| cell(row.generation)),
            ("restart", &|row| cell(row.restart)),
            ("sigma", &|row| cell(row.sigma)),
            ("axis_ratio", &|row| cell(row.axis_ratio)),
        ],
    );
    Some(Figure::new(1, panels, caption::of_search(data), table))
}

fn panel(rows: &[GenerationRow], title: &str, value: fn(&GenerationRow) -> f64) -> Panel {
    let y = Axis::logarithmic(title, rows.iter().map(value));
    let mut marks = dividers(rows);
    let line = |rows| Mark::line(Color::Ink, 2.0, curve(rows, value));
    marks.extend(restarts(rows).map(line));
    Panel::new(260.0, axis(rows, 10), y, marks)
}
