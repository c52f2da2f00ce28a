//! Atomic writes: temporary name, sync, rename, sync of the directory.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use tempfile::{NamedTempFile, TempDir};

use super::StoreError;

/// Prefix of the names of unfinished files. Those of killed processes are removed when the run directory
/// is next opened for writing.
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
        let mut builder = tempfile::Builder::new();
        // Temporary files are private by default; results are readable like other files.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder
            .prefix(TEMPORARY_PREFIX)
            .tempfile_in(folder)
            .map_err(|error| StoreError::io(path)(plain(&error)))?;
        Ok(AtomicFile { file, path })
    }

    /// Where to write the contents.
    pub fn contents(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Gives the file its name; it replaces an older one.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn finish(self) -> Result<(), StoreError> {
        let path = self.path;
        let synced = self.file.as_file().sync_all();
        synced.map_err(StoreError::io(path))?;
        let persisted = self.file.persist(path);
        persisted.map_err(|error| StoreError::io(path)(error.error))?;
        sync_folder(path)
    }
}

/// Writes a whole file.
///
/// # Errors
/// As [`AtomicFile`].
pub fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), StoreError> {
    let mut file = AtomicFile::create(path)?;
    let written = file.contents().write_all(contents.as_ref());
    written.map_err(StoreError::io(path))?;
    file.finish()
}

/// Removes a file, if it exists.
///
/// # Errors
/// If it cannot be removed.
pub fn remove(path: &Path) -> Result<(), StoreError> {
    StoreError::found(path, std::fs::remove_file(path)).map(drop)
}

/// A folder that does not exist under its name until it is finished. It is removed if it is dropped
/// before.
pub struct AtomicFolder<'a> {
    folder: TempDir,
    path: &'a Path,
}

impl<'a> AtomicFolder<'a> {
    /// Begins a folder.
    ///
    /// # Errors
    /// If the folder around it is missing or cannot be written.
    pub fn create(path: &'a Path) -> Result<Self, StoreError> {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        let folder = builder
            .prefix(TEMPORARY_PREFIX)
            .tempdir_in(folder_of(path))
            .map_err(|error| StoreError::io(path)(plain(&error)))?;
        Ok(AtomicFolder { folder, path })
    }

    /// Its temporary path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Gives the folder its name.
    ///
    /// # Errors
    /// If the path is in use by now, or the disk fails.
    pub fn finish(self) -> Result<(), StoreError> {
        std::fs::rename(self.folder.path(), self.path).map_err(StoreError::io(self.path))?;
        // The temporary name no longer exists, so there is nothing to remove.
        let _ = self.folder.keep();
        sync_folder(self.path)
    }
}

/// The error without the temporary name, which means nothing to a user.
fn plain(error: &std::io::Error) -> std::io::Error {
    error.kind().into()
}

/// The folder that a path is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A rename is durable only after a sync of the directory.
fn sync_folder(path: &Path) -> Result<(), StoreError> {
    let folder = folder_of(path);
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(StoreError::io(folder))
}
