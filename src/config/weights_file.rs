//! Weights files: TOML with the game, the player and one value per key; written with provenance by
//! campaigns, readable and writable by hand.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{ConfigError, Source};
use crate::heuristic::weights::{Weights, WeightsError};
use crate::player::Entry;

/// A weights file as written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightsFile {
    /// Game that the player plays.
    pub game: String,
    /// Player that the weights are for.
    pub player: String,
    /// Value by key.
    pub weights: BTreeMap<String, f64>,
    /// How the weights came about; free-form, not read back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<toml::Table>,
}

/// Reads a weights file for a player.
///
/// # Errors
/// If it cannot be read, is no weights file, is for another player, or a weight does not fit.
pub fn read(path: &Path, entry: &Entry) -> Result<Weights, ConfigError> {
    weights_for(&Source::read(path)?, entry)
}

/// The weights of a weights file's text, checked against a player.
///
/// # Errors
/// As [`read`].
pub fn weights_for(source: &Source, entry: &Entry) -> Result<Weights, ConfigError> {
    let file: WeightsFile = source.parse()?;
    for (key, given, wanted) in [
        ("game", &file.game, entry.game),
        ("player", &file.player, entry.name),
    ] {
        if given != wanted {
            let message = format!(
                "these weights are for {key} `{given}`, not for player `{}` of game `{}`",
                entry.name, entry.game
            );
            return Err(source.mistake_at(&[key], message));
        }
    }
    if file.weights.is_empty() {
        return Err(source.mistake_at(&["weights"], "there are no weights in this file"));
    }
    let weights = Weights::new(file.weights, &(entry.parameters)()).map_err(|error| {
        let key = match &error {
            WeightsError::Unknown { key, .. }
            | WeightsError::NotFinite { key, .. }
            | WeightsError::Mixed { key } => key,
            WeightsError::HalfSplit { given, .. } => given,
        };
        source.mistake_at(&["weights", key], error.to_string())
    })?;
    (entry.check)(&weights).map_err(|reason| source.mistake_at(&["weights"], reason))?;
    Ok(weights)
}

/// The published weights of a player; none for a player without parameters.
///
/// # Panics
/// If the embedded file is faulty, which a test excludes.
pub fn published(entry: &Entry) -> Weights {
    let Some(text) = entry.published else {
        return Weights::default();
    };
    let source = Source {
        name: format!("the published weights of {}", entry.name),
        text: text.to_owned(),
    };
    weights_for(&source, entry).unwrap_or_else(|error| panic!("{error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::PLAYERS;

    #[test]
    fn published_weights_are_the_defaults() {
        for entry in PLAYERS {
            for (key, value) in published(entry).iter() {
                let parameters = (entry.parameters)();
                let known = parameters.iter().find(|parameter| parameter.key == key);
                assert_eq!(
                    known.map(|parameter| parameter.default),
                    Some(value),
                    "{key}"
                );
            }
        }
    }
}
