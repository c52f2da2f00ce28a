//! The list of the finished files of a run directory, `files.jsonl`: name, size and SHA-256 of each. A file is read
//! only if its contents are the listed ones. This module must not write files; `run` does.
//!
//! Lines are only appended to the list. The last line with a name is valid; a line without a hash means that the file
//! was removed. The lines are chained, see [`chain`].

pub mod chain;
mod file_name;

pub use file_name::FileName;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::plain_file;
use tiletune_engine::program::{Programs, folder};

/// The name of the list.
pub const FILE: &str = "files.jsonl";

/// The manifest of the same run directory.
const MANIFEST: &str = "manifest.json";

/// Notes that a run or a weights file in this folder is read. If it is a run directory that has been moved since its run
/// began, its programs are searched for at the same path relative to it.
pub fn note_move(root: &Path, programs: &Programs) {
    #[derive(Deserialize)]
    struct Begun {
        root: Option<PathBuf>,
    }
    programs.have_records();
    let manifest = plain_file::read(&root.join(MANIFEST)).ok();
    let begun: Option<Begun> = manifest.and_then(|text| serde_json::from_slice(&text).ok());
    // Without a manifest this is not a run. A damaged manifest is reported by its readers.
    let Some(from) = begun.and_then(|begun| begun.root) else {
        return;
    };
    // An earlier version recorded paths with `..`.
    if let (Ok(from), Ok(to)) = (folder::plain(&from), folder::plain(root)) {
        programs.moved(from, to);
    }
}

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "RecordLine")]
pub struct Record {
    /// The file.
    pub file: FileName,
    /// Size and hash of the written contents; `None` if the file was removed.
    #[serde(flatten)]
    pub written: Option<Fingerprint>,
}

/// The parsed form of a line. A flattened field takes twice as long to parse, and lists can have many lines.
#[derive(Deserialize)]
struct RecordLine {
    file: FileName,
    size: Option<u64>,
    sha256: Option<String>,
}

impl From<RecordLine> for Record {
    fn from(line: RecordLine) -> Self {
        let written = line.size.zip(line.sha256);
        Record {
            file: line.file,
            written: written.map(|(size, sha256)| Fingerprint { size, sha256 }),
        }
    }
}

/// Size and hash of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Number of bytes.
    pub size: u64,
    /// SHA-256 in hexadecimal digits.
    pub sha256: String,
}

impl Fingerprint {
    /// The fingerprint of these contents.
    pub fn of(contents: &[u8]) -> Self {
        Fingerprint {
            size: contents.len() as u64,
            sha256: hexadecimal(&Sha256::digest(contents)),
        }
    }

    /// Checks that these are the contents; returns the reason if they are not.
    fn check(&self, contents: &[u8]) -> Result<(), String> {
        let found = contents.len() as u64;
        if found != self.size {
            let size = self.size;
            return Err(format!(
                "the file has {found} bytes, but the run wrote {size}; it is damaged or was exchanged"
            ));
        }
        if Fingerprint::of(contents) == *self {
            Ok(())
        } else {
            Err(
                "the file is damaged or was exchanged: its SHA-256 is not that of the file \
                      that the run wrote (see files.jsonl)"
                    .into(),
            )
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let pairs = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    pairs
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

/// The list in memory.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    latest: BTreeMap<FileName, Option<Fingerprint>>,
}

impl Inventory {
    /// The list with these lines.
    pub fn of(records: Vec<Record>) -> Self {
        let mut inventory = Inventory::default();
        records.into_iter().for_each(|record| inventory.add(record));
        inventory
    }

    /// Adds a line.
    pub fn add(&mut self, record: Record) {
        self.latest.insert(record.file, record.written);
    }

    /// The fingerprint of a file; `None` if the file does not exist or was removed.
    pub fn get(&self, name: &str) -> Option<&Fingerprint> {
        self.latest.get(name)?.as_ref()
    }

    /// The names of the files that exist, in order.
    pub fn names(&self) -> impl Iterator<Item = &FileName> {
        let written = self.latest.iter().filter(|(_, written)| written.is_some());
        written.map(|(name, _)| name)
    }

    /// The names of the files that were removed.
    pub fn removed(&self) -> impl Iterator<Item = &FileName> {
        let removed = self.latest.iter().filter(|(_, written)| written.is_none());
        removed.map(|(name, _)| name)
    }

    /// Checks the contents of a file.
    ///
    /// # Errors
    /// The reason if these are not the contents that were written.
    pub fn check(&self, name: &str, contents: &[u8]) -> Result<(), String> {
        match self.get(name) {
            Some(written) => written.check(contents),
            None => Err("the run did not write this file".into()),
        }
    }
}

/// Reads the lines of the list of a directory.
///
/// # Errors
/// The reason if it cannot be read or is damaged.
pub fn read(root: &Path) -> Result<Vec<Record>, String> {
    let contents = plain_file::read(&root.join(FILE)).map_err(|error| error.to_string())?;
    chain::records(&contents)
}

/// Whether the last of more than `known` lines belongs to a file that does not have its name yet: its writer was
/// killed, or is about to rename it.
pub fn is_unfinished(root: &Path, records: &[Record], known: u64) -> bool {
    let last = records.last().filter(|_| records.len() as u64 > known);
    let written = last.and_then(|last| Some((&last.file, last.written.as_ref()?)));
    written.is_some_and(|(file, written)| {
        let contents = file.path_in(root).and_then(|path| plain_file::read(&path));
        !contents.is_ok_and(|contents| Fingerprint::of(&contents) == *written)
    })
}

/// Number of lines of the list that the manifest of a directory records. Without a readable manifest, whose readers
/// report that, every line counts.
fn recorded_lines(root: &Path) -> u64 {
    #[derive(Deserialize)]
    struct Recorded {
        #[serde(default)]
        logs: BTreeMap<String, chain::Head>,
    }
    let manifest = plain_file::read(&root.join(MANIFEST)).ok();
    let recorded: Option<Recorded> = manifest.and_then(|text| serde_json::from_slice(&text).ok());
    let lines = |recorded: Recorded| recorded.logs.get(FILE).map_or(0, |list| list.lines);
    recorded.map_or(u64::MAX, lines)
}

/// Number of times that a file is compared with its line again, while another process may be writing both.
pub const ATTEMPTS: u32 = 25;

/// The time between two attempts.
pub const PAUSE: Duration = Duration::from_millis(20);

/// Checks the contents of a file that is in a run directory and in its list. Other files are not checked. Returns the
/// contents, which may be newer ones if a running process has just replaced the file. If a process was killed before it
/// replaced the file, the earlier contents are those of the run.
///
/// # Errors
/// The reason if the list is damaged, or these are not the contents that the run wrote.
pub fn checked(path: &Path, mut contents: Vec<u8>) -> Result<Vec<u8>, String> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let name = path.file_name().and_then(|name| name.to_str());
    let is_run = || {
        [FILE, MANIFEST]
            .iter()
            .all(|file| folder.join(file).is_file())
    };
    let Some(name) = name.filter(|_| is_run()) else {
        return Ok(contents);
    };
    let mut attempts = 0..ATTEMPTS;
    loop {
        let mut records = read(folder).map_err(|reason| format!("its list {FILE}: {reason}"))?;
        let is_pending = records
            .last()
            .is_some_and(|last| last.file.as_str() == name)
            && is_unfinished(folder, &records, recorded_lines(folder));
        if is_pending {
            records.pop();
        }
        let inventory = Inventory::of(records);
        let check = inventory.get(name).map(|written| written.check(&contents));
        match check {
            None if is_pending => return Err("the run did not write this file".into()),
            None | Some(Ok(())) => return Ok(contents),
            // A running process writes the line before it replaces the file.
            Some(Err(_)) if attempts.next().is_some() => std::thread::sleep(PAUSE),
            Some(Err(reason)) => return Err(reason),
        }
        contents = plain_file::read(path).map_err(|error| error.to_string())?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chain::Head;

    fn record(file: &str, contents: Option<&str>) -> Record {
        Record {
            file: FileName::new(file).unwrap(),
            written: contents.map(|contents| Fingerprint::of(contents.as_bytes())),
        }
    }

    fn list(records: &[Record]) -> String {
        let mut head = Head::default();
        let lines = records.iter();
        let lines = lines.map(|one| head.seal(&serde_json::to_string(one).unwrap()) + "\n");
        lines.collect()
    }

    #[test]
    fn the_last_line_about_a_name_counts() {
        let folder = tempfile::tempdir().unwrap();
        let records = [
            record("a", Some("old")),
            record("b", Some("")),
            record("a", Some("new")),
            record("b", None),
        ];
        std::fs::write(folder.path().join(FILE), list(&records)).unwrap();
        let inventory = Inventory::of(read(folder.path()).unwrap());
        assert!(inventory.names().map(FileName::as_str).eq(["a"]));
        assert!(inventory.removed().map(FileName::as_str).eq(["b"]));
        assert_eq!(inventory.check("a", b"new"), Ok(()));
        let reason = |name, contents: &[u8]| inventory.check(name, contents).unwrap_err();
        assert!(reason("a", b"old").contains("SHA-256"));
        assert!(reason("a", b"newer").contains("has 5 bytes, but the run wrote 3"));
        assert!(reason("b", b"").contains("did not write"));
        // The value that sha256sum prints.
        let hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Fingerprint::of(b"").sha256, hash);
    }

    #[test]
    fn only_listed_files_of_a_run_directory_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let check = |name: &str, text: &str| {
            std::fs::write(at(name), text).unwrap();
            checked(&at(name), text.into())
        };
        std::fs::write(at(FILE), list(&[record("best.toml", Some("text"))])).unwrap();
        assert!(check("best.toml", "other").is_ok());
        std::fs::write(at("manifest.json"), "").unwrap();
        assert_eq!(check("best.toml", "text").unwrap(), b"text");
        assert!(check("best.toml", "tex").is_err());
        assert!(check("notes.toml", "text").is_ok());
        // A process was killed after it wrote a line and before it replaced the file.
        let lines = [("best.toml", "text"), ("best.toml", "newer")];
        let lines = lines.map(|(name, text)| record(name, Some(text)));
        std::fs::write(at(FILE), list(&lines)).unwrap();
        for (known, is_read) in [(1, true), (2, false)] {
            let manifest = format!(r#"{{"logs":{{"{FILE}":{{"lines":{known},"check":""}}}}}}"#);
            std::fs::write(at("manifest.json"), manifest).unwrap();
            assert_eq!(check("best.toml", "text").is_ok(), is_read);
        }
        std::fs::write(at(FILE), "{}\n").unwrap();
        assert!(
            check("best.toml", "text")
                .unwrap_err()
                .contains("files.jsonl")
        );
    }
}
