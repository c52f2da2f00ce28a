//! The results of an experiment: fixed players that play a number of games each, and how they
//! compare with what is known of them from elsewhere and with each other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Outcomes, PairedDifference};

/// Everything that charts and reports read of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExperimentResults {
    /// Name of the experiment.
    pub name: String,
    /// Why it was run.
    pub why: String,
    /// Seed under which every row's games are played, as `evaluate --seed` would.
    pub seed: u64,
    /// The tile that the players are meant to reach, if the experiment is about one.
    pub tile: Option<u32>,
    /// The rows in the order of the experiment file, as far as they are played.
    pub rows: Vec<RowResult>,
    /// Names of the rows that are still to be played.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unplayed: Vec<String>,
    /// Positions that the yardstick is still to judge.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unjudged: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl ExperimentResults {
    /// Whether the results are points of games between two players, not scores.
    pub fn is_between_two(&self) -> bool {
        self.rows.iter().any(|row| row.outcomes.is_some())
    }
}

/// What one player did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RowResult {
    /// Name of the row.
    pub name: String,
    /// Heading that it shares with its neighbours.
    pub group: Option<String>,
    /// Player and options in words.
    pub player: String,
    /// Its weights by key.
    pub weights: BTreeMap<String, f64>,
    /// Number of games.
    pub games: u32,
    /// Mean score; of games between two players, mean points.
    pub mean_score: f64,
    /// Its standard error.
    pub se_score: f64,
    /// Mean number of moves.
    pub mean_moves: f64,
    /// Largest tile at the end -> number of games.
    pub max_tile: BTreeMap<u32, u32>,
    /// How games between two players ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<Outcomes>,
    /// Games that met the edge of the board's encoding.
    pub capped: u32,
    /// Games that reached the experiment's tile.
    pub reached: Option<Reached>,
    /// The histogram published for this player.
    pub published: Option<Histogram>,
    /// The distribution that it is tested against.
    pub reference: Option<Histogram>,
    /// Agreement with that.
    pub agreement: Option<Agreement>,
    /// Difference to another row's score, game by game.
    pub comparison: Option<Comparison>,
    /// How its single moves did by the experiment's yardstick.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<Kept>,
}

impl RowResult {
    /// Games whose largest tile is at least this one.
    pub fn reaching(&self, tile: u32) -> u32 {
        self.max_tile.range(tile..).map(|(_, games)| games).sum()
    }
}

/// How many games came to a tile, as a share with its 95 % interval (Wilson).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// Number of games.
    pub games: u32,
    /// Their share.
    pub share: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// In how many positions a row's move led to the best outcome that there was, as a share with its
/// 95 % interval (Wilson).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Positions asked about.
    pub positions: u32,
    /// Those in which the outcome was kept.
    pub kept: u32,
    /// Their share.
    pub share: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// The same positions under another row.
    pub comparison: Option<KeptComparison>,
}

/// McNemar's test of a row against its baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptComparison {
    /// Name of the baseline.
    pub baseline: String,
    /// Positions in which only the row kept the outcome.
    pub only_row: u64,
    /// Positions in which only the baseline did.
    pub only_baseline: u64,
    /// Chance of a split as uneven if both keep it equally often.
    pub p: f64,
    /// The same, corrected over all compared rows by Holm's procedure.
    pub p_holm: f64,
}

/// Largest tile -> number of games.
pub type Histogram = BTreeMap<u32, u64>;

/// Two-sample chi-square test of a row's largest tiles against a reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Games behind the reference.
    pub reference_games: u64,
    /// The statistic.
    pub chi_square: f64,
    /// Its degrees of freedom.
    pub degrees: u32,
    /// Chance of a statistic as large if both are of one distribution.
    pub p: f64,
    /// The same, corrected over all rows by Holm's procedure.
    pub p_holm: f64,
}

/// A row against another, its baseline, on the same seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Name of the baseline.
    pub baseline: String,
    /// Row - baseline in points a game. Its interval is wide enough that all intervals of the
    /// experiment hold together with 95 % (Bonferroni).
    pub difference: PairedDifference,
    /// Number of rows compared, for which the interval is corrected.
    pub comparisons: u32,
}
