//! The schema of a campaign file; `resolve` turns one into a [`Campaign`].

mod resolve;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::evaluation;
use crate::optimizer;
use crate::player;
use crate::record::Scale;

pub use resolve::Campaign;

/// A campaign file. Resolved, it is written into the run directory and is itself a campaign file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Why the campaign is run.
    pub why: String,
    /// Its name; part of the default output directory.
    pub name: String,
    /// Seed of everything random in it: 0 to 2^63 - 1.
    #[serde(default)]
    pub seed: u64,
    /// The player whose weights are tuned.
    pub player: player::Config,
    /// Games and objective.
    #[serde(default)]
    pub evaluation: evaluation::Config,
    /// The search.
    #[serde(default)]
    pub optimizer: optimizer::Config,
    /// When the search ends.
    #[serde(default)]
    pub budget: Budget,
    /// Hold-out games.
    #[serde(default)]
    pub validation: ValidationConfig,
    /// Where the search starts.
    #[serde(default)]
    pub start: Start,
    /// What is searched, by weight key.
    #[serde(default)]
    pub parameters: BTreeMap<String, ParameterConfig>,
}

/// When the search ends: at whichever limit is met first, at the end of a generation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Number of generations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generations: Option<u32>,
    /// Number of training games; a generation that would go beyond it is not begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    /// Minutes of searching, interruptions not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<f64>,
}

/// Start against recommended weights on fresh seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ValidationConfig {
    /// Hold-out games of each set of weights; 0 for no validation.
    pub games: u32,
    /// Games of each final mean, where restarts leave more than one to choose from.
    pub race_games: u32,
    /// Bootstrap resamples behind the interval of the paired difference.
    pub resamples: u32,
}

impl Default for ValidationConfig {
    fn default() -> Self {
        ValidationConfig {
            games: 1000,
            race_games: 500,
            resamples: 10_000,
        }
    }
}

/// Where the search starts: a weights file, or the player's published weights; then single values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// A weights file, relative to the campaign file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<PathBuf>,
    /// Values that replace those of the file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, f64>,
}

/// How one parameter is searched; what is left out comes from the player's registry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterConfig {
    /// Where it starts, if not at the start weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
    /// Lower bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Upper bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// `linear` or `log`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    /// Whether only whole numbers are tried.
    #[serde(default)]
    pub integer: bool,
    /// Whether it is held at its start.
    #[serde(default)]
    pub fixed: bool,
}
