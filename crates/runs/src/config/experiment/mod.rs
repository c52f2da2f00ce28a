//! The schema of an experiment file: players with fixed weights, each with a number of games. `resolve` checks a file
//! and fills in defaults; `generate` computes the rows of a `[[generate]]` table. `None` fields are left out of TOML.

mod generate;
mod place;
mod resolve;
mod retune;
mod row;
mod sensitivity;

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::Document;
use super::heuristic_file::HeuristicConfig;
use super::{ConfigError, Source};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::{self, PlayerSpec};
use tiletune_tuning::evaluation;
use tiletune_tuning::optimizer;

pub use resolve::{Experiment, Oracle};
pub use row::{Retuned, Row};

/// An experiment file. The resolved configuration, which is written into the run directory, is an
/// experiment file as well.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Experiment")]
#[serde(deny_unknown_fields)]
pub struct ExperimentConfig {
    /// Why the experiment is run.
    pub why: String,
    /// Name; part of the default name of the run directory.
    pub name: String,
    /// Seed of the games: 0 to 2^63 - 1. Every row plays the games of `evaluate --seed`.
    pub seed: u64,
    /// Games per row.
    #[serde(default = "default_games")]
    pub games: u32,
    /// The tile whose share of games is reported, if any.
    pub tile: Option<u32>,
    /// Published histograms for the charts: a CSV file, relative to this file.
    pub published: Option<PathBuf>,
    /// Distributions to test the results against: a CSV file, relative to this file.
    pub reference: Option<PathBuf>,
    /// The default row with which rows are compared, game by game.
    pub baseline: Option<String>,
    /// Bootstrap resamples for the intervals of these comparisons.
    #[serde(default = "default_resamples")]
    pub resamples: u32,
    /// The default player of rows.
    pub player: Option<player::PlayerConfig>,
    /// The default heuristic of rows whose player takes one: the path of a heuristic file, relative to this
    /// file, or its contents. The resolved configuration has the contents.
    pub heuristic: Option<HeuristicConfig>,
    /// The oracle that judges single moves, in a game of two players.
    #[serde(rename = "yardstick")]
    pub oracle: Option<OracleConfig>,
    /// The campaigns of rows that are tuned again.
    pub retune: Option<RetuneConfig>,
    /// The rows.
    #[serde(default)]
    pub row: Vec<RowConfig>,
    /// Tables of further rows. The resolved configuration has these rows in `row`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generate: Vec<GenerateConfig>,
}

impl ExperimentConfig {
    /// An experiment with one row: the first games of `evaluate --seed` by a player with these weights.
    pub fn of_player(player: &PlayerSpec, weights: &Weights, games: u32, seed: u64) -> Self {
        let name = player.entry.name;
        ExperimentConfig {
            why: format!("Games of `tiletune evaluate`: {}.", player.describe()),
            name: format!("evaluate-{name}"),
            seed,
            games,
            tile: None,
            published: None,
            reference: None,
            baseline: None,
            resamples: default_resamples(),
            player: None,
            heuristic: None,
            oracle: None,
            retune: None,
            row: vec![RowConfig {
                name: name.to_owned(),
                player: Some(player.without_heuristic().config()),
                heuristic: HeuristicConfig::of(player),
                values: weights.to_map(),
                ..RowConfig::default()
            }],
            generate: Vec::new(),
        }
    }

    /// The experiment as the text of a file.
    pub fn to_toml(&self) -> String {
        let text = toml::to_string(self);
        text.unwrap_or_else(|error| unreachable!("every experiment has a text: {error}"))
    }
}

/// A player that knows the outcome of every move, and the positions that it judges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Yardstick")]
#[serde(deny_unknown_fields)]
pub struct OracleConfig {
    /// The player; the sign of its values is the outcome.
    pub player: player::PlayerConfig,
    /// Number of positions.
    #[serde(default = "default_positions")]
    pub positions: u32,
    /// Number of random moves between the opening and a position.
    #[serde(default)]
    pub moves: u32,
}

/// One row of an experiment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Row")]
#[serde(deny_unknown_fields)]
pub struct RowConfig {
    /// Name in tables and charts.
    pub name: String,
    /// Player (default: the experiment's).
    pub player: Option<player::PlayerConfig>,
    /// Its heuristic: a path or the contents of a file (default: that of its weights file, or the
    /// experiment's).
    pub heuristic: Option<HeuristicConfig>,
    /// Number of games (default: the experiment's).
    pub games: Option<u32>,
    /// Weights file, relative to the experiment file (default: the player's published weights).
    pub weights: Option<PathBuf>,
    /// Values that replace those of these weights.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, f64>,
    /// The row with which it is compared (default: the experiment's).
    pub baseline: Option<String>,
    /// Heading that it shares with adjacent rows in charts.
    pub group: Option<String>,
    /// The parameter in which it differs from its baseline, if it measures how much this parameter matters.
    pub moved: Option<String>,
    /// How its weights are tuned before it plays, if they are.
    pub retune: Option<RowRetune>,
    /// Its row in the published histograms.
    pub published: Option<String>,
    /// Its row in the reference distributions.
    pub reference: Option<String>,
}

/// Rows that are computed from the terms of a player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Generate")]
#[serde(deny_unknown_fields)]
pub struct GenerateConfig {
    /// The kind of rows.
    pub kind: RowKind,
    /// Prefix of the names of its rows, for tables that would have equal names.
    pub name: Option<String>,
    /// Player (default: the experiment's).
    pub player: Option<player::PlayerConfig>,
    /// Heuristic of its rows: a path or the contents of a file (default: that of their weights file, or the
    /// experiment's).
    pub heuristic: Option<HeuristicConfig>,
    /// Number of games per row (default: the experiment's).
    pub games: Option<u32>,
    /// Weights file, relative to the experiment file (default: the player's published weights).
    pub weights: Option<PathBuf>,
    /// Weights file at the end of a path.
    pub to: Option<PathBuf>,
    /// Names of the terms in the order of their rows (default: all terms that make a difference, in the
    /// order of the registry).
    pub terms: Option<Vec<String>>,
    /// Whether terms are left out a second time, and the rest is tuned again.
    #[serde(default)]
    pub retune: bool,
    /// Weight of a term that plays alone (default: its own weight).
    pub alone_weight: Option<f64>,
    /// Keys of the parameters that are moved (default: all that make a difference, in the order of the
    /// registry).
    pub parameters: Option<Vec<String>>,
    /// Factors by which a parameter is moved (default: 0.5, 0.8, 1.25, 2).
    pub factors: Option<Vec<f64>>,
}

/// The kinds of rows of a [`GenerateConfig`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RowKind")]
#[serde(rename_all = "kebab-case")]
pub enum RowKind {
    /// A row without terms, then each term alone; compared with the row without terms.
    EachAlone,
    /// A row with all terms, then each term left out; compared with the row with all terms.
    EachLeftOut,
    /// From `weights` to `to`, term by term; each step is compared with the previous one.
    Path,
    /// The weights, then each parameter moved to several values; compared with the weights.
    Sensitivity,
}

impl RowKind {
    /// Its name in files.
    fn name(self) -> &'static str {
        match self {
            RowKind::EachAlone => "each-alone",
            RowKind::EachLeftOut => "each-left-out",
            RowKind::Path => "path",
            RowKind::Sensitivity => "sensitivity",
        }
    }
}

/// The campaigns of rows that are tuned again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Retune")]
#[serde(deny_unknown_fields, default)]
pub struct RetuneConfig {
    /// Training games of each campaign.
    pub games: u64,
    /// Seeds of the campaigns: each row is tuned once with each (default: the seed of the experiment).
    pub seeds: Option<Vec<u64>>,
    /// Keys of the parameters that are tuned (default: all that make a difference).
    pub parameters: Option<Vec<String>>,
    /// Games of a candidate, and the objective.
    pub evaluation: evaluation::EvaluationConfig,
    /// The optimizer.
    pub optimizer: optimizer::OptimizerConfig,
}

impl Default for RetuneConfig {
    fn default() -> Self {
        RetuneConfig {
            games: 20_000,
            seeds: None,
            parameters: None,
            evaluation: evaluation::EvaluationConfig::default(),
            optimizer: optimizer::OptimizerConfig::default(),
        }
    }
}

/// How the weights of a row are tuned. The search starts at the weights that the row gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RowRetune {
    /// The row that plays with the weights before they are tuned.
    pub of: String,
    /// Seed of the campaign.
    pub seed: u64,
    /// Keys of the parameters that are tuned.
    pub parameters: Vec<String>,
}

/// The rows and `[[generate]]` tables of an experiment file that set their number of games. Each item has the key, such
/// as `row.0.games`, and the name of the row or the kind of the rows.
///
/// # Errors
/// If the file is not an experiment.
pub fn own_games(source: &Source) -> Result<Vec<(String, String)>, ConfigError> {
    let config: ExperimentConfig = Document::parse(source)?.read()?;
    let rows = config.row.iter().enumerate();
    let rows = rows.filter(|(_, row)| row.games.is_some());
    let rows = rows.map(|(index, row)| (format!("row.{index}.games"), format!("`{}`", row.name)));
    let generated = config.generate.iter().enumerate();
    let generated = generated.filter(|(_, rows)| rows.games.is_some());
    let generated = generated.map(|(index, rows)| {
        let what = format!("the rows `{}`", rows.kind.name());
        (format!("generate.{index}.games"), what)
    });
    Ok(rows.chain(generated).collect())
}

fn default_games() -> u32 {
    100
}

fn default_positions() -> u32 {
    1000
}

fn default_resamples() -> u32 {
    10_000
}

#[cfg(test)]
mod tests;
