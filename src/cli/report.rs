//! `tiletune report`: draws charts and report from the files of a run directory.

use std::io::{Error, ErrorKind};
use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::interrupt::end_on_interrupt;
use super::run_path::run_path;
use super::{Context, Failure};
use crate::number::several;
use crate::run::lock::IN_USE;
use crate::run::{ReportSummary, RunDirectory, StoreError};
use crate::stop::Stop;

/// What `tiletune report` prints.
#[derive(Serialize, JsonSchema)]
pub(super) struct ReportFiles {
    /// The run directory.
    run: String,
    /// The file of the report.
    report: String,
    /// Names of the charts that were written.
    charts: Vec<&'static str>,
}

#[derive(Args)]
#[command(after_help = "\
--json: one object with the path of the report and the names of the charts.

Examples:
  tiletune report results/mine
      in the run directory
  tiletune report results/mine --out elsewhere
      in a folder of its own")]
pub(super) struct Report {
    /// Run directory, its name in `results`, or `last`.
    #[arg(value_parser = run_path)]
    run: PathBuf,
    /// Write charts, report and results into this directory, which must not exist or be empty: for a run
    /// that another process is executing, or that you cannot change.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Report {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        end_on_interrupt()?;
        let directory = self.open()?;
        let manifest = directory.manifest()?;
        let plan = context.kinds.plan(context.catalogue, &directory)?;
        let ReportSummary { charts, note } =
            plan.report(&directory, manifest.status, Stop::never())?;
        if let Some(note) = note {
            context.message(note);
        }
        if self.out.is_none() {
            // The list of files has grown, and the manifest records its length.
            directory.manifest()?.write(directory.root())?;
        }
        let report = directory.output("report.html").display().to_string();
        if context.json {
            let run = self.run.display().to_string();
            context.print(
                || ReportFiles {
                    run,
                    report,
                    charts,
                },
                String::new,
            )?;
        } else {
            context.message(format!(
                "wrote {} and {report}",
                several(charts.len() as u64, "chart")
            ));
        }
        Ok(())
    }

    /// The run directory: locked for writing, or with another output directory.
    fn open(&self) -> Result<RunDirectory, Failure> {
        match &self.out {
            Some(out) => Ok(RunDirectory::open(&self.run)?.with_output(out)?),
            None => RunDirectory::open_for_writing(&self.run).map_err(|error| match error {
                StoreError::Unusable { path, reason } if reason == IN_USE => {
                    let hint = "--out DIR writes the report elsewhere";
                    StoreError::unusable(&path, format!("{reason}; {hint}")).into()
                }
                StoreError::Io { path, source } if is_refused(&source) => Failure::Usage(format!(
                    "{}: {source}; --out DIR writes the report elsewhere",
                    path.display()
                )),
                error => error.into(),
            }),
        }
    }
}

/// Whether an error means that the user may not write there.
fn is_refused(error: &Error) -> bool {
    [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem].contains(&error.kind())
}
