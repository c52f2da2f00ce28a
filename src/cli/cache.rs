//! The folder in which players keep long computations, such as the solution of a board. This module must not write.

use std::path::PathBuf;

/// The folder of the program in the user's cache folder; `None` if there is none.
pub(super) fn of_user() -> Option<PathBuf> {
    let of = |name: &str| {
        let folder = std::env::var_os(name).map(PathBuf::from);
        folder.filter(|folder| folder.is_absolute())
    };
    let folder = if cfg!(windows) {
        of("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        of("HOME").map(|home| home.join("Library/Caches"))
    } else {
        of("XDG_CACHE_HOME").or_else(|| Some(of("HOME")?.join(".cache")))
    };
    folder.map(|folder| folder.join("tiletune"))
}
