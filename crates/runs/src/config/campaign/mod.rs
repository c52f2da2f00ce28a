//! The schema of a campaign file. `resolve` converts a file into a [`Campaign`]. `None` fields are left out of TOML.

mod checks;
mod exact;
mod limits;
mod parameters;
mod pattern;
mod program;
mod resolve;
mod rules;
mod settings;
mod start;

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::heuristic_file::HeuristicConfig;
use tiletune_engine::heuristic::Scale;
use tiletune_engine::player;
use tiletune_engine::random::drawn_seed;
use tiletune_tuning::evaluation;
use tiletune_tuning::optimizer;

pub use limits::Limits;
pub(super) use resolve::resolve;
pub use resolve::{Campaign, ReplacedStart};
pub use start::{DISTRIBUTION, Start, StartDistribution, StartPoint};

/// Keys of campaign files that do not belong to the campaign: the table of a series.
const BESIDE: [&str; 1] = ["series"];

/// A campaign file. The resolved configuration, which is written into the run directory, is a campaign
/// file as well.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Campaign")]
#[serde(deny_unknown_fields)]
pub struct CampaignConfig {
    /// Why the campaign is run: the first lines of its report (default: a sentence with the player).
    #[serde(default)]
    pub why: String,
    /// Name; part of the default name of the run directory (default: the name of the file without its ending).
    #[serde(default)]
    pub name: String,
    /// Seed of all random numbers: 0 to 2^63 - 1; drawn if left out, so that campaigns do not share
    /// their hold-out games by accident.
    #[serde(default = "drawn_seed")]
    pub seed: u64,
    /// The player whose weights are tuned.
    pub player: player::PlayerConfig,
    /// The heuristic whose weights are tuned, if it is not the player's own: the path of a heuristic file,
    /// relative to the campaign file, or its contents. The resolved configuration has the contents.
    pub heuristic: Option<HeuristicConfig>,
    /// Games and objective.
    #[serde(default)]
    pub evaluation: evaluation::EvaluationConfig,
    /// The optimizer.
    #[serde(default)]
    pub optimizer: optimizer::OptimizerConfig,
    /// When the search ends.
    #[serde(default)]
    pub budget: Budget,
    /// Hold-out games.
    #[serde(default)]
    pub validation: ValidationConfig,
    /// Where the search starts.
    #[serde(default)]
    pub start: Start,
    /// Constraints that all candidates keep, such as `low < high`: conditions over the parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<String>,
    /// The parameters to tune, by weight key.
    #[serde(default)]
    pub parameters: BTreeMap<String, ParameterConfig>,
}

/// When the search ends: at the first limit that is reached, at the end of a generation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Number of generations.
    pub generations: Option<u32>,
    /// Number of games of the search, of the start weights before it and of the race against challengers; a generation that
    /// would exceed it is not started.
    pub games: Option<u64>,
    /// Minutes of search, without interruptions.
    pub minutes: Option<f64>,
    /// The search ends when the mean of a generation reaches this value of the objective; of a program whose number is
    /// minimised, when it falls to it. Beside another limit, because it may never be reached.
    pub target: Option<f64>,
}

/// The comparison of start and recommended weights on seeds that the search does not use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Validation")]
#[serde(deny_unknown_fields, default)]
pub struct ValidationConfig {
    /// Hold-out games per set of weights; 0 for no validation.
    pub games: u32,
    /// Largest number of games per finalist, if there is more than one (default: 2000, and all finalists together play at most
    /// half as many games as the searches).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub race_games: Option<u32>,
    /// Number of the best candidates that race against the final mean of a search without `ipop` and `bipop`, at most 16; 0
    /// for no such race (default: that of the optimizer). The start races with them, and for each parameter with 0 as a
    /// bound the mean with this parameter at 0. It takes a sixteenth of the games, or an eighth with such parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub challengers: Option<u32>,
    /// Bootstrap resamples for the interval of the paired difference.
    pub resamples: u32,
    /// Other search depths at which start and recommended weights play hold-out games as well.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "depths")]
    pub deeper: Vec<u8>,
    /// Hold-out games per set of weights at each of these depths (default: `games`, at most 200).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deeper_games: Option<u32>,
    /// Number of the look at the search, from 1 (the default) to 8. `resume` counts it up when it continues a finished
    /// campaign with more budget: each look has other hold-out games and a wider interval.
    #[serde(skip_serializing_if = "is_first")]
    pub look: u32,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_first(look: &u32) -> bool {
    *look == 1
}

/// Reads a list of depths. For a single number, which is a likely mistake, the error shows the form of the list.
fn depths<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    struct Depths;
    impl<'de> Visitor<'de> for Depths {
        type Value = Vec<u8>;

        fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
            formatter.write_str("a list of depths, such as [3]")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<u8>, A::Error> {
            let mut depths = Vec::new();
            while let Some(depth) = list.next_element()? {
                depths.push(depth);
            }
            Ok(depths)
        }
    }
    deserializer.deserialize_seq(Depths)
}

/// Default and largest number of hold-out games per set of weights at another depth, unless the file says otherwise.
const DEEPER_GAMES: u32 = 200;

impl ValidationConfig {
    /// Hold-out games per set of weights at each of the other depths.
    pub fn deeper_games(&self) -> u32 {
        self.deeper_games.unwrap_or(self.games.min(DEEPER_GAMES))
    }
}

impl Default for ValidationConfig {
    fn default() -> Self {
        ValidationConfig {
            games: 1000,
            race_games: None,
            challengers: None,
            resamples: 10_000,
            deeper: Vec::new(),
            deeper_games: None,
            look: 1,
        }
    }
}

/// A value in a file: a number, or one of the choices of a category.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(
    dead_code,
    reason = "for the schema: choices are replaced by their numbers before a file is read"
)]
enum NumberOrChoice {
    Number(f64),
    Choice(String),
}

/// How one parameter is tuned. The defaults are those of the player's registry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Parameter")]
#[serde(deny_unknown_fields, default)]
pub struct ParameterConfig {
    /// Of a parameter of a program: the value where none is given (default: `start`).
    #[schemars(with = "Option<NumberOrChoice>")]
    pub default: Option<f64>,
    /// Of a parameter of a program: what it does.
    pub doc: Option<String>,
    /// Start value (default: that of the start weights; of a parameter of a program `default`). A value that the table
    /// `[start]` gives replaces it.
    pub start: Option<f64>,
    /// Whether the command line gives the start, which then replaces that of `[start]`.
    #[serde(skip)]
    pub(super) is_start_set: bool,
    /// Lower bound.
    pub min: Option<f64>,
    /// Upper bound.
    pub max: Option<f64>,
    /// `linear` or `log`.
    pub scale: Option<Scale>,
    /// Whether only whole numbers are allowed (default: as the program of an earlier run declares it, else false).
    pub integer: Option<bool>,
    /// The choices of a category, 2 to 100 texts. Its value is the number of one of them, counted from 0; a program
    /// gets the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// The condition under which it is active, such as `method == 'exact'`. Otherwise it has its start value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_when: Option<String>,
    /// Whether it keeps its start value.
    pub fixed: bool,
    /// Initial standard deviation as a multiple of the one that the optimizer begins with: 0.001 to 10 (default: 1; 0.5
    /// for the parameters that the file of start weights has, if others are new).
    pub step: Option<f64>,
}
