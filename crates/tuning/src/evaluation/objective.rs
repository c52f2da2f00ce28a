//! The objective of a campaign: a statistic of a candidate's games.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::results::PairedDifference;
use crate::stats::bootstrap::{Resampling, mean_interval};
use crate::stats::difference::{contributed_difference, median_difference};
use crate::stats::games::{openings, results};
use crate::stats::intervals::{
    Interval, median_interval, share_interval, standard_error_of_median,
};
use crate::stats::points::points_interval;
use crate::stats::summary::{mean, median, standard_error};
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::random::Players;
use tiletune_engine::record::GameRecord;

/// A statistic of games; larger is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Objective {
    /// Mean score.
    MeanScore,
    /// Median score.
    MedianScore,
    /// Mean of ln(1 + score). A doubling of the score has nearly the same effect for small and large scores.
    MeanLogScore,
    /// Share of games whose largest tile is at least this tile.
    ShareReaching(u32),
    /// Exact expected score, on a small board. Each candidate is computed once instead of playing games.
    ExactScore,
    /// Mean points of games between two players: 1 for a win, 1/2 for a draw.
    MeanPoints,
    /// Geometric mean, over the settings of a player with several, of the mean score at each. Its logarithm is the mean of
    /// the logarithms, so weights are compared by the mean over settings of ln(mean score / that of any other weights).
    GeometricMeanScore,
}

impl JsonSchema for Objective {
    fn schema_name() -> Cow<'static, str> {
        "Objective".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "anyOf": [
                { "enum": ["mean-score", "median-score", "mean-log-score", "mean-points", "exact-score", "geometric-mean-score"] },
                { "pattern": "^share-reaching-[0-9]+$" },
            ]
        })
    }
}

/// The objectives of games for one player.
const OF_SCORES: &str = "mean-score, median-score, mean-log-score, share-reaching-<tile> (as in \
                         share-reaching-2048), exact-score (2048 on small boards)";
/// The objectives of games between two players.
const OF_POINTS: &str = "mean-points";
/// The objectives of a player with several settings.
const OF_SETTINGS: &str = "geometric-mean-score";

/// Collects the contributions of games that arrive in parts. The result is the same as for all games at once
/// (see [`Objective::contributions`]), for any division into parts. A part may end inside an opening of two
/// players.
pub struct Contributions {
    objective: Objective,
    /// Number of games of each candidate, if these are contributions to the ranking of candidates; otherwise
    /// `None`.
    ranked: Option<u32>,
    complete: Vec<f64>,
    /// The games of the last opening, which the next part may continue.
    open: Vec<GameRecord>,
}

impl Contributions {
    /// An empty collection.
    pub fn new(objective: Objective) -> Self {
        Contributions {
            objective,
            ranked: None,
            complete: Vec::new(),
            open: Vec::new(),
        }
    }

    /// The same for contributions to the ranking of candidates that play `games` games each (see
    /// [`Objective::ranking`]).
    pub fn ranking(objective: Objective, games: u32) -> Self {
        Contributions {
            ranked: Some(games),
            ..Contributions::new(objective)
        }
    }

    fn of(&self, games: &[GameRecord]) -> Vec<f64> {
        match self.ranked {
            None => self.objective.contributions(games),
            Some(count) => self.objective.ranking(games, count),
        }
    }

    /// Adds the next games.
    pub fn add(&mut self, games: &[GameRecord]) {
        self.open.extend_from_slice(games);
        if self.objective == Objective::GeometricMeanScore {
            // A contribution depends on all games.
            return;
        }
        let last = openings(&self.open).last().map_or(0, <[GameRecord]>::len);
        let complete = self.open.len() - last;
        let contributions = self.of(&self.open[..complete]);
        self.complete.extend(contributions);
        self.open.drain(..complete);
    }

    /// The contributions of all games so far; the collection is empty afterwards.
    pub fn take(&mut self) -> Vec<f64> {
        let open = std::mem::take(&mut self.open);
        let contributions = self.of(&open);
        self.complete.extend(contributions);
        std::mem::take(&mut self.complete)
    }
}

/// Fitness of a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitness {
    /// Value of the objective.
    pub value: f64,
    /// Standard error of the value.
    pub standard_error: f64,
}

impl Objective {
    /// The largest possible value, if there is one that is known.
    pub fn largest(self) -> Option<f64> {
        match self {
            Objective::ShareReaching(_) | Objective::MeanPoints => Some(1.0),
            _ => None,
        }
    }

    /// The contribution of each game or, for games between two players, of each opening (see [`results`]). Use
    /// [`Contributions`] for games that arrive in parts.
    pub fn contributions(self, games: &[GameRecord]) -> Vec<f64> {
        let each = |of: &dyn Fn(&GameRecord) -> f64| games.iter().map(of).collect();
        match self {
            Objective::MeanScore
            | Objective::MedianScore
            | Objective::ExactScore
            | Objective::MeanPoints => results(games),
            // `libm` gives the same bits on every platform.
            Objective::MeanLogScore => each(&|game| libm::log1p(game.value())),
            Objective::GeometricMeanScore => super::settings::contributions(games),
            Objective::ShareReaching(tile) => {
                each(&|game| f64::from(u8::from(game.max_tile() >= Some(tile))))
            }
        }
    }

    /// The contributions to the value by which a search ranks candidates, where each candidate plays `count`
    /// games. This value is the fitness, except for the share of games that reach a tile T. With n games, the
    /// value is then
    ///
    /// ```text
    /// share(T) + share(T / 2) / (n + 1) + share(T / 4) / (n + 1)^2 + ..
    /// ```
    ///
    /// A share is a multiple of 1 / n, so all later terms together are smaller than the smallest difference of
    /// the first term. Candidates are therefore compared by the share of T, those with equal shares by the
    /// share of T / 2, and so on. Without the later terms, a search for a tile that no candidate reaches yet
    /// would have no signal.
    pub fn ranking(self, games: &[GameRecord], count: u32) -> Vec<f64> {
        let Objective::ShareReaching(tile) = self else {
            return self.contributions(games);
        };
        let factor = 1.0 / (f64::from(count) + 1.0);
        let tiles =
            std::iter::successors(Some(tile), |tile| Some(tile / 2).filter(|&tile| tile > 1));
        let weights = std::iter::successors(Some(1.0), |weight| Some(weight * factor));
        let levels: Vec<(u32, f64)> = tiles.zip(weights).collect();
        let of = |game: &GameRecord| {
            let reached = levels
                .iter()
                .filter(|(tile, _)| game.max_tile() >= Some(*tile));
            reached.map(|(_, weight)| weight).sum()
        };
        games.iter().map(of).collect()
    }

    /// The fitness of a candidate, computed from the contributions of its games in their order.
    pub fn fitness(self, contributions: &[f64]) -> Fitness {
        match self {
            Objective::MedianScore => Fitness {
                value: median(contributions),
                standard_error: standard_error_of_median(contributions),
            },
            _ => Fitness {
                value: mean(contributions),
                standard_error: standard_error(contributions),
            },
        }
    }

    /// The 95 % interval of the objective, from the contributions of games; `None` if there are too few games.
    pub fn interval(self, contributions: &[f64], resampling: Resampling) -> Option<Interval> {
        match self {
            Objective::MedianScore => median_interval(contributions),
            Objective::ShareReaching(_) => {
                let reached = contributions.iter().sum();
                Some(share_interval(reached, contributions.len() as u64))
            }
            Objective::MeanPoints => Some(points_interval(contributions)),
            Objective::MeanScore
            | Objective::ExactScore
            | Objective::MeanLogScore
            | Objective::GeometricMeanScore => mean_interval(contributions, resampling),
        }
    }

    /// The difference tuned - start of the objective, from games with the same seeds. It is one of several
    /// `comparisons` (see [`contributed_difference`]).
    ///
    /// # Panics
    /// If the numbers of games differ.
    pub fn difference(
        self,
        tuned: &[GameRecord],
        start: &[GameRecord],
        comparisons: u32,
        resampling: Resampling,
    ) -> PairedDifference {
        let pair = [tuned, start].map(|games| self.contributions(games));
        let [of_tuned, of_start] = [(tuned, &pair[0]), (start, &pair[1])]
            .map(|(games, contributions)| self.observed(games, contributions));
        let [tuned, start] = [&pair[0][..], &pair[1]];
        match self {
            Objective::MedianScore => median_difference(tuned, start, comparisons, resampling),
            _ => {
                let observed = [&of_tuned[..], &of_start];
                contributed_difference([tuned, start], observed, comparisons, resampling)
            }
        }
    }

    /// What each game, or opening, says alone: its contribution, or its result if contributions depend on all games. How
    /// many games differ is counted from it.
    pub fn observed<'a>(self, games: &[GameRecord], contributions: &'a [f64]) -> Cow<'a, [f64]> {
        match self {
            Objective::GeometricMeanScore => results(games).into(),
            _ => contributions.into(),
        }
    }

    /// True if the objective is the mean of the results of games. Hold-out games are summarised by this mean.
    pub fn is_mean_result(self) -> bool {
        matches!(
            self,
            Objective::MeanScore | Objective::ExactScore | Objective::MeanPoints
        )
    }

    /// The default objective for games with this number of players: the mean of the results.
    pub fn usual(players: Players) -> Self {
        match players {
            Players::One => Objective::MeanScore,
            Players::Two => Objective::MeanPoints,
        }
    }

    /// The default objective of a player.
    pub fn default_of(player: &PlayerSpec) -> Self {
        match player.several() {
            Some(_) => Objective::GeometricMeanScore,
            None => Objective::usual(player.players()),
        }
    }

    /// Names of all objectives of a player.
    pub fn allowed(player: &PlayerSpec) -> &'static str {
        match (player.several(), player.players()) {
            (Some(_), _) => OF_SETTINGS,
            (None, Players::One) => OF_SCORES,
            (None, Players::Two) => OF_POINTS,
        }
    }

    /// True if the objective applies to the games of a player.
    pub fn fits(self, player: &PlayerSpec) -> bool {
        (self == Objective::MeanPoints) == (player.players() == Players::Two)
            && (self == Objective::GeometricMeanScore) == player.several().is_some()
    }

    /// A description, with the unit.
    pub fn describe(self) -> String {
        match self {
            Objective::MeanScore => "mean score (points)".into(),
            Objective::MedianScore => "median score (points)".into(),
            Objective::MeanLogScore => "mean of ln(1 + score)".into(),
            Objective::ExactScore => "exact expected score (points)".into(),
            Objective::MeanPoints => "mean points (a win 1, a draw 1/2)".into(),
            Objective::GeometricMeanScore => {
                "geometric mean, over the settings, of the mean score (points)".into()
            }
            Objective::ShareReaching(tile) => format!("share of games reaching {tile}"),
        }
    }
}

impl Objective {
    /// The objective in words if a number with this name is minimised, so that the score is its negative; `None` for
    /// objectives that are not that of the number itself.
    pub fn describe_loss(self, loss: &str) -> Option<String> {
        match self {
            Objective::MeanScore => Some(format!("mean {loss}")),
            Objective::MedianScore => Some(format!("median {loss}")),
            Objective::ExactScore
            | Objective::MeanLogScore
            | Objective::MeanPoints
            | Objective::GeometricMeanScore
            | Objective::ShareReaching(_) => None,
        }
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Objective::MeanScore => formatter.write_str("mean-score"),
            Objective::MedianScore => formatter.write_str("median-score"),
            Objective::MeanLogScore => formatter.write_str("mean-log-score"),
            Objective::ExactScore => formatter.write_str("exact-score"),
            Objective::MeanPoints => formatter.write_str("mean-points"),
            Objective::GeometricMeanScore => formatter.write_str("geometric-mean-score"),
            Objective::ShareReaching(tile) => write!(formatter, "share-reaching-{tile}"),
        }
    }
}

impl From<Objective> for String {
    fn from(objective: Objective) -> String {
        objective.to_string()
    }
}

impl TryFrom<String> for Objective {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let tile = name.strip_prefix("share-reaching-").map(str::parse::<u32>);
        match (name.as_str(), tile) {
            ("mean-score", _) => Ok(Objective::MeanScore),
            ("median-score", _) => Ok(Objective::MedianScore),
            ("mean-log-score", _) => Ok(Objective::MeanLogScore),
            ("exact-score", _) => Ok(Objective::ExactScore),
            ("mean-points", _) => Ok(Objective::MeanPoints),
            ("geometric-mean-score", _) => Ok(Objective::GeometricMeanScore),
            (_, Some(Ok(tile))) => Ok(Objective::ShareReaching(tile)),
            _ => Err(format!(
                "unknown objective `{name}`; allowed: {OF_SCORES}; of games between two players \
                 {OF_POINTS}; of a player with several settings {OF_SETTINGS}"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use tiletune_engine::record::{GameResult, Outcome};

    fn game(score: u64, max_tile: u32) -> GameRecord {
        GameRecord {
            seed: 0,
            result: GameResult::scored_with_tile(score, max_tile),
            moves: 0,
            leaf_evaluations: 0,
        }
    }

    #[test]
    fn intervals_and_differences_are_those_of_the_objective() {
        let games = |factor| (0..60u64).map(move |i| game(factor * (i * i % 61), 1 << (i % 3)));
        let [tuned, start]: [Vec<_>; 2] = [games(12), games(10)].map(Iterator::collect);
        for name in [
            "mean-score",
            "median-score",
            "mean-log-score",
            "share-reaching-2",
        ] {
            let objective = Objective::try_from(name.to_owned()).unwrap();
            let difference = objective.difference(&tuned, &start, 1, Resampling::new(200, 1));
            let [tuned, start] = [&tuned, &start].map(|games| objective.contributions(games));
            let [value, of_start] = [&tuned, &start].map(|of| objective.fitness(of).value);
            let interval = objective.interval(&tuned, Resampling::new(200, 1)).unwrap();
            assert!(interval.low < value && value < interval.high, "{name}");
            assert!(
                (difference.mean - (value - of_start)).abs() < 1e-9,
                "{name}"
            );
        }
    }

    proptest! {
        #[test]
        fn contributions_do_not_depend_on_parts(
            // The last four bits of a seed are the number of a setting.
            games in prop::collection::vec((0u64..40, 0u8..3, any::<bool>()), 0..60),
            ends in prop::collection::vec(0usize..60, 0..10),
        ) {
            let mut ends: Vec<usize> = ends.iter().map(|end| *end.min(&games.len())).collect();
            ends.sort_unstable();
            ends.push(games.len());
            let record = |&(seed, outcome, is_scored): &(u64, u8, bool)| GameRecord {
                seed,
                result: match (is_scored, outcome) {
                    (true, _) => GameResult::scored_with_tile(seed, 1 << outcome),
                    (false, 0) => GameResult::Outcome(Outcome::Loss),
                    (false, 1) => GameResult::Outcome(Outcome::Draw),
                    (false, _) => GameResult::Outcome(Outcome::Win),
                },
                moves: 0,
                leaf_evaluations: 0,
            };
            let games: Vec<GameRecord> = games.iter().map(record).collect();
            let names = ["mean-score", "mean-log-score", "share-reaching-2", "mean-points", "geometric-mean-score"];
            for name in names {
                let objective = Objective::try_from(name.to_owned()).unwrap();
                let mut parts = Contributions::new(objective);
                let mut begin = 0;
                for &end in &ends {
                    parts.add(&games[begin..end]);
                    begin = end;
                }
                prop_assert_eq!(parts.take(), objective.contributions(&games));
                prop_assert!(parts.take().is_empty());
            }
        }
    }

    proptest! {
        #[test]
        fn shares_are_ranked_tile_by_tile(
            one in prop::collection::vec(0u32..8, 12),
            other in prop::collection::vec(0u32..8, 12),
        ) {
            let objective = Objective::ShareReaching(128);
            let games = |ranks: &[u32]| ranks.iter().map(|rank| game(0, 1 << rank)).collect::<Vec<_>>();
            let rank_value = |ranks: &[u32]| mean(&objective.ranking(&games(ranks), 12));
            let shares = |ranks: &[u32]| -> Vec<usize> {
                let reaching = |tile: u32| ranks.iter().filter(|rank| **rank >= tile).count();
                (1..8).rev().map(reaching).collect()
            };
            let [by_tiles, by_value] = [
                shares(&one).cmp(&shares(&other)),
                rank_value(&one).total_cmp(&rank_value(&other)),
            ];
            // Equal shares can differ by rounding errors.
            if by_tiles.is_ne() {
                prop_assert_eq!(by_tiles, by_value);
            } else {
                prop_assert!((rank_value(&one) - rank_value(&other)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn only_shares_are_ranked_by_more_than_the_fitness() {
        let games = [game(10, 64), game(100, 128), game(300, 256)];
        for name in ["mean-score", "median-score", "mean-log-score"] {
            let objective = Objective::try_from(name.to_owned()).unwrap();
            assert_eq!(
                objective.ranking(&games, 3),
                objective.contributions(&games)
            );
        }
        let objective = Objective::ShareReaching(128);
        let [below, at, above] = objective.ranking(&games, 3)[..] else {
            panic!("three games");
        };
        assert!((at - below - 1.0).abs() < 1e-12);
        assert_eq!(at, above);
        // 64 is the first of the lower tiles, and all tiles below it are reached too.
        assert!((0.25..0.35).contains(&below), "{below}");
    }

    #[test]
    fn objectives_measure_what_they_say() {
        let games = [game(0, 64), game(100, 128), game(300, 256), game(1600, 256)];
        for (name, expected) in [
            ("mean-score", 500.0),
            ("median-score", 200.0),
            (
                "mean-log-score",
                (101f64.ln() + 301f64.ln() + 1601f64.ln()) / 4.0,
            ),
            ("share-reaching-128", 0.75),
            ("share-reaching-192", 0.5),
        ] {
            let objective = Objective::try_from(name.to_owned()).unwrap();
            assert_eq!(objective.to_string(), name);
            let contributions = objective.contributions(&games);
            let fitness = objective.fitness(&contributions);
            assert!(
                (fitness.value - expected).abs() < 1e-12,
                "{name}: {fitness:?}"
            );
            assert!(fitness.standard_error > 0.0);
        }
        for name in [
            "mean",
            "share-reaching-",
            "share-reaching--2",
            "share-reaching-2048x",
        ] {
            assert!(Objective::try_from(name.to_owned()).is_err(), "{name}");
        }
    }
}
