//! `tiletune report`: draws charts and report from the files of a run directory.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::interrupt::end_on_interrupt;
use super::{Context, Failure};
use crate::campaign;
use crate::compare;
use crate::experiment;
use crate::run::{Kind, RunDirectory, plan_of};
use crate::series;
use crate::stop::Stop;

#[derive(Args)]
pub(super) struct Report {
    /// Run directory.
    run: PathBuf,
}

impl Report {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        end_on_interrupt()?;
        let directory = RunDirectory::open(&self.run)?;
        let manifest = directory.manifest()?;
        let stop = Stop::never();
        let (report, charts) = match manifest.kind {
            Kind::Campaign => {
                let campaign = plan_of(&directory)?;
                let charts = campaign::report(&campaign, &directory, manifest.status, stop)?;
                ("report.html", charts)
            }
            Kind::Series => {
                let series = plan_of(&directory)?;
                let charts = series::report(&series, &directory, manifest.status, stop)?;
                ("report.html", charts)
            }
            Kind::Experiment => {
                let plan = plan_of(&directory)?;
                let (results, charts) = experiment::report(&plan, &directory, stop)?;
                if !results.unplayed.is_empty() {
                    let (played, unplayed) = (results.rows.len(), results.unplayed.len());
                    let rows = played + unplayed;
                    context.message(format!("{played} of {rows} rows have been played so far"));
                }
                ("report.md", charts)
            }
            Kind::Comparison => {
                let (results, charts) = compare::report(&plan_of(&directory)?, &directory)?;
                if !results.is_complete() {
                    context.message("the comparison is not complete");
                }
                ("report.md", charts)
            }
        };
        let report = directory.path(report).display().to_string();
        if context.json {
            let result = json!({ "report": report, "charts": charts });
            writeln!(std::io::stdout(), "{result}")?;
        } else {
            context.message(format!("wrote {} charts and {report}", charts.len()));
        }
        Ok(())
    }
}
