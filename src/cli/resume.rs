//! `tiletune resume`: continues an interrupted run, or prints the results of a complete one again.

use std::path::PathBuf;

use clap::Args;

use super::execute::{Shown, Threads, execute};
use super::interrupt::stop_on_interrupt;
use super::live::Live;
use super::nats::ClusterArgs;
use super::publish::{folder_of, publish, with_file};
use super::{Context, Failure};
use crate::build::build;
use crate::config::campaign::Campaign;
use crate::config::compare::Comparison;
use crate::config::experiment::Experiment;
use crate::config::series::Series;
use crate::run::Session;
use crate::run::{Control, Kind, Run, plan_of};

#[derive(Args)]
pub(super) struct Resume {
    /// Run directory.
    run: PathBuf,
    /// With the run of an experiment, its file: copy charts and tables into its folder, as `ablate --publish` does.
    #[arg(long, value_name = "EXPERIMENT")]
    publish: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    cluster: ClusterArgs,
}

impl Resume {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let run = Run::open(&self.run)?;
        let kind = run.manifest().kind;
        if self.publish.is_some() && kind != Kind::Experiment {
            return Err(Failure::Usage(format!(
                "{}: the directory of {kind}; --publish is for that of an experiment",
                self.run.display()
            )));
        }
        match kind {
            Kind::Campaign => {
                let campaign: Campaign = plan_of(run.directory())?;
                self.resume(&campaign, run, context)
            }
            Kind::Series => {
                let series: Series = plan_of(run.directory())?;
                self.resume(&series, run, context)
            }
            Kind::Experiment => {
                let experiment: Experiment = plan_of(run.directory())?;
                let Some(file) = &self.publish else {
                    return self.resume(&experiment, run, context);
                };
                let folder = folder_of(file, &experiment, run.directory())?;
                let root = run.directory().root().to_owned();
                let ended = self.resume(&experiment, run, context);
                ended.map_err(|failure| with_file(failure, file))?;
                Ok(publish(&root, &folder)?)
            }
            Kind::Comparison => {
                let comparison: Comparison = plan_of(run.directory())?;
                self.resume(&comparison, run, context)
            }
        }
    }

    /// Continues a run.
    fn resume<P: Shown>(&self, plan: &P, mut run: Run, context: Context) -> Result<(), Failure> {
        let threads = self.threads.number();
        if run.is_complete() {
            return show(plan, threads, run, context);
        }
        let machines = self.cluster.machines(threads, context)?;
        run.resume(Session::of(build(), threads))?;
        execute(plan, &machines, run, context)
    }
}

/// Prints the results that a complete run has printed.
fn show<P: Shown>(plan: &P, threads: usize, run: Run, context: Context) -> Result<(), Failure> {
    context.message("the run is already complete; `tiletune report` draws its charts again");
    let root = run.directory().root().to_owned();
    let mut live = Live::new(context, None);
    let progress = live.progress();
    stop_on_interrupt(&progress, live.speaker(), || ())?;
    let outcome = run.outcome(plan, &threads, &mut Control::new(&progress, &mut live));
    drop(live);
    plan.show(&outcome?, &root, context)
}
