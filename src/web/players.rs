//! The players that requests ask for. Making one takes longer than most searches, so some are kept.

use std::sync::{Arc, Mutex, PoisonError};

use axum::http::StatusCode;

use super::app::App;
use super::refusal::Refusal;
use super::weights;
use crate::player::options::HEURISTIC;
use crate::player::{Config, Depth, Kind, Player, PlayerSpec};

/// A player that was made.
pub(super) struct Made {
    pub(super) spec: PlayerSpec,
    pub(super) player: Box<dyn Player>,
}

/// What a player is made of: the request for it, and its weights file at its last change.
#[derive(Clone, PartialEq)]
struct Key {
    config: Config,
    weights: Option<weights::Version>,
}

/// Players that are kept, the most recently used last.
pub(super) struct Players {
    most: usize,
    kept: Mutex<Vec<(Key, Arc<Made>)>>,
}

impl Players {
    pub(super) fn new(most: usize) -> Self {
        Players {
            most,
            kept: Mutex::default(),
        }
    }

    fn kept(&self, key: &Key) -> Option<Arc<Made>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(known, _)| known == key)?;
        let found = kept.remove(place);
        let made = found.1.clone();
        kept.push(found);
        Some(made)
    }

    fn keep(&self, key: Key, made: Arc<Made>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push((key, made));
        let surplus = kept.len().saturating_sub(self.most);
        kept.drain(..surplus);
    }
}

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
    let version = file.as_deref().map(weights::Version::of).transpose()?;
    let key = Key {
        config: spec.config(),
        weights: version,
    };
    if let Some(made) = app.players.kept(&key) {
        return Ok(made);
    }
    let (spec, weights) = weights::read(file.as_deref(), spec)?;
    if spec.program().is_some() {
        let message =
            "these weights are of a program outside of tiletune, which is not started here";
        return Err(Refusal::new(StatusCode::FORBIDDEN, message));
    }
    let player = spec.build(&weights);
    let made = Arc::new(Made { spec, player });
    app.players.keep(key, made.clone());
    Ok(made)
}
