//! Texts that the program prints, compared with recorded ones: help, lists, results and error messages.
//! Paths and measured times are replaced.

use std::path::Path;
use std::process::Output;

use crate::common::{SMALL, campaign_file, run, run_with_input, stdout};

const COMMANDS: [&str; 21] = [
    "man",
    "init",
    "runs",
    "worker",
    "cluster",
    "tune",
    "compare",
    "resume",
    "ablate",
    "evaluate",
    "advise",
    "play",
    "serve",
    "browser",
    "replay",
    "verify",
    "report",
    "export",
    "fingerprint",
    "list",
    "completions",
];

/// An experiment with two rows.
const EXPERIMENT: &str = "why = 'to see'
name = 'small'
seed = 7
games = 20

[player]
name = 'minimax-six'
depth = 2

[[row]]
name = 'smooth'
values = { mono = 0 }

[[row]]
name = 'combined'
";

/// The help of a command in a terminal of fixed width.
fn help(arguments: &[&str]) -> String {
    let mut command = crate::common::tiletune();
    let output = command
        .args(arguments)
        .arg("--help")
        .env("COLUMNS", "100")
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// The text with a folder replaced.
fn without_folder(text: &str, folder: &Path) -> String {
    text.replace(folder.to_str().unwrap(), "<folder>")
}

/// The lines of a text that contain none of `parts`.
fn without_lines(text: &str, parts: &[&str]) -> String {
    let lines = text.lines();
    let kept = lines.filter(|line| !parts.iter().any(|part| line.contains(part)));
    kept.collect::<Vec<_>>().join("\n")
}

/// Exit code and message of a command that fails.
fn failure(output: &Output, folder: &Path) -> String {
    let code = output.status.code().unwrap();
    assert_ne!(code, 0);
    let stderr = String::from_utf8(output.stderr.clone()).unwrap();
    format!(
        "exit code {code}\n{}",
        without_folder(stderr.trim_end(), folder)
    )
}

#[test]
fn help_texts_are_the_recorded_ones() {
    insta::assert_snapshot!("help", help(&[]));
    for command in COMMANDS {
        insta::assert_snapshot!(format!("help_{command}"), help(&[command]));
    }
}

#[test]
fn lists_are_the_recorded_ones() {
    for what in ["games", "players", "weights", "heuristics", "charts"] {
        insta::assert_snapshot!(format!("list_{what}"), stdout(&["list", what]));
    }
}

#[test]
fn results_of_evaluate_are_the_recorded_ones() {
    let evaluate = |arguments: &[&str]| {
        let text = stdout(&[&["evaluate", "--seed", "1"], arguments].concat());
        without_lines(&text, &[" games/s, "])
    };
    let one = ["--player", "expectimax", "--depth", "0", "--games", "20"];
    let two = [
        "--game",
        "connect-four",
        "--player",
        "strings",
        "--games",
        "4",
    ];
    let texts = [evaluate(&one), evaluate(&two)];
    insta::assert_snapshot!("evaluate", texts.join("\n\n"));
}

#[test]
fn the_plan_and_the_results_of_a_campaign_are_the_recorded_ones() {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), SMALL);
    let config = config.to_str().unwrap();
    let plan = stdout(&["tune", config, "--dry-run"]);
    let plan = without_lines(
        &plan,
        &[
            " games/s with ",
            "estimated time: ",
            " % ",
            "true difference",
            "|-----------------|",
        ],
    );
    insta::assert_snapshot!("tune_dry_run", plan);

    let out = folder.path().join("run");
    let out = out.to_str().unwrap();
    let output = run(&[
        "tune",
        config,
        "--set",
        "budget.generations=2",
        "--out",
        out,
    ]);
    assert!(output.status.success());
    let [results, messages] = [output.stdout, output.stderr].map(|bytes| {
        let text = String::from_utf8(bytes).unwrap();
        without_folder(&text, folder.path())
    });
    // A busy machine also prints its progress.
    let messages = without_lines(&messages, &[" left · "]);
    insta::assert_snapshot!("tune", format!("{results}\nstderr:\n{messages}"));
}

#[test]
fn a_game_and_an_analysis_are_the_recorded_ones() {
    let game = ["play", "--game", "connect-four", "--player", "strings"];
    insta::assert_snapshot!("play", stdout(&game));
    let lines = "{\"board\":[2,2,4,8,0,0,0,0,0,0,0,0,0,0,0,0]}\n{\"board\":[3]}\n";
    let advise = ["advise", "--player", "expectimax", "--depth", "1"];
    let output = run_with_input(&advise, lines);
    let answers = String::from_utf8(output.stdout.clone()).unwrap();
    let failure = failure(&output, Path::new("/"));
    insta::assert_snapshot!("advise", format!("{answers}{failure}"));
}

#[test]
fn messages_about_files_are_the_recorded_ones() {
    let folder = tempfile::tempdir().unwrap();
    let mut messages = Vec::new();
    let mut add = |command: &[&str], text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        let path = folder.path().join("file.toml");
        std::fs::write(&path, text.replace(from, to)).unwrap();
        let output = run(&[command, &[path.to_str().unwrap()]].concat());
        messages.push(failure(&output, folder.path()));
    };
    for (from, to) in [
        ("generations = 25", "generatons = 25"),
        ("population = 8", "population = \"many\""),
        ("min = 10", "min = 10\nmax = 5"),
        ("[parameters.empty]", "[parameters.emty]"),
        ("games = 200", "games = 1"),
        ("generations = 25", ""),
    ] {
        add(&["tune", "--dry-run"], SMALL, from, to);
    }
    for (from, to) in [
        ("mono = 0", "mno = 0"),
        ("games = 20", "games = 0"),
        ("'combined'", "'smooth'"),
        ("seed = 7", "seed = 7\nbaseline = 'smoth'"),
        ("name = 'small'", "name = '../small'"),
    ] {
        add(&["ablate"], EXPERIMENT, from, to);
    }
    let weights = "game = '2048'\nplayer = 'expectimax'\n[weights]\nempty = 1.0\n";
    let evaluate = [
        "evaluate",
        "--player",
        "expectimax",
        "--games",
        "1",
        "--seed",
        "1",
        "--weights",
    ];
    for (from, to) in [
        ("empty", "emty"),
        ("expectimax", "snake"),
        ("empty = 1.0", ""),
    ] {
        add(&evaluate, weights, from, to);
    }
    insta::assert_snapshot!("file_errors", messages.join("\n\n"));
}

#[test]
fn messages_about_flags_are_the_recorded_ones() {
    let messages = [
        "evaluate --player expectimaxx --games 1 --seed 1",
        "evaluate --player expectimax --games 1 --seed 1 --depth 40",
        "evaluate --player random --games 1 --seed 1 --depth 1",
        "evaluate --game connect-four --player strings --games 3 --seed 1",
        "tune --dry-run --set budget",
        "tune --dry-run --set budget.generatons=3",
        "evaluate --game connect-four",
        "play --player expectimax --human first",
        "resume no-such-run",
        "export crates/engine/data/weights/snake.toml --format c-header --out crates/engine/data/weights/snake.toml",
    ]
    .map(|line| {
        let arguments: Vec<&str> = line.split(' ').collect();
        format!(
            "$ tiletune {line}\n{}",
            failure(&run(&arguments), Path::new("\0"))
        )
    });
    insta::assert_snapshot!("flag_errors", messages.join("\n\n"));
}
