//! `tiletune resume`: continues an interrupted run, or prints the results of a complete one again.

use std::path::PathBuf;

use clap::Args;

use super::execute::{Shown, Threads, execute};
use super::interrupt::stop_on_interrupt;
use super::live::Live;
use super::{Context, Failure};
use crate::config::campaign::Campaign;
use crate::config::compare::Comparison;
use crate::config::experiment::Experiment;
use crate::config::series::Series;
use crate::run::{Control, Execute, Kind, Run, plan_of};

#[derive(Args)]
pub(super) struct Resume {
    /// Run directory.
    run: PathBuf,
    #[command(flatten)]
    threads: Threads,
}

impl Resume {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let run = Run::open(&self.run)?;
        match run.manifest().kind {
            Kind::Campaign => {
                let campaign: Campaign = plan_of(run.directory())?;
                let local = self.threads.evaluator(&campaign.player)?;
                proceed(&campaign, &local, run, local.threads(), context)
            }
            Kind::Series => {
                let series: Series = plan_of(run.directory())?;
                let local = self.threads.evaluator(&series.campaign.player)?;
                proceed(&series, &local, run, local.threads(), context)
            }
            Kind::Experiment => {
                let experiment: Experiment = plan_of(run.directory())?;
                let threads = self.threads.number();
                proceed(&experiment, &threads, run, threads, context)
            }
            Kind::Comparison => {
                let comparison: Comparison = plan_of(run.directory())?;
                let threads = self.threads.number();
                proceed(&comparison, &threads, run, threads, context)
            }
        }
    }
}

/// Executes the rest of a run. Of a complete one it prints the results that the run printed.
fn proceed<Players, P: Execute<Players> + Shown>(
    plan: &P,
    players: &Players,
    mut run: Run,
    threads: usize,
    context: Context,
) -> Result<(), Failure> {
    if !run.is_complete() {
        run.resume(threads)?;
        return execute(plan, players, run, context);
    }
    context.message("the run is already complete; `tiletune report` draws its charts again");
    let root = run.directory().root().to_owned();
    let mut live = Live::new(context, None);
    let progress = live.progress();
    stop_on_interrupt(&progress, live.speaker(), || ())?;
    let outcome = run.outcome(plan, players, &mut Control::new(&progress, &mut live));
    drop(live);
    plan.show(&outcome?, &root, context)
}
