//! The results of the games of `tiletune evaluate`, as text and as JSON. It plays nothing.

use std::collections::BTreeMap;

use comfy_table::Table;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::cli::text;
use crate::number::{compact, grouped, several};
use crate::player::depth::Depth;
use crate::player::format::number;
use crate::player::options::Value as OptionValue;
use crate::player::{Pairings, PlayerSpec};
use crate::record::GameRecord;
use crate::results::{Endings, GameSummary, Outcomes};
use crate::stats::bootstrap::{Resampling, mean_interval};
use crate::stats::games::{results, summarize};
use crate::stats::intervals::{Interval, median_interval, share_interval};
use crate::stats::points::{Points, points};

/// Bootstrap resamples for the interval of the mean.
const RESAMPLES: u32 = 2000;

/// How many games ended with a largest tile.
struct Share {
    tile: u32,
    games: u32,
    share: f64,
    interval: Interval,
}

/// The results of games.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct Results<'a> {
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
    scores: Option<Scores<'a>>,
    #[serde(flatten)]
    points: Option<PointsOfGames>,
    /// Games between two players: the opponent, or all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Opponents>")]
    opponent: Option<OptionValue>,
    /// The results against each of several opponents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    against: Vec<AgainstOne<'a>>,
}

/// The results of games of one player.
#[derive(Serialize, JsonSchema)]
struct Scores<'a> {
    /// Mean score.
    mean_score: f64,
    /// Its standard error; null for a single game.
    se_score: Option<f64>,
    /// Median of the scores.
    median_score: f64,
    /// Its 95 % interval; null if there are too few games.
    mean_interval: Option<[f64; 2]>,
    /// 95 % interval of the median; null if there are too few games.
    median_interval: Option<[f64; 2]>,
    /// Largest tile at the end -> number of games.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, u32>>")]
    max_tile: Option<&'a BTreeMap<u32, u32>>,
    /// Tile -> share of games that reach it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, TileShare>>")]
    shares: Option<BTreeMap<u32, TileShare>>,
    /// Number of capped games.
    #[serde(skip_serializing_if = "Option::is_none")]
    capped: Option<u32>,
    /// Games of a program: mean of each of its numbers beside the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<&'a BTreeMap<String, f64>>,
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
    #[cfg_attr(test, schemars(with = "crate::schemas::NumberOrText"))]
    elo: Value,
    /// Its 95 % interval.
    #[cfg_attr(test, schemars(with = "[crate::schemas::NumberOrText; 2]"))]
    elo_interval: [Value; 2],
    #[serde(flatten)]
    outcomes: Outcomes,
}

/// An opponent, or several.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "it declares a schema")]
enum Opponents {
    One(String),
    Several(Vec<String>),
}

/// An interval of scores in words.
fn interval(summary: &GameSummary, interval: Option<Interval>) -> String {
    interval.map_or("no interval".into(), |Interval { low, high }| {
        let [low, high] = [low, high].map(|score| text::result(summary, score));
        format!("95 % interval {low} to {high}")
    })
}

/// Games of a player and their totals.
pub(super) struct Evaluated<'a> {
    player: &'a PlayerSpec,
    pairings: Option<Pairings>,
    games: &'a [GameRecord],
    summary: GameSummary,
    moves: u64,
    leaves: u64,
    seconds: f64,
}

impl<'a> Evaluated<'a> {
    pub(super) fn new(player: &'a PlayerSpec, games: &'a [GameRecord], seconds: f64) -> Self {
        Evaluated {
            player,
            pairings: Pairings::of(player),
            games,
            summary: summarize("", games),
            moves: games.iter().map(|game| u64::from(game.moves)).sum(),
            leaves: games.iter().map(|game| game.leaf_evaluations).sum(),
            seconds,
        }
    }

    /// Games, moves and leaf evaluations per second.
    fn rates(&self) -> [f64; 3] {
        [self.games.len() as u64, self.moves, self.leaves].map(|count| count as f64 / self.seconds)
    }

    pub(super) fn json(&self) -> Results<'_> {
        let (summary, entry) = (&self.summary, self.player.entry);
        let [games, moves, leaves] = self.rates();
        let scores = || Scores {
            mean_score: summary.mean,
            se_score: self.standard_error(),
            median_score: summary.median,
            mean_interval: self.mean_interval().map(Interval::ends),
            median_interval: self.median_interval().map(Interval::ends),
            max_tile: None,
            shares: None,
            capped: None,
            numbers: None,
        };
        let (scores, points) = match &summary.endings {
            Endings::Scores { max_tile, capped } => {
                let share = |of: Share| {
                    let interval = of.interval.ends();
                    let share = of.share;
                    (of.tile, TileShare { share, interval })
                };
                let scores = Scores {
                    max_tile: Some(max_tile),
                    shares: Some(self.shares().map(share).collect()),
                    capped: Some(*capped),
                    ..scores()
                };
                (Some(scores), None)
            }
            Endings::Numbers { numbers } => {
                let numbers = Some(numbers);
                (
                    Some(Scores {
                        numbers,
                        ..scores()
                    }),
                    None,
                )
            }
            Endings::Outcomes { outcomes } => {
                let points = points(self.games);
                let (low, high) = points.elo_interval;
                let points = PointsOfGames {
                    points: points.mean,
                    se_points: points.standard_error,
                    points_interval: points.interval,
                    elo: number(points.elo),
                    elo_interval: [number(low), number(high)],
                    outcomes: *outcomes,
                };
                (None, Some(points))
            }
        };
        Results {
            games: self.games.len(),
            moves: self.moves,
            seconds: self.seconds,
            games_per_second: games,
            moves_per_second: moves,
            leaf_evaluations: self.leaves,
            leaf_evaluations_per_second: leaves,
            game: entry.game.name,
            player: entry.name,
            depth: self.player.depth(),
            scores,
            points,
            opponent: self.player.opponents(),
            against: self.against_each().into_iter().map(against_json).collect(),
        }
    }

    pub(super) fn text(&self) -> String {
        let count = self.games.len() as f64;
        let played = several(self.games.len() as u64, "game");
        let [games, moves, leaves] = self.rates();
        if self.summary.numbers().is_some() {
            return format!(
                "{}: {}\n{}\n{:.2} s: {} games/s",
                self.player.describe(),
                played,
                self.scores(),
                self.seconds,
                grouped(games, 1)
            );
        }
        format!(
            "{} on {}: {}, {} moves a game\n{}\n\
             {:.2} s: {} games/s, {} moves/s, {} leaf evaluations/s",
            self.player.describe(),
            self.player.entry.game.name,
            played,
            grouped(self.moves as f64 / count, 0),
            match self.summary.outcomes() {
                None => self.scores(),
                Some(outcomes) => self.points(&outcomes),
            },
            self.seconds,
            grouped(games, 1),
            grouped(moves, 0),
            grouped(leaves, 0)
        )
    }

    /// Standard error of the mean score; `None` for a single game.
    fn standard_error(&self) -> Option<f64> {
        (self.games.len() > 1).then_some(self.summary.standard_error)
    }

    /// The 95 % interval of the mean score. A function of the games alone.
    fn mean_interval(&self) -> Option<Interval> {
        mean_interval(&results(self.games), Resampling::new(RESAMPLES, 0))
    }

    /// The 95 % interval of the median score.
    fn median_interval(&self) -> Option<Interval> {
        median_interval(&results(self.games))
    }

    /// The largest tiles with the number of games that ended with each, and the interval of their share.
    fn shares(&self) -> impl Iterator<Item = Share> {
        let games = self.summary.games;
        let tiles = self.summary.max_tile().iter();
        tiles.map(move |(&tile, &number)| Share {
            tile,
            games: number,
            share: f64::from(number) / f64::from(games),
            interval: share_interval(f64::from(number), games.into()),
        })
    }

    fn scores(&self) -> String {
        let summary = &self.summary;
        let [mean, median] =
            [summary.mean, summary.median].map(|score| text::result(summary, score));
        let error = match self.standard_error() {
            Some(error) => format!("se {}", text::result(summary, error)),
            None => "no standard error".to_owned(),
        };
        let of = |given: Option<Interval>| interval(summary, given);
        let [of_mean, of_median] = [self.mean_interval(), self.median_interval()].map(of);
        if let Some(numbers) = summary.numbers() {
            let numbers = numbers.iter();
            let numbers = numbers.map(|(name, mean)| format!("\nmean {name} {}", compact(*mean)));
            let numbers: String = numbers.collect();
            return format!(
                "mean score {mean} ({error}, {of_mean}), median {median} ({of_median}){numbers}"
            );
        }
        let mut table = text::table(&["largest tile", "games", "share", "95 % interval"]);
        for of in self.shares() {
            let [share, low, high] = [of.share, of.interval.low, of.interval.high];
            let [share, low, high] = [share, low, high].map(|share| grouped(100.0 * share, 1));
            table.add_row([
                of.tile.to_string(),
                of.games.to_string(),
                format!("{share} %"),
                format!("{low} to {high}"),
            ]);
        }
        let capped = match summary.capped().unwrap_or(0) {
            0 => String::new(),
            games => format!(
                "\n{games} games had two tiles of the largest size that a board can hold, which \
                 cannot be merged here"
            ),
        };
        format!(
            "mean score {mean} ({error}, {of_mean}), median {median} ({of_median})\n{table}{capped}"
        )
    }

    fn points(&self, outcomes: &Outcomes) -> String {
        let points = points(self.games);
        let ((low, high), (elo_low, elo_high)) = (points.interval, points.elo_interval);
        let [mean, low, high] = [points.mean, low, high].map(|share| 100.0 * share);
        let [elo, elo_low, elo_high] = [points.elo, elo_low, elo_high].map(|elo| grouped(elo, 0));
        let mut text = format!(
            "points {mean:.1} % (95 % interval {low:.1} to {high:.1}), Elo {elo} ({elo_low} to \
             {elo_high})\nwon {}, drawn {}, lost {}; every opening is played from both sides",
            outcomes.wins, outcomes.draws, outcomes.losses
        );
        let each = self.against_each();
        if !each.is_empty() {
            text += &format!("\n{}", against_table(&each));
        }
        text
    }

    /// The results against each of several opponents, in the order of their names; none if there is one opponent.
    fn against_each(&self) -> Vec<Against<'_>> {
        let Some(pairings) = &self.pairings else {
            return Vec::new();
        };
        let mut games: BTreeMap<&str, Vec<GameRecord>> = BTreeMap::new();
        for game in self.games {
            if let Some(opponent) = pairings.of_seed(game.seed).opponent {
                games.entry(opponent).or_default().push(game.clone());
            }
        }
        if games.len() < 2 {
            return Vec::new();
        }
        let each = games.into_iter();
        each.filter_map(|(opponent, games)| {
            Some(Against {
                opponent,
                games: games.len(),
                points: points(&games),
                outcomes: summarize("", &games).outcomes()?,
            })
        })
        .collect()
    }
}

/// The results of the games against one of several opponents.
struct Against<'a> {
    opponent: &'a str,
    games: usize,
    points: Points,
    outcomes: Outcomes,
}

/// The results against one of several opponents.
#[derive(Serialize, JsonSchema)]
struct AgainstOne<'a> {
    /// The opponent.
    opponent: &'a str,
    /// Number of games.
    games: usize,
    /// Mean points.
    points: f64,
    /// Its 95 % interval.
    points_interval: (f64, f64),
    #[serde(flatten)]
    outcomes: Outcomes,
}

fn against_json(of: Against) -> AgainstOne {
    AgainstOne {
        opponent: of.opponent,
        games: of.games,
        points: of.points.mean,
        points_interval: of.points.interval,
        outcomes: of.outcomes,
    }
}

fn against_table(each: &[Against]) -> Table {
    let mut table = text::table(&[
        "opponent",
        "games",
        "points",
        "95 % interval",
        "won",
        "drawn",
        "lost",
    ]);
    for of in each {
        let (low, high) = of.points.interval;
        let [mean, low, high] = [of.points.mean, low, high].map(|share| grouped(100.0 * share, 1));
        let counts = [of.outcomes.wins, of.outcomes.draws, of.outcomes.losses];
        let mut row = vec![
            of.opponent.to_owned(),
            of.games.to_string(),
            format!("{mean} %"),
            format!("{low} to {high}"),
        ];
        row.extend(counts.map(|count| count.to_string()));
        table.add_row(row);
    }
    table
}
