//! A run directory: its paths, its lock, and the number of complete generations.

use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use serde::de::DeserializeOwned;

use super::atomic::TEMPORARY_PREFIX;
use super::files::{Files, Part, remove_all};
use super::folder::{files, name_of};
use super::logs::{self, Log, Timing};
use super::manifest::{self, Manifest};
use super::{StoreError, atomic, columns};
use crate::inventory;
use crate::plain_file;

/// The file that the writer of a run directory locks.
const LOCK: &str = ".lock";
/// The contents of the lock file while a directory is created.
const BEGINNING: &[u8] = b"beginning";
/// Why a directory that is locked cannot be written.
pub const IN_USE: &str = "another process is writing this run";
const RESOLVED: &str = "resolved.toml";
pub(super) const TIMING: &str = "timing.jsonl";
const PROGRAM_LOG: &str = "program.log";

/// The folders with runs inside of a run.
const CHILDREN: [&str; 2] = ["runs", "retuned"];
/// The times of files may be less exact than the clock.
const CLOCK_STEP: Duration = Duration::from_secs(1);

/// A run directory.
pub struct RunDirectory {
    root: PathBuf,
    files: Arc<Files>,
    /// Where results are written, if not into the run directory.
    output: Option<PathBuf>,
    /// Held by the writer; the system releases it when the process ends.
    _lock: Option<File>,
}

/// The tables of runs, each a folder of parquet files. [`columns`] declares their columns.
#[derive(Clone, Copy, Debug)]
pub enum TableName {
    /// Generations of a campaign. A generation is complete if its file exists.
    Generations,
    /// Candidates of a campaign.
    Candidates,
    /// Training games.
    Train,
    /// Games of the race between final means.
    Race,
    /// Hold-out games.
    HoldOut,
    /// Hold-out games at other depths than that of the search.
    Deeper,
    /// Games of an experiment or a comparison.
    Games,
    /// Games of rows of an experiment that are not complete.
    Blocks,
    /// Pairs of games of a comparison.
    Pairs,
}

impl TableName {
    /// Every table.
    pub const ALL: [TableName; 9] = [
        TableName::Generations,
        TableName::Candidates,
        TableName::Train,
        TableName::Race,
        TableName::HoldOut,
        TableName::Deeper,
        TableName::Games,
        TableName::Blocks,
        TableName::Pairs,
    ];

    /// Its place in the run directory.
    fn place(self) -> &'static str {
        match self {
            TableName::Generations => columns::GENERATIONS.place,
            TableName::Candidates => columns::CANDIDATES.place,
            TableName::Train => columns::TRAIN.place,
            TableName::Race => columns::RACE.place,
            TableName::HoldOut => columns::HOLD_OUT.place,
            TableName::Deeper => columns::DEEPER.place,
            TableName::Games => columns::ROWS.place,
            TableName::Blocks => "tables/blocks",
            TableName::Pairs => columns::PAIRS.place,
        }
    }

    /// What the names of its files in a run directory begin with.
    pub(super) fn prefix(self) -> String {
        format!("{}/", self.place())
    }
}

impl RunDirectory {
    /// Creates a run directory with these tables and locks it for writing. `begin` writes its first
    /// files, the manifest last. The directory may exist before if it is empty, or if a process was killed
    /// while it created it.
    ///
    /// # Errors
    /// If it is not empty, or cannot be created or written; then what was created is removed.
    pub fn create(
        root: &Path,
        tables: &[TableName],
        begin: impl FnOnce(&RunDirectory) -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        let is_new = create_folder(root)?;
        expect_usable(root)?;
        let directory = Self::locked(root).inspect_err(|_| {
            if is_new {
                // Only if no other process has begun to use it.
                let _ = std::fs::remove_dir(root);
            }
        })?;
        // Another process may have begun a run here since.
        expect_usable(root)?;
        let begun = directory.begin(tables, begin);
        // If the lock stays, it says that the directory can be used again.
        if begun.is_err() && directory.clear().is_ok() {
            let _ = std::fs::remove_file(directory.path(LOCK));
            if is_new {
                let _ = std::fs::remove_dir(root);
            }
        }
        begun.map(|()| directory)
    }

    fn begin(
        &self,
        tables: &[TableName],
        begin: impl FnOnce(&RunDirectory) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let path = self.path(LOCK);
        let mark = |contents: &[u8]| {
            let lock = plain_file::open(&path, File::options().write(true).truncate(true));
            let marked = lock.and_then(|mut lock| lock.write_all(contents));
            marked.map_err(StoreError::io(&path))
        };
        mark(BEGINNING)?;
        self.clear()?;
        self.files.open_for_writing(0)?;
        for table in tables {
            let folder = self.table(*table);
            std::fs::create_dir_all(&folder).map_err(StoreError::io(&folder))?;
        }
        begin(self)?;
        mark(b"")?;
        atomic::sync_folder(&self.root)
    }

    /// Removes everything but the lock.
    fn clear(&self) -> Result<(), StoreError> {
        for path in files(&self.root)? {
            let removed = match std::fs::symlink_metadata(&path) {
                _ if name_of(&path) == LOCK => Ok(()),
                Ok(found) if found.is_dir() => std::fs::remove_dir_all(&path),
                _ => std::fs::remove_file(&path),
            };
            removed.map_err(StoreError::io(&path))?;
        }
        Ok(())
    }

    /// Opens a run directory for writing: locks it, removes the unfinished files of a killed writer, and
    /// checks every file but those that a report writes again.
    ///
    /// # Errors
    /// If it is not a run directory, contains a link or a special file, another process is writing it, or a
    /// file is missing or damaged.
    pub fn open_for_writing(root: &Path) -> Result<Self, StoreError> {
        Self::open(root)?;
        expect_plain(root)?;
        let directory = Self::locked(root)?;
        // What another process wrote before this one had the lock.
        let manifest = directory.manifest()?;
        (directory.files).open_for_writing(known_lines(&manifest))?;
        directory.check_logs(&manifest)?;
        directory.sweep()?;
        directory.files.check(|name| !is_derived(name))?;
        Ok(directory)
    }

    /// Opens a run directory for reading; another process may be writing it. Files are checked when they
    /// are read.
    ///
    /// # Errors
    /// If it is not a run directory, has a format or kind that this program does not know, or a log of it is
    /// damaged.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        if !Self::is_begun(root) {
            let reason = "not a run directory (manifest.json is missing)";
            return Err(StoreError::unusable(root, reason));
        }
        // The logs grow, so the manifest is read first.
        let manifest = Manifest::read(&root.join(manifest::FILE))?;
        let directory = RunDirectory {
            root: root.to_owned(),
            files: Arc::new(Files::read(root, known_lines(&manifest))?),
            output: None,
            _lock: None,
        };
        directory.check_logs(&manifest)?;
        Ok(directory)
    }

    /// Checks that the logs are those that the manifest knows.
    fn check_logs(&self, manifest: &Manifest) -> Result<(), StoreError> {
        logs::check(&self.root, &manifest.logs)
    }

    /// Reads every file; returns their number and that of their bytes.
    ///
    /// # Errors
    /// If one is missing or damaged.
    pub fn check_files(&self) -> Result<(u64, u64), StoreError> {
        let bytes = self.files.check(|_| true)?;
        Ok((self.files.names().len() as u64, bytes))
    }

    /// Writes results into another directory, which must not exist or be empty; reads from this one.
    ///
    /// # Errors
    /// If the other directory is not empty or cannot be created.
    pub fn with_output(self, folder: &Path) -> Result<Self, StoreError> {
        create_folder(folder)?;
        if !files(folder)?.is_empty() {
            let reason = "the directory is not empty; name another with --out";
            return Err(StoreError::unusable(folder, reason));
        }
        let output = Some(folder.to_owned());
        Ok(RunDirectory { output, ..self })
    }

    /// Whether there is a run in a directory.
    pub fn is_begun(root: &Path) -> bool {
        root.join(manifest::FILE).is_file()
    }

    fn locked(root: &Path) -> Result<Self, StoreError> {
        let path = root.join(LOCK);
        // It is never written through an old link, and keeps its contents until it is locked.
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let lock = plain_file::open(&path, &mut options).map_err(StoreError::io(&path))?;
        match lock.try_lock() {
            Ok(()) => Ok(RunDirectory {
                root: root.to_owned(),
                files: Arc::new(Files::none(root)),
                output: None,
                _lock: Some(lock),
            }),
            Err(TryLockError::WouldBlock) => Err(StoreError::unusable(root, IN_USE)),
            Err(TryLockError::Error(error)) => Err(StoreError::io(&path)(error)),
        }
    }

    /// Whether a process is writing it now. A writer that begins at this very moment can fail to lock it.
    pub fn is_being_written(&self) -> bool {
        Self::is_locked(&self.root)
    }

    /// Whether a process is writing the run of a directory, as [`is_being_written`](Self::is_being_written).
    pub fn is_locked(root: &Path) -> bool {
        let path = root.join(LOCK);
        let lock = plain_file::open(&path, File::options().read(true)).ok();
        lock.is_some_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// The directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A file of the directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// A finished file of the directory.
    pub fn part(&self, name: impl Into<String>) -> Part {
        Part::of(&self.files, name.into())
    }

    /// The name of a file within the directory, for messages.
    pub fn name_of(&self, path: &Path) -> String {
        let name = path.strip_prefix(&self.root).unwrap_or(path);
        name.display().to_string()
    }

    /// A file of the directory that results are written into.
    pub fn output(&self, name: &str) -> Part {
        match &self.output {
            Some(folder) => Part::outside(folder.join(name)),
            None => self.part(name),
        }
    }

    /// `manifest.json`.
    pub fn manifest_path(&self) -> PathBuf {
        self.path(manifest::FILE)
    }

    /// `resolved.toml`.
    pub fn resolved_path(&self) -> PathBuf {
        self.path(RESOLVED)
    }

    /// The manifest.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn manifest(&self) -> Result<Manifest, StoreError> {
        Manifest::read(&self.manifest_path())
    }

    /// What a program that plays writes to stderr.
    pub fn program_log(&self) -> PathBuf {
        self.path(PROGRAM_LOG)
    }

    /// `timing.jsonl`, to append [`Timing`]s to.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn timing_log(&self) -> Result<Log, StoreError> {
        Log::open(&self.path(TIMING))
    }

    /// The entries of `timing.jsonl`.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn timings<Of: DeserializeOwned>(&self) -> Result<Vec<Timing<Of>>, StoreError> {
        logs::read(&self.path(TIMING))
    }

    /// The file of a table for one generation.
    pub fn generation_part(&self, table: TableName, generation: u32) -> Part {
        self.table_part(table, &format!("generation-{generation:05}"))
    }

    /// The games of the race between final means.
    pub fn race_part(&self) -> Part {
        self.table_part(TableName::Race, "race")
    }

    /// The hold-out games of the weights of this name: `start`, `tuned` or `run-<number>`.
    pub fn hold_out_part(&self, weights: &str) -> Part {
        self.table_part(TableName::HoldOut, weights)
    }

    /// The hold-out games of these weights at another depth than that of the search.
    pub fn deeper_part(&self, depth: u8, weights: &str) -> Part {
        self.table_part(TableName::Deeper, &format!("depth-{depth}-{weights}"))
    }

    /// The finalists of the race.
    pub fn finalists_part(&self) -> Part {
        self.part(columns::FINALISTS.place)
    }

    /// The file of `games` for a row of an experiment.
    pub fn row_part(&self, row: usize) -> Part {
        self.table_part(TableName::Games, &format!("row-{row:03}"))
    }

    /// The existing blocks of games of a row of an experiment, in order.
    pub fn block_parts(&self, row: usize) -> Vec<Part> {
        let prefix = format!("{}row-{row:03}-", TableName::Blocks.prefix());
        let mut names = self.files.names();
        names.retain(|name| name.starts_with(&prefix));
        names.into_iter().map(|name| self.part(name)).collect()
    }

    /// A block of games of a row of an experiment.
    pub fn block_part(&self, row: usize, block: usize) -> Part {
        self.table_part(TableName::Blocks, &format!("row-{row:03}-{block:05}"))
    }

    /// A block of games of a comparison: consecutive pairs of all players.
    pub fn pairs_block_part(&self, block: usize) -> Part {
        self.table_part(TableName::Games, &format!("pairs-{block:05}"))
    }

    /// The pairs of a player of a comparison with the first one, a result.
    ///
    /// # Errors
    /// If its folder cannot be created.
    pub fn pairs_part(&self, player: usize) -> Result<Part, StoreError> {
        let name = format!("{}player-{player:03}.parquet", TableName::Pairs.prefix());
        let part = self.output(&name);
        let folder = atomic::folder_of(&part);
        std::fs::create_dir_all(folder).map_err(StoreError::io(folder))?;
        Ok(part)
    }

    fn table_part(&self, table: TableName, name: &str) -> Part {
        self.part(format!("{}{name}.parquet", table.prefix()))
    }

    fn table(&self, table: TableName) -> PathBuf {
        self.path(table.place())
    }

    /// Number of files of a table.
    pub fn number_of_parts(&self, table: TableName) -> usize {
        let prefix = table.prefix();
        let names = self.files.names().into_iter();
        names.filter(|name| name.starts_with(&prefix)).count()
    }

    /// Number of complete generations.
    ///
    /// # Errors
    /// If one is missing before a later one: generations are written in order, so a file was lost.
    pub fn complete_generations(&self) -> Result<u32, StoreError> {
        let prefix = TableName::Generations.prefix();
        let names = self.files.names().into_iter();
        let of_table = names.filter_map(|name| generation_of(name.strip_prefix(&prefix)?));
        let mut numbers: Vec<u32> = of_table.collect();
        numbers.sort_unstable();
        let mut expected = (0..).zip(&numbers);
        match expected.find(|(expected, number)| expected != *number) {
            None => Ok(numbers.len() as u32),
            Some((expected, _)) => {
                let missing = self.generation_part(TableName::Generations, expected);
                Err(StoreError::damaged(&missing, "the file is missing"))
            }
        }
    }

    /// Removes the files of generations from `complete` on: those of an unfinished generation, which will
    /// be played again.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn discard_from(&self, complete: u32) -> Result<(), StoreError> {
        let mut names = self.files.names();
        names.retain(|name| {
            let file = name.rsplit('/').next().unwrap_or_default();
            generation_of(file).is_some_and(|number| number >= complete)
        });
        let parts: Vec<Part> = names.into_iter().map(|name| self.part(name)).collect();
        remove_all(&parts)
    }

    /// Removes the files that this process has written since some instant, and the runs inside of this one that
    /// it has worked on since then: the results in them are false. Logs stay.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn discard_since(&self, since: Instant) -> Result<(), StoreError> {
        let names = self.files.written_since(since).into_iter();
        let parts: Vec<Part> = names.map(|name| self.part(name)).collect();
        remove_all(&parts)?;
        let since = SystemTime::now().checked_sub(since.elapsed() + CLOCK_STEP);
        for place in CHILDREN {
            let folder = self.root.join(place);
            let Some(entries) = StoreError::found(&folder, std::fs::read_dir(&folder))? else {
                continue;
            };
            for entry in entries {
                let child = entry.map_err(StoreError::io(&folder))?.path();
                let manifest = child.join(manifest::FILE);
                let written = manifest.metadata().and_then(|known| known.modified());
                let is_older = |written| since.is_some_and(|since| written < since);
                if written.is_ok_and(|written| !is_older(written)) {
                    std::fs::remove_dir_all(&child).map_err(StoreError::io(&child))?;
                }
            }
        }
        Ok(())
    }

    /// Removes the unfinished files of a killed writer.
    fn sweep(&self) -> Result<(), StoreError> {
        for path in self.unlisted()? {
            if name_of(&path).starts_with(TEMPORARY_PREFIX) {
                atomic::remove(&path)?;
            }
        }
        Ok(())
    }

    /// The files that the list does not know, except for those that it does not list: manifest, lock, logs and
    /// what a program has written. Runs inside of this one have lists of their own.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn unlisted(&self) -> Result<Vec<PathBuf>, StoreError> {
        let mut found = Vec::new();
        self.add_unlisted(&self.root, &mut found)?;
        Ok(found)
    }

    fn add_unlisted(&self, folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), StoreError> {
        for path in files(folder)? {
            let name = name_of(&path);
            let is_own = folder == self.root
                && ([manifest::FILE, LOCK, PROGRAM_LOG].contains(&name)
                    || name.ends_with(logs::EXTENSION));
            let kind = std::fs::symlink_metadata(&path).map_err(StoreError::io(&path))?;
            if kind.is_dir() {
                if !Self::is_begun(&path) {
                    self.add_unlisted(&path, found)?;
                }
            } else if !is_own {
                let relative = path.strip_prefix(&self.root).unwrap_or(&path);
                let components = relative.iter().map(|one| one.to_string_lossy());
                let name = components.collect::<Vec<_>>().join("/");
                if !self.part(name).exists() {
                    found.push(path);
                }
            }
        }
        Ok(())
    }

    /// Writes a file of the directory, or of that for results, atomically.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> Result<(), StoreError> {
        self.output(name).write(contents)
    }

    /// Reads a text file of the directory.
    ///
    /// # Errors
    /// If it cannot be read or is no text.
    pub fn read_text(&self, name: &str) -> Result<String, StoreError> {
        let part = self.part(name);
        String::from_utf8(part.read()?).map_err(|error| StoreError::damaged(&part, error))
    }

    /// Reads a JSON file of the directory; `None` if it is not written.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn read_json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, StoreError> {
        let part = self.part(name);
        if !part.exists() {
            return Ok(None);
        }
        let value = serde_json::from_slice(&part.read()?);
        value
            .map(Some)
            .map_err(|error| StoreError::damaged(&part, error))
    }

    /// Writes a JSON file of the directory.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn write_json(&self, name: &str, value: &impl serde::Serialize) -> Result<(), StoreError> {
        let text = serde_json::to_string_pretty(value);
        let text = text.map_err(|error| StoreError::damaged(&self.path(name), error))?;
        self.write(name, text + "\n")
    }
}

/// Whether a report writes a file again from other files.
fn is_derived(name: &str) -> bool {
    const RESULTS: [&str; 7] = [
        "report.html",
        "report.md",
        "results.json",
        "results.csv",
        "weights.csv",
        "timing.csv",
        "series.json",
    ];
    name.starts_with("charts/")
        || name.starts_with(&TableName::Pairs.prefix())
        || RESULTS.contains(&name)
}

/// Number of lines of the list of files that the manifest knows.
fn known_lines(manifest: &Manifest) -> u64 {
    let list = manifest.logs.get(inventory::FILE);
    list.map_or(0, |list| list.lines)
}

/// Creates a folder and those around it; returns whether it did not exist.
fn create_folder(root: &Path) -> Result<bool, StoreError> {
    let around = atomic::folder_of(root);
    std::fs::create_dir_all(around).map_err(StoreError::io(around))?;
    match std::fs::create_dir(root) {
        Ok(()) => atomic::sync_folder(root).map(|()| true),
        Err(_) if root.is_dir() => Ok(false),
        Err(error) => Err(StoreError::io(root)(error)),
    }
}

/// Checks that a run can begin in a directory: it is empty, or the directory of a run that a killed process
/// had not finished beginning.
fn expect_usable(root: &Path) -> Result<(), StoreError> {
    let names = files(root)?;
    let is_lock = |path: &PathBuf| name_of(path) == LOCK;
    let is_beginning = || plain_file::read(&root.join(LOCK)).is_ok_and(|text| text == BEGINNING);
    if names.iter().all(is_lock) || !RunDirectory::is_begun(root) && is_beginning() {
        return Ok(());
    }
    let reason = "the output directory is not empty; name another with --out, or continue a run by \
                  `tiletune resume`";
    Err(StoreError::unusable(root, reason))
}

/// Checks that a directory, which may come from somebody else, holds only files and directories: what is
/// written into it must not go elsewhere or wait for a reader.
fn expect_plain(root: &Path) -> Result<(), StoreError> {
    for path in files(root)? {
        let found = std::fs::symlink_metadata(&path).map_err(StoreError::io(&path))?;
        if found.is_dir() {
            expect_plain(&path)?;
        } else if !found.is_file() {
            let reason = "a run directory holds files and directories only, no link, pipe or device; \
                          remove it, or replace it by what it names";
            return Err(StoreError::damaged(&path, reason));
        }
    }
    Ok(())
}

/// The generation in the name of a table file.
pub(super) fn generation_of(name: &str) -> Option<u32> {
    let name = name.strip_prefix("generation-")?;
    name.strip_suffix(".parquet")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::manifest::{Kind, Seeds, Session};

    #[test]
    fn a_directory_in_use_or_not_empty_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("run");
        let begin = |directory: &RunDirectory| {
            let seeds = Seeds {
                campaign: 1,
                hold_out: 1,
            };
            let mut manifest = Manifest::new(Kind::Campaign, Session::now(1), seeds);
            directory.write("resolved.toml", "")?;
            manifest.write(directory.root())
        };
        let first = RunDirectory::create(&root, &TableName::ALL, begin).unwrap();
        assert!(RunDirectory::create(&root, &TableName::ALL, begin).is_err());
        let second = RunDirectory::open_for_writing(&root).err().unwrap();
        assert!(second.to_string().contains("another process"), "{second}");
        assert!(RunDirectory::open(&root).unwrap().is_being_written());
        drop(first);
        assert!(!RunDirectory::open(&root).unwrap().is_being_written());
        assert!(RunDirectory::open_for_writing(&root).is_ok());
        assert!(RunDirectory::open(folder.path()).is_err());
    }

    #[test]
    fn what_cannot_begin_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("run");
        let failing = |directory: &RunDirectory| Err(StoreError::damaged(directory.root(), "no"));
        assert!(RunDirectory::create(&root, &TableName::ALL, failing).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_empty_directory_is_used_and_one_that_a_killed_process_began_too() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("run");
        std::fs::create_dir(&root).unwrap();
        let begin = |directory: &RunDirectory| directory.write("manifest.json", "{}");
        let create = || RunDirectory::create(&root, &TableName::ALL, begin).map(drop);
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(&root).unwrap());
        create().unwrap();
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(&root).unwrap()),
            number
        );
        assert!(create().unwrap_err().to_string().contains("not empty"));

        std::fs::remove_file(root.join("manifest.json")).unwrap();
        assert!(create().is_err(), "the lock says that the beginning ended");
        std::fs::write(root.join(LOCK), BEGINNING).unwrap();
        std::fs::write(root.join("old.csv"), "").unwrap();
        create().unwrap();
        assert!(!root.join("old.csv").exists());
    }

    #[cfg(unix)]
    #[test]
    fn no_file_outside_is_written_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (root, other) = (folder.path().join("run"), folder.path().join("other"));
        std::fs::write(&other, "precious").unwrap();
        let begin = |directory: &RunDirectory| {
            let seeds = Seeds {
                campaign: 0,
                hold_out: 0,
            };
            directory.write("resolved.toml", "")?;
            Manifest::new(Kind::Campaign, Session::now(1), seeds).write(directory.root())
        };
        drop(RunDirectory::create(&root, &TableName::ALL, begin).unwrap());
        for name in [LOCK, "events.jsonl", "charts", "tables/games/x"] {
            let path = root.join(name);
            let _ = std::fs::remove_file(&path);
            std::os::unix::fs::symlink(&other, &path).unwrap();
            let error = RunDirectory::open_for_writing(&root).err().unwrap();
            assert!(error.to_string().contains("no link"), "{error}");
            std::fs::remove_file(&path).unwrap();
        }
        assert_eq!(std::fs::read(&other).unwrap(), b"precious");
        assert!(RunDirectory::open_for_writing(&root).is_ok());
    }

    #[test]
    fn an_unfinished_generation_is_not_counted_and_goes() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("run");
        let directory = RunDirectory::create(&root, &TableName::ALL, |_| Ok(())).unwrap();
        for (table, generation) in [
            (TableName::Generations, 0),
            (TableName::Candidates, 0),
            (TableName::Train, 0),
            (TableName::Train, 1),
            (TableName::Candidates, 1),
        ] {
            directory
                .generation_part(table, generation)
                .write("x")
                .unwrap();
        }
        assert_eq!(directory.complete_generations().unwrap(), 1);
        directory.discard_from(1).unwrap();
        assert!(directory.generation_part(TableName::Train, 0).exists());
        assert!(!directory.generation_part(TableName::Train, 1).exists());
        assert!(!directory.generation_part(TableName::Candidates, 1).exists());

        let later = directory.generation_part(TableName::Generations, 2);
        later.write("x").unwrap();
        let gap = directory.complete_generations().unwrap_err().to_string();
        assert!(
            gap.contains("generation-00001.parquet: the file is missing"),
            "{gap}"
        );
    }
}
