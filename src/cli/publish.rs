//! `--publish`: copies charts and tables of an experiment's run next to the file of the experiment.

use std::path::{Path, PathBuf};

use super::execute::read;
use super::{Context, Failure, text};
use crate::plain_file;
use crate::run::{RunDirectory, RunKind, RunPlan, StoreError, atomic, remove_chart};

/// Extensions of the chart files that `--publish` copies.
const PUBLISHED_CHART_FILES: [&str; 2] = ["png", "csv"];

/// The folder of a run's file, if the run belongs to this file and its kind can be published.
pub(super) fn folder_of(
    file: &Path,
    plan: &dyn RunPlan,
    run: &RunDirectory,
    context: Context,
) -> Result<PathBuf, Failure> {
    let kind = plan.kind();
    if kind.published.is_empty() {
        let published = context
            .kinds
            .0
            .iter()
            .filter(|kind| !kind.published.is_empty());
        let published: Vec<String> = published.map(ToString::to_string).collect();
        return Err(Failure::Usage(format!(
            "{}: the directory of {kind}; --publish is for that of {}",
            run.root().display(),
            published.join(" or ")
        )));
    }
    let folder = file.parent().unwrap_or(Path::new(""));
    let source = read(file, &kind.to_string())?;
    let of_file = (kind.plan)(context.catalogue, &source, folder)?;
    if of_file.resolved() == plan.resolved() && of_file.files() == plan.files() {
        return Ok(folder.to_owned());
    }
    Err(Failure::Usage(format!(
        "{}: not the {} of this run; the run has the configuration {}",
        file.display(),
        kind.name,
        run.resolved_path().display()
    )))
}

/// The failure of a run to be published. If it was interrupted, the message says how to continue and publish.
pub(super) fn with_file(failure: Failure, file: &Path) -> Failure {
    match failure {
        Failure::Interrupted(message) => {
            let file = text::quoted(&file.to_string_lossy());
            Failure::Interrupted(format!("{message} --publish {file}"))
        }
        other => other,
    }
}

/// Copies charts and tables of a complete run into the folder of its file. Removes charts from that folder that the run
/// does not have.
pub(super) fn publish(kind: &RunKind, run: &Path, folder: &Path) -> Result<(), StoreError> {
    let copy = |name: &str| {
        let from = run.join(name);
        let contents = plain_file::read(&from).map_err(StoreError::io(&from))?;
        atomic::write(&folder.join(name), contents)
    };
    let charts = folder.join("charts");
    std::fs::create_dir_all(&charts).map_err(StoreError::io(&charts))?;
    [folder, &charts]
        .into_iter()
        .for_each(atomic::sweep_abandoned);
    for chart in kind.all_charts() {
        let files =
            PUBLISHED_CHART_FILES.map(|extension| format!("charts/{}.{extension}", chart.name));
        if files.iter().all(|file| run.join(file).exists()) {
            files.iter().try_for_each(|file| copy(file))?;
        } else {
            remove_chart(&charts, chart.name)?;
        }
    }
    for table in kind.published {
        if run.join(table).exists() {
            copy(table)?;
        } else {
            atomic::remove(&folder.join(table))?;
        }
    }
    Ok(())
}
