//! `tune --repeat`: a campaign several times under different seeds, in one run directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::common::{adopt, campaign_file, contents, run, stdout, tiletune};
use serde_json::Value;
use tiletune::run::manifest::Status;

const SMALL: &str = r#"
why = "a small series for the tests"
name = "small"
seed = 7

[player]
name = "expectimax"
depth = 0

[evaluation]
games = 10

[optimizer]
population = 6

[budget]
generations = 4

[validation]
games = 60
race_games = 100
resamples = 200

[parameters.empty]
scale = "log"
min = 10
[parameters.monotonicity]
[parameters.smoothness]
fixed = true
start = 5
[parameters.merges]
integer = true
"#;

/// Runs a series of three in this folder.
fn series(folder: &Path, out: &str, more: &[&str]) -> PathBuf {
    let config = campaign_file(folder, SMALL);
    let out = folder.join(out);
    let arguments = [config.to_str().unwrap(), "--out", out.to_str().unwrap()];
    stdout(&[&["tune", "--repeat", "3"], &arguments[..], more].concat());
    out
}

/// Every file that does not depend on clocks or machines.
fn timeless(run: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = contents(run);
    files.retain(|path, _| {
        let name = path.file_name().unwrap().to_str().unwrap();
        ![
            "manifest.json",
            "files.jsonl",
            "timing.jsonl",
            "report.html",
            ".lock",
        ]
        .contains(&name)
    });
    files
}

fn assert_same(one: &Path, other: &Path) {
    let (one, other) = (timeless(one), timeless(other));
    let names = |files: &BTreeMap<PathBuf, _>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&one), names(&other));
    for (name, bytes) in &one {
        assert!(other[name] == *bytes, "{} differs", name.display());
    }
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn threads_and_resolved_files_leave_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let one = series(folder.path(), "one", &["--threads", "1"]);
    let other = series(folder.path(), "other", &["--threads", "3"]);
    assert_same(&one, &other);
    // The resolved file says that it is a series, and how long.
    let again = folder.path().join("again");
    let resolved = one.join("resolved.toml");
    let out = ["--out", again.to_str().unwrap()];
    stdout(&[&["tune", resolved.to_str().unwrap()], &out[..]].concat());
    std::fs::copy(one.join("config.toml"), again.join("config.toml")).unwrap();
    assert_same(&one, &again);
}

#[test]
fn killed_at_any_stage_it_ends_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let undisturbed = series(folder.path(), "undisturbed", &[]);
    let killed = folder.path().join("killed");
    let config = folder.path().join("campaign.toml");
    let stages = [
        "resolved.toml",
        "runs",
        "runs/1/tables/generations/generation-00001.parquet",
        "runs/1/tuned.toml",
        "runs/1/report.html",
        "runs/2",
        "runs/2/tables/train/generation-00003.parquet",
        "runs/3/charts",
        "tables/race/race.parquet",
        "tables/finalists.parquet",
        "tuned.toml",
        "tables/hold-out/start.parquet",
        "tables/hold-out/run-2.parquet",
        "validation.json",
        "best.toml",
        "series.json",
        "charts/runs-fitness.csv",
        "report.html",
    ];
    let mut kills = 0;
    for stage in stages {
        let path = killed.to_str().unwrap();
        let arguments = if killed.join("manifest.json").exists() {
            vec!["resume", path]
        } else {
            vec![
                "tune",
                config.to_str().unwrap(),
                "--repeat",
                "3",
                "--out",
                path,
            ]
        };
        let mut command = tiletune();
        command.args(arguments);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let ended = loop {
            if killed.join(stage).exists() {
                break None;
            }
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
        };
        if let Some(status) = ended {
            assert!(status.success(), "before {stage}");
            continue;
        }
        child.kill().unwrap();
        kills += usize::from(!child.wait().unwrap().success());
    }
    assert!(kills > stages.len() / 2, "only {kills} kills");
    stdout(&["resume", killed.to_str().unwrap()]);
    assert_same(&undisturbed, &killed);
}

#[test]
fn every_number_can_be_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let out = series(folder.path(), "run", &[]);
    let results = json(&out.join("series.json"));
    let seed = results["hold_out_seed"].as_str().unwrap().to_owned();
    let evaluate = |weights: &Path| -> Value {
        let weights = weights.to_str().unwrap();
        let player = [
            "evaluate",
            "--player",
            "expectimax",
            "--depth",
            "0",
            "--json",
        ];
        let games = ["--weights", weights, "--games", "60", "--seed", &seed];
        serde_json::from_str(&stdout(&[&player[..], &games].concat())).unwrap()
    };
    let runs = results["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 3);
    let mut values = Vec::new();
    for run in runs {
        let played = evaluate(&out.join(format!("runs/{}:tuned", run["run"])));
        assert_eq!(played["mean_score"], run["hold_out"]["value"]);
        assert_eq!(played["se_score"], run["hold_out"]["standard_error"]);
        values.push(played["mean_score"].as_f64().unwrap());
    }
    let mean = values.iter().sum::<f64>() / 3.0;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let sd = results["spread"]["between_runs_sd"].as_f64().unwrap();
    assert!((sd - (squares / 2.0).sqrt()).abs() < 1e-6);

    // The tuned weights are those of the winner of the race, and their claim that of the hold-out games.
    let winner = results["winner"].as_u64().unwrap() as usize - 1;
    let best: toml::Table =
        toml::from_str(&std::fs::read_to_string(out.join("tuned.toml")).unwrap()).unwrap();
    let provenance = &best["provenance"];
    assert_eq!(
        provenance["hold_out"]["mean"].as_float(),
        Some(values[winner])
    );
    let tuned = out.join("tuned.toml");
    assert_eq!(
        evaluate(&tuned)["mean_score"].as_f64(),
        Some(values[winner])
    );
    assert_eq!(provenance["series"]["repeat"].as_integer(), Some(3));
    let of_run: toml::Table = toml::from_str(
        &std::fs::read_to_string(out.join(format!("runs/{}/tuned.toml", winner + 1))).unwrap(),
    )
    .unwrap();
    assert_eq!(best["weights"], of_run["weights"]);
    let validation = json(&out.join("validation.json"));
    assert_eq!(
        validation["tuned"]["mean_score"].as_f64(),
        Some(values[winner])
    );
    assert_eq!(validation["start"]["mean_score"], results["start"]["value"]);

    // Every tool works on the series and on its runs.
    for directory in [out.clone(), out.join("runs/2")] {
        let directory = directory.to_str().unwrap();
        assert!(stdout(&["export", directory, "--format", "csv"]).starts_with("weight,value\n"));
        let report: Value =
            serde_json::from_str(&stdout(&["report", directory, "--json"])).unwrap();
        assert!(
            report["charts"]
                .as_array()
                .is_some_and(|charts| charts.len() > 3)
        );
    }
}

#[test]
fn parameters_are_compared_in_units_of_their_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let out = series(folder.path(), "run", &[]);
    let results = json(&out.join("series.json"));
    let parameters = results["parameters"].as_array().unwrap();
    let names: Vec<&str> = parameters
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["empty", "merges", "monotonicity"]);
    for parameter in parameters {
        let numbers = |key: &str| -> Vec<f64> {
            let numbers = parameter[key].as_array().unwrap().iter();
            numbers.map(|number| number.as_f64().unwrap()).collect()
        };
        for (run, value) in (1..).zip(numbers("values")) {
            let best = std::fs::read_to_string(out.join(format!("runs/{run}/tuned.toml"))).unwrap();
            let best: toml::Table = toml::from_str(&best).unwrap();
            let tuned = &best["weights"][parameter["name"].as_str().unwrap()];
            assert_eq!(tuned.as_float(), Some(value));
        }
        let units = numbers("unit_values");
        assert!(units.iter().all(|unit| (0.0..=1.0).contains(unit)));
        let mean = units.iter().sum::<f64>() / 3.0;
        let squares: f64 = units.iter().map(|unit| (unit - mean).powi(2)).sum();
        let sd = parameter["unit_sd"].as_f64().unwrap();
        assert!((sd - (squares / 2.0).sqrt()).abs() < 1e-12);
    }
    // On a log scale from 10 the place of a value is that of its logarithm.
    let empty = &parameters[0];
    let (value, unit) = (&empty["values"][0], &empty["unit_values"][0]);
    let place = (value.as_f64().unwrap() / 10.0).ln() / unit.as_f64().unwrap();
    let (value, unit) = (&empty["values"][1], &empty["unit_values"][1]);
    assert!((place - (value.as_f64().unwrap() / 10.0).ln() / unit.as_f64().unwrap()).abs() < 1e-9);
}

#[test]
fn games_of_two_players_and_no_hold_out() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
why = "a series of connect-four"
name = "two"
seed = 3
player = { name = "strings", game = "connect-four" }
evaluation = { games = 4 }
optimizer = { population = 4 }
budget = { generations = 2 }
validation = { games = 40, race_games = 40, resamples = 200 }
parameters = { threat = {}, liberty = {} }
series = { repeat = 2 }
"#;
    let config = campaign_file(folder.path(), text);
    for (out, games) in [("with", "40"), ("without", "0")] {
        let out = folder.path().join(out);
        let games = format!("validation.games={games}");
        stdout(&[
            "tune",
            config.to_str().unwrap(),
            "--set",
            &games,
            "--out",
            out.to_str().unwrap(),
        ]);
        let results = json(&out.join("series.json"));
        assert_eq!(results["runs"].as_array().unwrap().len(), 2);
        // Two runs are too few for a word.
        assert!(results["parameters"][0]["agreement"].is_null());
        assert_eq!(results["spread"].is_null(), games.ends_with("=0"));
        assert!(out.join("best.toml").is_file() && out.join("report.html").is_file());
    }
}

#[test]
fn mistakes_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), SMALL);
    let config = config.to_str().unwrap();
    let message = |more: &[&str], code: i32| {
        let output = run(&[&["tune", config], more].concat());
        assert_eq!(output.status.code(), Some(code));
        String::from_utf8(output.stderr).unwrap()
    };
    for repeat in ["0", "1", "101"] {
        let text = message(&["--repeat", repeat], 2);
        assert!(text.contains("from 2 to 100"), "{text}");
    }
    let text = message(&["--set", "series.repeat=1"], 2);
    assert!(
        text.contains("repeat 1 is out of range: 2 to 100"),
        "{text}"
    );

    // A run that another configuration has begun is not continued.
    let out = series(folder.path(), "run", &[]);
    let resolved = out.join("runs/2/resolved.toml");
    let text = std::fs::read_to_string(&resolved).unwrap();
    std::fs::write(
        &resolved,
        text.replace("generations = 4", "generations = 5"),
    )
    .unwrap();
    adopt(&out.join("runs/2"), Status::Complete);
    adopt(&out, Status::Interrupted);
    let output = run(&["resume", out.to_str().unwrap()]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("runs/2/resolved.toml") && stderr.contains("another"),
        "{stderr}"
    );
}
