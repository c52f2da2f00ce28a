//! The lifecycle that all kinds of runs share: begin, open, resume, execute, end.

use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use super::TableName;
use super::directory::RunDirectory;
use super::manifest::{Kind, Manifest, Seeds, Session, Status};
use super::{Control, RunError, StoreError, Task};
use crate::config::{ConfigError, Source};
use tiletune_engine::player::{Catalogue, PlayerSpec};
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::EvaluatorFactory;

/// The plan of a run: a campaign or an experiment, resolved and checked.
pub trait RunPlan: Sized {
    /// The kind of run.
    const KIND: Kind;
    /// The tables in its directory.
    const TABLES: &'static [TableName];
    /// The configuration with every default filled in: `resolved.toml`.
    type Config: Serialize;
    /// The result of a complete run.
    type Outcome;

    /// Parses, checks and resolves a configuration with players of a catalogue. Its relative paths are
    /// relative to `folder`.
    ///
    /// # Errors
    /// The first mistake, with its position.
    fn from_source(
        catalogue: &Catalogue,
        source: &Source,
        folder: &Path,
    ) -> Result<Self, ConfigError>;

    /// The configuration with every default filled in.
    fn config(&self) -> &Self::Config;

    /// Its name; part of the default output directory.
    fn name(&self) -> &str;

    /// The seeds for the manifest.
    fn seeds(&self) -> Seeds;

    /// The players of the run.
    fn players(&self) -> Vec<&PlayerSpec>;

    /// Further files that the configuration names: name and contents.
    fn files(&self) -> &[(&'static str, String)] {
        &[]
    }

    /// Plays the missing games of the directory. The tables do not depend on interruptions.
    /// [`Run::execute`] also draws the charts and updates the manifest.
    ///
    /// # Errors
    /// If a stop was requested through `control`, the directory cannot be written, or its tables are
    /// not those of this plan.
    fn execute(
        &self,
        machines: &dyn EvaluatorFactory,
        directory: &RunDirectory,
        control: &mut Control,
    ) -> Result<Self::Outcome, RunError>;

    /// Draws the charts and writes the report of a run whose games are all played.
    ///
    /// # Errors
    /// If `stop` is requested, a chart cannot be drawn or a file cannot be written.
    fn report(
        &self,
        outcome: &Self::Outcome,
        directory: &RunDirectory,
        stop: Stop,
    ) -> Result<(), RunError>;
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
    pub fn begin<P: RunPlan>(
        plan: &P,
        verbatim: &str,
        root: &Path,
        session: Session,
    ) -> Result<Self, StoreError> {
        let mut manifest = Manifest::new(P::KIND, session, plan.seeds());
        let directory = RunDirectory::create(root, P::TABLES, |directory| {
            let resolved = toml::to_string(plan.config());
            let resolved =
                resolved.map_err(|error| StoreError::damaged(&directory.resolved_path(), error))?;
            directory.write("config.toml", verbatim)?;
            directory.write("resolved.toml", resolved)?;
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

    /// The directory.
    pub fn directory(&self) -> &RunDirectory {
        &self.directory
    }

    /// The manifest.
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
        let ended = loop {
            let ended = plan.execute(machines, &self.directory, control);
            let Err(RunError::False { since }) = ended else {
                break ended;
            };
            if let Err(error) = self.directory.discard_since(since) {
                break Err(error.into());
            }
            // Then the run that this one is a part of goes back.
            if since < begin {
                break Err(RunError::False { since });
            }
        };
        let ended = ended.and_then(|outcome| {
            control.observer.task_begins(Task::Report);
            plan.report(&outcome, &self.directory, control.progress.stop())?;
            Ok(outcome)
        });
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

    /// The outcome of a complete run again, from its recorded games. Its files stay as they are.
    ///
    /// # Errors
    /// As [`RunPlan::execute`].
    pub fn outcome<P: RunPlan>(
        self,
        plan: &P,
        machines: &dyn EvaluatorFactory,
        control: &mut Control,
    ) -> Result<P::Outcome, RunError> {
        plan.execute(machines, &self.directory, control)
    }
}

/// The plan of a run directory, with built-in players.
///
/// # Errors
/// If the directory is of another kind of run, or its resolved configuration is damaged.
pub fn plan_of<P: RunPlan>(directory: &RunDirectory) -> Result<P, StoreError> {
    plan_of_with(&Catalogue::builtin(), directory)
}

/// The plan of a run directory, with players of any catalogue.
///
/// # Errors
/// As [`plan_of`].
pub fn plan_of_with<P: RunPlan>(
    catalogue: &Catalogue,
    directory: &RunDirectory,
) -> Result<P, StoreError> {
    let kind = directory.manifest()?.kind;
    if kind != P::KIND {
        let reason = format!("the directory of {kind}, not of {}", P::KIND);
        return Err(StoreError::unusable(directory.root(), reason));
    }
    let path = directory.resolved_path();
    directory.read_text("resolved.toml")?;
    // The program wrote the file: a mistake in it is damage, not a mistake of the user.
    let source = Source::read(&path).map_err(|error| StoreError::damaged(&path, error))?;
    let resolved = P::from_source(catalogue, &source, directory.root());
    let plan = resolved.map_err(|error| StoreError::damaged(&path, error))?;
    let table: Result<toml::Table, _> = toml::from_str(&source.text);
    match table.is_ok_and(|table| table.contains_key("seed")) {
        true => Ok(plan),
        // It would be another one than that of the games.
        false => Err(StoreError::damaged(&path, "the seed is missing")),
    }
}
