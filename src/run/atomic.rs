//! Files that appear whole or not at all: temporary name, sync, rename, sync of the directory.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use tempfile::{NamedTempFile, TempDir};

use super::StoreError;

/// How the names of unfinished files begin; whatever a killed process left of them is swept when
/// its run directory is next opened.
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
        // Temporary files are private by default; results are for whoever may read the directory.
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

    /// Makes the file appear under its name, in the place of an older one.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn finish(self) -> Result<(), StoreError> {
        let path = self.path;
        self.file
            .as_file()
            .sync_all()
            .map_err(StoreError::io(path))?;
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
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(StoreError::io(path)(error))
        }
        _ => Ok(()),
    }
}

/// A folder that does not exist under its name until it is finished; dropped before, it goes.
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

    /// Where it is until it is finished.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Makes the folder appear under its name.
    ///
    /// # Errors
    /// If something else is there by now, or the disk fails.
    pub fn finish(self) -> Result<(), StoreError> {
        std::fs::rename(self.folder.path(), self.path).map_err(StoreError::io(self.path))?;
        // There is nothing left under the temporary name to remove.
        let _ = self.folder.keep();
        sync_folder(self.path)
    }
}

/// The error without the temporary name, which says nothing to anyone.
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

/// A rename is on disk only once its directory is.
fn sync_folder(path: &Path) -> Result<(), StoreError> {
    let folder = folder_of(path);
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(StoreError::io(folder))
}
