//! `tiletune resume`: go on with a campaign that was interrupted.

use std::path::PathBuf;

use clap::Args;

use super::carry_out::carry_out;
use super::tune::Threads;
use super::{Context, Failure};
use crate::campaign;
use crate::store::manifest::{Session, Status};
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
        let mut manifest = directory.manifest()?;
        let campaign = campaign::open(&directory)?;
        if manifest.status == Status::Complete {
            context
                .say("this run is complete: nothing is left to do (`tiletune report` draws again)");
            return Ok(());
        }
        let local = self.threads.evaluator(&campaign)?;
        manifest.resumed.push(Session::now(local.threads()));
        manifest.status = Status::Running;
        manifest.write(&directory.manifest_path())?;
        carry_out(&campaign, &local, &directory, manifest, context)
    }
}
