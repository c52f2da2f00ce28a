//! Carrying an experiment out, and drawing what came of it.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::{end, interrupted};
use crate::chart::{self, EXPERIMENT_CHARTS, Rendered};
use crate::cli::interrupt::stop_on_interrupt;
use crate::cli::live::Live;
use crate::cli::report::write_charts;
use crate::cli::{Context, Failure, text};
use crate::config::experiment::Experiment;
use crate::evaluation::Progress;
use crate::experiment::{self, ExperimentError, Played};
use crate::record::experiment::ExperimentResults;
use crate::report::experiment as report;
use crate::store::StoreError;
use crate::store::manifest::Manifest;
use crate::store::run_directory::RunDirectory;

/// Endings of the files of a chart.
pub(in crate::cli) const CHART_FILES: [&str; 3] = ["svg", "png", "csv"];

/// What an experiment came to.
pub(in crate::cli) struct Outcome {
    pub(in crate::cli) results: ExperimentResults,
    pub(in crate::cli) charts: Vec<Rendered>,
}

/// Plays what is still to be played, and writes results, charts and report.
pub(in crate::cli) fn carry_out(
    experiment: &Experiment,
    directory: &RunDirectory,
    mut manifest: Manifest,
    threads: usize,
    context: Context,
) -> Result<Outcome, Failure> {
    let ended = play(experiment, directory, threads, context)
        .and_then(|played| draw(experiment, directory, &played));
    end(&mut manifest, directory, &ended)?;
    ended
}

fn play(
    experiment: &Experiment,
    directory: &RunDirectory,
    threads: usize,
    context: Context,
) -> Result<Played, Failure> {
    let progress = Arc::new(Progress::default());
    let complete: usize = experiment::played(experiment, directory)?
        .games
        .iter()
        .map(Vec::len)
        .sum();
    let live = Live::new(
        context,
        &progress,
        Some(experiment.games() - complete as u64),
    );
    stop_on_interrupt(&progress, live.speaker())?;
    let announce = |what: &str| live.task(what);
    let played = experiment::run(experiment, directory, Some(threads), &progress, &announce);
    drop(live);
    played.map_err(|error| match error {
        ExperimentError::Interrupted => interrupted(directory),
        ExperimentError::Store(error) => error.into(),
        error => Failure::Failed(error.to_string()),
    })
}

/// Writes results, charts and report of the rows that are played.
pub(in crate::cli) fn draw(
    experiment: &Experiment,
    directory: &RunDirectory,
    played: &Played,
) -> Result<Outcome, Failure> {
    let results = experiment::results::summarize(experiment, played);
    experiment::finish(directory, &results)?;
    let charts = chart::render_experiment(&results)?;
    write_charts(directory, &charts)?;
    remove_undrawn(directory.root(), &charts)?;
    directory.write("report.md", report::markdown(&results, &charts))?;
    Ok(Outcome { results, charts })
}

/// Removes the files of charts that were drawn here before and are not any more.
pub(in crate::cli) fn remove_undrawn(folder: &Path, charts: &[Rendered]) -> Result<(), Failure> {
    let is_drawn = |name: &str| charts.iter().any(|drawn| drawn.name == name);
    for chart in EXPERIMENT_CHARTS
        .iter()
        .filter(|chart| !is_drawn(chart.name))
    {
        for extension in CHART_FILES {
            let path = folder.join(format!("charts/{}.{extension}", chart.name));
            match std::fs::remove_file(&path) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                    return Err(StoreError::Io { path, source }.into());
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Prints the results.
pub(in crate::cli) fn show(
    results: &ExperimentResults,
    directory: &RunDirectory,
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
    context.say(format!("see {}", directory.path("report.md").display()));
    Ok(())
}
