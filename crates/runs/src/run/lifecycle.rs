//! The lifecycle that all kinds of runs share: begin, open, resume, execute, end.

use std::path::Path;
use std::time::Instant;

use super::directory::RunDirectory;
use super::kind::{Ended, Kind, Printed, RunPlan, resolved, with_article};
use super::manifest::{Manifest, Session, Status};
use super::{Control, RunError, StoreError, Task};
use crate::config::{ConfigError, Source};
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::stop::Stop;
use tiletune_tuning::Catalogue;
use tiletune_tuning::evaluation::EvaluatorFactory;

/// A plan whose outcome has a type: what a kind of run implements beside [`RunPlan`].
pub trait TypedPlan: RunPlan + Sized {
    /// The kind of run.
    const KIND: &'static Kind;
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

    /// What is printed of an outcome.
    ///
    /// # Errors
    /// If a file of the directory is damaged.
    fn printed(
        &self,
        outcome: &Self::Outcome,
        directory: &RunDirectory,
    ) -> Result<Printed, RunError>;

    /// The report of a complete run, whose outcome is known.
    ///
    /// # Errors
    /// As [`RunPlan::report`].
    fn report_outcome(
        &self,
        _outcome: &Self::Outcome,
        directory: &RunDirectory,
        stop: Stop,
    ) -> Result<(), RunError> {
        self.report(directory, Status::Complete, stop).map(drop)
    }
}

/// A plan with its outcome.
struct WithOutcome<'a, P: TypedPlan> {
    plan: &'a P,
    outcome: P::Outcome,
}

impl<P: TypedPlan> Ended for WithOutcome<'_, P> {
    fn report(&self, directory: &RunDirectory, stop: Stop) -> Result<(), RunError> {
        self.plan.report_outcome(&self.outcome, directory, stop)
    }

    fn printed(&self, directory: &RunDirectory) -> Result<Printed, RunError> {
        self.plan.printed(&self.outcome, directory)
    }
}

/// [`RunPlan::play`] of a kind of run.
///
/// # Errors
/// As [`TypedPlan::execute`].
pub fn play<'a, P: TypedPlan>(
    plan: &'a P,
    machines: &dyn EvaluatorFactory,
    directory: &RunDirectory,
    control: &mut Control,
) -> Result<Box<dyn Ended + 'a>, RunError> {
    let outcome = plan.execute(machines, directory, control)?;
    Ok(Box::new(WithOutcome { plan, outcome }))
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
        let directory = RunDirectory::create(root, plan.kind().tables, |directory| {
            let resolved = plan.resolved();
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
    /// As [`TypedPlan::execute`] and [`RunPlan::report`]. The manifest records the status.
    pub fn execute<P: TypedPlan>(
        self,
        plan: &P,
        machines: &dyn EvaluatorFactory,
        control: &mut Control,
    ) -> Result<P::Outcome, RunError> {
        self.until_end(
            plan,
            control,
            |directory, control| plan.execute(machines, directory, control),
            |outcome, directory, stop| plan.report_outcome(outcome, directory, stop),
        )
    }

    /// As [`Run::execute`], for a run of any kind; returns what is printed of the outcome. A complete run is not
    /// played again, and its files stay as they are.
    ///
    /// # Errors
    /// As [`Run::execute`].
    pub fn complete(
        self,
        plan: &dyn RunPlan,
        machines: &dyn EvaluatorFactory,
        control: &mut Control,
    ) -> Result<Printed, RunError> {
        if self.is_complete() {
            let ended = plan.play(machines, &self.directory, control)?;
            return ended.printed(&self.directory);
        }
        let root = self.directory.root().to_owned();
        let ended = self.until_end(
            plan,
            control,
            |directory, control| plan.play(machines, directory, control),
            |ended, directory, stop| ended.report(directory, stop),
        )?;
        ended.printed(&RunDirectory::open(&root)?)
    }

    fn until_end<T>(
        mut self,
        plan: &dyn RunPlan,
        control: &mut Control,
        play: impl Fn(&RunDirectory, &mut Control) -> Result<T, RunError>,
        report: impl FnOnce(&T, &RunDirectory, Stop) -> Result<(), RunError>,
    ) -> Result<T, RunError> {
        for program in plan.players().into_iter().filter_map(PlayerSpec::program) {
            program.log_to(&self.directory.program_log());
        }
        let begin = Instant::now();
        let ended = loop {
            let ended = play(&self.directory, control);
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
            report(&outcome, &self.directory, control.progress.stop())?;
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
}

/// The plan of a run directory, with built-in players.
///
/// # Errors
/// If the directory is of another kind of run, or its resolved configuration is damaged.
pub fn plan_of<P: TypedPlan>(directory: &RunDirectory) -> Result<P, StoreError> {
    plan_of_with(&Catalogue::builtin(), directory)
}

/// The plan of a run directory, with players of any catalogue.
///
/// # Errors
/// As [`plan_of`].
pub fn plan_of_with<P: TypedPlan>(
    catalogue: &Catalogue,
    directory: &RunDirectory,
) -> Result<P, StoreError> {
    let kind = directory.manifest()?.kind;
    if kind != P::KIND.name {
        let reason = format!(
            "the directory of {}, not of {}",
            with_article(&kind),
            P::KIND
        );
        return Err(StoreError::unusable(directory.root(), reason));
    }
    resolved(directory, |source| {
        P::from_source(catalogue, source, directory.root())
    })
}
