//! The workers of a coordinator: their heartbeats, and the results of spot checks. The roster is kept for all
//! evaluations of the process.

use std::collections::BTreeMap;
use std::time::Duration;

use super::event::ClusterEvent;
use super::messages::{Heartbeat, TaskId};

/// Heartbeat timeout of a worker.
const SILENCE: Duration = Duration::from_secs(4);

/// Grace period until a heartbeat must name a task that was just begun.
const DELAY: Duration = Duration::from_secs(3);

/// The workers.
#[derive(Default)]
pub(super) struct Roster {
    /// The id of this run in heartbeats.
    run: String,
    workers: BTreeMap<String, KnownWorker>,
    /// Number of compared spot checks of all workers.
    pub(super) checked: u64,
    /// Number of accepted tasks of all workers.
    pub(super) accepted: u64,
}

#[derive(Default)]
struct KnownWorker {
    beat: Option<(Duration, Heartbeat)>,
    /// True between the "came" and the "went" event of the worker.
    is_reported: bool,
    /// Number of its accepted tasks.
    accepted: u64,
    /// The first evaluation that used its games without a spot check.
    unproved_since: Option<u64>,
    /// The reason why the worker is barred, if it is.
    barred: Option<String>,
}

impl KnownWorker {
    /// The last heartbeat. `None` if it timed out, or if the worker has no threads for this run because its build
    /// differs.
    fn alive(&self, now: Duration) -> Option<&Heartbeat> {
        let (heard, beat) = self.beat.as_ref()?;
        (now < *heard + SILENCE && beat.threads > 0).then_some(beat)
    }
}

impl Roster {
    pub(super) fn of(run: &str) -> Self {
        Roster {
            run: run.to_owned(),
            ..Roster::default()
        }
    }

    /// Handles a heartbeat. Returns whether the worker is new.
    pub(super) fn hear(&mut self, now: Duration, beat: Heartbeat) -> bool {
        let known = self.workers.entry(beat.worker.clone()).or_default();
        let is_new = known.beat.is_none();
        known.beat = (!beat.ends).then_some((now, beat));
        is_new
    }

    /// Whether a worker that began a task still plays it, according to its heartbeats.
    pub(super) fn holds(&self, now: Duration, worker: &str, task: TaskId, since: Duration) -> bool {
        let beat = self
            .workers
            .get(worker)
            .and_then(|known| known.beat.as_ref());
        let Some((heard, beat)) = beat else {
            // No heartbeat was received yet.
            return now < since + SILENCE;
        };
        let names = |held: &(String, u64, u32)| {
            (held.0.as_str(), held.1, held.2) == (&self.run, task.evaluation, task.number)
        };
        now < *heard + SILENCE && (*heard < since + DELAY || beat.holds.iter().any(names))
    }

    /// The live workers that are not barred, by name.
    pub(super) fn alive(&self, now: Duration) -> impl Iterator<Item = &Heartbeat> {
        let known = self.workers.values();
        let known = known.filter(|known| known.barred.is_none());
        known.filter_map(move |known| known.alive(now))
    }

    /// The workers that came or went since the last call.
    pub(super) fn changes(&mut self, now: Duration) -> Vec<ClusterEvent> {
        let change = |(name, known): (&String, &mut KnownWorker)| {
            let threads = known.alive(now).map(|beat| beat.threads);
            let worker = name.clone();
            let was_there = std::mem::replace(&mut known.is_reported, threads.is_some());
            match (was_there, threads) {
                (false, Some(threads)) => Some(ClusterEvent::WorkerCame { worker, threads }),
                (true, None) => Some(ClusterEvent::WorkerWent { worker }),
                _ => None,
            }
        };
        self.workers.iter_mut().filter_map(change).collect()
    }

    /// Number of live workers, and number of their threads.
    pub(super) fn count(&self, now: Duration) -> (u32, u32) {
        let alive = self.alive(now);
        alive.fold((0, 0), |(workers, threads), beat| {
            (workers + 1, threads.saturating_add(beat.threads))
        })
    }

    /// Number of idle threads, according to the heartbeats.
    pub(super) fn idle(&self, now: Duration) -> usize {
        let idle = |beat: &Heartbeat| (beat.threads as usize).saturating_sub(beat.holds.len());
        self.alive(now).map(idle).sum()
    }

    /// Counts an accepted task of a worker. Returns whether it is the worker's first one.
    pub(super) fn accept(&mut self, worker: &str) -> bool {
        self.accepted += 1;
        let known = self.workers.entry(worker.to_owned()).or_default();
        known.accepted += 1;
        known.accepted == 1
    }

    /// Records that an evaluation used games of a worker without a spot check.
    pub(super) fn trust(&mut self, worker: &str, evaluation: u64) {
        let known = self.workers.entry(worker.to_owned()).or_default();
        known.unproved_since.get_or_insert(evaluation);
    }

    /// The reason why a worker is barred, if it is.
    pub(super) fn barred(&self, worker: &str) -> Option<&str> {
        self.workers.get(worker)?.barred.as_deref()
    }

    /// The barred workers.
    pub(super) fn all_barred(&self) -> Vec<String> {
        let workers = self
            .workers
            .iter()
            .filter(|(_, known)| known.barred.is_some());
        workers.map(|(name, _)| name.clone()).collect()
    }

    /// Bars a worker. Returns the first evaluation that used its games without a spot check.
    pub(super) fn bar(&mut self, worker: &str, why: &str) -> Option<u64> {
        let known = self.workers.entry(worker.to_owned()).or_default();
        known.barred.get_or_insert_with(|| why.to_owned());
        known.unproved_since
    }

    /// Mean number of tasks of a worker.
    pub(super) fn tasks_of_each(&self) -> Option<u64> {
        let played = self.workers.values().filter(|known| known.accepted > 0);
        self.accepted.checked_div(played.count() as u64)
    }

    /// Number of workers that have played.
    pub(super) fn played(&self) -> usize {
        self.workers
            .values()
            .filter(|known| known.accepted > 0)
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const TASK: TaskId = TaskId {
        evaluation: 1,
        number: 2,
    };

    fn beat(holds: &[(&str, u64, u32)]) -> Heartbeat {
        let holds = holds
            .iter()
            .map(|(run, one, two)| ((*run).to_owned(), *one, *two));
        Heartbeat {
            worker: "w".into(),
            threads: 2,
            holds: holds.collect(),
            ..Heartbeat::default()
        }
    }

    #[test]
    fn silent_workers_are_gone() {
        let mut roster = Roster::of("r");
        assert!(roster.hear(SECOND, beat(&[])));
        assert!(!roster.hear(2 * SECOND, beat(&[("r", 1, 2)])));
        assert_eq!(
            (roster.count(5 * SECOND), roster.idle(5 * SECOND)),
            ((1, 2), 1)
        );
        assert_eq!(roster.count(6 * SECOND), (0, 0));
        let last = Heartbeat {
            ends: true,
            ..beat(&[])
        };
        roster.hear(3 * SECOND, last);
        assert_eq!(roster.count(3 * SECOND), (0, 0));
    }

    #[test]
    fn who_came_and_went_is_reported_once() {
        let mut roster = Roster::of("r");
        let other = Heartbeat {
            worker: "other build".into(),
            ..Heartbeat::default()
        };
        roster.hear(SECOND, beat(&[]));
        roster.hear(SECOND, other);
        let came = ClusterEvent::WorkerCame {
            worker: "w".into(),
            threads: 2,
        };
        let went = ClusterEvent::WorkerWent { worker: "w".into() };
        assert_eq!(roster.changes(SECOND), std::slice::from_ref(&came));
        assert_eq!(roster.changes(4 * SECOND), []);
        assert_eq!(roster.changes(5 * SECOND), [went]);
        assert_eq!(roster.changes(6 * SECOND), []);
        roster.hear(7 * SECOND, beat(&[]));
        assert_eq!(roster.changes(7 * SECOND), [came]);
    }

    #[test]
    fn a_task_that_a_worker_does_not_name_is_not_held() {
        let mut roster = Roster::of("r");
        let holds = |roster: &Roster, now| roster.holds(now * SECOND, "w", TASK, 10 * SECOND);
        assert!(holds(&roster, 13) && !holds(&roster, 14));
        roster.hear(12 * SECOND, beat(&[]));
        assert!(holds(&roster, 12), "the beat can be older than the start");
        roster.hear(13 * SECOND, beat(&[("other", 1, 2), ("r", 1, 3)]));
        assert!(!holds(&roster, 13));
        roster.hear(14 * SECOND, beat(&[("r", 1, 2)]));
        assert!(holds(&roster, 17) && !holds(&roster, 18));
    }

    #[test]
    fn a_barred_worker_does_not_count() {
        let mut roster = Roster::of("r");
        roster.hear(SECOND, beat(&[]));
        assert!(roster.accept("w") && !roster.accept("w"));
        roster.trust("w", 4);
        roster.trust("w", 6);
        assert_eq!(roster.bar("w", "false games"), Some(4));
        assert_eq!(roster.barred("w"), Some("false games"));
        assert_eq!(roster.count(SECOND), (0, 0));
        assert_eq!(roster.all_barred(), ["w"]);
        assert_eq!(roster.bar("x", "false games"), None);
        assert_eq!((roster.played(), roster.tasks_of_each()), (1, Some(2)));
    }
}
