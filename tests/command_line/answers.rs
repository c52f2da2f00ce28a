//! What commands print and export.

use std::collections::BTreeSet;

use serde_json::Value;

use super::*;
use crate::common::{contents, tiletune};

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
    let header = stdout(&["export", run, "--format", "c-header"]);
    assert!(header.contains("cannot represent them"), "{header}");
    assert!(
        header.contains("static const double tiletune_empty = "),
        "{header}"
    );
    let header = stdout(&[
        "export",
        "crates/engine/data/weights/expectimax.toml",
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
const FINGERPRINT: &str = "Games: eef57eb58b9d0203";

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
