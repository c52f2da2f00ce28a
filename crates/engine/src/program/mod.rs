//! External programs whose parameters are tuned. A program is started as a process. It receives weights and
//! seeds, and it answers with numbers. How it computes them does not matter: it can play a game, or compute a
//! noisy function. `docs/external.md` describes the protocol for authors of programs.
//!
//! - [`declaration`]: the declaration in a file: command, limits, parameters
//! - [`folder`]: paths of folders, and where a program lies after its run has moved
//! - [`protocol`]: the lines to and from a program. It does not depend on processes, so that the lines can also
//!   be sent in another way, such as through a cluster
//! - `process`: one running program
//! - [`Program`]: a pool of processes, one for each thread that needs one; crashes, timeouts, non-deterministic
//!   games
//!
//! Only this module may start a process. It must not know players.

pub mod declaration;
pub mod folder;
mod pool;
mod process;
pub mod protocol;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::field_error::FieldError;
pub use pool::Program;

/// The external programs in use, and directories that have moved. Players with the same declaration share one
/// program and its processes, because an experiment can have many such players. Clones of this value share the
/// programs.
#[derive(Clone, Debug, Default)]
pub struct Programs(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    programs: Vec<Weak<Program>>,
    /// The working directory of all programs; it replaces the declared folders.
    folder: Option<PathBuf>,
    /// Directories of runs that have moved: the old and the new path.
    moved: Vec<(PathBuf, PathBuf)>,
}

impl Programs {
    /// Sets the working directory of all programs that are created from now on. It replaces their declared
    /// folders.
    pub fn work_in(&self, folder: PathBuf) {
        self.known().folder = Some(folder);
    }

    /// Records that the directory of a run has moved. If the folder of a program does not exist, it is searched
    /// at the same relative position from the new directory.
    pub fn moved(&self, from: PathBuf, to: PathBuf) {
        let pair = (from, to);
        let mut known = self.known();
        if pair.0 != pair.1 && !known.moved.contains(&pair) {
            known.moved.push(pair);
        }
    }

    /// The program of a declaration. A program that is in use is shared, unless it has failed.
    ///
    /// # Errors
    /// The errors of [`Program::read`].
    pub fn get(&self, table: &toml::Table) -> Result<Arc<Program>, FieldError> {
        let mut known = self.known();
        known.programs.retain(|program| program.strong_count() > 0);
        let mut in_use = known.programs.iter().filter_map(Weak::upgrade);
        let is_same =
            |program: &Arc<Program>| program.table() == table && program.failure().is_none();
        if let Some(program) = in_use.find(is_same) {
            return Ok(program);
        }
        let program = Program::read(table)?;
        let folder = known.folder_of(&program.declaration().folder);
        let program = Arc::new(program.in_folder(folder));
        known.programs.push(Arc::downgrade(&program));
        Ok(program)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// The actual working directory of a program that declares this folder.
    fn folder_of(&self, declared: &Path) -> PathBuf {
        if let Some(folder) = &self.folder {
            return folder.clone();
        }
        if declared.is_dir() {
            return declared.to_owned();
        }
        // A path with `..` has no beginning in common with the directory of the run.
        let plain = folder::plain(declared).ok();
        let Some(plain) = plain.filter(|_| declared.is_absolute()) else {
            return declared.to_owned();
        };
        let places = self.moved.iter();
        let mut places = places.filter_map(|(from, to)| folder::moved_with(from, to, &plain));
        let found = places.find(|place| place.is_dir());
        found.unwrap_or_else(|| declared.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_beside_a_run_that_moved() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("new/run");
        std::fs::create_dir_all(&root).unwrap();
        let table = toml::from_str("command = ['./a']\nfolder = '/nowhere/old'").unwrap();
        let programs = Programs::default();
        programs.moved("/nowhere/old/run".into(), root);
        let program = programs.get(&table).unwrap();
        assert_eq!(program.declaration().folder, folder.path().join("new"));
        // The declaration in runs and weights files must not change.
        assert_eq!(program.table(), &table);
        drop(program);
        programs.work_in("/elsewhere".into());
        let program = programs.get(&table).unwrap();
        assert_eq!(program.declaration().folder, Path::new("/elsewhere"));
    }
}
