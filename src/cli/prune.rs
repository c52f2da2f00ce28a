//! `tiletune tune --prune RUN`: leaves out the terms of a campaign one by one.

use std::path::{Path, PathBuf};

use super::execute::NewRun;
use super::live::Live;
use super::run_path::RESULTS;
use super::{Context, Failure, text};
use crate::build::build;
use crate::config::campaign::Limits;
use crate::prune::{Pruning, plan, prune};
use crate::run::{Control, RunError, Session};

/// Leaves out terms of the campaign in a run directory; `budget` is that of each search.
pub(super) fn run(
    root: &Path,
    budget: Limits,
    new_run: NewRun,
    context: Context,
) -> Result<(), Failure> {
    let threads = new_run.threads.number();
    let out = new_run.out.out.unwrap_or_else(|| default_folder(root));
    let backend = new_run.cluster.backend(threads, context)?;
    let (mut live, progress) = Live::begin(context, None)?;
    backend.begin(&live, None, context)?;
    let mut control = Control::new(&progress, &mut live);
    let pruning = Pruning {
        run: root,
        budget,
        out: &out,
        session: Session::of(build(), threads),
    };
    let ended = prune(context.catalogue, &pruning, backend.factory(), &mut control);
    drop(live);
    if let Some(summary) = backend.end() {
        context.message(summary);
    }
    let folder = out.display();
    let (pruned, blocks) = ended.map_err(|error| match error {
        RunError::Interrupted => Failure::Interrupted(format!(
            "interrupted; the same command with --out {folder} goes on"
        )),
        error => error.into(),
    })?;
    context.print(|| pruned.clone(), || text::blocks(&blocks, context.verbose))?;
    context.message(format!("report: {}", out.join("report.html").display()));
    Ok(())
}

/// Prints the plan of a pruning.
pub(super) fn show_plan(
    root: &Path,
    budget: &Limits,
    new_run: &NewRun,
    context: Context,
) -> Result<(), Failure> {
    let pruning = plan(context.catalogue, root, budget)?;
    new_run.cluster.leave_out(context)?;
    let local = new_run.threads.evaluator(&pruning.first.player)?;
    super::plan::show_pruning(&pruning, &local, context)
}

/// `results/<name of the run>-pruned`. A pruning that was interrupted goes on there.
fn default_folder(root: &Path) -> PathBuf {
    let name = root
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    Path::new(RESULTS).join(format!(
        "{}-pruned",
        name.unwrap_or_else(|| "run".to_owned())
    ))
}
