//! Chart: histograms of the largest tiles of all rows of an experiment, drawn over each other.

use crate::chart::draw::{
    Axis, DrawError, Drawn, GREY, Layout, Legend, Mark, Page, Panel, ROW_COLORS, row,
};
use crate::chart::tiles::{Tiles, log2};
use crate::chart::{Chart, Figure, Table, caption, cell};
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

fn draw(results: &ExperimentResults) -> Result<Option<Figure>, DrawError> {
    let rows = &results.rows;
    // Counts are comparable only between rows with the same number of games.
    let is_comparable = rows
        .windows(2)
        .all(|pair| pair[0].summary.games == pair[1].summary.games);
    if !(2..=ROW_COLORS).contains(&rows.len()) || !is_comparable {
        return Ok(None);
    }
    let tiles = tiles(rows);
    if tiles.is_empty() {
        return Ok(None);
    }
    let legend = rows.iter().enumerate();
    let mut legend: Vec<Legend> = legend
        .map(|(index, result)| Legend::new(Mark::Line, row(index), &result.name))
        .collect();
    if rows.iter().any(|row| row.published.is_some()) {
        legend.push(Legend::new(
            Mark::Dashes,
            GREY,
            "published, scaled to as many games",
        ));
    }
    let layout = Layout {
        title: CHART.title,
        legend,
        caption: caption::of_experiment(results),
        body_height: 440.0,
    };
    Figure::new(&layout, table(rows, &tiles), |page| {
        draw_panel(page, rows, &tiles)
    })
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

fn draw_panel(page: &Page<'_>, rows: &[RowResult], tiles: &Tiles) -> Drawn {
    let x = tiles.log2_axis(true);
    let counts: Vec<_> = rows.iter().map(counts).collect();
    let all = counts.iter().flatten().flatten();
    let highest = all.map(|(_, games)| *games).fold(1.0, f64::max);
    let y = Axis::between("number of games", (0.0, highest * 1.06), 6);
    let panel = Panel::new(page, page.body.inside(), x, y)?;
    for (index, [ours, published]) in counts.iter().enumerate() {
        let shift = SHIFT * (index as f64 - (rows.len() - 1) as f64 / 2.0);
        for &(tile, games) in ours {
            panel.line(&outline(tiles.place(tile) + shift, games), row(index), 2.0)?;
        }
        for &(tile, games) in published {
            let outline = outline(tiles.place(tile) + shift, games);
            for side in outline.windows(2) {
                panel.dashes(side[0], side[1], row(index))?;
            }
        }
    }
    Ok(())
}

/// The outline of a bar.
fn outline(x: f64, games: f64) -> [(f64, f64); 4] {
    let (left, right) = (x - HALF, x + HALF);
    [(left, 0.0), (left, games), (right, games), (right, 0.0)]
}

fn table(rows: &[RowResult], tiles: &Tiles) -> Table {
    let mut table = Table::new(["row", "log2_max_tile", "max_tile", "games"]);
    for row in rows {
        for tile in tiles.iter() {
            let games = row.summary.max_tile().get(&tile).copied().unwrap_or(0);
            table.row([cell(&row.name), cell(log2(tile)), cell(tile), cell(games)]);
        }
    }
    table
}
