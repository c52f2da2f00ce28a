//! The event loop of one evaluation: passes events to the collector, and sends its requests.

use std::time::Duration;

use super::Shared;
use crate::cluster::collector::{Collector, RunContext};
use crate::cluster::event::ClusterEvent;
use crate::cluster::messages::{Answer, Heartbeat, TaskId, TaskResult, pack, unpack};
use crate::cluster::task::{Evaluation, Job};
use crate::cluster::task_size::{TaskCost, TaskSizer};
use crate::cluster::transport::{ReplySubject, TransportEvent};
use crate::evaluation::Progress;
use crate::lock::locked;
use crate::number::{count, several};

/// Polling interval.
const TICK: Duration = Duration::from_millis(20);

/// Time without new games until the user gets a message. It doubles with each message, up to the longest time.
const FIRST_SILENCE: Duration = Duration::from_secs(5);
const LONGEST_SILENCE: Duration = Duration::from_secs(300);

/// Interval of the status line.
const STATUS: Duration = Duration::from_millis(500);

/// An evaluation in progress.
pub(super) struct Round<'a> {
    shared: &'a mut Shared,
    pub(super) collector: Collector,
    evaluation: Evaluation<'a>,
    /// Index of the first game in the whole evaluation.
    first: usize,
    pace: &'a mut TaskSizer,
    progress: &'a Progress,
    /// Number of games that were added to the progress.
    counted: usize,
    last_progress: Duration,
    silence: Duration,
    last_status: Duration,
    last_refusal: Option<String>,
    /// Number of reported retries.
    retries: u64,
}

/// The reason why a round is incomplete.
pub(super) enum RoundError {
    Stopped,
    Failed(String),
    /// Evaluations from this one on used wrong games.
    False(u64),
}

impl<'a> Round<'a> {
    /// An evaluation that plays the games from `first` on. `collector` has their number.
    pub(super) fn new(
        shared: &'a mut Shared,
        pace: &'a mut TaskSizer,
        progress: &'a Progress,
        evaluation: Evaluation<'a>,
        first: usize,
        collector: Collector,
    ) -> Self {
        Round {
            last_progress: shared.transport.now(),
            shared,
            collector,
            evaluation,
            first,
            pace,
            progress,
            counted: 0,
            silence: FIRST_SILENCE,
            last_status: Duration::ZERO,
            last_refusal: None,
            retries: 0,
        }
    }

    /// Plays until all games are received.
    pub(super) fn play(&mut self) -> Result<(), RoundError> {
        loop {
            if self.progress.is_stopped() {
                return Err(RoundError::Stopped);
            }
            self.publish()?;
            if let Some(since) = self.collector.false_since() {
                return Err(RoundError::False(since));
            }
            if let Some(failure) = self.collector.failure() {
                return Err(RoundError::Failed(failure.to_owned()));
            }
            if self.collector.is_complete() {
                return Ok(());
            }
            self.watch();
            let mut event = self.shared.transport.poll(TICK);
            // Drain the queue of events before publishing again.
            while let Some(one) = event {
                self.take(one);
                event = self.shared.transport.poll(Duration::ZERO);
            }
        }
    }

    fn known<T>(&mut self, act: impl FnOnce(&mut Collector, &mut RunContext) -> T) -> T {
        let mut known = RunContext {
            roster: &mut self.shared.roster,
            pace: self.pace,
            sample: self.shared.sample,
        };
        act(&mut self.collector, &mut known)
    }

    fn job(&self, task: TaskId) -> Option<Job> {
        let games = self.collector.range(task)?;
        Some(
            self.evaluation
                .job(self.first + games.start..self.first + games.end),
        )
    }

    /// Publishes due tasks and starts spot checks.
    fn publish(&mut self) -> Result<(), RoundError> {
        let now = self.shared.transport.now();
        let due = self.known(|collector, known| collector.tick(now, known));
        for (task, attempt) in due {
            if let Some(job) = self.job(task) {
                let bytes = job.encode().map_err(RoundError::Failed)?;
                self.shared.transport.publish(task, attempt, pack(&bytes));
            }
        }
        for task in self.collector.take_checks() {
            if let Some(job) = self.job(task) {
                self.shared.transport.check(task, job);
            }
        }
        for event in self.collector.take_events() {
            self.shared.report(&event);
        }
        Ok(())
    }

    fn take(&mut self, event: TransportEvent) {
        let now = self.shared.transport.now();
        let server = || self.shared.place.clone();
        match event {
            TransportEvent::Start(start, reply_to) => {
                let (worker, task) = (&start.worker, start.task);
                let answer =
                    self.known(|collector, known| collector.start(now, worker, task, known));
                self.shared.transport.answer(reply_to, answer);
            }
            TransportEvent::Result(task, bytes, reply_to) => {
                self.take_result(task, &bytes, reply_to);
            }
            TransportEvent::Heartbeat(beat) => self.hear(beat),
            TransportEvent::CheckedTask(task, checked) => {
                self.known(|collector, known| collector.checked(task, checked, known));
            }
            TransportEvent::Announced(text) => (self.shared.say)(&format!("spot check: {text}")),
            TransportEvent::Unpublished(task, why) => {
                self.collector.unpublished(now, task);
                if self.last_refusal.as_ref() != Some(&why) {
                    let refused = ClusterEvent::TasksRefused {
                        server: server(),
                        reason: why.clone(),
                    };
                    self.shared.report(&refused);
                    self.last_refusal = Some(why);
                }
            }
            TransportEvent::Disconnected => {
                let lost = ClusterEvent::ServerLost { server: server() };
                self.shared.report(&lost);
            }
            TransportEvent::Reconnected => {
                let back = ClusterEvent::ServerBack { server: server() };
                self.shared.report(&back);
                self.collector.lost(now);
            }
        }
        self.count(now);
    }

    fn hear(&mut self, beat: Heartbeat) {
        let now = self.shared.transport.now();
        let other = (beat.build != self.shared.build).then(|| beat.build.clone());
        let worker = beat.worker.clone();
        // Workers of other builds do not count, so they get no threads.
        let known = match &other {
            Some(_) => Heartbeat { threads: 0, ..beat },
            None => beat,
        };
        let is_new = self.shared.roster.hear(now, known);
        if let Some(build) = other.filter(|_| is_new) {
            let own = self.shared.build.clone();
            self.shared
                .report(&ClusterEvent::OtherBuild { worker, build, own });
        }
    }

    fn take_result(&mut self, task: TaskId, bytes: &[u8], reply_to: ReplySubject) {
        let now = self.shared.transport.now();
        let played =
            unpack(bytes).and_then(|text| serde_json::from_slice::<TaskResult>(&text).ok());
        let Some(played) = played else {
            let answer = Answer::Barred("its message is damaged".into());
            self.shared.transport.answer(reply_to, answer);
            return;
        };
        let worker = &played.worker;
        let answer = match played.games {
            Err(why) => {
                self.known(|collector, known| collector.fail(now, worker, task, &why, known))
            }
            Ok(columns) => {
                let seeds = self.job(task);
                let games = seeds.and_then(|job| columns.games(job.seeds()));
                let cost = TaskCost {
                    seconds: played.seconds,
                    bytes: bytes.len(),
                };
                self.known(|collector, known| collector.result(worker, task, games, cost, known))
            }
        };
        self.shared.transport.answer(reply_to, answer);
    }

    /// Adds newly received games to the progress.
    fn count(&mut self, now: Duration) {
        let played = self.collector.played();
        if played > self.counted {
            self.progress.add_games((played - self.counted) as u64);
            self.counted = played;
            self.last_progress = now;
            self.silence = FIRST_SILENCE;
            self.last_refusal = None;
        }
    }

    /// Updates the status. After some time without new games, reports what the run waits for.
    fn watch(&mut self) {
        let now = self.shared.transport.now();
        if now < self.last_status + STATUS {
            return;
        }
        self.last_status = now;
        for event in self.shared.roster.changes(now) {
            self.shared.report(&event);
        }
        let retries = std::mem::replace(&mut self.retries, self.collector.retries);
        if self.retries > retries {
            let tasks = self.retries - retries;
            self.shared.report(&ClusterEvent::PublishedAgain { tasks });
        }
        let state = self.shared.state(&self.collector);
        if state.playing > 0 && state.workers > 0 {
            // A worker with long games counts as progress.
            self.last_progress = self.last_progress.max(now.saturating_sub(self.silence / 2));
        }
        if now >= self.last_progress + self.silence {
            let waits = ClusterEvent::Waits {
                server: self.shared.place.clone(),
                build: state.build.clone(),
                workers: state.workers,
                tasks: state.queued,
            };
            self.shared.report(&waits);
            self.last_progress = now;
            self.silence = (2 * self.silence).min(LONGEST_SILENCE);
        }
        *locked(&self.shared.status) = format!(
            "   {}, {} in the queue, {} published again",
            several(state.workers, "worker"),
            several(state.queued, "task"),
            count(state.retries)
        );
        self.shared.show(&state, now);
        self.shared.transport.tell(state);
    }
}
