//! The command line: output, exit codes and error messages.

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use common::{SMALL, adopt, campaign_file, contents, run, stdout, tiletune};
use serde_json::Value;
use tiletune::run::manifest::Status;

/// Exit code and standard error of a run.
fn failure(arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(arguments);
    assert!(output.stdout.is_empty(), "{arguments:?} printed data");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!stderr.contains("panicked"), "{stderr}");
    (output.status.code(), stderr)
}

/// Asserts that `tune` refuses a campaign file with exit code 2, says all of `said`, and makes
/// nothing.
fn refused(text: &str, said: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), text);
    let out = folder.path().join("run");
    let (code, stderr) = failure(&[
        "tune",
        config.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ]);
    assert_eq!(code, Some(2), "{stderr}");
    // Long messages are wrapped; what is said does not depend on where.
    let words = stderr
        .replace('│', " ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    for said in said {
        assert!(words.contains(said), "`{said}` is not in: {stderr}");
    }
    assert!(!out.exists(), "something was made");
}

#[test]
fn a_mistake_in_a_campaign_is_told_with_its_place() {
    let with = |from: &str, to: &str| {
        assert!(SMALL.contains(from), "{from}");
        SMALL.replace(from, to)
    };
    for (text, said) in [
        (
            with("generations = 25", "generatons = 25"),
            vec![
                "unknown key `generatons`",
                "campaign.toml:18:1",
                "did you mean `generations`?",
            ],
        ),
        (
            with("[budget]", "[budgte]"),
            vec![
                "unknown key `budgte`",
                "campaign.toml:17:2",
                "did you mean `budget`?",
            ],
        ),
        (
            with(
                "games = 200\nresamples = 500",
                "games = 100000\nresamples = 1000000",
            ),
            vec![
                "campaign.toml:22:1",
                "resamples 1000000 is too large for 100000 games: at most 100000",
            ],
        ),
        (
            with("population = 8", "population = \"many\""),
            vec!["campaign.toml:15:14", "expected a whole number"],
        ),
        (
            with("population = 8", "population = 1"),
            vec![
                "population = 1 is not allowed",
                "campaign.toml:15:1",
                "from 2",
            ],
        ),
        (
            with("min = 10", "min = 10\nmax = 5"),
            vec![
                "`empty`: min = 10 must be below max = 5",
                "campaign.toml:24:13",
            ],
        ),
        (
            with("min = 10", "min = -1"),
            vec!["min = -1 must be above 0 on a log scale"],
        ),
        (
            with("games = 60", "games = 0"),
            vec!["games must be at least 1", "campaign.toml:11:1"],
        ),
        (
            with("games = 60", "games = \"many\""),
            vec!["or \"auto\"", "campaign.toml:11:9"],
        ),
        (
            with("games = 60", "games = \"auto\""),
            vec![
                "games_growth needs a number of games, but games is \"auto\"",
                "campaign.toml:12:1",
            ],
        ),
        (
            with("games = 60\ngames_growth = 1.05", "games_max = 4"),
            vec!["games_max 4 is too small: at least 5", "campaign.toml:11:1"],
        ),
        (
            with("games = 60", "games = 60\nobjective = \"score\""),
            vec!["unknown objective `score`", "mean-score, median-score"],
        ),
        (
            with("depth = 0", "depth = 40"),
            vec!["depth 40 is out of range: 0 to 12", "campaign.toml:8:1"],
        ),
        (
            with("name = \"expectimax\"", "name = \"expectimaxx\""),
            vec![
                "unknown player `expectimaxx`",
                "did you mean `expectimax`?",
                "campaign.toml:7:1",
            ],
        ),
        (
            with("[parameters.empty]", "[parameters.emty]"),
            vec![
                "unknown parameter `emty`",
                "did you mean `empty`?",
                "campaign.toml:24:13",
            ],
        ),
        (
            with(
                "[parameters.empty]",
                "[parameters.merges]\n[parameters.empty]",
            ),
            vec!["both tuned"],
        ),
        (
            with("generations = 25", ""),
            vec!["no budget", "generations, games or minutes"],
        ),
        (
            with("name = \"small\"", "name = \"../small\""),
            vec!["name `../small` cannot name a directory"],
        ),
        (
            with("generations = 25", "games = 100"),
            vec![
                "games 100 is less than the 480 of one generation",
                "campaign.toml:18:1",
            ],
        ),
        (
            with("generations = 25", "minutes = 1e300"),
            vec!["minutes", "at most 1000000"],
        ),
        (
            with("population = 8", "stop_rules.tolerance_fitness = -1"),
            vec!["campaign.toml:15"],
        ),
        (with("population = 8", "cm = 3"), vec!["campaign.toml:15:1"]),
        (
            with(
                "[parameters.monotonicity_power]",
                "[parameters.monotonicity_power]\nmax = 30",
            ),
            vec!["at the upper bounds", "the limit is"],
        ),
        (
            with(
                "[parameters.monotonicity_power]",
                "[parameters.monotonicity_power]\nmax = 400",
            ),
            vec![
                "at the upper bounds",
                "`monotonicity` is -inf",
                "it must be finite on every line",
            ],
        ),
        (
            with("games = 200", "games = 4000000000"),
            vec!["games 4000000000 is out of range"],
        ),
        (with("seed = 7", "seed = -7"), vec!["campaign.toml:4:8"]),
        (with("[player]", "[player"), vec!["campaign.toml:6"]),
    ] {
        refused(&text, &said);
    }
}

#[test]
fn what_is_no_campaign_is_refused() {
    refused("", &["the file is empty"]);
    refused("\u{0}\u{1}", &["not a text file"]);
    let folder = tempfile::tempdir().unwrap();
    let binary = folder.path().join("binary.toml");
    std::fs::write(&binary, [0xff, 0xfe, 0x00, 0x80]).unwrap();
    let (code, stderr) = failure(&["tune", binary.to_str().unwrap()]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("not a text file"), "{stderr}");
    let (code, stderr) = failure(&["tune", "no-such-file.toml"]);
    assert_eq!(code, Some(2));
    assert!(
        stderr.contains("no-such-file.toml: No such file"),
        "{stderr}"
    );
}

#[test]
fn an_output_directory_that_will_not_do_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), SMALL);
    let config = config.to_str().unwrap();
    let before = contents(folder.path());
    let (code, stderr) = failure(&["tune", config, "--out", folder.path().to_str().unwrap()]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("not empty"), "{stderr}");
    let below_a_file = format!("{config}/run");
    let (code, stderr) = failure(&["tune", config, "--out", &below_a_file]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("cannot write to"), "{stderr}");
    assert_eq!(contents(folder.path()), before);
}

#[test]
fn weights_for_another_player_and_wrong_weights_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights.toml");
    for (text, said) in [
        (
            "game = '2048'\nplayer = 'snake'\n[weights]\nratio = 1.0",
            "these weights are for player `snake`",
        ),
        (
            "game = '2048'\nplayer = 'expectimax'\n[weights]\nemty = 1.0",
            "did you mean `empty`?",
        ),
        (
            "game = '2048'\nplayer = 'expectimax'\n[weights]\nempty = nan",
            "a finite number is needed",
        ),
        (
            "game = '2048'\nplayer = 'expectimax'\n[weights]\nempty = 'x'",
            "weights.toml:4:9",
        ),
        (
            "game = '2048'\nplayer = 'expectimax'\n[weights]\n",
            "the file has no weights",
        ),
    ] {
        std::fs::write(&path, text).unwrap();
        let weights = ["--weights", path.to_str().unwrap()];
        let (code, stderr) = failure(
            &[
                &[
                    "evaluate",
                    "--player",
                    "expectimax",
                    "--games",
                    "1",
                    "--seed",
                    "1",
                ],
                &weights[..],
            ]
            .concat(),
        );
        assert_eq!(code, Some(2), "{stderr}");
        let words = stderr
            .replace('│', " ")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(words.contains(said), "`{said}` is not in: {stderr}");
    }
}

#[test]
fn bad_usage_exits_with_2() {
    for arguments in [
        &[
            "evaluate", "--player", "nobody", "--games", "1", "--seed", "1",
        ][..],
        &[
            "evaluate", "--player", "random", "--depth", "1", "--games", "1", "--seed", "1",
        ],
        &[
            "evaluate",
            "--player",
            "expectimax",
            "--depth",
            "x",
            "--games",
            "1",
            "--seed",
            "1",
        ],
        &[
            "evaluate",
            "--player",
            "expectimax",
            "--games",
            "0",
            "--seed",
            "1",
        ],
        &["resume", "."],
        &["report", "no-such-run"],
        &["export", "no-such-file", "--format", "json"],
        &["list", "nonsense"],
        &["fly"],
    ] {
        assert_eq!(failure(arguments).0, Some(2), "{arguments:?}");
    }
}

/// A complete run in a folder.
fn complete_run(folder: &Path) -> std::path::PathBuf {
    let config = campaign_file(folder, SMALL);
    let out = folder.join("run");
    stdout(&[
        "tune",
        config.to_str().unwrap(),
        "--set",
        "budget.generations=4",
        "--out",
        out.to_str().unwrap(),
    ]);
    out
}

/// A run that was killed just before it was complete.
fn interrupted_run(folder: &Path) -> std::path::PathBuf {
    let run = complete_run(folder);
    adopt(&run, Status::Running);
    run
}

#[test]
fn a_damaged_run_is_told_with_the_file_and_exits_with_1() {
    let folder = tempfile::tempdir().unwrap();
    let run = interrupted_run(folder.path());
    let path = run.to_str().unwrap();
    let candidates = "tables/candidates/generation-00002.parquet";
    let games = "tables/train/generation-00002.parquet";
    for (file, damage) in [
        (candidates, "truncated"),
        (candidates, "nonsense"),
        (candidates, "foreign"),
        (games, "truncated"),
        ("tables/generations/generation-00001.parquet", "truncated"),
        ("tables/hold-out/start.parquet", "truncated"),
        ("manifest.json", "truncated"),
        ("manifest.json", "nonsense"),
        ("resolved.toml", "nonsense"),
        ("events.jsonl", "nonsense"),
    ] {
        let place = run.join(file);
        let whole = std::fs::read(&place).unwrap();
        let damaged = match damage {
            "truncated" => whole[..whole.len() / 2].to_vec(),
            "foreign" => std::fs::read(run.join(games)).unwrap(),
            _ => b"nonsense = {\n".to_vec(),
        };
        std::fs::write(&place, &damaged).unwrap();
        let (code, stderr) = failure(&["resume", path]);
        assert_eq!(code, Some(1), "{damage} {file}: {stderr}");
        assert!(stderr.contains(file), "{damage} {file}: {stderr}");
        assert_eq!(
            std::fs::read(&place).unwrap(),
            damaged,
            "the file was not touched"
        );
        std::fs::write(&place, whole).unwrap();
    }
    for file in ["generations", "candidates", "train"] {
        let file = format!("tables/{file}/generation-00001.parquet");
        let place = run.join(&file);
        let whole = std::fs::read(&place).unwrap();
        std::fs::remove_file(&place).unwrap();
        let before = contents(&run.join("tables"));
        let (code, stderr) = failure(&["resume", path]);
        assert_eq!(code, Some(1), "{file} is missing: {stderr}");
        assert!(stderr.contains(&file), "{file} is missing: {stderr}");
        assert_eq!(
            contents(&run.join("tables")),
            before,
            "nothing else was touched"
        );
        std::fs::write(&place, whole).unwrap();
    }
    stdout(&["resume", path]);
}

#[test]
fn a_complete_run_is_left_alone_by_resume() {
    let folder = tempfile::tempdir().unwrap();
    let run_path = complete_run(folder.path());
    let before = contents(&run_path);
    let output = run(&["resume", run_path.to_str().unwrap()]);
    assert!(output.status.success());
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("the run is already complete")
    );
    assert_eq!(contents(&run_path), before);
}

#[test]
fn a_run_that_this_program_would_not_have_made_is_not_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let run = interrupted_run(folder.path());
    let resolved = run.join("resolved.toml");
    let text = std::fs::read_to_string(&resolved).unwrap();
    assert!(text.contains("depth = 0"));
    std::fs::write(&resolved, text.replace("depth = 0", "depth = 1")).unwrap();
    adopt(&run, Status::Running);
    let (code, stderr) = failure(&["resume", run.to_str().unwrap()]);
    assert_eq!(code, Some(1));
    assert!(
        stderr.contains("this program plays the game of seed"),
        "{stderr}"
    );

    std::fs::write(&resolved, text.replace("seed = 7\n", "")).unwrap();
    adopt(&run, Status::Running);
    let (code, stderr) = failure(&["resume", run.to_str().unwrap()]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("the seed is missing"), "{stderr}");

    std::fs::write(&resolved, text.replace("seed = 7", "seed = 8")).unwrap();
    adopt(&run, Status::Running);
    let (code, stderr) = failure(&["resume", run.to_str().unwrap()]);
    assert_eq!(code, Some(1));
    assert!(
        stderr.contains("proposes other candidates in generation 0"),
        "{stderr}"
    );
}

#[test]
fn report_draws_the_same_charts_again_from_the_directory_alone() {
    let folder = tempfile::tempdir().unwrap();
    let run = complete_run(folder.path());
    let charts = contents(&run.join("charts"));
    let listed: Value = serde_json::from_str(&stdout(&["list", "charts", "--json"])).unwrap();
    let listed = listed.as_array().unwrap().iter();
    let listed = listed.filter(|chart| chart["kind"] == "campaign");
    let listed: Vec<&str> = listed.filter_map(|chart| chart["chart"].as_str()).collect();
    let drawn: BTreeSet<&str> = charts
        .keys()
        .filter_map(|path| path.file_stem()?.to_str())
        .collect();
    assert!(drawn.len() >= 6);
    for name in drawn {
        assert!(listed.contains(&name), "{name}");
        for extension in ["png", "svg", "csv"] {
            let name = format!("{name}.{extension}");
            assert!(charts.contains_key(Path::new(&name)), "{name}");
        }
    }
    std::fs::remove_dir_all(run.join("charts")).unwrap();
    std::fs::remove_file(run.join("report.html")).unwrap();
    stdout(&["report", run.to_str().unwrap()]);
    assert_eq!(contents(&run.join("charts")), charts);
    let html = std::fs::read_to_string(run.join("report.html")).unwrap();
    assert!(html.contains("a small campaign for the tests"));
}

#[test]
fn evaluate_answers_with_the_fields_of_its_contract() {
    let arguments = [
        "evaluate",
        "--player",
        "expectimax",
        "--depth",
        "0",
        "--games",
        "50",
        "--seed",
        "3",
        "--json",
    ];
    let result: Value = serde_json::from_str(&stdout(&arguments)).unwrap();
    for field in [
        "game",
        "player",
        "depth",
        "weights",
        "games",
        "seed",
        "threads",
        "mean_score",
        "se_score",
        "median_score",
        "moves",
        "seconds",
        "games_per_second",
        "moves_per_second",
        "leaf_evaluations",
        "leaf_evaluations_per_second",
        "max_tile",
    ] {
        assert!(!result[field].is_null(), "{field}");
    }
    assert_eq!(result["games"], 50);
    let tiles = result["max_tile"].as_object().unwrap();
    let games: u64 = tiles.values().map(|games| games.as_u64().unwrap()).sum();
    assert_eq!(games, 50);
    let one: Value =
        serde_json::from_str(&stdout(&[&arguments[..], &["--threads", "1"]].concat())).unwrap();
    assert_eq!(one["mean_score"], result["mean_score"]);
    assert_eq!(one["leaf_evaluations"], result["leaf_evaluations"]);
}

#[test]
fn a_dry_run_shows_the_plan_and_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), SMALL);
    let out = folder.path().join("run");
    let arguments = [
        "tune",
        config.to_str().unwrap(),
        "--dry-run",
        "--json",
        "--out",
        out.to_str().unwrap(),
    ];
    let plan: Value = serde_json::from_str(&stdout(&arguments)).unwrap();
    assert_eq!(plan["generations"], 25);
    // 8 candidates x (60 games growing by 5 % a generation, each rounded).
    let games: f64 = (0..25)
        .map(|generation| (60.0 * 1.05f64.powi(generation)).round())
        .sum();
    assert_eq!(plan["training_games"].as_f64(), Some(8.0 * games));
    assert!(plan["estimated_seconds"].as_f64().unwrap() > 0.0);
    let per_core = plan["core_seconds"].as_f64().unwrap() / plan["threads"].as_f64().unwrap();
    assert!((per_core / plan["estimated_seconds"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    let sizes = plan["sizes"].as_array().unwrap();
    let differences: Vec<_> = sizes.iter().map(|size| &size["difference"]).collect();
    assert_eq!(differences, [0.01, 0.02, 0.05, 0.1]);
    assert!(plan["detectable"].as_f64().unwrap() > 0.0);
    assert!(!out.exists());

    let minutes = [
        &arguments[..],
        &["--set", "budget.minutes=0.01", "--repeat", "3"],
    ];
    let plan: Value = serde_json::from_str(&stdout(&minutes.concat())).unwrap();
    assert!(plan["search_seconds"].as_f64().unwrap() <= 3.0 * 0.6);
    assert_eq!(
        (&plan["runs"], &plan["race_games"]),
        (&3.into(), &6000.into())
    );
    assert!(!out.exists());
}

#[test]
fn a_dry_run_of_an_experiment_shows_every_row() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("experiment.toml");
    let text = "why = 'w'\nname = 'rows'\nseed = 1\ngames = 300\nbaseline = 'a'\n\
                row = [{ name = 'a', player = { name = 'random' } }, \
                { name = 'b', player = { name = 'greedy' } }]";
    std::fs::write(&file, text).unwrap();
    let arguments = ["ablate", file.to_str().unwrap(), "--dry-run"];
    let plan = [&arguments[..], &["--json"]].concat();
    let plan: Value = serde_json::from_str(&stdout(&plan)).unwrap();
    assert_eq!(plan["games"], 600);
    assert_eq!(plan["rows"][1]["baseline"], "a");
    assert!(plan["rows"][1]["detectable"].as_f64().unwrap() > 0.0);
    for field in ["core_seconds", "estimated_seconds"] {
        assert!(plan[field].as_f64().unwrap() > 0.0, "{field}");
    }
    let text = stdout(&arguments);
    for words in ["difference found", "estimated time: ", "600 games"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn a_run_exports_to_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let run = complete_run(folder.path());
    let run = run.to_str().unwrap();
    let json: Value = serde_json::from_str(&stdout(&["export", run, "--format", "json"])).unwrap();
    let toml: toml::Table = toml::from_str(&stdout(&["export", run, "--format", "toml"])).unwrap();
    let csv = stdout(&["export", run, "--format", "csv"]);
    for line in csv.lines().skip(1) {
        let (key, value) = line.split_once(',').unwrap();
        let value: f64 = value.parse().unwrap();
        assert_eq!(json["weights"][key].as_f64(), Some(value));
        assert_eq!(toml["weights"][key].as_float(), Some(value));
    }
    assert!(csv.lines().count() > 6);
    let (code, stderr) = failure(&["export", run, "--format", "c-header"]);
    assert_eq!(code, Some(2));
    assert!(
        stderr.contains("has no constant in the C header"),
        "{stderr}"
    );
    let header = stdout(&[
        "export",
        "configs/weights/expectimax.toml",
        "--format",
        "c-header",
    ]);
    assert!(
        header.contains("SCORE_MONOTONICITY_POWER = 4.0f"),
        "{header}"
    );
}

#[test]
fn another_objective_is_compared_in_its_own_unit() {
    let folder = tempfile::tempdir().unwrap();
    let text = SMALL.replace(
        "games = 60",
        "games = 60\nobjective = \"share-reaching-512\"",
    );
    let config = campaign_file(folder.path(), &text);
    let out = folder.path().join("run");
    let arguments = [
        "tune",
        config.to_str().unwrap(),
        "--json",
        "--set",
        "budget.generations=8",
        "--out",
        out.to_str().unwrap(),
    ];
    let result: Value = serde_json::from_str(&stdout(&arguments)).unwrap();
    let objective = &result["validation"]["objective"];
    for set in ["start", "tuned"] {
        let summary = &result["validation"][set];
        let tiles = summary["max_tile"].as_object().unwrap().iter();
        let reaching: u64 = tiles
            .filter(|(tile, _)| tile.parse::<u32>().unwrap() >= 512)
            .map(|(_, games)| games.as_u64().unwrap())
            .sum();
        assert_eq!(
            objective[set].as_f64(),
            Some(reaching as f64 / 200.0),
            "{set}"
        );
    }
    let html = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(html.contains("share of games reaching 512"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_stdout_or_stderr_is_no_panic() {
    let full = || {
        std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    for arguments in [&["completions", "bash"][..], &["list", "players"]] {
        let mut command = common::tiletune();
        let status = command
            .args(arguments)
            .stdout(full())
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(1), "{arguments:?}");
    }
    let mut command = common::tiletune();
    let status = command
        .args(["resume", "no-such-run"])
        .stderr(full())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(2));
}

#[test]
fn results_of_tune_are_data_and_talk_is_on_stderr() {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), SMALL);
    let out = folder.path().join("run");
    let arguments = [
        "tune",
        config.to_str().unwrap(),
        "--set",
        "budget.generations=2",
        "--json",
        "--quiet",
        "--out",
        out.to_str().unwrap(),
    ];
    let output = run(&arguments);
    assert!(output.status.success());
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["generations"], 2);
    assert_eq!(result["validation"]["tuned"]["games"], 200);
}

#[test]
fn a_seed_that_is_not_given_is_drawn_shown_and_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), &SMALL.replace("seed = 7\n", ""));
    let config = config.to_str().unwrap();
    let short = [
        "--set",
        "budget.generations=1",
        "--set",
        "validation.games=0",
    ];
    let tune = |name: &str, more: &[&str]| {
        let out = folder.path().join(name);
        let arguments = [
            &["tune", config, "--out", out.to_str().unwrap()],
            &short[..],
            more,
        ]
        .concat();
        let output = run(&arguments);
        assert!(output.status.success());
        let read = |file: &str| std::fs::read_to_string(out.join(file)).unwrap();
        let resolved: toml::Table = toml::from_str(&read("resolved.toml")).unwrap();
        let manifest: Value = serde_json::from_str(&read("manifest.json")).unwrap();
        let seed = resolved["seed"].as_integer().unwrap();
        assert_eq!(manifest["seeds"]["campaign"].as_i64(), Some(seed));
        (seed, String::from_utf8(output.stderr).unwrap())
    };
    let (one, stderr) = tune("one", &[]);
    assert!(stderr.contains(&format!("seed {one} (drawn)")), "{stderr}");
    let (other, _) = tune("other", &[]);
    assert_ne!(one, other);
    let (given, stderr) = tune("given", &["--set", "seed=5"]);
    assert_eq!(given, 5);
    assert!(!stderr.contains("drawn"), "{stderr}");
}

/// The hash over seeded games of every player. A change that alters play changes it here, and its
/// commit message ends with the new line.
const FINGERPRINT: &str = "Games: 78a98645ea7b3378";

#[test]
fn every_player_plays_the_games_that_it_is_known_to_play() {
    assert_eq!(stdout(&["fingerprint"]).trim(), FINGERPRINT);
    let portable = tiletune()
        .arg("fingerprint")
        .env("TILETUNE_SIMD", "portable")
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&portable.stdout).trim(),
        FINGERPRINT
    );
}

#[test]
fn the_rest_of_the_commands_answer() {
    for what in ["games", "players", "heuristics", "charts"] {
        assert!(stdout(&["list", what]).lines().count() > 2);
        let listed: Value = serde_json::from_str(&stdout(&["list", what, "--json"])).unwrap();
        assert!(!listed.as_array().unwrap().is_empty());
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&["completions", shell]);
        for value in ["minimax-six-faithful", "three-plus-three"] {
            assert!(script.contains(value), "{shell}: {value}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    stdout(&["man", pages.to_str().unwrap()]);
    let page = std::fs::read_to_string(pages.join("tiletune-evaluate.1")).unwrap();
    assert!(
        page.contains("\\-\\-seed") && page.contains("Examples:"),
        "{page}"
    );
}

#[test]
fn an_unknown_set_of_vector_instructions_is_refused() {
    let output = common::tiletune()
        .args(["list", "games"])
        .env("TILETUNE_SIMD", "sse9")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("`sse9`; allowed: portable, avx2, avx512"),
        "{stderr}"
    );
}

#[test]
fn a_run_of_another_format_or_kind_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    std::fs::write(folder.path().join("resolved.toml"), "").unwrap();
    for (manifest, said) in [
        (
            r#"{"version": "0.1.0"}"#,
            "the run has format 1, written by tiletune 0.1.0",
        ),
        (
            r#"{"version": "7.0.0", "format": 5, "kind": "dance"}"#,
            "a run of the kind `dance`, written by tiletune 7.0.0",
        ),
    ] {
        std::fs::write(folder.path().join("manifest.json"), manifest).unwrap();
        for command in ["resume", "report"] {
            let output = run(&[command, path]);
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{stderr}");
            assert!(stderr.contains(said), "{stderr}");
        }
    }
}
