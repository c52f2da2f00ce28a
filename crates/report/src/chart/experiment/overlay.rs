//! Chart: histograms of the largest tiles of all rows of an experiment, drawn over each other.

use crate::chart::axis::Axis;
use crate::chart::figure::{Color, Figure, Mark, Panel, ROWS};
use crate::chart::table::{Table, cell};
use crate::chart::tiles::{Tiles, log2};
use crate::chart::{Chart, caption};
use tiletune_tuning::results::experiment::{ExperimentResults, RowResult};

pub(super) const CHART: Chart<ExperimentResults> = Chart {
    name: "overlay",
    title: "Largest tile at the end of the games",
    about: "Number of games by largest tile, one outline for each player; dashed what was published for \
            it, scaled to as many games. Drawn for two to seven players with the same number of games.",
    draw,
};

/// Half the width of a histogram's bar; a tile is 1 wide.
const HALF: f64 = 0.46;
/// Offset between the bars of two rows, so that no outline hides another.
const SHIFT: f64 = 0.018;

fn draw(results: &ExperimentResults) -> Option<Figure> {
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
    let table = Table::of(
        cells,
        &[
            ("row", &|(row, _)| cell(&row.name)),
            ("log2_max_tile", &|(_, tile)| cell(log2(*tile))),
            ("max_tile", &|(_, tile)| cell(tile)),
            ("games", &|(row, tile)| {
                cell(row.summary.max_tile().get(tile).copied().unwrap_or(0))
            }),
        ],
    );
    Some(Figure::new(
        1,
        vec![panel],
        caption::of_experiment(results),
        table,
    ))
}

/// The tiles that some game ended with.
pub(super) fn tiles(rows: &[RowResult]) -> Tiles {
    let published = rows.iter().filter_map(|row| row.published.as_ref());
    let published = published.flat_map(|histogram| histogram.keys().copied());
    let ours = rows
        .iter()
        .flat_map(|row| row.summary.max_tile().keys().copied());
    Tiles::spanning(ours.chain(published))
}

/// Tile and number of games: ours, and those published as if they were as many as ours.
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
