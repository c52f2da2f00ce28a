//! Chart: the share of games that reached each tile, for each row of an experiment.

use super::overlay::tiles;
use crate::chart::axis::Axis;
use crate::chart::figure::{Color, Figure, Mark, Panel, ROWS};
use crate::chart::table::{Table, cell};
use crate::chart::{Chart, caption};
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

fn draw(results: &ExperimentResults) -> Option<Figure> {
    let rows = &results.rows;
    let tiles = tiles(rows);
    if results.tile.is_none() || tiles.is_empty() || rows.len() > ROWS {
        return None;
    }
    let points: Vec<Vec<Point>> = rows
        .iter()
        .map(|row| tiles.iter().map(|tile| point(row, tile)).collect())
        .collect();
    let mut marks = Vec::new();
    for (index, (row, points)) in rows.iter().zip(&points).enumerate() {
        let color = Color::Row(index);
        let places = points.iter().enumerate();
        let places = places
            .map(|(place, point)| [place as f64, point.share])
            .collect();
        marks.push(Mark::line(color, 1.5, places));
        for (place, point) in points.iter().enumerate() {
            let (x, share) = (place as f64, point.share);
            // Where all or no games reach a tile, intervals of all players would hide each other.
            if 0.0 < share && share < 1.0 {
                let interval = Mark::upright(color, x, [point.low, point.high]);
                marks.push(interval.named("95 % interval (exact)"));
            }
            marks.push(Mark::dot(color, x, share).named(&row.name));
        }
    }
    let y = Axis::shares("share of games that reach it", 1.04);
    let panel = Panel::new(420.0, tiles.axis("tile"), y, marks);
    let cells = rows.iter().zip(&points);
    let cells = cells.flat_map(|(row, points)| points.iter().map(move |point| (&row.name, point)));
    let table = Table::of(
        cells,
        &[
            ("row", &|(row, _)| cell(row)),
            ("tile", &|(_, point)| cell(point.tile)),
            ("games", &|(_, point)| cell(point.games)),
            ("share", &|(_, point)| cell(point.share)),
            ("low", &|(_, point)| cell(point.low)),
            ("high", &|(_, point)| cell(point.high)),
        ],
    );
    Some(Figure::new(
        1,
        vec![panel],
        caption::of_experiment(results),
        table,
    ))
}

fn point(row: &RowResult, tile: u32) -> Point {
    let games = row.summary.reaching(tile);
    let interval = share_interval(f64::from(games), u64::from(row.summary.games));
    Point {
        tile,
        games,
        share: f64::from(games) / f64::from(row.summary.games),
        low: interval.low,
        high: interval.high,
    }
}
