//! `tiletune report`: charts and report from a run directory alone.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::carry_out::experiment::{Outcome, draw};
use super::{Context, Failure};
use crate::campaign;
use crate::chart;
use crate::config::campaign::Campaign;
use crate::experiment;
use crate::report;
use crate::store::StoreError;
use crate::store::run_directory::RunDirectory;

#[derive(Args)]
pub(super) struct Report {
    /// The run directory.
    run: PathBuf,
}

impl Report {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let directory = RunDirectory::open(&self.run)?;
        let (report, charts) = if experiment::is_experiment(&directory) {
            ("report.md", write_of_experiment(&directory, context)?)
        } else {
            let campaign = campaign::open(&directory)?;
            ("report.html", write(&campaign, &directory)?)
        };
        let report = directory.path(report).display().to_string();
        if context.json {
            let result = json!({ "report": report, "charts": charts });
            writeln!(std::io::stdout(), "{result}")?;
        } else {
            context.say(format!("wrote {} charts and {report}", charts.len()));
        }
        Ok(())
    }
}

/// Draws every chart that the run has data for and writes the report; gives the charts' names.
pub(super) fn write(
    campaign: &Campaign,
    directory: &RunDirectory,
) -> Result<Vec<&'static str>, Failure> {
    let data = campaign::load(campaign, directory)?;
    let charts = chart::render_all(&data)?;
    write_charts(directory, &charts)?;
    directory.write("report.html", report::html(&data, &charts))?;
    Ok(charts.iter().map(|chart| chart.name).collect())
}

/// The same for an experiment, with its results and of the rows that are played.
fn write_of_experiment(
    directory: &RunDirectory,
    context: Context,
) -> Result<Vec<&'static str>, Failure> {
    let experiment = experiment::open(directory)?;
    let played = experiment::played(&experiment, directory)?;
    let Outcome { results, charts } = draw(&experiment, directory, &played)?;
    if !results.unplayed.is_empty() {
        context.say(format!(
            "{} of {} rows are played so far",
            results.rows.len(),
            experiment.rows.len()
        ));
    }
    Ok(charts.iter().map(|chart| chart.name).collect())
}

/// Writes drawn charts into the run directory.
pub(super) fn write_charts(
    directory: &RunDirectory,
    charts: &[chart::Rendered],
) -> Result<(), Failure> {
    let folder = directory.path("charts");
    std::fs::create_dir_all(&folder).map_err(|source| StoreError::Io {
        path: folder.clone(),
        source,
    })?;
    for chart in charts {
        let file =
            |extension: &str| Path::new("charts").join(format!("{}.{extension}", chart.name));
        for (extension, contents) in [
            ("svg", chart.svg.as_bytes()),
            ("png", chart.png.as_slice()),
            ("csv", chart.csv.as_bytes()),
        ] {
            directory.write(&file(extension).to_string_lossy(), contents)?;
        }
    }
    Ok(())
}
