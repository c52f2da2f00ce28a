//! Chart: the largest tiles of each row of an experiment in a panel of its own, with intervals,
//! beside the published and the reference distribution.

use std::collections::BTreeSet;

use crate::chart::axis::Axis;
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::{Table, cell, known};
use crate::chart::tiles::{Tiles, log2};
use crate::chart::{Chart, caption};
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

fn draw(results: &ExperimentResults) -> Option<Figure> {
    let rows = results.rows.iter();
    let rows: Vec<(&RowResult, Vec<Bar>)> = rows.map(|row| (row, bars(row))).collect();
    let bars = || rows.iter().flat_map(|(_, bars)| bars);
    let tiles = Tiles::spanning(bars().map(|bar| bar.tile));
    if tiles.is_empty() {
        return None;
    }
    let columns = match rows.len() {
        ..=2 => 1,
        MANY_ROWS.. => 3,
        _ => 2,
    };
    // The same scale everywhere, so that panels are comparable.
    let highest = bars().map(Bar::highest).fold(0.0, f64::max);
    let panel = |(row, bars): &(&RowResult, Vec<Bar>)| {
        let y = Axis::shares("", highest * 1.08);
        let marks = bars.iter().flat_map(|bar| bar.marks(tiles.place(bar.tile)));
        Panel::new(PANEL_HEIGHT, tiles.log2_axis(false), y, marks.collect()).headed(&row.name)
    };
    let panels = rows.iter().map(panel).collect();
    let cells = rows
        .iter()
        .flat_map(|(row, bars)| bars.iter().map(|bar| (&row.name, bar)));
    let table = Table::of(
        cells,
        &[
            ("row", &|(row, _)| cell(row)),
            ("log2_max_tile", &|(_, bar)| cell(log2(bar.tile))),
            ("games", &|(_, bar)| cell(bar.games)),
            ("share", &|(_, bar)| cell(bar.share)),
            ("low", &|(_, bar)| cell(bar.low)),
            ("high", &|(_, bar)| cell(bar.high)),
            ("published_share", &|(_, bar)| known(bar.published)),
            ("reference_share", &|(_, bar)| known(bar.reference)),
        ],
    );
    Some(Figure::new(
        columns,
        panels,
        caption::of_experiment(results),
        table,
    ))
}

impl Bar {
    /// The published and the reference share, as far as they are known, in drawing order.
    fn others(&self) -> impl Iterator<Item = (f64, Color, &'static str)> {
        let others = [
            (self.published, Color::Published, "published"),
            (self.reference, Color::Reference, "reference"),
        ];
        others
            .into_iter()
            .filter_map(|(share, color, name)| Some((share?, color, name)))
    }

    /// The bars of the tile and the interval of our own share.
    fn marks(&self, x: f64) -> Vec<Mark> {
        let count = 1 + self.others().count();
        let width = LONE_BAR.min(BARS / count as f64);
        let left = |place: usize| x + width * (place as f64 - count as f64 / 2.0);
        let bar = |place: usize, share: f64, color: Color, name: &str| {
            Mark::bar(color, [left(place), 0.0], [left(place + 1), share]).named(name)
        };
        let mut marks = vec![bar(0, self.share, Color::Tuned, "our games")];
        if self.games > 0 {
            let ends = [self.low, self.high];
            let interval = Mark::upright(Color::Ink, left(0) + width / 2.0, ends);
            marks.push(interval.named("95 % interval (exact)"));
        }
        let others = (1..).zip(self.others());
        marks.extend(others.map(|(place, (share, color, name))| bar(place, share, color, name)));
        marks
    }

    fn highest(&self) -> f64 {
        self.others()
            .map(|(share, ..)| share)
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
