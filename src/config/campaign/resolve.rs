//! From a campaign file to a campaign: every default filled in, every range checked, each mistake
//! told with its place.

use std::collections::BTreeMap;

use super::{Budget, Config, ParameterConfig, Start, ValidationConfig};
use crate::config::{ConfigError, Source, weights_file};
use crate::evaluation;
use crate::evaluation::objective::Objective;
use crate::heuristic::weights::{Weights, did_you_mean, nearest};
use crate::heuristic::{INNER, OUTER, Parameter};
use crate::optimizer::{Optimizer, Parameter as SearchParameter, Space};
use crate::player::{Entry, Players};

/// A campaign ready to be run.
pub struct Campaign {
    /// The configuration with every default filled in.
    pub config: Config,
    /// The player's entry in the catalogue.
    pub entry: &'static Entry,
    /// What is maximised.
    pub objective: Objective,
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
        check_pairs(&config, source, entry.players())?;
        let objective = objective(&mut config.evaluation, source, entry)?;
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
        check_begin(&config, source, &space, entry.players())?;
        Ok(Campaign {
            config,
            entry,
            objective,
            start,
            space,
        })
    }

    /// Games of each candidate in a generation, counted from 0.
    pub fn games_in(&self, generation: u32) -> u32 {
        let players = self.entry.players();
        self.config.evaluation.games_in(generation, players)
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
    if !crate::config::names_a_directory(&config.name) {
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
    check_budget(&config.budget, source)?;
    check_validation(&config.validation, source)
}

/// The objective, which must be one of the player's game; fills it in where the file left it out.
fn objective(
    config: &mut evaluation::Config,
    source: &Source,
    entry: &Entry,
) -> Result<Objective, ConfigError> {
    let players = entry.players();
    let usual = Objective::usual(players);
    let objective = *config.objective.get_or_insert(usual);
    if !objective.fits(players) {
        let message = format!(
            "objective `{objective}` does not fit games of {}: `{usual}` is allowed",
            entry.game
        );
        return Err(source.mistake_at(&["evaluation", "objective"], message));
    }
    Ok(objective)
}

fn check_budget(budget: &Budget, source: &Source) -> Result<(), ConfigError> {
    let wrong = |key: &[&str], message: &str| Err(source.mistake_at(key, message));
    match (budget.generations, budget.games, budget.minutes) {
        (None, None, None) => wrong(
            &["budget"],
            "no budget: give [budget] with generations, games or minutes",
        ),
        (Some(0), ..) => wrong(&["budget", "generations"], "generations must be at least 1"),
        (.., Some(minutes)) if !(minutes > 0.0 && minutes <= 1e6) => wrong(
            &["budget", "minutes"],
            &format!("minutes {minutes} is out of range: above 0, at most 1000000"),
        ),
        _ => Ok(()),
    }
}

fn check_validation(validation: &ValidationConfig, source: &Source) -> Result<(), ConfigError> {
    for (key, value, least, or_none) in [
        ("games", validation.games, 2, ", or 0 for none"),
        ("race_games", validation.race_games, 2, ""),
        ("resamples", validation.resamples, 100, ""),
    ] {
        let is_none = value == 0 && !or_none.is_empty();
        if !is_none && !(least..=1_000_000).contains(&value) {
            let message = format!("{key} {value} is out of range: {least} to 1000000{or_none}");
            return Err(source.mistake_at(&["validation", key], message));
        }
    }
    Ok(())
}

/// Games between two come in pairs.
fn check_pairs(config: &Config, source: &Source, players: Players) -> Result<(), ConfigError> {
    let (evaluation, validation) = (&config.evaluation, &config.validation);
    for (table, key, games) in [
        ("evaluation", "games", evaluation.games),
        ("evaluation", "games_max", evaluation.games_max),
        ("validation", "games", validation.games),
        ("validation", "race_games", validation.race_games),
    ] {
        if players.whole(games) != games {
            let message = format!("{key} {games} is odd: every opening is played from both sides");
            return Err(source.mistake_at(&[table, key], message));
        }
    }
    Ok(())
}

/// What can be said only once the parameters are known: the optimizer takes them, and the budget of
/// games holds at least one generation.
fn check_begin(
    config: &Config,
    source: &Source,
    space: &Space,
    players: Players,
) -> Result<(), ConfigError> {
    let optimizer = Optimizer::new(&config.optimizer, space.start(), 0)
        .map_err(|error| source.mistake_at(&["optimizer"], error.to_string()))?;
    let games = config.evaluation.games_in(0, players);
    let least = optimizer.population() as u64 * u64::from(games);
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

/// Every key is a parameter of the player, and none is searched both whole and split.
fn check_keys(
    given: &BTreeMap<String, ParameterConfig>,
    source: &Source,
    registry: &[Parameter],
) -> Result<(), ConfigError> {
    for name in given.keys() {
        let wrong = |message: String| Err(source.mistake_at(&["parameters", name], message));
        let base = name.strip_suffix(OUTER).or(name.strip_suffix(INNER));
        if let Some(base) = base.filter(|&base| given.contains_key(base)) {
            return wrong(format!(
                "`{name}` and `{base}` are both searched: give either `{base}` or the split ones"
            ));
        }
        if registry.is_empty() {
            return wrong(format!(
                "unknown parameter `{name}`: this player has no parameters to tune"
            ));
        }
        if !registry.iter().any(|known| known.key == *name) {
            let keys = registry.iter().map(|known| known.key.as_str());
            let suggestion = did_you_mean(&nearest(name, keys));
            return wrong(format!(
                "unknown parameter `{name}`{suggestion} (see `tiletune list heuristics`)"
            ));
        }
    }
    Ok(())
}

/// The parameters to search in the order of the registry; fills in what the file left out.
fn searched(
    given: &mut BTreeMap<String, ParameterConfig>,
    source: &Source,
    start: &Weights,
    registry: &[Parameter],
) -> Result<Vec<SearchParameter>, ConfigError> {
    check_keys(given, source, registry)?;
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
