//! `tiletune ablate`: an experiment from a TOML file to a run directory, and what it publishes.

use std::path::{Path, PathBuf};

use clap::Args;

use super::carry_out::experiment::{CHART_FILES, carry_out, remove_undrawn, show};
use super::tune::Threads;
use super::{Context, Failure};
use crate::chart::Rendered;
use crate::config::Source;
use crate::config::experiment::Experiment;
use crate::experiment;
use crate::store::manifest::{Session, utc};
use crate::store::run_directory::RunDirectory;
use crate::store::{StoreError, atomic};

/// What `--publish` copies, besides the charts.
const PUBLISHED_TABLES: [&str; 3] = ["results.csv", "timing.csv", "report.md"];

#[derive(Args)]
pub(super) struct Ablate {
    /// The experiment file.
    experiment: PathBuf,
    /// Run directory to make; it must not exist, or must be empty.
    /// [default: results/<name>-<UTC time>]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Set a key of the experiment file, as in `--set games=1000` or `--set row.0.games=1000`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    threads: Threads,
    /// Copy charts and tables into the experiment's folder, where older ones are replaced.
    #[arg(long, conflicts_with = "set")]
    publish: bool,
}

impl Ablate {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let source = Source::read(&self.experiment)?.with_settings(&self.set)?;
        let folder = self.experiment.parent().unwrap_or(Path::new(""));
        let experiment = Experiment::resolve(&source, folder)?;
        experiment::check(&experiment).map_err(|error| Failure::Usage(error.to_string()))?;
        let threads = self.threads.number();
        let out = self.out.unwrap_or_else(|| {
            let name = format!("{}-{}", experiment.config.name, utc("%Y%m%dT%H%M%SZ"));
            Path::new("results").join(name)
        });
        let begun = experiment::begin(&experiment, &source.text, &out, Session::now(threads));
        let (directory, manifest) = begun.map_err(|error| match error {
            StoreError::Io { path, source } => {
                Failure::Usage(format!("cannot write to {}: {source}", path.display()))
            }
            error => error.into(),
        })?;
        context.say(format!("run directory: {}", out.display()));
        let outcome = carry_out(&experiment, &directory, manifest, threads, context)?;
        if self.publish {
            publish(&directory, &outcome.charts, folder)?;
        }
        show(&outcome.results, &directory, context)
    }
}

/// Copies charts and tables into the experiment's folder.
fn publish(directory: &RunDirectory, charts: &[Rendered], folder: &Path) -> Result<(), Failure> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::Io { path, source }
    };
    let charts_folder = folder.join("charts");
    std::fs::create_dir_all(&charts_folder).map_err(failed(&charts_folder))?;
    let of_charts = charts.iter().flat_map(|chart| {
        CHART_FILES.map(|extension| format!("charts/{}.{extension}", chart.name))
    });
    for name in of_charts.chain(PUBLISHED_TABLES.map(str::to_owned)) {
        let from = directory.path(&name);
        let contents = std::fs::read(&from).map_err(failed(&from))?;
        atomic::write(&folder.join(&name), contents)?;
    }
    remove_undrawn(folder, charts)
}
