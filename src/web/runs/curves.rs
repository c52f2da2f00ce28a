//! The curves of several searches side by side: mean and best fitness by training games, with few enough points
//! to be drawn at once. This module must not read files.

use serde::Serialize;
use serde_json::{Value, json};

use super::watched::games_of;
use crate::results::GenerationRow;

/// Largest number of points of a curve.
const MOST: usize = 1000;

/// A part of a curve: consecutive generations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Point {
    /// The last generation.
    generation: u32,
    /// Training games up to its end.
    games: u64,
    /// Mean of the generations' mean fitness.
    mean: f64,
    /// Largest fitness.
    best: f64,
}

/// The curve of a search as columns: generations, training games, mean fitness, best fitness.
pub(super) fn curve(rows: &[GenerationRow]) -> Value {
    let points = points(rows);
    let column = |value: fn(&Point) -> Value| points.iter().map(value).collect::<Vec<Value>>();
    json!({
        "generation": column(|point| point.generation.into()),
        "games": column(|point| point.games.into()),
        "mean": column(|point| point.mean.into()),
        "best": column(|point| point.best.into()),
    })
}

fn points(rows: &[GenerationRow]) -> Vec<Point> {
    let together = rows.len().div_ceil(MOST).max(1);
    let mut games = 0;
    let point = |rows: &[GenerationRow]| {
        games += rows.iter().map(games_of).sum::<u64>();
        Point {
            generation: rows.last().map_or(0, |row| row.generation),
            games,
            mean: rows.iter().map(|row| row.mean).sum::<f64>() / rows.len() as f64,
            best: rows
                .iter()
                .map(|row| row.best)
                .fold(f64::NEG_INFINITY, f64::max),
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
        let best = rows[..3].iter().map(|row| row.best).fold(0.0, f64::max);
        assert_eq!(points[0].best, best);
        let short = super::points(&rows[..7]);
        assert!(
            short
                .iter()
                .zip(&rows)
                .all(|(point, row)| point.mean == row.mean)
        );
        assert_eq!(curve(&[])["mean"], json!([]));
    }
}
