//! One evaluation while it is played: what happens is told to the collector, and what is due is sent.

use std::time::Duration;

use super::Shared;
use crate::cluster::collector::{Collector, Knowledge};
use crate::cluster::happening::Happening;
use crate::cluster::messages::{Answer, Beat, Played, TaskId, pack, unpack};
use crate::cluster::pace::{Cost, Pace};
use crate::cluster::task::{Evaluation, Job};
use crate::cluster::transport::{Event, Ticket};
use crate::evaluation::Progress;
use crate::lock::locked;
use crate::number::{count, several};

/// Largest time between two looks at what is due.
const TICK: Duration = Duration::from_millis(20);

/// The user is told that nothing happens after this time, then after twice as long, and so on.
const FIRST_SILENCE: Duration = Duration::from_secs(5);
const LONGEST_SILENCE: Duration = Duration::from_secs(300);

/// The status line is written this often.
const STATUS: Duration = Duration::from_millis(500);

/// An evaluation that is being played.
pub(super) struct Round<'a> {
    shared: &'a mut Shared,
    pub(super) collector: Collector,
    evaluation: Evaluation<'a>,
    /// First game among those of the whole evaluation.
    first: usize,
    pace: &'a mut Pace,
    progress: &'a Progress,
    /// Games that were counted.
    counted: usize,
    last_progress: Duration,
    silence: Duration,
    last_status: Duration,
    last_refusal: Option<String>,
    /// Tasks published again that were reported.
    retries: u64,
}

/// Why a round ended before its end.
pub(super) enum Ended {
    Stopped,
    Failed(String),
    /// Games that earlier evaluations have used are false, since this one.
    False(u64),
}

impl<'a> Round<'a> {
    /// An evaluation whose games from `first` on are to be played; `collector` knows how many.
    pub(super) fn new(
        shared: &'a mut Shared,
        pace: &'a mut Pace,
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

    /// Plays until all games are there.
    pub(super) fn play(&mut self) -> Result<(), Ended> {
        loop {
            if self.progress.is_stopped() {
                return Err(Ended::Stopped);
            }
            self.publish()?;
            if let Some(since) = self.collector.false_since() {
                return Err(Ended::False(since));
            }
            if let Some(failure) = self.collector.failure() {
                return Err(Ended::Failed(failure.to_owned()));
            }
            if self.collector.is_complete() {
                return Ok(());
            }
            self.watch();
            let mut event = self.shared.transport.poll(TICK);
            // All that waits is taken before the next look at what is due.
            while let Some(one) = event {
                self.take(one);
                event = self.shared.transport.poll(Duration::ZERO);
            }
        }
    }

    fn known<T>(&mut self, act: impl FnOnce(&mut Collector, &mut Knowledge) -> T) -> T {
        let mut known = Knowledge {
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

    /// Publishes what is due, and plays here what is to be proved.
    fn publish(&mut self) -> Result<(), Ended> {
        let now = self.shared.transport.now();
        let due = self.known(|collector, known| collector.tick(now, known));
        for (task, attempt) in due {
            if let Some(job) = self.job(task) {
                let bytes = job.encode().map_err(Ended::Failed)?;
                self.shared.transport.publish(task, attempt, pack(&bytes));
            }
        }
        for task in self.collector.take_checks() {
            if let Some(job) = self.job(task) {
                self.shared.transport.check(task, job);
            }
        }
        for happening in self.collector.take_happenings() {
            self.shared.report(&happening);
        }
        Ok(())
    }

    fn take(&mut self, event: Event) {
        let now = self.shared.transport.now();
        let server = || self.shared.place.clone();
        match event {
            Event::Start(start, ticket) => {
                let (worker, task) = (&start.worker, start.task);
                let answer =
                    self.known(|collector, known| collector.start(now, worker, task, known));
                self.shared.transport.answer(ticket, answer);
            }
            Event::Result(task, bytes, ticket) => self.take_result(task, &bytes, ticket),
            Event::Beat(beat) => self.hear(beat),
            Event::Checked(task, checked) => {
                self.known(|collector, known| collector.checked(task, checked, known));
            }
            Event::Unpublished(task, why) => {
                self.collector.unpublished(now, task);
                if self.last_refusal.as_ref() != Some(&why) {
                    let refused = Happening::TasksRefused {
                        server: server(),
                        reason: why.clone(),
                    };
                    self.shared.report(&refused);
                    self.last_refusal = Some(why);
                }
            }
            Event::Disconnected => {
                let lost = Happening::ServerLost { server: server() };
                self.shared.report(&lost);
            }
            Event::Reconnected => {
                let back = Happening::ServerBack { server: server() };
                self.shared.report(&back);
                self.collector.lost(now);
            }
        }
        self.count(now);
    }

    fn hear(&mut self, beat: Beat) {
        let now = self.shared.transport.now();
        let other = (beat.build != self.shared.build).then(|| beat.build.clone());
        let worker = beat.worker.clone();
        // Workers of other builds do not count.
        let known = match &other {
            Some(_) => Beat { threads: 0, ..beat },
            None => beat,
        };
        let is_new = self.shared.roster.hear(now, known);
        if let Some(build) = other.filter(|_| is_new) {
            let own = self.shared.build.clone();
            self.shared
                .report(&Happening::OtherBuild { worker, build, own });
        }
    }

    fn take_result(&mut self, task: TaskId, bytes: &[u8], ticket: Ticket) {
        let now = self.shared.transport.now();
        let played = unpack(bytes).and_then(|text| serde_json::from_slice::<Played>(&text).ok());
        let Some(played) = played else {
            let answer = Answer::Barred("its message is damaged".into());
            self.shared.transport.answer(ticket, answer);
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
                let cost = Cost {
                    seconds: played.seconds,
                    bytes: bytes.len(),
                };
                self.known(|collector, known| collector.result(worker, task, games, cost, known))
            }
        };
        self.shared.transport.answer(ticket, answer);
    }

    /// Counts the games that have come.
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

    /// Shows how the run stands; says what it waits for if nothing happens.
    fn watch(&mut self) {
        let now = self.shared.transport.now();
        if now < self.last_status + STATUS {
            return;
        }
        self.last_status = now;
        for happening in self.shared.roster.changes(now) {
            self.shared.report(&happening);
        }
        let retries = std::mem::replace(&mut self.retries, self.collector.retries);
        if self.retries > retries {
            let tasks = self.retries - retries;
            self.shared.report(&Happening::PublishedAgain { tasks });
        }
        let state = self.shared.state(&self.collector);
        if state.playing > 0 && state.workers > 0 {
            // Long games are no silence.
            self.last_progress = self.last_progress.max(now.saturating_sub(self.silence / 2));
        }
        if now >= self.last_progress + self.silence {
            let waits = Happening::Waits {
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
