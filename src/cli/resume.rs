//! `tiletune resume`: continues an interrupted run.

use std::path::PathBuf;

use clap::Args;

use super::execute::{Threads, execute};
use super::{Context, Failure};
use crate::config::campaign::Campaign;
use crate::config::compare::Comparison;
use crate::config::experiment::Experiment;
use crate::config::series::Series;
use crate::run::{Kind, Run, plan_of};

#[derive(Args)]
pub(super) struct Resume {
    /// Run directory.
    run: PathBuf,
    #[command(flatten)]
    threads: Threads,
}

impl Resume {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let mut run = Run::open(&self.run)?;
        if run.is_complete() {
            context
                .message("the run is already complete; `tiletune report` draws its charts again");
            return Ok(());
        }
        match run.manifest().kind {
            Kind::Campaign => {
                let campaign: Campaign = plan_of(run.directory())?;
                let local = self.threads.evaluator(&campaign.player)?;
                run.resume(local.threads())?;
                execute(&campaign, &local, run, context)
            }
            Kind::Series => {
                let series: Series = plan_of(run.directory())?;
                let local = self.threads.evaluator(&series.campaign.player)?;
                run.resume(local.threads())?;
                execute(&series, &local, run, context)
            }
            Kind::Experiment => {
                let experiment: Experiment = plan_of(run.directory())?;
                let threads = self.threads.number();
                run.resume(threads)?;
                execute(&experiment, &threads, run, context)
            }
            Kind::Comparison => {
                let comparison: Comparison = plan_of(run.directory())?;
                let threads = self.threads.number();
                run.resume(threads)?;
                execute(&comparison, &threads, run, context)
            }
        }
    }
}
