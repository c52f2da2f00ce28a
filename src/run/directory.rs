//! A run directory: its paths, its lock, and the number of complete generations.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::atomic::{AtomicFolder, TEMPORARY_PREFIX};
use super::logs::{self, Log, Timing};
use super::manifest::Manifest;
use super::{StoreError, atomic, columns};

/// The file that the writer of a run directory locks.
const LOCK: &str = ".lock";
const TIMING: &str = "timing.jsonl";
const PROGRAM_LOG: &str = "program.log";
/// Upper limit of the time between the creation of a lock file and its locking.
const TIME_TO_LOCK: Duration = Duration::from_secs(60);

/// A run directory.
pub struct RunDirectory {
    root: PathBuf,
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
}

impl RunDirectory {
    /// Creates a run directory with these tables and locks it for writing. `begin` writes its first
    /// files. The directory exists under its name only when these are complete; it may exist before if
    /// it is empty.
    ///
    /// # Errors
    /// If it is not empty, or cannot be created or written.
    pub fn create(
        root: &Path,
        tables: &[TableName],
        begin: impl FnOnce(&RunDirectory) -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        match StoreError::found(root, std::fs::read_dir(root))? {
            Some(entries) => {
                if entries.count() > 0 {
                    let reason = "the output directory is not empty; name another with --out, or \
                                  continue a run by `tiletune resume`";
                    return Err(StoreError::unusable(root, reason));
                }
            }
            None => {
                let folder = atomic::folder_of(root);
                std::fs::create_dir_all(folder).map_err(StoreError::io(folder))?;
            }
        }
        // A rename can replace an empty directory, but not under the name `.`.
        let root = std::fs::canonicalize(root).unwrap_or(root.to_owned());
        sweep_abandoned(atomic::folder_of(&root));
        let unfinished = AtomicFolder::create(&root)?;
        let directory = Self::begun(unfinished.path(), tables, begin)?;
        unfinished.finish()?;
        Ok(RunDirectory { root, ..directory })
    }

    fn begun(
        root: &Path,
        tables: &[TableName],
        begin: impl FnOnce(&RunDirectory) -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        for table in tables {
            let folder = root.join(table.place());
            std::fs::create_dir_all(&folder).map_err(StoreError::io(&folder))?;
        }
        let directory = Self::locked(root)?;
        begin(&directory)?;
        Ok(directory)
    }

    /// Opens a run directory for writing: locks it and removes the unfinished files of a killed writer.
    ///
    /// # Errors
    /// If it is not a run directory, or another process is writing it.
    pub fn open_for_writing(root: &Path) -> Result<Self, StoreError> {
        Self::open(root)?;
        let directory = Self::locked(root)?;
        directory.sweep()?;
        Ok(directory)
    }

    /// Opens a run directory for reading; another process may be writing it.
    ///
    /// # Errors
    /// If it is not a run directory, or has a format or kind that this program does not know.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        let directory = RunDirectory {
            root: root.to_owned(),
            _lock: None,
        };
        if !directory.manifest_path().is_file() || !directory.resolved_path().is_file() {
            let reason = "not a run directory (manifest.json or resolved.toml is missing)";
            return Err(StoreError::unusable(root, reason));
        }
        directory.manifest()?;
        Ok(directory)
    }

    fn locked(root: &Path) -> Result<Self, StoreError> {
        let path = root.join(LOCK);
        let lock = File::create(&path).map_err(StoreError::io(&path))?;
        match lock.try_lock() {
            Ok(()) => Ok(RunDirectory {
                root: root.to_owned(),
                _lock: Some(lock),
            }),
            Err(TryLockError::WouldBlock) => Err(StoreError::unusable(
                root,
                "another process is writing this run",
            )),
            Err(TryLockError::Error(error)) => Err(StoreError::io(&path)(error)),
        }
    }

    /// Whether a process is writing it now. A writer that begins at this very moment can fail to lock it.
    pub fn is_being_written(&self) -> bool {
        let path = self.root.join(LOCK);
        // A file of another kind could block.
        let is_file = std::fs::symlink_metadata(&path).is_ok_and(|lock| lock.is_file());
        let lock = is_file.then(|| File::open(&path).ok()).flatten();
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

    /// `manifest.json`.
    pub fn manifest_path(&self) -> PathBuf {
        self.path("manifest.json")
    }

    /// `resolved.toml`.
    pub fn resolved_path(&self) -> PathBuf {
        self.path("resolved.toml")
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
    pub fn generation_part(&self, table: TableName, generation: u32) -> PathBuf {
        self.table(table)
            .join(format!("generation-{generation:05}.parquet"))
    }

    /// The games of the race between final means.
    pub fn race_part(&self) -> PathBuf {
        self.table(TableName::Race).join("race.parquet")
    }

    /// The hold-out games of the weights of this name: `start`, `tuned` or `run-<number>`.
    pub fn hold_out_part(&self, weights: &str) -> PathBuf {
        self.table(TableName::HoldOut)
            .join(format!("{weights}.parquet"))
    }

    /// The hold-out games of these weights at another depth than that of the search.
    pub fn deeper_part(&self, depth: u8, weights: &str) -> PathBuf {
        self.table(TableName::Deeper)
            .join(format!("depth-{depth}-{weights}.parquet"))
    }

    /// The finalists of the race.
    pub fn finalists_part(&self) -> PathBuf {
        self.path(columns::FINALISTS.place)
    }

    /// The file of `games` for a row of an experiment.
    pub fn row_part(&self, row: usize) -> PathBuf {
        self.table(TableName::Games)
            .join(format!("row-{row:03}.parquet"))
    }

    /// The existing blocks of games of a row of an experiment, in order.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn block_parts(&self, row: usize) -> Result<Vec<PathBuf>, StoreError> {
        let mut parts = files(&self.table(TableName::Blocks))?;
        let prefix = format!("row-{row:03}-");
        parts.retain(|path| name_of(path).starts_with(&prefix));
        Ok(parts)
    }

    /// A block of games of a row of an experiment.
    pub fn block_part(&self, row: usize, block: usize) -> PathBuf {
        self.table(TableName::Blocks)
            .join(format!("row-{row:03}-{block:05}.parquet"))
    }

    /// A block of games of a comparison: consecutive pairs of all players.
    pub fn pairs_block_part(&self, block: usize) -> PathBuf {
        self.table(TableName::Games)
            .join(format!("pairs-{block:05}.parquet"))
    }

    /// The pairs of a player of a comparison with the first one.
    pub fn pairs_part(&self, player: usize) -> PathBuf {
        self.table(TableName::Pairs)
            .join(format!("player-{player:03}.parquet"))
    }

    fn table(&self, table: TableName) -> PathBuf {
        self.root.join(table.place())
    }

    /// Number of files of a table.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn number_of_parts(&self, table: TableName) -> Result<usize, StoreError> {
        Ok(files(&self.table(table))?.len())
    }

    /// Number of complete generations.
    ///
    /// # Errors
    /// If one is missing before a later one: generations are written in order, so a file was lost.
    pub fn complete_generations(&self) -> Result<u32, StoreError> {
        let parts = files(&self.table(TableName::Generations))?;
        let mut numbers: Vec<u32> = parts
            .iter()
            .filter_map(|path| generation_of(path))
            .collect();
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
        for table in TableName::ALL {
            for path in files(&self.table(table))? {
                if generation_of(&path).is_some_and(|number| number >= complete) {
                    atomic::remove(&path)?;
                }
            }
        }
        Ok(())
    }

    fn sweep(&self) -> Result<(), StoreError> {
        let tables = TableName::ALL.map(|table| self.table(table));
        let others = ["", "tables", "charts"].map(|folder| self.path(folder));
        for folder in tables.iter().chain(&others) {
            for path in files(folder)? {
                if name_of(&path).starts_with(TEMPORARY_PREFIX) {
                    atomic::remove(&path)?;
                }
            }
        }
        Ok(())
    }

    /// Writes a file of the directory atomically.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> Result<(), StoreError> {
        atomic::write(&self.path(name), contents)
    }

    /// Reads a JSON file of the directory; `None` if it does not exist.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn read_json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, StoreError> {
        let path = self.path(name);
        let bytes = StoreError::found(&path, std::fs::read(&path))?;
        let value = bytes
            .map(|bytes| serde_json::from_slice(&bytes))
            .transpose();
        value.map_err(|error| StoreError::damaged(&path, error))
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

/// Removes the unfinished run directories of killed processes. A lock file that is not locked shows that
/// its writer has ended, unless it is so new that the writer may not have locked it yet. Directories that
/// cannot be read or removed are ignored.
fn sweep_abandoned(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let is_unfinished = name.to_string_lossy().starts_with(TEMPORARY_PREFIX);
        if is_unfinished && is_abandoned(&entry.path()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn is_abandoned(root: &Path) -> bool {
    let Ok(lock) = File::options().write(true).open(root.join(LOCK)) else {
        return false;
    };
    let made = lock.metadata().and_then(|lock| lock.modified());
    let age = made.ok().and_then(|made| made.elapsed().ok());
    age.is_some_and(|age| age > TIME_TO_LOCK) && lock.try_lock().is_ok()
}

/// The generation in the name of a table file.
fn generation_of(path: &Path) -> Option<u32> {
    let name = name_of(path).strip_prefix("generation-")?;
    name.strip_suffix(".parquet")?.parse().ok()
}

/// The last component of a path; empty if it is not text.
fn name_of(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str());
    name.unwrap_or_default()
}

/// Files of a folder in order of their names; none if the folder does not exist.
fn files(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = StoreError::found(folder, std::fs::read_dir(folder))?;
    let mut paths = Vec::new();
    for entry in entries.into_iter().flatten() {
        paths.push(entry.map_err(StoreError::io(folder))?.path());
    }
    paths.sort();
    Ok(paths)
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
            let manifest = Manifest::new(Kind::Campaign, Session::now(1), seeds);
            manifest.write(&directory.manifest_path())?;
            directory.write("resolved.toml", "")
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
    fn what_a_killed_process_was_making_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let unfinished = |name: &str, minutes: u64| {
            let path = folder.path().join(format!("{TEMPORARY_PREFIX}{name}"));
            std::fs::create_dir(&path).unwrap();
            let lock = File::create(path.join(LOCK)).unwrap();
            let age = Duration::from_secs(60 * minutes);
            lock.set_modified(std::time::SystemTime::now() - age)
                .unwrap();
            (path, lock)
        };
        let (abandoned, lock) = unfinished("abandoned", 5);
        drop(lock);
        let (young, lock) = unfinished("young", 0);
        drop(lock);
        let (alive, lock) = unfinished("alive", 5);
        lock.try_lock().unwrap();
        let root = folder.path().join("run");
        RunDirectory::create(&root, &TableName::ALL, |_| Ok(())).unwrap();
        assert!(!abandoned.exists());
        assert!(young.exists() && alive.exists());
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
            atomic::write(&directory.generation_part(table, generation), "x").unwrap();
        }
        assert_eq!(directory.complete_generations().unwrap(), 1);
        directory.discard_from(1).unwrap();
        assert!(directory.generation_part(TableName::Train, 0).exists());
        assert!(!directory.generation_part(TableName::Train, 1).exists());
        assert!(!directory.generation_part(TableName::Candidates, 1).exists());

        atomic::write(&directory.generation_part(TableName::Generations, 2), "x").unwrap();
        let gap = directory.complete_generations().unwrap_err().to_string();
        assert!(
            gap.contains("generation-00001.parquet: the file is missing"),
            "{gap}"
        );
    }
}
