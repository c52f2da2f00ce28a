//! Folders of programs: paths that can be compared, and where a program lies after its run has moved. This module
//! must not start a process.

use std::io;
use std::path::{Component, Path, PathBuf};

/// The absolute path without `..`, so that a folder and what lies beside it begin with the same components.
///
/// # Errors
/// If the current folder is not known.
pub fn plain(path: &Path) -> io::Result<PathBuf> {
    // An empty path means the current folder.
    let absolute = std::path::absolute(Path::new(".").join(path))?;
    let short = without_parents(&absolute);
    // After a symbolic link `..` leads to another folder than the text of the path says.
    let real = absolute.canonicalize().ok();
    let is_same = real == short.canonicalize().ok();
    Ok(real.filter(|_| !is_same).unwrap_or(short))
}

fn without_parents(absolute: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for part in absolute.components() {
        if part == Component::ParentDir {
            short.pop();
        } else {
            short.push(part);
        }
    }
    short
}

/// The path at the same relative position from `to` as `path` has from `from`.
pub(super) fn moved_with(from: &Path, to: &Path, path: &Path) -> Option<PathBuf> {
    let (up, rest) = from.ancestors().enumerate().find_map(|(up, ancestor)| {
        let rest = path.strip_prefix(ancestor).ok()?;
        Some((up, rest))
    })?;
    // Without `components`, a join with an empty path would end with a separator.
    Some(to.ancestors().nth(up)?.join(rest).components().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_moves_with_a_run() {
        let of =
            |path: &str| moved_with(Path::new("/a/b/run"), Path::new("/x/y/run"), path.as_ref());
        assert_eq!(of("/a/b").unwrap(), Path::new("/x/y"));
        assert_eq!(of("/a/b/bin").unwrap(), Path::new("/x/y/bin"));
        assert_eq!(of("/a/c").unwrap(), Path::new("/x/c"));
        assert_eq!(of("/a/b/run/bin").unwrap(), Path::new("/x/y/run/bin"));
    }

    #[test]
    fn a_plain_path_has_no_parents() {
        for (path, expected) in [
            ("/nowhere/prog/../run", "/nowhere/run"),
            ("/nowhere/./run/", "/nowhere/run"),
            ("/../nowhere", "/nowhere"),
        ] {
            assert_eq!(plain(path.as_ref()).unwrap(), Path::new(expected));
        }
        let here = std::env::current_dir().unwrap();
        assert_eq!(plain(Path::new("")).unwrap(), here);
        assert_eq!(plain(Path::new("nowhere")).unwrap(), here.join("nowhere"));
    }

    #[cfg(unix)]
    #[test]
    fn a_plain_path_leads_where_the_path_leads() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("far/away")).unwrap();
        std::fs::create_dir(root.join("far/run")).unwrap();
        std::os::unix::fs::symlink(root.join("far/away"), root.join("link")).unwrap();
        assert_eq!(
            plain(&root.join("link/../run")).unwrap(),
            root.join("far/run")
        );
        assert_eq!(plain(&root.join("far/../link")).unwrap(), root.join("link"));
    }
}
