//! The parameters of a campaign: which ones are searched, their bounds, scales, steps and starts.

use std::collections::{BTreeMap, BTreeSet};

use super::{ParameterConfig, rules};
use tiletune_engine::field_error::{FieldError, Within};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::heuristic::{INNER, OUTER, Parameter, Scale, Short};
use tiletune_engine::player::options::HEURISTIC;
use tiletune_engine::player::{PlayerEntry, PlayerSpec};
use tiletune_engine::suggestion::did_you_mean;
use tiletune_tuning::optimizer::Parameter as SearchParameter;

/// Checks that the player can use the start weights. `started` has the parameters with a `start` value.
pub(super) fn check_start(
    player: &PlayerSpec,
    weights: &Weights,
    started: &BTreeSet<String>,
    values: &BTreeMap<String, f64>,
    is_from_file: bool,
) -> Result<(), FieldError> {
    let keys = started.iter().chain(values.keys()).map(String::as_str);
    player.check_at_key(weights, keys).map_err(|error| {
        let path = match error.path.first() {
            Some(key) if started.contains(key) => vec!["parameters", key, "start"],
            Some(key) => vec!["start", "values", key],
            None if is_from_file => vec!["start", "weights"],
            None if player.extension().is_some() => vec![HEURISTIC],
            None => vec!["parameters"],
        };
        FieldError::new(path, format!("at the start: {}", error.message))
    })
}

/// Checks that the player can use the weights at both bounds.
pub(super) fn check_bounds(
    player: &PlayerSpec,
    start: &Weights,
    searched: &[SearchParameter],
) -> Result<(), FieldError> {
    type End = fn(&SearchParameter) -> f64;
    let free = || searched.iter().filter(|parameter| !parameter.fixed);
    let names = || free().map(|parameter| parameter.name.as_str());
    let ends: [(End, _, _); 2] = [
        (|parameter| parameter.min, "min", "lower bounds"),
        (|parameter| parameter.max, "max", "upper bounds"),
    ];
    for (end, key, place) in ends {
        let weights = start.with(names().zip(free().map(end)), &player.parameters());
        let checked = weights.and_then(|weights| player.check_at_key(&weights, names()));
        checked.map_err(|error| {
            let message = format!("at the {place}: {}", error.message);
            let path = error.path.iter().map(String::as_str);
            FieldError::new(path.flat_map(|name| [name, key]), message).within(["parameters"])
        })?;
    }
    Ok(())
}

/// Checks that every key is a parameter of the player and that no parameter is given both whole and
/// split.
fn check_keys(
    given: &BTreeMap<String, ParameterConfig>,
    entry: &PlayerEntry,
    registry: &[Parameter],
) -> Result<(), FieldError> {
    for name in given.keys() {
        let wrong = |message: String| Err(FieldError::new(["parameters", name.as_str()], message));
        let base = name.strip_suffix(OUTER).or(name.strip_suffix(INNER));
        if let Some(base) = base.filter(|&base| given.contains_key(base)) {
            return wrong(format!(
                "`{name}` and `{base}` are both tuned: give either `{base}` or both split keys"
            ));
        }
        let keys: Vec<&str> = registry.iter().map(|known| known.key.as_str()).collect();
        if !keys.contains(&name.as_str()) {
            if (entry.parameters)().iter().any(|own| own.key == *name) {
                return wrong(format!(
                    "`{name}` is a parameter of the terms of player `{}`, but here the heuristic or the start weights bring \
                     other terms: [parameters.\"*\"] tunes all of them, or name some of: {}",
                    entry.name,
                    shortened(&keys)
                ));
            }
            let near = did_you_mean(name, keys.iter().copied());
            return wrong(format!(
                "unknown parameter `{name}`{near} (player `{}` has: {})",
                entry.name,
                shortened(&keys)
            ));
        }
    }
    Ok(())
}

/// A list of keys for a message.
fn shortened(keys: &[&str]) -> String {
    const SHOWN: usize = 40;
    match keys.len() {
        0 => "no parameters to tune".to_owned(),
        count if count > SHOWN => {
            let more = count - SHOWN;
            format!("{} and {more} more", keys[..SHOWN].join(", "))
        }
        _ => keys.join(", "),
    }
}

/// The tuned parameters in the order of the registry, with the defaults filled in. `is_given` says whether a value of the
/// start weights stands in the table `[start]`.
pub(super) fn searched(
    given: &mut BTreeMap<String, ParameterConfig>,
    (start, is_given): (&Weights, &dyn Fn(&str) -> bool),
    entry: &PlayerEntry,
    registry: &[Parameter],
) -> Result<Vec<SearchParameter>, FieldError> {
    check_keys(given, entry, registry)?;
    if given.is_empty() {
        let message =
            "nothing to tune: give at least one [parameters.<key>]; [parameters.\"*\"] tunes all";
        return Err(FieldError::new(["parameters"], message));
    }
    let searched = registry.iter().filter_map(|known| {
        let config = given.get_mut(&known.key)?;
        Some(filled_in(config, known, start, is_given(&known.key)))
    });
    searched.collect()
}

/// Initial step of parameters that were tuned before, in a search with new parameters.
const STEP_OF_TUNED: f64 = 0.5;

/// Fills in the steps of a search that has more parameters than its file of start weights. The known parameters begin
/// with a smaller step than the new ones.
pub(super) fn fill_in_steps(
    given: &mut BTreeMap<String, ParameterConfig>,
    start: &Weights,
    registry: &[Parameter],
) {
    let is_known = |key: &str| start.effective(key).is_some();
    if given.keys().all(|key| is_known(key)) {
        return;
    }
    for (key, config) in given.iter_mut().filter(|(key, _)| is_known(key)) {
        // The choices of a category have no distance.
        if !config.choices.is_empty() || rules::has_choices(registry, key) {
            continue;
        }
        config.step.get_or_insert(STEP_OF_TUNED);
    }
}

/// One tuned parameter, with the defaults filled in.
fn filled_in(
    config: &mut ParameterConfig,
    known: &Parameter,
    weights: &Weights,
    is_given: bool,
) -> Result<SearchParameter, FieldError> {
    let key = known.key.as_str();
    let wrong = |message: String| FieldError::new(["parameters", key], message);
    if config.start.is_none() && weights.get(&format!("{key}{OUTER}")).is_some() {
        return Err(wrong(format!(
            "`{key}` is tuned for all lines, but the start weights have `{key}{OUTER}` and \
             `{key}{INNER}`: give `start`, or tune these"
        )));
    }
    let start = config.start.or_else(|| weights.effective(key));
    let start = start.unwrap_or(known.default);
    let scale = config.scale.unwrap_or(known.scale);
    let choices = rules::choices(config, known, start).within(["parameters", key])?;
    if config.start.is_none() && !config.fixed {
        let checked = check_usual_start(key, start, scale, config);
        let checked =
            checked.map_err(|message| format!("{message}: {}", how_to_start(key, is_given)));
        checked.map_err(wrong)?;
    }
    let integer = config.integer.unwrap_or(known.integer);
    if known.integer && !integer {
        let message = format!("`{key}` is declared as an integer: leave out `integer = false`");
        return Err(FieldError::new(["parameters", key, "integer"], message));
    }
    if let Some(step) = config.step.filter(|step| integer && *step > 1.0) {
        let message = format!(
            "step {step} of an integer parameter is above 1: `step` is the width of the first candidates, not a grid, and an \
             integer parameter takes every whole number. For every second value tune a parameter that counts them \
             (half of min and max), and let the player double it"
        );
        return Err(FieldError::new(["parameters", key, "step"], message));
    }
    // Default bounds are widened to include the start.
    let min = config.min.unwrap_or_else(|| known.min.min(start));
    let max = config.max.unwrap_or_else(|| known.max.max(start));
    *config = ParameterConfig {
        start: Some(start),
        min: Some(min),
        max: Some(max),
        scale: Some(scale),
        integer: Some(integer),
        choices: choices.clone(),
        ..config.clone()
    };
    Ok(SearchParameter {
        name: known.key.clone(),
        start,
        min,
        max,
        scale,
        integer,
        choices,
        fixed: config.fixed,
        step: config.step.unwrap_or(1.0),
    })
}

/// Checks that a parameter without `start` can start at its value in the start weights.
fn check_usual_start(
    key: &str,
    start: f64,
    scale: Scale,
    config: &ParameterConfig,
) -> Result<(), String> {
    let allowed = match (config.min, config.max) {
        // This is another error, which the space reports.
        (Some(min), Some(max)) if min >= max => return Ok(()),
        (Some(min), _) if start < min => format!("at least {}", Short(min)),
        (_, Some(max)) if start > max => format!("at most {}", Short(max)),
        _ if scale == Scale::Log && start <= 0.0 => "above 0, as a log scale requires".to_owned(),
        _ => return Ok(()),
    };
    Err(format!(
        "parameter `{key}` would start at {}, its value in the start weights, which is not {allowed}",
        Short(start)
    ))
}

/// Says where another start can be given. A value of `[start]` replaces that of the parameter, so `start` there would
/// change nothing.
fn how_to_start(key: &str, is_given: bool) -> String {
    if !is_given {
        return "give `start`".to_owned();
    }
    let quoted = if key.contains('.') {
        format!("\"{key}\"")
    } else {
        key.to_owned()
    };
    format!(
        "[start] goes before the `start` of a parameter. Give other bounds, `values = {{ {quoted} = .. }}` in [start], or \
         --set 'parameters.{quoted}.start=..'"
    )
}
