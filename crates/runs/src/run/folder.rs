//! The entries of folders.

use std::path::{Path, PathBuf};

use super::StoreError;

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
