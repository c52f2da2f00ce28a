//! The lifecycle of every run: begin, open, resume, execute, end. This module must not name a kind of run.

use std::path::Path;
use std::time::Instant;

use super::RunPlan;
use crate::run::manifest::{Manifest, Session, Status};
use crate::run::{Control, RunDirectory, RunError, StoreError, Task};
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::program::folder;
use tiletune_tuning::evaluation::EvaluatorFactory;

/// The contents of `resolved.toml` in the directory `root`.
pub(in crate::run) fn resolved_text(plan: &dyn RunPlan, root: &Path) -> Result<String, StoreError> {
    let resolved = plan.resolved();
    resolved.map_err(|error| StoreError::damaged(root, error))
}

/// A run directory that is locked for writing.
pub struct Run {
    directory: RunDirectory,
    manifest: Manifest,
}

impl Run {
    /// Creates the directory of a run with its first files; it must not exist or must be empty.
    /// `verbatim` is the text of the configuration file; `session` is recorded in the manifest.
    ///
    /// # Errors
    /// If the directory is not empty or cannot be written; then nothing is created.
    pub fn begin(
        plan: &dyn RunPlan,
        verbatim: &str,
        root: &Path,
        session: Session,
    ) -> Result<Self, StoreError> {
        let mut manifest = Manifest::new(plan.kind().name, session, plan.seeds());
        let has_program = plan
            .players()
            .into_iter()
            .any(|player| player.program().is_some());
        let directory = RunDirectory::create(root, plan.kind().tables, |directory| {
            // After a symbolic link the meaning of `..` is known only once the directory is there.
            let root = folder::plain(directory.root()).ok();
            manifest.root = root.filter(|_| has_program);
            directory.write("config.toml", verbatim)?;
            directory.write("resolved.toml", resolved_text(plan, directory.root())?)?;
            for (name, contents) in plan.files() {
                directory.write(name, contents)?;
            }
            manifest.write(directory.root())
        })?;
        Ok(Run {
            directory,
            manifest,
        })
    }

    /// Opens a run for writing: locks it and removes the unfinished files of a killed process.
    ///
    /// # Errors
    /// If it is not a run directory, another process is writing it, or it has another format.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        let directory = RunDirectory::open_for_writing(root)?;
        let manifest = directory.manifest()?;
        Ok(Run {
            directory,
            manifest,
        })
    }

    pub fn directory(&self) -> &RunDirectory {
        &self.directory
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Whether all games are played, and charts and report are written.
    pub fn is_complete(&self) -> bool {
        self.manifest.status == Status::Complete
    }

    /// Records that this process continues a run that another one began.
    ///
    /// # Errors
    /// If the manifest cannot be written.
    pub fn resume(&mut self, session: Session) -> Result<(), StoreError> {
        self.manifest.resumed.push(session);
        self.manifest.status = Status::Running;
        self.manifest.write(self.directory.root())
    }

    /// Records that this process continues a run with a changed configuration.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn resume_with(&mut self, plan: &dyn RunPlan, session: Session) -> Result<(), StoreError> {
        let resolved = resolved_text(plan, self.directory.root())?;
        self.resume(session)?;
        self.directory.write("resolved.toml", resolved)
    }

    /// Executes the run, or the rest of it: plays the missing games, draws the charts and writes the
    /// report. After that the run is complete; until then it can be resumed.
    ///
    /// # Errors
    /// As [`RunPlan::execute`] and [`RunPlan::report`]. The manifest records the status.
    pub fn execute<P: RunPlan>(
        mut self,
        plan: &P,
        machines: &dyn EvaluatorFactory,
        control: &mut Control,
    ) -> Result<P::Outcome, RunError> {
        for program in plan.players().into_iter().filter_map(PlayerSpec::program) {
            program.log_to(&self.directory.program_log());
        }
        let begin = Instant::now();
        let played = loop {
            let played = plan.execute(machines, &self.directory, control);
            let Err(RunError::False { since }) = played else {
                break played;
            };
            if let Err(error) = self.directory.discard_since(since) {
                break Err(error.into());
            }
            // The wrong games are older than this run, so the parent run must also discard results.
            if since < begin {
                break Err(RunError::False { since });
            }
        };
        let ended = played.and_then(|outcome| {
            control.observer.task_begins(Task::Report);
            plan.report_outcome(&outcome, &self.directory, control.progress.stop())?;
            Ok(outcome)
        });
        // The configuration can have changed since the run began.
        self.manifest.seeds = plan.seeds();
        self.manifest.end(match ended {
            Ok(_) => Status::Complete,
            Err(RunError::Interrupted) => Status::Interrupted,
            Err(_) => Status::Failed,
        });
        let written = self.manifest.write(self.directory.root());
        // If both fail, the first error is reported.
        let outcome = ended?;
        written?;
        Ok(outcome)
    }
}

impl Run {
    /// Writes missing or damaged charts, results and reports of a complete run again.
    ///
    /// # Errors
    /// As [`RunPlan::report`], or if this program does not write the same files.
    pub(in crate::run) fn restore(
        &mut self,
        plan: &dyn RunPlan,
        control: &mut Control,
    ) -> Result<(), RunError> {
        let damaged = self.directory.damaged_results()?;
        if damaged.is_empty() {
            return Ok(());
        }
        control.observer.task_begins(Task::Report);
        plan.report(&self.directory, Status::Complete, control.progress.stop())?;
        // The list of files has grown, and the manifest records its length.
        self.manifest.write(self.directory.root())?;
        if let Some(left) = self.directory.damaged_results()?.first() {
            let path = self.directory.path(left);
            return Err(RunError::differs(
                path.display(),
                "does not write this file",
            ));
        }
        let names: Vec<&str> = damaged.iter().map(|name| name.as_str()).collect();
        control.observer.restored(self.directory.root(), &names);
        Ok(())
    }
}
