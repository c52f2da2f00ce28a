//! Charts of an exact result: the largest tiles at the end, and where the player loses against perfect play.

use super::axis::Axis;
use super::figure::{Color, Figure, Mark, Panel, Section};
use super::table::table;
use super::tiles::Tiles;
use super::{Chart, caption};
use crate::number::grouped;
use tiletune_tuning::results::exact::{ExactResult, LossTable};

/// The charts of `evaluate --exact`.
pub const EXACT_CHARTS: &[Chart<ExactResult>] = &[
    Chart {
        name: "largest-tile",
        title: "Largest tile at the end of a game",
        about: "The exact probability of each largest tile.",
        place: Section::Results,
        draw: largest_tile,
    },
    Chart {
        name: "losses-by-situation",
        title: "Where the points are lost",
        about: "Expected points that a game loses against perfect play, by the number of empty cells and by whether a largest \
                tile is in a corner or elsewhere.",
        place: Section::Results,
        draw: by_situation,
    },
    Chart {
        name: "losses-by-position",
        title: "Positions that cost most",
        about: "Expected points that a game loses against perfect play, in the positions that cost most; images of a position \
                are counted together.",
        place: Section::Results,
        draw: by_position,
    },
];

const HEIGHT: f64 = 300.0;
/// Half the width of a bar that stands for a tile. Tiles are 1 apart.
const HALF: f64 = 0.4;
/// Half the height of a bar of a row. Rows are 1 high.
const HALF_ROW: f64 = 0.32;

fn largest_tile(result: &ExactResult) -> Option<Figure> {
    let tiles = Tiles::spanning(result.largest.keys().copied());
    let highest = result.largest.values().copied().fold(0.0, f64::max);
    if tiles.is_empty() {
        return None;
    }
    let bar = |(&tile, &of): (&u32, &f64)| {
        let x = tiles.place(tile);
        Mark::bar(Color::Tuned, [x - HALF, 0.0], [x + HALF, of])
    };
    let marks = result.largest.iter().map(bar).collect();
    let y = Axis::shares("probability", 1.04 * highest);
    let panel = Panel::new(HEIGHT, tiles.axis("largest tile"), y, marks);
    let table = table!(result.largest.iter(), |(tile, of)| {
        "tile": tile,
        "probability": of,
    });
    Some(panel.figure(caption::of_exact(result), table))
}

/// The losses; `None` if nothing is lost.
fn losses(result: &ExactResult) -> Option<&LossTable> {
    result.losses.as_ref().filter(|losses| losses.points > 0.0)
}

/// A panel with a bar for each row: its name and the points that are lost there.
fn bars(rows: &[(String, f64, f64)]) -> Panel {
    let most = rows
        .iter()
        .map(|(_, points, _)| *points)
        .fold(0.0, f64::max);
    let x = Axis::between("points lost in a game", (0.0, 1.05 * most), 7);
    Panel::of_rows(
        "",
        x,
        rows,
        |(name, points, share)| {
            let (points, share) = (grouped(*points, 2), grouped(100.0 * share, 1));
            (name.clone(), format!("{points} ({share} %)"))
        },
        |(_, points, _), y| {
            vec![Mark::bar(
                Color::Start,
                [0.0, y - HALF_ROW],
                [*points, y + HALF_ROW],
            )]
        },
    )
}

fn by_situation(result: &ExactResult) -> Option<Figure> {
    let losses = losses(result)?;
    let lost = losses.situations.iter().filter(|of| of.points > 0.0);
    let rows = lost.map(|of| {
        // The room for names is small.
        let name = format!("{} empty, {}", of.empty_cells, of.place());
        (name, of.points, of.share)
    });
    let panel = bars(&rows.collect::<Vec<_>>());
    let table = table!(&losses.situations, |of| {
        "empty_cells": of.empty_cells,
        "largest_tile": of.place(),
        "moves": of.moves,
        "points": of.points,
        "share": of.share,
    });
    Some(panel.figure(caption::of_exact(result), table))
}

fn by_position(result: &ExactResult) -> Option<Figure> {
    let losses = losses(result)?;
    let rows = losses.positions.iter();
    let rows = rows.map(|of| (of.board(), of.points, of.share));
    let panel = bars(&rows.collect::<Vec<_>>());
    let table = table!(&losses.positions, |of| {
        "board": of.board(),
        "visits": of.visits,
        "move": of.chosen,
        "best": of.best,
        "loss": of.loss,
        "points": of.points,
        "share": of.share,
    });
    Some(panel.figure(caption::of_exact(result), table))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::render;
    use crate::report::exact::tests::example;

    #[test]
    fn every_situation_and_position_has_a_bar_and_a_row() {
        let result = example();
        let drawn = render(EXACT_CHARTS, &result).unwrap();
        let names: Vec<&str> = drawn.iter().map(|chart| chart.name).collect();
        assert_eq!(
            names,
            ["largest-tile", "losses-by-situation", "losses-by-position"]
        );
        assert_eq!(drawn[0].csv, "tile,probability\n8,0.25\n16,0.75\n");
        assert!(drawn[1].svg.contains("1 empty, elsewhere"));
        let lines: Vec<&str> = drawn[2].csv.lines().collect();
        assert_eq!(lines[1], "\"[2,4,8,0]\",0.5,left,up,6,3,0.75");
        // Perfect play loses nothing, and without losses there is nothing to draw.
        for points in [Some(0.0), None] {
            let losses = points.map(|points| LossTable {
                points,
                situations: Vec::new(),
                positions: Vec::new(),
            });
            let result = ExactResult {
                losses,
                ..example()
            };
            assert_eq!(render(EXACT_CHARTS, &result).unwrap().len(), 1);
        }
    }
}
