//! The player of a request, and its weights: those to begin with, and the values that the page has changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use crate::config::heuristic_file::{self, HeuristicConfig};
use crate::config::{ConfigError, Source, weights_file};
use crate::heuristic::terms::complete;
use crate::heuristic::weights::Weights;
use crate::player::{Player, PlayerConfig, PlayerSpec};
use crate::web::app::App;
use crate::web::lab_state::Prepared;
use crate::web::refusal::Refusal;
use crate::web::{players, weights};

/// The name of the file of a page in messages.
const FILE: &str = "the file of the page";

/// What a page has set.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Setting {
    /// The player, in the form of `[player]` in a campaign.
    pub(super) player: PlayerConfig,
    /// A weights file or run of the results folder, or shipped weights; the published weights by default.
    #[serde(default)]
    pub(super) weights: Option<String>,
    /// The text of a heuristic file or a weights file, instead of `weights`.
    #[serde(default)]
    pub(super) file: Option<String>,
    /// The values that differ from those weights.
    #[serde(default)]
    pub(super) values: BTreeMap<String, f64>,
}

/// Why the player of a setting cannot be used.
pub(super) enum Unusable {
    Refused(Refusal),
    /// A mistake in the file of the page, with its place.
    Mistake(ConfigError),
}

impl From<Refusal> for Unusable {
    fn from(refusal: Refusal) -> Self {
        Unusable::Refused(refusal)
    }
}

impl From<Unusable> for Refusal {
    fn from(unusable: Unusable) -> Self {
        match unusable {
            Unusable::Refused(refusal) => refusal,
            Unusable::Mistake(error) => Refusal::wrong(error),
        }
    }
}

impl Setting {
    /// The player with its heuristic, and the weights to begin with.
    pub(super) fn prepared(&self, app: &App) -> Result<Arc<Prepared>, Unusable> {
        let spec = players::spec(app, &self.player)?;
        if self.file.is_some() && self.weights.is_some() {
            let message = "give either `weights` or `file`, not both";
            return Err(Refusal::wrong(message).into());
        }
        let named = self.weights.as_deref();
        let found = named
            .map(|name| weights::find(app, name, &spec))
            .transpose()?;
        let version = found.as_ref().map(players::version_of).transpose()?;
        let key = (spec.config(), version, self.file.clone());
        if let Some(prepared) = app.lab.prepared.find(|prepared| prepared.key == key) {
            return Ok(prepared);
        }
        let (spec, weights) = match &self.file {
            Some(text) => of_file(text, &spec)?,
            None => weights::read(found, spec)?,
        };
        if spec.program().is_some() || !spec.entry.has_weights() {
            let message = format!(
                "player `{}` has no weights that a page can change",
                spec.entry.name
            );
            return Err(Refusal::wrong(message).into());
        }
        let weights = complete(&weights, &spec.parameters());
        let prepared = Arc::new(Prepared { key, spec, weights });
        app.lab.prepared.insert(Arc::clone(&prepared));
        Ok(prepared)
    }

    /// The weights with the values of the page.
    pub(super) fn changed(&self, prepared: &Prepared) -> Result<Weights, Refusal> {
        let values = self.values.iter();
        let values = values.map(|(key, value)| (key.as_str(), *value));
        let changed = prepared.weights.with(values, &prepared.spec.parameters());
        changed.map_err(Refusal::wrong)
    }

    /// The player with these weights.
    pub(super) fn built(&self, app: &App) -> Result<(Arc<Prepared>, Box<dyn Player>), Refusal> {
        let prepared = self.prepared(app)?;
        let weights = self.changed(&prepared)?;
        let player = prepared.spec.build(&weights).map_err(Refusal::wrong)?;
        Ok((prepared, player))
    }
}

/// The player with the heuristic and the weights of a file, checked as the command line does.
fn of_file(text: &str, player: &PlayerSpec) -> Result<(PlayerSpec, Weights), Unusable> {
    if text.trim().is_empty() {
        return Err(Refusal::wrong(format!("{FILE} is empty")).into());
    }
    let source = Source::new(FILE, text);
    if !source.has(&["weights"]) {
        let player = heuristic_file::with_source(player, &source).map_err(Unusable::Mistake)?;
        let weights = weights_file::published(&player);
        return Ok((player, weights));
    }
    // A page must not name a file of this machine.
    let file = weights_file::unchecked(&source).map_err(Unusable::Mistake)?;
    if let Some(HeuristicConfig::File(_)) = file.and_then(|file| file.heuristic) {
        let message = "the path of a heuristic file is not read here: open that file instead, or put its contents \
                       into the table `heuristic`";
        return Err(Unusable::Mistake(
            source.mistake_at(&["heuristic"], message),
        ));
    }
    weights_file::read_source(source, player).map_err(Unusable::Mistake)
}
