//! Whether whole games come out as those of an independent implementation of the same players:
//! two-sample chi-square tests on the largest tile. They take minutes, so they run when asked for.

use rayon::prelude::*;
use tiletune::Catalogue;
use tiletune::Stop;
use tiletune::heuristic::weights::Weights;
use tiletune::player::depth::Depth;
use tiletune::player::{Config, PlayerSpec};
use tiletune::random::{Players, Stream};
use tiletune::record::GameRecord;
use tiletune::stats::chi_square::{Counts, chi_square};
use tiletune::stats::multiple_testing::holm;

/// One row of the tests: what is played, and what came of it elsewhere.
struct Row {
    name: String,
    player: PlayerSpec,
    weights: Vec<(String, f64)>,
    games: u64,
    /// log2 of the largest tile -> number of games.
    expected: Counts,
    expected_moves: Option<f64>,
}

impl Row {
    fn play(&self) -> Vec<GameRecord> {
        let parameters = self.player.parameters();
        let weights = Weights::new(self.weights.clone(), &parameters).unwrap();
        let player = self.player.build(&weights).unwrap();
        let seeds = Players::One.game_seeds(2048, Stream::Evaluate, 0, self.games);
        seeds
            .into_par_iter()
            .map(|seed| player.play(seed, Stop::never()).unwrap())
            .collect()
    }
}

/// Plays all rows; every p, corrected by Holm's procedure, must be above 0.01.
fn check(rows: &[Row]) {
    let mut found = Vec::new();
    for row in rows {
        let games = row.play();
        let mut counts = Counts::new();
        for game in &games {
            *counts.entry(game.max_tile().unwrap().ilog2()).or_default() += 1;
        }
        let p = chi_square(&counts, &row.expected).expect("enough games").p;
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
    let corrected = holm(&found.iter().map(|(p, _)| *p).collect::<Vec<f64>>());
    for ((p, name), corrected) in found.into_iter().zip(corrected) {
        assert!(corrected > 0.01, "{name}: p {p}, corrected {corrected}");
    }
}

fn player(name: &str, depth: &str) -> PlayerSpec {
    let depth = Depth::Fixed(depth.parse().unwrap());
    let config = Config::new(name, None).with("depth", depth);
    Catalogue::builtin().player(&config).unwrap()
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
    for line in include_str!("../data/minimax_six_games.csv")
        .lines()
        .skip(1)
    {
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
                player: player("minimax-six", fields[1]),
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
    for line in include_str!("../data/snake_games.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let name = format!("snake at depth {}", fields[0]);
        if rows.last().is_none_or(|row| row.name != name) {
            rows.push(Row {
                name,
                player: player("snake", fields[0]),
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
