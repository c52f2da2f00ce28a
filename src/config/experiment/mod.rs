//! The schema of an experiment, and its resolution: players with fixed weights that play a number
//! of games each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{ConfigError, Source, names_a_directory, reference, weights_file};
use crate::heuristic::weights::{Weights, WeightsError, did_you_mean, nearest};
use crate::player::{self, Entry};
use crate::record::experiment::Histogram;

/// Most games of a row: they are held in memory.
const MOST_GAMES: u32 = 1_000_000;
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
    /// The row with which all others are compared, game by game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// Bootstrap resamples behind the intervals of those comparisons.
    #[serde(default = "default_resamples")]
    pub resamples: u32,
    /// The player of rows that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<player::Config>,
    /// What is played.
    #[serde(default)]
    pub row: Vec<RowConfig>,
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
    /// Its row in the published histograms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// Its row in the reference distributions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

fn default_games() -> u32 {
    100
}

fn default_resamples() -> u32 {
    RESAMPLES
}

/// An experiment ready to be run.
pub struct Experiment {
    /// The configuration with every default filled in.
    pub config: Config,
    /// Its rows in order.
    pub rows: Vec<Row>,
    /// The files that the resolved configuration names, with their contents.
    pub files: Vec<(&'static str, String)>,
}

/// A row ready to be played.
pub struct Row {
    /// Its name.
    pub name: String,
    /// Who plays.
    pub player: player::Config,
    /// The player's entry in the catalogue.
    pub entry: &'static Entry,
    /// All its weights.
    pub weights: Weights,
    /// Number of games.
    pub games: u32,
    /// What was published of it.
    pub published: Option<Histogram>,
    /// What to test it against.
    pub reference: Option<Histogram>,
}

impl Experiment {
    /// Parses, checks and resolves an experiment file. `folder` is where its relative paths begin.
    ///
    /// # Errors
    /// With the place of the first mistake.
    pub fn resolve(source: &Source, folder: &Path) -> Result<Self, ConfigError> {
        let mut config: Config = source.parse()?;
        check(&config, source)?;
        let mut files = Vec::new();
        let mut histograms = |path: &mut Option<PathBuf>, name: &'static str| {
            let Some(path) = path else { return Ok(None) };
            let source = Source::read(&folder.join(&*path))?;
            let histograms = reference::parse(&source)?;
            *path = name.into();
            files.push((name, source.text));
            Ok::<_, ConfigError>(Some(histograms))
        };
        let published = histograms(&mut config.published, "published.csv")?;
        let reference = histograms(&mut config.reference, "reference.csv")?;
        let default_player = config.player.clone();
        let mut rows = Vec::with_capacity(config.row.len());
        for (index, row) in config.row.iter_mut().enumerate() {
            let place = Place {
                source,
                index: &index.to_string(),
            };
            row.games.get_or_insert(config.games);
            rows.push(Row {
                published: place.histogram("published", row.published.as_deref(), &published)?,
                reference: place.histogram("reference", row.reference.as_deref(), &reference)?,
                ..place.row(row, default_player.as_ref(), folder)?
            });
        }
        check_baseline(&config, &rows, source)?;
        Ok(Experiment {
            config,
            rows,
            files,
        })
    }

    /// Number of games of all rows.
    pub fn games(&self) -> u64 {
        self.rows.iter().map(|row| u64::from(row.games)).sum()
    }
}

/// Where a row stands in the file.
struct Place<'a> {
    source: &'a Source,
    index: &'a str,
}

impl Place<'_> {
    fn mistake(&self, path: &[&str], message: impl Into<String>) -> ConfigError {
        let path = [&["row", self.index], path].concat();
        self.source.mistake_at(&path, message)
    }

    /// The row without its histograms; what is written into the resolved file stands in `row` then.
    fn row(
        &self,
        row: &mut RowConfig,
        default_player: Option<&player::Config>,
        folder: &Path,
    ) -> Result<Row, ConfigError> {
        let own_player = row.player.is_some();
        let Some(player) = row.player.as_ref().or(default_player).cloned() else {
            return Err(self.mistake(&[], "no player: give the row or the experiment one"));
        };
        let entry = player.entry().map_err(|error| match own_player {
            true => self.mistake(&["player", error.key], error.message),
            false => self
                .source
                .mistake_at(&["player", error.key], error.message),
        })?;
        let weights = self.weights(row, entry, folder)?;
        row.player = Some(player.clone());
        row.weights = None;
        row.values = weights
            .iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        Ok(Row {
            name: row.name.clone(),
            player,
            entry,
            weights,
            games: row.games.unwrap_or_default(),
            published: None,
            reference: None,
        })
    }

    fn weights(
        &self,
        row: &RowConfig,
        entry: &'static Entry,
        folder: &Path,
    ) -> Result<Weights, ConfigError> {
        let start = match &row.weights {
            Some(_) if entry.published.is_none() => {
                let message = format!("player `{}` has no weights", entry.name);
                return Err(self.mistake(&["weights"], message));
            }
            Some(path) => weights_file::read(&folder.join(path), entry)?,
            None => weights_file::published(entry),
        };
        let values = row.values.iter().map(|(key, value)| (key.as_str(), *value));
        let weights = start.with(values, &(entry.parameters)()).map_err(|error| {
            let key = match &error {
                WeightsError::Unknown { key, .. }
                | WeightsError::NotFinite { key, .. }
                | WeightsError::Mixed { key } => key,
                WeightsError::HalfSplit { given, .. } => given,
            };
            self.mistake(&["values", key], error.to_string())
        })?;
        (entry.check)(&weights).map_err(|reason| self.mistake(&["values"], reason))?;
        Ok(weights)
    }

    fn histogram(
        &self,
        key: &str,
        name: Option<&str>,
        known: &Option<BTreeMap<String, Histogram>>,
    ) -> Result<Option<Histogram>, ConfigError> {
        let Some(name) = name else { return Ok(None) };
        let Some(known) = known else {
            let message = format!("the experiment names no file `{key}` to find `{name}` in");
            return Err(self.mistake(&[key], message));
        };
        let histogram = known.get(name).ok_or_else(|| {
            let near = did_you_mean(&nearest(name, known.keys().map(String::as_str)));
            self.mistake(&[key], format!("no row `{name}` in the file `{key}`{near}"))
        })?;
        Ok(Some(histogram.clone()))
    }
}

fn check(config: &Config, source: &Source) -> Result<(), ConfigError> {
    let wrong = |path: &[&str], message: String| Err(source.mistake_at(path, message));
    if !names_a_directory(&config.name) {
        let message = format!(
            "name `{}` cannot name a directory: letters, digits, `-`, `_` and `.` are allowed",
            config.name
        );
        return wrong(&["name"], message);
    }
    if config.seed > i64::MAX as u64 {
        let message = "seed is out of range: 0 to 9223372036854775807";
        return wrong(&["seed"], message.into());
    }
    let out_of_range = |games| format!("games {games} is out of range: 1 to {MOST_GAMES}");
    if !(1..=MOST_GAMES).contains(&config.games) {
        return wrong(&["games"], out_of_range(config.games));
    }
    if let Some(tile) = config.tile.filter(|tile| *tile < 2) {
        return wrong(&["tile"], format!("tile {tile} is no tile"));
    }
    if !(100..=1_000_000).contains(&config.resamples) {
        let message = format!(
            "resamples {} is out of range: 100 to 1000000",
            config.resamples
        );
        return wrong(&["resamples"], message);
    }
    if config.row.is_empty() {
        return wrong(&[], "no [[row]]: there is nothing to play".into());
    }
    let mut names = BTreeSet::new();
    for (index, row) in config.row.iter().enumerate() {
        let index = index.to_string();
        if row.name.trim().is_empty() || row.name.chars().any(char::is_control) {
            return wrong(&["row", &index, "name"], "a row needs a name".into());
        }
        if !names.insert(&row.name) {
            let message = format!("two rows have the name `{}`", row.name);
            return wrong(&["row", &index, "name"], message);
        }
        if let Some(games) = row.games.filter(|games| !(1..=MOST_GAMES).contains(games)) {
            return wrong(&["row", &index, "games"], out_of_range(games));
        }
    }
    Ok(())
}

/// Games are compared pair by pair, so the rows must have as many.
fn check_baseline(config: &Config, rows: &[Row], source: &Source) -> Result<(), ConfigError> {
    let Some(name) = &config.baseline else {
        return Ok(());
    };
    let Some(baseline) = rows.iter().find(|row| row.name == *name) else {
        let near = did_you_mean(&nearest(name, rows.iter().map(|row| row.name.as_str())));
        let message = format!("there is no row `{name}`{near}");
        return Err(source.mistake_at(&["baseline"], message));
    };
    match rows.iter().position(|row| row.games != baseline.games) {
        Some(index) => Err(source.mistake_at(
            &["row", &index.to_string(), "games"],
            format!(
                "row `{}` is compared with `{name}` game by game and must have as many games: {}",
                rows[index].name, baseline.games
            ),
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
