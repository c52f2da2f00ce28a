//! What the commands that make or resume a run share: begin, execute under the eyes of the user,
//! print the outcome.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::interrupt::stop_on_interrupt;
use super::live::Live;
use super::{Context, Failure, text};
use crate::evaluation::Progress;
use crate::run::manifest::utc;
use crate::run::{Control, Execute, Run, RunDirectory, RunError, RunPlan, StoreError};

/// A kind of run as its user sees it.
pub(super) trait Shown: RunPlan {
    /// The live line of what is left to be played.
    fn live(
        &self,
        directory: &RunDirectory,
        progress: &Arc<Progress>,
        context: Context,
    ) -> Result<Live, Failure>;

    /// Prints the outcome.
    fn show(
        &self,
        outcome: &Self::Outcome,
        directory: &Path,
        context: Context,
    ) -> Result<(), Failure>;
}

/// Makes the run directory, at `out` or under its default name, and says where it is.
pub(super) fn begin<P: RunPlan>(
    plan: &P,
    verbatim: &str,
    out: Option<PathBuf>,
    threads: usize,
    context: Context,
) -> Result<Run, Failure> {
    let out = out.unwrap_or_else(|| {
        let name = format!("{}-{}", plan.name(), utc("%Y%m%dT%H%M%SZ"));
        Path::new("results").join(name)
    });
    let run = Run::begin(plan, verbatim, &out, threads).map_err(|error| match error {
        StoreError::Io { path, source } => {
            Failure::Usage(format!("cannot write to {}: {source}", path.display()))
        }
        error => error.into(),
    })?;
    context.say(format!("run directory: {}", out.display()));
    Ok(run)
}

/// Brings a run from wherever it stands to its end, and prints the outcome.
pub(super) fn execute<Players, P: Execute<Players> + Shown>(
    plan: &P,
    players: &Players,
    run: Run,
    context: Context,
) -> Result<(), Failure> {
    let root = run.directory().root().to_owned();
    let progress = Arc::new(Progress::default());
    let mut live = plan.live(run.directory(), &progress, context)?;
    stop_on_interrupt(&progress, live.speaker())?;
    let ended = run.execute(plan, players, &mut Control::new(&progress, &mut live));
    drop(live);
    let outcome = ended.map_err(|error| match error {
        RunError::Interrupted => Failure::Interrupted(format!(
            "interrupted; go on with: tiletune resume {}",
            text::quoted(&root.to_string_lossy())
        )),
        error => error.into(),
    })?;
    plan.show(&outcome, &root, context)
}
