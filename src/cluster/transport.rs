//! What the coordinator needs of the world: messages to and from workers, a clock, and threads that play games
//! here. One implementation is NATS, the other one simulates workers, faults and time in tests.

use std::time::Duration;

use super::messages::{Answer, Beat, RunState, Start, TaskId};
use super::task::Job;
use crate::record::GameRecord;

/// Where an answer goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ticket(pub(super) String);

/// What happens.
pub(super) enum Event {
    /// A worker asks whether to play a task.
    Start(Start, Ticket),
    /// A worker sends the packed records of a task.
    Result(TaskId, Vec<u8>, Ticket),
    /// A worker lives.
    Beat(Beat),
    /// A task has been played here.
    Checked(TaskId, Checked),
    /// A task is not in the queue, for this reason.
    Unpublished(TaskId, String),
    /// The connection is lost.
    Disconnected,
    /// The connection is there again; the server may have lost everything.
    Reconnected,
}

/// Games of a task that were played here.
pub(super) struct Checked {
    /// The games; `None` if they were left unfinished.
    pub(super) games: Option<Vec<GameRecord>>,
    /// Whether another play gave the same games. Games of programs may differ.
    pub(super) repeats: bool,
}

/// Carries messages between the coordinator and its workers. It may lose, delay and repeat them.
pub(super) trait Transport: Send {
    /// The time since some instant.
    fn now(&self) -> Duration;

    /// An evaluation begins: tasks of all others are done.
    fn open(&mut self, evaluation: u64);

    /// Publishes a task, packed. A task that is in the queue already is replaced.
    fn publish(&mut self, task: TaskId, attempt: u32, bytes: Vec<u8>);

    /// Answers a worker.
    fn answer(&mut self, ticket: Ticket, answer: Answer);

    /// Plays a task here, beside the messages.
    fn check(&mut self, task: TaskId, job: Job);

    /// What happens next, within this time.
    fn poll(&mut self, wait: Duration) -> Option<Event>;

    /// The open evaluation ends. If it has a rest, some of its tasks may be in the queue, of no use any more.
    fn close(&mut self, has_rest: bool);

    /// Tells who asks how the run stands.
    fn tell(&mut self, state: RunState);
}
