use super::*;
use crate::config::Source;
use crate::run::RunPlan;
use std::path::{Path, PathBuf};
use tiletune_engine::record::{GameRecord, GameResult};
use tiletune_tuning::Catalogue;
use tiletune_tuning::stats::power::pairs_needed;

const FILE: &str = r#"
why = "a test"
name = "planned"
seed = 5
games = 200
baseline = "one"
row = [
  { name = "one", player = { name = "expectimax", depth = 0 } },
  { name = "two", player = { name = "expectimax", depth = 0 }, values = { empty = 1 } },
  { name = "deep", player = { name = "expectimax", depth = 1 } },
]
"#;

fn experiment() -> Experiment {
    Experiment::resolve(&Source::new("planned.toml", FILE), Path::new("")).unwrap()
}

/// A calibration with games of these scores and 10 moves each.
fn calibration(scores: &[&[u64]], core_seconds: f64) -> Calibration {
    let game = |&score: &u64| GameRecord {
        seed: 0,
        result: GameResult::scored(score),
        moves: 10,
        leaf_evaluations: 0,
    };
    let games: Vec<Vec<GameRecord>> = scores
        .iter()
        .map(|scores| scores.iter().map(game).collect())
        .collect();
    let count: usize = games.iter().map(Vec::len).sum();
    Calibration {
        games,
        preparation: 0.5,
        core_seconds,
        moves: 10 * count as u64,
        is_slower: count == 0,
    }
}

#[test]
fn rows_of_a_player_share_its_calibration() {
    let experiment = experiment();
    assert_eq!(rows_of_players(&experiment), [vec![0, 1], vec![2]]);
    let one = [100u64, 200].repeat(10);
    let two = [200u64, 100].repeat(10);
    let measured = ExperimentCalibration {
        players: vec![
            (vec![0, 1], calibration(&[&one, &two], 4.0)),
            (vec![2], calibration(&[&[]], 3.0)),
        ],
        oracle: None,
    };
    let estimate = ExperimentEstimate::new(&experiment, 2, &measured);
    assert_eq!(estimate.games(), 600);
    // 40 games of 10 moves in 4 core-seconds. A game of the last row takes more than 3. Each row is prepared.
    let expected = [20.5, 20.5, 600.5];
    for (row, expected) in estimate.rows.iter().zip(expected) {
        assert!((row.core_seconds - expected).abs() < 1e-9, "{row:?}");
    }
    assert!(estimate.is_slower() && estimate.rows[2].is_slower && !estimate.rows[1].is_slower);
    assert!((estimate.seconds() - 320.75).abs() < 1e-9);
    // There are two comparisons. The differences are plus and minus 100; the mean is 150.
    assert_eq!(estimate.rows[0].detectable, None);
    assert_eq!(estimate.rows[2].detectable, None);
    let found = estimate.rows[1].detectable.unwrap();
    let deviation = 100.0 * (20.0f64 / 19.0).sqrt() / 150.0;
    assert!((pairs_needed(deviation, found, 0.025) / 200.0 - 1.0).abs() < 1e-9);
}

#[test]
fn the_oracle_adds_its_positions() {
    let text = "why = 'w'\nname = 'planned'\nseed = 5\n\
                row = [{ name = 'a', player = { name = 'random', game = 'connect-four' } }]\n\
                yardstick = { player = { name = 'perfect', game = 'connect-four' }, positions = 90 }";
    let source = Source::new("planned.toml", text);
    let experiment = Experiment::resolve(&source, Path::new("")).unwrap();
    let oracle = |positions| OracleWork {
        positions,
        core_seconds: 6.0,
    };
    let estimate = |positions| {
        let measured = ExperimentCalibration {
            players: Vec::new(),
            oracle: Some(oracle(positions)),
        };
        ExperimentEstimate::new(&experiment, 2, &measured)
            .oracle
            .unwrap()
    };
    assert_eq!(estimate(3).core_seconds, 180.0);
    assert_eq!((estimate(0).core_seconds, estimate(0).judged), (540.0, 0));
}

#[test]
fn every_experiment_of_the_project_can_be_planned() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let below = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let mut planned = 0;
    // There are two levels of folders: the game, and the question.
    for folder in below(&root).iter().flat_map(|game| below(game)) {
        let file = folder.join("experiment.toml");
        if !file.exists() {
            continue;
        }
        let source = Source::read(&file).unwrap();
        let experiment = Experiment::from_source(&Catalogue::builtin(), &source, &folder).unwrap();
        let time = Duration::from_millis(20);
        let measured =
            ExperimentCalibration::of(&experiment, 2, time, &Progress::default()).unwrap();
        let estimate = ExperimentEstimate::new(&experiment, 2, &measured);
        assert_eq!(estimate.games(), experiment.games());
        assert!(estimate.seconds().is_finite() && estimate.seconds() > 0.0);
        planned += 1;
    }
    assert!(planned >= 9);
}
