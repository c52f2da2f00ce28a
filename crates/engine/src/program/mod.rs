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
use declaration::Declaration;
use folder::Origin;
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
    /// True if programs declare the folder in which they are started, in the place of the declared one.
    records_actual: bool,
    /// True after a run or a weights file was read: since it was written its programs can have moved.
    has_records: bool,
    /// Receives a line about each guessed folder.
    tell: Option<fn(&str)>,
    /// The lines that it has received.
    told: Vec<String>,
}

impl Programs {
    /// Sets the working directory of all programs that are created from now on. It replaces their declared
    /// folders.
    pub fn work_in(&self, folder: PathBuf) {
        self.known().folder = Some(folder);
    }

    /// From now on, programs declare the folder in which they are started. For new runs, which record this
    /// declaration: they need not be told again where the program is.
    pub fn record_actual_folders(&self) {
        self.known().records_actual = true;
    }

    /// From now on, passes a line to `tell` for each program whose folder is guessed.
    pub fn tell_guesses(&self, tell: fn(&str)) {
        self.known().tell = Some(tell);
    }

    /// Records that declarations come from a run or a weights file, and not only from files of the user.
    pub fn have_records(&self) {
        self.known().has_records = true;
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
        if let Some(program) = known.in_use(table) {
            return Ok(program);
        }
        let program = Program::read(table)?;
        let (folder, origin) = known.place_of(program.declaration());
        known.tell_guess(program.declaration(), &folder, &origin);
        let mut program = program.in_folder(folder, origin);
        if known.records_actual {
            program = program.with_actual_folder();
            if let Some(program) = known.in_use(program.table()) {
                return Ok(program);
            }
        }
        let program = Arc::new(program);
        known.programs.push(Arc::downgrade(&program));
        Ok(program)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// A program in use with this declaration that has not failed.
    fn in_use(&self, table: &toml::Table) -> Option<Arc<Program>> {
        let mut in_use = self.programs.iter().filter_map(Weak::upgrade);
        in_use.find(|program| program.table() == table && program.failure().is_none())
    }

    /// The actual working directory of a declared program.
    fn place_of(&self, declaration: &Declaration) -> (PathBuf, Origin) {
        if let Some(folder) = &self.folder {
            return (folder.clone(), Origin::Given);
        }
        let recorded = declaration.folder.clone();
        if !recorded.is_dir()
            && let Some(guess) = self.guess(declaration)
        {
            return (guess, Origin::Guessed { recorded });
        }
        let origin = if self.has_records {
            Origin::Recorded
        } else {
            Origin::Declared
        };
        (recorded, origin)
    }

    /// The folder at the place of the declared one that a run has moved to. Only a folder with the files of the command
    /// is one: if the run has moved alone, any folder can be there.
    fn guess(&self, declaration: &Declaration) -> Option<PathBuf> {
        let declared = &declaration.folder;
        // A path with `..` has no beginning in common with the directory of the run.
        let plain = folder::plain(declared).ok();
        let plain = plain.filter(|_| declared.is_absolute())?;
        let places = self.moved.iter();
        let mut places = places.filter_map(|(from, to)| folder::moved_with(from, to, &plain));
        places.find(|place| folder::has_files_of(place, &declaration.command))
    }

    /// Tells once that a folder is guessed.
    fn tell_guess(&mut self, declaration: &Declaration, folder: &Path, origin: &Origin) {
        let (Some(tell), Origin::Guessed { recorded }) = (self.tell, origin) else {
            return;
        };
        let line = format!(
            "the folder of the program `{}`, {}, is gone; at the same place from the run there is {}, which is used \
             (--program-folder DIR names another)",
            declaration.command.join(" "),
            recorded.display(),
            folder.display()
        );
        if !self.told.contains(&line) {
            tell(&line);
            self.told.push(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(unix)]
    use crate::stop::Stop;

    #[test]
    fn a_program_is_found_beside_a_run_that_moved() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("new/run");
        std::fs::create_dir_all(&root).unwrap();
        let table = toml::from_str("command = ['./a']\nfolder = '/nowhere/old'").unwrap();
        let programs = Programs::default();
        programs.moved("/nowhere/old/run".into(), root);
        // Without the file of the command the folder is that of something else.
        let program = programs.get(&table).unwrap();
        assert_eq!(program.declaration().folder, Path::new("/nowhere/old"));
        drop(program);
        std::fs::write(folder.path().join("new/a"), "").unwrap();
        let program = programs.get(&table).unwrap();
        assert_eq!(program.declaration().folder, folder.path().join("new"));
        // The declaration in runs and weights files must not change.
        assert_eq!(program.table(), &table);
        drop(program);
        programs.work_in("/elsewhere".into());
        let program = programs.get(&table).unwrap();
        assert_eq!(program.declaration().folder, Path::new("/elsewhere"));
    }

    #[test]
    fn a_new_run_records_where_its_program_is() {
        let table = toml::from_str("command = ['./a']\nfolder = '/nowhere/old'").unwrap();
        let programs = Programs::default();
        programs.record_actual_folders();
        let program = programs.get(&table).unwrap();
        assert_eq!(program.table(), &table);
        drop(program);
        programs.work_in("/elsewhere".into());
        let program = programs.get(&table).unwrap();
        assert_eq!(program.table()["folder"].as_str(), Some("/elsewhere"));
        // Both declarations mean the same processes.
        assert!(Arc::ptr_eq(&program, &programs.get(&table).unwrap()));
        let again = programs.get(program.table()).unwrap();
        assert!(Arc::ptr_eq(&program, &again));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_is_warmed_up_starts_nothing_for_its_tasks() {
        let folder = tempfile::tempdir().unwrap();
        let script = r#"echo >> starts
            echo '{"protocol": 1, "program": "p", "parameters": [], "numbers": ["score"]}'
            while read -r task; do echo '{"score": [7]}'; done"#;
        let mut table = toml::Table::new();
        table.insert("command".into(), vec!["sh", "-c", script].into());
        let place = folder.path().display().to_string();
        table.insert("folder".into(), place.into());
        let program = Programs::default().get(&table).unwrap();
        program.warm_up(3, Stop::never());
        let starts = || std::fs::read(folder.path().join("starts")).unwrap().len();
        assert_eq!(starts(), 3);
        let games = program.play("{}", &[5], Stop::never()).unwrap();
        assert_eq!((games.len(), games[0].seed), (1, 5));
        program.warm_up(3, Stop::never());
        assert_eq!(starts(), 3);
    }
}
