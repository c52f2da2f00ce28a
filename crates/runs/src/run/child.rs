//! Runs inside of another run: a parent whose plan contains further plans executes each of them in a run
//! directory below its own. A child is an ordinary run directory; every tool works on it.

use std::path::Path;

use super::manifest::Session;
use super::{Control, Run, RunDirectory, RunError, RunPlan, StoreError};
use tiletune_tuning::evaluation::EvaluatorFactory;

/// Completes a child: begins it, or continues it, or plays nothing if it is complete. A parent that is resumed calls this
/// for each of its children in the same order again, and reads what it needs from the directory that is returned.
/// `parent` must be open for writing; `place` is that of the child in it, for example `runs/1`, and `name` is shown with
/// its progress, for example `run 1 of 5`.
///
/// # Errors
/// As [`Run::execute`]; if another process is writing the child; or if its directory is of another plan.
pub fn complete_child<P: RunPlan>(
    parent: &RunDirectory,
    (place, name): (&str, &str),
    plan: &P,
    machines: &dyn EvaluatorFactory,
    control: &mut Control,
) -> Result<RunDirectory, RunError> {
    let root = parent.path(place);
    let run = if RunDirectory::is_begun(&root) {
        let mut run = Run::open(&root)?;
        check(plan, run.directory())?;
        if run.is_complete() {
            run.restore(plan, control)?;
            return Ok(RunDirectory::open(&root)?);
        }
        run.resume(session(parent)?)?;
        run
    } else {
        // Its `config.toml` is the resolved configuration.
        Run::begin(plan, &resolved(plan, &root)?, &root, session(parent)?)?
    };
    control.observer.child_begins(name);
    let ended = run.execute(plan, machines, control);
    control.observer.child_ends();
    ended.map_err(|error| match error {
        RunError::WithoutSignal(reason) => RunError::WithoutSignal(format!("{name}: {reason}")),
        error => error,
    })?;
    Ok(RunDirectory::open(&root)?)
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
