//! The place of a row in an experiment file, and the objects that the row refers to: player, weights, histograms.

use std::collections::BTreeMap;
use std::path::Path;

use super::{RetuneConfig, RowConfig};
use crate::config::document::Unresolved;
use crate::config::heuristic_file::{HeuristicConfig, with_given};
use crate::config::shipped::{Wanted, is_published, named};
use crate::config::weights_file;
use tiletune_engine::field_error::{FieldError, Within};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::{self, PlayerSpec};
use tiletune_engine::suggestion::did_you_mean;
use tiletune_tuning::Catalogue;
use tiletune_tuning::results::experiment::Histogram;

/// The common settings of the rows of an experiment file.
pub(super) struct ExperimentFile<'a> {
    pub(super) catalogue: &'a Catalogue,
    /// The folder for relative paths.
    pub(super) folder: &'a Path,
    /// The player of rows that name none.
    pub(super) player: Option<player::PlayerConfig>,
    /// The heuristic of rows that name none.
    pub(super) heuristic: Option<HeuristicConfig>,
    /// The settings of campaigns.
    pub(super) retune: RetuneConfig,
    /// The seeds of the campaigns of each row.
    pub(super) retune_seeds: Vec<u64>,
}

/// The place of a row, or of the `[[generate]]` table that creates it.
#[derive(Clone, Copy)]
pub(super) struct RowPlace<'a> {
    pub(super) file: &'a ExperimentFile<'a>,
    /// `row` or `generate`.
    pub(super) table: &'static str,
    pub(super) index: usize,
}

impl RowPlace<'_> {
    /// Whether the row is from a `[[generate]]` table.
    pub(super) fn is_generated(self) -> bool {
        self.table == "generate"
    }

    /// An error at a path within this place.
    pub(super) fn error(self, path: &[&str], message: impl Into<String>) -> FieldError {
        self.within(FieldError::new(path, message))
    }

    /// Prepends the place to the path of an error.
    pub(super) fn within(self, error: FieldError) -> FieldError {
        error.within([self.table, &self.index.to_string()])
    }

    /// The player of the row, or that of the experiment if the row has none. Its heuristic is that of the row, or that
    /// of the experiment if the row has none and the player takes a heuristic.
    pub(super) fn player(
        self,
        own: Option<&player::PlayerConfig>,
        heuristic: Option<&HeuristicConfig>,
    ) -> Result<PlayerSpec, Unresolved> {
        let file = self.file;
        let Some(config) = own.or(file.player.as_ref()) else {
            let table = self.table;
            let message = format!("no player: this [[{table}]] or the experiment needs one");
            return Err(self.error(&[], message).into());
        };
        let player = file.catalogue.player(config).within(["player"]);
        let player = player.map_err(|error| match own {
            Some(_) => self.within(error),
            None => error,
        })?;
        if heuristic.is_some() {
            let player = with_given(player, heuristic, file.folder);
            return player.map_err(|error| match error {
                Unresolved::Field(error) => self.within(error).into(),
                of_file => of_file,
            });
        }
        let takes_default =
            player.entry.extension_option().is_some() && player.extension().is_none();
        let default = file.heuristic.as_ref().filter(|_| takes_default);
        with_given(player, default, file.folder)
    }

    /// The weights of the file under `key`, or the player's published weights. Also the player with the heuristic of
    /// this file.
    pub(super) fn weights(
        self,
        key: &str,
        path: Option<&Path>,
        player: &PlayerSpec,
    ) -> Result<(PlayerSpec, Weights), Unresolved> {
        match path {
            Some(_) if !player.entry.has_weights() => {
                let message = format!("player `{}` has no weights", player.entry.name);
                Err(self.error(&[key], message).into())
            }
            Some(path) if !is_published(self.file.folder, path) => {
                let file = self.file;
                let named = named(
                    file.catalogue,
                    file.folder,
                    path,
                    Wanted::by(player, player.variation().as_deref()),
                );
                let read = named.and_then(|named| weights_file::read_source(named.source, player));
                read.map_err(|error| {
                    Unresolved::of_file(error, |message| self.error(&[key], message))
                })
            }
            _ => Ok((player.clone(), weights_file::published(player))),
        }
    }

    /// The weights of a row with its changed values. Also the player with the heuristic that the weights belong to.
    pub(super) fn changed_weights(
        self,
        row: &RowConfig,
        player: &PlayerSpec,
    ) -> Result<(PlayerSpec, Weights), Unresolved> {
        let (player, start) = self.weights("weights", row.weights.as_deref(), player)?;
        let values = row.values.iter().map(|(key, value)| (key.as_str(), *value));
        let weights = start.with(values, &player.parameters());
        let weights = weights.map_err(|error| self.within(error.within(["values"])))?;
        let checked = player.check_at_key(&weights, row.values.keys().map(String::as_str));
        checked.map_err(|error| self.within(error.within(["values"])))?;
        Ok((player, weights))
    }

    /// The histogram that the row names with `key`.
    pub(super) fn histogram(
        self,
        key: &str,
        name: Option<&str>,
        known: &Option<BTreeMap<String, Histogram>>,
    ) -> Result<Option<Histogram>, FieldError> {
        let Some(name) = name else { return Ok(None) };
        let Some(known) = known else {
            let message = format!(
                "`{name}` is a row of the file `{key}`, but the experiment names no such file"
            );
            return Err(self.error(&[key], message));
        };
        let histogram = known.get(name).ok_or_else(|| {
            let near = did_you_mean(name, known.keys().map(String::as_str));
            self.error(&[key], format!("no row `{name}` in the file `{key}`{near}"))
        })?;
        Ok(Some(histogram.clone()))
    }
}
