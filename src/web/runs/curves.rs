//! The curves of several searches in one figure: mean fitness by training games or by generations. The number of points
//! is limited so that they can be drawn quickly. This module must not read files.

use crate::chart::{Axis, Color, Figure, Mark, Panel, Table};
use crate::results::GenerationRow;
use crate::web::followed::run::games_of;

/// Largest number of points of a curve.
const MOST: usize = 1000;

/// A part of a curve: consecutive generations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// The last generation of the part.
    generation: u32,
    /// Number of training games until the end of the part.
    games: u64,
    /// Mean of the generations' mean fitness.
    mean: f64,
}

/// The figures of named curves: one by training games, one by generations.
pub(super) fn figures(curves: &[(String, Vec<Point>)]) -> [Figure; 2] {
    [
        figure(curves, "training games", |point| point.games as f64),
        figure(curves, "generation", |point| f64::from(point.generation)),
    ]
}

fn figure(curves: &[(String, Vec<Point>)], x: &str, place: fn(&Point) -> f64) -> Figure {
    let points = || curves.iter().flat_map(|(_, points)| points);
    let last = points().map(place).fold(1.0, f64::max);
    let y = Axis::linear("mean fitness", points().map(|point| point.mean), 6);
    let line = |(index, (name, points)): (usize, &(String, Vec<Point>))| {
        let points = points.iter().map(|point| [place(point), point.mean]);
        Mark::line(Color::Row(index), 1.75, points.collect()).named(name)
    };
    let marks = curves.iter().enumerate().map(line).collect();
    let panel = Panel::new(420.0, Axis::between(x, (0.0, last), 8), y, marks);
    Figure {
        name: "curves",
        title: "Mean fitness of the generations",
        about: "The same number of training games costs about the same time, whatever the size of a generation.",
        ..Figure::new(1, vec![panel], String::new(), Table::default())
    }
}

/// The curve of a search.
pub(super) fn points(rows: &[GenerationRow]) -> Vec<Point> {
    let together = rows.len().div_ceil(MOST).max(1);
    let mut games = 0;
    let point = |rows: &[GenerationRow]| {
        games += rows.iter().map(games_of).sum::<u64>();
        Point {
            generation: rows.last().map_or(0, |row| row.generation),
            games,
            mean: rows.iter().map(|row| row.mean).sum::<f64>() / rows.len() as f64,
        }
    };
    rows.chunks(together).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::example;

    #[test]
    fn long_searches_have_means_of_neighbours() {
        let rows = example::run(2, 2500, 2).generations;
        let points = points(&rows);
        assert_eq!(points.len(), 834);
        let all: u64 = rows.iter().map(games_of).sum();
        let last = points.last().unwrap();
        assert_eq!((last.generation, last.games), (2499, all));
        let mean = (rows[0].mean + rows[1].mean + rows[2].mean) / 3.0;
        assert_eq!(points[0].mean, mean);
        let short = super::points(&rows[..7]);
        assert!(
            short
                .iter()
                .zip(&rows)
                .all(|(point, row)| point.mean == row.mean)
        );
        assert!(super::points(&[]).is_empty());
    }
}
