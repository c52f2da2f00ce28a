//! Chart: the largest tiles of every row of an experiment in a panel of its own, with intervals and
//! what was published beside them.

use std::collections::BTreeSet;

use plotters::style::Color;

use super::axis::Axis;
use super::legend::{Legend, Mark};
use super::page::{self, Drawn, Frame, Label, Layout, Page};
use super::palette::{INK, PUBLISHED, TUNED};
use super::panel::Panel;
use super::table::{Table, cell};
use super::tiles::{Tiles, log2};
use super::{Chart, DrawError, Figure, caption};
use crate::record::experiment::{ExperimentResults, RowResult};
use crate::stats::intervals::wilson_interval;

const TITLE: &str = "Largest tile of every row, with what was published";

pub(super) const CHART: Chart<ExperimentResults> = Chart {
    name: "rows",
    title: TITLE,
    about: "Share of a row's games that ended with each largest tile, with 95 % intervals, beside \
            the published share where there is one; a panel a row.",
    draw,
};

const PANEL_HEIGHT: f64 = 220.0;
const BAR: f64 = 0.38;

/// A share of games by largest tile.
struct Bar {
    tile: u32,
    games: u32,
    share: f64,
    low: f64,
    high: f64,
    published: Option<f64>,
}

fn draw(results: &ExperimentResults) -> Result<Option<Figure>, DrawError> {
    let rows: Vec<(&RowResult, Vec<Bar>)> =
        results.rows.iter().map(|row| (row, bars(row))).collect();
    let bars = rows.iter().flat_map(|(_, bars)| bars);
    let tiles = Tiles::spanning(bars.map(|bar| bar.tile));
    if tiles.is_empty() {
        return Ok(None);
    }
    let columns = if rows.len() > 2 { 2 } else { 1 };
    let grid = (columns, rows.len().div_ceil(columns));
    let mut legend = vec![
        Legend::new(Mark::Area, TUNED, "our games"),
        Legend::new(Mark::Line, INK, "95 % interval (Wilson)"),
    ];
    if rows.iter().any(|(row, _)| row.published.is_some()) {
        legend.push(Legend::new(Mark::Area, PUBLISHED, "published"));
    }
    let has_published = legend.len() > 2;
    let layout = Layout {
        title: match has_published {
            true => TITLE,
            false => "Largest tile of every row",
        },
        legend,
        caption: caption::of_experiment(results),
        body_height: PANEL_HEIGHT * grid.1 as f64,
    };
    let svg = page::draw(&layout, |page| {
        for (index, (row, bars)) in rows.iter().enumerate() {
            let frame = page.body.cell(grid.0, grid.1, index);
            draw_panel(page, frame, &row.name, bars, &tiles)?;
        }
        Ok(())
    })?;
    Ok(Some(Figure {
        svg,
        table: table(&rows),
    }))
}

fn bars(row: &RowResult) -> Vec<Bar> {
    let ours = &row.max_tile;
    let published = row.published.as_ref();
    let of_published = published.map(|counts| counts.values().sum::<u64>() as f64);
    let tiles: BTreeSet<u32> = ours
        .keys()
        .chain(published.into_iter().flat_map(|counts| counts.keys()))
        .copied()
        .collect();
    let bar = |tile| {
        let games = ours.get(&tile).copied().unwrap_or(0);
        let share = f64::from(games) / f64::from(row.games);
        let interval = wilson_interval(share, u64::from(row.games));
        Bar {
            tile,
            games,
            share,
            low: interval.low,
            high: interval.high,
            published: published
                .zip(of_published)
                .map(|(counts, all)| counts.get(&tile).copied().unwrap_or(0) as f64 / all),
        }
    };
    tiles.into_iter().map(bar).collect()
}

fn draw_panel(page: &Page<'_>, frame: Frame, name: &str, bars: &[Bar], tiles: &Tiles) -> Drawn {
    let inside = frame.inside();
    let highest = bars
        .iter()
        .map(|bar| bar.high.max(bar.published.unwrap_or(0.0)))
        .fold(0.0, f64::max);
    let x = tiles.log2_axis(false);
    let y = Axis::shares("", highest * 1.08);
    let panel = Panel::new(page, inside, x, y)?;
    let title = Label {
        bold: true,
        ..Label::new(name, 12.0)
    };
    page.text((inside.left, inside.top - 14.0), title)?;
    for bar in bars {
        let x = tiles.place(bar.tile);
        // Alone, a bar stands over its tile.
        let middle = if bar.published.is_some() {
            x - BAR / 2.0
        } else {
            x
        };
        let (left, right) = (middle - BAR / 2.0, middle + BAR / 2.0);
        panel.bar((left, 0.0), (right, bar.share), TUNED.filled())?;
        if bar.games > 0 {
            panel.whisker(middle, bar.low, bar.high, INK)?;
        }
        if let Some(share) = bar.published {
            panel.bar((x, 0.0), (x + BAR, share), PUBLISHED.filled())?;
        }
    }
    Ok(())
}

fn table(rows: &[(&RowResult, Vec<Bar>)]) -> Table {
    let mut table = Table::new([
        "row",
        "log2_max_tile",
        "games",
        "share",
        "low",
        "high",
        "published_share",
    ]);
    for (row, bars) in rows {
        for bar in bars {
            let numbers = [bar.share, bar.low, bar.high].map(cell);
            let published = bar.published.map(cell).unwrap_or_default();
            let keys = [cell(&row.name), cell(log2(bar.tile)), cell(bar.games)];
            table.row(keys.into_iter().chain(numbers).chain([published]));
        }
    }
    table
}
