//! Chart: share of the signal and number of games by generation.

use super::restart::{boundaries, restarts};
use crate::chart::draw::{
    Axis, DIVIDER, DrawError, Drawn, Frame, Layout, Legend, Mark, Page, Panel, REFERENCE, SEARCH,
};
use crate::chart::{Chart, Figure, Table, caption, cell};
use tiletune_tuning::results::{GenerationRow, RunData};

pub(super) const CHART: Chart = Chart {
    name: "signal",
    title: "Signal and games by generation",
    about: "Share of the differences in fitness that is due to the candidates and not to luck; games of \
            each candidate, and the number at which that share would be one half.",
    draw,
};

/// Numbers of games needed above this share of the largest number played are not drawn.
const HIGHEST: f64 = 4.0;

fn draw(data: &RunData) -> Result<Option<Figure>, DrawError> {
    if data.generations.is_empty() {
        return Ok(None);
    }
    let mut legend = vec![
        Legend::new(Mark::Line, SEARCH, "signal share, games"),
        Legend::new(Mark::Line, REFERENCE, "one half, games needed for it"),
    ];
    if boundaries(&data.generations).next().is_some() {
        legend.push(Legend::new(Mark::Line, DIVIDER, "restart"));
    }
    let layout = Layout {
        title: CHART.title,
        legend,
        caption: caption::of_search(data),
        body_height: 520.0,
    };
    let mut table = Table::new([
        "generation",
        "restart",
        "signal",
        "games",
        "games_needed",
        "gain",
    ]);
    for row in &data.generations {
        let counts = [row.generation, row.restart].map(cell);
        let rest = [
            cell(row.signal),
            cell(row.games),
            cell(row.games_needed),
            cell(row.gain),
        ];
        table.row(counts.into_iter().chain(rest));
    }
    Figure::new(&layout, table, |page| {
        let [upper, lower] = page.body.halves();
        draw_share(page, upper, data)?;
        draw_games(page, lower, data)
    })
}

fn draw_share(page: &Page<'_>, frame: Frame, data: &RunData) -> Drawn {
    let axis = Axis::shares("signal share of the variance of fitness", 1.0);
    let panel = panel(page, frame, data, axis)?;
    panel.level(0.5, REFERENCE)?;
    let rows = &data.generations;
    restarts(rows).try_for_each(|rows| panel.line(&points(rows, |row| row.signal), SEARCH, 2.0))
}

fn draw_games(page: &Page<'_>, frame: Frame, data: &RunData) -> Drawn {
    let rows = &data.generations;
    let played = |row: &GenerationRow| f64::from(row.games);
    let most = HIGHEST * rows.iter().map(played).fold(1.0, f64::max);
    let needed = |row: &GenerationRow| row.games_needed.clamp(1.0, most);
    let values = rows.iter().flat_map(|row| [played(row), needed(row)]);
    let axis = Axis::logarithmic("games of each candidate", values);
    let panel = panel(page, frame, data, axis)?;
    restarts(rows).try_for_each(|rows| {
        panel.line(&points(rows, needed), REFERENCE, 1.5)?;
        panel.line(&points(rows, played), SEARCH, 2.0)
    })
}

/// A panel with the generations and the dividers of the restarts.
fn panel<'a>(
    page: &Page<'a>,
    frame: Frame,
    data: &RunData,
    y: Axis,
) -> Result<Panel<'a>, DrawError> {
    let rows = &data.generations;
    let last = rows.last().map_or(0, |row| row.generation);
    let x = Axis::generations("generation", last, 10);
    let panel = Panel::new(page, frame.inside(), x, y)?;
    boundaries(rows).try_for_each(|x| panel.divider(x))?;
    Ok(panel)
}

fn points(rows: &[GenerationRow], value: impl Fn(&GenerationRow) -> f64) -> Vec<(f64, f64)> {
    let point = |row: &GenerationRow| (f64::from(row.generation), value(row));
    rows.iter().map(point).collect()
}
