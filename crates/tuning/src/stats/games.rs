//! Statistics of a list of games.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::intervals::share_interval;
use super::summary::{mean, median, standard_error};
use crate::results::{Endings, GameSummary, Outcomes, Share};
use tiletune_engine::record::{GameRecord, GameResult, Names, Numbers, Outcome};

/// Groups the games into observations, in their order. Consecutive games of two players from the same opening
/// form a group; every other game is a group of its own.
pub fn openings(games: &[GameRecord]) -> impl Iterator<Item = &[GameRecord]> {
    // The seeds of the two games of an opening differ only in the last bit.
    games.chunk_by(|one, next| one.outcome().is_some() && one.seed | 1 == next.seed | 1)
}

/// The results of games, in their order. For one player it is the score of each game. For two players it is the
/// mean points of each opening, which consecutive games play from both sides, because openings are independent
/// and games are not. A game without a result counts as worse than all of these (see
/// [`PlayedScores`]).
pub fn results(games: &[GameRecord]) -> Vec<f64> {
    openings(&PlayedScores::of(games).counted(games))
        .map(|games| games.iter().map(GameRecord::value).sum::<f64>() / games.len() as f64)
        .collect()
}

/// The scores of the games that have a result, among those that are compared with each other. They say what a game
/// without a result counts as.
///
/// All players of a comparison share them. If each player's failed games counted as its own worst game, a program that
/// gives up in bad games would look good.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlayedScores {
    /// The smallest and the largest score.
    range: Option<[f64; 2]>,
}

impl PlayedScores {
    /// The scores of these games.
    pub fn of<'a>(games: impl IntoIterator<Item = &'a GameRecord>) -> Self {
        let mut scores = PlayedScores::default();
        scores.add(games);
        scores
    }

    /// Adds games.
    pub fn add<'a>(&mut self, games: impl IntoIterator<Item = &'a GameRecord>) {
        let played = games.into_iter().filter(|game| game.missing().is_none());
        for score in played.filter_map(|game| Some(game.numbers()?.score())) {
            let [worst, best] = self.range.unwrap_or([score; 2]);
            self.range = Some([worst.min(score), best.max(score)]);
        }
    }

    /// The score of a game without a result, which is worse than every game with one: as far below the worst of them as
    /// this is below the best. If all are equal, it is a thousandth below them, and at least 1; without any result 0.
    pub fn of_failure(&self) -> f64 {
        let Some([worst, best]) = self.range else {
            return 0.0;
        };
        let below = if best > worst {
            best - worst
        } else {
            (worst.abs() / 1000.0).max(1.0)
        };
        // Near the largest numbers there may be none below.
        Some(worst - below)
            .filter(|score| score.is_finite())
            .unwrap_or(worst)
    }

    /// The games, where those without a result have the score [`of_failure`](PlayedScores::of_failure).
    pub fn counted<'a>(&self, games: &'a [GameRecord]) -> Cow<'a, [GameRecord]> {
        if games.iter().all(|game| game.missing().is_none()) {
            return Cow::Borrowed(games);
        }
        let game = |game: &GameRecord| match game.numbers().filter(|_| game.missing().is_some()) {
            None => game.clone(),
            Some(numbers) => {
                let others: Vec<f64> = numbers.others().map(|(_, value)| value).collect();
                let numbers = Numbers::new(self.of_failure(), numbers.names().clone(), &others);
                GameRecord {
                    result: GameResult::Numbers(numbers),
                    ..game.clone()
                }
            }
        };
        Cow::Owned(games.iter().map(game).collect())
    }
}

/// Number of games with each outcome; `None` for games for one player.
pub fn outcomes(games: &[GameRecord]) -> Option<Outcomes> {
    let ended: Vec<Outcome> = games.iter().filter_map(GameRecord::outcome).collect();
    let count = |outcome| ended.iter().filter(|one| **one == outcome).count() as u32;
    (!ended.is_empty()).then(|| Outcomes {
        wins: count(Outcome::Win),
        draws: count(Outcome::Draw),
        losses: count(Outcome::Loss),
    })
}

/// The share of `games` in `all` games. Its interval is computed over observations of `games_an_observation`
/// games each.
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

/// The mean of each number over the games of an external program that have a result.
fn numbers(names: &Names, games: &[GameRecord]) -> BTreeMap<String, f64> {
    let mean_of = |(index, name): (usize, &String)| {
        let values = games.iter().filter_map(GameRecord::numbers);
        let values = values.filter_map(|numbers| numbers.others().nth(index));
        let values = values.map(|(_, value)| value);
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        (!values.is_empty()).then(|| (name.clone(), mean(&values)))
    };
    names
        .list()
        .iter()
        .enumerate()
        .filter_map(mean_of)
        .collect()
}

fn endings(games: &[GameRecord]) -> Endings {
    if let Some(outcomes) = outcomes(games) {
        return Endings::Outcomes { outcomes };
    }
    if let Some(names) = games.first().and_then(GameRecord::numbers) {
        return Endings::Numbers {
            numbers: numbers(names.names(), games),
            failed: games.iter().filter(|game| game.moves == 0).count() as u32,
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
    use tiletune_engine::record::Missing;

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
    fn games_that_a_program_has_not_played_count_as_worse_than_all_others() {
        let names = Names::new(&["loss"]);
        let played =
            |score: f64| GameRecord::of_program(1, Numbers::new(score, names.clone(), &[-score]));
        let missing = |missing| GameRecord::of_program(1, Numbers::missing(missing, names.clone()));
        let sets = [
            vec![played(3.0), missing(Missing::Failed), played(5.0)],
            vec![played(1.0), missing(Missing::Refused)],
        ];
        let all = PlayedScores::of(sets.iter().flatten());
        let values: Vec<Vec<f64>> = sets.iter().map(|set| results(&all.counted(set))).collect();
        assert_eq!(values, [vec![3.0, -3.0, 5.0], vec![1.0, -3.0]]);
        // In a single set, they count as worse than all of this set.
        assert_eq!(results(&sets[0]), [3.0, 1.0, 5.0]);
        assert_eq!(results(&sets[1][1..]), [0.0]);
        let summary = summarize("", &PlayedScores::of(&sets[0]).counted(&sets[0]));
        assert_eq!((summary.games, summary.failed(), summary.mean), (3, 1, 3.0));
        assert_eq!(summary.numbers().unwrap()["loss"], -4.0);
        let json = serde_json::to_value(&summary).unwrap();
        assert_eq!(json["failed_games"], 1);
        assert_eq!(
            serde_json::from_value::<GameSummary>(json).unwrap(),
            summary
        );
        for (scores, failed) in [
            (&[5.0, 5.0][..], 4.0),
            (&[-1e6], -1.001e6),
            (&[1e90], 1e90 - 1e87),
            (&[-1e308, 1e308], -1e308),
            (&[0.0, 1e-9], -1e-9),
            (&[], 0.0),
        ] {
            let games: Vec<GameRecord> = scores.iter().map(|score| played(*score)).collect();
            assert_eq!(PlayedScores::of(&games).of_failure(), failed, "{scores:?}");
        }
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
