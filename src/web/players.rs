//! The players that requests ask for.

use std::sync::Arc;

use axum::http::StatusCode;

use super::app::App;
use super::kept::{Key, Made, Version};
use super::refusal::Refusal;
use super::weights;
use crate::player::options::HEURISTIC;
use crate::player::{Config, Depth, Kind, PlayerSpec};

/// The player of a request, without its weights.
pub(super) fn spec(app: &App, config: &Config) -> Result<PlayerSpec, Refusal> {
    if config.options.iter().any(|(key, _)| key == HEURISTIC) {
        let message = "a heuristic stands in a weights file of the results folder";
        return Err(Refusal::wrong(message));
    }
    let spec = app.catalogue.player(config).map_err(Refusal::wrong)?;
    if spec.entry.game.lay_out.is_none() {
        let message = format!("players of game `{}` are not served", spec.entry.game.name);
        return Err(Refusal::wrong(message));
    }
    within_limits(app, &spec)?;
    Ok(spec)
}

/// Checks the options that determine how much time and memory a search takes.
fn within_limits(app: &App, spec: &PlayerSpec) -> Result<(), Refusal> {
    let limits = app.limits;
    for option in spec.entry.options {
        match option.kind {
            Kind::Depth(_) => {
                let depth = spec.options.depth(option);
                if matches!(depth, Depth::Fixed(depth) if depth > limits.depth) {
                    let (key, most) = (option.key, limits.depth);
                    let message = format!("{key} {depth} is out of range: at most {most} here");
                    return Err(Refusal::wrong(message));
                }
            }
            Kind::Whole { .. } if option.key == "table_bits" => {
                let (bits, most) = (spec.options.whole(option), limits.table_bits);
                if bits > most {
                    let message =
                        format!("{} {bits} is out of range: at most {most} here", option.key);
                    return Err(Refusal::wrong(message));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// The player of a request with its weights: published ones, or those of a file or run of the results folder. It can
/// take a while.
pub(super) fn player(
    app: &App,
    config: &Config,
    weights: Option<&str>,
) -> Result<Arc<Made>, Refusal> {
    let spec = spec(app, config)?;
    let file = weights.map(|name| weights::find(app, name)).transpose()?;
    let version = file.as_deref().map(Version::of).transpose()?;
    let key = Key {
        config: spec.config(),
        weights: version,
    };
    if let Some(made) = app.players.find(&key) {
        return Ok(made);
    }
    let (spec, weights) = weights::read(file.as_deref(), spec)?;
    if spec.program().is_some() {
        let message =
            "these weights are of a program outside of tiletune, which is not started here";
        return Err(Refusal::new(StatusCode::FORBIDDEN, message));
    }
    let player = spec.build(&weights);
    let player = player.map_err(|message| Refusal::new(StatusCode::BAD_REQUEST, message))?;
    let made = Arc::new(Made { spec, player });
    app.players.keep(key, made.clone());
    Ok(made)
}
