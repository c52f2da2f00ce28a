//! `tiletune resume`: go on with a campaign or an experiment that was interrupted.

use std::path::PathBuf;

use clap::Args;

use super::carry_out;
use super::tune::Threads;
use super::{Context, Failure};
use crate::campaign;
use crate::experiment;
use crate::store::manifest::{Manifest, Session, Status};
use crate::store::run_directory::RunDirectory;

#[derive(Args)]
pub(super) struct Resume {
    /// The run directory.
    run: PathBuf,
    #[command(flatten)]
    threads: Threads,
}

impl Resume {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let directory = RunDirectory::open_for_writing(&self.run)?;
        let manifest = directory.manifest()?;
        if experiment::is_experiment(&directory) {
            self.experiment(&directory, manifest, context)
        } else {
            self.campaign(&directory, manifest, context)
        }
    }

    fn campaign(
        self,
        directory: &RunDirectory,
        manifest: Manifest,
        context: Context,
    ) -> Result<(), Failure> {
        let campaign = campaign::open(directory)?;
        if is_complete(&manifest, context) {
            return Ok(());
        }
        let local = self.threads.evaluator(&campaign)?;
        let manifest = gone_on_with(manifest, directory, local.threads())?;
        carry_out::campaign::carry_out(&campaign, &local, directory, manifest, context)
    }

    fn experiment(
        self,
        directory: &RunDirectory,
        manifest: Manifest,
        context: Context,
    ) -> Result<(), Failure> {
        use carry_out::experiment::{carry_out, show};
        let experiment = experiment::open(directory)?;
        if is_complete(&manifest, context) {
            return Ok(());
        }
        let threads = self.threads.number();
        let manifest = gone_on_with(manifest, directory, threads)?;
        let outcome = carry_out(&experiment, directory, manifest, threads, context)?;
        show(&outcome.results, directory, context)
    }
}

fn is_complete(manifest: &Manifest, context: Context) -> bool {
    let is_complete = manifest.status == Status::Complete;
    if is_complete {
        context.say("this run is complete: nothing is left to do (`tiletune report` draws again)");
    }
    is_complete
}

/// The manifest with this process in it.
fn gone_on_with(
    mut manifest: Manifest,
    directory: &RunDirectory,
    threads: usize,
) -> Result<Manifest, Failure> {
    manifest.resumed.push(Session::now(threads));
    manifest.status = Status::Running;
    manifest.write(&directory.manifest_path())?;
    Ok(manifest)
}
