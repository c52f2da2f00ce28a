//! `tiletune report`: charts and report.html from a run directory alone.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::{Context, Failure};
use crate::campaign;
use crate::chart;
use crate::config::Source;
use crate::config::campaign::Campaign;
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
        let campaign = campaign_of(&directory)?;
        let charts = write(&campaign, &directory)?;
        if context.json {
            let report = directory.path("report.html");
            println!("{}", json!({ "report": report, "charts": charts }));
        } else {
            context.say(format!(
                "wrote {} charts and {}",
                charts.len(),
                directory.path("report.html").display()
            ));
        }
        Ok(())
    }
}

/// The campaign that a run directory is of.
pub(super) fn campaign_of(directory: &RunDirectory) -> Result<Campaign, Failure> {
    let path = directory.resolved_path();
    let resolved =
        Source::read(&path).and_then(|source| Campaign::resolve(&source, directory.root()));
    resolved.map_err(|error| {
        // The program wrote the file; a mistake in it is damage, not a user's.
        Failure::Store(StoreError::Damaged {
            path,
            reason: error.to_string(),
        })
    })
}

/// Draws every chart that the run has data for and writes the report; gives the charts' names.
pub(super) fn write(
    campaign: &Campaign,
    directory: &RunDirectory,
) -> Result<Vec<&'static str>, Failure> {
    let data = campaign::load(campaign, directory)?;
    let charts = chart::render_all(&data)?;
    let folder = directory.path("charts");
    std::fs::create_dir_all(&folder).map_err(|source| StoreError::Io {
        path: folder.clone(),
        source,
    })?;
    for chart in &charts {
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
    directory.write("report.html", report::html(&data, &charts))?;
    Ok(charts.iter().map(|chart| chart.name).collect())
}
