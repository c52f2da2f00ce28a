//! What a set of games came to.

use super::summary::{mean, median, standard_error};
use crate::record::{GameRecord, GameSummary, Outcome, Outcomes};

/// What games came to, in their order: the score of each game of one player; of games between two,
/// the mean points of each opening, which is played from both sides by consecutive games. Openings,
/// not games, are what is independent there.
pub fn results(games: &[GameRecord]) -> Vec<f64> {
    let is_same_opening = |one: &GameRecord, next: &GameRecord| {
        one.outcome().is_some() && one.seed | 1 == next.seed | 1
    };
    let openings = games.chunk_by(is_same_opening);
    openings
        .map(|games| games.iter().map(GameRecord::value).sum::<f64>() / games.len() as f64)
        .collect()
}

/// How many games ended in each way; `None` where one player plays.
pub fn outcomes(games: &[GameRecord]) -> Option<Outcomes> {
    let ended = |outcome| {
        let games = games.iter().filter(|game| game.outcome() == Some(outcome));
        games.count() as u32
    };
    let is_between_two = games.iter().any(|game| game.outcome().is_some());
    is_between_two.then(|| Outcomes {
        wins: ended(Outcome::Win),
        draws: ended(Outcome::Draw),
        losses: ended(Outcome::Loss),
    })
}

/// Summary of the games of one set of weights.
pub fn summarize(weights: &str, games: &[GameRecord]) -> GameSummary {
    let results = results(games);
    let moves: Vec<f64> = games.iter().map(|game| f64::from(game.moves)).collect();
    let mut max_tile = std::collections::BTreeMap::new();
    for tile in games.iter().filter_map(GameRecord::max_tile) {
        *max_tile.entry(tile).or_insert(0) += 1;
    }
    GameSummary {
        weights: weights.into(),
        games: games.len() as u32,
        mean: mean(&results),
        standard_error: standard_error(&results),
        median: median(&results),
        mean_moves: mean(&moves),
        max_tile,
        outcomes: outcomes(games),
        capped: games.iter().filter(|game| game.is_capped()).count() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::GameResult;

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
        assert_eq!(summary.max_tile, [(8, 2), (16, 1)].into());
        assert_eq!(
            (summary.reaching(4), summary.reaching(9), summary.capped),
            (3, 1, 1)
        );
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
        assert!(summary.max_tile.is_empty());
        let outcomes = summary.outcomes.unwrap();
        assert_eq!((outcomes.wins, outcomes.draws, outcomes.losses), (2, 1, 2));
    }
}
