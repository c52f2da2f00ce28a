//! Which games of an evaluation are missing, and what is to be published because of that: a state machine that
//! is told what happens, with the time. Telling it something twice, late or in another order changes nothing in
//! the games that it hands over. This module must not send, play or look at a clock.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use super::messages::{Answer, TaskId};
use super::pace::Pace;
use super::roster::Roster;
use super::transport::Checked;
use super::trust::Sample;
use crate::record::GameRecord;

/// A task that nobody has begun is published again after this time, later after twice as long, and so on.
const PATIENCE: Duration = Duration::from_secs(5);

/// Largest number of these doublings.
const DOUBLINGS: u32 = 4;

/// A task that the server did not take is published again after this time.
const RETRY: Duration = Duration::from_secs(1);

/// Tasks in the queue beyond one for each thread.
const SPARE: usize = 2;

/// At the end of an evaluation, a task that takes this factor longer than expected is handed out twice.
const SLOW: u32 = 2;

/// And that much longer: the time of a task varies.
const SLACK: Duration = Duration::from_millis(300);

/// Number of failures of one task after which the evaluation fails, if all workers have failed.
const MOST_FAILURES: u32 = 3;

/// What the collector reads and writes of the run.
pub(super) struct Knowledge<'a> {
    pub(super) roster: &'a mut Roster,
    pub(super) pace: &'a mut Pace,
    pub(super) sample: Sample,
}

/// The tasks of an evaluation.
pub(super) struct Collector {
    evaluation: u64,
    /// Number of games.
    games: usize,
    /// Number of games that are in tasks.
    cut: usize,
    tasks: Vec<Task>,
    /// Number of tasks from the first on that are done and proved.
    settled: usize,
    /// Tasks that are to be played here.
    checks: Vec<u32>,
    /// Further games of tasks that are done, with their workers. They differ from the first ones.
    disputed: BTreeMap<u32, Vec<(String, Vec<GameRecord>)>>,
    /// What the user should know.
    notices: Vec<String>,
    /// Workers that could not play, and why.
    failed: BTreeSet<(String, String)>,
    /// The first evaluation that used games of a worker which proved false.
    false_since: Option<u64>,
    failure: Option<String>,
    /// Tasks that were published again.
    pub(super) retries: u64,
}

struct Task {
    games: Range<usize>,
    attempts: u32,
    /// When it is published next, unless it is done or played.
    due: Duration,
    /// Who plays it, since when.
    players: Vec<(String, Duration)>,
    /// Whether it was handed out a second time because it is slow.
    is_copied: bool,
    failures: u32,
    done: Option<Done>,
}

struct Done {
    games: Vec<GameRecord>,
    /// The worker; `None` if it was played here.
    by: Option<String>,
    /// Whether it is also played here, and that is not done yet.
    is_unproved: bool,
    is_proved: bool,
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
            notices: Vec::new(),
            failed: BTreeSet::new(),
            false_since: None,
            failure: None,
            retries: 0,
        }
    }

    /// The games of a task; `None` if there is no such task.
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

    /// What is to be published now: tasks with the number of the attempt, from 1.
    pub(super) fn tick(&mut self, now: Duration, known: &Knowledge) -> Vec<(TaskId, u32)> {
        self.forget_lost_players(now, known.roster);
        let (_, threads) = known.roster.count(now);
        let mut waiting = self.unsettled().filter(|task| task.is_waiting()).count();
        while self.cut < self.games && waiting < threads as usize + SPARE {
            let games = known.pace.games(self.games - self.cut, threads as usize);
            self.tasks.push(Task::new(self.cut..self.cut + games, now));
            self.cut += games;
            waiting += 1;
        }
        if self.cut == self.games && waiting == 0 {
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

    fn unsettled(&self) -> impl Iterator<Item = &Task> {
        self.tasks[self.settled..].iter()
    }

    /// A task whose last player is gone is due at once.
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
            task.due = match task.players.is_empty() {
                true => now,
                false => Duration::MAX,
            };
        }
    }

    /// Makes the slowest tasks due, one for each idle thread.
    fn copy_slow_ones(&mut self, now: Duration, known: &Knowledge) {
        let is_slow = |task: &Task| {
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

    /// The task with this id, if its games are missing.
    fn missing(&mut self, task: TaskId) -> Option<&mut Task> {
        let is_of_this = task.evaluation == self.evaluation;
        let found = self.tasks.get_mut(task.number as usize);
        found.filter(|task| is_of_this && task.done.is_none())
    }

    /// A worker asks whether to play a task.
    pub(super) fn start(
        &mut self,
        now: Duration,
        worker: &str,
        id: TaskId,
        known: &Knowledge,
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
        Answer::Play
    }

    /// A worker could not play a task, for this reason.
    pub(super) fn fail(
        &mut self,
        now: Duration,
        worker: &str,
        id: TaskId,
        why: &str,
        known: &Knowledge,
    ) -> Answer {
        let failed = format!("worker {worker} cannot play: {why}");
        if self.failed.insert((worker.to_owned(), why.to_owned())) {
            self.notices.push(failed.clone());
        }
        let workers = known.roster.count(now).0 as usize;
        let by: BTreeSet<&String> = self.failed.iter().map(|(worker, _)| worker).collect();
        let is_last = by.len() >= workers;
        if let Some(task) = self.missing(id) {
            task.players.retain(|(player, _)| player != worker);
            task.failures += 1;
            task.due = now + RETRY;
            if task.failures >= MOST_FAILURES && is_last {
                self.failure.get_or_insert(failed);
            }
        }
        Answer::Done
    }

    /// A worker has played a task. `games` are `None` if they are not those of the task.
    pub(super) fn result(
        &mut self,
        worker: &str,
        id: TaskId,
        games: Option<Vec<GameRecord>>,
        seconds: f64,
        known: &mut Knowledge,
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
        let number = id.number as usize;
        if let Some(done) = &mut self.tasks[number].done {
            let is_other = done.by.as_deref() != Some(worker) && done.games != games;
            // Of a task that was played here, the games are known.
            if is_other && done.is_proved {
                let why = self.bar(worker, FALSE, known);
                return Answer::Barred(why);
            }
            if is_other {
                let is_first = !std::mem::replace(&mut done.is_unproved, true);
                self.checks.extend(is_first.then_some(id.number));
                let disputed = self.disputed.entry(id.number).or_default();
                disputed.push((worker.to_owned(), games));
                self.settled = self.settled.min(number);
            }
            return Answer::Done;
        }
        known.pace.add(games.len(), seconds);
        let is_unproved = known.roster.accept(worker) || known.sample.has(id);
        self.checks.extend(is_unproved.then_some(id.number));
        let task = &mut self.tasks[number];
        task.players.clear();
        task.done = Some(Done {
            games,
            by: Some(worker.to_owned()),
            is_unproved,
            is_proved: false,
        });
        Answer::Done
    }

    /// A task has been played here.
    pub(super) fn checked(&mut self, id: TaskId, checked: Checked, known: &mut Knowledge) {
        if self.range(id).is_none() {
            return;
        }
        let Some(ours) = checked.games else {
            let failure = "the games of a task cannot be played again here";
            self.failure.get_or_insert_with(|| failure.to_owned());
            return;
        };
        known.roster.checked += 1;
        let is_false = |theirs: &Vec<GameRecord>| checked.repeats && *theirs != ours;
        let mut liars = Vec::new();
        for (worker, theirs) in self.disputed.remove(&id.number).unwrap_or_default() {
            liars.extend(is_false(&theirs).then_some(worker));
        }
        let done = self.tasks[id.number as usize].done.take();
        let by = done
            .filter(|done| is_false(&done.games))
            .and_then(|done| done.by);
        liars.extend(by);
        self.tasks[id.number as usize].done = Some(Done {
            games: ours,
            by: None,
            is_unproved: false,
            is_proved: true,
        });
        for worker in liars {
            self.bar(&worker, FALSE, known);
        }
    }

    /// Bars a worker: its games of this evaluation that nobody else has played are played again.
    fn bar(&mut self, worker: &str, why: &str, known: &mut Knowledge) -> String {
        let since = known.roster.bar(worker, why);
        let earlier = since.filter(|since| *since < self.evaluation);
        self.false_since = self.false_since.into_iter().chain(earlier).min();
        let mut again = 0;
        for task in &mut self.tasks {
            let players = task.players.len();
            task.players.retain(|(player, _)| player != worker);
            let is_by = |done: &Done| done.by.as_deref() == Some(worker);
            if task.done.as_ref().is_some_and(is_by) {
                task.done = None;
                again += 1;
            } else if players == task.players.len() {
                continue;
            }
            if task.players.is_empty() {
                task.due = Duration::ZERO;
            }
        }
        self.settled = 0;
        self.notices.push(format!(
            "worker {worker} is barred: {why}; {again} of its tasks are played again"
        ));
        why.to_owned()
    }

    /// The server did not take a task.
    pub(super) fn unpublished(&mut self, now: Duration, id: TaskId) {
        if let Some(task) = self.missing(id)
            && task.players.is_empty()
        {
            task.due = now + RETRY;
        }
    }

    /// The server may have lost all tasks that nobody plays.
    pub(super) fn lost(&mut self, now: Duration) {
        for task in &mut self.tasks[self.settled..] {
            if task.is_waiting() {
                task.due = now;
            }
        }
    }

    /// The tasks that are to be played here, each once.
    pub(super) fn take_checks(&mut self) -> Vec<TaskId> {
        let numbers = std::mem::take(&mut self.checks);
        numbers
            .into_iter()
            .map(|number| self.id(number as usize))
            .collect()
    }

    /// What the user should know.
    pub(super) fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// The first evaluation that used games which proved false later.
    pub(super) fn false_since(&self) -> Option<u64> {
        self.false_since
    }

    /// Why the games cannot be played.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Whether all games are there, and those that are played here, too, are proved.
    pub(super) fn is_complete(&mut self) -> bool {
        let rest = self.tasks[self.settled..].iter();
        self.settled += rest.take_while(|task| task.is_settled()).count();
        self.cut == self.games && self.settled == self.tasks.len()
    }

    /// The games from the first one to the first that is missing or unproved.
    pub(super) fn into_games(self, roster: &mut Roster) -> Vec<GameRecord> {
        let mut games = Vec::with_capacity(self.games);
        for task in self.tasks.into_iter().take_while(Task::is_settled) {
            let Some(done) = task.done else { break };
            if let Some(worker) = done.by {
                roster.trust(&worker, self.evaluation);
            }
            games.extend(done.games);
        }
        games
    }

    /// Numbers of tasks that nobody plays, and that are being played.
    pub(super) fn counts(&self) -> (u32, u32) {
        let missing = self.unsettled().filter(|task| task.done.is_none());
        let (waiting, playing): (Vec<_>, Vec<_>) = missing.partition(|task| task.is_waiting());
        (waiting.len() as u32, playing.len() as u32)
    }

    /// Number of games that are there.
    pub(super) fn played(&self) -> usize {
        let done = self.tasks.iter().filter(|task| task.done.is_some());
        done.map(|task| task.games.len()).sum()
    }
}

/// Why a worker is barred.
const FALSE: &str = "its games differ from those that were played here";

impl Task {
    fn new(games: Range<usize>, now: Duration) -> Self {
        Task {
            games,
            attempts: 0,
            due: now,
            players: Vec::new(),
            is_copied: false,
            failures: 0,
            done: None,
        }
    }

    fn is_waiting(&self) -> bool {
        self.done.is_none() && self.players.is_empty()
    }

    fn is_settled(&self) -> bool {
        self.done.as_ref().is_some_and(|done| !done.is_unproved)
    }
}

#[cfg(test)]
mod tests {
    use super::super::messages::Beat;
    use super::*;
    use crate::record::GameResult;

    const SECOND: Duration = Duration::from_secs(1);

    /// A collector with what it knows.
    struct Lab {
        collector: Collector,
        roster: Roster,
        pace: Pace,
        share: f64,
    }

    fn lab(games: usize) -> Lab {
        Lab {
            collector: Collector::new(3, games),
            roster: Roster::of("r"),
            pace: Pace::default(),
            share: 0.0,
        }
    }

    fn games(range: Range<usize>, moves: u32) -> Vec<GameRecord> {
        let game = |seed: usize| GameRecord {
            seed: seed as u64,
            result: GameResult::scored(1),
            moves,
            leaf_evaluations: 0,
        };
        range.map(game).collect()
    }

    impl Lab {
        fn with<T>(&mut self, act: impl FnOnce(&mut Collector, &mut Knowledge) -> T) -> T {
            let mut known = Knowledge {
                roster: &mut self.roster,
                pace: &mut self.pace,
                sample: Sample::new(1, self.share),
            };
            act(&mut self.collector, &mut known)
        }

        /// Beats of idle workers.
        fn hear(&mut self, now: Duration, workers: &[&str]) {
            for worker in workers {
                let beat = Beat {
                    worker: (*worker).to_owned(),
                    threads: 1,
                    ..Beat::default()
                };
                self.roster.hear(now, beat);
            }
        }

        fn tick(&mut self, now: Duration) -> Vec<(TaskId, u32)> {
            self.with(|collector, known| collector.tick(now, known))
        }

        fn start(&mut self, now: Duration, worker: &str, task: TaskId) -> Answer {
            self.with(|collector, known| collector.start(now, worker, task, known))
        }

        /// The task is played with this number of moves.
        fn result(&mut self, worker: &str, task: TaskId, moves: u32) -> Answer {
            let range = self.collector.range(task).unwrap();
            self.with(|collector, known| {
                collector.result(worker, task, Some(games(range, moves)), 1.0, known)
            })
        }

        /// All tasks are played here that are to be, with one move.
        fn check(&mut self) {
            for task in self.collector.take_checks() {
                let checked = Checked {
                    games: self.collector.range(task).map(|range| games(range, 1)),
                    repeats: true,
                };
                self.with(|collector, known| collector.checked(task, checked, known));
            }
        }
    }

    #[test]
    fn lost_tasks_are_published_again_later_and_later() {
        let mut lab = lab(4);
        let mut published: Vec<(u64, usize, u32)> = Vec::new();
        for second in 0..200 {
            for (task, attempt) in lab.tick(second * SECOND) {
                published.push((u64::from(second), task.number as usize, attempt));
            }
        }
        let times = |task| {
            let of = published.iter().filter(|(_, number, _)| *number == task);
            of.map(|(second, _, _)| *second).collect::<Vec<_>>()
        };
        assert_eq!(times(0), [0, 5, 15, 35, 75, 155]);
        assert_eq!(times(0), times(1));
        assert_eq!(
            lab.collector.retries as usize,
            published.len() - lab.collector.tasks.len()
        );
    }

    #[test]
    fn a_task_of_a_dead_worker_is_published_at_once_and_one_that_is_played_is_not() {
        let mut lab = lab(1);
        lab.hear(Duration::ZERO, &["a"]);
        let task = lab.tick(Duration::ZERO)[0].0;
        assert_eq!(lab.start(SECOND, "a", task), Answer::Play);
        for second in 1..60 {
            let beat = Beat {
                worker: "a".into(),
                threads: 1,
                holds: vec![("r".into(), 3, 0)],
                ..Beat::default()
            };
            lab.roster.hear(second * SECOND, beat);
            assert_eq!(lab.tick(second * SECOND), []);
        }
        assert_eq!(lab.tick(62 * SECOND), []);
        assert_eq!(lab.tick(63 * SECOND), [(task, 2)]);
        // It is not dead after all.
        assert_eq!(lab.result("a", task, 1), Answer::Done);
        lab.check();
        assert!(lab.collector.is_complete());
    }

    #[test]
    fn a_slow_last_task_is_handed_out_twice_and_the_first_result_counts() {
        let mut lab = lab(2);
        lab.hear(Duration::ZERO, &["slow", "quick"]);
        let tasks = lab.tick(Duration::ZERO);
        let (slow, quick) = (tasks[0].0, tasks[1].0);
        lab.start(Duration::ZERO, "slow", slow);
        lab.start(Duration::ZERO, "quick", quick);
        lab.result("quick", quick, 1);
        lab.hear(2 * SECOND, &["slow", "quick"]);
        assert_eq!(lab.tick(2 * SECOND), []);
        // A second was expected.
        lab.hear(2_400 * SECOND / 1000, &["slow", "quick"]);
        assert_eq!(lab.tick(2_400 * SECOND / 1000), [(slow, 2)]);
        assert_eq!(lab.start(3 * SECOND, "quick", slow), Answer::Play);
        assert_eq!(lab.result("quick", slow, 1), Answer::Done);
        assert_eq!(lab.result("slow", slow, 1), Answer::Done);
        assert_eq!(lab.start(4 * SECOND, "slow", slow), Answer::Done);
        lab.check();
        assert!(lab.collector.is_complete());
        let mut roster = Roster::default();
        assert_eq!(lab.collector.into_games(&mut roster), games(0..2, 1));
    }

    #[test]
    fn a_liar_is_barred_by_its_first_task_and_its_games_are_played_again() {
        let mut lab = lab(3);
        lab.hear(Duration::ZERO, &["liar", "honest"]);
        let tasks: Vec<TaskId> = lab
            .tick(Duration::ZERO)
            .into_iter()
            .map(|(id, _)| id)
            .collect();
        assert_eq!(tasks.len(), 3);
        for task in &tasks[..2] {
            lab.start(SECOND, "liar", *task);
            assert_eq!(lab.result("liar", *task, 2), Answer::Done);
        }
        lab.start(SECOND, "honest", tasks[2]);
        lab.result("honest", tasks[2], 1);
        assert!(!lab.collector.is_complete(), "first tasks are unproved");
        lab.check();
        assert!(!lab.collector.is_complete());
        let barred = lab.start(SECOND, "liar", tasks[1]);
        assert!(matches!(barred, Answer::Barred(_)), "{barred:?}");
        assert!(matches!(lab.result("liar", tasks[1], 1), Answer::Barred(_)));
        assert_eq!(lab.tick(SECOND), [(tasks[1], 2)]);
        lab.result("honest", tasks[1], 1);
        assert!(lab.collector.is_complete());
        assert_eq!(lab.collector.false_since(), None);
        assert_eq!(lab.collector.into_games(&mut lab.roster), games(0..3, 1));
        assert_eq!(lab.roster.bar("honest", "later"), Some(3));
    }

    #[test]
    fn games_of_earlier_evaluations_of_a_liar_are_named() {
        let mut lab = lab(1);
        lab.roster.accept("liar");
        lab.roster.trust("liar", 2);
        lab.share = 1.0;
        let task = lab.tick(Duration::ZERO)[0].0;
        lab.result("liar", task, 2);
        lab.check();
        assert_eq!(lab.collector.false_since(), Some(2));
        assert!(lab.collector.is_complete(), "it was played here");
    }

    #[test]
    fn two_results_that_differ_are_decided_here() {
        for (first, second) in [(1, 2), (2, 1)] {
            let mut lab = lab(1);
            lab.roster.accept("a");
            lab.roster.accept("b");
            let task = lab.tick(Duration::ZERO)[0].0;
            lab.result("a", task, first);
            assert!(lab.collector.is_complete());
            lab.result("b", task, second);
            assert!(!lab.collector.is_complete());
            lab.check();
            assert!(lab.collector.is_complete());
            assert_eq!(
                lab.roster.all_barred(),
                [["b"], ["a"]][usize::from(first == 2)]
            );
            // A third one is compared with the games played here.
            assert!(matches!(lab.result("c", task, 2), Answer::Barred(_)));
            assert_eq!(lab.collector.into_games(&mut lab.roster), games(0..1, 1));
        }
    }

    #[test]
    fn games_that_do_not_repeat_bar_nobody() {
        let mut lab = lab(1);
        let task = lab.tick(Duration::ZERO)[0].0;
        lab.result("a", task, 2);
        let checked = Checked {
            games: Some(games(0..1, 1)),
            repeats: false,
        };
        lab.with(|collector, known| collector.checked(task, checked, known));
        assert!(lab.roster.all_barred().is_empty() && lab.collector.is_complete());
    }

    #[test]
    fn a_task_that_nobody_can_play_fails_the_evaluation() {
        let mut lab = lab(1);
        let task = lab.tick(Duration::ZERO)[0].0;
        for worker in ["a", "b", "c"] {
            assert_eq!(lab.collector.failure(), None);
            lab.start(SECOND, worker, task);
            lab.with(|collector, known| collector.fail(SECOND, worker, task, "no program", known));
        }
        assert_eq!(
            lab.collector.failure(),
            Some("worker c cannot play: no program")
        );
    }

    #[test]
    fn what_the_server_loses_is_published_again() {
        let mut lab = lab(1);
        let task = lab.tick(Duration::ZERO)[0].0;
        lab.collector.unpublished(Duration::ZERO, task);
        assert_eq!(lab.tick(SECOND / 2), []);
        assert_eq!(lab.tick(SECOND), [(task, 2)]);
        lab.collector.lost(2 * SECOND);
        assert_eq!(lab.tick(2 * SECOND), [(task, 3)]);
        let other = TaskId {
            evaluation: 2,
            number: 0,
        };
        assert_eq!(lab.start(SECOND, "a", other), Answer::Done);
        assert_eq!(lab.collector.range(other), None);
    }
}
