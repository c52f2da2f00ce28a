//! A run directory: creation, lock, opening, checks, removal of unfinished files, and access to files by name. `places`
//! maps tables to files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use serde::de::DeserializeOwned;

use super::atomic::TEMPORARY_PREFIX;
use super::atomic::{files, name_of};
use super::files::{RunFile, RunFiles, remove_all};
use super::lock::{self, Lock};
use super::logs::{self, Log, TIMING, Timing};
use super::manifest::{self, Manifest};
use super::tables::{self, TableInfo};
use super::{StoreError, atomic, machines};
use crate::inventory::{self, FileName};
use crate::plain_file;

/// The contents of the lock file while a directory is created.
const BEGINNING: &[u8] = b"beginning";
/// The contents of the lock file after that.
const BEGUN: &[u8] = b"";
const RESOLVED: &str = "resolved.toml";
const PROGRAM_LOG: &str = "program.log";

/// The folders of child runs.
const CHILDREN: [&str; 2] = ["runs", "retuned"];
/// Largest assumed error of the times of files.
const CLOCK_STEP: Duration = Duration::from_secs(1);

/// A run directory.
pub struct RunDirectory {
    root: PathBuf,
    files: Arc<RunFiles>,
    /// Where results are written, if not into the run directory.
    output: Option<PathBuf>,
    /// Time of opening, on the monotonic clock and on the system clock.
    opened: (Instant, SystemTime),
    /// Held while this process can write the directory.
    lock: Option<Lock>,
}

impl RunDirectory {
    /// Creates a run directory with these tables and locks it for writing. `begin` writes its first files, the manifest
    /// last. The directory may already exist if it is empty, or if a process was killed while it created it.
    ///
    /// # Errors
    /// If it is not empty, or cannot be created or written; then what was created is removed.
    pub fn create(
        root: &Path,
        tables: &[&TableInfo],
        begin: impl FnOnce(&RunDirectory) -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        let is_new = create_folder(root)?;
        expect_usable(root, is_beginning(root))?;
        let directory = Self::locked(root).inspect_err(|_| {
            if is_new {
                // This fails if another process has begun to use the directory.
                let _ = std::fs::remove_dir(root);
            }
        })?;
        // Another process can have begun a run here before this one acquired the lock.
        expect_usable(root, directory.is_beginning())?;
        let begun = directory.begin(tables, begin);
        // If clearing fails, the lock file stays. Its contents say that the directory can be used again.
        if begun.is_err() && directory.clear().is_ok() {
            let _ = std::fs::remove_file(directory.path(lock::FILE));
            if is_new {
                let _ = std::fs::remove_dir(root);
            }
        }
        begun.map(|()| directory)
    }

    fn begin(
        &self,
        tables: &[&TableInfo],
        begin: impl FnOnce(&RunDirectory) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.mark(BEGINNING)?;
        self.clear()?;
        self.files.open_for_writing(0)?;
        for table in tables {
            let folder = self.path(table.place);
            std::fs::create_dir_all(&folder).map_err(StoreError::io(&folder))?;
        }
        begin(self)?;
        self.mark(BEGUN)?;
        atomic::sync_folder(&self.root)
    }

    /// Writes the contents of the lock file.
    fn mark(&self, contents: &[u8]) -> Result<(), StoreError> {
        let marked = self
            .lock
            .as_ref()
            .map_or(Ok(()), |lock| lock.write(contents));
        marked.map_err(StoreError::io(&self.path(lock::FILE)))
    }

    /// As the function [`is_beginning`], where this process holds the lock.
    fn is_beginning(&self) -> bool {
        (self.lock.as_ref()).is_some_and(|lock| lock.contains(BEGINNING))
    }

    /// Removes everything except the lock file.
    fn clear(&self) -> Result<(), StoreError> {
        for path in files(&self.root)? {
            let removed = match std::fs::symlink_metadata(&path) {
                _ if name_of(&path) == lock::FILE => Ok(()),
                Ok(found) if found.is_dir() => std::fs::remove_dir_all(&path),
                _ => std::fs::remove_file(&path),
            };
            removed.map_err(StoreError::io(&path))?;
        }
        Ok(())
    }

    /// Opens a run directory for writing: locks it, removes the unfinished files of a killed writer, and checks every
    /// file, except those that a report can write again.
    ///
    /// # Errors
    /// If it is not a run directory, contains a link or a special file, another process is writing it, or a
    /// file is missing or damaged.
    pub fn open_for_writing(root: &Path) -> Result<Self, StoreError> {
        // Checked before the lock, because taking the lock would create a file in a folder that is not a run.
        Self::open(root)?;
        expect_plain(root)?;
        let directory = Self::locked(root)?;
        // Another process can have written before this one acquired the lock, so manifest and list are read again.
        let manifest = directory.manifest()?;
        (directory.files).open_for_writing(known_lines(&manifest))?;
        logs::check(root, &manifest.logs)?;
        directory.sweep()?;
        directory.files.check(|name| !is_derived(name))?;
        // The first process can have been killed after it wrote the manifest and before it updated the lock file.
        if directory.is_beginning() {
            directory.mark(BEGUN)?;
        }
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
            let reason = match (root.is_file(), root.exists()) {
                (true, _) => "this is a file, not a run directory",
                (_, true) => "not a run directory (manifest.json is missing)",
                (_, false) => "no such run directory",
            };
            return Err(StoreError::unusable(root, reason));
        }
        // The manifest is read before the logs: they only grow, so they contain at least what it records.
        let manifest = Manifest::read(&root.join(manifest::FILE))?;
        let directory = RunDirectory {
            root: root.to_owned(),
            files: Arc::new(RunFiles::read(root, known_lines(&manifest))?),
            output: None,
            opened: (Instant::now(), SystemTime::now()),
            lock: None,
        };
        logs::check(root, &manifest.logs)?;
        Ok(directory)
    }

    /// Reads every file; returns their number and that of their bytes.
    ///
    /// # Errors
    /// If one is missing or damaged.
    pub fn check_files(&self) -> Result<(u64, u64), StoreError> {
        let bytes = self.files.check(|_| true)?;
        Ok((self.files.names().len() as u64, bytes))
    }

    /// The charts, results and reports that are missing or damaged. A report writes them again.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn damaged_results(&self) -> Result<Vec<FileName>, StoreError> {
        self.files.damaged(is_derived)
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

    /// Whether it is the directory of a child run.
    ///
    /// # Errors
    /// If its place cannot be found out.
    pub fn is_child(&self) -> Result<bool, StoreError> {
        let root = std::fs::canonicalize(&self.root).map_err(StoreError::io(&self.root))?;
        let folder = root.parent();
        let is_place = folder.is_some_and(|folder| CHILDREN.contains(&name_of(folder)));
        let around = folder.and_then(Path::parent);
        Ok(is_place && around.is_some_and(Self::is_begun))
    }

    fn locked(root: &Path) -> Result<Self, StoreError> {
        Ok(RunDirectory {
            root: root.to_owned(),
            files: Arc::new(RunFiles::none(root)),
            output: None,
            opened: (Instant::now(), SystemTime::now()),
            lock: Some(Lock::acquire(root)?),
        })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Path of a file of the directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// A finished file of the directory.
    ///
    /// # Panics
    /// If the name is not inside the directory. Names from requests are checked before, see [`FileName`].
    pub fn part(&self, name: impl Into<String>) -> RunFile {
        let name = FileName::new(name);
        RunFile::of(
            &self.files,
            name.expect("a name that this program has made"),
        )
    }

    /// Names of all finished files, with `/` as separator.
    pub(super) fn names(&self) -> Vec<FileName> {
        self.files.names()
    }

    /// The name of a file within the directory, for messages.
    pub fn name_of(&self, path: &Path) -> String {
        let name = path.strip_prefix(&self.root).unwrap_or(path);
        name.display().to_string()
    }

    /// A file of the directory that results are written into.
    pub fn output(&self, name: &str) -> RunFile {
        match &self.output {
            Some(folder) => RunFile::outside(folder.join(name)),
            None => self.part(name),
        }
    }

    /// Path of `resolved.toml`.
    pub fn resolved_path(&self) -> PathBuf {
        self.path(RESOLVED)
    }

    /// The manifest.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn manifest(&self) -> Result<Manifest, StoreError> {
        Manifest::read(&self.path(manifest::FILE))
    }

    /// Path of the log with the stderr output of the programs that play.
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

    /// Removes wrong results: the files that this process has written since this instant, and the child runs that have
    /// changed since then. Logs stay.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn discard_since(&self, since: Instant) -> Result<(), StoreError> {
        let names = self.files.written_since(since).into_iter();
        let parts: Vec<RunFile> = names.map(|name| self.part(name)).collect();
        remove_all(&parts)?;
        let since = self.time_of(since).checked_sub(CLOCK_STEP);
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

    /// The system time at an instant, or an earlier time. It is the earlier of two estimates, one from the current time
    /// and one from the time of opening: an [`Instant`] can stand still while the machine sleeps, and the system time
    /// can be set.
    fn time_of(&self, instant: Instant) -> SystemTime {
        let (opened, time) = self.opened;
        let from_opened = time + instant.saturating_duration_since(opened);
        let from_now = SystemTime::now().checked_sub(instant.elapsed());
        from_now.map_or(from_opened, |from_now| from_now.min(from_opened))
    }

    /// Removes the unfinished files of a killed writer.
    fn sweep(&self) -> Result<(), StoreError> {
        fn sweep(folder: &Path) -> Result<(), StoreError> {
            for path in files(folder)? {
                let kind = std::fs::symlink_metadata(&path).map_err(StoreError::io(&path))?;
                // Child runs have separate writers.
                if kind.is_dir() && !RunDirectory::is_begun(&path) {
                    sweep(&path)?;
                } else if !kind.is_dir() && name_of(&path).starts_with(TEMPORARY_PREFIX) {
                    atomic::remove(&path)?;
                }
            }
            Ok(())
        }
        sweep(&self.root)
    }

    /// The files that are not in the list of files. Manifest, lock, logs, program output and the unfinished files of a
    /// killed writer are never in the list, so they do not count. Child runs in the folders `children` have separate lists.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn unlisted(&self, children: &[String]) -> Result<Vec<PathBuf>, StoreError> {
        let mut found = Vec::new();
        self.add_unlisted(&self.root, children, &mut found)?;
        Ok(found)
    }

    fn add_unlisted(
        &self,
        folder: &Path,
        children: &[String],
        found: &mut Vec<PathBuf>,
    ) -> Result<(), StoreError> {
        const OWN: [&str; 4] = [manifest::FILE, lock::FILE, PROGRAM_LOG, machines::STATE];
        for path in files(folder)? {
            let relative = path.strip_prefix(&self.root).unwrap_or(&path);
            let components = relative.iter().map(|one| one.to_string_lossy());
            let name = components.collect::<Vec<_>>().join("/");
            let is_own = OWN.contains(&&*name)
                || logs::NAMES.contains(&&*name)
                || name_of(&path).starts_with(TEMPORARY_PREFIX);
            let kind = std::fs::symlink_metadata(&path).map_err(StoreError::io(&path))?;
            if kind.is_dir() {
                if !(children.contains(&name) && Self::is_begun(&path)) {
                    self.add_unlisted(&path, children, found)?;
                }
            } else if !(is_own || FileName::new(&*name).is_ok() && self.part(name).exists()) {
                found.push(path);
            }
        }
        Ok(())
    }

    /// Atomically writes a file of the directory, or of the output directory if there is one.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> Result<(), StoreError> {
        self.output(name).write(contents)
    }

    /// Reads a text file of the directory.
    ///
    /// # Errors
    /// If it cannot be read or is not text.
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

/// Whether a report can write a file again from other files.
fn is_derived(name: &str) -> bool {
    const RESULTS: [&str; 6] = [
        "report.html",
        "results.json",
        "results.csv",
        "weights.csv",
        "timing.csv",
        "series.json",
    ];
    name.starts_with("charts/")
        || name.starts_with(&tables::PAIRS.prefix())
        || RESULTS.contains(&name)
}

/// Number of lines of the list of files that the manifest records.
fn known_lines(manifest: &Manifest) -> u64 {
    let list = manifest.logs.get(inventory::FILE);
    list.map_or(0, |list| list.lines)
}

/// Creates a folder and its parents. Returns whether the folder is new.
fn create_folder(root: &Path) -> Result<bool, StoreError> {
    let around = atomic::folder_of(root);
    std::fs::create_dir_all(around).map_err(StoreError::io(around))?;
    match std::fs::create_dir(root) {
        Ok(()) => atomic::sync_folder(root).map(|()| true),
        Err(_) if root.is_dir() => Ok(false),
        Err(_) if root.exists() => {
            let reason = "the output directory is a file; name another with --out";
            Err(StoreError::unusable(root, reason))
        }
        Err(error) => Err(StoreError::io(root)(error)),
    }
}

/// Whether the lock file says that the creation of the directory was not completed.
fn is_beginning(root: &Path) -> bool {
    plain_file::read(&root.join(lock::FILE)).is_ok_and(|text| text == BEGINNING)
}

/// Checks that a run can begin in a directory: it is empty, or a process was killed while it created a run here.
fn expect_usable(root: &Path, is_beginning: bool) -> Result<(), StoreError> {
    let names = files(root)?;
    let is_lock = |path: &PathBuf| name_of(path) == lock::FILE;
    if names.iter().all(is_lock) || !RunDirectory::is_begun(root) && is_beginning {
        return Ok(());
    }
    let reason = "the output directory is not empty; name another with --out, or continue a run by \
                  `tiletune resume`";
    Err(StoreError::unusable(root, reason))
}

/// Checks that a directory contains only files and directories. It may come from an untrusted source: a write must not
/// follow a link out of the directory, or block on a pipe.
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

#[cfg(test)]
mod tests;
