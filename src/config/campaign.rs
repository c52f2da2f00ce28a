//! The schema of a campaign, and its resolution: every default filled in, every range checked.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{ConfigError, Source, weights_file};
use crate::evaluation;
use crate::heuristic::weights::{Weights, did_you_mean, nearest};
use crate::heuristic::{INNER, OUTER, Parameter};
use crate::optimizer::{self, Optimizer, Parameter as SearchParameter, Space};
use crate::player::{self, Entry};
use crate::record::Scale;

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

/// A campaign ready to be run.
pub struct Campaign {
    /// The configuration with every default filled in.
    pub config: Config,
    /// The player's entry in the catalogue.
    pub entry: &'static Entry,
    /// All weights at the start, those that are not searched included.
    pub start: Weights,
    /// The parameters and how they are searched.
    pub space: Space,
}

impl Campaign {
    /// Parses, checks and resolves a campaign file. `folder` is where its relative paths begin.
    ///
    /// # Errors
    /// With the place of the first mistake.
    pub fn resolve(source: &Source, folder: &std::path::Path) -> Result<Self, ConfigError> {
        let mut config: Config = source.parse()?;
        check(&config, source)?;
        let entry = config
            .player
            .entry()
            .map_err(|error| source.mistake_at(&["player", error.key], error.message))?;
        let start = start_weights(&mut config.start, source, folder, entry)?;
        let registry = (entry.parameters)();
        let searched = searched(&mut config.parameters, source, &start, &registry)?;

        let changes = searched
            .iter()
            .map(|parameter| (parameter.name.as_str(), parameter.start));
        let start = start
            .with(changes, &registry)
            .map_err(|error| source.mistake_at(&["parameters"], error.to_string()))?;
        check_tables(source, entry, &start, &searched)?;
        config.start.values = start
            .iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        let space = Space::new(searched).map_err(|error| {
            let parameter = error.parameter().unwrap_or_default();
            source.mistake_at(&["parameters", parameter], error.to_string())
        })?;
        check_begin(&config, source, &space)?;
        Ok(Campaign {
            config,
            entry,
            start,
            space,
        })
    }

    /// All weights of a candidate: the start weights with the parameters' values.
    ///
    /// # Panics
    /// If there are not as many values as parameters.
    pub fn weights(&self, values: &[f64]) -> Weights {
        assert_eq!(values.len(), self.space.parameters().len());
        let names = self
            .space
            .parameters()
            .iter()
            .map(|parameter| parameter.name.as_str());
        let changes = names.zip(values.iter().copied());
        self.start
            .with(changes, &(self.entry.parameters)())
            .unwrap_or_else(|error| unreachable!("checked when the campaign was resolved: {error}"))
    }
}

fn check(config: &Config, source: &Source) -> Result<(), ConfigError> {
    let wrong = |path: &[&str], message: String| Err(source.mistake_at(path, message));
    let name_is_safe = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if config.name.is_empty()
        || config.name.starts_with('.')
        || !config.name.chars().all(name_is_safe)
    {
        let message = format!(
            "name `{}` cannot name a directory: letters, digits, `-`, `_` and `.` are allowed",
            config.name
        );
        return wrong(&["name"], message);
    }
    if config.seed > i64::MAX as u64 {
        return wrong(
            &["seed"],
            "seed is out of range: 0 to 9223372036854775807".into(),
        );
    }
    if let Err(error) = config.evaluation.check() {
        return wrong(&["evaluation", error.key], error.message);
    }
    if let Err(error) = config.optimizer.check() {
        let given = if error.key == "mean_learning_rate" && source.sets(&["optimizer", "cm"]) {
            "cm"
        } else {
            error.key
        };
        let path: Vec<&str> = std::iter::once("optimizer")
            .chain(given.split('.'))
            .collect();
        return wrong(&path, error.to_string());
    }
    let budget = &config.budget;
    match (budget.generations, budget.games, budget.minutes) {
        (None, None, None) => {
            let message = "no budget: give [budget] with generations, games or minutes";
            return wrong(&["budget"], message.into());
        }
        (Some(0), ..) => {
            return wrong(
                &["budget", "generations"],
                "generations must be at least 1".into(),
            );
        }
        (_, Some(0), _) => return wrong(&["budget", "games"], "games must be at least 1".into()),
        (.., Some(minutes)) if !(minutes > 0.0 && minutes <= 1e6) => {
            let message = format!("minutes {minutes} is out of range: above 0, at most 1000000");
            return wrong(&["budget", "minutes"], message);
        }
        _ => {}
    }
    let validation = &config.validation;
    for (key, value, allowed) in [
        ("games", validation.games, 2..=1_000_000),
        ("race_games", validation.race_games, 2..=1_000_000),
        ("resamples", validation.resamples, 100..=1_000_000),
    ] {
        let is_none = key == "games" && value == 0;
        if !is_none && !allowed.contains(&value) {
            let message = format!(
                "{key} {value} is out of range: {} to {}{}",
                allowed.start(),
                allowed.end(),
                if key == "games" {
                    ", or 0 for none"
                } else {
                    ""
                }
            );
            return wrong(&["validation", key], message);
        }
    }
    Ok(())
}

/// What can be said only once the parameters are known: the optimizer takes them, and the budget of
/// games holds at least one generation.
fn check_begin(config: &Config, source: &Source, space: &Space) -> Result<(), ConfigError> {
    let optimizer = Optimizer::new(&config.optimizer, space.start(), 0)
        .map_err(|error| source.mistake_at(&["optimizer"], error.to_string()))?;
    let least = optimizer.population() as u64 * u64::from(config.evaluation.games_in(0));
    match config.budget.games {
        Some(games) if games < least => {
            let message = format!("games {games} is less than the {least} of one generation");
            Err(source.mistake_at(&["budget", "games"], message))
        }
        _ => Ok(()),
    }
}

/// Weights at the start and at both ends of the bounds must fit the player's tables.
fn check_tables(
    source: &Source,
    entry: &Entry,
    start: &Weights,
    searched: &[SearchParameter],
) -> Result<(), ConfigError> {
    let at = |end: fn(&SearchParameter) -> f64| {
        let free = searched.iter().filter(|parameter| !parameter.fixed);
        let changes = free.map(|parameter| (parameter.name.as_str(), end(parameter)));
        start.with(changes, &(entry.parameters)())
    };
    for (weights, place) in [
        (Ok(start.clone()), "start"),
        (at(|parameter| parameter.min), "lower bounds"),
        (at(|parameter| parameter.max), "upper bounds"),
    ] {
        let checked = weights.map_err(|error| error.to_string());
        checked
            .and_then(|weights| (entry.check)(&weights))
            .map_err(|reason| {
                source.mistake_at(&["parameters"], format!("at the {place}: {reason}"))
            })?;
    }
    Ok(())
}

fn start_weights(
    start: &mut Start,
    source: &Source,
    folder: &std::path::Path,
    entry: &Entry,
) -> Result<Weights, ConfigError> {
    let base = match start.weights.take() {
        Some(path) => weights_file::read(&folder.join(path), entry)?,
        None => weights_file::published(entry),
    };
    let values = start
        .values
        .iter()
        .map(|(key, value)| (key.as_str(), *value));
    base.with(values, &(entry.parameters)())
        .map_err(|error| source.mistake_at(&["start", "values"], error.to_string()))
}

/// The parameters to search in the order of the registry; fills in what the file left out.
fn searched(
    given: &mut BTreeMap<String, ParameterConfig>,
    source: &Source,
    start: &Weights,
    registry: &[Parameter],
) -> Result<Vec<SearchParameter>, ConfigError> {
    if let Some(name) = given
        .keys()
        .find(|key| !registry.iter().any(|known| known.key == **key))
    {
        let keys = registry.iter().map(|known| known.key.as_str());
        let message = if registry.is_empty() {
            format!("unknown parameter `{name}`: this player has no parameters to tune")
        } else {
            let suggestion = did_you_mean(&nearest(name, keys));
            format!("unknown parameter `{name}`{suggestion} (see `tiletune list heuristics`)")
        };
        return Err(source.mistake_at(&["parameters", name], message));
    }
    for name in given.keys() {
        let base = name.strip_suffix(OUTER).or(name.strip_suffix(INNER));
        if let Some(base) = base.filter(|&base| given.contains_key(base)) {
            let message = format!(
                "`{name}` and `{base}` are both searched: give either `{base}` or the split ones"
            );
            return Err(source.mistake_at(&["parameters", name], message));
        }
    }
    let mut searched = Vec::new();
    for known in registry {
        let Some(config) = given.get_mut(&known.key) else {
            continue;
        };
        if config.start.is_none() && start.get(&format!("{}{OUTER}", known.key)).is_some() {
            let key = &known.key;
            let message = format!(
                "`{key}` is searched for all lines, but the start weights have `{key}{OUTER}` and \
                 `{key}{INNER}`: give `start`, or search these"
            );
            return Err(source.mistake_at(&["parameters", key], message));
        }
        let start = config
            .start
            .or_else(|| start.effective(&known.key))
            .unwrap_or(known.default);
        // Bounds that the file leaves out are widened to hold the start.
        let min = config.min.unwrap_or_else(|| known.min.min(start));
        let max = config.max.unwrap_or_else(|| known.max.max(start));
        let scale = config.scale.unwrap_or(known.scale);
        *config = ParameterConfig {
            start: Some(start),
            min: Some(min),
            max: Some(max),
            scale: Some(scale),
            ..config.clone()
        };
        searched.push(SearchParameter {
            name: known.key.clone(),
            start,
            min,
            max,
            scale,
            integer: config.integer,
            fixed: config.fixed,
        });
    }
    if searched.is_empty() {
        let message = "nothing to tune: give at least one [parameters.<key>]";
        return Err(source.mistake_at(&["parameters"], message));
    }
    Ok(searched)
}
