//! Evaluations on a simulated cluster. With any fault, the games must be those of a single machine.

mod memory;

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use proptest::prelude::*;

use super::Build;
use super::evaluator::{Cluster, Connection};
use crate::Catalogue;
use crate::config::weights_file::published;
use crate::evaluation::local::Local;
use crate::evaluation::{Evaluate, EvaluationError, Evaluator, Progress};
use crate::heuristic::weights::Weights;
use crate::player::{PlayerConfig, PlayerSpec};
use crate::record::GameRecord;
use memory::{Faults, Memory};

type Messages = Arc<Mutex<Vec<String>>>;

/// A cluster in memory, and its messages.
fn cluster(
    player: &PlayerSpec,
    workers: usize,
    faults: Faults,
    seed: u64,
    verify: f64,
) -> (Cluster, Messages) {
    let messages = Messages::default();
    let said = messages.clone();
    let say = Box::new(move |text: &str| said.lock().unwrap().push(text.to_owned()));
    let memory = Box::new(Memory::new(workers, faults, seed));
    let build = Build::named("b");
    let connection = Connection::over(memory, "r", &build, "memory", 1, verify, say);
    (connection.cluster(player).unwrap(), messages)
}

fn player(name: &str) -> PlayerSpec {
    Catalogue::builtin()
        .player(&PlayerConfig::new(name, None))
        .unwrap()
}

/// All games in the order of delivery, each with its candidate and number.
fn games(
    evaluator: &dyn Evaluator,
    candidates: usize,
    seeds: std::ops::Range<u64>,
) -> Result<Vec<(usize, usize, GameRecord)>, EvaluationError<Infallible>> {
    let weights = vec![Weights::default(); candidates];
    let seeds: Vec<u64> = seeds.collect();
    let progress = Progress::default();
    let mut all = Vec::new();
    evaluator.evaluate::<Infallible>(&weights, &seeds, &progress, &mut |batch| {
        let games = batch.games.iter().enumerate();
        all.extend(
            games.map(|(place, game)| (batch.candidate, batch.first_game + place, game.clone())),
        );
        Ok(())
    })?;
    Ok(all)
}

/// Plays several evaluations, like the generations of a campaign. Some can be wrong if a trusted worker sends wrong
/// games.
fn is_equal_to_local(workers: usize, faults: Faults, seed: u64) -> bool {
    is_equal_with(workers, faults, seed, 0.3)
}

/// The same with this share of replayed tasks.
fn is_equal_with(workers: usize, faults: Faults, seed: u64, verify: f64) -> bool {
    let player = player("random");
    let (cluster, _) = cluster(&player, workers, faults, seed, verify);
    let local = Local::new(player, Some(1)).unwrap();
    for generation in 0..3 {
        let seeds = 100 * generation..100 * generation + 17;
        match games(&cluster, 3, seeds.clone()) {
            Ok(played) => {
                let expected = games(&local, 3, seeds).unwrap();
                // A worker whose wrong tasks are not in the sample is not detected.
                if faults.liars == 0 || faults.falsified == 100 || verify == 1.0 {
                    assert!(played == expected, "generation {generation}");
                }
            }
            Err(EvaluationError::False { .. }) => {
                assert!(faults.liars > 0);
                return false;
            }
            Err(error) => panic!("{error}"),
        }
    }
    true
}

#[test]
fn games_are_those_of_one_machine() {
    for workers in [1, 2, 7] {
        assert!(is_equal_to_local(workers, Faults::default(), 1));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_is_lost_late_or_repeated(
        workers in 1usize..6,
        lost in 0u32..30,
        repeated in 0u32..30,
        delay in 0u32..3000,
        deaths in 0u32..30,
        wipes in 0u32..10,
        absent in 0u32..40,
        seed in any::<u64>(),
    ) {
        let faults = Faults { lost, repeated, delay, deaths, wipes, absent, ..Faults::default() };
        prop_assert!(is_equal_to_local(workers, faults, seed));
    }

    /// A worker that always sends wrong games is detected by its first task, before any of its games is used.
    #[test]
    fn whoever_lies(
        workers in 2usize..6,
        lost in 0u32..20,
        delay in 0u32..2000,
        seed in any::<u64>(),
    ) {
        let faults = Faults { lost, delay, liars: workers / 2, falsified: 100, ..Faults::default() };
        prop_assert!(is_equal_to_local(workers, faults, seed));
    }

    /// With every task in the sample no wrong game is accepted. With a smaller sample the run goes back or ends.
    #[test]
    fn a_worker_that_lies_now_and_then_leaves_no_false_game_behind_unnoticed(seed in any::<u64>()) {
        let faults = Faults { liars: 1, falsified: 40, ..Faults::default() };
        is_equal_with(2, faults, seed, 1.0);
        is_equal_to_local(2, faults, seed);
    }
}

#[test]
fn a_worker_that_lied_earlier_is_named_with_the_evaluation_that_used_its_games() {
    let player = player("random");
    let faults = Faults {
        liars: 1,
        falsified: 30,
        ..Faults::default()
    };
    let found = (0..50).find_map(|seed| {
        let (cluster, messages) = cluster(&player, 2, faults, seed, 0.2);
        let mut begun = Vec::new();
        let ended = (0..20).find_map(|_| {
            begun.push(Instant::now());
            games(&cluster, 2, 0..10).err()
        })?;
        Some((ended, begun, messages))
    });
    let (ended, begun, messages) = found.expect("no lie was found in fifty runs");
    let EvaluationError::False { since } = ended else {
        panic!("{ended}");
    };
    let last = begun[begun.len() - 1];
    assert!((begun[0]..last).contains(&since), "{since:?} in {begun:?}");
    let messages = messages.lock().unwrap().join("\n");
    assert!(
        messages.contains("worker w0 is barred: its games differ"),
        "{messages}"
    );
}

#[test]
fn a_run_without_workers_says_what_it_waits_for() {
    let player = player("random");
    let faults = Faults {
        absent: 60,
        ..Faults::default()
    };
    let (cluster, messages) = cluster(&player, 1, faults, 1, 0.02);
    games(&cluster, 1, 0..5).unwrap();
    let messages = messages.lock().unwrap();
    // After 5, 15 and 35 seconds.
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert!(
        messages[0].starts_with("waiting for workers of build b on memory"),
        "{messages:?}"
    );
    let summary = cluster.connection.summary().unwrap();
    assert!(summary.contains("tasks of 1 worker,"), "{summary}");
}

#[test]
fn a_stop_hands_over_the_games_before_the_first_missing_one() {
    let player = player("random");
    let (cluster, _) = cluster(&player, 2, Faults::default(), 1, 0.0);
    let progress = Arc::new(Progress::default());
    let stopping = progress.clone();
    let counting = Arc::new(Progress::watched(move |_| stopping.request_stop()));
    let seeds: Vec<u64> = (0..100).collect();
    let mut taken = Vec::new();
    // Counting the first games stops the evaluation.
    let both = StopsWith(&cluster, &progress);
    let ended = both.evaluate(&counting, &seeds, &mut taken);
    assert!(
        matches!(ended, Err(EvaluationError::Interrupted)),
        "{ended:?}"
    );
    assert!(taken.len() < seeds.len());
    assert_eq!(taken, seeds[..taken.len()]);
}

/// Evaluates until another progress is stopped.
struct StopsWith<'a>(&'a Cluster, &'a Progress);

impl StopsWith<'_> {
    fn evaluate(
        &self,
        counting: &Progress,
        seeds: &[u64],
        taken: &mut Vec<u64>,
    ) -> Result<(), EvaluationError<Infallible>> {
        let weights = [Weights::default()];
        for seeds in seeds.chunks(50) {
            if self.1.is_stopped() {
                counting.request_stop();
            }
            self.0
                .evaluate::<Infallible>(&weights, seeds, counting, &mut |batch| {
                    taken.extend(batch.games.iter().map(|game| game.seed));
                    Ok(())
                })?;
        }
        Ok(())
    }
}

#[test]
fn weights_and_options_travel() {
    let player = Catalogue::builtin()
        .player(&toml::from_str("name = 'expectimax'\ndepth = 0").unwrap())
        .unwrap();
    let (cluster, _) = cluster(&player, 2, Faults::default(), 1, 0.0);
    let local = Local::new(player.clone(), Some(1)).unwrap();
    let weights = [published(&player), Weights::default()];
    let seeds = [1, 2, 3];
    for one in &weights {
        let [ours, theirs] = [
            local.games(one, &seeds, &Progress::default()).unwrap(),
            cluster.games(one, &seeds, &Progress::default()).unwrap(),
        ];
        assert_eq!(ours, theirs);
    }
}
