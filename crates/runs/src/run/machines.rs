//! Records of the other machines that play a run: a log of their events, and their current status while the run plays.
//! Neither is a result, and neither is needed to resume the run. This module must not depend on the kind of machines.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::StoreError;
use super::atomic::AtomicFile;
use super::logs::Log;
use super::manifest::utc;
use crate::plain_file;

/// The log has one object with a time in each line.
pub use super::logs::MACHINES as LOG;

/// The current status of the machines; the file exists while the run plays.
pub(super) const STATE: &str = ".cluster.json";

/// A status is outdated at this age.
const FRESH: Duration = Duration::from_secs(10);

/// Writes the log and the status file.
pub struct Machines {
    root: PathBuf,
    log: Log,
}

#[derive(Serialize)]
struct MachineEvent<'a, Of> {
    time: String,
    #[serde(flatten)]
    of: &'a Of,
}

impl Machines {
    /// Opens or creates the log of a run in this directory.
    ///
    /// # Errors
    /// If it cannot be opened or is damaged.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        Ok(Machines {
            root: root.to_owned(),
            log: Log::open(&root.join(LOG))?,
        })
    }

    /// Appends an event with the current time. The event must be an object.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn happens(&mut self, of: &impl Serialize) -> Result<(), StoreError> {
        let time = utc("%Y-%m-%dT%H:%M:%SZ");
        self.log.append(&MachineEvent { time, of })
    }

    /// Writes the current status.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn stand(&self, state: &impl Serialize) -> Result<(), StoreError> {
        let path = self.root.join(STATE);
        let mut file = AtomicFile::create(&path)?;
        let text = serde_json::to_vec(state);
        file.write(&text.map_err(|error| StoreError::damaged(&path, error))?)?;
        // The file is not synced, because its content is outdated after seconds anyway.
        file.rename()
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.root.join(STATE));
    }
}

/// The current status of the machines of a run in this directory; `None` if it is outdated.
pub fn standing(root: &Path) -> Option<Value> {
    let path = root.join(STATE);
    let written = path.metadata().ok()?.modified().ok()?;
    let is_fresh = written.elapsed().is_ok_and(|age| age < FRESH);
    let text = is_fresh.then(|| plain_file::read(&path).ok())??;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_log_stays_and_the_state_goes() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let mut machines = Machines::open(root).unwrap();
        assert_eq!(standing(root), None);
        machines.happens(&json!({ "event": "a" })).unwrap();
        machines.happens(&json!({ "event": "b" })).unwrap();
        machines.stand(&json!({ "workers": 1 })).unwrap();
        machines.stand(&json!({ "workers": 2 })).unwrap();
        assert_eq!(standing(root), Some(json!({ "workers": 2 })));
        drop(machines);
        assert_eq!(standing(root), None);
        let lines: Vec<Value> = super::super::logs::read(&root.join(LOG)).unwrap();
        let events: Vec<&Value> = lines.iter().map(|line| &line["event"]).collect();
        assert_eq!(events, ["a", "b"]);
        assert!(lines[0]["time"].as_str().unwrap().ends_with('Z'));
    }

    #[test]
    fn what_is_old_or_damaged_is_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(STATE);
        std::fs::write(&path, "{").unwrap();
        assert_eq!(standing(folder.path()), None);
        std::fs::write(&path, "{}").unwrap();
        assert!(standing(folder.path()).is_some());
        let old = std::time::SystemTime::now() - 2 * FRESH;
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(old).unwrap();
        assert_eq!(standing(folder.path()), None);
    }
}
