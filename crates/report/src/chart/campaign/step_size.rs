//! Chart: step size and axis ratio of the search distribution by generation.

use super::restart::{boundaries, restarts};
use crate::chart::draw::{
    Axis, DIVIDER, DrawError, Drawn, Frame, Layout, Legend, Mark, Page, Panel, SEARCH,
};
use crate::chart::{Chart, Figure, Table, caption, cell};
use tiletune_tuning::results::{GenerationRow, RunData};

pub(super) const CHART: Chart = Chart {
    name: "step-size",
    title: "Step size and axis ratio by generation",
    about: "Step size of the search, and the ratio of the longest to the shortest axis of its \
            distribution. Both axes are logarithmic.",
    draw,
};

fn draw(data: &RunData) -> Result<Option<Figure>, DrawError> {
    if data.generations.is_empty() {
        return Ok(None);
    }
    let mut legend = Vec::new();
    if boundaries(&data.generations).next().is_some() {
        legend.push(Legend::new(Mark::Line, DIVIDER, "restart"));
    }
    let caption = caption::of_search(data);
    let layout = Layout {
        title: CHART.title,
        legend,
        caption,
        body_height: 520.0,
    };
    let mut table = Table::new(["generation", "restart", "sigma", "axis_ratio"]);
    for row in &data.generations {
        table.row([
            cell(row.generation),
            cell(row.restart),
            cell(row.sigma),
            cell(row.axis_ratio),
        ]);
    }
    Figure::new(&layout, table, |page| {
        let [upper, lower] = page.body.halves();
        let sigma = "step size σ (1 = the whole width of a parameter’s bounds)";
        draw_panel(page, upper, data, sigma, |row| row.sigma)?;
        let ratio = "axis ratio (longest to shortest axis of the distribution)";
        draw_panel(page, lower, data, ratio, |row| row.axis_ratio)
    })
}

fn draw_panel(
    page: &Page<'_>,
    frame: Frame,
    data: &RunData,
    title: &str,
    value: fn(&GenerationRow) -> f64,
) -> Drawn {
    let rows = &data.generations;
    let last = rows.last().map_or(0, |row| row.generation);
    let y = Axis::logarithmic(title, rows.iter().map(value));
    let x = Axis::generations("generation", last, 10);
    let panel = Panel::new(page, frame.inside(), x, y)?;
    boundaries(rows).try_for_each(|x| panel.divider(x))?;
    restarts(rows).try_for_each(|rows| {
        let points = rows
            .iter()
            .map(|row| (f64::from(row.generation), value(row)));
        panel.line(&points.collect::<Vec<_>>(), SEARCH, 2.0)
    })
}
