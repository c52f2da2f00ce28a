//! `tiletune ablate`: an experiment from a TOML file to a run directory, and what it publishes.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::execute::{Shown, begin, execute};
use super::live::Live;
use super::tune::Threads;
use super::{Context, Failure, text};
use crate::chart::EXPERIMENT_CHARTS;
use crate::config::Source;
use crate::config::experiment::Experiment;
use crate::experiment;
use crate::player::Catalogue;
use crate::record::experiment::ExperimentResults;
use crate::report::experiment as report;
use crate::run::{RunDirectory, RunPlan, StoreError, atomic, remove_chart};

/// What `--publish` copies, besides the charts.
const PUBLISHED_TABLES: [&str; 3] = ["results.csv", "timing.csv", "report.md"];

/// Endings of the files of a chart that `--publish` copies.
const PUBLISHED_CHART_FILES: [&str; 2] = ["png", "csv"];

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
        let experiment = Experiment::from_source(&Catalogue::builtin(), &source, folder)?;
        let threads = self.threads.number();
        let run = begin(&experiment, &source.text, self.out, threads, context)?;
        let root = run.directory().root().to_owned();
        execute(&experiment, &threads, run, context)?;
        if self.publish {
            publish(&root, folder)?;
        }
        Ok(())
    }
}

/// Copies charts and tables of a complete run into the experiment's folder, and removes from it the
/// charts that are not drawn any more.
fn publish(run: &Path, folder: &Path) -> Result<(), StoreError> {
    let copy = |name: &str| {
        let from = run.join(name);
        let contents = std::fs::read(&from).map_err(StoreError::io(&from))?;
        atomic::write(&folder.join(name), contents)
    };
    let charts = folder.join("charts");
    std::fs::create_dir_all(&charts).map_err(StoreError::io(&charts))?;
    for chart in EXPERIMENT_CHARTS {
        let files =
            PUBLISHED_CHART_FILES.map(|extension| format!("charts/{}.{extension}", chart.name));
        if files.iter().all(|file| run.join(file).exists()) {
            files.iter().try_for_each(|file| copy(file))?;
        } else {
            remove_chart(&charts, chart.name)?;
        }
    }
    PUBLISHED_TABLES.into_iter().try_for_each(copy)
}

impl Shown for Experiment {
    fn live(&self, directory: &RunDirectory, context: Context) -> Result<Live, Failure> {
        let games = experiment::games_to_play(self, directory)?;
        Ok(Live::new(context, Some(games)))
    }

    fn show(
        &self,
        results: &ExperimentResults,
        directory: &Path,
        context: Context,
    ) -> Result<(), Failure> {
        let mut out = std::io::stdout();
        if context.json {
            let json = serde_json::to_string(results);
            let json = json.map_err(|error| Failure::Failed(error.to_string()))?;
            writeln!(out, "{json}")?;
        } else {
            let (header, rows) = report::table(results);
            let header: Vec<&str> = header.iter().map(String::as_str).collect();
            let mut table = text::table(&header);
            for row in rows {
                table.add_row(row);
            }
            writeln!(out, "{table}\n{}", report::notes(results))?;
        }
        context.say(format!("see {}", directory.join("report.md").display()));
        Ok(())
    }
}
