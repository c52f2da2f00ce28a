//! Categories, conditions and constraints of a campaign: `choices`, `active_when` and `require`.

use super::{CampaignConfig, ParameterConfig};
use tiletune_engine::field_error::FieldError;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::heuristic::{Parameter, Scale};
use tiletune_engine::program::declaration::check_choices;
use tiletune_tuning::optimizer::Space;

/// True if the program declares choices for a parameter.
pub(super) fn has_choices(registry: &[Parameter], key: &str) -> bool {
    let known = registry.iter().find(|known| known.key == key);
    known.is_some_and(|known| !known.choices.is_empty())
}

/// The choices of a parameter; none if it is a number.
///
/// # Errors
/// If its other keys do not fit them.
pub(super) fn choices(
    config: &ParameterConfig,
    known: &Parameter,
    start: f64,
) -> Result<Vec<String>, FieldError> {
    let choices = if config.choices.is_empty() {
        &known.choices
    } else {
        &config.choices
    };
    let wrong = |key: &str, message: String| Err(FieldError::new([key], message));
    if !known.choices.is_empty() && *choices != known.choices {
        let declared = known.choices.join(", ");
        return wrong(
            "choices",
            format!("the program declares other choices: {declared}"),
        );
    }
    check_choices(choices, start).map_err(|message| FieldError::new(["choices"], message))?;
    if choices.is_empty() {
        return Ok(Vec::new());
    }
    let last = choices.len() as f64 - 1.0;
    let refused = [
        ("min", config.min.is_some_and(|min| min != 0.0)),
        ("max", config.max.is_some_and(|max| max != last)),
        ("scale", config.scale == Some(Scale::Log)),
        ("step", config.step.is_some()),
        ("integer", config.integer == Some(false)),
    ];
    match refused.into_iter().find(|(_, is_given)| *is_given) {
        Some((key, _)) => {
            let message = format!("a parameter with `choices` has no order: leave out {key}");
            wrong(key, message)
        }
        None => Ok(choices.clone()),
    }
}

/// The space with the constraints of the campaign and the conditions of its parameters. Conditions may name every
/// parameter of the player; those that are not tuned have their start values.
pub(super) fn with_rules(
    space: Space,
    config: &CampaignConfig,
    start: &Weights,
    registry: &[Parameter],
) -> Result<Space, FieldError> {
    let tuned = space.names();
    let others = registry
        .iter()
        .filter(|known| !tuned.contains(&known.key.as_str()));
    let constants: Vec<(String, f64)> = others
        .map(|known| (known.key.clone(), start.value(known)))
        .collect();
    let active_when = config.parameters.iter();
    let active_when =
        active_when.filter_map(|(key, one)| Some((key.clone(), one.active_when.clone()?)));
    space.with_rules(&config.require, &active_when.collect(), &constants)
}
