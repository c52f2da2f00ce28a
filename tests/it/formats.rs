//! Files of older versions. `tests/data/format-1` has a run of the first format, and the heuristic file and the weights
//! file of version 0.1. It stays as it is: whoever changes a format adds a folder for the new one. It was made by
//! `tiletune tune tests/data/format-1/campaign.toml --out tests/data/format-1/run --threads 1`; its charts, report and
//! lock file were removed, because `report` makes them again.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{copy, stdout};

/// The file `name` of a format.
fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    folder.join(name)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(&[arguments, &["--json"]].concat())).unwrap()
}

/// A copy of the run of format 1.
fn run_of_format_1() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    copy(&file("format-1/run"), &run);
    (folder, run)
}

#[test]
fn a_run_of_format_1_is_shown_exported_verified_and_reported() {
    let (_folder, run) = run_of_format_1();
    let shown = json(&["runs", "show", text(&run)]);
    assert_eq!(
        shown["headline"],
        "mean score (points) 8,918 -> 6,376, worse"
    );
    let exported = stdout(&["export", text(&run), "--format", "json"]);
    let exported: Value = serde_json::from_str(&exported).unwrap();
    assert_eq!(exported["weights"]["empty"], 270.0);
    // It was copied without charts, which `verify` would miss.
    stdout(&["report", text(&run)]);
    assert!(run.join("report.html").is_file());
    stdout(&["verify", text(&run), "--games", "10", "--seed", "1"]);
    assert_eq!(json(&["replay", text(&run)])["equal"], true);
}

#[test]
fn a_weights_file_of_version_0_1_plays_the_recorded_games() {
    let weights = file("format-1/run/tuned.toml");
    assert_eq!(json(&["replay", text(&weights)])["equal"], true);
}

#[test]
fn a_heuristic_file_of_version_0_1_plays_the_recorded_games() {
    let terms = file("format-1/terms.toml");
    let fixed = ["--depth", "0", "--games", "20", "--seed", "1"];
    let played = json(&[&["evaluate", "--heuristic", text(&terms)], &fixed[..]].concat());
    assert_eq!(
        (&played["mean_score"], &played["moves"]),
        (&5543.2.into(), &7755.into())
    );
}
