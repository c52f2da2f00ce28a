//! The results of a set of games.

use std::collections::BTreeMap;

use super::intervals::share_interval;
use super::summary::{mean, median, standard_error};
use crate::results::{Endings, GameSummary, Outcomes, Share};
use tiletune_engine::record::{GameRecord, Names, Outcome};

/// Games that belong together, in their order: consecutive games of two players from one opening, each other
/// game alone.
pub fn openings(games: &[GameRecord]) -> impl Iterator<Item = &[GameRecord]> {
    games.chunk_by(|one, next| one.outcome().is_some() && one.seed | 1 == next.seed | 1)
}

/// The results of games, in their order: the score of each game of one player; for games between two
/// players the mean points of each opening, which consecutive games play from both sides. Openings,
/// not games, are independent there.
pub fn results(games: &[GameRecord]) -> Vec<f64> {
    openings(games)
        .map(|games| games.iter().map(GameRecord::value).sum::<f64>() / games.len() as f64)
        .collect()
}

/// How many games ended in each way; `None` for games of one player.
pub fn outcomes(games: &[GameRecord]) -> Option<Outcomes> {
    let ended: Vec<Outcome> = games.iter().filter_map(GameRecord::outcome).collect();
    let count = |outcome| ended.iter().filter(|one| **one == outcome).count() as u32;
    (!ended.is_empty()).then(|| Outcomes {
        wins: count(Outcome::Win),
        draws: count(Outcome::Draw),
        losses: count(Outcome::Loss),
    })
}

/// The share of `games` in `all` games. Its interval is over observations, each of so many games.
pub fn share(games: u32, all: u32, games_an_observation: u32) -> Share {
    let observed = f64::from(games) / f64::from(games_an_observation);
    let interval = share_interval(observed, all.div_ceil(games_an_observation).into());
    Share {
        games,
        share: f64::from(games) / f64::from(all),
        low: interval.low,
        high: interval.high,
    }
}

/// The mean of each number of games of a program.
fn numbers(names: &Names, games: &[GameRecord]) -> BTreeMap<String, f64> {
    let mean_of = |(index, name): (usize, &String)| {
        let values = games.iter().filter_map(GameRecord::numbers);
        let values = values.filter_map(|numbers| numbers.others().nth(index));
        let values: Vec<f64> = values.map(|(_, value)| value).collect();
        (name.clone(), mean(&values))
    };
    names.list().iter().enumerate().map(mean_of).collect()
}

fn endings(games: &[GameRecord]) -> Endings {
    if let Some(outcomes) = outcomes(games) {
        return Endings::Outcomes { outcomes };
    }
    if let Some(names) = games.first().and_then(GameRecord::numbers) {
        return Endings::Numbers {
            numbers: numbers(names.names(), games),
        };
    }
    let mut max_tile = BTreeMap::new();
    for tile in games.iter().filter_map(GameRecord::max_tile) {
        *max_tile.entry(tile).or_insert(0) += 1;
    }
    let capped = games.iter().filter(|game| game.is_capped()).count() as u32;
    Endings::Scores { max_tile, capped }
}

/// Summary of the games of one set of weights.
pub fn summarize(weights: &str, games: &[GameRecord]) -> GameSummary {
    let results = results(games);
    let moves: Vec<f64> = games.iter().map(|game| f64::from(game.moves)).collect();
    GameSummary {
        weights: weights.into(),
        games: games.len() as u32,
        mean: mean(&results),
        standard_error: standard_error(&results),
        median: median(&results),
        mean_moves: mean(&moves),
        endings: endings(games),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiletune_engine::record::GameResult;

    #[test]
    fn games_are_counted_by_their_largest_tile() {
        let game = |score, max_tile, capped| GameRecord {
            seed: 1,
            result: GameResult::Score {
                score,
                max_tile: Some(max_tile),
                capped,
            },
            moves: 10,
            leaf_evaluations: 0,
        };
        let games = [game(1, 8, false), game(3, 16, true), game(8, 8, false)];
        let summary = summarize("start", &games);
        assert_eq!((summary.mean, summary.median, summary.games), (4.0, 3.0, 3));
        assert_eq!(*summary.max_tile(), [(8, 2), (16, 1)].into());
        assert_eq!(summary.capped(), Some(1));
        assert_eq!((summary.reaching(4), summary.reaching(9)), (3, 1));
        let file = serde_json::to_string(&summary).unwrap();
        assert!(file.ends_with(r#""mean_moves":10.0,"max_tile":{"8":2,"16":1},"capped":1}"#));
        assert_eq!(serde_json::from_str::<GameSummary>(&file).unwrap(), summary);
    }

    #[test]
    fn games_of_an_opening_are_one_result() {
        let game = |seed, outcome| GameRecord {
            seed,
            result: GameResult::Outcome(outcome),
            moves: 20,
            leaf_evaluations: 0,
        };
        let games = [
            game(10, Outcome::Win),
            game(11, Outcome::Loss),
            game(12, Outcome::Win),
            game(13, Outcome::Draw),
            game(14, Outcome::Loss),
        ];
        assert_eq!(results(&games), [0.5, 0.75, 0.0]);
        let summary = summarize("start", &games);
        assert_eq!(summary.games, 5);
        assert!(summary.max_tile().is_empty());
        let file = serde_json::to_string(&summary).unwrap();
        assert!(!file.contains("max_tile") && !file.contains("capped"));
        assert_eq!(serde_json::from_str::<GameSummary>(&file).unwrap(), summary);
        let outcomes = summary.outcomes().unwrap();
        assert_eq!((outcomes.wins, outcomes.draws, outcomes.losses), (2, 1, 2));
    }
}
