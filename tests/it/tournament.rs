//! `examples/protocol_player.rs` plays the games of the built-in player, and the tournament of tuners, which drives it, keeps
//! its budgets.

#![cfg(unix)]

use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::common::{example, stdout};
use crate::external::is_there;

const CAMPAIGN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/quickstart.toml");

/// The example with the quickstart, without look-ahead.
fn player(arguments: &[&str], input: &str) -> Output {
    let mut command = example("protocol_player");
    command.args(arguments);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // It may have ended because of its arguments.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn a_player_behind_the_protocol_plays_the_same_games() {
    let folder = tempfile::tempdir().unwrap();
    let declared = player(&["--declare", CAMPAIGN], "");
    let declared = String::from_utf8(declared.stdout).unwrap();
    let program = example("protocol_player")
        .get_program()
        .to_str()
        .unwrap()
        .to_owned();
    let file = folder.path().join("program.toml");
    let command = format!("command = [{program:?}, {CAMPAIGN:?}, \"player.depth=0\"]\n");
    std::fs::write(&file, command + &declared).unwrap();
    let games = ["--games", "20", "--seed", "5", "--json"];
    let mean = |player: &[&str]| {
        let text = stdout(&[&["evaluate"], player, &games].concat());
        let result: Value = serde_json::from_str(&text).unwrap();
        result["mean_score"].as_f64().unwrap()
    };
    let heuristic = file.to_str().unwrap();
    let through = mean(&[
        "--player",
        "program",
        "--game",
        "external",
        "--heuristic",
        heuristic,
    ]);
    assert_eq!(through, mean(&["--player", "expectimax", "--depth", "0"]));
}

#[test]
fn a_player_behind_the_protocol_says_what_is_wrong() {
    let tasks = "{\"weights\": {\"empty\": 1e300}, \"seeds\": [\"1\"]}\n{\"weights\": {}, \"seeds\": [\"-1\"]}\n";
    let output = player(&[CAMPAIGN], tasks);
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["protocol"], 1);
    assert!(lines[1]["refused"].is_string(), "{lines:?}");
    assert!(lines[2]["error"].is_string(), "{lines:?}");
    let output = player(&[CAMPAIGN, "player.depht=1"], "");
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("did you mean `depth`?"), "{message}");
}

/// Entrants that need no package; the others are left out.
#[test]
fn the_tournament_of_tuners_keeps_its_budgets() {
    if !is_there(&["python3", "--version"]) {
        return;
    }
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/search/tournament/run");
    let output = std::process::Command::new("python3")
        .arg(run)
        .args(["--self-test", "--tiletune", env!("CARGO_BIN_EXE_tiletune")])
        .args([
            "--entrants",
            "mirrored,mirrored:evaluation.signal=0.5,tiletune-protected,spsa,random-halving",
        ])
        .output()
        .unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{messages}");
    assert!(!messages.contains("failed"), "{messages}");
    let tables = String::from_utf8_lossy(&output.stdout);
    assert!(tables.contains("| mirrored against | 240 |"), "{tables}");
}

#[test]
fn the_pages_of_the_tournament_have_the_tables_of_its_report() {
    if !is_there(&["python3", "--version"]) {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/search/tournament");
    let copy = tempfile::tempdir().unwrap();
    let results = copy.path().join("results.csv");
    std::fs::copy(folder.join("results.csv"), &results).unwrap();
    let report = |arguments: &[&str]| {
        let output = std::process::Command::new("python3")
            .arg(folder.join("run"))
            .args(["--report", "--cells"])
            .arg(copy.path().join("cells"))
            .arg("--results")
            .arg(copy.path())
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let report = report(&[]) + &report(&["--tasks", "I,J,K,L", "--seeds", "1-5"]);
    let page = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let (_, finding) = page.split_once("**Finding.**").unwrap();
    let is_copied = |line: &&str| {
        line.starts_with("| ") || (line.starts_with("- ") && line.contains(" games: "))
    };
    let rows: Vec<&str> = finding.lines().filter(is_copied).collect();
    assert!(rows.len() > 50, "{}", rows.len());
    // What each part of the search is worth is on the page above.
    let above = std::fs::read_to_string(folder.join("../README.md")).unwrap();
    let parts: Vec<&str> = above
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    assert!(parts.len() > 5, "{}", parts.len());
    for row in rows.into_iter().chain(parts) {
        assert!(report.lines().any(|line| line == row), "{row}");
    }
    // The report writes both again.
    let recorded = std::fs::read_to_string(folder.join("results.csv")).unwrap();
    assert_eq!(std::fs::read_to_string(results).unwrap(), recorded);
    let chart = |folder: &Path| std::fs::read_to_string(folder.join("charts/best.svg")).unwrap();
    assert_eq!(chart(copy.path()), chart(&folder));
}
