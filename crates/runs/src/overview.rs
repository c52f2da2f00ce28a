//! The runs in a folder: kind, state, player and main results of each run, from its files alone. This module must not
//! resolve a plan, play or write.

pub mod best;
pub mod commands;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::run::manifest::Status;
use crate::run::{RunDirectory, RunKinds, SearchPlace, StoreError, lock};

/// The folder of the tables of a run.
const TABLES: &str = "tables";

/// The state of a run: its recorded status, and whether a process is writing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LiveStatus {
    /// A process executes it.
    Running,
    /// The process that executed it has ended without writing a final state. It can be resumed.
    Killed,
    /// Ended by the user. It can be resumed.
    Interrupted,
    /// Ended by an error. It can be resumed when the cause is removed.
    Failed,
    /// Everything is played, drawn and reported.
    Complete,
}

impl LiveStatus {
    /// The state of the run in a directory whose manifest has this status.
    pub fn of(root: &Path, status: Status) -> Self {
        match status {
            Status::Running if lock::is_held(root) => LiveStatus::Running,
            Status::Running => LiveStatus::Killed,
            Status::Interrupted => LiveStatus::Interrupted,
            Status::Failed => LiveStatus::Failed,
            Status::Complete => LiveStatus::Complete,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            LiveStatus::Running => "running",
            LiveStatus::Killed => "killed",
            LiveStatus::Interrupted => "interrupted",
            LiveStatus::Failed => "failed",
            LiveStatus::Complete => "complete",
        }
    }
}

/// A run at a glance.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Overview {
    /// Its directory.
    pub path: PathBuf,
    /// The name of its kind.
    pub kind: String,
    /// Where it searches; not a part of what is printed.
    #[serde(skip)]
    pub search: Option<SearchPlace>,
    /// Its state.
    pub state: LiveStatus,
    /// Its name.
    pub name: String,
    /// The game; of several the first.
    pub game: String,
    /// Names of the players, each once.
    pub players: Vec<String>,
    /// The main result, or how far it is.
    pub headline: String,
    /// Results by what they are of: start and tuned weights, rows, players.
    #[serde(serialize_with = "results_as_objects")]
    #[schemars(with = "Vec<ResultOf>")]
    pub results: Vec<(String, String)>,
    /// Beginning, UTC.
    #[serde(rename = "began")]
    pub start: String,
    /// Size of its files, those of runs inside of it included.
    pub bytes: u64,
}

fn results_as_objects<S: Serializer>(
    results: &[(String, String)],
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_seq(results.iter().map(|(of, result)| ResultOf { of, result }))
}

/// A main result of a run.
#[derive(Serialize, JsonSchema)]
struct ResultOf<'a> {
    /// The weights or player that the result belongs to.
    of: &'a str,
    /// The result, in words.
    result: &'a str,
}

/// An entry of a folder of runs.
#[derive(Clone, Debug)]
pub enum FolderEntry {
    /// A run.
    Run(Box<Overview>),
    /// A folder that is not a run, or a run that cannot be read.
    Other {
        /// The folder.
        path: PathBuf,
        /// The reason why it is not listed, with the path of the file that causes it.
        reason: String,
    },
}

/// A function that reads the overview of a run.
pub type ReadOverview<'a> = dyn FnMut(&Path) -> Result<Overview, StoreError> + 'a;

/// The runs in a folder, the newest first; then entries that are not runs. If the folder is itself a run, its child
/// runs. With `nested` also the runs in subfolders, including child runs.
///
/// # Errors
/// If the folder cannot be read.
pub fn list(kinds: RunKinds, folder: &Path, nested: bool) -> Result<Vec<FolderEntry>, StoreError> {
    list_by(folder, nested, &mut |root| overview(kinds, root))
}

/// As [`list`], with another function to read the overview of a run, for example one with a cache.
///
/// # Errors
/// If the folder cannot be read.
pub fn list_by(
    folder: &Path,
    nested: bool,
    look: &mut ReadOverview,
) -> Result<Vec<FolderEntry>, StoreError> {
    let is_run = is_run(folder);
    let mut found = Vec::new();
    collect(folder, nested || is_run, is_run, look, &mut found)?;
    found.sort_by(|one, other| key(one).cmp(&key(other)));
    Ok(found)
}

/// The sort key: runs first, later ones before earlier ones.
fn key(found: &FolderEntry) -> (bool, std::cmp::Reverse<&str>, &Path) {
    match found {
        FolderEntry::Run(run) => (false, std::cmp::Reverse(&run.start), &run.path),
        FolderEntry::Other { path, .. } => (true, std::cmp::Reverse(""), path),
    }
}

/// Whether a directory contains a run.
fn is_run(path: &Path) -> bool {
    RunDirectory::is_begun(path)
}

fn collect(
    folder: &Path,
    nested: bool,
    is_inside: bool,
    look: &mut ReadOverview,
    found: &mut Vec<FolderEntry>,
) -> Result<(), StoreError> {
    for entry in std::fs::read_dir(folder).map_err(StoreError::io(folder))? {
        let entry = entry.map_err(StoreError::io(folder))?;
        let path = entry.path();
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        // Links are not followed.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_hidden || !is_folder {
            continue;
        }
        let is_run = is_run(&path);
        if is_inside && !is_run && entry.file_name() == TABLES {
            // The folder of tables has many files and no runs.
            continue;
        }
        if is_run {
            found.push(match look(&path) {
                Ok(run) => FolderEntry::Run(Box::new(run)),
                Err(error) => other(path.clone(), error.to_string()),
            });
        }
        if nested {
            let before = found.len();
            collect(&path, nested, is_inside || is_run, look, found)?;
            if is_run || is_inside || found.len() > before {
                continue;
            }
        }
        if !is_run {
            let reason = format!("{}: not a run directory", path.display());
            found.push(other(path, reason));
        }
    }
    Ok(())
}

fn other(path: PathBuf, reason: String) -> FolderEntry {
    let reason = reason.lines().next().unwrap_or_default().to_owned();
    FolderEntry::Other { path, reason }
}

/// The overview of a run.
///
/// # Errors
/// If it is not a run directory, or a file that the overview needs is damaged.
pub fn overview(kinds: RunKinds, root: &Path) -> Result<Overview, StoreError> {
    overview_of(kinds, &RunDirectory::open(root)?)
}

/// The overview of the run in an open directory.
///
/// # Errors
/// As [`overview`].
pub fn overview_of(kinds: RunKinds, directory: &RunDirectory) -> Result<Overview, StoreError> {
    let root = directory.root();
    let manifest = directory.manifest()?;
    let resolved = resolved(directory)?;
    let kind = kinds.of(directory)?;
    let findings = (kind.findings)(directory)?;
    let state = LiveStatus::of(root, manifest.status);
    let players = players(&resolved);
    let mut games = players.iter().map(|(game, _)| game);
    let game = games.find(|game| !game.is_empty()).cloned();
    let game = game.unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    for (_, name) in players {
        // The common options of the rows of an experiment need no name.
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(Overview {
        path: root.to_owned(),
        kind: manifest.kind,
        search: kind.search,
        state,
        name: text(&resolved, "name"),
        game,
        players: names,
        headline: match findings.headline {
            Some(headline) => headline,
            None => (kind.progress)(directory, &resolved)?,
        },
        results: findings.all,
        start: manifest.first.start,
        bytes: size(root),
    })
}

/// The recorded resolved configuration of a directory.
///
/// # Errors
/// If it is damaged.
pub fn resolved(directory: &RunDirectory) -> Result<toml::Table, StoreError> {
    let text = directory.read_text("resolved.toml")?;
    let damaged =
        |error: toml::de::Error| StoreError::damaged(&directory.resolved_path(), error.message());
    toml::from_str(&text).map_err(damaged)
}

fn text(table: &toml::Table, key: &str) -> String {
    let text = table.get(key).and_then(toml::Value::as_str);
    text.unwrap_or_default().to_owned()
}

/// Game and name of every player: the player of the run, or those of its rows or of the compared players.
fn players(resolved: &toml::Table) -> Vec<(String, String)> {
    let of_rows = ["row", "compared"].into_iter();
    let of_rows = of_rows.filter_map(|key| resolved.get(key)?.as_array());
    let of_rows = of_rows.flatten().filter_map(toml::Value::as_table);
    let tables = std::iter::once(resolved).chain(of_rows);
    let players = tables.filter_map(|table| table.get("player")?.as_table());
    let named = players.map(|player| (text(player, "game"), text(player, "name")));
    named.collect()
}

/// Size of all files of a folder. Unreadable files count 0.
pub fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(file) if file.is_dir() => size(&entry.path()),
        Ok(file) => file.len(),
        Err(_) => 0,
    });
    sizes.sum()
}
