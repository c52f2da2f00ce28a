//! Chart: the share of games that reached each tile, for each row of an experiment.

use super::overlay::tiles;
use crate::chart::draw::{
    Axis, DrawError, Drawn, INK, Layout, Legend, Mark, Page, Panel, ROW_COLORS, row,
};
use crate::chart::{Chart, Figure, Table, caption, cell, tiles::Tiles};
use tiletune_tuning::results::experiment::{ExperimentResults, RowResult};
use tiletune_tuning::stats::intervals::share_interval;

pub(super) const CHART: Chart<ExperimentResults> = Chart {
    name: "reach",
    title: "Games that reach each tile",
    about: "Share of each player's games that reached each tile, with 95 % intervals, one colour for \
            each player. Drawn if the experiment names a tile to reach.",
    draw,
};

struct Point {
    tile: u32,
    games: u32,
    share: f64,
    low: f64,
    high: f64,
}

fn draw(results: &ExperimentResults) -> Result<Option<Figure>, DrawError> {
    let rows = &results.rows;
    let tiles = tiles(rows);
    if results.tile.is_none() || tiles.is_empty() || rows.len() > ROW_COLORS {
        return Ok(None);
    }
    let points: Vec<Vec<Point>> = rows.iter().map(|row| points(row, &tiles)).collect();
    let legend = rows.iter().enumerate();
    let mut legend: Vec<Legend> = legend
        .map(|(index, result)| Legend::new(Mark::Dot, row(index), &result.name))
        .collect();
    legend.push(Legend::new(Mark::Line, INK, "95 % interval (exact)"));
    let layout = Layout {
        title: CHART.title,
        legend,
        caption: caption::of_experiment(results),
        body_height: 420.0,
    };
    let mut table = Table::new(["row", "tile", "games", "share", "low", "high"]);
    for (row, points) in rows.iter().zip(&points) {
        for point in points {
            let numbers = [point.share, point.low, point.high].map(cell);
            let keys = [cell(&row.name), cell(point.tile), cell(point.games)];
            table.row(keys.into_iter().chain(numbers));
        }
    }
    Figure::new(&layout, table, |page| draw_panel(page, &tiles, &points))
}

fn points(row: &RowResult, tiles: &Tiles) -> Vec<Point> {
    let point = |tile| {
        let games = row.summary.reaching(tile);
        let share = f64::from(games) / f64::from(row.summary.games);
        let interval = share_interval(f64::from(games), u64::from(row.summary.games));
        Point {
            tile,
            games,
            share,
            low: interval.low,
            high: interval.high,
        }
    };
    tiles.iter().map(point).collect()
}

fn draw_panel(page: &Page<'_>, tiles: &Tiles, points: &[Vec<Point>]) -> Drawn {
    let x = tiles.axis("tile");
    let y = Axis::shares("share of games that reach it", 1.04);
    let panel = Panel::new(page, page.body.inside(), x, y)?;
    for (index, points) in points.iter().enumerate() {
        let color = row(index);
        let places = points.iter().enumerate();
        let places: Vec<(f64, f64)> = places
            .map(|(place, point)| (place as f64, point.share))
            .collect();
        panel.line(&places, color, 1.5)?;
        for (&(x, share), point) in places.iter().zip(points) {
            // Where all or no games reach a tile, intervals of all players would hide each other.
            if 0.0 < share && share < 1.0 {
                panel.whisker(x, point.low, point.high, color)?;
            }
            panel.dot(x, share, color)?;
        }
    }
    Ok(())
}
