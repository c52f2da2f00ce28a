//! What is cached of players: built ones, because to build one takes longer than most searches, and which players can
//! use a heuristic file, because to check its terms takes longer than to read it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use super::refusal::Refusal;
use crate::Catalogue;
use crate::config::heuristic_file::with_file;
use crate::lock::locked;
use crate::player::{Config, Player, PlayerSpec};

/// A player that was built for requests.
pub(super) struct BuiltPlayer {
    /// What was asked for, and the weights file at its last change.
    pub(super) key: (Config, Option<FileVersion>),
    pub(super) spec: PlayerSpec,
    pub(super) player: Box<dyn Player>,
}

/// Game and name of each player that can use a heuristic file.
#[derive(Default)]
pub(super) struct Heuristics(Mutex<HashMap<PathBuf, (FileVersion, Takers)>>);

type Takers = Vec<[&'static str; 2]>;

impl Heuristics {
    /// The players of games that are served; none if the file is wrong or cannot be read.
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
        let player = catalogue.player(&Config::new(*player, Some(game)));
        player.is_ok_and(|player| with_file(&player, path).is_ok())
    };
    let entries = catalogue.players().iter();
    let entries =
        entries.filter(|entry| entry.game.lay_out.is_some() && entry.extension_option().is_some());
    let named = entries.map(|entry| [entry.game.name, entry.name]);
    named.filter(can_use).collect()
}

/// A file at its last change.
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
