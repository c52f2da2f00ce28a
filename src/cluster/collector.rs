//! Which games of an evaluation are missing, and which tasks must be published for them: a state machine of timed
//! events. Repeated, late or reordered events do not change the games that it returns. This module must not send, play
//! or read a clock.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use super::event::ClusterEvent;
use super::messages::{Answer, TaskId};
use super::roster::Roster;
use super::spot_check::CheckSample;
use super::task_size::{TaskCost, TaskSizer};
use super::transport::CheckedTask;
use crate::record::GameRecord;

/// Retry timeout of a task that nobody has begun; it doubles with each retry.
const PATIENCE: Duration = Duration::from_secs(5);

/// Largest number of doublings of the retry timeout.
const DOUBLINGS: u32 = 4;

/// Retry delay of a task that could not be published.
const RETRY: Duration = Duration::from_secs(1);

/// Number of queued tasks in addition to one for each thread.
const SPARE: usize = 2;

/// At the end of an evaluation, a task that takes longer than this multiple of the expected time gets a second worker.
const SLOW: u32 = 2;

/// Added to that limit, because the time of a task varies.
const SLACK: Duration = Duration::from_millis(300);

/// Number of failures of one task after which the evaluation fails, if all workers have failed.
const MOST_FAILURES: u32 = 3;

/// The parts of the run's state that the collector uses.
pub(super) struct RunContext<'a> {
    pub(super) roster: &'a mut Roster,
    pub(super) pace: &'a mut TaskSizer,
    pub(super) sample: CheckSample,
}

/// The tasks of an evaluation.
pub(super) struct Collector {
    evaluation: u64,
    /// Number of games.
    games: usize,
    /// Number of games that are in tasks.
    cut: usize,
    tasks: Vec<TaskState>,
    /// Number of leading tasks that are done, with their spot checks.
    settled: usize,
    /// Requested spot checks.
    checks: Vec<u32>,
    /// Later results of done tasks that differ from the first one, with their workers.
    disputed: BTreeMap<u32, Vec<(String, Vec<GameRecord>)>>,
    /// Unreported events.
    events: Vec<ClusterEvent>,
    /// Failed workers, with their reasons.
    failed: BTreeSet<(String, String)>,
    /// The first evaluation that used games of a worker that is now barred.
    false_since: Option<u64>,
    failure: Option<String>,
    /// Retries: tasks that were published again.
    pub(super) retries: u64,
}

struct TaskState {
    games: Range<usize>,
    attempts: u32,
    /// Time of the next retry.
    due: Duration,
    /// Workers that play it, with their start times.
    players: Vec<(String, Duration)>,
    /// Whether it has a second worker because it is slow.
    is_copied: bool,
    failures: u32,
    spot_check: SpotCheck,
    done: Option<FinishedTask>,
}

struct FinishedTask {
    games: Vec<GameRecord>,
    /// The worker that played the games; `None` if the spot check played them.
    by: Option<String>,
}

/// The spot check of a task: this machine plays it, too.
enum SpotCheck {
    None,
    /// The spot check runs.
    Requested,
    /// The spot check is done; the result of a worker is missing.
    Played(Vec<GameRecord>),
    /// The spot check was compared with a worker's games. The task uses the games of the spot check.
    Compared,
    /// A replay of the spot check gave other games, so the check is inconclusive.
    NotRepeatable,
}

impl Collector {
    /// The collector of an evaluation with this number of games.
    pub(super) fn new(evaluation: u64, games: usize) -> Self {
        Collector {
            evaluation,
            games,
            cut: 0,
            tasks: Vec::new(),
            settled: 0,
            checks: Vec::new(),
            disputed: BTreeMap::new(),
            events: Vec::new(),
            failed: BTreeSet::new(),
            false_since: None,
            failure: None,
            retries: 0,
        }
    }

    /// The games of a task; `None` if the task does not exist.
    pub(super) fn range(&self, task: TaskId) -> Option<Range<usize>> {
        let is_of_this = task.evaluation == self.evaluation;
        let found = self.tasks.get(task.number as usize).filter(|_| is_of_this);
        found.map(|task| task.games.clone())
    }

    fn id(&self, number: usize) -> TaskId {
        TaskId {
            evaluation: self.evaluation,
            number: number as u32,
        }
    }

    /// The due tasks, each with the number of its attempt, from 1.
    pub(super) fn tick(&mut self, now: Duration, known: &RunContext) -> Vec<(TaskId, u32)> {
        self.forget_lost_players(now, known.roster);
        let (_, threads) = known.roster.count(now);
        let mut waiting = self.unsettled().filter(|task| task.is_waiting()).count();
        while self.cut < self.games && waiting < threads as usize + SPARE {
            let games = known.pace.games(self.games - self.cut, threads as usize);
            self.tasks
                .push(TaskState::new(self.cut..self.cut + games, now));
            self.cut += games;
            waiting += 1;
        }
        if self.cut == self.games && waiting == 0 {
            // All games are in tasks and none waits, so idle threads would have nothing to play.
            self.copy_slow_ones(now, known);
        }
        let mut due = Vec::new();
        for number in self.settled..self.tasks.len() {
            let id = self.id(number);
            let task = &mut self.tasks[number];
            if task.done.is_none() && task.due <= now {
                let expected = known.pace.expected(task.games.len());
                self.retries += u64::from(task.attempts > 0);
                task.attempts += 1;
                let doublings = (task.attempts - 1).min(DOUBLINGS);
                task.due = now + PATIENCE.max(3 * expected) * 2u32.pow(doublings);
                due.push((id, task.attempts));
            }
        }
        due
    }

    fn unsettled(&self) -> impl Iterator<Item = &TaskState> {
        self.tasks[self.settled..].iter()
    }

    /// Removes workers that no longer play a task. A task without workers is due at once.
    fn forget_lost_players(&mut self, now: Duration, roster: &Roster) {
        for number in self.settled..self.tasks.len() {
            let id = self.id(number);
            let task = &mut self.tasks[number];
            if task.done.is_some() || task.players.is_empty() {
                continue;
            }
            let holds =
                |(worker, since): &(String, Duration)| roster.holds(now, worker, id, *since);
            task.players.retain(holds);
            task.due = if task.players.is_empty() {
                now
            } else {
                // While a worker plays the task, no retry is due.
                Duration::MAX
            };
        }
    }

    /// Makes the slowest tasks due, one for each idle thread.
    fn copy_slow_ones(&mut self, now: Duration, known: &RunContext) {
        let is_slow = |task: &TaskState| {
            let begun = task.players.first().map(|(_, since)| *since);
            let limit = SLOW * known.pace.expected(task.games.len()) + SLACK;
            let begun = begun.filter(|_| task.done.is_none() && !task.is_copied);
            begun.filter(|begun| *begun + limit <= now)
        };
        let tasks = self.tasks.iter().enumerate();
        let slow = tasks.filter_map(|(number, task)| Some((is_slow(task)?, number)));
        let mut slow: Vec<(Duration, usize)> = slow.collect();
        slow.sort_unstable();
        for (_, number) in slow.into_iter().take(known.roster.idle(now)) {
            self.tasks[number].is_copied = true;
            self.tasks[number].due = now;
        }
    }

    /// The task with this id, if its games are still missing.
    fn missing(&mut self, task: TaskId) -> Option<&mut TaskState> {
        let is_of_this = task.evaluation == self.evaluation;
        let found = self.tasks.get_mut(task.number as usize);
        found.filter(|task| is_of_this && task.done.is_none())
    }

    /// Handles the question of a worker whether to play a task.
    pub(super) fn start(
        &mut self,
        now: Duration,
        worker: &str,
        id: TaskId,
        known: &RunContext,
    ) -> Answer {
        if let Some(why) = known.roster.barred(worker) {
            return Answer::Barred(why.to_owned());
        }
        let Some(task) = self.missing(id) else {
            return Answer::Done;
        };
        task.players.retain(|(player, _)| player != worker);
        task.players.push((worker.to_owned(), now));
        task.due = Duration::MAX;
        // The spot check runs at the same time as the worker. A task whose games are already known would not be played.
        if known.sample.has(id) {
            self.request_spot_check(id.number);
        }
        Answer::Play
    }

    /// Handles the failure of a worker to play a task. `why` is the reason.
    pub(super) fn fail(
        &mut self,
        now: Duration,
        worker: &str,
        id: TaskId,
        why: &str,
        known: &RunContext,
    ) -> Answer {
        let failed = ClusterEvent::CannotPlay {
            worker: worker.to_owned(),
            reason: why.to_owned(),
        };
        if self.failed.insert((worker.to_owned(), why.to_owned())) {
            self.events.push(failed.clone());
        }
        let workers = known.roster.count(now).0 as usize;
        let by: BTreeSet<&String> = self.failed.iter().map(|(worker, _)| worker).collect();
        let is_last = by.len() >= workers;
        if let Some(task) = self.missing(id) {
            task.players.retain(|(player, _)| player != worker);
            task.failures += 1;
            task.due = now + RETRY;
            if task.failures >= MOST_FAILURES && is_last {
                self.failure.get_or_insert_with(|| failed.to_string());
            }
        }
        Answer::Done
    }

    /// Handles the result of a worker. `games` are `None` if the records do not fit the task.
    pub(super) fn result(
        &mut self,
        worker: &str,
        id: TaskId,
        games: Option<Vec<GameRecord>>,
        cost: TaskCost,
        known: &mut RunContext,
    ) -> Answer {
        if let Some(why) = known.roster.barred(worker) {
            return Answer::Barred(why.to_owned());
        }
        if self.range(id).is_none() {
            return Answer::Done;
        }
        let Some(games) = games else {
            let why = self.bar(worker, "its records are not those of the task", known);
            return Answer::Barred(why);
        };
        if self.tasks[id.number as usize].done.is_some() {
            return self.compare_with_first(worker, id, games, known);
        }
        let task = &mut self.tasks[id.number as usize];
        if let Some(ours) = task.spot_check.take_games() {
            task.spot_check = SpotCheck::Compared;
            known.roster.checked += 1;
            let is_true = ours == games;
            task.finish(ours, is_true.then(|| worker.to_owned()));
            if !is_true {
                return Answer::Barred(self.bar(worker, FALSE, known));
            }
        } else {
            task.finish(games, Some(worker.to_owned()));
        }
        known
            .pace
            .add(self.tasks[id.number as usize].games.len(), cost);
        if known.roster.accept(worker) || known.sample.has(id) {
            self.request_spot_check(id.number);
        }
        Answer::Done
    }

    /// Handles a second result of a done task.
    fn compare_with_first(
        &mut self,
        worker: &str,
        id: TaskId,
        games: Vec<GameRecord>,
        known: &mut RunContext,
    ) -> Answer {
        let task = &mut self.tasks[id.number as usize];
        let Some(done) = task.done.as_ref() else {
            return Answer::Done;
        };
        if done.games == games || done.by.as_deref() == Some(worker) {
            return Answer::Done;
        }
        match task.spot_check {
            // The spot check has decided which games are right.
            SpotCheck::Compared => Answer::Barred(self.bar(worker, FALSE, known)),
            SpotCheck::NotRepeatable => Answer::Done,
            SpotCheck::None | SpotCheck::Requested | SpotCheck::Played(_) => {
                let disputed = self.disputed.entry(id.number).or_default();
                disputed.push((worker.to_owned(), games));
                self.request_spot_check(id.number);
                Answer::Done
            }
        }
    }

    /// Requests the spot check of a task, once.
    fn request_spot_check(&mut self, number: u32) {
        let task = &mut self.tasks[number as usize];
        if let SpotCheck::None = task.spot_check {
            task.spot_check = SpotCheck::Requested;
            self.checks.push(number);
            self.settled = self.settled.min(number as usize);
        }
    }

    /// Handles the result of a spot check.
    pub(super) fn checked(&mut self, id: TaskId, checked: CheckedTask, known: &mut RunContext) {
        if self.range(id).is_none() {
            return;
        }
        let Some(ours) = checked.games else {
            let failure = "the games of a task cannot be played again here";
            self.failure.get_or_insert_with(|| failure.to_owned());
            return;
        };
        let disputed = self.disputed.remove(&id.number).unwrap_or_default();
        let task = &mut self.tasks[id.number as usize];
        let done = task.done.take();
        if !checked.repeats {
            task.spot_check = SpotCheck::NotRepeatable;
            task.done = done;
            return;
        }
        let Some(done) = done else {
            task.spot_check = SpotCheck::Played(ours);
            return;
        };
        known.roster.checked += 1;
        task.spot_check = SpotCheck::Compared;
        let is_true = done.games == ours;
        let mut liars: Vec<String> = disputed
            .into_iter()
            .filter_map(|(worker, theirs)| (theirs != ours).then_some(worker))
            .collect();
        task.finish(ours, done.by.clone().filter(|_| is_true));
        liars.extend(done.by.filter(|_| !is_true));
        for worker in liars {
            self.bar(&worker, FALSE, known);
        }
    }

    /// Bars a worker. Its games of this evaluation are played again, unless a spot check has confirmed them.
    fn bar(&mut self, worker: &str, why: &str, known: &mut RunContext) -> String {
        let since = known.roster.bar(worker, why);
        let earlier = since.filter(|since| *since < self.evaluation);
        self.false_since = self.false_since.into_iter().chain(earlier).min();
        let mut again = 0;
        for task in &mut self.tasks {
            let players = task.players.len();
            task.players.retain(|(player, _)| player != worker);
            let is_by = |done: &FinishedTask| done.by.as_deref() == Some(worker);
            let is_proved = matches!(task.spot_check, SpotCheck::Compared);
            if !is_proved && task.done.as_ref().is_some_and(is_by) {
                task.done = None;
                again += 1;
            } else if players == task.players.len() {
                continue;
            }
            if task.players.is_empty() {
                task.due = Duration::ZERO;
            }
        }
        // Tasks before `settled` may be open again.
        self.settled = 0;
        self.events.push(ClusterEvent::WorkerBarred {
            worker: worker.to_owned(),
            reason: why.to_owned(),
            tasks: again,
        });
        why.to_owned()
    }

    /// Handles a task that the server did not accept.
    pub(super) fn unpublished(&mut self, now: Duration, id: TaskId) {
        if let Some(task) = self.missing(id)
            && task.players.is_empty()
        {
            task.due = now + RETRY;
        }
    }

    /// Handles a reconnection: the server may have lost all queued tasks.
    pub(super) fn lost(&mut self, now: Duration) {
        for task in &mut self.tasks[self.settled..] {
            if task.is_waiting() {
                task.due = now;
            }
        }
    }

    /// Takes the requested spot checks.
    pub(super) fn take_checks(&mut self) -> Vec<TaskId> {
        let numbers = std::mem::take(&mut self.checks);
        numbers
            .into_iter()
            .map(|number| self.id(number as usize))
            .collect()
    }

    /// Takes the unreported events.
    pub(super) fn take_events(&mut self) -> Vec<ClusterEvent> {
        std::mem::take(&mut self.events)
    }

    /// The first evaluation that used games that are known to be wrong.
    pub(super) fn false_since(&self) -> Option<u64> {
        self.false_since
    }

    /// The reason why the games cannot be played, if there is one.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Whether all games are received and all spot checks are done.
    pub(super) fn is_complete(&mut self) -> bool {
        let rest = self.tasks[self.settled..].iter();
        self.settled += rest.take_while(|task| task.is_settled()).count();
        self.cut == self.games && self.settled == self.tasks.len()
    }

    /// The games before the first missing or unchecked one.
    pub(super) fn into_games(self, roster: &mut Roster) -> Vec<GameRecord> {
        let mut games = Vec::with_capacity(self.games);
        for task in self.tasks.into_iter().take_while(TaskState::is_settled) {
            let Some(done) = task.done else { break };
            if let Some(worker) = done
                .by
                .filter(|_| !matches!(task.spot_check, SpotCheck::Compared))
            {
                roster.trust(&worker, self.evaluation);
            }
            games.extend(done.games);
        }
        games
    }

    /// Numbers of waiting and of running tasks.
    pub(super) fn counts(&self) -> (u32, u32) {
        let missing = self.unsettled().filter(|task| task.done.is_none());
        let (waiting, playing): (Vec<_>, Vec<_>) = missing.partition(|task| task.is_waiting());
        (waiting.len() as u32, playing.len() as u32)
    }

    /// Number of received games.
    pub(super) fn played(&self) -> usize {
        let done = self.tasks.iter().filter(|task| task.done.is_some());
        done.map(|task| task.games.len()).sum()
    }
}

/// The reason for barring a worker.
const FALSE: &str = "its games differ from those that were played here";

impl SpotCheck {
    /// Takes the games of a spot check that are not compared yet.
    fn take_games(&mut self) -> Option<Vec<GameRecord>> {
        match std::mem::replace(self, SpotCheck::None) {
            SpotCheck::Played(games) => Some(games),
            other => {
                *self = other;
                None
            }
        }
    }
}

impl TaskState {
    fn new(games: Range<usize>, now: Duration) -> Self {
        TaskState {
            games,
            attempts: 0,
            due: now,
            players: Vec::new(),
            is_copied: false,
            failures: 0,
            spot_check: SpotCheck::None,
            done: None,
        }
    }

    /// Sets the games of the task.
    fn finish(&mut self, games: Vec<GameRecord>, by: Option<String>) {
        self.players.clear();
        self.done = Some(FinishedTask { games, by });
    }

    fn is_waiting(&self) -> bool {
        self.done.is_none() && self.players.is_empty()
    }

    fn is_settled(&self) -> bool {
        self.done.is_some() && !matches!(self.spot_check, SpotCheck::Requested)
    }
}

#[cfg(test)]
mod tests;
