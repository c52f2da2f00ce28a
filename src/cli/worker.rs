//! `tiletune worker`: plays games for runs on other machines.

use clap::Args;

use super::execute::Threads;
use super::nats::ServerArgs;
use super::numbers::whole;
use super::{Context, Failure};
use crate::cluster::{self, WorkerError};

#[derive(Args)]
#[command(after_help = "\
A worker takes tasks of runs of its own build: the same version with the same fingerprint of games. It writes no \
files. Ctrl-C or SIGTERM ends it within two seconds with exit code 0; the tasks that it held are played by others. \
It waits for a server that is not there. docs/cluster.md has a systemd unit, a compose file and a Slurm job.

--json: nothing else: messages go to stderr.

Examples:
  tiletune worker --nats nats://host:4222
      plays for every run on this server, until Ctrl-C
  tiletune worker --nats nats://host:4222 --threads 4
      with four threads")]
pub(super) struct Worker {
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    threads: Threads,
    /// Most MiB of memory (Linux only). A worker that uses more gives its tasks back and ends with exit code 1.
    #[arg(long, value_name = "MIB", value_parser = whole(16..=1_000_000_000u64))]
    memory: Option<u64>,
    /// Name of the worker; no two workers may have the same [default: machine, process, a random number]
    #[arg(long)]
    name: Option<String>,
    /// Allow tasks that start this program: its words joined by spaces, as in "python3 my_ai.py". It is started in
    /// the working directory of the worker.
    #[arg(long = "allow-command", value_name = "COMMAND")]
    commands: Vec<String>,
}

impl Worker {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let server = self.server.needed()?;
        // Until the fingerprint is computed, a signal ends the process at once.
        let build = context.build();
        let progress = context.progress()?;
        let worker = cluster::Worker {
            name: self.name,
            threads: self.threads.number(),
            memory: self.memory,
            catalogue: context.catalogue.clone(),
            build,
            commands: self.commands,
            falsify_after: context.testing.falsify_after,
        };
        let ended = worker.run(&server, &progress, &|text| context.message(text));
        ended.map_err(|error| match error {
            WorkerError::Connect(error) => error.into(),
            error => Failure::Failed(error.to_string()),
        })
    }
}
