//! Programs outside of tiletune whose parameters are tuned. A program is started as a process and given weights
//! and seeds; it answers with numbers. What it does with them is its own affair: it can play a game, or compute
//! a noisy function. `docs/external.md` is the protocol for those who write a program.
//!
//! - [`declaration`]: what a file says of a program: command, limits, parameters
//! - [`protocol`]: the lines that go to a program and come back. It knows no process, so that another carrier
//!   than a pipe, such as a cluster, can use it
//! - `process`: one running program: started, asked, ended
//! - [`Program`]: as many processes as threads ask; crashes, time limits, games that do not repeat
//!
//! Only this module may start a process. It must not know players.

pub mod declaration;
mod pool;
mod process;
pub mod protocol;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::field_error::FieldError;
pub use pool::Program;

/// Programs that are in use, and where they lie if they have moved. Players with the same declaration share a program
/// and so its processes: an experiment has many of them. Clones share the programs.
#[derive(Clone, Debug, Default)]
pub struct Programs(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    programs: Vec<Weak<Program>>,
    /// The working directory of all programs, in the place of the declared ones.
    folder: Option<PathBuf>,
    /// Directories of runs that have moved: where they were and where they are.
    moved: Vec<(PathBuf, PathBuf)>,
}

impl Programs {
    /// All programs that are not started yet work in this folder, whatever their declarations say.
    pub fn work_in(&self, folder: PathBuf) {
        self.known().folder = Some(folder);
    }

    /// A directory of a run is now at another place. A program whose folder is missing is looked for where it lay from
    /// the directory.
    pub fn moved(&self, from: PathBuf, to: PathBuf) {
        let pair = (from, to);
        let mut known = self.known();
        if pair.0 != pair.1 && !known.moved.contains(&pair) {
            known.moved.push(pair);
        }
    }

    /// The program of a declaration. One that has failed is not given again.
    ///
    /// # Errors
    /// As [`Program::read`].
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
    /// Where a program works that declares this folder.
    fn folder_of(&self, declared: &Path) -> PathBuf {
        if let Some(folder) = &self.folder {
            return folder.clone();
        }
        if declared.is_dir() {
            return declared.to_owned();
        }
        let places = self.moved.iter();
        let mut places = places.filter_map(|(from, to)| moved_with(from, to, declared));
        let found = places.find(|place| place.is_dir());
        found.unwrap_or_else(|| declared.to_owned())
    }
}

/// A path that lay at some place from the directory `from`, from the directory `to`.
fn moved_with(from: &Path, to: &Path, path: &Path) -> Option<PathBuf> {
    let (up, rest) = from.ancestors().enumerate().find_map(|(up, ancestor)| {
        let rest = path.strip_prefix(ancestor).ok()?;
        Some((up, rest))
    })?;
    // Joined with nothing, a path would end with a separator.
    Some(to.ancestors().nth(up)?.join(rest).components().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_beside_a_run_that_moved() {
        let of =
            |path: &str| moved_with(Path::new("/a/b/run"), Path::new("/x/y/run"), path.as_ref());
        assert_eq!(of("/a/b").unwrap(), Path::new("/x/y"));
        assert_eq!(of("/a/b/bin").unwrap(), Path::new("/x/y/bin"));
        assert_eq!(of("/a/c").unwrap(), Path::new("/x/c"));
        assert_eq!(of("/a/b/run/bin").unwrap(), Path::new("/x/y/run/bin"));

        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("new/run");
        std::fs::create_dir_all(&root).unwrap();
        let table = toml::from_str("command = ['./a']\nfolder = '/nowhere/old'").unwrap();
        let programs = Programs::default();
        programs.moved("/nowhere/old/run".into(), root);
        let program = programs.get(&table).unwrap();
        assert_eq!(program.declaration().folder, folder.path().join("new"));
        // What runs and weights carry stays.
        assert_eq!(program.table(), &table);
        drop(program);
        programs.work_in("/elsewhere".into());
        let program = programs.get(&table).unwrap();
        assert_eq!(program.declaration().folder, Path::new("/elsewhere"));
    }
}
