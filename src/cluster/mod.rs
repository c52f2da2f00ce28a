//! Evaluation on many machines. Workers receive tasks of seeded games through a NATS server, and send back the records.
//!
//! The coordinator is the process that runs a campaign. It makes all decisions. It alone knows which games are missing
//! (`collector.rs`), retries a task when no worker seems to play it, accepts the first result of each task, and plays a
//! sample of the tasks itself (`spot_check.rs`). The server only transports messages. It may lose or repeat any of
//! them.
//!
//! The life cycle of a task: the coordinator publishes it into the work queue of its build. A worker takes it, and asks
//! the coordinator whether it must still be played. The worker plays it, sends the records, and removes the task from
//! the queue when the coordinator has answered. So a task whose coordinator has ended costs no games.
//!
//! | subject | from | content |
//! |---|---|---|
//! | `tiletune.task.BUILD.RUN.EVALUATION.NUMBER` | coordinator | a task, in the stream `TILETUNE-BUILD` |
//! | `tiletune.start.BUILD.RUN` | worker | asks whether to play a task |
//! | `tiletune.result.BUILD.RUN.EVALUATION.NUMBER` | worker | the records of a task |
//! | `tiletune.worker.BUILD.WORKER` | worker | once a second: threads, games, tasks |
//! | `tiletune.run.BUILD.RUN` | coordinator | once a second: workers, queue, retries |
//!
//! BUILD is the version with the fingerprint of its games. RUN is a random id of each process. This module must not
//! propose candidates or write files.

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

/// The version and the fingerprint of the games. Processes with equal builds play the same games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build(String);

impl Build {
    /// The build of this program with this fingerprint.
    pub fn of(fingerprint: &str) -> Self {
        Build::named(&format!("{}-{fingerprint}", env!("CARGO_PKG_VERSION")))
    }

    /// A build with this name. Other characters than letters, digits, `-` and `_` are replaced, as subjects require.
    pub fn named(name: &str) -> Self {
        Build(connection::token(name))
    }

    pub fn name(&self) -> &str {
        &self.0
    }
}
