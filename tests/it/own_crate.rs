//! The program of the template crate `examples/own-crate`: every command takes its game without being told.

use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::common::example;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = example("own-crate");
    let command = command.args(arguments).current_dir(folder);
    command.stdin(Stdio::null()).output().unwrap()
}

/// What a command prints. It must not end with another code than 0.
fn stdout(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let text = stdout(folder, &[arguments, &["--json"]].concat());
    serde_json::from_str(&text).unwrap()
}

#[test]
fn every_command_knows_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let games = json(folder, &["list", "games"]);
    assert_eq!(games[0]["game"], "stacks");
    assert_eq!(games.as_array().unwrap().len(), 1);

    let tune = [
        "tune",
        "--set",
        "seed=1",
        "--set",
        "evaluation.games=20",
        "--set",
        "budget.generations=15",
        "--set",
        "validation.games=200",
    ];
    let tuned = json(folder, &tune);
    let better = &tuned["validation"]["difference"]["mean"];
    assert!(better.as_f64() > Some(0.0), "{tuned}");
    for check in [&["replay", "last"][..], &["verify", "last"]] {
        stdout(folder, check);
    }
    let evaluated = json(folder, &["evaluate", "--weights", "last:tuned"]);
    assert_eq!(evaluated["game"], "stacks");
    let header = stdout(folder, &["export", "last", "--format", "c-header"]);
    assert!(
        header.contains("static const double tiletune_upside_down = "),
        "{header}"
    );
    let shown = stdout(folder, &["play", "--run", "last", "--hold-out", "tuned"]);
    assert!(shown.ends_with("the same as recorded\n"), "{shown}");
    let steps = stdout(folder, &["play", "--json"]);
    assert!(
        steps.starts_with("{\"moves\":0,\"columns\":[[0,"),
        "{steps}"
    );
    let compared = run(
        folder,
        &["compare", "published", "last:tuned", "--seed", "1"],
    );
    assert!(
        matches!(compared.status.code(), Some(0 | 3 | 4)),
        "{compared:?}"
    );

    // What it does not have is said.
    let refused = run(folder, &["evaluate", "--game", "2048"]);
    let message = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(message.contains("there is no game `2048`"), "{message}");
}
