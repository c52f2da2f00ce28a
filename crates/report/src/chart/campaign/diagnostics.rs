//! Chart: what the optimizer says of itself, by generation: of CMA-ES step size and axis ratio.

use super::restart::{boundaries, restarts};
use crate::chart::draw::{
    Axis, DIVIDER, DrawError, Drawn, Frame, Layout, Legend, Mark, Page, Panel, SEARCH,
};
use crate::chart::{Chart, Figure, Table, caption, cell};
use tiletune_engine::heuristic::Scale;
use tiletune_tuning::results::{Diagnostic, GenerationRow, RunData};

pub(super) const CHART: Chart = Chart {
    name: "diagnostics",
    title: "Diagnostics of the optimizer by generation",
    about: "The numbers by which the optimizer can be watched, each in a panel: of CMA-ES the step size, and \
            the ratio of the longest to the shortest axis of its distribution, both on logarithmic axes.",
    draw,
};

fn draw(data: &RunData) -> Result<Option<Figure>, DrawError> {
    if data.generations.is_empty() || data.diagnostics.is_empty() {
        return Ok(None);
    }
    let mut legend = Vec::new();
    if boundaries(&data.generations).next().is_some() {
        legend.push(Legend::new(Mark::Line, DIVIDER, "restart"));
    }
    let caption = caption::of_search(data);
    let panels = data.diagnostics.len();
    let layout = Layout {
        title: CHART.title,
        legend,
        caption,
        body_height: 260.0 * panels as f64,
    };
    let names = data.diagnostics.iter().map(|diagnostic| diagnostic.name);
    let mut table = Table::new(["generation", "restart"].into_iter().chain(names));
    for row in &data.generations {
        let values = data
            .diagnostics
            .iter()
            .map(|diagnostic| value(row, diagnostic));
        let numbers = [cell(row.generation), cell(row.restart)].into_iter();
        table.row(numbers.chain(values.map(cell)));
    }
    Figure::new(&layout, table, |page| {
        for (index, diagnostic) in data.diagnostics.iter().enumerate() {
            draw_panel(page, page.body.cell(1, panels, index), data, diagnostic)?;
        }
        Ok(())
    })
}

fn value(row: &GenerationRow, diagnostic: &Diagnostic) -> f64 {
    row.diagnostic(diagnostic.name).unwrap_or(f64::NAN)
}

fn draw_panel(page: &Page<'_>, frame: Frame, data: &RunData, diagnostic: &Diagnostic) -> Drawn {
    let rows = &data.generations;
    let last = rows.last().map_or(0, |row| row.generation);
    let values = rows.iter().map(|row| value(row, diagnostic));
    let title = format!("{} ({})", diagnostic.label, diagnostic.unit);
    let y = match diagnostic.scale {
        Scale::Log => Axis::logarithmic(title, values),
        Scale::Linear => Axis::linear(title, values, 5),
    };
    let x = Axis::generations("generation", last, 10);
    let panel = Panel::new(page, frame.inside(), x, y)?;
    boundaries(rows).try_for_each(|x| panel.divider(x))?;
    restarts(rows).try_for_each(|rows| {
        let points = rows
            .iter()
            .map(|row| (f64::from(row.generation), value(row, diagnostic)));
        panel.line(&points.collect::<Vec<_>>(), SEARCH, 2.0)
    })
}
