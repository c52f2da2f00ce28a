//! Names of files that cannot lie outside of a directory.

use std::borrow::Borrow;
use std::fmt;
use std::io;
use std::ops::Deref;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The name of a file relative to a run directory, with `/` between its components. Each component is an ordinary name,
/// so a list from an untrusted source cannot name a file outside of the directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FileName(String);

impl FileName {
    /// Checks a name.
    ///
    /// # Errors
    /// The reason if it is empty or absolute, or has a component such as `..`.
    pub fn new(name: impl Into<String>) -> Result<Self, String> {
        let name = name.into();
        let mut components = Path::new(&name).components();
        let is_ordinary = components.all(|one| matches!(one, Component::Normal(_)));
        let is_plain = name.split('/').all(|one| !one.is_empty() && one != ".");
        if is_ordinary && is_plain && !name.contains('\0') {
            Ok(FileName(name))
        } else {
            Err(format!(
                "`{}` is not the name of a file inside of a run directory",
                name.escape_debug()
            ))
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path of the file in a directory.
    ///
    /// # Errors
    /// If a parent folder is not a folder, but for example a symbolic link.
    pub fn path_in(&self, root: &Path) -> io::Result<PathBuf> {
        let path = root.join(&self.0);
        let below = path.ancestors().skip(1).take_while(|one| *one != root);
        for folder in below {
            match std::fs::symlink_metadata(folder) {
                Ok(found) if !found.is_dir() => {
                    let reason = format!("{} is not a folder", folder.display());
                    return Err(io::Error::other(reason));
                }
                _ => {}
            }
        }
        Ok(path)
    }
}

impl TryFrom<String> for FileName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        FileName::new(name)
    }
}

impl From<FileName> for String {
    fn from(name: FileName) -> String {
        name.0
    }
}

impl Deref for FileName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for FileName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_names_inside_are_allowed() {
        for name in ["best.toml", "tables/race/race.parquet", "..a/b..", "a b\n"] {
            assert_eq!(FileName::new(name).unwrap().as_str(), name);
        }
        for name in [
            "",
            "/",
            "/etc/x",
            "..",
            "../x",
            "a/../x",
            "a/../../x",
            ".",
            "./x",
            "a/./x",
            "a//x",
            "a/",
            "a\0b",
        ] {
            assert!(FileName::new(name).is_err(), "{name}");
            let line = serde_json::json!(name).to_string();
            assert!(serde_json::from_str::<FileName>(&line).is_err(), "{name}");
        }
    }

    proptest! {
        #[test]
        fn a_name_stays_inside(parts in prop::collection::vec("[a./]{0,3}", 0..6)) {
            let root = Path::new("/run");
            if let Ok(name) = FileName::new(parts.join("/")) {
                let mut depth = 0;
                for component in name.path_in(root).unwrap().strip_prefix(root).unwrap().components() {
                    prop_assert!(matches!(component, Component::Normal(_)));
                    depth += 1;
                }
                prop_assert!(depth > 0);
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_linked_folder_is_outside() {
        let folder = tempfile::tempdir().unwrap();
        let (root, elsewhere) = (folder.path().join("run"), folder.path().join("elsewhere"));
        std::fs::create_dir(&root).unwrap();
        std::fs::create_dir(&elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, root.join("tables")).unwrap();
        let name = FileName::new("tables/x").unwrap();
        assert!(
            name.path_in(&root)
                .unwrap_err()
                .to_string()
                .ends_with("tables is not a folder")
        );
        assert!(name.path_in(&elsewhere).is_ok());
    }
}
