//! Logs with one JSON object per line. Every record is synced. An unfinished last line, as a killed
//! process may leave it, is dropped.

use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::StoreError;

/// A log open for appending.
pub struct Log {
    path: PathBuf,
    file: std::fs::File,
}

impl Log {
    /// Opens or creates a log and removes an unfinished last line.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false);
        let mut file = file.open(path).map_err(StoreError::io(path))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(StoreError::io(path))?;
        let finished = finished_lines(&bytes).len() as u64;
        let cut = file.set_len(finished);
        cut.and_then(|()| file.seek(SeekFrom::End(0)))
            .map_err(StoreError::io(path))?;
        Ok(Log {
            path: path.to_owned(),
            file,
        })
    }

    /// Appends a record.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn append(&mut self, record: &impl Serialize) -> Result<(), StoreError> {
        let mut line =
            serde_json::to_vec(record).map_err(|error| StoreError::damaged(&self.path, error))?;
        line.push(b'\n');
        let written = self.file.write_all(&line);
        written
            .and_then(|()| self.file.sync_data())
            .map_err(StoreError::io(&self.path))
    }
}

/// A log that contains each event once, even if the run is interrupted and resumed.
pub struct Events<Event> {
    log: Log,
    written: Vec<Event>,
}

impl<Event: Serialize + DeserializeOwned + PartialEq> Events<Event> {
    /// Opens or creates the log, and reads it.
    ///
    /// # Errors
    /// If the file cannot be opened or is damaged.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Events {
            log: Log::open(path)?,
            written: read(path)?,
        })
    }

    /// Writes an event unless the log contains it.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn record(&mut self, event: Event) -> Result<(), StoreError> {
        if !self.written.contains(&event) {
            self.log.append(&event)?;
            self.written.push(event);
        }
        Ok(())
    }

    /// The events so far, in order.
    pub fn written(&self) -> &[Event] {
        &self.written
    }
}

/// A line of `timing.jsonl`: the duration of some games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing<Of> {
    /// Which games, and further properties of them.
    #[serde(flatten)]
    pub of: Of,
    /// Number of games.
    pub games: u64,
    /// Elapsed seconds.
    pub seconds: f64,
}

/// The records of a log; none if it does not exist.
///
/// # Errors
/// If it cannot be read, or a complete line is not such a record.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, StoreError> {
    let bytes = StoreError::found(path, std::fs::read(path))?.unwrap_or_default();
    let lines = finished_lines(&bytes).split(|&byte| byte == b'\n');
    lines
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
        .map(|(index, line)| {
            serde_json::from_slice(line)
                .map_err(|error| StoreError::damaged(path, format!("line {}: {error}", index + 1)))
        })
        .collect()
}

fn finished_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte == b'\n');
    &bytes[..end.map_or(0, |end| end + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_is_dropped_and_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        std::fs::write(&path, "1\n2\n[3, 4").unwrap();
        assert_eq!(read::<u32>(&path).unwrap(), [1, 2]);
        Log::open(&path).unwrap().append(&5).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "1\n2\n5\n");
        assert!(
            read::<bool>(&path)
                .unwrap_err()
                .to_string()
                .contains("line 1")
        );
    }
}
