//! Weights files: TOML with game, player and one value per key. Campaigns write them with provenance.
//! Wherever a weights file is read, a run directory stands for its `best.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::document::Document;
use super::{ConfigError, Source};
use crate::field_error::FieldError;
use crate::heuristic::weights::Weights;
use crate::player::{Catalogue, Entry};

/// The contents of a weights file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightsFile {
    /// Game that the player plays.
    pub game: String,
    /// Player that the weights are for.
    pub player: String,
    /// Value by key.
    pub weights: BTreeMap<String, f64>,
    /// Origin of the weights, in any form; not interpreted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<toml::Table>,
}

/// The name of the weights file in a run directory.
pub const BEST: &str = "best.toml";

/// The weights file that a path names: the file itself, or `best.toml` in a run directory.
///
/// # Errors
/// If the path is a directory without recommended weights.
pub fn locate(path: &Path) -> Result<PathBuf, ConfigError> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let best = path.join(BEST);
    if best.is_file() {
        return Ok(best);
    }
    // Campaigns have parameters, and only they tune weights.
    let resolved = Source::read(&path.join("resolved.toml"));
    let reason = match resolved.and_then(|resolved| Document::parse(&resolved).map(tunes)) {
        Ok(true) => "the search has not ended; there are no weights yet",
        Ok(false) => {
            "this run tunes no weights; give a weights file or the run directory of a campaign"
        }
        Err(_) => "neither a weights file nor a run directory",
    };
    Err(ConfigError::Unreadable {
        path: path.display().to_string(),
        reason: reason.into(),
    })
}

fn tunes(document: Document) -> bool {
    document.has(&["parameters"])
}

/// Reads a weights file, or `best.toml` of a run directory.
///
/// # Errors
/// If the path is a directory without recommended weights, or the file cannot be read.
pub fn source(path: &Path) -> Result<Source, ConfigError> {
    Source::read(&locate(path)?)
}

/// Reads the weights of a weights file, or of `best.toml` in a run directory, for a player.
///
/// # Errors
/// As [`source`], or if it is not a weights file, is for another player, or a weight is invalid.
pub fn read(path: &Path, entry: &Entry) -> Result<Weights, ConfigError> {
    weights_for(&source(path)?, entry)
}

/// Parses a weights file and checks it against a player.
///
/// # Errors
/// As [`read`].
pub fn weights_for(source: &Source, entry: &Entry) -> Result<Weights, ConfigError> {
    let document = Document::parse(source)?;
    let weights = document.read::<WeightsFile>()?.weights_for(entry);
    weights.map_err(|error| document.place(error))
}

/// Parses a weights file and checks it against the built-in player that it names.
///
/// # Errors
/// If the text is not a weights file, or its player or a weight is unknown or invalid.
pub fn parse(source: &Source) -> Result<(WeightsFile, &'static Entry, Weights), ConfigError> {
    parse_with(&Catalogue::builtin(), source)
}

/// The same for a player of any catalogue.
///
/// # Errors
/// As [`parse`].
pub fn parse_with(
    catalogue: &Catalogue,
    source: &Source,
) -> Result<(WeightsFile, &'static Entry, Weights), ConfigError> {
    let document = Document::parse(source)?;
    let file: WeightsFile = document.read()?;
    let (entry, weights) = file
        .resolve(catalogue)
        .map_err(|error| document.place(error))?;
    Ok((file, entry, weights))
}

impl WeightsFile {
    /// The player that the file names and its weights.
    fn resolve(&self, catalogue: &Catalogue) -> Result<(&'static Entry, Weights), FieldError> {
        let entry = catalogue.entry(&self.player, Some(&self.game));
        let entry = entry.map_err(|mut error| {
            // A weights file has the key `player` instead of `name`.
            for key in error.path.iter_mut().filter(|key| *key == "name") {
                *key = "player".into();
            }
            error
        })?;
        Ok((entry, self.weights_for(entry)?))
    }

    fn weights_for(&self, entry: &Entry) -> Result<Weights, FieldError> {
        for (key, given, wanted) in [
            ("game", &self.game, entry.game.name),
            ("player", &self.player, entry.name),
        ] {
            if given != wanted {
                let message = format!(
                    "these weights are for {key} `{given}`, not for player `{}` of game `{}`",
                    entry.name, entry.game.name
                );
                return Err(FieldError::new([key], message));
            }
        }
        let wrong = |message: String| FieldError::new(["weights"], message);
        if self.weights.is_empty() {
            return Err(wrong("the file has no weights".into()));
        }
        let weights = Weights::new(self.weights.clone(), &(entry.parameters)());
        let weights = weights.map_err(|error| error.within(["weights"]))?;
        (entry.check)(&weights).map_err(wrong)?;
        Ok(weights)
    }
}

/// The published weights of a player; none for a player without parameters.
///
/// # Panics
/// If the embedded file is invalid, which a test excludes.
pub fn published(entry: &Entry) -> Weights {
    let Some(text) = entry.published else {
        return Weights::default();
    };
    let source = Source::new(format!("the published weights of {}", entry.name), text);
    weights_for(&source, entry).unwrap_or_else(|error| panic!("{error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_weights_are_the_defaults() {
        for entry in Catalogue::builtin().players() {
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

    #[test]
    fn a_run_directory_stands_for_its_best_weights() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let entry = Catalogue::builtin().entry("expectimax", None).unwrap();
        let refused = || read(path, entry).unwrap_err().to_string();
        assert!(refused().ends_with("neither a weights file nor a run directory"));
        std::fs::write(path.join("resolved.toml"), "row = []").unwrap();
        assert!(refused().contains("tunes no weights"));
        std::fs::write(path.join("resolved.toml"), "[parameters.empty]").unwrap();
        assert!(refused().contains("the search has not ended"));
        std::fs::write(path.join(BEST), entry.published.unwrap()).unwrap();
        assert_eq!(read(path, entry).unwrap(), published(entry));
        assert_eq!(read(&path.join(BEST), entry).unwrap(), published(entry));
    }
}
