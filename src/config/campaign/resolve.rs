//! From a campaign file to a campaign: every default filled in, every range checked.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Budget, Config, ParameterConfig, Start, ValidationConfig};
use crate::config::document::{Document, Unresolved};
use crate::config::{ConfigError, Source, check_name_and_seed, weights_file};
use crate::evaluation;
use crate::evaluation::objective::Objective;
use crate::field_error::FieldError;
use crate::heuristic::weights::Weights;
use crate::heuristic::{INNER, OUTER, Parameter};
use crate::optimizer::{Optimizer, Parameter as SearchParameter, Space};
use crate::player::{Catalogue, Entry, PlayerSpec, Players};
use crate::record::Scale;
use crate::suggestion::did_you_mean;

/// A campaign ready to be run.
pub struct Campaign {
    /// The configuration with every default filled in.
    pub config: Config,
    /// The player whose weights are tuned.
    pub player: PlayerSpec,
    /// What is maximised.
    pub objective: Objective,
    /// All weights at the start, those that are not searched included.
    pub start: Weights,
    /// The parameters and how they are searched.
    pub space: Space,
}

impl Campaign {
    /// Parses, checks and resolves a campaign file about a built-in player. `folder` is where its
    /// relative paths begin.
    ///
    /// # Errors
    /// With the place of the first mistake.
    pub fn resolve(source: &Source, folder: &Path) -> Result<Self, ConfigError> {
        Self::resolve_with(&Catalogue::builtin(), source, folder)
    }

    /// The same about a player of any catalogue.
    ///
    /// # Errors
    /// As [`Campaign::resolve`].
    pub fn resolve_with(
        catalogue: &Catalogue,
        source: &Source,
        folder: &Path,
    ) -> Result<Self, ConfigError> {
        let document = Document::parse(source)?;
        if let Some(key) = ["row", "generate"]
            .into_iter()
            .find(|key| document.has(&[key]))
        {
            let message = "this is an experiment, not a campaign: use `tiletune ablate`";
            return Err(document.mistake_at(&[key], message));
        }
        let resolved = resolve(catalogue, document.read()?, folder);
        resolved.map_err(|error| document.place(with_alias(error, &document)))
    }

    /// Games of each candidate in a generation, counted from 0.
    pub fn games_in(&self, generation: u32) -> u32 {
        let players = self.player.players();
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
            .with(changes, &(self.player.entry.parameters)())
            .unwrap_or_else(|error| unreachable!("checked when the campaign was resolved: {error}"))
    }
}

/// The key of the optimizer that has a short form, under the name that the file gives it.
fn with_alias(mut error: Unresolved, document: &Document) -> Unresolved {
    if let Unresolved::Field(FieldError { path, .. }) = &mut error
        && *path == ["optimizer", "mean_learning_rate"]
        && document.has(&["optimizer", "cm"])
    {
        path[1] = "cm".into();
    }
    error
}

fn resolve(
    catalogue: &Catalogue,
    mut config: Config,
    folder: &Path,
) -> Result<Campaign, Unresolved> {
    check(&config)?;
    let player = catalogue.player(&config.player);
    let player = player.map_err(|error| error.within(["player"]))?;
    config.player = player.config();
    let entry = player.entry;
    check_pairs(&config, entry.players())?;
    let objective = objective(&mut config.evaluation, entry)?;
    let start = start_weights(&mut config.start, folder, entry)?;
    let registry = (entry.parameters)();
    let searched = searched(&mut config.parameters, &start, entry, &registry)?;

    let changes = searched
        .iter()
        .map(|parameter| (parameter.name.as_str(), parameter.start));
    let start = start
        .with(changes, &registry)
        .map_err(|error| error.within(["parameters"]))?;
    check_tables(entry, &start, &searched)?;
    config.start.values = start
        .iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
    let space = Space::new(searched).map_err(|error| error.within(["parameters"]))?;
    check_begin(&config, &space, entry.players())?;
    Ok(Campaign {
        config,
        player,
        objective,
        start,
        space,
    })
}

fn check(config: &Config) -> Result<(), FieldError> {
    check_name_and_seed(&config.name, config.seed)?;
    let evaluation = config.evaluation.check();
    evaluation.map_err(|error| error.within(["evaluation"]))?;
    let optimizer = config.optimizer.check();
    optimizer.map_err(|error| error.within(["optimizer"]))?;
    check_budget(&config.budget).map_err(|error| error.within(["budget"]))?;
    check_validation(&config.validation).map_err(|error| error.within(["validation"]))
}

/// The objective, which must be one of the player's game; fills it in where the file left it out.
fn objective(config: &mut evaluation::Config, entry: &Entry) -> Result<Objective, FieldError> {
    let players = entry.players();
    let objective = *config.objective.get_or_insert(Objective::usual(players));
    if !objective.fits(players) {
        let message = format!(
            "objective `{objective}` does not fit games of {}; allowed: {}",
            entry.game.name,
            Objective::allowed(players)
        );
        return Err(FieldError::new(["evaluation", "objective"], message));
    }
    if let Objective::ShareReaching(tile) = objective
        && !(entry.game.is_tile)(tile)
    {
        let message = format!(
            "objective `{objective}`: {} has no tile {tile}",
            entry.game.name
        );
        return Err(FieldError::new(["evaluation", "objective"], message));
    }
    Ok(objective)
}

fn check_budget(budget: &Budget) -> Result<(), FieldError> {
    let no_budget = "no budget: give [budget] with generations, games or minutes";
    match (budget.generations, budget.games, budget.minutes) {
        (None, None, None) => Err(FieldError::new([""; 0], no_budget)),
        (Some(0), ..) => {
            let message = "generations must be at least 1";
            Err(FieldError::new(["generations"], message))
        }
        (.., Some(minutes)) if !(minutes > 0.0 && minutes <= 1e6) => {
            let message = format!("minutes {minutes} is out of range: above 0, at most 1000000");
            Err(FieldError::new(["minutes"], message))
        }
        _ => Ok(()),
    }
}

fn check_validation(validation: &ValidationConfig) -> Result<(), FieldError> {
    for (key, value, least, or_none) in [
        ("games", validation.games, 2, ", or 0 for none"),
        ("race_games", validation.race_games, 2, ""),
        ("resamples", validation.resamples, 100, ""),
    ] {
        let is_none = value == 0 && !or_none.is_empty();
        if !is_none && !(least..=1_000_000).contains(&value) {
            let message = format!("{key} {value} is out of range: {least} to 1000000{or_none}");
            return Err(FieldError::new([key], message));
        }
    }
    Ok(())
}

/// Games between two come in pairs.
fn check_pairs(config: &Config, players: Players) -> Result<(), FieldError> {
    let (evaluation, validation) = (&config.evaluation, &config.validation);
    for (table, key, games) in [
        ("evaluation", "games", evaluation.games),
        ("evaluation", "games_max", evaluation.games_max),
        ("validation", "games", validation.games),
        ("validation", "race_games", validation.race_games),
    ] {
        if players.whole(games) != games {
            let message = format!("{key} {games} is odd: every opening is played from both sides");
            return Err(FieldError::new([table, key], message));
        }
    }
    Ok(())
}

/// What can be said only once the parameters are known: the optimizer takes them, and the budget of
/// games holds at least one generation.
fn check_begin(config: &Config, space: &Space, players: Players) -> Result<(), FieldError> {
    let optimizer = Optimizer::new(&config.optimizer, space.start(), 0)
        .map_err(|error| error.within(["optimizer"]))?;
    let games = config.evaluation.games_in(0, players);
    let least = optimizer.population() as u64 * u64::from(games);
    match config.budget.games {
        Some(games) if games < least => {
            let message = format!("games {games} is less than the {least} of one generation");
            Err(FieldError::new(["budget", "games"], message))
        }
        _ => Ok(()),
    }
}

/// Weights at the start and at both ends of the bounds must fit the player's tables.
fn check_tables(
    entry: &Entry,
    start: &Weights,
    searched: &[SearchParameter],
) -> Result<(), FieldError> {
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
        let checked = weights.map_err(|error| error.message);
        checked
            .and_then(|weights| (entry.check)(&weights))
            .map_err(|reason| {
                FieldError::new(["parameters"], format!("at the {place}: {reason}"))
            })?;
    }
    Ok(())
}

fn start_weights(start: &mut Start, folder: &Path, entry: &Entry) -> Result<Weights, Unresolved> {
    let base = match start.weights.take() {
        Some(path) => weights_file::read(&folder.join(path), entry)?,
        None => weights_file::published(entry),
    };
    let values = start
        .values
        .iter()
        .map(|(key, value)| (key.as_str(), *value));
    let weights = base.with(values, &(entry.parameters)());
    Ok(weights.map_err(|error| error.within(["start", "values"]))?)
}

/// Every key is a parameter of the player, and none is searched both whole and split.
fn check_keys(
    given: &BTreeMap<String, ParameterConfig>,
    entry: &Entry,
    registry: &[Parameter],
) -> Result<(), FieldError> {
    for name in given.keys() {
        let wrong = |message: String| Err(FieldError::new(["parameters", name.as_str()], message));
        let base = name.strip_suffix(OUTER).or(name.strip_suffix(INNER));
        if let Some(base) = base.filter(|&base| given.contains_key(base)) {
            return wrong(format!(
                "`{name}` and `{base}` are both searched: give either `{base}` or the split ones"
            ));
        }
        if registry.is_empty() {
            let player = entry.name;
            return wrong(format!(
                "unknown parameter `{name}`: player `{player}` has no parameters to tune"
            ));
        }
        if !registry.iter().any(|known| known.key == *name) {
            let keys: Vec<&str> = registry.iter().map(|known| known.key.as_str()).collect();
            let near = did_you_mean(name, keys.iter().copied());
            let (player, keys) = (entry.name, keys.join(", "));
            return wrong(format!(
                "unknown parameter `{name}`{near} (player `{player}` has: {keys})"
            ));
        }
    }
    Ok(())
}

/// The parameters to search in the order of the registry; fills in what the file left out.
fn searched(
    given: &mut BTreeMap<String, ParameterConfig>,
    start: &Weights,
    entry: &Entry,
    registry: &[Parameter],
) -> Result<Vec<SearchParameter>, FieldError> {
    check_keys(given, entry, registry)?;
    let mut searched = Vec::new();
    for known in registry {
        if let Some(config) = given.get_mut(&known.key) {
            searched.push(filled_in(config, known, start)?);
        }
    }
    if searched.is_empty() {
        let message = "nothing to tune: give at least one [parameters.<key>]";
        return Err(FieldError::new(["parameters"], message));
    }
    Ok(searched)
}

/// One parameter to search; fills in what the file left out.
fn filled_in(
    config: &mut ParameterConfig,
    known: &Parameter,
    weights: &Weights,
) -> Result<SearchParameter, FieldError> {
    let key = known.key.as_str();
    let wrong = |message: String| FieldError::new(["parameters", key], message);
    if config.start.is_none() && weights.get(&format!("{key}{OUTER}")).is_some() {
        return Err(wrong(format!(
            "`{key}` is searched for all lines, but the start weights have `{key}{OUTER}` and \
             `{key}{INNER}`: give `start`, or search these"
        )));
    }
    let start = config
        .start
        .or_else(|| weights.effective(key))
        .unwrap_or(known.default);
    let scale = config.scale.unwrap_or(known.scale);
    if config.start.is_none() && !config.fixed {
        check_usual_start(key, start, scale, config).map_err(wrong)?;
    }
    // Bounds that the file leaves out are widened to hold the start.
    let min = config.min.unwrap_or_else(|| known.min.min(start));
    let max = config.max.unwrap_or_else(|| known.max.max(start));
    *config = ParameterConfig {
        start: Some(start),
        min: Some(min),
        max: Some(max),
        scale: Some(scale),
        ..config.clone()
    };
    Ok(SearchParameter {
        name: known.key.clone(),
        start,
        min,
        max,
        scale,
        integer: config.integer,
        fixed: config.fixed,
    })
}

/// Whether a parameter can start from the start weights, where the file gives no `start`.
fn check_usual_start(
    key: &str,
    start: f64,
    scale: Scale,
    config: &ParameterConfig,
) -> Result<(), String> {
    let allowed = match (config.min, config.max) {
        // Another mistake, of which the space tells.
        (Some(min), Some(max)) if min >= max => return Ok(()),
        (Some(min), _) if start < min => format!("at least {min}"),
        (_, Some(max)) if start > max => format!("at most {max}"),
        _ if scale == Scale::Log && start <= 0.0 => "above 0, as the log scale needs".to_owned(),
        _ => return Ok(()),
    };
    Err(format!(
        "parameter `{key}` would start from {start}, its value in the start weights, which is not \
         {allowed}: give `start`"
    ))
}
