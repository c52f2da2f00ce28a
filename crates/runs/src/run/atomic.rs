//! Atomic writes (temporary name, sync, rename, sync of the directory), and the entries of folders.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::NamedTempFile;

use super::StoreError;
use crate::plain_file;

/// Prefix of the names of unfinished files. Those of killed processes are removed when the run directory
/// is next opened for writing, or when something is next written into the folder, see [`sweep_abandoned`].
pub const TEMPORARY_PREFIX: &str = ".writing-";

/// A file that does not exist under its name until it is finished.
pub struct AtomicFile<'a> {
    file: NamedTempFile,
    path: &'a Path,
}

impl<'a> AtomicFile<'a> {
    /// Begins a file.
    ///
    /// # Errors
    /// If the directory is missing or cannot be written.
    pub fn create(path: &'a Path) -> Result<Self, StoreError> {
        let folder = folder_of(path);
        // The file is opened here. The crate would make it private, while results must be readable like other files.
        // Errors name the final path, because the temporary name means nothing to a user.
        let mut options = File::options();
        options.read(true).write(true).create_new(true);
        let file = tempfile::Builder::new()
            .prefix(TEMPORARY_PREFIX)
            .make_in(folder, |temporary| options.open(temporary))
            .map_err(StoreError::io(path))?;
        // The lock shows that this process is alive. On a file system without locks, unfinished files are never
        // removed.
        let _ = file.as_file().try_lock();
        Ok(AtomicFile { file, path })
    }

    /// The file that takes the contents.
    pub fn contents(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Appends to the contents.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn write(&mut self, contents: &[u8]) -> Result<(), StoreError> {
        let written = self.contents().write_all(contents);
        written.map_err(StoreError::io(self.path))
    }

    /// Waits until the contents are on the disk.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        let synced = self.file.as_file().sync_all();
        synced.map_err(StoreError::io(self.path))
    }

    /// Renames the synced file to its final name, and replaces an older file. Only a sync of the folder makes the
    /// rename durable.
    ///
    /// # Errors
    /// If the disk fails; then an older file is still there.
    pub fn rename(self) -> Result<(), StoreError> {
        rename(self.file, self.path).map_err(StoreError::io(self.path))
    }
}

#[cfg(not(windows))]
fn rename(file: NamedTempFile, path: &Path) -> std::io::Result<()> {
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// Closes the file first, because Windows lets nobody read a locked file. `rename` of the standard library also replaces
/// a file that another process reads.
#[cfg(windows)]
fn rename(file: NamedTempFile, path: &Path) -> std::io::Result<()> {
    let temporary = file.into_temp_path();
    std::fs::rename(&temporary, path)
}

/// Writes a whole file.
///
/// # Errors
/// As [`AtomicFile`].
pub fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), StoreError> {
    let mut file = AtomicFile::create(path)?;
    file.write(contents.as_ref())?;
    file.sync()?;
    file.rename()?;
    sync_folder(path)
}

/// Removes a file, if it exists.
///
/// # Errors
/// If it cannot be removed.
pub fn remove(path: &Path) -> Result<(), StoreError> {
    StoreError::found(path, std::fs::remove_file(path)).map(drop)
}

/// An unlocked temporary file that is older than this belongs to no process. The age is longer than the time between
/// creating and locking a file.
const ABANDONED: Duration = Duration::from_secs(60);

/// Removes the unfinished files that killed processes have left in a folder. A locked file stays, because a process is
/// writing it. A file that cannot be opened or removed also stays.
pub fn sweep_abandoned(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let is_unfinished = (entry.file_name().to_string_lossy()).starts_with(TEMPORARY_PREFIX);
        if is_unfinished && is_abandoned(&entry.path()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn is_abandoned(path: &Path) -> bool {
    let Ok(file) = plain_file::open(path, File::options().read(true)) else {
        return false;
    };
    let modified = file.metadata().and_then(|file| file.modified());
    let age = modified.ok().and_then(|modified| modified.elapsed().ok());
    age.is_some_and(|age| age > ABANDONED) && file.try_lock().is_ok()
}

/// The folder that a path is in.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Syncs the folder of a path, which makes a rename in it durable.
#[cfg(unix)]
pub(super) fn sync_folder(path: &Path) -> Result<(), StoreError> {
    let folder = folder_of(path);
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(StoreError::io(folder))
}

/// Other systems cannot open a folder. There the file system decides when a rename is durable.
#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> Result<(), StoreError> {
    Ok(())
}

/// The last component of a path; empty if it is not text.
pub(super) fn name_of(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str());
    name.unwrap_or_default()
}

/// Files of a folder in order of their names; none if the folder does not exist.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
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

    #[test]
    fn an_error_is_that_of_the_system_and_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing").join("x.json");
        let StoreError::Io {
            path: named,
            source,
        } = write(&path, "{}").unwrap_err()
        else {
            panic!("the folder is missing");
        };
        assert_eq!(named, path);
        let expected = std::fs::write(&path, "{}").unwrap_err();
        assert_eq!(source.to_string(), expected.to_string());
    }

    #[cfg(unix)]
    #[test]
    fn files_are_as_readable_as_others() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| {
            let file = std::fs::metadata(folder.path().join(name)).unwrap();
            file.permissions().mode()
        };
        write(&folder.path().join("atomic"), "").unwrap();
        std::fs::write(folder.path().join("other"), "").unwrap();
        assert_eq!(mode("atomic"), mode("other"));
    }

    #[test]
    fn only_old_files_that_nobody_writes_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let unfinished = |name: &str, minutes: u64| {
            let path = folder.path().join(format!("{TEMPORARY_PREFIX}{name}"));
            let file = File::create(&path).unwrap();
            let age = Duration::from_secs(60 * minutes);
            file.set_modified(std::time::SystemTime::now() - age)
                .unwrap();
            (path, file)
        };
        let (abandoned, _) = unfinished("abandoned", 5);
        let (young, _) = unfinished("young", 0);
        let (alive, file) = unfinished("alive", 5);
        file.try_lock().unwrap();
        let folder_of_others = folder.path().join(format!("{TEMPORARY_PREFIX}folder"));
        std::fs::create_dir(&folder_of_others).unwrap();
        sweep_abandoned(folder.path());
        assert!(!abandoned.exists());
        assert!(young.exists() && alive.exists() && folder_of_others.exists());
    }
}
