//! The players of requests.

use std::sync::Arc;

use axum::http::StatusCode;

use super::app::App;
use super::player_cache::{BuiltPlayer, FileVersion, WeightsVersion};
use super::refusal::Refusal;
use super::weights::{self, Found};
use crate::player::options::HEURISTIC;
use crate::player::{Depth, OptionKind, PlayerConfig, PlayerSpec};

/// The player of a request, without its weights.
pub(super) fn spec(app: &App, config: &PlayerConfig) -> Result<PlayerSpec, Refusal> {
    if config.options.iter().any(|(key, _)| key == HEURISTIC) {
        let message = "a heuristic stands in a weights file of the results folder";
        return Err(Refusal::wrong(message));
    }
    let spec = app.catalogue.player(config).map_err(Refusal::wrong)?;
    if spec.entry.game.start_interactive.is_none() {
        let message = format!("players of game `{}` are not served", spec.entry.game.name);
        return Err(Refusal::wrong(message));
    }
    within_limits(app, &spec)?;
    Ok(spec)
}

/// Checks the options that determine the time and memory of a search.
fn within_limits(app: &App, spec: &PlayerSpec) -> Result<(), Refusal> {
    let options = &spec.options;
    for option in spec.entry.options {
        let (value, most) = match option.kind {
            OptionKind::Depth(_) => match options.depth(option) {
                Depth::Fixed(depth) => (depth.into(), app.limits.depth.into()),
                Depth::Adaptive => continue,
            },
            OptionKind::Whole { .. } if option.key == "table_bits" => {
                (options.whole(option), app.limits.table_bits)
            }
            _ => continue,
        };
        if value > most {
            let key = option.key;
            let message = format!("{key} {value} is out of range: at most {most} here");
            return Err(Refusal::wrong(message));
        }
    }
    Ok(())
}

/// The player of a request with its weights: the published weights, those of a file or run of the results folder,
/// or those that ship with the program.
/// Building the player can take some time.
pub(super) fn player(
    app: &App,
    config: &PlayerConfig,
    weights: Option<&str>,
) -> Result<Arc<BuiltPlayer>, Refusal> {
    let spec = spec(app, config)?;
    let found = weights.map(|name| weights::find(app, name, &spec));
    let found = found.transpose()?;
    let version = found.as_ref().map(version_of).transpose()?;
    let key = (spec.config(), version);
    if let Some(built) = app.players.find(|built| built.key == key) {
        return Ok(built);
    }
    let (spec, weights) = weights::read(found, spec)?;
    if spec.program().is_some() {
        let message =
            "these weights are of a program outside of tiletune, which is not started here";
        return Err(Refusal::new(StatusCode::FORBIDDEN, message));
    }
    let player = spec.build(&weights);
    let player = player.map_err(|message| Refusal::new(StatusCode::BAD_REQUEST, message))?;
    let built = Arc::new(BuiltPlayer { key, spec, player });
    app.players.insert(built.clone());
    Ok(built)
}

pub(super) fn version_of(found: &Found) -> Result<WeightsVersion, Refusal> {
    Ok(match found {
        Found::File(path) => WeightsVersion::File(FileVersion::of(path)?),
        Found::Shipped(one) => WeightsVersion::Shipped(one.name),
        Found::Candidate(name, _) => WeightsVersion::Candidate(name.clone()),
    })
}
