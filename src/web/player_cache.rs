//! Caches for players: built players, because building one takes longer than most searches; and the players that can
//! use a heuristic file, because checking its terms takes longer than reading it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use super::refusal::Refusal;
use crate::Catalogue;
use crate::config::heuristic_file::with_file;
use crate::lock::locked;
use crate::player::{Player, PlayerConfig, PlayerSpec};

/// A player that was built for a request.
pub(super) struct BuiltPlayer {
    /// The requested player, and the version of the weights.
    pub(super) key: (PlayerConfig, Option<WeightsVersion>),
    pub(super) spec: PlayerSpec,
    pub(super) player: Box<dyn Player>,
}

/// Game and name of each player that can use a heuristic file.
#[derive(Default)]
pub(super) struct Heuristics(Mutex<HashMap<PathBuf, (FileVersion, Takers)>>);

type Takers = Vec<[&'static str; 2]>;

impl Heuristics {
    /// The players of served games that can use this file; none if the file is invalid or cannot be read.
    pub(super) fn takers(&self, path: &Path, catalogue: &Catalogue) -> Takers {
        let Ok(version) = FileVersion::of(path) else {
            return Takers::new();
        };
        if let Some((of, takers)) = locked(&self.0).get(path)
            && *of == version
        {
            return takers.clone();
        }
        let takers = takers(path, catalogue);
        locked(&self.0).insert(path.to_owned(), (version, takers.clone()));
        takers
    }
}

fn takers(path: &Path, catalogue: &Catalogue) -> Takers {
    let can_use = |[game, player]: &[&str; 2]| {
        let player = catalogue.player(&PlayerConfig::new(*player, Some(game)));
        player.is_ok_and(|player| with_file(&player, path).is_ok())
    };
    let entries = catalogue.players().iter();
    let entries = entries.filter(|entry| {
        entry.game.start_interactive.is_some() && entry.extension_option().is_some()
    });
    let named = entries.map(|entry| [entry.game.name, entry.name]);
    named.filter(can_use).collect()
}

/// A version of weights.
#[derive(Clone, PartialEq)]
pub(super) enum WeightsVersion {
    File(FileVersion),
    /// The name of weights that ship with the program.
    Shipped(&'static str),
    /// The name of a candidate. Its row is never written again.
    Candidate(String),
}

/// A version of a file, recognised by its modification time and size.
#[derive(Clone, PartialEq)]
pub(super) struct FileVersion {
    path: PathBuf,
    changed: Option<SystemTime>,
    bytes: u64,
}

impl FileVersion {
    pub(super) fn of(path: &Path) -> Result<Self, Refusal> {
        let file = std::fs::metadata(path).map_err(Refusal::unknown)?;
        Ok(FileVersion {
            path: path.to_owned(),
            changed: file.modified().ok(),
            bytes: file.len(),
        })
    }
}
