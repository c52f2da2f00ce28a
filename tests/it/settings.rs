//! Campaigns at several settings of a player: what each game is, what the fitness is, and that runs are reproducible.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use crate::common::{adopt, assert_same_run, campaign_file, copy, run, stdout};
use serde_json::Value;
use tiletune::evaluation::settings::{divided, shares};
use tiletune::evaluation::{Order, Sink, SinkClosed};
use tiletune::player::{Catalogue, Pairings, PlayerConfig};
use tiletune::record::GameRecord;
use tiletune::run::RunFile;
use tiletune::run::manifest::Status;
use tiletune::run::tables::{GamesOf, GamesWriter, read_candidates, read_games};
use tiletune::{
    Campaign, Control, Evaluate, EvaluationError, Evaluator, Local, NullObserver, Only, Progress,
    Run, RunError, Session, Source, Weights,
};

const CONFIG: &str = r#"
why = "a small campaign for the tests"
name = "any-depth"
seed = 7
[player]
name = "expectimax"
depths = [0, 1]
[evaluation]
games_max = 9
[optimizer]
name = "cma-es"
population = 4
[budget]
generations = 4
[validation]
games = 61
resamples = 200
[parameters.empty]
[parameters.monotonicity]
"#;

fn resolve(text: &str) -> Campaign {
    Campaign::resolve(&Source::new("depths.toml", text), Path::new("")).unwrap()
}

/// Runs the campaign of a file with these arguments.
fn tuned(folder: &Path, text: &str, name: &str, more: &[&str]) -> PathBuf {
    let out = folder.join(name);
    let config = campaign_file(folder, text);
    let arguments = [
        "tune",
        config.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ];
    stdout(&[&arguments[..], more].concat());
    out
}

/// The files of a table, in order.
fn parts(run: &Path, table: &str) -> Vec<RunFile> {
    let files = std::fs::read_dir(run.join("tables").join(table)).unwrap();
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(RunFile::outside).collect()
}

fn start_games(run: &Path) -> (RunFile, Vec<GameRecord>) {
    let part = parts(run, "start").remove(0);
    let games = read_games(&part).unwrap();
    (part, games)
}

/// The game of a seed at one depth.
fn game_at_depth(depth: usize, weights: &Weights, seed: u64) -> GameRecord {
    let config = PlayerConfig::new("expectimax", None).with("depth", depth as i32);
    let player = Catalogue::builtin().player(&config).unwrap();
    let local = Local::new(player, Some(1)).unwrap();
    let games = local.games(weights, &[seed], &Progress::default());
    games.unwrap().remove(0)
}

/// Requests a stop after some games.
struct Stops {
    local: Local,
    left: Cell<u32>,
}

impl Evaluator for Stops {
    fn play(
        &self,
        order: Order,
        candidates: &[Weights],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut Sink,
    ) -> Result<(), EvaluationError<SinkClosed>> {
        self.local
            .play(order, candidates, seeds, progress, &mut |batch| {
                let left = self.left.get().saturating_sub(batch.games.len() as u32);
                self.left.set(left);
                if left == 0 {
                    progress.request_stop();
                }
                sink(batch)
            })
    }
}

#[test]
fn threads_and_interruptions_leave_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let one = tuned(folder.path(), CONFIG, "one", &["--threads", "1"]);
    let two = tuned(folder.path(), CONFIG, "two", &["--threads", "2"]);
    assert_same_run(&one, &two);

    let campaign = resolve(CONFIG);
    let root = folder.path().join("interrupted");
    let mut run = Run::begin(&campaign, CONFIG, &root, Session::now(1)).unwrap();
    // During the games of the start weights, in the middle of generations, and in the hold-out games.
    let mut interruptions = 0;
    for left in [5, 30, 70, 60, 60, 70]
        .into_iter()
        .chain(std::iter::repeat(100))
    {
        let stops = Stops {
            local: Local::new(campaign.player.clone(), Some(2)).unwrap(),
            left: Cell::new(left),
        };
        let (progress, mut observer) = (Progress::default(), NullObserver);
        let mut control = Control::new(&progress, &mut observer);
        let machines = Only::new(&campaign.player, &stops);
        match run.execute(&campaign, &machines, &mut control) {
            Ok(_) => break,
            Err(RunError::Interrupted) => interruptions += 1,
            Err(error) => panic!("{error}"),
        }
        assert!(interruptions < 30, "no progress");
        run = Run::open(&root).unwrap();
        run.resume(Session::now(1)).unwrap();
    }
    assert!(interruptions > 3, "{interruptions}");
    assert_same_run(&one, &root);
    for command in ["verify", "replay", "report"] {
        stdout(&[command, root.to_str().unwrap()]);
    }
    let verified = stdout(&[
        "verify",
        root.to_str().unwrap(),
        "--games",
        "1000",
        "--json",
    ]);
    let verified: Value = serde_json::from_str(&verified).unwrap();
    assert_eq!(verified["equal"], true, "{verified}");
}

#[test]
fn games_fitness_and_hold_out_results_are_those_of_their_definitions() {
    let folder = tempfile::tempdir().unwrap();
    let out = tuned(folder.path(), CONFIG, "run", &[]);
    let campaign = resolve(CONFIG);
    let names = campaign.space.names();
    let (_, start) = start_games(&out);
    assert!(start.len() >= 8);
    let shares = shares(&start[..8]);
    assert!(shares[0] > 2.0 * shares[1], "{shares:?}");
    let mut is_uneven = false;
    let files = parts(&out, "train")
        .into_iter()
        .zip(parts(&out, "candidates"));
    for (number, (train, candidates)) in files.enumerate() {
        let rows = read_candidates(&candidates, &names).unwrap();
        let games = read_games(&train).unwrap();
        let count = games.len() / rows.len();
        for (row, games) in rows.iter().zip(games.chunks(count)) {
            let weights = campaign.weights(&row.values);
            let mut product = 1.0;
            let mut counts = Vec::new();
            for depth in [0, 1] {
                let here = games.iter().filter(|game| game.seed % 16 == depth as u64);
                let scores: Vec<f64> = here.clone().map(GameRecord::value).collect();
                product *= scores.iter().sum::<f64>() / scores.len() as f64;
                counts.push(scores.len() as u32);
                if number == 0 {
                    for game in here {
                        assert_eq!(game, &game_at_depth(depth, &weights, game.seed));
                    }
                }
            }
            assert_eq!(counts, divided(count as u32, &shares));
            is_uneven |= counts[0] > counts[1];
            let slow = f64::sqrt(product);
            assert!(
                (row.fitness / slow - 1.0).abs() < 1e-12,
                "{}: {slow}",
                row.fitness
            );
        }
    }
    assert!(is_uneven);

    let text = std::fs::read_to_string(out.join("validation.json")).unwrap();
    let validation: Value = serde_json::from_str(&text).unwrap();
    let hold_out = parts(&out, "hold-out");
    let [start, tuned] = [0, 1].map(|index| read_games(&hold_out[index]).unwrap());
    assert_eq!((start.len(), tuned.len()), (61, 61));
    for (depth, games) in [(0, 31), (1, 30)] {
        let at = &validation["settings"][depth];
        assert_eq!(at["setting"], format!("depth {depth}"));
        assert_eq!(at["games"], games);
        let mean = |all: &[GameRecord]| {
            let here = all.iter().filter(|game| game.seed % 16 == depth as u64);
            here.map(GameRecord::value).sum::<f64>() / f64::from(games)
        };
        let [start, tuned] = [mean(&start), mean(&tuned)];
        let near = |value: &Value, expected: f64| {
            let value = value.as_f64().unwrap();
            assert!((value - expected).abs() < 1e-6, "{value}, {expected}");
        };
        near(&at["start"], start);
        near(&at["tuned"], tuned);
        near(&at["difference"]["mean"], tuned - start);
    }
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("At each setting") && report.contains("depths 0,1"));
    let resolved = std::fs::read_to_string(out.join("resolved.toml")).unwrap();
    assert!(resolved.contains("depths = [0, 1]"), "{resolved}");
}

#[test]
fn verify_refuses_changed_results_and_shares() {
    let folder = tempfile::tempdir().unwrap();
    let out = tuned(folder.path(), CONFIG, "run", &[]);
    let refused = |change: &dyn Fn(&Path), words: &str| {
        let copied = folder.path().join("copy");
        let _ = std::fs::remove_dir_all(&copied);
        copy(&out, &copied);
        change(&copied);
        adopt(&copied, Status::Complete);
        let output = run(&["verify", copied.to_str().unwrap(), "--games", "0"]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned()
            + &String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(words), "{text}");
    };
    refused(
        &|run| {
            let path = run.join("validation.json");
            let text = std::fs::read_to_string(&path).unwrap();
            let changed = text.replacen("\"games\": 30", "\"games\": 31", 1);
            assert!(text != changed);
            std::fs::write(path, changed).unwrap();
        },
        "validation.json",
    );
    // Other costs give other shares, so other games.
    refused(
        &|run| {
            let (part, mut games) = start_games(run);
            for game in games.iter_mut().filter(|game| game.seed % 16 == 0) {
                game.leaf_evaluations *= 100_000;
            }
            let pairings = Pairings::of(&resolve(CONFIG).player);
            let mut writer = GamesWriter::create(&part, GamesOf::Start, pairings).unwrap();
            writer.add(0, 0, &games).unwrap();
            writer.finish().unwrap();
        },
        "are not those of this generation",
    );
    refused(
        &|run| std::fs::remove_file(parts(run, "start").remove(0).to_path_buf()).unwrap(),
        "start",
    );
}

#[test]
fn other_commands_know_the_settings_or_refuse_them() {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), CONFIG);
    let config = config.to_str().unwrap();
    let plan = stdout(&["tune", config, "--dry-run"]);
    for words in ["depths 0,1", "games of a first candidate", "depth 1"] {
        assert!(plan.contains(words), "{plan}");
    }
    // The least budget that is named is enough for both generations with which a search with uniform points begins.
    let small = folder.path().join("small");
    let small = [
        "--set",
        "optimizer={}",
        "--json",
        "--out",
        small.to_str().unwrap(),
    ];
    let small = |games: &str| run(&[&["tune", config, "--games", games][..], &small].concat());
    let refused = String::from_utf8(small("1").stderr).unwrap();
    let refused: Vec<&str> = refused
        .split_whitespace()
        .filter(|word| *word != "│")
        .collect();
    let than = refused.iter().position(|word| *word == "than").unwrap();
    assert_eq!(refused[than + 5..than + 8], ["first", "two", "generations"]);
    let tuned: Value = serde_json::from_slice(&small(refused[than + 2]).stdout).unwrap();
    assert_eq!(tuned["generations"], 2);
    let out = folder.path().join("series");
    let series = [
        "tune",
        config,
        "--repeat",
        "2",
        "--out",
        out.to_str().unwrap(),
    ];
    let shorter = [
        "--set",
        "budget.generations=2",
        "--set",
        "validation.race_games=100",
    ];
    stdout(&[&series[..], &shorter].concat());
    stdout(&["verify", out.to_str().unwrap()]);
    let experiment = folder.path().join("experiment.toml");
    let text = "why = 'x'\nname = 'x'\nseed = 1\ngames = 10\nplayer = { name = 'expectimax', depths = [0, 1] }\n[[row]]\nname = 'a'\n[[row]]\nname = 'b'\n";
    std::fs::write(&experiment, text).unwrap();
    let refused = run(&["ablate", experiment.to_str().unwrap()]);
    let message = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{message}");
    assert!(
        message.contains("depths is for the [player] of a campaign"),
        "{message}"
    );
}
