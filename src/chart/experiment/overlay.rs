//! Chart: histograms of the largest tiles of all rows of an experiment, drawn over each other.

use crate::chart::draw::{
    Axis, Color, DrawError, Drawn, Layout, Legend, Mark, Page, Panel, RGBAColor, ROW_COLORS, faint,
    row,
};
use crate::chart::tiles::{Tiles, log2};
use crate::chart::{Chart, Figure, Table, caption, cell};
use crate::record::experiment::{ExperimentResults, RowResult};

pub(super) const CHART: Chart<ExperimentResults> = Chart {
    name: "overlay",
    title: "Largest tile at the end of the games",
    about: "Number of games by largest tile, one colour for each row. Drawn for two to seven rows \
            with the same number of games.",
    draw,
};

/// Half the width of a histogram's bar; a tile is 1 wide.
const HALF: f64 = 0.42;
/// Offset between the bars of two rows, so that no outline hides another.
const SHIFT: f64 = 0.014;

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
    let legend = legend.map(|(index, result)| Legend::new(Mark::Area, row(index), &result.name));
    let layout = Layout {
        title: CHART.title,
        legend: legend.collect(),
        caption: caption::of_experiment(results),
        body_height: 440.0,
    };
    Figure::new(&layout, table(rows, &tiles), |page| {
        draw_panel(page, rows, &tiles)
    })
}

/// The tiles that some game ended with.
pub(super) fn tiles(rows: &[RowResult]) -> Tiles {
    Tiles::spanning(
        rows.iter()
            .flat_map(|row| row.summary.max_tile().keys().copied()),
    )
}

fn draw_panel(page: &Page<'_>, rows: &[RowResult], tiles: &Tiles) -> Drawn {
    let x = tiles.log2_axis(true);
    let highest = rows
        .iter()
        .flat_map(|row| row.summary.max_tile().values())
        .max();
    let highest = f64::from(highest.copied().unwrap_or(1));
    let y = Axis::between("number of games", (0.0, highest * 1.06), 6);
    let panel = Panel::new(page, page.body.inside(), x, y)?;
    // Fills first, so that they hide no outline.
    for is_outline in [false, true] {
        for (index, result) in rows.iter().enumerate() {
            let shift = SHIFT * (index as f64 - (rows.len() - 1) as f64 / 2.0);
            for (&tile, &games) in result.summary.max_tile() {
                let place = tiles.place(tile) + shift;
                draw_bar(&panel, place, f64::from(games), row(index), is_outline)?;
            }
        }
    }
    Ok(())
}

fn draw_bar(panel: &Panel<'_>, x: f64, games: f64, color: RGBAColor, is_outline: bool) -> Drawn {
    let (left, right) = (x - HALF, x + HALF);
    if is_outline {
        let outline = [(left, 0.0), (left, games), (right, games), (right, 0.0)];
        return panel.line(&outline, color, 2.0);
    }
    panel.bar((left, 0.0), (right, games), faint(color, 0.22).filled())
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
