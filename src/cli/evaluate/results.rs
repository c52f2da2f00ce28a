//! The results of the games of `tiletune evaluate`, as text and as JSON. This module must not play.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::cli::text;
use crate::number::{compact, count, grouped, several};
use crate::player::depth::Depth;
use crate::player::format::number;
use crate::player::{Pairings, PlayerSpec};
use crate::record::GameRecord;
use crate::report::failures;
use crate::results::{Endings, GameSummary, Outcomes};
use crate::stats::bootstrap::{Resampling, mean_interval};
use crate::stats::games::{results, summarize};
use crate::stats::intervals::{Interval, median_interval, share_interval};
use crate::stats::points::points;

/// Bootstrap resamples for the interval of the mean.
const RESAMPLES: u32 = 2000;

/// The results of games.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct Results {
    /// Number of games.
    games: usize,
    /// Number of moves in all.
    moves: u64,
    /// Elapsed seconds.
    seconds: f64,
    /// Games per second.
    games_per_second: f64,
    /// Moves per second.
    moves_per_second: f64,
    /// Number of boards that the player's heuristic valued.
    leaf_evaluations: u64,
    /// The same per second.
    leaf_evaluations_per_second: f64,
    /// The game.
    game: &'static str,
    /// Name of the player.
    player: &'static str,
    /// Its search depth; null if it has none.
    depth: Option<Depth>,
    #[serde(flatten)]
    scores: Option<Scores>,
    #[serde(flatten)]
    points: Option<PointsOfGames>,
    /// Games between two players: the opponent, or all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<crate::tests::Opponents>"))]
    opponent: Option<Value>,
    /// The results against each of several opponents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    against: Vec<AgainstOne>,
    /// The player and its options in words.
    #[serde(skip)]
    described: String,
}

/// The results of games of one player.
#[derive(Serialize, JsonSchema)]
struct Scores {
    /// Mean score.
    mean_score: f64,
    /// Its standard error; null for a single game.
    se_score: Option<f64>,
    /// Median of the scores.
    median_score: f64,
    /// 95 % interval of the mean; null if there are too few games.
    mean_interval: Option<[f64; 2]>,
    /// 95 % interval of the median; null if there are too few games.
    median_interval: Option<[f64; 2]>,
    /// Largest tile at the end -> number of games.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, u32>>")]
    max_tile: Option<BTreeMap<u32, u32>>,
    /// Tile -> share of games that reach it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, TileShare>>")]
    shares: Option<BTreeMap<u32, TileShare>>,
    /// Number of capped games.
    #[serde(skip_serializing_if = "Option::is_none")]
    capped: Option<u32>,
    /// Games of a program: mean of each of its numbers beside the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<BTreeMap<String, f64>>,
    /// Games of a program: number of games in which it failed or refused the weights; left out if there are none. Each
    /// counts as worse than all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed_games: Option<u32>,
}

/// The share of games with this largest tile or a larger one.
#[derive(Serialize, JsonSchema)]
struct TileShare {
    /// The share.
    share: f64,
    /// Its 95 % interval.
    interval: [f64; 2],
}

/// The results of games between two players.
#[derive(Serialize, JsonSchema)]
struct PointsOfGames {
    /// Mean points; a win counts 1, a draw 1/2.
    points: f64,
    /// Its standard error, over openings.
    se_points: f64,
    /// Its 95 % interval.
    points_interval: (f64, f64),
    /// Difference of the Elo ratings; infinite differences are texts.
    #[serde(serialize_with = "finite_or_text")]
    #[cfg_attr(test, schemars(with = "crate::tests::NumberOrText"))]
    elo: f64,
    /// Its 95 % interval.
    #[serde(serialize_with = "finite_or_texts")]
    #[cfg_attr(test, schemars(with = "[crate::tests::NumberOrText; 2]"))]
    elo_interval: (f64, f64),
    #[serde(flatten)]
    outcomes: Outcomes,
}

fn finite_or_text<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    number(*value).serialize(to)
}

fn finite_or_texts<S: Serializer>((low, high): &(f64, f64), to: S) -> Result<S::Ok, S::Error> {
    [number(*low), number(*high)].serialize(to)
}

/// The results against one of several opponents.
#[derive(Serialize, JsonSchema)]
struct AgainstOne {
    /// The opponent.
    opponent: String,
    /// Number of games.
    games: usize,
    /// Mean points.
    points: f64,
    /// Its 95 % interval.
    points_interval: (f64, f64),
    #[serde(flatten)]
    outcomes: Outcomes,
}

impl Results {
    pub(super) fn new(player: &PlayerSpec, games: &[GameRecord], seconds: f64) -> Self {
        let summary = summarize("", games);
        let moves = games.iter().map(|game| u64::from(game.moves)).sum();
        let leaves = games.iter().map(|game| game.leaf_evaluations).sum();
        let per_second = |count: u64| count as f64 / seconds;
        let scores = Scores::new(games, &summary);
        let of_points = |outcomes| {
            let points = points(games);
            PointsOfGames {
                points: points.mean,
                se_points: points.standard_error,
                points_interval: points.interval,
                elo: points.elo,
                elo_interval: points.elo_interval,
                outcomes,
            }
        };
        Results {
            games: games.len(),
            moves,
            seconds,
            games_per_second: per_second(games.len() as u64),
            moves_per_second: per_second(moves),
            leaf_evaluations: leaves,
            leaf_evaluations_per_second: per_second(leaves),
            game: player.entry.game.name,
            player: player.entry.name,
            depth: player.depth(),
            scores,
            points: summary.outcomes().map(of_points),
            opponent: player.opponents().map(|names| json!(names)),
            against: against_each(player, games),
            described: player.describe(),
        }
    }

    /// Number of games.
    pub(super) fn games(&self) -> usize {
        self.games
    }

    /// True if a program has failed in every game.
    pub(super) fn without_result(&self) -> bool {
        let failed = self.scores.as_ref().and_then(|scores| scores.failed_games);
        failed.is_some_and(|failed| failed as usize == self.games)
    }

    pub(super) fn text(&self) -> String {
        let (player, seconds) = (&self.described, self.seconds);
        let played = several(self.games as u64, "game");
        let results = match (&self.scores, &self.points) {
            (Some(scores), _) => scores.text(self.games as u32),
            (None, Some(points)) => points.text(&self.against),
            (None, None) => String::new(),
        };
        let games_per_second = grouped(self.games_per_second, 1);
        let has_numbers = |scores: &Scores| scores.numbers.is_some();
        if self.scores.as_ref().is_some_and(has_numbers) {
            return format!(
                "{player}: {played}\n{results}\n{seconds:.2} s: {games_per_second} games/s"
            );
        }
        format!(
            "{player} on {}: {played}, {} moves a game\n{results}\n\
             {seconds:.2} s: {games_per_second} games/s, {} moves/s, {} leaf evaluations/s",
            self.game,
            grouped(self.moves as f64 / self.games as f64, 0),
            grouped(self.moves_per_second, 0),
            grouped(self.leaf_evaluations_per_second, 0)
        )
    }
}

impl Scores {
    /// `None` for games between two players.
    fn new(games: &[GameRecord], summary: &GameSummary) -> Option<Self> {
        let (max_tile, capped, numbers) = match &summary.endings {
            Endings::Scores { max_tile, capped } => (Some(max_tile.clone()), Some(*capped), None),
            Endings::Numbers { numbers, .. } => (None, None, Some(numbers.clone())),
            Endings::Outcomes { .. } => return None,
        };
        let all = summary.games;
        let share = |(&tile, &count): (&u32, &u32)| {
            let reaching = f64::from(count);
            let interval = share_interval(reaching, all.into()).ends();
            let share = reaching / f64::from(all);
            (tile, TileShare { share, interval })
        };
        let results = results(games);
        // The seed is fixed, so that the interval depends only on the games.
        let mean = mean_interval(&results, Resampling::new(RESAMPLES, 0));
        Some(Scores {
            mean_score: summary.mean,
            se_score: (games.len() > 1).then_some(summary.standard_error),
            median_score: summary.median,
            mean_interval: mean.map(Interval::ends),
            median_interval: median_interval(&results).map(Interval::ends),
            shares: max_tile
                .as_ref()
                .map(|tiles| tiles.iter().map(share).collect()),
            max_tile,
            capped,
            numbers,
            failed_games: Some(summary.failed()).filter(|games| *games > 0),
        })
    }

    fn text(&self, games: u32) -> String {
        // The score of a program can have any magnitude.
        let number = |value| match self.numbers {
            Some(_) => compact(value),
            None => grouped(value, 0),
        };
        let interval = |interval: Option<[f64; 2]>| {
            interval.map_or("no interval".to_owned(), |ends| {
                let [low, high] = ends.map(number);
                format!("95 % interval {low} to {high}")
            })
        };
        let error = self.se_score.map(|error| format!("se {}", number(error)));
        let mut text = format!(
            "mean score {} ({}, {}), median {} ({})",
            number(self.mean_score),
            error.unwrap_or("no standard error".to_owned()),
            interval(self.mean_interval),
            number(self.median_score),
            interval(self.median_interval)
        );
        for (name, mean) in self.numbers.iter().flatten() {
            text += &format!("\nmean {name} {}", compact(*mean));
        }
        let failed = self.failed_games.unwrap_or_default();
        if let Some(failed) = failures::failed_games(failed, games, "these weights") {
            text += &format!("\n{failed}");
        }
        if let (Some(tiles), Some(shares)) = (&self.max_tile, &self.shares)
            && !tiles.is_empty()
        {
            let mut table = text::table(&["largest tile", "games", "share", "95 % interval"]);
            for ((tile, games), of) in tiles.iter().zip(shares.values()) {
                table.add_row([
                    tile.to_string(),
                    count(*games),
                    format!("{} %", percent(of.share)),
                    format!("{} to {}", percent(of.interval[0]), percent(of.interval[1])),
                ]);
            }
            text += &format!("\n{table}");
        }
        match self.capped.unwrap_or(0) {
            0 => text,
            games => format!(
                "{text}\n{} had two tiles of the largest size that a board can hold, which \
                 cannot be merged here",
                several(u64::from(games), "game")
            ),
        }
    }
}

impl PointsOfGames {
    fn text(&self, against: &[AgainstOne]) -> String {
        let ((low, high), (elo_low, elo_high)) = (self.points_interval, self.elo_interval);
        let [mean, low, high] = [self.points, low, high].map(percent);
        let [elo, elo_low, elo_high] = [self.elo, elo_low, elo_high].map(|elo| grouped(elo, 0));
        let Outcomes {
            wins,
            draws,
            losses,
        } = self.outcomes;
        let text = format!(
            "points {mean} % (95 % interval {low} to {high}), Elo {elo} ({elo_low} to \
             {elo_high})\nwon {}, drawn {}, lost {}; every opening is played from both sides",
            count(wins),
            count(draws),
            count(losses)
        );
        if against.is_empty() {
            return text;
        }
        let mut table = text::table(&[
            "opponent",
            "games",
            "points",
            "95 % interval",
            "won",
            "drawn",
            "lost",
        ]);
        for of in against {
            let (low, high) = of.points_interval;
            table.add_row([
                of.opponent.clone(),
                count(of.games as u64),
                format!("{} %", percent(of.points)),
                format!("{} to {}", percent(low), percent(high)),
                count(of.outcomes.wins),
                count(of.outcomes.draws),
                count(of.outcomes.losses),
            ]);
        }
        format!("{text}\n{table}")
    }
}

fn percent(share: f64) -> String {
    grouped(100.0 * share, 1)
}

/// The results against each of several opponents, in the order of their names. Empty with one opponent.
fn against_each(player: &PlayerSpec, games: &[GameRecord]) -> Vec<AgainstOne> {
    let Some(pairings) = Pairings::of(player) else {
        return Vec::new();
    };
    let mut by_opponent: BTreeMap<&str, Vec<GameRecord>> = BTreeMap::new();
    for game in games {
        if let Some(opponent) = pairings.of_seed(game.seed).opponent {
            by_opponent.entry(opponent).or_default().push(game.clone());
        }
    }
    if by_opponent.len() < 2 {
        return Vec::new();
    }
    let each = by_opponent.into_iter().filter_map(|(opponent, games)| {
        let points = points(&games);
        Some(AgainstOne {
            opponent: opponent.to_owned(),
            games: games.len(),
            points: points.mean,
            points_interval: points.interval,
            outcomes: summarize("", &games).outcomes()?,
        })
    });
    each.collect()
}
