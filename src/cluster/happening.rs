//! What happens on the cluster of a run, for its log and for the user.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::number::several;

/// Something that happens to workers, tasks or the server of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Happening {
    /// A worker of the run's build is heard.
    WorkerCame {
        /// The worker.
        worker: String,
        /// Number of games that it plays at a time.
        threads: u32,
    },
    /// A worker ended, or is not heard any more.
    WorkerWent {
        /// The worker.
        worker: String,
    },
    /// A worker of another build is heard.
    OtherBuild {
        /// The worker.
        worker: String,
        /// Its build.
        build: String,
        /// The build of the run.
        own: String,
    },
    /// The games of a worker are not used any more.
    WorkerBarred {
        /// The worker.
        worker: String,
        /// Why.
        reason: String,
        /// Number of its tasks that are played again.
        tasks: usize,
    },
    /// A worker cannot play a task.
    CannotPlay {
        /// The worker.
        worker: String,
        /// Why.
        reason: String,
    },
    /// Earlier results rest on games of a barred worker.
    WentBack,
    /// Tasks that nobody seemed to play are published again.
    PublishedAgain {
        /// Number of tasks.
        tasks: u64,
    },
    /// The server does not take tasks.
    TasksRefused {
        /// The server.
        server: String,
        /// Why.
        reason: String,
    },
    /// The connection to the server is lost.
    ServerLost {
        /// The server.
        server: String,
    },
    /// It is there again.
    ServerBack {
        /// The server.
        server: String,
    },
    /// No game has come for some time.
    Waits {
        /// The server.
        server: String,
        /// The build of the run.
        build: String,
        /// Number of workers.
        workers: u32,
        /// Number of tasks in the queue.
        tasks: u32,
    },
}

impl Happening {
    /// Whether the user is told at once. All others show in the number of workers and retries.
    pub(super) fn is_told(&self) -> bool {
        !matches!(
            self,
            Happening::WorkerCame { .. }
                | Happening::WorkerWent { .. }
                | Happening::PublishedAgain { .. }
        )
    }
}

/// In words.
impl fmt::Display for Happening {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Happening::WorkerCame { worker, threads } => {
                let threads = several(*threads, "thread");
                write!(to, "worker {worker} came with {threads}")
            }
            Happening::WorkerWent { worker } => write!(to, "worker {worker} went"),
            Happening::OtherBuild { worker, build, own } => write!(
                to,
                "worker {worker} is of build {build}, this run of build {own}: it gets no tasks of this run"
            ),
            Happening::WorkerBarred {
                worker,
                reason,
                tasks,
            } => write!(
                to,
                "worker {worker} is barred: {reason}; {tasks} of its tasks are played again"
            ),
            Happening::CannotPlay { worker, reason } => {
                write!(to, "worker {worker} cannot play: {reason}")
            }
            Happening::WentBack => to.write_str(
                "earlier results rest on its games: the run goes back to the first of them",
            ),
            Happening::PublishedAgain { tasks } => {
                let is = if *tasks == 1 { "is" } else { "are" };
                write!(to, "{} {is} published again", several(*tasks, "task"))
            }
            Happening::TasksRefused { server, reason } => {
                write!(to, "{server} does not take tasks, trying again: {reason}")
            }
            Happening::ServerLost { server } => {
                write!(to, "the connection to {server} is lost, trying again")
            }
            Happening::ServerBack { server } => write!(to, "connected to {server} again"),
            Happening::Waits {
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
            Happening::Waits {
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
    fn happenings_are_read_as_they_were_written_and_have_words() {
        let (worker, server) = (|| "w".to_owned(), || "nats://host".to_owned());
        let reason = || "why".to_owned();
        let waits = |workers| Happening::Waits {
            server: server(),
            build: "b".into(),
            workers,
            tasks: 1,
        };
        let all = [
            Happening::WorkerCame {
                worker: worker(),
                threads: 2,
            },
            Happening::WorkerWent { worker: worker() },
            Happening::OtherBuild {
                worker: worker(),
                build: "a".into(),
                own: "b".into(),
            },
            Happening::WorkerBarred {
                worker: worker(),
                reason: reason(),
                tasks: 3,
            },
            Happening::CannotPlay {
                worker: worker(),
                reason: reason(),
            },
            Happening::WentBack,
            Happening::PublishedAgain { tasks: 1 },
            Happening::PublishedAgain { tasks: 2000 },
            Happening::TasksRefused {
                server: server(),
                reason: reason(),
            },
            Happening::ServerLost { server: server() },
            Happening::ServerBack { server: server() },
            waits(0),
            waits(2),
        ];
        let lines = all.map(|one| {
            let json = serde_json::to_string(&one).unwrap();
            assert_eq!(serde_json::from_str::<Happening>(&json).unwrap(), one);
            format!("{json}\n    {one}")
        });
        insta::assert_snapshot!(lines.join("\n"));
    }
}
