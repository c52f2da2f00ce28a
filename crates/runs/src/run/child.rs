//! Child runs: a parent whose plan contains further plans executes each of them in a run directory inside its own
//! directory. A child is an ordinary run directory; every tool works on it.

use super::kind::resolved_text;
use super::manifest::Session;
use super::{Control, Run, RunDirectory, RunError, RunPlan, StoreError};
use tiletune_tuning::evaluation::EvaluatorFactory;

/// Completes a child: begins it or resumes it. A complete child plays nothing. A resumed parent calls this for all of
/// its children again, in the same order, and reads the results from the returned directory. `parent` must be open for
/// writing. `place` is the path of the child inside the parent, for example `runs/1`. `name` is shown with the
/// progress, for example `run 1 of 5`.
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
        // The `config.toml` of a child is its resolved configuration.
        Run::begin(plan, &resolved_text(plan, &root)?, &root, session(parent)?)?
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

/// Checks that a directory belongs to a plan.
///
/// # Errors
/// If its kind or its resolved configuration differs.
pub fn check(plan: &dyn RunPlan, directory: &RunDirectory) -> Result<(), RunError> {
    let path = directory.resolved_path();
    let text = directory.read_text("resolved.toml")?;
    if directory.manifest()?.kind == plan.kind().name
        && text == resolved_text(plan, directory.root())?
    {
        return Ok(());
    }
    Err(RunError::differs(
        path.display(),
        "would run another configuration here",
    ))
}

/// The process that executes the parent.
fn session(parent: &RunDirectory) -> Result<Session, StoreError> {
    Ok(parent.manifest()?.last_session().again())
}
