//! Charts of the largest tiles of each row of an experiment: overlaid histograms; one panel for each row with intervals
//! beside published and reference shares; and the share of games that reached each tile.

use std::collections::BTreeSet;

use crate::chart::axis::Axis;
use crate::chart::figure::{Color, Figure, Mark, Panel, ROWS};
use crate::chart::table::table;
use crate::chart::tiles::{Tiles, log2};
use crate::chart::{Chart, Section, caption};
use crate::number::count;
use tiletune_tuning::results::Share;
use tiletune_tuning::results::experiment::{ExperimentResults, Histogram, RowResult};
use tiletune_tuning::stats::games::share;

pub(super) const OVERLAY: Chart<ExperimentResults> = Chart {
    name: "overlay",
    title: "Largest tile at the end of the games",
    about: "Number of games by largest tile, one outline for each player; dashed what was published for \
            it, scaled to as many games. Drawn for two to seven players with the same number of games.",
    place: Section::Results,
    draw: overlay,
};

pub(super) const PANELS: Chart<ExperimentResults> = Chart {
    name: "rows",
    title: "Largest tile of every player",
    about: "Share of each player's games by largest tile, with 95 % intervals, beside the published \
            share and that of an independent implementation if there are any; one panel for each \
            player.",
    place: Section::Results,
    draw: panels,
};

pub(super) const REACH: Chart<ExperimentResults> = Chart {
    name: "reach",
    title: "Games that reach each tile",
    about: "Share of each player's games that reached each tile, with 95 % intervals, one colour for \
            each player. Drawn if the experiment names a tile to reach.",
    place: Section::Results,
    draw: reach,
};

/// The tiles with which at least one game ended.
fn tiles(rows: &[RowResult]) -> Tiles {
    let published = rows.iter().filter_map(|row| row.published.as_ref());
    let published = published.flat_map(|histogram| histogram.keys().copied());
    let ours = rows
        .iter()
        .flat_map(|row| row.summary.max_tile().keys().copied());
    Tiles::spanning(ours.chain(published))
}

/// Half the width of a histogram's bar. Tiles are 1 apart.
const HALF: f64 = 0.46;
/// Offset between the bars of two rows, so that no outline hides another.
const SHIFT: f64 = 0.018;

fn overlay(results: &ExperimentResults) -> Option<Figure> {
    let rows = &results.rows;
    // Counts are comparable only between rows with the same number of games.
    let is_comparable = rows
        .windows(2)
        .all(|pair| pair[0].summary.games == pair[1].summary.games);
    let tiles = tiles(rows);
    if !(2..=ROWS).contains(&rows.len()) || !is_comparable || tiles.is_empty() {
        return None;
    }
    let counts: Vec<_> = rows.iter().map(counts).collect();
    let all = counts.iter().flatten().flatten();
    let highest = all.map(|(_, games)| *games).fold(1.0, f64::max);
    let y = Axis::between("number of games", (0.0, highest * 1.06), 6);
    let mut marks = Vec::new();
    for (index, (row, [ours, published])) in rows.iter().zip(&counts).enumerate() {
        let color = Color::Row(index);
        let shift = SHIFT * (index as f64 - (rows.len() - 1) as f64 / 2.0);
        let outline = |&(tile, games): &(u32, f64)| outline(tiles.place(tile) + shift, games);
        marks.extend(
            ours.iter()
                .map(|bar| Mark::line(color, 2.0, outline(bar).to_vec()).named(&row.name)),
        );
        for outline in published.iter().map(outline) {
            marks.extend(outline.windows(2).map(|side| {
                let name = "published, scaled to as many games";
                Mark::dashes(color, side[0], side[1]).named(name)
            }));
        }
    }
    let panel = Panel::new(440.0, tiles.log2_axis(true), y, marks);
    let cells = rows
        .iter()
        .flat_map(|row| tiles.iter().map(move |tile| (row, tile)));
    let table = table!(cells, |(row, tile)| {
        "row": row.name,
        "log2_max_tile": log2(tile),
        "max_tile": tile,
        "games": row.summary.max_tile().get(&tile).copied().unwrap_or(0),
    });
    Some(panel.figure(caption::of_experiment(results), table))
}

/// Tile and number of games: of this experiment, and of the published histogram scaled to the same number of games.
fn counts(row: &RowResult) -> [Vec<(u32, f64)>; 2] {
    let ours = row.summary.max_tile().iter();
    let ours = ours.map(|(&tile, &games)| (tile, f64::from(games)));
    let published = row.published.iter().flat_map(|histogram| {
        let scale = f64::from(row.summary.games) / histogram.values().sum::<u64>().max(1) as f64;
        histogram
            .iter()
            .map(move |(&tile, &games)| (tile, games as f64 * scale))
    });
    [ours.collect(), published.collect()]
}

/// The outline of a bar.
fn outline(x: f64, games: f64) -> [[f64; 2]; 4] {
    let (left, right) = (x - HALF, x + HALF);
    [[left, 0.0], [left, games], [right, games], [right, 0.0]]
}

const PANEL_HEIGHT: f64 = 220.0;
/// Total width of the bars of a tile. Tiles are 1 apart.
const BARS: f64 = 0.76;
/// Width of a single bar.
const LONE_BAR: f64 = 0.38;
/// From this number of rows on there are three columns of panels, which makes the page shorter.
const MANY_ROWS: usize = 9;

/// The shares of games with a largest tile.
struct Bars {
    tile: u32,
    ours: Share,
    published: Option<f64>,
    reference: Option<f64>,
}

fn panels(results: &ExperimentResults) -> Option<Figure> {
    let rows = results.rows.iter();
    let rows: Vec<(&RowResult, Vec<Bars>)> = rows.map(|row| (row, bars(row))).collect();
    let bars = || rows.iter().flat_map(|(_, bars)| bars);
    let tiles = Tiles::spanning(bars().map(|bars| bars.tile));
    if tiles.is_empty() {
        return None;
    }
    let columns = match rows.len() {
        ..=2 => 1,
        MANY_ROWS.. => 3,
        _ => 2,
    };
    // All panels have the same scale, so that they are comparable.
    let highest = bars().map(Bars::highest).fold(0.0, f64::max);
    let reference = reference_name(&results.rows);
    let panel = |(row, bars): &(&RowResult, Vec<Bars>)| {
        let y = Axis::shares("", highest * 1.08);
        let marks = bars
            .iter()
            .flat_map(|bars| bars.marks(tiles.place(bars.tile), &reference));
        Panel::new(
            PANEL_HEIGHT,
            tiles.log2_axis(columns < 3),
            y,
            marks.collect(),
        )
        .headed(&row.name)
    };
    let panels = rows.iter().map(panel).collect();
    let cells = rows
        .iter()
        .flat_map(|(row, bars)| bars.iter().map(move |bars| (row, bars)));
    let table = table!(cells, |(row, bars)| {
        "row": row.name,
        "log2_max_tile": log2(bars.tile),
        "games": bars.ours.games,
        "share": bars.ours.share,
        "low": bars.ours.low,
        "high": bars.ours.high,
        "published_share": bars.published,
        "reference_share": bars.reference,
    });
    let caption = caption::of_experiment(results);
    Some(Figure::new(columns, panels, caption, table))
}

/// What the reference of the rows is, with its number of games if that is the same for all rows.
fn reference_name(rows: &[RowResult]) -> String {
    let histograms = rows.iter().filter_map(|row| row.reference.as_ref());
    let games: BTreeSet<u64> = histograms.map(|one| one.values().sum()).collect();
    let name = "independent implementation";
    match games.first() {
        Some(games_of_all) if games.len() == 1 => format!("{name}, {} games", count(*games_of_all)),
        _ => name.to_owned(),
    }
}

impl Bars {
    /// The known published and reference shares, in drawing order.
    fn others(&self) -> impl Iterator<Item = (f64, Color)> {
        let others = [
            (self.published, Color::Published),
            (self.reference, Color::Reference),
        ];
        others
            .into_iter()
            .filter_map(|(share, color)| Some((share?, color)))
    }

    /// The bars of the tile, and the interval of this experiment's share. `reference` is the name of the reference.
    fn marks(&self, x: f64, reference: &str) -> Vec<Mark> {
        let count = 1 + self.others().count();
        let width = LONE_BAR.min(BARS / count as f64);
        let left = |place: usize| x + width * (place as f64 - count as f64 / 2.0);
        let bar = |place: usize, share: f64, color: Color, name: &str| {
            Mark::bar(color, [left(place), 0.0], [left(place + 1), share]).named(name)
        };
        let mut marks = vec![bar(0, self.ours.share, Color::Tuned, "this experiment")];
        if self.ours.games > 0 {
            let ends = [self.ours.low, self.ours.high];
            let interval = Mark::upright(Color::Ink, left(0) + width / 2.0, ends);
            marks.push(interval.named("95 % interval (exact)"));
        }
        let others = (1..).zip(self.others());
        marks.extend(others.map(|(place, (share, color))| {
            let is_published = color == Color::Published;
            let name = if is_published { "published" } else { reference };
            bar(place, share, color, name)
        }));
        marks
    }

    fn highest(&self) -> f64 {
        self.others()
            .map(|(share, _)| share)
            .fold(self.ours.high, f64::max)
    }
}

fn bars(row: &RowResult) -> Vec<Bars> {
    let ours = row.summary.max_tile();
    let others = [&row.published, &row.reference].into_iter().flatten();
    let of_others = others.flat_map(|histogram| histogram.keys());
    let tiles: BTreeSet<u32> = ours.keys().chain(of_others).copied().collect();
    let bars = |tile| {
        let share_in = |other: &Option<Histogram>| Some(share_of(other.as_ref()?, tile));
        let games = ours.get(&tile).copied().unwrap_or(0);
        Bars {
            tile,
            ours: share(games, row.summary.games, 1),
            published: share_in(&row.published),
            reference: share_in(&row.reference),
        }
    };
    tiles.into_iter().map(bars).collect()
}

/// Share of the games of a histogram that ended with a tile.
fn share_of(histogram: &Histogram, tile: u32) -> f64 {
    let games = histogram.get(&tile).copied().unwrap_or(0);
    games as f64 / histogram.values().sum::<u64>() as f64
}

fn reach(results: &ExperimentResults) -> Option<Figure> {
    let rows = &results.rows;
    let tiles = tiles(rows);
    if results.tile.is_none() || tiles.is_empty() || rows.len() > ROWS {
        return None;
    }
    let reached = |row: &RowResult| {
        let share = |tile| share(row.summary.reaching(tile), row.summary.games, 1);
        tiles.iter().map(|tile| (tile, share(tile))).collect()
    };
    let reached: Vec<Vec<(u32, Share)>> = rows.iter().map(reached).collect();
    let mut marks = Vec::new();
    for (index, (row, reached)) in rows.iter().zip(&reached).enumerate() {
        let color = Color::Row(index);
        let line = reached.iter();
        let line = line.map(|(tile, reached)| [tiles.place(*tile), reached.share]);
        marks.push(Mark::line(color, 1.5, line.collect()));
        for (tile, reached) in reached {
            let x = tiles.place(*tile);
            // If all games or no games reach a tile, the intervals of all players would cover each other.
            if 0.0 < reached.share && reached.share < 1.0 {
                let interval = Mark::upright(color, x, [reached.low, reached.high]);
                marks.push(interval.named("95 % interval (exact)"));
            }
            marks.push(Mark::dot(color, x, reached.share).named(&row.name));
        }
    }
    let y = Axis::shares("share of games that reach it", 1.04);
    let panel = Panel::new(420.0, tiles.axis("tile"), y, marks);
    let cells = rows.iter().zip(&reached);
    let cells = cells.flat_map(|(row, reached)| reached.iter().map(move |one| (row, one)));
    let table = table!(cells, |(row, (tile, reached))| {
        "row": row.name,
        "tile": tile,
        "games": reached.games,
        "share": reached.share,
        "low": reached.low,
        "high": reached.high,
    });
    Some(panel.figure(caption::of_experiment(results), table))
}
