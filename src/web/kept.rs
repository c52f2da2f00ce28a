//! Players that are kept, because to make one takes longer than most searches.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::refusal::Refusal;
use crate::player::{Config, Player, PlayerSpec};

/// A player that was made.
pub(super) struct Made {
    pub(super) spec: PlayerSpec,
    pub(super) player: Box<dyn Player>,
}

/// What a player is made of: the request for it, and its weights file at its last change.
#[derive(Clone, PartialEq)]
pub(super) struct Key {
    pub(super) config: Config,
    pub(super) weights: Option<Version>,
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

    /// The player, if it is kept.
    pub(super) fn find(&self, key: &Key) -> Option<Arc<Made>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(known, _)| known == key)?;
        let found = kept.remove(place);
        let made = found.1.clone();
        kept.push(found);
        Some(made)
    }

    /// Keeps a player.
    pub(super) fn keep(&self, key: Key, made: Arc<Made>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push((key, made));
        let surplus = kept.len().saturating_sub(self.most);
        kept.drain(..surplus);
    }
}

/// A weights file at its last change.
#[derive(Clone, PartialEq)]
pub(super) struct Version {
    path: PathBuf,
    changed: Option<SystemTime>,
    bytes: u64,
}

impl Version {
    pub(super) fn of(path: &Path) -> Result<Self, Refusal> {
        let file = std::fs::metadata(path).map_err(Refusal::unknown)?;
        Ok(Version {
            path: path.to_owned(),
            changed: file.modified().ok(),
            bytes: file.len(),
        })
    }
}
