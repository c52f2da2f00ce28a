//! Tests feed events with chosen times to the collector.

use super::super::messages::Heartbeat;
use super::*;
use crate::record::GameResult;

const SECOND: Duration = Duration::from_secs(1);

/// A collector with its context.
struct Lab {
    collector: Collector,
    roster: Roster,
    pace: TaskSizer,
    share: f64,
}

fn lab(games: usize) -> Lab {
    Lab {
        collector: Collector::new(3, games),
        roster: Roster::of("r"),
        pace: TaskSizer::default(),
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
    fn with<T>(&mut self, act: impl FnOnce(&mut Collector, &mut RunContext) -> T) -> T {
        let mut known = RunContext {
            roster: &mut self.roster,
            pace: &mut self.pace,
            sample: CheckSample::new(1, self.share),
        };
        act(&mut self.collector, &mut known)
    }

    /// Receives heartbeats of idle workers.
    fn hear(&mut self, now: Duration, workers: &[&str]) {
        for worker in workers {
            let beat = Heartbeat {
                worker: (*worker).to_owned(),
                threads: 1,
                ..Heartbeat::default()
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

    /// A worker sends the result of the task, with this number of moves in each game.
    fn result(&mut self, worker: &str, task: TaskId, moves: u32) -> Answer {
        let range = self.collector.range(task).unwrap();
        self.with(|collector, known| {
            let cost = TaskCost {
                seconds: 1.0,
                bytes: 100,
            };
            collector.result(worker, task, Some(games(range, moves)), cost, known)
        })
    }

    /// Performs all requested spot checks, with one move in each game.
    fn check(&mut self) {
        for task in self.collector.take_checks() {
            let checked = CheckedTask {
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
        let beat = Heartbeat {
            worker: "a".into(),
            threads: 1,
            holds: vec![("r".into(), 3, 0)],
            ..Heartbeat::default()
        };
        lab.roster.hear(second * SECOND, beat);
        assert_eq!(lab.tick(second * SECOND), []);
    }
    assert_eq!(lab.tick(62 * SECOND), []);
    assert_eq!(lab.tick(63 * SECOND), [(task, 2)]);
    // The worker is alive after all.
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
    // The expected time was one second.
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
fn a_task_of_the_sample_is_played_here_while_a_worker_plays_it() {
    for moves in [1, 2] {
        let mut lab = lab(1);
        lab.share = 1.0;
        let task = lab.tick(Duration::ZERO)[0].0;
        lab.check();
        // The games are not known before the task is handed out.
        assert_eq!(lab.start(SECOND, "a", task), Answer::Play);
        lab.check();
        assert!(
            !lab.collector.is_complete(),
            "the worker's games are missing"
        );
        let answer = lab.result("a", task, moves);
        assert_eq!(matches!(answer, Answer::Barred(_)), moves == 2);
        assert!(lab.collector.is_complete());
        assert_eq!(lab.roster.checked, 1);
        assert_eq!(lab.collector.into_games(&mut lab.roster), games(0..1, 1));
        // None of its unchecked games were used.
        assert_eq!(lab.roster.bar("a", "later"), None);
    }
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
        // The result of a third worker is compared with the spot check.
        assert!(matches!(lab.result("c", task, 2), Answer::Barred(_)));
        assert_eq!(lab.collector.into_games(&mut lab.roster), games(0..1, 1));
    }
}

#[test]
fn games_that_do_not_repeat_bar_nobody() {
    let mut lab = lab(1);
    let task = lab.tick(Duration::ZERO)[0].0;
    lab.result("a", task, 2);
    let checked = CheckedTask {
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
