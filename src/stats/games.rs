//! What a set of games came to.

use super::summary::{mean, median, standard_error};
use crate::record::{GameRecord, HoldOutSummary};

/// Scores as numbers, in the order of the games.
pub fn scores(games: &[GameRecord]) -> Vec<f64> {
    games.iter().map(|game| game.score as f64).collect()
}

/// Summary of the games of one set of weights.
pub fn summarize(weights: &str, games: &[GameRecord]) -> HoldOutSummary {
    let scores = scores(games);
    let moves: Vec<f64> = games.iter().map(|game| f64::from(game.moves)).collect();
    let mut max_tile = std::collections::BTreeMap::new();
    for game in games {
        *max_tile.entry(game.max_tile).or_insert(0) += 1;
    }
    HoldOutSummary {
        weights: weights.into(),
        games: games.len() as u32,
        mean: mean(&scores),
        standard_error: standard_error(&scores),
        median: median(&scores),
        mean_moves: mean(&moves),
        max_tile,
        capped: games.iter().filter(|game| game.capped).count() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_counted_by_their_largest_tile() {
        let game = |score, max_tile, capped| GameRecord {
            seed: 1,
            score,
            max_tile,
            moves: 10,
            leaf_evaluations: 0,
            capped,
        };
        let games = [game(1, 8, false), game(3, 16, true), game(8, 8, false)];
        let summary = summarize("start", &games);
        assert_eq!((summary.mean, summary.median, summary.games), (4.0, 3.0, 3));
        assert_eq!(summary.max_tile, [(8, 2), (16, 1)].into());
        assert_eq!(
            (summary.reaching(4), summary.reaching(9), summary.capped),
            (3, 1, 1)
        );
    }
}
