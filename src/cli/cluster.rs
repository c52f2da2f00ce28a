//! `tiletune cluster`: lists workers, runs and queues of a cluster.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::nats::ServerArgs;
use super::{Context, Failure, text};
use crate::cluster::{Heartbeat, Overview, RunState, overview};
use crate::number::{count, grouped};

/// Listening time. Workers and runs send a heartbeat once a second.
const TIME: Duration = Duration::from_millis(2500);

/// What `tiletune cluster` prints.
#[derive(Serialize, JsonSchema)]
pub(super) struct Heard<'a> {
    /// The workers, by name.
    workers: Vec<&'a Heartbeat>,
    /// The runs, by id.
    runs: Vec<&'a RunState>,
    /// Build -> tasks in its queue.
    queues: &'a BTreeMap<String, u64>,
}

#[derive(Args)]
#[command(after_help = "\
--json: one object with workers, runs and queues.

Examples:
  tiletune cluster --nats nats://host:4222
      workers and runs of a server")]
pub(super) struct Cluster {
    #[command(flatten)]
    server: ServerArgs,
}

impl Cluster {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let server = self.server.needed()?;
        let progress = context.progress()?;
        let seen = overview(&server, TIME, progress.stop())?;
        let seen = seen.ok_or_else(|| Failure::Interrupted("interrupted".into()))?;
        context.print(
            || Heard {
                workers: seen.workers.values().collect(),
                runs: seen.runs.values().collect(),
                queues: &seen.queues,
            },
            || in_words(&seen),
        )
    }
}

fn in_words(seen: &Overview) -> String {
    let mut workers = text::table(&["worker", "build", "threads", "games/s", "games", "tasks"]);
    for worker in seen.workers.values() {
        workers.add_row([
            worker.worker.clone(),
            worker.build.clone(),
            worker.threads.to_string(),
            grouped(worker.games_per_second, 1),
            count(worker.games),
            worker.holds.len().to_string(),
        ]);
    }
    let mut runs = text::table(&[
        "run", "build", "workers", "queued", "played", "games", "retries", "barred",
    ]);
    for run in seen.runs.values() {
        runs.add_row([
            run.run.clone(),
            run.build.clone(),
            run.workers.to_string(),
            run.queued.to_string(),
            run.playing.to_string(),
            count(run.games),
            run.retries.to_string(),
            run.barred.join(", "),
        ]);
    }
    let queues = seen.queues.iter();
    let queues = queues
        .map(|(build, tasks)| format!("{} tasks in the queue of build {build}", count(*tasks)));
    let workers = if seen.workers.is_empty() {
        "no workers".to_owned()
    } else {
        workers.to_string()
    };
    let runs = if seen.runs.is_empty() {
        "no runs".to_owned()
    } else {
        runs.to_string()
    };
    [workers, runs]
        .into_iter()
        .chain(queues)
        .collect::<Vec<_>>()
        .join("\n")
}
