//! `tiletune resume`: continues an interrupted run.

use std::path::PathBuf;

use clap::Args;

use super::execute::{Shown, Threads, execute};
use super::nats::ClusterArgs;
use super::{Context, Failure};
use crate::cluster::{Cluster, Connection};
use crate::config::campaign::Campaign;
use crate::config::compare::Comparison;
use crate::config::experiment::Experiment;
use crate::config::series::Series;
use crate::evaluation::Makes;
use crate::evaluation::local::Local;
use crate::player::PlayerSpec;
use crate::run::{Execute, Kind, Run, RunError, plan_of};

#[derive(Args)]
pub(super) struct Resume {
    /// Run directory.
    run: PathBuf,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    cluster: ClusterArgs,
}

impl Resume {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let run = Run::open(&self.run)?;
        if run.is_complete() {
            context
                .message("the run is already complete; `tiletune report` draws its charts again");
            return Ok(());
        }
        match run.manifest().kind {
            Kind::Campaign => {
                let campaign: Campaign = plan_of(run.directory())?;
                self.search(&campaign, &campaign.player, run, context)
            }
            Kind::Series => {
                let series: Series = plan_of(run.directory())?;
                self.search(&series, &series.campaign.player, run, context)
            }
            Kind::Experiment => {
                let experiment: Experiment = plan_of(run.directory())?;
                self.compare(&experiment, run, context)
            }
            Kind::Comparison => {
                let comparison: Comparison = plan_of(run.directory())?;
                self.compare(&comparison, run, context)
            }
        }
    }

    /// Continues a run that tunes one player.
    fn search<P: Execute<Local> + Execute<Cluster> + Shown>(
        &self,
        plan: &P,
        player: &PlayerSpec,
        mut run: Run,
        context: Context,
    ) -> Result<(), Failure> {
        let local = self.threads.evaluator(player)?;
        let connection = self.cluster.connect(local.threads(), context)?;
        run.resume(local.threads())?;
        match connection {
            None => execute(plan, &local, run, context),
            Some(connection) => {
                let cluster = connection.evaluator(player).map_err(RunError::from)?;
                execute(plan, &cluster, run, context)
            }
        }
    }

    /// Continues a run that compares several players.
    fn compare<P: Execute<usize> + Execute<Connection> + Shown>(
        &self,
        plan: &P,
        mut run: Run,
        context: Context,
    ) -> Result<(), Failure> {
        let threads = self.threads.number();
        let connection = self.cluster.connect(threads, context)?;
        run.resume(threads)?;
        match connection {
            None => execute(plan, &threads, run, context),
            Some(connection) => execute(plan, &connection, run, context),
        }
    }
}
