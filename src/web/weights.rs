//! The weights files, heuristic files and runs of the results folder. A name is a path relative to the folder, and no
//! name leads out of it.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use schemars::JsonSchema;
use serde::Serialize;

use super::app::{App, beside};
use super::candidate;
use super::refusal::Refusal;
use crate::config::Source;
use crate::config::shipped::{self, Shipped, Wanted};
use crate::config::weights_file::{self, OF_TUNED, WeightsFile};
use crate::heuristic::weights::Weights;
use crate::player::PlayerSpec;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/api/weights", get(list))
}

/// Largest depth at which runs are searched for. The runs of a series are two folders below it.
const DEEPEST: usize = 4;

/// Largest number of listed weights files.
const MOST: usize = 500;

/// Weights that a player can have.
#[derive(Serialize, JsonSchema)]
pub(super) struct ServedWeights {
    /// Name of the file or run below the results folder, or of weights that ship with the program.
    name: String,
    /// Name of the game.
    game: String,
    /// Name of the player.
    player: String,
    /// The player that the weights were tuned for or measured with, as `[player]` of a campaign; null if that is not
    /// known.
    #[schemars(with = "Option<BTreeMap<String, serde_json::Value>>")]
    options: Option<toml::Value>,
    /// Whether they belong to a heuristic in a file.
    has_own_terms: bool,
    /// Whether this is a heuristic file, whose weights are its defaults.
    has_default_weights: bool,
    /// Whether they ship with the program.
    is_shipped: bool,
}

/// All available weights.
async fn list(State(app): State<Arc<App>>) -> Result<Json<Vec<ServedWeights>>, Refusal> {
    let found = beside(move || {
        let mut files = Vec::new();
        collect(&app, &app.results, DEEPEST, &mut files);
        let mut found = shipped_weights(&app);
        found.retain(|one| files.iter().all(|file| file.name != one.name));
        found.append(&mut files);
        Ok(found)
    });
    Ok(Json(found.await?))
}

/// The weights that ship with the program. The page has the published ones without a name.
fn shipped_weights(app: &App) -> Vec<ServedWeights> {
    let all = shipped::all(&app.catalogue, Wanted::default()).into_iter();
    let named = all.filter(|one| one.name != shipped::PUBLISHED);
    let served = named.filter_map(|one| {
        let served = describe(app, one.file, Path::new(one.name))?;
        Some(ServedWeights {
            is_shipped: true,
            ..served
        })
    });
    served.collect()
}

/// Lists the weights files and heuristic files of the folder itself, and `best.toml` of all runs below it. For a run
/// that recommends its start weights, also lists the tuned weights. Invalid files are left out.
fn collect(app: &App, folder: &Path, deepest: usize, found: &mut Vec<ServedWeights>) {
    let is_root = folder == app.results;
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // Links are not followed.
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if name.starts_with('.') || found.len() >= MOST {
            continue;
        }
        if kind.is_dir() && deepest > 0 {
            collect(app, &entry.path(), deepest - 1, found);
        } else if kind.is_file()
            && (is_root && name.ends_with(".toml") || name == weights_file::BEST)
        {
            let path = entry.path();
            let shown = if is_root { &path } else { folder };
            let shown = shown.strip_prefix(&app.results).unwrap_or(shown);
            let Ok(source) = Source::read(&path) else {
                continue;
            };
            match weights_file::unchecked(&source) {
                Ok(None) => found.extend(takers(app, &path, shown)),
                Ok(Some(file)) => {
                    found.extend(describe(app, file, shown));
                    let tuned = weights_file::tuned(folder);
                    if weights_file::start_instead_of_tuned(&path).is_some()
                        && let Ok(Some(file)) = weights_file::source(&tuned)
                            .and_then(|tuned| weights_file::unchecked(&tuned))
                    {
                        found.extend(describe(app, file, &weights_file::tuned(shown)));
                    }
                }
                Err(_) => {}
            }
        }
    }
}

/// A weights file with its description; `None` if its game is not served.
fn describe(app: &App, file: WeightsFile, name: &Path) -> Option<ServedWeights> {
    let entry = app.catalogue.entry(&file.player, Some(&file.game)).ok()?;
    entry.game.start_interactive?;
    // The player with the options that the weights were tuned or measured with.
    let provenance = file.provenance;
    Some(ServedWeights {
        name: shown(name),
        game: file.game,
        player: file.player,
        options: provenance.and_then(|mut table| table.remove("player")),
        has_own_terms: file.heuristic.is_some(),
        has_default_weights: false,
        is_shipped: false,
    })
}

/// A heuristic file with each player that can use it.
fn takers(app: &App, path: &Path, name: &Path) -> Vec<ServedWeights> {
    let taker = |[game, player]: [&'static str; 2]| ServedWeights {
        name: shown(name),
        game: game.to_owned(),
        player: player.to_owned(),
        options: None,
        has_own_terms: true,
        has_default_weights: true,
        is_shipped: false,
    };
    let takers = app.heuristics.takers(path, &app.catalogue);
    takers.into_iter().map(taker).collect()
}

fn shown(name: &Path) -> String {
    name.to_string_lossy().replace('\\', "/")
}

/// Weights that a request names.
pub(super) enum Found {
    /// A file of the results folder.
    File(PathBuf),
    /// Weights that ship with the program.
    Shipped(Box<Shipped>),
    /// A candidate of a run, by its name.
    Candidate(String, Box<Source>),
}

/// The weights with this name. A file or a run has priority.
pub(super) fn find(app: &App, name: &str, player: &PlayerSpec) -> Result<Found, Refusal> {
    if let Some(source) = candidate::source(app, name)? {
        return Ok(Found::Candidate(name.to_owned(), Box::new(source)));
    }
    match file(app, name)? {
        Some(file) => Ok(Found::File(file)),
        None => {
            let found = shipped::find(
                &app.catalogue,
                name,
                Wanted::by(player, player.variation().as_deref()),
            );
            let found = found.filter(|one| one.name != shipped::PUBLISHED);
            found
                .map(Box::new)
                .map(Found::Shipped)
                .ok_or_else(|| unknown(name))
        }
    }
}

fn unknown(name: &str) -> Refusal {
    Refusal::unknown(format!("no weights `{name}` in the results folder"))
}

/// The file with this name; `None` if there is none.
fn file(app: &App, name: &str) -> Result<Option<PathBuf>, Refusal> {
    let path = match weights_file::run_of_tuned(&app.results.join(name)) {
        None => below(&app.results, name),
        Some(_) => {
            let run = name
                .strip_suffix(OF_TUNED)
                .and_then(|run| below(&app.results, run));
            run.map(|run| weights_file::tuned(&run))
        }
    };
    let Some(path) = path else { return Ok(None) };
    let file = weights_file::locate(&path).map_err(Refusal::wrong)?;
    // The file in a run directory can be a link.
    let file = file.canonicalize().map_err(|_| unknown(name))?;
    let folder = app.results.canonicalize().map_err(|_| unknown(name))?;
    if file.starts_with(folder) && file.is_file() {
        Ok(Some(file))
    } else {
        Err(unknown(name))
    }
}

/// The path of a name below a folder. `None` if it does not exist or leads out of the folder, for example by a link.
pub(super) fn below(folder: &Path, name: &str) -> Option<PathBuf> {
    let relative = Path::new(name);
    let is_plain = |component: Component| match component {
        Component::Normal(name) => !name.to_string_lossy().starts_with('.'),
        _ => false,
    };
    if name.is_empty() || !relative.components().all(is_plain) {
        return None;
    }
    let folder = folder.canonicalize().ok()?;
    let path = folder.join(relative).canonicalize().ok()?;
    path.starts_with(&folder).then_some(path)
}

/// The player with these weights, or with its published weights.
pub(super) fn read(
    found: Option<Found>,
    spec: PlayerSpec,
) -> Result<(PlayerSpec, Weights), Refusal> {
    match found {
        None => {
            let weights = weights_file::published(&spec);
            Ok((spec, weights))
        }
        Some(_) if !spec.entry.has_weights() => {
            let message = format!("player `{}` has no weights", spec.entry.name);
            Err(Refusal::wrong(message))
        }
        Some(Found::File(path)) => {
            weights_file::read_or_default(&path, &spec).map_err(Refusal::wrong)
        }
        Some(Found::Candidate(_, source)) => {
            weights_file::read_source(*source, &spec).map_err(Refusal::wrong)
        }
        Some(Found::Shipped(one)) => {
            weights_file::read_source(one.source, &spec).map_err(Refusal::wrong)
        }
    }
}
