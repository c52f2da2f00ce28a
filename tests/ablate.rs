//! `tiletune ablate` as a user meets it: the run directory, what is published, and the studies of
//! this repository.

mod common;

use std::path::{Path, PathBuf};

use common::{contents, run, stdout};
use serde_json::Value;

const SMALL: &str = "why = 'to see'
name = 'small'
seed = 7
games = 30
tile = 64
baseline = 'combined'
reference = 'counts.csv'
published = 'counts.csv'

[player]
name = 'minimax-six'
depth = 2

[[row]]
name = 'empty, alone'
values = { smooth = 0, mono = 0, max_level = 0 }
reference = 'elsewhere'
published = 'elsewhere'

[[row]]
name = 'combined'
";

const COUNTS: &str =
    "# made up\nrow,log2_max_tile,games\nelsewhere,7,30\nelsewhere,8,60\nelsewhere,9,10\n";

/// An experiment in a folder of its own.
fn experiment(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("experiment.toml");
    std::fs::write(&path, text).unwrap();
    std::fs::write(folder.join("counts.csv"), COUNTS).unwrap();
    path
}

fn ablate(config: &Path, out: &Path, more: &[&str]) -> std::process::Output {
    let (config, out) = (config.to_str().unwrap(), out.to_str().unwrap());
    run(&[&["ablate", config, "--out", out], more].concat())
}

#[test]
fn an_experiment_leaves_a_whole_run_directory() {
    let folder = tempfile::tempdir().unwrap();
    let config = experiment(folder.path(), SMALL);
    let out = folder.path().join("run");
    let output = ablate(&config, &out, &["--json", "--publish"]);
    let results: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(results["rows"][0]["games"], 30);
    assert_eq!(results["rows"][0]["agreement"]["reference_games"], 100);
    assert_eq!(results["rows"][0]["comparison"]["comparisons"], 1);
    assert_eq!(results["rows"][1]["comparison"], Value::Null);
    assert_eq!(
        std::fs::read_to_string(out.join("config.toml")).unwrap(),
        SMALL
    );
    let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    assert!(manifest.contains("\"status\": \"complete\""), "{manifest}");
    for chart in ["overlay", "rows", "reach", "difference"] {
        for extension in ["svg", "png", "csv"] {
            let name = format!("charts/{chart}.{extension}");
            let made = std::fs::read(out.join(&name)).unwrap();
            assert_eq!(made, std::fs::read(folder.path().join(&name)).unwrap());
        }
    }
    for name in ["report.md", "results.csv", "timing.csv"] {
        assert!(folder.path().join(name).is_file(), "{name}");
    }
    let csv = std::fs::read_to_string(out.join("results.csv")).unwrap();
    assert!(csv.contains("\n\"empty, alone\",30,"), "{csv}");
    // A row is the games of `evaluate`.
    let evaluated = stdout(&[
        "evaluate",
        "--player",
        "minimax-six",
        "--depth",
        "2",
        "--games",
        "30",
        "--seed",
        "7",
        "--json",
    ]);
    let evaluated: Value = serde_json::from_str(&evaluated).unwrap();
    assert_eq!(evaluated["mean_score"], results["rows"][1]["mean_score"]);
}

#[test]
fn the_directory_of_an_experiment_is_no_run_to_report_or_resume() {
    let folder = tempfile::tempdir().unwrap();
    let config = experiment(folder.path(), SMALL);
    let out = folder.path().join("run");
    assert!(ablate(&config, &out, &["--quiet"]).status.success());
    for command in ["report", "resume"] {
        let output = run(&[command, out.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(
            stderr.contains("the directory of an experiment"),
            "{stderr}"
        );
    }
}

#[test]
fn results_do_not_depend_on_threads_and_resolve_again() {
    let folder = tempfile::tempdir().unwrap();
    let config = experiment(folder.path(), SMALL);
    let (one, three) = (folder.path().join("one"), folder.path().join("three"));
    assert!(ablate(&config, &one, &["--threads", "1"]).status.success());
    let resolved = one.join("resolved.toml");
    assert!(
        ablate(&resolved, &three, &["--threads", "3"])
            .status
            .success()
    );
    for name in [
        "resolved.toml",
        "results.json",
        "results.csv",
        "report.md",
        "charts/rows.svg",
        "tables/games/row-000.parquet",
        "tables/games/row-001.parquet",
    ] {
        let [one, three] = [&one, &three].map(|run| std::fs::read(run.join(name)).unwrap());
        assert_eq!(one, three, "{name}");
    }
    assert!(!ablate(&config, &one, &[]).status.success(), "written over");
}

#[test]
fn a_mistake_is_told_with_its_place_and_makes_nothing() {
    for (from, to, said) in [
        ("games = 30", "gams = 30", "did you mean `games`?"),
        ("mono = 0", "mno = 0", "experiment.toml:16:"),
        (
            "reference = 'elsewhere'",
            "reference = 'elswhere'",
            "did you mean `elsewhere`?",
        ),
        ("'counts.csv'", "'nowhere.csv'", "nowhere.csv"),
        ("depth = 2", "depth = 1", "experiment.toml:12:1"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let config = experiment(folder.path(), &SMALL.replace(from, to));
        let before = contents(folder.path());
        let output = ablate(&config, &folder.path().join("run"), &[]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(said), "`{said}` is not in: {stderr}");
        assert_eq!(contents(folder.path()), before);
    }
}

#[test]
fn what_is_set_is_not_published() {
    let folder = tempfile::tempdir().unwrap();
    let config = experiment(folder.path(), SMALL);
    let out = folder.path().join("run");
    let output = ablate(&config, &out, &["--set", "games=5", "--publish"]);
    assert_eq!(output.status.code(), Some(2));
    let output = ablate(&config, &out, &["--set", "games=5"]);
    assert!(output.status.success());
    assert!(!folder.path().join("charts").exists());
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("p (Holm)"), "{table}");
}

/// The seed was in the file before the first run; the reference is that of an independent
/// implementation.
#[test]
fn the_single_heuristic_study_agrees_with_its_reference_and_a_wrong_feature_does_not() {
    let text = include_str!("../experiments/single-heuristic/experiment.toml");
    let wrong = text.replace("depth = 6", "depth = 6\nsmooth_form = \"intended\"");
    let folder = tempfile::tempdir().unwrap();
    for name in ["published.csv", "reference.csv"] {
        let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/single-heuristic");
        std::fs::copy(study.join(name), folder.path().join(name)).unwrap();
    }
    let p_of_smooth = |text: &str, name: &str| {
        let config = experiment(folder.path(), text);
        let output = ablate(&config, &folder.path().join(name), &["--json"]);
        let results: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = results["rows"].as_array().unwrap().clone();
        let p = |row: &Value| row["agreement"]["p_holm"].as_f64().unwrap();
        (p(&rows[0]), rows.iter().map(p).fold(1.0, f64::min))
    };
    let (_, smallest) = p_of_smooth(text, "right");
    assert!(smallest > 0.01, "{smallest}");
    let (smooth, _) = p_of_smooth(&wrong, "wrong");
    assert!(smooth < 0.01, "{smooth}");
}
