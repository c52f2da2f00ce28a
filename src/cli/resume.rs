//! `tiletune resume`: continue a run that was interrupted.

use std::path::PathBuf;

use clap::Args;

use super::execute::execute;
use super::tune::Threads;
use super::{Context, Failure};
use crate::config::campaign::Campaign;
use crate::config::experiment::Experiment;
use crate::run::{Kind, Run, plan_of};

#[derive(Args)]
pub(super) struct Resume {
    /// The run directory.
    run: PathBuf,
    #[command(flatten)]
    threads: Threads,
}

impl Resume {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let mut run = Run::open(&self.run)?;
        match run.manifest().kind {
            _ if run.is_complete() => {
                context.say(
                    "this run is complete: nothing is left to do (`tiletune report` draws again)",
                );
                Ok(())
            }
            Kind::Campaign => {
                let campaign: Campaign = plan_of(run.directory())?;
                let local = self.threads.evaluator(&campaign)?;
                run.resume(local.threads())?;
                execute(&campaign, &local, run, context)
            }
            Kind::Experiment => {
                let experiment: Experiment = plan_of(run.directory())?;
                let threads = self.threads.number();
                run.resume(threads)?;
                execute(&experiment, &threads, run, context)
            }
        }
    }
}
