//! Runs inside of another run: a parent whose plan contains further plans executes each of them in a run
//! directory below its own. A child is an ordinary run directory; every tool works on it.

use std::path::Path;

use super::manifest::Session;
use super::{Control, Run, RunDirectory, RunError, RunPlan, StoreError};
use tiletune_tuning::evaluation::EvaluatorFactory;

/// A child of a run.
#[derive(Clone, Copy, Debug)]
pub struct ChildRun<'a> {
    /// Its place in the directory of the parent, for example `runs/1`.
    pub place: &'a str,
    /// What it is, as shown with its progress, for example `run 1 of 5`.
    pub name: &'a str,
}

impl ChildRun<'_> {
    /// Completes the child: begins it, or continues it, or does nothing if it is complete. A parent that
    /// is resumed calls this for each of its children in the same order again, and reads what it needs
    /// from the directory that is returned. `parent` must be open for writing.
    ///
    /// # Errors
    /// As [`Run::execute`]; if another process is writing the child; or if its directory is of another
    /// plan.
    pub fn complete<P: RunPlan>(
        self,
        parent: &RunDirectory,
        plan: &P,
        machines: &dyn EvaluatorFactory,
        control: &mut Control,
    ) -> Result<RunDirectory, RunError> {
        let root = parent.path(self.place);
        let run = if RunDirectory::is_begun(&root) {
            let mut run = Run::open(&root)?;
            check(plan, run.directory())?;
            if run.is_complete() {
                return Ok(RunDirectory::open(&root)?);
            }
            run.resume(session(parent)?)?;
            run
        } else {
            begin(parent, plan, &root)?
        };
        control.observer.child_begins(self.name);
        let ended = run.execute(plan, machines, control);
        control.observer.child_ends();
        ended?;
        Ok(RunDirectory::open(&root)?)
    }
}

/// Begins a child. Its `config.toml` is the resolved configuration.
fn begin(parent: &RunDirectory, plan: &dyn RunPlan, root: &Path) -> Result<Run, StoreError> {
    Run::begin(plan, &resolved(plan, root)?, root, session(parent)?)
}

/// Checks that a directory is that of a plan.
///
/// # Errors
/// If its resolved configuration is another one.
pub fn check(plan: &dyn RunPlan, directory: &RunDirectory) -> Result<(), RunError> {
    let path = directory.resolved_path();
    let text = directory.read_text("resolved.toml")?;
    if directory.manifest()?.kind == plan.kind().name && text == resolved(plan, directory.root())? {
        return Ok(());
    }
    Err(RunError::differs(
        path.display(),
        "would run another configuration here",
    ))
}

fn resolved(plan: &dyn RunPlan, root: &Path) -> Result<String, StoreError> {
    let text = plan.resolved();
    text.map_err(|error| StoreError::damaged(root, error))
}

/// The process that executes the parent.
fn session(parent: &RunDirectory) -> Result<Session, StoreError> {
    Ok(parent.manifest()?.last_session().again())
}
