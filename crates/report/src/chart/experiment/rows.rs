//! Chart: the largest tiles of each row of an experiment in a panel of its own, with intervals,
//! beside the published and the reference distribution.

use std::collections::BTreeSet;

use crate::chart::draw::{
    Axis, Color, DrawError, Drawn, Frame, INK, Label, Layout, Legend, Mark, PUBLISHED, Page, Panel,
    REFERENCE, RGBAColor, TUNED,
};
use crate::chart::tiles::{Tiles, log2};
use crate::chart::{Chart, Figure, Table, caption, cell};
use tiletune_tuning::results::experiment::{ExperimentResults, Histogram, RowResult};
use tiletune_tuning::stats::intervals::share_interval;

pub(super) const CHART: Chart<ExperimentResults> = Chart {
    name: "rows",
    title: "Largest tile of every player",
    about: "Share of each player's games by largest tile, with 95 % intervals, beside the published \
            and the reference share if there are any; one panel for each player.",
    draw,
};

const PANEL_HEIGHT: f64 = 220.0;
/// Width of the bars of a tile together; a tile is 1 wide.
const BARS: f64 = 0.76;
/// Width of a bar that stands alone.
const LONE_BAR: f64 = 0.38;
/// From this many rows on, the panels stand in three columns, so that the page gets less long.
const MANY_ROWS: usize = 9;

/// A share of games by largest tile.
struct Bar {
    tile: u32,
    games: u32,
    share: f64,
    low: f64,
    high: f64,
    published: Option<f64>,
    reference: Option<f64>,
}

fn draw(results: &ExperimentResults) -> Result<Option<Figure>, DrawError> {
    let rows: Vec<(&RowResult, Vec<Bar>)> =
        results.rows.iter().map(|row| (row, bars(row))).collect();
    let bars = rows.iter().flat_map(|(_, bars)| bars);
    let tiles = Tiles::spanning(bars.map(|bar| bar.tile));
    if tiles.is_empty() {
        return Ok(None);
    }
    let columns = match rows.len() {
        ..=2 => 1,
        MANY_ROWS.. => 3,
        _ => 2,
    };
    let grid = (columns, rows.len().div_ceil(columns));
    let mut legend = vec![
        Legend::new(Mark::Area, TUNED, "our games"),
        Legend::new(Mark::Line, INK, "95 % interval (exact)"),
    ];
    if rows.iter().any(|(row, _)| row.published.is_some()) {
        legend.push(Legend::new(Mark::Area, PUBLISHED, "published"));
    }
    if rows.iter().any(|(row, _)| row.reference.is_some()) {
        legend.push(Legend::new(Mark::Area, REFERENCE, "reference"));
    }
    let layout = Layout {
        title: CHART.title,
        legend,
        caption: caption::of_experiment(results),
        body_height: PANEL_HEIGHT * grid.1 as f64,
    };
    // The same scale everywhere, so that panels are comparable.
    let bars = rows.iter().flat_map(|(_, bars)| bars);
    let highest = bars.map(Bar::highest).fold(0.0, f64::max);
    Figure::new(&layout, table(&rows), |page| {
        for (index, (row, bars)) in rows.iter().enumerate() {
            let frame = page.body.cell(grid.0, grid.1, index);
            draw_panel(page, frame, &row.name, bars, (&tiles, highest))?;
        }
        Ok(())
    })
}

impl Bar {
    /// The published and the reference share, as far as they are known, in drawing order.
    fn others(&self) -> impl Iterator<Item = (f64, RGBAColor)> + Clone {
        let others = [(self.published, PUBLISHED), (self.reference, REFERENCE)];
        let known = |(share, color): (Option<f64>, RGBAColor)| Some((share?, color));
        others.into_iter().filter_map(known)
    }

    fn highest(&self) -> f64 {
        self.others()
            .map(|(share, _)| share)
            .fold(self.high, f64::max)
    }
}

fn bars(row: &RowResult) -> Vec<Bar> {
    let ours = row.summary.max_tile();
    let others = [&row.published, &row.reference].into_iter().flatten();
    let of_others = others.flat_map(|histogram| histogram.keys());
    let tiles: BTreeSet<u32> = ours.keys().chain(of_others).copied().collect();
    let bar = |tile| {
        let games = ours.get(&tile).copied().unwrap_or(0);
        let share = f64::from(games) / f64::from(row.summary.games);
        let interval = share_interval(f64::from(games), u64::from(row.summary.games));
        let share_in = |other: &Option<Histogram>| Some(share_of(other.as_ref()?, tile));
        Bar {
            tile,
            games,
            share,
            low: interval.low,
            high: interval.high,
            published: share_in(&row.published),
            reference: share_in(&row.reference),
        }
    };
    tiles.into_iter().map(bar).collect()
}

/// Share of a histogram's games that ended with a tile.
fn share_of(histogram: &Histogram, tile: u32) -> f64 {
    let games = histogram.get(&tile).copied().unwrap_or(0);
    games as f64 / histogram.values().sum::<u64>() as f64
}

fn draw_panel(
    page: &Page<'_>,
    frame: Frame,
    name: &str,
    bars: &[Bar],
    (tiles, highest): (&Tiles, f64),
) -> Drawn {
    let inside = frame.inside();
    let x = tiles.log2_axis(false);
    let y = Axis::shares("", highest * 1.08);
    let panel = Panel::new(page, inside, x, y)?;
    let title = Label::new(name, 12.0).bold();
    page.text((inside.left, inside.top - 14.0), title)?;
    for bar in bars {
        let x = tiles.place(bar.tile);
        let count = 1 + bar.others().count();
        let width = LONE_BAR.min(BARS / count as f64);
        let left = |place: usize| x + width * (place as f64 - count as f64 / 2.0);
        panel.bar((left(0), 0.0), (left(1), bar.share), TUNED.filled())?;
        if bar.games > 0 {
            panel.whisker(left(0) + width / 2.0, bar.low, bar.high, INK)?;
        }
        for (place, (share, color)) in (1..).zip(bar.others()) {
            panel.bar((left(place), 0.0), (left(place + 1), share), color.filled())?;
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
        "reference_share",
    ]);
    for (row, bars) in rows {
        for bar in bars {
            let numbers = [bar.share, bar.low, bar.high].map(cell);
            let others = [bar.published, bar.reference];
            let others = others.map(|share| share.map(cell).unwrap_or_default());
            let keys = [cell(&row.name), cell(log2(bar.tile)), cell(bar.games)];
            table.row(keys.into_iter().chain(numbers).chain(others));
        }
    }
    table
}
