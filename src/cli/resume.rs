//! `tiletune resume`: continues an interrupted run, ends an interrupted search, continues a finished campaign with more
//! budget, or prints the results of a complete run again.

use std::path::PathBuf;

use clap::Args;

use super::backend::Backend;
use super::budget::BudgetArgs;
use super::execute::{Threads, execute};
use super::nats::ClusterArgs;
use super::publish::{folder_of, publish, with_file};
use super::run_path::run_path;
use super::{Context, Failure};
use crate::build::build;
use crate::campaign::{continue_with, end_search};
use crate::run::{Run, Session};

#[derive(Args)]
#[command(after_help = "\
--json: the object of the command that began the run.

A limit of the campaign that is not given stays, unless the search has reached it. Each continuation has fresh hold-out games. \
best.toml has the weights of the last end of the search that were shown to be better than the start weights.

Examples:
  tiletune resume results/mine
      after Ctrl-C, a crash or a power cut
  tiletune resume results/mine --games 40000
      go on with a campaign until it has played 40,000 games in all
  tiletune resume results/mine --finish
      end the search of an interrupted campaign now, and compare what it has found
  tiletune resume results/mine --go-on
      after a stop because all candidates had the same fitness
  tiletune resume results/mine --publish mine/experiment.toml
      and copy charts and tables of an experiment into mine/")]
pub(super) struct Resume {
    /// Run directory, its name in `results`, or `last`.
    #[arg(value_parser = run_path)]
    run: PathBuf,
    /// With the run of an experiment, its file: copy charts and tables into its folder, as `ablate --publish` does.
    #[arg(long, value_name = "EXPERIMENT", conflicts_with_all = ["games", "minutes", "generations", "finish"])]
    publish: Option<PathBuf>,
    /// Go on with a search that has stopped because all candidates of its first generations have the same fitness.
    #[arg(long)]
    go_on: bool,
    /// End the search of a campaign now: no further generation, but race, hold-out games and report of what is there.
    #[arg(long, conflicts_with_all = ["games", "minutes", "generations"])]
    finish: bool,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    cluster: ClusterArgs,
}

impl Resume {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let mut run = Run::open(&self.run)?;
        let session = Session::of(build(), self.threads.number());
        let limits = self.budget.limits();
        // Connected first: a run must not lose its results if the cluster cannot be reached.
        let backend = self.backend(limits.is_empty() && run.is_complete(), context)?;
        let is_extended = !limits.is_empty();
        if is_extended {
            for notice in continue_with(context.catalogue, &mut run, session.clone(), limits)? {
                context.message(notice);
            }
        } else if self.finish && !run.is_complete() {
            end_search(context.catalogue, &run)?;
        }
        let plan = context.kinds.plan(context.catalogue, run.directory())?;
        let published = match &self.publish {
            None => None,
            Some(file) => Some((file, folder_of(file, &*plan, run.directory(), context)?)),
        };
        let root = run.directory().root().to_owned();
        if !run.is_complete() && !is_extended {
            run.resume(session)?;
        }
        let ended = execute(&*plan, &backend, run, self.go_on, context);
        match published {
            None => ended,
            Some((file, folder)) => {
                ended.map_err(|failure| with_file(failure, file))?;
                Ok(publish(plan.kind(), &root, &folder)?)
            }
        }
    }

    /// The machines of the run. A complete run plays no games, so it does not connect to a cluster.
    fn backend(&self, is_complete: bool, context: Context) -> Result<Backend, Failure> {
        let threads = self.threads.number();
        if is_complete {
            context.message(
                "the run is already complete; `tiletune report` draws its charts again, and --games, --minutes or \
                 --generations continues a campaign with more budget",
            );
            return Ok(Backend::Here(threads));
        }
        self.cluster.backend(threads, context)
    }
}
