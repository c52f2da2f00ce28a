//! Logs with one JSON object per line. Every record is synced. An unfinished last line, which a killed process can
//! leave, is dropped. The lines are chained (see [`chain`]), so that damage is detected.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};

use super::StoreError;
use crate::inventory::chain::{self, Head};
use crate::inventory::{self, FileName};
use crate::plain_file;

/// A log open for appending.
pub struct Log {
    path: PathBuf,
    file: std::fs::File,
    /// For each line: the head of the chain after it, and the offset of its end in bytes.
    heads: Vec<(Head, u64)>,
}

impl Log {
    /// Opens or creates a log and removes an unfinished last line.
    ///
    /// # Errors
    /// If the file cannot be opened or is damaged.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false);
        let file = plain_file::open(path, file).map_err(StoreError::io(path))?;
        let bytes = plain_file::read_open(&file, path).map_err(StoreError::io(path))?;
        let lines = chain::objects(&bytes).map_err(|reason| StoreError::damaged(path, reason))?;
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let ends = ends.map(|(at, _)| at as u64 + 1);
        let mut log = Log {
            path: path.to_owned(),
            file,
            heads: lines.into_iter().map(|(_, head)| head).zip(ends).collect(),
        };
        log.cut().map_err(StoreError::io(path))?;
        Ok(log)
    }

    /// The head of the chain after the last line.
    pub fn head(&self) -> Head {
        let last = self.heads.last();
        last.map_or_else(Head::default, |(head, _)| head.clone())
    }

    fn length(&self) -> u64 {
        self.heads.last().map_or(0, |(_, length)| *length)
    }

    /// Removes everything after the last complete line.
    fn cut(&mut self) -> std::io::Result<()> {
        self.file.set_len(self.length())?;
        self.file.seek(SeekFrom::Start(self.length())).map(drop)
    }

    /// Removes the last line.
    pub(super) fn drop_last(&mut self) -> Result<(), StoreError> {
        self.heads.pop();
        let cut = self.cut().and_then(|()| self.file.sync_data());
        cut.map_err(StoreError::io(&self.path))
    }

    /// Appends a record.
    ///
    /// # Errors
    /// If the disk is full or fails; then nothing is appended.
    pub fn append(&mut self, record: &impl Serialize) -> Result<(), StoreError> {
        self.append_all(std::slice::from_ref(record))?;
        self.sync()
    }

    /// Waits until the records are on the disk.
    pub(super) fn sync(&mut self) -> Result<(), StoreError> {
        let synced = self.file.sync_data();
        synced.map_err(StoreError::io(&self.path))
    }

    /// Appends records without waiting for the disk.
    pub(super) fn append_all(&mut self, records: &[impl Serialize]) -> Result<(), StoreError> {
        let (mut lines, mut heads) = (String::new(), Vec::new());
        let mut head = self.head();
        for record in records {
            let object = serde_json::to_string(record);
            let object = object.map_err(|error| StoreError::damaged(&self.path, error))?;
            lines += &head.seal(&object);
            lines.push('\n');
            heads.push((head.clone(), self.length() + lines.len() as u64));
        }
        let length = self.length() + lines.len() as u64;
        let fits = plain_file::expect_readable(&self.path, length);
        let written = fits.and_then(|()| self.file.write_all(lines.as_bytes()));
        match written {
            Ok(()) => self.heads.extend(heads),
            Err(error) => {
                // The next record must not be appended to a partly written line.
                let _ = self.cut();
                return Err(StoreError::io(&self.path)(error));
            }
        }
        Ok(())
    }
}

/// Log of the decisions of a search.
pub const EVENTS: &str = "events.jsonl";
/// Log of the durations of games.
pub const TIMING: &str = "timing.jsonl";
/// Log of the events of the other machines that play a run.
pub const MACHINES: &str = "cluster.jsonl";
/// Log of the positions that an oracle has judged.
pub const JUDGED: &str = "yardstick.jsonl";

/// The logs that a run can have. No other file is a log.
pub(super) const NAMES: [&str; 5] = [inventory::FILE, EVENTS, TIMING, MACHINES, JUDGED];

/// The heads of all logs of a directory, by file name.
///
/// # Errors
/// If a log cannot be read or is damaged.
pub(super) fn heads(root: &Path) -> Result<BTreeMap<FileName, Head>, StoreError> {
    let mut heads = BTreeMap::new();
    for name in NAMES {
        let path = root.join(name);
        if std::fs::symlink_metadata(&path).is_ok() {
            let last = lines(&path)?.pop();
            let name = FileName::new(name).map_err(|reason| StoreError::damaged(&path, reason))?;
            heads.insert(name, last.map_or_else(Head::default, |(_, head)| head));
        }
    }
    Ok(heads)
}

/// Checks that the logs of a directory still contain the lines up to these heads.
///
/// # Errors
/// If a log is damaged, or does not contain its head.
pub(super) fn check(root: &Path, heads: &BTreeMap<FileName, Head>) -> Result<(), StoreError> {
    for (name, head) in heads.iter().filter(|(_, head)| head.lines > 0) {
        let path = name.path_in(root).map_err(StoreError::io(root))?;
        let lines = lines(&path)?;
        let line = usize::try_from(head.lines).ok();
        let found = line.and_then(|number| lines.get(number.checked_sub(1)?));
        if found.is_none_or(|(_, found)| found != head) {
            let (count, expected) = (lines.len(), head.lines);
            let reason = match found {
                None => {
                    format!("the file has {count} lines, but the run wrote at least {expected}")
                }
                Some(_) => "this is not the file that the run wrote".to_owned(),
            };
            return Err(StoreError::damaged(&path, reason));
        }
    }
    Ok(())
}

/// The finished lines of a log; none if it does not exist.
fn lines(path: &Path) -> Result<Vec<(String, Head)>, StoreError> {
    let bytes = StoreError::found(path, plain_file::read(path))?.unwrap_or_default();
    chain::objects(&bytes).map_err(|reason| StoreError::damaged(path, reason))
}

/// A log that contains each event once, even if the run is interrupted and resumed.
pub struct Events<Event> {
    path: PathBuf,
    /// `None` if the log is only read.
    log: Option<Log>,
    written: Vec<Event>,
    /// For each of these events: whether this process has recorded it.
    confirmed: Vec<bool>,
}

impl<Event: Serialize + DeserializeOwned + PartialEq> Events<Event> {
    /// Opens or creates the log, and reads it.
    ///
    /// # Errors
    /// If the file cannot be opened or is damaged.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let log = Log::open(path)?;
        let events = Events::read(path)?;
        Ok(Events {
            log: Some(log),
            ..events
        })
    }

    /// Reads the log. After that, recording an event that it does not contain is an error.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        Ok(Events {
            path: path.to_owned(),
            log: None,
            confirmed: Vec::new(),
            written: read(path)?,
        })
    }

    /// Keeps only the events that `choose` returns. The file keeps all events.
    pub fn with(self, choose: impl FnOnce(Vec<Event>) -> Vec<Event>) -> Self {
        Events {
            written: choose(self.written),
            confirmed: Vec::new(),
            ..self
        }
    }

    /// Writes an event, unless it is already one of the events.
    ///
    /// # Errors
    /// If the disk is full or fails, or the log is open for reading and lacks the event.
    pub fn record(&mut self, event: Event) -> Result<(), StoreError> {
        if let Some(place) = self.written.iter().position(|written| *written == event) {
            self.confirmed.resize(self.written.len(), false);
            self.confirmed[place] = true;
            return Ok(());
        }
        let Some(log) = &mut self.log else {
            let event = serde_json::to_string(&event).unwrap_or_default();
            let reason = format!("an event of this run is missing: {event}");
            return Err(StoreError::damaged(&self.path, reason));
        };
        log.append(&event)?;
        self.confirmed.resize(self.written.len(), false);
        self.confirmed.push(true);
        self.written.push(event);
        Ok(())
    }

    /// The events that this process has not recorded.
    pub fn unconfirmed(&self) -> impl Iterator<Item = &Event> {
        let confirmed = self
            .confirmed
            .iter()
            .copied()
            .chain(std::iter::repeat(false));
        let events = self.written.iter().zip(confirmed);
        events.filter_map(|(event, is_confirmed)| (!is_confirmed).then_some(event))
    }

    /// The events so far, in order; see [`with`](Self::with).
    pub fn written(&self) -> &[Event] {
        &self.written
    }
}

/// A line of `timing.jsonl`: the duration of some games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing<Of> {
    /// The games, and further properties of them.
    #[serde(flatten)]
    pub of: Of,
    /// Number of games.
    pub games: u64,
    /// Elapsed seconds, from 0 to 1e9 (thirty years).
    #[serde(deserialize_with = "elapsed")]
    pub seconds: f64,
}

/// Most seconds of an entry.
const MOST_SECONDS: f64 = 1e9;

/// Reads a duration, which can be in a file from elsewhere.
pub(super) fn elapsed<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let seconds = f64::deserialize(from)?;
    if (0.0..=MOST_SECONDS).contains(&seconds) {
        Ok(seconds)
    } else {
        let message = format!("`seconds` is {seconds}; it must be 0 to {MOST_SECONDS}");
        Err(D::Error::custom(message))
    }
}

/// The records of a log; none if it does not exist.
///
/// # Errors
/// If it cannot be read, or a complete line is damaged or not such a record.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, StoreError> {
    let bytes = StoreError::found(path, plain_file::read(path))?.unwrap_or_default();
    chain::records(&bytes).map_err(|reason| StoreError::damaged(path, reason))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_torn_line_is_dropped_and_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        let numbers = || -> Vec<Value> { read(&path).unwrap() };
        let number = |n: u32| json!({ "n": n });
        let mut log = Log::open(&path).unwrap();
        log.append_all(&[number(1), number(2)]).unwrap();
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{whole}{{\"n\": 3")).unwrap();
        assert_eq!(numbers(), [number(1), number(2)]);
        Log::open(&path).unwrap().append(&number(5)).unwrap();
        assert_eq!(numbers(), [number(1), number(2), number(5)]);
        assert!(std::fs::read_to_string(&path).unwrap().starts_with(&whole));
        let mut log = Log::open(&path).unwrap();
        log.drop_last().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        assert_eq!(log.head().lines, 2);
        let error = read::<Vec<u32>>(&path).unwrap_err().to_string();
        assert!(error.contains("line 1"), "{error}");
    }

    #[test]
    fn a_duration_that_no_run_has_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(TIMING);
        for (seconds, is_allowed) in [(0.0, true), (1e9, true), (-1.0, false), (1e300, false)] {
            let _ = std::fs::remove_file(&path);
            let line = json!({ "row": 1, "games": 3, "seconds": seconds });
            Log::open(&path).unwrap().append(&line).unwrap();
            let read = read::<Timing<serde_json::Map<String, Value>>>(&path);
            assert_eq!(read.is_ok(), is_allowed, "{seconds}");
        }
    }

    #[test]
    fn a_log_that_lost_lines_or_is_another_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(EVENTS);
        let write = |name: &str, n: &[u32]| {
            let path = folder.path().join(name);
            let _ = std::fs::remove_file(&path);
            let records: Vec<Value> = n.iter().map(|n| json!({ "n": n })).collect();
            Log::open(&path).unwrap().append_all(&records).unwrap();
        };
        write(EVENTS, &[1, 2, 3]);
        let heads = heads(folder.path()).unwrap();
        assert_eq!(heads[EVENTS].lines, 3);
        let check = || check(folder.path(), &heads).map_err(|error| error.to_string());
        assert_eq!(check(), Ok(()));
        write(EVENTS, &[1, 2, 3, 4]);
        assert_eq!(check(), Ok(()));
        write(EVENTS, &[1, 2]);
        assert!(
            check()
                .unwrap_err()
                .contains("has 2 lines, but the run wrote at least 3")
        );
        write(EVENTS, &[1, 2, 4]);
        assert!(check().unwrap_err().contains("not the file"));
        std::fs::remove_file(&path).unwrap();
        assert!(check().unwrap_err().contains("has 0 lines"));
    }
}
