//! Events of the cluster of a run, for its log and for the user.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::number::several;

/// An event of workers, tasks or the server of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ClusterEvent {
    /// The first heartbeat of a worker of the run's build.
    WorkerCame {
        worker: String,
        /// Number of games that it plays at a time.
        threads: u32,
    },
    /// A worker ended, or its heartbeat timed out.
    WorkerWent { worker: String },
    /// The first heartbeat of a worker of another build.
    OtherBuild {
        worker: String,
        build: String,
        /// The build of the run.
        own: String,
    },
    /// A worker is barred.
    WorkerBarred {
        worker: String,
        reason: String,
        /// Number of its tasks that are played again.
        tasks: usize,
    },
    /// A worker cannot play a task.
    CannotPlay {
        worker: String,
        /// Reason of the failure.
        reason: String,
    },
    /// Earlier results depend on games of a barred worker.
    WentBack,
    /// Tasks without an active worker are published again.
    PublishedAgain {
        /// Number of these tasks.
        tasks: u64,
    },
    /// The server does not take tasks.
    TasksRefused {
        server: String,
        /// Reason of the server.
        reason: String,
    },
    /// The connection to the server is lost.
    ServerLost { server: String },
    /// The connection is restored.
    ServerBack { server: String },
    /// No game was received for some time.
    Waits {
        server: String,
        /// The build of the run.
        build: String,
        /// Number of workers.
        workers: u32,
        /// Number of tasks in the queue.
        tasks: u32,
    },
}

impl ClusterEvent {
    /// Whether the user gets a message. The other events are visible in the numbers of workers and retries.
    pub(super) fn is_told(&self) -> bool {
        !matches!(
            self,
            ClusterEvent::WorkerCame { .. }
                | ClusterEvent::WorkerWent { .. }
                | ClusterEvent::PublishedAgain { .. }
        )
    }
}

/// The message of an event.
impl fmt::Display for ClusterEvent {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ClusterEvent::WorkerCame { worker, threads } => {
                let threads = several(*threads, "thread");
                write!(to, "worker {worker} came with {threads}")
            }
            ClusterEvent::WorkerWent { worker } => write!(to, "worker {worker} went"),
            ClusterEvent::OtherBuild { worker, build, own } => write!(
                to,
                "worker {worker} is of build {build}, this run of build {own}: it gets no tasks of this run"
            ),
            ClusterEvent::WorkerBarred {
                worker,
                reason,
                tasks,
            } => write!(
                to,
                "worker {worker} is barred: {reason}; {tasks} of its tasks are played again"
            ),
            ClusterEvent::CannotPlay { worker, reason } => {
                write!(to, "worker {worker} cannot play: {reason}")
            }
            ClusterEvent::WentBack => to.write_str(
                "earlier results rest on its games: the run goes back to the first of them",
            ),
            ClusterEvent::PublishedAgain { tasks } => {
                let is = if *tasks == 1 { "is" } else { "are" };
                write!(to, "{} {is} published again", several(*tasks, "task"))
            }
            ClusterEvent::TasksRefused { server, reason } => {
                write!(to, "{server} does not take tasks, trying again: {reason}")
            }
            ClusterEvent::ServerLost { server } => {
                write!(to, "the connection to {server} is lost, trying again")
            }
            ClusterEvent::ServerBack { server } => write!(to, "connected to {server} again"),
            ClusterEvent::Waits {
                server,
                build,
                workers: 0,
                tasks,
            } => write!(
                to,
                "waiting for workers of build {build} on {server}, {} in the queue; to start one: tiletune worker \
                 --nats {server}",
                several(*tasks, "task")
            ),
            ClusterEvent::Waits {
                server,
                workers,
                tasks,
                ..
            } => write!(
                to,
                "waiting for {} on {server}, {} in the queue: none is played",
                several(*workers, "worker"),
                several(*tasks, "task")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_as_they_were_written_and_have_words() {
        let (worker, server) = (|| "w".to_owned(), || "nats://host".to_owned());
        let reason = || "why".to_owned();
        let waits = |workers| ClusterEvent::Waits {
            server: server(),
            build: "b".into(),
            workers,
            tasks: 1,
        };
        let all = [
            ClusterEvent::WorkerCame {
                worker: worker(),
                threads: 2,
            },
            ClusterEvent::WorkerWent { worker: worker() },
            ClusterEvent::OtherBuild {
                worker: worker(),
                build: "a".into(),
                own: "b".into(),
            },
            ClusterEvent::WorkerBarred {
                worker: worker(),
                reason: reason(),
                tasks: 3,
            },
            ClusterEvent::CannotPlay {
                worker: worker(),
                reason: reason(),
            },
            ClusterEvent::WentBack,
            ClusterEvent::PublishedAgain { tasks: 1 },
            ClusterEvent::PublishedAgain { tasks: 2000 },
            ClusterEvent::TasksRefused {
                server: server(),
                reason: reason(),
            },
            ClusterEvent::ServerLost { server: server() },
            ClusterEvent::ServerBack { server: server() },
            waits(0),
            waits(2),
        ];
        let lines = all.map(|one| {
            let json = serde_json::to_string(&one).unwrap();
            assert_eq!(serde_json::from_str::<ClusterEvent>(&json).unwrap(), one);
            format!("{json}\n    {one}")
        });
        insta::assert_snapshot!(lines.join("\n"));
    }
}
