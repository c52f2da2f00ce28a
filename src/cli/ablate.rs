//! `tiletune ablate`: an experiment from a TOML file to a run directory, and what it publishes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::interrupt::stop_on_interrupt;
use super::live::Live;
use super::{Context, Failure, text};
use crate::chart::{self, Rendered};
use crate::config::experiment::Experiment;
use crate::config::{Source, apply_settings};
use crate::evaluation::Progress;
use crate::experiment::{self, ExperimentError};
use crate::record::experiment::ExperimentResults;
use crate::report::experiment as report;
use crate::store::manifest::{Manifest, Session, Status, utc};
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
    /// Set a key of the experiment file, as in `--set games=1000`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Threads that play; without it one per core. The results do not depend on it.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Copy charts and tables into the experiment's folder, where older ones are replaced.
    #[arg(long, conflicts_with = "set")]
    publish: bool,
}

impl Ablate {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let verbatim = Source::read(&self.experiment)?;
        let text = verbatim.text.clone();
        let source = apply_settings(verbatim, &self.set)?;
        let folder = self.experiment.parent().unwrap_or(Path::new(""));
        let experiment = Experiment::resolve(&source, folder)?;
        let threads = match self.threads {
            Some(threads) => usize::from(threads),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let out = self.out.unwrap_or_else(|| {
            let name = format!("{}-{}", experiment.config.name, utc("%Y%m%dT%H%M%SZ"));
            Path::new("results").join(name)
        });
        let begun = experiment::begin(&experiment, &text, &out, Session::now(threads));
        let (directory, mut manifest) = begun.map_err(|error| match error {
            StoreError::Io { path, source } => {
                Failure::Usage(format!("cannot write to {}: {source}", path.display()))
            }
            error => error.into(),
        })?;
        context.say(format!("run directory: {}", out.display()));
        let ended = carry_out(&experiment, &directory, threads, context);
        end(&mut manifest, &directory, &ended)?;
        let (results, charts) = ended?;
        if self.publish {
            publish(&directory, &charts, folder)?;
        }
        show(&results, context)?;
        context.say(format!("see {}", directory.path("report.md").display()));
        Ok(())
    }
}

fn carry_out(
    experiment: &Experiment,
    directory: &RunDirectory,
    threads: usize,
    context: Context,
) -> Result<(ExperimentResults, Vec<Rendered>), Failure> {
    let progress = Arc::new(Progress::default());
    stop_on_interrupt(&progress)?;
    let live = Live::new(context, &progress, Some(experiment.games()));
    let announce = |what: &str| live.task(what);
    let played = experiment::run(experiment, directory, Some(threads), &progress, &announce);
    drop(live);
    let played = played.map_err(|error| match error {
        ExperimentError::Interrupted => Failure::Interrupted(format!(
            "interrupted; the rows played so far are in {}",
            directory.root().display()
        )),
        ExperimentError::Store(error) => error.into(),
        error => Failure::Failed(error.to_string()),
    })?;
    let results = experiment::results::summarize(experiment, &played.games);
    experiment::finish(directory, &results, &played.timing)?;
    let charts = chart::render_experiment(&results)?;
    super::report::write_charts(directory, &charts)?;
    directory.write("report.md", report::markdown(&results, &charts))?;
    Ok((results, charts))
}

/// Marks in the manifest how it ended.
fn end<T>(
    manifest: &mut Manifest,
    directory: &RunDirectory,
    ended: &Result<T, Failure>,
) -> Result<(), Failure> {
    manifest.end(match ended {
        Ok(_) => Status::Complete,
        Err(Failure::Interrupted(_)) => Status::Interrupted,
        Err(_) => Status::Failed,
    });
    let written = manifest.write(&directory.manifest_path());
    // Of two failures the first is what the user needs to hear of.
    if ended.is_ok() {
        written?;
    }
    Ok(())
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
        ["svg", "png", "csv"].map(|extension| format!("charts/{}.{extension}", chart.name))
    });
    for name in of_charts.chain(PUBLISHED_TABLES.map(str::to_owned)) {
        let from = directory.path(&name);
        let contents = std::fs::read(&from).map_err(failed(&from))?;
        atomic::write(&folder.join(&name), contents)?;
    }
    Ok(())
}

fn show(results: &ExperimentResults, context: Context) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    if context.json {
        let json = serde_json::to_string(results);
        let json = json.map_err(|error| Failure::Failed(error.to_string()))?;
        writeln!(out, "{json}")?;
        return Ok(());
    }
    let (header, rows) = report::table(results);
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut table = text::table(&header);
    for row in rows {
        table.add_row(row);
    }
    writeln!(out, "{table}\n{}", report::notes(results))?;
    Ok(())
}
