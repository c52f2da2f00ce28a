//! Where a row stands in an experiment file, and what is read there.

use std::collections::BTreeMap;
use std::path::Path;

use super::RowConfig;
use crate::config::document::Unresolved;
use crate::config::weights_file;
use crate::field_error::FieldError;
use crate::heuristic::weights::Weights;
use crate::player::{self, Catalogue, Entry, PlayerSpec};
use crate::record::experiment::Histogram;
use crate::suggestion::did_you_mean;

/// Where a row stands in the file, or the table that asks for it.
#[derive(Clone, Copy)]
pub(super) struct Place {
    table: &'static str,
    index: usize,
}

impl Place {
    /// The element of `row` or `generate` at an index.
    pub(super) fn new(table: &'static str, index: usize) -> Self {
        Place { table, index }
    }

    /// Whether the row follows from a table and stands nowhere itself.
    pub(super) fn is_generated(self) -> bool {
        self.table == "generate"
    }

    /// An error at a path within this place.
    pub(super) fn error(self, path: &[&str], message: impl Into<String>) -> FieldError {
        self.within(FieldError::new(path, message))
    }

    /// An error within this place as one of the file.
    fn within(self, error: FieldError) -> FieldError {
        error.within([self.table, &self.index.to_string()])
    }

    /// The player of this place, its own or the experiment's.
    pub(super) fn player(
        self,
        catalogue: &Catalogue,
        own: Option<&player::Config>,
        default: Option<&player::Config>,
    ) -> Result<PlayerSpec, FieldError> {
        let Some(config) = own.or(default) else {
            let message = format!(
                "no player: give this [[{}]] or the experiment one",
                self.table
            );
            return Err(self.error(&[], message));
        };
        catalogue.player(config).map_err(|error| {
            let error = error.within(["player"]);
            match own {
                Some(_) => self.within(error),
                None => error,
            }
        })
    }

    /// The weights of a file that the key `key` names, or the player's published ones.
    pub(super) fn weights(
        self,
        key: &str,
        path: Option<&Path>,
        entry: &'static Entry,
        folder: &Path,
    ) -> Result<Weights, Unresolved> {
        match path {
            Some(_) if entry.published.is_none() => {
                let message = format!("player `{}` has no weights", entry.name);
                Err(self.error(&[key], message).into())
            }
            Some(path) => Ok(weights_file::read(&folder.join(path), entry)?),
            None => Ok(weights_file::published(entry)),
        }
    }

    /// The weights of a row with the values that it changes.
    pub(super) fn changed_weights(
        self,
        row: &RowConfig,
        entry: &'static Entry,
        folder: &Path,
    ) -> Result<Weights, Unresolved> {
        let start = self.weights("weights", row.weights.as_deref(), entry, folder)?;
        let values = row.values.iter().map(|(key, value)| (key.as_str(), *value));
        let weights = start.with(values, &(entry.parameters)());
        let weights = weights.map_err(|error| self.within(error.within(["values"])))?;
        (entry.check)(&weights).map_err(|reason| self.error(&["values"], reason))?;
        Ok(weights)
    }

    /// The histogram that the row names under `key`.
    pub(super) fn histogram(
        self,
        key: &str,
        name: Option<&str>,
        known: &Option<BTreeMap<String, Histogram>>,
    ) -> Result<Option<Histogram>, FieldError> {
        let Some(name) = name else { return Ok(None) };
        let Some(known) = known else {
            let message = format!("the experiment names no file `{key}` to find `{name}` in");
            return Err(self.error(&[key], message));
        };
        let histogram = known.get(name).ok_or_else(|| {
            let near = did_you_mean(name, known.keys().map(String::as_str));
            self.error(&[key], format!("no row `{name}` in the file `{key}`{near}"))
        })?;
        Ok(Some(histogram.clone()))
    }
}
