//! The results of an experiment: games of players with fixed weights, compared with published results, with
//! reference distributions, and with each other.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::retuned::Retuned;
use super::sensitivity::Sensitivity;
use super::{GameSummary, PairedDifference, Share};
use tiletune_engine::record::as_text;

/// Everything that charts and reports read of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ExperimentResults {
    /// Name of the experiment.
    pub name: String,
    /// Why it was run.
    pub why: String,
    /// Seed under which every row's games are played, as `evaluate --seed` would.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub seed: u64,
    /// The tile whose reaching is counted, if the experiment names one.
    pub tile: Option<u32>,
    /// The played rows, in the order of the experiment file.
    pub rows: Vec<RowResult>,
    /// Names of the rows that are not played yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unplayed: Vec<String>,
    /// How much the moved parameters matter, the most important first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sensitivity: Vec<Sensitivity>,
    /// The rows that are tuned again, beside those with fixed weights.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retuned: Vec<Retuned>,
    /// Number of positions that the oracle has not judged yet.
    #[serde(skip_serializing_if = "is_zero")]
    pub unjudged: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl ExperimentResults {
    /// True if the results are points of games between two players. False if they are scores.
    pub fn is_between_two(&self) -> bool {
        self.rows.iter().any(|row| row.summary.outcomes().is_some())
    }

    /// Groups of consecutive rows with the same heading.
    pub fn groups(&self) -> impl Iterator<Item = &[RowResult]> {
        self.rows.chunk_by(|one, next| one.group == next.group)
    }

    /// The unit of the observations in words: games or openings.
    pub fn observed(&self) -> &'static str {
        self.rows
            .first()
            .map_or("games", |row| row.summary.observed())
    }
}

/// The results of one player.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RowResult {
    /// Name of the row.
    pub name: String,
    /// Heading that it has in common with its neighbours.
    pub group: Option<String>,
    /// Player and options in words.
    pub player: String,
    /// Its weights by key.
    pub weights: BTreeMap<String, f64>,
    /// Its games.
    #[serde(flatten)]
    pub summary: GameSummary,
    /// Games that reached the experiment's tile.
    pub reached: Option<Share>,
    /// The histogram published for this player.
    #[schemars(with = "Option<BTreeMap<String, u64>>")]
    pub published: Option<Histogram>,
    /// The distribution that it is tested against.
    #[schemars(with = "Option<BTreeMap<String, u64>>")]
    pub reference: Option<Histogram>,
    /// Agreement with that.
    pub agreement: Option<Agreement>,
    /// Paired difference to another row.
    pub comparison: Option<Comparison>,
    /// Its moves in the positions that the experiment's oracle judges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<MoveAccuracy>,
}

impl RowResult {
    /// Summary of its games; `None` for games between two players.
    pub fn scored(&self) -> Option<&GameSummary> {
        Some(&self.summary).filter(|summary| summary.outcomes().is_none())
    }
}

/// In how many positions a row's move preserves the best possible outcome, as a share with its 95 %
/// interval (exact).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MoveAccuracy {
    /// Number of judged positions.
    pub positions: u32,
    /// Those in which the move preserves the outcome.
    pub kept: u32,
    /// Their share.
    pub share: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Comparison with another row in the same positions.
    pub comparison: Option<McNemarTest>,
}

/// McNemar's test of a row against its baseline.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct McNemarTest {
    /// Name of the baseline.
    pub baseline: String,
    /// Positions in which only the row preserves the outcome.
    pub only_row: u64,
    /// Positions in which only the baseline does.
    pub only_baseline: u64,
    /// Probability of a split at least as uneven if both preserve it equally often.
    pub p: f64,
    /// The p value after Holm's correction over all compared rows.
    pub p_holm: f64,
}

/// Number of games for each largest tile.
pub type Histogram = BTreeMap<u32, u64>;

/// Two-sample chi-square test of a row's largest tiles against a reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Agreement {
    /// Games behind the reference.
    pub reference_games: u64,
    /// The test of equal distributions; `None` if the games are too few to tell any two tiles apart.
    #[serde(flatten)]
    pub test: Option<AgreementTest>,
    /// The largest difference of the share of any tile that the games do not exclude.
    pub largest_difference: f64,
}

/// The chi-square test of a row's largest tiles against its reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AgreementTest {
    /// The statistic.
    pub chi_square: f64,
    /// Its degrees of freedom, at least 1.
    pub degrees: u32,
    /// Probability of a statistic at least as large if both have the same distribution.
    pub p: f64,
    /// The p value after Holm's correction over all tested rows.
    pub p_holm: f64,
}

/// A row against another, its baseline, on the same seeds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Comparison {
    /// Name of the baseline.
    pub baseline: String,
    /// Row - baseline in points a game, with a simultaneous interval: with 95 % confidence all such
    /// intervals of the experiment contain the true differences (Bonferroni). Without an interval the
    /// sign test is corrected in the same way.
    pub difference: PairedDifference,
    /// Number of compared rows, which the interval is corrected for.
    pub comparisons: u32,
}
