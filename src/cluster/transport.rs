//! The coordinator's interface to the outside: messages to and from workers, a clock, and threads that play games on
//! this machine. One implementation is NATS; the other simulates workers, faults and time for tests.

use std::time::Duration;

use super::messages::{Answer, Heartbeat, RunState, Start, TaskId};
use super::task::Job;
use crate::record::GameRecord;

/// Reply subject of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReplySubject(pub(super) String);

/// An event for the coordinator.
pub(super) enum TransportEvent {
    /// A worker asks whether to play a task.
    Start(Start, ReplySubject),
    /// A worker sends the packed records of a task.
    Result(TaskId, Vec<u8>, ReplySubject),
    /// The heartbeat of a worker.
    Heartbeat(Heartbeat),
    /// The result of a spot check.
    CheckedTask(TaskId, CheckedTask),
    /// What a spot check computes before its games, and the progress of this, for the user.
    Announced(String),
    /// A task could not be published. The text is the reason.
    Unpublished(TaskId, String),
    /// The connection is lost.
    Disconnected,
    /// The connection is restored; the server may have lost all tasks.
    Reconnected,
}

/// The result of a spot check.
pub(super) struct CheckedTask {
    /// The games; `None` if they were not completed.
    pub(super) games: Option<Vec<GameRecord>>,
    /// Whether a replay gave the same games. Games of programs can differ.
    pub(super) repeats: bool,
}

/// Transports messages between the coordinator and its workers. It may lose, delay and repeat them.
pub(super) trait Transport: Send {
    /// A monotonic clock.
    fn now(&self) -> Duration;

    /// Opens an evaluation. The tasks of all other evaluations are then done.
    fn open(&mut self, evaluation: u64);

    /// Publishes a packed task. It replaces the same task in the queue.
    fn publish(&mut self, task: TaskId, attempt: u32, bytes: Vec<u8>);

    /// Answers a worker.
    fn answer(&mut self, reply_to: ReplySubject, answer: Answer);

    /// Starts a spot check: plays a task on this machine.
    fn check(&mut self, task: TaskId, job: Job);

    /// The next event, with a timeout.
    fn poll(&mut self, wait: Duration) -> Option<TransportEvent>;

    /// Closes the evaluation. If `has_rest`, some of its tasks may still be in the queue, so they are purged.
    fn close(&mut self, has_rest: bool);

    /// Publishes the state of the run.
    fn tell(&mut self, state: RunState);
}
