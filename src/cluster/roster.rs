//! The workers that a coordinator knows: what they say of themselves, and what their games have proved to be.
//! It lives as long as the process, over all evaluations.

use std::collections::BTreeMap;
use std::time::Duration;

use super::happening::Happening;
use super::messages::{Beat, TaskId};

/// A worker that is not heard for this time is gone.
const SILENCE: Duration = Duration::from_secs(4);

/// What a worker that plays a task says of it comes within this time.
const DELAY: Duration = Duration::from_secs(3);

/// The workers.
#[derive(Default)]
pub(super) struct Roster {
    /// The run, as workers name it in what they hold.
    run: String,
    workers: BTreeMap<String, Known>,
    /// Tasks that were played again here, of all workers.
    pub(super) checked: u64,
    /// Tasks that were accepted from workers.
    pub(super) accepted: u64,
}

/// What is known of a worker.
#[derive(Default)]
struct Known {
    beat: Option<(Duration, Beat)>,
    /// Whether its coming is reported, and its going is not.
    is_reported: bool,
    /// Tasks that were accepted from it.
    accepted: u64,
    /// The first evaluation that used games of it that were not played again here.
    unproved_since: Option<u64>,
    /// Why its games are not used.
    barred: Option<String>,
}

impl Known {
    /// What it said last, unless it is gone, or has no threads for this run because it is of another build.
    fn alive(&self, now: Duration) -> Option<&Beat> {
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

    /// A worker says something of itself. Returns whether it is a new one.
    pub(super) fn hear(&mut self, now: Duration, beat: Beat) -> bool {
        let known = self.workers.entry(beat.worker.clone()).or_default();
        let is_new = known.beat.is_none();
        known.beat = (!beat.ends).then_some((now, beat));
        is_new
    }

    /// Whether a worker that began a task still plays it, as far as it has said.
    pub(super) fn holds(&self, now: Duration, worker: &str, task: TaskId, since: Duration) -> bool {
        let beat = self
            .workers
            .get(worker)
            .and_then(|known| known.beat.as_ref());
        let Some((heard, beat)) = beat else {
            // Its first words are still to come.
            return now < since + SILENCE;
        };
        let names = |held: &(String, u64, u32)| {
            (held.0.as_str(), held.1, held.2) == (&self.run, task.evaluation, task.number)
        };
        now < *heard + SILENCE && (*heard < since + DELAY || beat.holds.iter().any(names))
    }

    /// The workers that are there, by name.
    pub(super) fn alive(&self, now: Duration) -> impl Iterator<Item = &Beat> {
        let known = self.workers.values();
        let known = known.filter(|known| known.barred.is_none());
        known.filter_map(move |known| known.alive(now))
    }

    /// The workers that came and went since the last call.
    pub(super) fn changes(&mut self, now: Duration) -> Vec<Happening> {
        let change = |(name, known): (&String, &mut Known)| {
            let threads = known.alive(now).map(|beat| beat.threads);
            let worker = name.clone();
            let was_there = std::mem::replace(&mut known.is_reported, threads.is_some());
            match (was_there, threads) {
                (false, Some(threads)) => Some(Happening::WorkerCame { worker, threads }),
                (true, None) => Some(Happening::WorkerWent { worker }),
                _ => None,
            }
        };
        self.workers.iter_mut().filter_map(change).collect()
    }

    /// Number of workers that are there, and of their threads.
    pub(super) fn count(&self, now: Duration) -> (u32, u32) {
        let alive = self.alive(now);
        alive.fold((0, 0), |(workers, threads), beat| {
            (workers + 1, threads + beat.threads)
        })
    }

    /// Number of threads that play nothing, as far as the workers have said.
    pub(super) fn idle(&self, now: Duration) -> usize {
        let idle = |beat: &Beat| (beat.threads as usize).saturating_sub(beat.holds.len());
        self.alive(now).map(idle).sum()
    }

    /// A worker's task is accepted. Returns whether it is its first one.
    pub(super) fn accept(&mut self, worker: &str) -> bool {
        self.accepted += 1;
        let known = self.workers.entry(worker.to_owned()).or_default();
        known.accepted += 1;
        known.accepted == 1
    }

    /// An evaluation used games of a worker that were not played again here.
    pub(super) fn trust(&mut self, worker: &str, evaluation: u64) {
        let known = self.workers.entry(worker.to_owned()).or_default();
        known.unproved_since.get_or_insert(evaluation);
    }

    /// Why a worker's games are not used.
    pub(super) fn barred(&self, worker: &str) -> Option<&str> {
        self.workers.get(worker)?.barred.as_deref()
    }

    /// The workers whose games are not used.
    pub(super) fn all_barred(&self) -> Vec<String> {
        let workers = self
            .workers
            .iter()
            .filter(|(_, known)| known.barred.is_some());
        workers.map(|(name, _)| name.clone()).collect()
    }

    /// A worker's games are not used any more. Returns the first evaluation that used some of them.
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

    fn beat(holds: &[(&str, u64, u32)]) -> Beat {
        let holds = holds
            .iter()
            .map(|(run, one, two)| ((*run).to_owned(), *one, *two));
        Beat {
            worker: "w".into(),
            threads: 2,
            holds: holds.collect(),
            ..Beat::default()
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
        let last = Beat {
            ends: true,
            ..beat(&[])
        };
        roster.hear(3 * SECOND, last);
        assert_eq!(roster.count(3 * SECOND), (0, 0));
    }

    #[test]
    fn who_came_and_went_is_reported_once() {
        let mut roster = Roster::of("r");
        let other = Beat {
            worker: "other build".into(),
            ..Beat::default()
        };
        roster.hear(SECOND, beat(&[]));
        roster.hear(SECOND, other);
        let came = Happening::WorkerCame {
            worker: "w".into(),
            threads: 2,
        };
        let went = Happening::WorkerWent { worker: "w".into() };
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
