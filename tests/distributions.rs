//! Whether whole games come out as those of an independent implementation of the same players:
//! two-sample chi-square tests on the largest tile. They take minutes, so they run when asked for.

use std::collections::BTreeMap;

use rayon::prelude::*;
use statrs::distribution::{ChiSquared, ContinuousCDF};
use tiletune::game::rng::{Stream, game_seeds};
use tiletune::heuristic::weights::Weights;
use tiletune::player::Config;
use tiletune::record::GameRecord;

/// log2 of the largest tile -> number of games.
type Counts = BTreeMap<u32, f64>;

/// One row of the tests: what is played, and what came of it elsewhere.
struct Row {
    name: String,
    config: Config,
    weights: Vec<(String, f64)>,
    games: u64,
    expected: Counts,
    expected_moves: Option<f64>,
}

impl Row {
    fn play(&self) -> Vec<GameRecord> {
        let entry = self.config.entry().unwrap();
        let weights = Weights::new(self.weights.clone(), &(entry.parameters)()).unwrap();
        let player = entry.build(&self.config, &weights);
        let seeds = game_seeds(2048, Stream::Evaluate, 0, self.games);
        seeds
            .into_par_iter()
            .map(|seed| player.play(seed))
            .collect()
    }
}

/// p of the hypothesis that both samples are of one distribution. Neighbouring cells are pooled
/// until at least 5 games are expected of each sample in each.
fn chi_square(ours: &Counts, theirs: &Counts) -> f64 {
    let totals = [ours, theirs].map(|counts| counts.values().sum::<f64>());
    let smaller = totals[0].min(totals[1]) / (totals[0] + totals[1]);
    let mut cells: Vec<[f64; 2]> = vec![[0.0; 2]];
    let ranks: std::collections::BTreeSet<u32> =
        ours.keys().chain(theirs.keys()).copied().collect();
    let is_enough = |cell: &[f64; 2]| (cell[0] + cell[1]) * smaller >= 5.0;
    for rank in ranks {
        if cells.last().is_some_and(is_enough) {
            cells.push([0.0; 2]);
        }
        let cell = cells.last_mut().unwrap();
        cell[0] += ours.get(&rank).unwrap_or(&0.0);
        cell[1] += theirs.get(&rank).unwrap_or(&0.0);
    }
    if !cells.last().is_some_and(is_enough) && cells.len() > 1 {
        let rest = cells.pop().unwrap();
        let last = cells.last_mut().unwrap();
        *last = [last[0] + rest[0], last[1] + rest[1]];
    }
    let mut statistic = 0.0;
    for cell in &cells {
        for sample in 0..2 {
            let expected = (cell[0] + cell[1]) * totals[sample] / (totals[0] + totals[1]);
            statistic += (cell[sample] - expected).powi(2) / expected;
        }
    }
    match cells.len() {
        1 => 1.0,
        cells => 1.0 - ChiSquared::new(cells as f64 - 1.0).unwrap().cdf(statistic),
    }
}

/// Plays all rows; every p, corrected by Holm's procedure, must be above 0.01.
fn check(rows: &[Row]) {
    let mut found = Vec::new();
    for row in rows {
        let games = row.play();
        let mut counts = Counts::new();
        for game in &games {
            *counts.entry(game.max_tile.ilog2()).or_default() += 1.0;
        }
        let p = chi_square(&counts, &row.expected);
        let count = games.len() as f64;
        let moves: Vec<f64> = games.iter().map(|game| f64::from(game.moves)).collect();
        let mean = moves.iter().sum::<f64>() / count;
        let variance = moves
            .iter()
            .map(|moves| (moves - mean).powi(2))
            .sum::<f64>()
            / count;
        // Both means are of as many games.
        let z = row
            .expected_moves
            .map(|expected| (mean - expected) / (2.0 * variance / count).sqrt());
        println!(
            "{}: p {p:.4}, {mean:.1} moves a game, z {z:.2?}, {counts:?}",
            row.name
        );
        assert!(z.is_none_or(|z| z.abs() < 4.0), "{}: moves", row.name);
        found.push((p, &row.name));
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (rank, (p, name)) in found.iter().enumerate() {
        let corrected = p * (found.len() - rank) as f64;
        assert!(corrected > 0.01, "{name}: p {p}, corrected {corrected}");
    }
}

fn config(name: &str, depth: &str) -> Config {
    Config {
        depth: Some(depth.parse().unwrap()),
        ..Config::of_player(name)
    }
}

/// Run with `cargo test --release --test distributions -- --ignored --nocapture`.
/// The last result, p by row (smooth, mono, empty, max_level, repeat, average, combined): at depth 4
/// 0.859, 0.250, 0.035, 0.310, 0.870, 0.221, 0.396; at depth 6 0.494, 0.793, 0.005, 0.657, 0.993,
/// 0.462, 0.709. The smallest is 0.07 after correction; mean moves differ by at most 2.2 standard
/// errors.
#[test]
#[ignore = "plays 28,000 games"]
fn minimax_six_ends_as_an_independent_implementation() {
    let keys = [
        "smooth",
        "mono",
        "empty_cells",
        "max_level",
        "repeat",
        "average",
    ];
    let mut rows: Vec<Row> = Vec::new();
    for line in include_str!("data/minimax_six_games.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let name = format!("{} at depth {}", fields[0], fields[1]);
        if rows.last().is_none_or(|row| row.name != name) {
            let weights: Vec<f64> = match fields[0] {
                "combined" => vec![1.0, 2.0, 3.0, 1.0, 0.0, 0.0],
                "empty" => vec![0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
                single => keys
                    .iter()
                    .map(|&key| f64::from(u8::from(key == single)))
                    .collect(),
            };
            rows.push(Row {
                name,
                config: config("minimax-six", fields[1]),
                weights: keys.iter().map(ToString::to_string).zip(weights).collect(),
                games: 2000,
                expected: Counts::new(),
                expected_moves: fields[5].parse().ok(),
            });
        }
        let row = rows.last_mut().unwrap();
        row.expected
            .insert(fields[3].parse().unwrap(), fields[4].parse().unwrap());
    }
    assert_eq!(rows.len(), 14);
    check(&rows);
}

/// Run with `cargo test --release --test distributions -- --ignored --nocapture`.
/// The last result: p 0.484, 0.292, 0.216 and 0.330 at depths 0 to 3.
#[test]
#[ignore = "plays 4,000 games"]
fn snake_ends_as_an_independent_implementation() {
    let mut rows: Vec<Row> = Vec::new();
    for line in include_str!("data/snake_games.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let name = format!("snake at depth {}", fields[0]);
        if rows.last().is_none_or(|row| row.name != name) {
            rows.push(Row {
                name,
                config: config("snake", fields[0]),
                weights: Vec::new(),
                games: 1000,
                expected: Counts::new(),
                // Known at depth 3 only.
                expected_moves: (fields[0] == "3").then_some(2564.0),
            });
        }
        let row = rows.last_mut().unwrap();
        row.expected
            .insert(fields[2].parse().unwrap(), fields[3].parse().unwrap());
    }
    assert_eq!(rows.len(), 4);
    check(&rows);
}

#[test]
fn the_test_of_these_tests_tells_distributions_apart() {
    let counts = |values: &[(u32, f64)]| -> Counts { values.iter().copied().collect() };
    let one = counts(&[(6, 2.0), (7, 300.0), (8, 500.0), (9, 195.0), (10, 3.0)]);
    assert!((chi_square(&one, &one) - 1.0).abs() < 1e-9);
    let other = counts(&[(7, 360.0), (8, 500.0), (9, 140.0)]);
    assert!(chi_square(&one, &other) < 1e-3);
    // (60 - 50)^2 / 50 four times over is 8, at one degree of freedom.
    let p = chi_square(
        &counts(&[(1, 60.0), (2, 40.0)]),
        &counts(&[(1, 40.0), (2, 60.0)]),
    );
    assert!((p - 0.004678).abs() < 1e-5, "{p}");
}
