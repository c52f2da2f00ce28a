//! Past runs: the list of a folder, one run, and the games that `evaluate` keeps.

use std::path::Path;

use crate::common::{adopt, run, stdout, tiletune};
use serde_json::Value;
use tiletune::run::manifest::Status;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(&[arguments, &["--json"]].concat())).unwrap()
}

const EVALUATE: [&str; 7] = [
    "evaluate", "--player", "greedy", "--seed", "3", "--games", "40",
];

const SERIES: &str = r#"
why = "a test"
name = "small"
seed = 1
player = { name = "expectimax", depth = 0 }
evaluation = { games = 4 }
optimizer = { population = 4 }
budget = { generations = 2 }
validation = { games = 10, race_games = 10 }
parameters = { empty = {}, merges = {} }
"#;

#[test]
fn a_run_is_named_by_its_path_its_name_or_as_the_last() {
    let folder = tempfile::tempdir().unwrap();
    let at = |arguments: &[&str]| {
        let output = tiletune().current_dir(&folder).args(arguments).output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    let (code, said) = at(&["verify", "last"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("there is no run in `results`"), "{said}");
    for name in ["one", "two"] {
        let out = format!("results/{name}");
        let kept = [&EVALUATE[..], &["--out", &out]].concat();
        assert_eq!(at(&kept).0, Some(0));
    }
    for command in ["verify", "replay", "report", "resume"] {
        let (code, said) = at(&[command, "last"]);
        assert!(
            code == Some(0) && said.contains("last: results/two"),
            "{said}"
        );
        assert_eq!(at(&[command, "one"]).0, Some(0), "{command}");
    }
    // `last` is the newest run that has what the command needs.
    let (code, said) = at(&["export", "last"]);
    assert_eq!(code, Some(2));
    assert!(
        said.contains("there is no run with weights in `results`"),
        "{said}"
    );
    let tune = [
        "tune",
        "--set",
        "budget.games=200",
        "--set",
        "validation.games=20",
    ];
    assert_eq!(
        at(&[&tune[..], &["--out", "results/tuned"]].concat()).0,
        Some(0)
    );
    let kept = [&EVALUATE[..], &["--out", "results/three"]].concat();
    assert_eq!(at(&kept).0, Some(0));
    for arguments in [&["export", "last"][..], &["play", "--weights", "last"]] {
        let (code, said) = at(arguments);
        assert!(
            code == Some(0) && said.contains("last: results/tuned"),
            "{said}"
        );
    }
    assert_eq!(at(&["verify", "last", "--quiet"]), (Some(0), String::new()));
    // A path has priority.
    std::fs::create_dir(folder.path().join("one")).unwrap();
    assert_ne!(at(&["verify", "one"]).0, Some(0));
}

#[test]
fn kept_games_are_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("kept");
    let kept = json(&[&EVALUATE[..], &["--out", text(&out)]].concat());
    let played = json(&EVALUATE);
    for key in [
        "mean_score",
        "median_score",
        "max_tile",
        "moves",
        "games",
        "seed",
        "player",
    ] {
        assert_eq!(kept[key], played[key], "{key}");
    }
    assert_eq!(json(&["replay", text(&out)])["equal"], true);
    assert!(out.join("report.html").is_file());
    let shown = json(&["runs", "show", text(&out)]);
    assert_eq!(
        (&shown["kind"], &shown["state"]),
        (&"experiment".into(), &"complete".into())
    );

    let two = [
        "evaluate",
        "--game",
        "connect-four",
        "--player",
        "strings",
        "--seed",
        "3",
    ];
    let two = [&two[..], &["--games", "6", "--rows", "5", "--columns", "5"]].concat();
    let out = folder.path().join("two");
    let kept = json(&[&two[..], &["--out", text(&out)]].concat());
    assert_eq!(kept["points"], json(&two)["points"]);
    // A directory that is in use is refused before any game.
    let again = run(&[&EVALUATE[..], &["--out", text(&out)]].concat());
    assert_eq!(again.status.code(), Some(2));
}

#[test]
fn kept_games_have_the_weights_and_the_heuristic_of_the_player() {
    let folder = tempfile::tempdir().unwrap();
    let heuristic =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/heuristics/2048-anchored.toml");
    let arguments = [
        "evaluate",
        "--player",
        "expectimax",
        "--depth",
        "0",
        "--seed",
        "1",
    ];
    let arguments = [
        &arguments[..],
        &["--games", "4", "--heuristic", text(&heuristic)],
    ]
    .concat();
    let out = folder.path().join("own");
    let kept = json(&[&arguments[..], &["--out", text(&out)]].concat());
    assert_eq!(kept["mean_score"], json(&arguments)["mean_score"]);
    assert_eq!(json(&["replay", text(&out)])["equal"], true);
}

#[test]
fn runs_are_listed_with_what_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let empty = stdout(&["runs", text(root)]);
    assert!(empty.starts_with("no runs in "), "{empty}");
    stdout(&[&EVALUATE[..], &["--out", text(&root.join("kept"))]].concat());
    let file = root.join("small.toml");
    std::fs::write(&file, SERIES).unwrap();
    let series = root.join("series");
    stdout(&["tune", text(&file), "--repeat", "2", "--out", text(&series)]);
    std::fs::create_dir(root.join("notes")).unwrap();
    let damaged = root.join("damaged");
    stdout(&[&EVALUATE[..], &["--out", text(&damaged)]].concat());
    std::fs::write(damaged.join("manifest.json"), "{").unwrap();
    let cut = root.join("cut");
    stdout(&[&EVALUATE[..], &["--out", text(&cut)]].concat());
    std::fs::write(cut.join("resolved.toml"), "name = [").unwrap();

    let listed = json(&["runs", text(root)]);
    let listed = listed.as_array().unwrap();
    let names = |key: &str| -> Vec<&str> {
        let mut values: Vec<&str> = listed.iter().filter_map(|one| one[key].as_str()).collect();
        values.sort_unstable();
        values
    };
    assert_eq!(names("name"), ["evaluate-greedy", "small"]);
    assert_eq!(names("kind"), ["experiment", "series"]);
    assert_eq!(names("state"), ["complete", "complete"]);
    assert!(
        listed
            .iter()
            .all(|one| one["error"].is_string() || one["bytes"].as_u64() > Some(1000))
    );
    let errors = names("error");
    assert_eq!(errors.len(), 3, "{errors:?}");
    let found = |part: &str| errors.iter().any(|error| error.contains(part));
    assert!(
        found("damaged/manifest.json") && found("cut/resolved.toml"),
        "{errors:?}"
    );
    assert!(found("notes: not a run directory"), "{errors:?}");
    let headlines = names("headline");
    assert!(
        headlines.iter().any(|words| words.contains(" -> ")),
        "{headlines:?}"
    );

    let text_of_list = stdout(&["runs", text(root)]);
    assert!(text_of_list.lines().count() >= 4 + 3, "{text_of_list}");
    let nested = json(&["runs", text(root), "--nested"]);
    let nested = nested.as_array().unwrap().iter();
    let names: Vec<&str> = nested.filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    assert!(names.contains(&"small-run-2"));
    // The folder of a series lists its runs.
    let inside = json(&["runs", text(&series)]);
    assert_eq!(inside.as_array().unwrap().len(), 2, "{inside}");

    let missing = run(&["runs", text(&root.join("nowhere"))]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn a_run_is_shown_with_its_plan_and_its_commands() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("small.toml");
    std::fs::write(&file, SERIES).unwrap();
    let out = folder.path().join("my run");
    stdout(&["tune", text(&file), "--out", text(&out)]);
    let shown = stdout(&["runs", "show", text(&out)]);
    for part in [
        "a campaign `small`, complete",
        "budget.generations = 2",
        "parameters: empty, merges",
        "tables/   ",
        "start weights: ",
        &format!("tiletune replay '{}'", text(&out)),
        &format!("tiletune verify '{}'", text(&out)),
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let json = json(&["runs", "show", text(&out)]);
    assert_eq!(json["plan"]["budget"]["generations"], 2);
    // Its process has ended without a word.
    adopt(&out, Status::Running);
    let shown = stdout(&["runs", "show", text(&out)]);
    assert!(shown.contains(", killed\n"), "{shown}");
    assert!(
        shown.contains(&format!("tiletune resume '{}'", text(&out))),
        "{shown}"
    );
    let none = run(&["runs", "show", text(folder.path())]);
    assert_eq!(none.status.code(), Some(2));
}
