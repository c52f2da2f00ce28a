//! The files of an open run directory and their list (see [`inventory`](crate::inventory)).
//!
//! A file is written under a temporary name and synced. Then its line is appended to the list and synced. Then the file
//! gets its name. So a process that is killed at any point leaves at most one line whose file is missing or outdated.
//! That line is dropped when the directory is next opened for writing, unless the manifest records it. A file without a
//! line does not count: it is computed again.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::atomic::{AtomicFile, sync_folder};
use super::logs::Log;
use super::{StoreError, atomic};
use crate::inventory::{self, ATTEMPTS, FileName, Fingerprint, Inventory, PAUSE, Record};
use crate::plain_file;

/// Largest number of files that an error names besides the first damaged one. Each check can wait for a process that
/// writes the file.
const MOST_NAMED: usize = 20;

/// The finished files of a run directory.
pub(super) struct RunFiles {
    root: PathBuf,
    /// Number of lines of the list that the manifest records.
    known: u64,
    state: Mutex<FilesState>,
}

struct FilesState {
    inventory: Inventory,
    /// Time at which this process wrote each file.
    written: BTreeMap<FileName, Instant>,
    /// `Some` if the directory is locked for writing.
    log: Option<Log>,
}

impl RunFiles {
    /// The empty list of a directory that is not created yet.
    pub(super) fn none(root: &Path) -> Self {
        RunFiles {
            root: root.to_owned(),
            known: 0,
            state: Mutex::new(FilesState {
                inventory: Inventory::default(),
                written: BTreeMap::new(),
                log: None,
            }),
        }
    }

    /// Reads the list. The manifest records `known` lines of it.
    pub(super) fn read(root: &Path, known: u64) -> Result<Self, StoreError> {
        let files = RunFiles {
            known,
            ..RunFiles::none(root)
        };
        files.reload()?;
        Ok(files)
    }

    fn reload(&self) -> Result<(), StoreError> {
        let damaged = |reason| StoreError::damaged(&self.root.join(inventory::FILE), reason);
        let mut records = inventory::read(&self.root).map_err(damaged)?;
        if inventory::is_unfinished(&self.root, &records, self.known) {
            records.pop();
        }
        self.lock().inventory = Inventory::of(records);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, FilesState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the list of a locked directory for appending. If there are more than `known` lines, the last one is
    /// dropped if its file was not finished.
    pub(super) fn open_for_writing(&self, known: u64) -> Result<(), StoreError> {
        let path = self.root.join(inventory::FILE);
        let mut log = Log::open(&path)?;
        let mut records: Vec<Record> = super::logs::read(&path)?;
        if inventory::is_unfinished(&self.root, &records, known) {
            log.drop_last()?;
            records.pop();
        }
        let inventory = Inventory::of(records);
        // A process can have been killed after it recorded a removal and before it removed the file.
        for name in inventory.removed() {
            let path = name.path_in(&self.root);
            atomic::remove(&path.map_err(StoreError::io(&self.root))?)?;
        }
        *self.lock() = FilesState {
            inventory,
            written: BTreeMap::new(),
            log: Some(log),
        };
        Ok(())
    }

    /// Adds lines. The caller renames or removes the files after that. Deferred lines are synced with the next lines
    /// that are not deferred.
    fn record(&self, records: Vec<Record>, is_deferred: bool) -> Result<(), StoreError> {
        let mut state = self.lock();
        let Some(log) = &mut state.log else {
            let reason = "the directory is open for reading only";
            return Err(StoreError::unusable(&self.root, reason));
        };
        log.append_all(&records)?;
        // After a failed sync the caller does not rename the files, so their lines must not stay.
        if !is_deferred && let Err(error) = log.sync() {
            for _ in &records {
                log.drop_last()?;
            }
            return Err(error);
        }
        for record in records {
            state.written.insert(record.file.clone(), Instant::now());
            state.inventory.add(record);
        }
        Ok(())
    }

    /// Removes the last line of the list if it belongs to this file.
    fn take_back(&self, name: &FileName) -> Result<(), StoreError> {
        let mut state = self.lock();
        let mut records: Vec<Record> = super::logs::read(&self.root.join(inventory::FILE))?;
        if let Some(log) = &mut state.log
            && records.pop_if(|last| last.file == *name).is_some()
        {
            log.drop_last()?;
            state.inventory = Inventory::of(records);
        }
        Ok(())
    }

    /// Reads a file, and checks that its contents are the written ones.
    fn contents(&self, name: &FileName) -> Result<Vec<u8>, StoreError> {
        let path = name.path_in(&self.root);
        let path = path.map_err(StoreError::io(&self.root))?;
        let mut attempts = 0..ATTEMPTS;
        loop {
            let contents = StoreError::found(&path, plain_file::read(&path))?;
            let checked = match &contents {
                Some(contents) => self.lock().inventory.check(name, contents),
                None => Err("the file is missing".into()),
            };
            match (checked, contents) {
                (Ok(()), Some(contents)) => return Ok(contents),
                // Another process may have written the line, but not yet renamed the file.
                _ if self.lock().log.is_none() && attempts.next().is_some() => {
                    std::thread::sleep(PAUSE);
                    self.reload()?;
                }
                (Err(reason), _) => return Err(StoreError::damaged(&path, reason)),
                (Ok(()), None) => unreachable!("what is missing is not checked"),
            }
        }
    }

    /// The names of all files, in order.
    pub(super) fn names(&self) -> Vec<FileName> {
        self.lock().inventory.names().cloned().collect()
    }

    /// The names of the files that this process has written since this instant, in order.
    pub(super) fn written_since(&self, since: Instant) -> Vec<FileName> {
        let state = self.lock();
        let is_new = |name: &&FileName| state.written.get(*name).is_some_and(|time| *time >= since);
        state.inventory.names().filter(is_new).cloned().collect()
    }

    /// The chosen files that are missing or damaged.
    pub(super) fn damaged(
        &self,
        is_chosen: impl Fn(&str) -> bool,
    ) -> Result<Vec<FileName>, StoreError> {
        let mut damaged = Vec::new();
        for name in self.names().into_iter().filter(|name| is_chosen(name)) {
            match self.contents(&name) {
                Ok(_) => {}
                Err(StoreError::Damaged { .. }) => damaged.push(name),
                Err(error) => return Err(error),
            }
        }
        Ok(damaged)
    }

    /// Reads every chosen file; returns the number of bytes. The error names the damaged files, at most [`MOST_NAMED`]
    /// besides the first.
    pub(super) fn check(&self, is_chosen: impl Fn(&str) -> bool) -> Result<u64, StoreError> {
        let mut bytes = 0;
        let mut first = None;
        let mut others: Vec<String> = Vec::new();
        for name in self.names().into_iter().filter(|name| is_chosen(name)) {
            match self.contents(&name) {
                Ok(contents) => bytes += contents.len() as u64,
                Err(StoreError::Damaged { path, reason }) if first.is_none() => {
                    first = Some((path, reason));
                }
                Err(StoreError::Damaged { .. }) => others.push(name.into()),
                Err(error) => return Err(error),
            }
            if others.len() == MOST_NAMED {
                others.push("and there may be more".into());
                break;
            }
        }
        match first {
            None => Ok(bytes),
            Some((path, reason)) if others.is_empty() => Err(StoreError::damaged(&path, reason)),
            Some((path, reason)) => {
                let others = others.join(", ");
                let reason = format!("{reason}; also missing or damaged: {others}");
                Err(StoreError::damaged(&path, reason))
            }
        }
    }
}

/// A file of a run directory. In tests, and for results that are written elsewhere, any other file.
#[derive(Clone)]
pub struct RunFile {
    path: PathBuf,
    /// For a file of a run directory: the list of files, and the name in it.
    listed: Option<(Arc<RunFiles>, FileName)>,
    is_deferred: bool,
}

impl Deref for RunFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

impl RunFile {
    pub(super) fn of(files: &Arc<RunFiles>, name: FileName) -> Self {
        RunFile {
            path: files.root.join(name.as_str()),
            listed: Some((Arc::clone(files), name)),
            is_deferred: false,
        }
    }

    /// A file outside of a run directory. It is in no list.
    pub fn outside(path: impl Into<PathBuf>) -> Self {
        RunFile {
            path: path.into(),
            listed: None,
            is_deferred: false,
        }
    }

    /// A new file that counts only together with a file that is written later. So the sync of its line can wait.
    pub fn deferred(mut self) -> Self {
        self.is_deferred = true;
        self
    }

    /// Whether it was written.
    pub fn exists(&self) -> bool {
        match &self.listed {
            Some((files, name)) => files.lock().inventory.get(name).is_some(),
            None => self.path.exists(),
        }
    }

    /// Its contents.
    ///
    /// # Errors
    /// If it is missing or cannot be read, or these are not the contents that were written.
    pub fn read(&self) -> Result<Vec<u8>, StoreError> {
        match &self.listed {
            Some((files, name)) => files.contents(name),
            None => plain_file::read(&self.path).map_err(StoreError::io(&self.path)),
        }
    }

    /// Writes it atomically.
    ///
    /// # Errors
    /// If the disk is full or fails, or the directory is not open for writing.
    pub fn write(&self, contents: impl AsRef<[u8]>) -> Result<(), StoreError> {
        let mut file = AtomicFile::create(&self.path)?;
        file.write(contents.as_ref())?;
        self.finish(file, contents.as_ref())
    }

    /// Records the written contents and renames the file to its name. Does nothing if the file has these contents
    /// already, so that the results of a complete run can be computed again without changing its files.
    pub(super) fn finish(&self, mut file: AtomicFile, contents: &[u8]) -> Result<(), StoreError> {
        if self.is_listed_as(contents)
            && plain_file::read(&self.path).is_ok_and(|is| is == contents)
        {
            return Ok(());
        }
        let fits = plain_file::expect_readable(&self.path, contents.len() as u64);
        fits.map_err(StoreError::io(&self.path))?;
        file.sync()?;
        if let Some((files, name)) = &self.listed {
            let record = Record {
                file: name.clone(),
                written: Some(Fingerprint::of(contents)),
            };
            // The line of a file that replaces another one must be on the disk before the rename. Otherwise a crash
            // could leave the new file with the old line.
            let is_deferred = self.is_deferred && !self.exists();
            files.record(vec![record], is_deferred)?;
        }
        let renamed = file.rename();
        if let (Err(_), Some((files, name))) = (&renamed, &self.listed) {
            // The rename failed, so the list must not contain the new file.
            files.take_back(name)?;
        }
        renamed?;
        // If this fails, the list and the file still agree, as far as this process can know.
        sync_folder(&self.path)
    }

    /// Whether the list contains the file with these contents.
    fn is_listed_as(&self, contents: &[u8]) -> bool {
        let listed = self.listed.as_ref();
        listed.is_some_and(|(files, name)| {
            let state = files.lock();
            state.inventory.check(name, contents).is_ok()
        })
    }

    /// Removes it, if it exists.
    ///
    /// # Errors
    /// If it cannot be removed, or the directory is not open for writing.
    pub fn remove(&self) -> Result<(), StoreError> {
        remove_all(std::slice::from_ref(self))
    }
}

/// Removes the files that exist.
///
/// # Errors
/// As [`RunFile::remove`].
pub fn remove_all(parts: &[RunFile]) -> Result<(), StoreError> {
    let existing = parts.iter().filter(|part| part.exists());
    let listed = existing.filter_map(|part| part.listed.as_ref());
    let records: Vec<Record> = listed
        .map(|(_, name)| Record {
            file: name.clone(),
            written: None,
        })
        .collect();
    let files = parts.iter().find_map(|part| part.listed.as_ref());
    if let Some((files, _)) = files.filter(|_| !records.is_empty()) {
        files.record(records, false)?;
    }
    parts.iter().try_for_each(|part| atomic::remove(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(files: &Arc<RunFiles>, name: &str) -> RunFile {
        RunFile::of(files, FileName::new(name).unwrap())
    }

    /// A list with the files `a` and `b`, and its number of lines.
    fn written(root: &Path) -> (Arc<RunFiles>, u64) {
        let files = Arc::new(RunFiles::none(root));
        files.open_for_writing(0).unwrap();
        for name in ["a", "b"] {
            part(&files, name).write(name).unwrap();
        }
        (files, 2)
    }

    fn reopened(root: &Path, known: u64) -> Arc<RunFiles> {
        let files = Arc::new(RunFiles::none(root));
        files.open_for_writing(known).unwrap();
        files
    }

    #[test]
    fn only_what_was_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let (files, _) = written(root);
        let part = |name: &str| part(&files, name);
        assert_eq!(part("a").read().unwrap(), b"a");
        assert_eq!(files.check(|_| true).unwrap(), 2);
        std::fs::copy(root.join("b"), root.join("a")).unwrap();
        let error = part("a").read().unwrap_err().to_string();
        assert!(error.contains("SHA-256"), "{error}");
        std::fs::remove_file(root.join("a")).unwrap();
        let error = part("a").read().unwrap_err().to_string();
        assert!(error.ends_with("the file is missing"), "{error}");
        assert!(files.check(|_| true).is_err());
        std::fs::write(root.join("c"), "").unwrap();
        assert!(!part("c").exists() && part("c").read().is_err());
    }

    #[test]
    fn the_line_of_a_file_that_a_killed_process_had_not_named_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let (files, known) = written(root);
        // The third line is written, but the new `b` is not.
        let old = std::fs::read(root.join("b")).unwrap();
        part(&files, "b").write("new").unwrap();
        std::fs::write(root.join("b"), old).unwrap();
        drop(files);
        let files = reopened(root, known);
        assert_eq!(part(&files, "b").read().unwrap(), b"b");
        // The next line replaces the dropped one.
        part(&files, "c").write("c").unwrap();
        drop(files);
        let files = reopened(root, 3);
        let names: Vec<String> = files.names().into_iter().map(String::from).collect();
        assert_eq!(names, ["a", "b", "c"]);

        // A line that the manifest records is not dropped, so the damage is an error.
        std::fs::remove_file(root.join("c")).unwrap();
        drop(files);
        assert!(reopened(root, 3).check(|_| true).is_err());
        assert!(reopened(root, 2).check(|_| true).is_ok());
    }

    #[test]
    fn every_damaged_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let files = Arc::new(RunFiles::none(folder.path()));
        files.open_for_writing(0).unwrap();
        let names: Vec<String> = (10..40).map(|number| format!("part-{number}")).collect();
        for name in &names {
            part(&files, name).write("contents").unwrap();
        }
        let damage = |names: &[String]| {
            for name in names {
                std::fs::write(folder.path().join(name), "Contents").unwrap();
            }
            files.check(|_| true).unwrap_err().to_string()
        };
        let one = damage(&names[1..2]);
        assert!(one.contains("part-11: ") && !one.contains("also"), "{one}");
        let three = damage(&names[..3]);
        assert!(three.contains("part-10: "), "{three}");
        assert!(three.ends_with("also missing or damaged: part-11, part-12"));
        let all = damage(&names);
        assert!(
            all.ends_with("part-29, part-30, and there may be more"),
            "{all}"
        );
    }

    #[test]
    fn a_removal_is_completed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let (files, _) = written(root);
        let parts = ["a", "b"].map(|name| part(&files, name));
        remove_all(&parts).unwrap();
        assert!(!root.join("a").exists() && files.names().is_empty());
        std::fs::write(root.join("b"), "b").unwrap();
        drop(files);
        reopened(root, 0);
        assert!(!root.join("b").exists());
    }
}
