//! The schema of an experiment: players with fixed weights that play a number of games each.
//! `resolve` fills in its defaults and checks it, `generate` writes the rows that it asks for
//! by kind.

mod generate;
mod place;
mod resolve;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::player;

pub use resolve::{Experiment, Oracle, Row};

const RESAMPLES: u32 = 10_000;

/// An experiment file. Resolved, it is written into the run directory and is itself an experiment
/// file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Why the experiment is run.
    pub why: String,
    /// Its name; part of the default output directory.
    pub name: String,
    /// Seed of the games: 0 to 2^63 - 1. Every row plays the games of `evaluate --seed`.
    pub seed: u64,
    /// Games of each row.
    #[serde(default = "default_games")]
    pub games: u32,
    /// The tile that the players are meant to reach, if the experiment is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tile: Option<u32>,
    /// Published histograms to draw beside the results: a CSV file beside this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<PathBuf>,
    /// Distributions to test the results against: a CSV file beside this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<PathBuf>,
    /// The row with which those that name none are compared, game by game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// Bootstrap resamples behind the intervals of those comparisons.
    #[serde(default = "default_resamples")]
    pub resamples: u32,
    /// The player of rows that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<player::Config>,
    /// Who judges single moves of the rows, in a game of two.
    #[serde(rename = "yardstick", default, skip_serializing_if = "Option::is_none")]
    pub oracle: Option<OracleConfig>,
    /// What is played.
    #[serde(default)]
    pub row: Vec<RowConfig>,
    /// What is played besides, one row a term. Resolved, these rows stand in `row`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generate: Vec<GenerateConfig>,
}

/// A player that knows what every move leads to, and the positions about which it is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OracleConfig {
    /// Who knows it: the sign of its values is taken for the outcome.
    pub player: player::Config,
    /// Number of positions.
    #[serde(default = "default_positions")]
    pub positions: u32,
    /// Random moves after the opening of the game before a position is taken.
    #[serde(default)]
    pub moves: u32,
}

/// One player of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowConfig {
    /// Its name in tables and charts.
    pub name: String,
    /// Who plays, if not the experiment's player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<player::Config>,
    /// Number of games, if not the experiment's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u32>,
    /// A weights file beside the experiment; without it the player's published weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<PathBuf>,
    /// Values that replace those.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, f64>,
    /// The row with which it is compared, if not the experiment's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// Heading under which charts draw it together with its neighbours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Its row in the published histograms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// Its row in the reference distributions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// Rows that follow from the terms of a player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerateConfig {
    /// Which rows.
    pub kind: Kind,
    /// Put before the names of its rows, where two tables would give the same ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Who plays, if not the experiment's player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<player::Config>,
    /// Number of games of each row, if not the experiment's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u32>,
    /// A weights file beside the experiment; without it the player's published weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<PathBuf>,
    /// Where a path leads: another weights file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<PathBuf>,
    /// Names of the terms that are taken, in this order; without it all that make a difference, in
    /// the order of the registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<Vec<String>>,
    /// The weight with which a term plays alone, if not its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone_weight: Option<f64>,
}

/// What the rows of a [`GenerateConfig`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// No term, then each with all others off; compared with no term.
    EachAlone,
    /// All terms, then all but each; compared with all.
    EachLeftOut,
    /// From `weights` to `to`, one term after the other; each step is compared with the one before.
    Path,
}

fn default_games() -> u32 {
    100
}

fn default_positions() -> u32 {
    1000
}

fn default_resamples() -> u32 {
    RESAMPLES
}

#[cfg(test)]
mod tests;
