//! Chart: what the optimizer says of itself, by generation: of CMA-ES step size and axis ratio.

use super::search::{axis, curve, dividers, restarts};
use crate::chart::axis::Axis;
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::{Column, Table, cell};
use crate::chart::{Chart, caption};
use tiletune_engine::heuristic::Scale;
use tiletune_tuning::results::{Diagnostic, GenerationRow, RunData};

pub(super) const CHART: Chart = Chart {
    name: "diagnostics",
    title: "Diagnostics of the optimizer by generation",
    about: "The numbers by which the optimizer can be watched, each in a panel: of CMA-ES the step size, and \
            the ratio of the longest to the shortest axis of its distribution, both on logarithmic axes.",
    draw,
};

fn draw(data: &RunData) -> Option<Figure> {
    let (rows, diagnostics) = (&data.generations, data.diagnostics);
    rows.first()?;
    diagnostics.first()?;
    let panels = diagnostics.iter().map(|diagnostic| panel(rows, diagnostic));
    let values = diagnostics.iter().map(|diagnostic| {
        let value = move |row: &&GenerationRow| cell(value(row, diagnostic));
        (diagnostic.name, value)
    });
    let values: Vec<_> = values.collect();
    let mut columns: Vec<Column<'_, &GenerationRow>> = vec![
        ("generation", &|row| cell(row.generation)),
        ("restart", &|row| cell(row.restart)),
    ];
    for (name, value) in &values {
        columns.push((name, value));
    }
    let table = Table::of(rows, &columns);
    Some(Figure::new(
        1,
        panels.collect(),
        caption::of_search(data),
        table,
    ))
}

fn value(row: &GenerationRow, diagnostic: &Diagnostic) -> f64 {
    row.diagnostic(diagnostic.name).unwrap_or(f64::NAN)
}

fn panel(rows: &[GenerationRow], diagnostic: &Diagnostic) -> Panel {
    let title = format!("{} ({})", diagnostic.label, diagnostic.unit);
    let values = rows.iter().map(|row| value(row, diagnostic));
    let y = match diagnostic.scale {
        Scale::Log => Axis::logarithmic(title, values),
        Scale::Linear => Axis::linear(title, values, 5),
    };
    let mut marks = dividers(rows);
    let line = |rows| Mark::line(Color::Ink, 2.0, curve(rows, |row| value(row, diagnostic)));
    marks.extend(restarts(rows).map(line));
    Panel::new(260.0, axis(rows, 10), y, marks)
}
