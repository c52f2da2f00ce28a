//! Evaluation on many machines: tasks of seeded games go to workers through a NATS server, and their records
//! come back.
//!
//! The coordinator, which is the process that runs a campaign, decides everything. It alone knows which games
//! are missing (`collector.rs`), retries a task when no worker seems to play it, takes the first result of
//! each task, and plays a sample of the tasks itself (`spot_check.rs`). The server only carries messages. It may lose
//! or repeat any of them.
//!
//! The life cycle of a task: the coordinator publishes it into the work queue of its build. A worker takes it, and
//! asks the coordinator whether it is still to be played. It plays, sends the records, and removes the task from
//! the queue once the coordinator has answered. So a task whose coordinator has ended costs no games.
//!
//! | subject | from | content |
//! |---|---|---|
//! | `tiletune.task.BUILD.RUN.EVALUATION.NUMBER` | coordinator | a task, in the stream `TILETUNE-BUILD` |
//! | `tiletune.start.BUILD.RUN` | worker | asks whether to play a task |
//! | `tiletune.result.BUILD.RUN.EVALUATION.NUMBER` | worker | the records of a task |
//! | `tiletune.worker.BUILD.WORKER` | worker | once a second: threads, games, tasks |
//! | `tiletune.run.BUILD.RUN` | coordinator | once a second: workers, queue, retries |
//!
//! BUILD is the version with the fingerprint of its games, and RUN is drawn by each process. This module must
//! not propose candidates or write files.

mod collector;
mod connection;
mod evaluator;
mod event;
mod messages;
mod nats;
mod overview;
mod roster;
mod spot_check;
mod task;
mod task_size;
mod transport;
mod worker;

#[cfg(test)]
#[path = "scale/tests.rs"]
mod scale;
#[cfg(test)]
mod tests;

pub use connection::{ConnectError, Credentials, Server};
pub use evaluator::{Cluster, Connection, Recorder};
pub use event::ClusterEvent;
pub use messages::{Heartbeat, RunState};
pub use overview::{Overview, overview};
pub use worker::{Worker, WorkerError};

/// What decides whether two processes play the same games: the version and the fingerprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build(String);

impl Build {
    /// The build of this program with this fingerprint of its games.
    pub fn of(fingerprint: &str) -> Self {
        Build::named(&format!("{}-{fingerprint}", env!("CARGO_PKG_VERSION")))
    }

    /// A build of this name; only letters, digits, `-` and `_` remain, as subjects need it.
    pub fn named(name: &str) -> Self {
        Build(connection::token(name))
    }

    pub fn name(&self) -> &str {
        &self.0
    }
}
