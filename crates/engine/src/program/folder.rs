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

/// How the working directory of a program was found.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Origin {
    /// A file that the user wrote names it.
    Declared,
    /// A run or a weights file records it.
    Recorded,
    /// The recorded folder is gone; this one is at the same relative position from the run.
    Guessed {
        /// The folder that is gone.
        recorded: PathBuf,
    },
    /// The user gave it in the place of the recorded one.
    Given,
}

impl Origin {
    /// Advice if the program does not start in this folder; `None` if another folder would probably not help.
    pub(super) fn advice(&self, folder: &Path) -> Option<String> {
        match self {
            Origin::Declared | Origin::Given => None,
            Origin::Recorded => {
                Some("If the program has moved, name its folder: --program-folder DIR".to_owned())
            }
            Origin::Guessed { recorded } => Some(format!(
                "Its recorded folder {} is gone, so {} was guessed from the place of the run. If the program is \
                 elsewhere, name its folder: --program-folder DIR",
                recorded.display(),
                folder.display()
            )),
        }
    }
}

/// Options whose value is code or the name of a module, not a file.
const CODE: [&str; 3] = ["-c", "-e", "-m"];

/// True if a folder has the files that a command names. A command that names none fits every folder.
pub(super) fn has_files_of(folder: &Path, command: &[String]) -> bool {
    let is_missing = |(index, word): (usize, &String)| {
        let option = index.checked_sub(1).map(|before| command[before].as_str());
        let is_code = option.is_some_and(|option| CODE.contains(&option));
        // A program without a `/` is searched in `PATH`.
        let is_file = word.contains('/') || (index > 0 && has_extension(word));
        !is_code && is_file && is_relative_path(word) && !folder.join(word).exists()
    };
    folder.is_dir() && !command.iter().enumerate().any(is_missing)
}

/// True for `player.py`, but not for `0.5`.
fn has_extension(word: &str) -> bool {
    let extension = Path::new(word).extension();
    let extension = extension.and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| extension.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// True for a word that can be a relative path, but not for an option, a setting, an address or code.
fn is_relative_path(word: &str) -> bool {
    let is_other = |c: char| c.is_whitespace() || "=:;$`|&<>(){}'\"*".contains(c);
    Path::new(word).is_relative() && !word.starts_with(['-', '~']) && !word.contains(is_other)
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

    #[test]
    fn a_folder_has_the_files_of_a_command() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("bin")).unwrap();
        for file in ["player.py", "bin/player"] {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        let has = |command: &str| {
            let command: Vec<String> = command.split(' ').map(str::to_owned).collect();
            has_files_of(folder.path(), &command)
        };
        for command in [
            "python3 player.py",
            "./bin/player",
            "player.sh --fast",
            "python3 -m other.module",
            "/no/such/player player.py 0.5 --book=b.bin http://x.org/a -o",
        ] {
            assert!(has(command), "{command}");
        }
        for command in ["python3 other.py", "./player", "python3 player.py nn/a"] {
            assert!(!has(command), "{command}");
        }
        assert!(!has_files_of(
            Path::new("/no/such/folder"),
            &["a".to_owned()]
        ));
    }
}
