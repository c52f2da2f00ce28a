//! Names of runs in URLs: the path of a run relative to the results folder, with `/` between its components. No name
//! leads out of the folder, and links are not followed. This module must not open a file.

use std::path::{Component, Path, PathBuf};

use crate::run::manifest;

/// The directory of the run with this name; `None` if there is no such run.
pub(in crate::web) fn directory(results: &Path, name: &str) -> Option<PathBuf> {
    folder_with(results, name, manifest::FILE)
}

/// The folder with this name; `None` if there is none that has this file.
pub(in crate::web) fn folder_with(results: &Path, name: &str, file: &str) -> Option<PathBuf> {
    let mut path = results.to_owned();
    for part in name.split('/') {
        if !is_plain(part) {
            return None;
        }
        path.push(part);
        // A link is not accepted as a folder.
        std::fs::symlink_metadata(&path)
            .ok()
            .filter(|found| found.is_dir())?;
    }
    let found = std::fs::symlink_metadata(path.join(file));
    found.is_ok_and(|found| found.is_file()).then_some(path)
}

/// Whether this is a single component of a path: no separator, no parent folder, no hidden folder.
fn is_plain(part: &str) -> bool {
    let mut components = Path::new(part).components();
    let first = components.next();
    let is_one = matches!(first, Some(Component::Normal(name)) if name == part);
    is_one && components.next().is_none() && !part.starts_with('.') && !part.contains(['\\', '\0'])
}

/// The name of a run directory.
pub(in crate::web) fn name(results: &Path, path: &Path) -> String {
    let below = path.strip_prefix(results).unwrap_or(path);
    let parts = below.iter().map(|part| part.to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

/// A message without the path of the results folder.
pub(in crate::web) fn message(results: &Path, text: &str) -> String {
    let prefix = format!("{}{}", results.display(), std::path::MAIN_SEPARATOR);
    text.replace(&prefix, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let results = folder.path().join("results");
        for run in [
            "results/a",
            "results/series/runs/1",
            "results/.hidden",
            "outside",
        ] {
            let root = folder.path().join(run);
            std::fs::create_dir_all(&root).unwrap();
            std::fs::write(root.join(manifest::FILE), "{}").unwrap();
        }
        std::fs::create_dir(results.join("empty")).unwrap();
        #[cfg(unix)]
        for (to, link) in [("../outside", "link"), ("a", "inner")] {
            std::os::unix::fs::symlink(to, results.join(link)).unwrap();
        }
        for found in ["a", "series/runs/1"] {
            let path = directory(&results, found).unwrap();
            assert_eq!(path, results.join(found));
            assert_eq!(name(&results, &path), found);
        }
        let absolute = folder.path().join("outside");
        let absolute = absolute.to_str().unwrap();
        for refused in [
            "",
            ".",
            "..",
            "../outside",
            "a/../../outside",
            "a/..",
            "a/",
            "/a",
            "a//b",
            "./a",
            "link",
            "inner",
            "link/x",
            ".hidden",
            "empty",
            "missing",
            "a\0",
            "a\\..",
            "..\\outside",
            absolute,
        ] {
            assert_eq!(directory(&results, refused), None, "{refused:?}");
        }
    }

    #[test]
    fn messages_do_not_say_where_the_folder_is() {
        let text = "/home/me/results/a/files.jsonl: line 3 is damaged";
        let text = message(Path::new("/home/me/results"), text);
        assert_eq!(text, "a/files.jsonl: line 3 is damaged");
    }
}
