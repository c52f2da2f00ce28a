//! `--publish`: charts and tables of the run of an experiment, copied beside the file of the experiment.

use std::path::{Path, PathBuf};

use super::execute::read;
use super::{Failure, text};
use crate::Catalogue;
use crate::chart::EXPERIMENT_CHARTS;
use crate::config::experiment::Experiment;
use crate::experiment;
use crate::plain_file;
use crate::run::{RunDirectory, RunPlan, StoreError, atomic, remove_chart};

/// Tables that `--publish` copies, if the run has them.
const PUBLISHED_TABLES: [&str; 3] = ["results.csv", "timing.csv", experiment::WEIGHTS];

/// Extensions of the chart files that `--publish` copies.
const PUBLISHED_CHART_FILES: [&str; 2] = ["png", "csv"];

/// The folder of the file of an experiment, if it is the file of this run.
pub(super) fn folder_of(
    file: &Path,
    experiment: &Experiment,
    run: &RunDirectory,
    catalogue: &Catalogue,
) -> Result<PathBuf, Failure> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let source = read(file, "an experiment")?;
    let of_file = Experiment::from_source(catalogue, &source, folder)?;
    if of_file.config == experiment.config && of_file.files == experiment.files {
        return Ok(folder.to_owned());
    }
    Err(Failure::Usage(format!(
        "{}: not the experiment of this run; the run has the configuration {}",
        file.display(),
        run.resolved_path().display()
    )))
}

/// The failure of a run that is to be published: if it was interrupted, the message says how to continue and publish.
pub(super) fn with_file(failure: Failure, file: &Path) -> Failure {
    match failure {
        Failure::Interrupted(message) => {
            let file = text::quoted(&file.to_string_lossy());
            Failure::Interrupted(format!("{message} --publish {file}"))
        }
        other => other,
    }
}

/// Copies charts and tables of a complete run into the experiment's folder. Removes charts from that
/// folder that the run does not have.
pub(super) fn publish(run: &Path, folder: &Path) -> Result<(), StoreError> {
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
    for chart in EXPERIMENT_CHARTS {
        let files =
            PUBLISHED_CHART_FILES.map(|extension| format!("charts/{}.{extension}", chart.name));
        if files.iter().all(|file| run.join(file).exists()) {
            files.iter().try_for_each(|file| copy(file))?;
        } else {
            remove_chart(&charts, chart.name)?;
        }
    }
    for table in PUBLISHED_TABLES {
        match run.join(table).exists() {
            true => copy(table)?,
            false => atomic::remove(&folder.join(table))?,
        }
    }
    Ok(())
}
