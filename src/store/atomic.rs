//! Files that appear whole or not at all: temporary name, sync, rename, sync of the directory.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use tempfile::NamedTempFile;

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
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        // Temporary files are private by default; results are for whoever may read the directory.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder
            .prefix(TEMPORARY_PREFIX)
            .tempfile_in(folder)
            .map_err(StoreError::io(path))?;
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

/// A rename is on disk only once its directory is.
fn sync_folder(path: &Path) -> Result<(), StoreError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(StoreError::io(folder))
}
