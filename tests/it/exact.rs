//! Exact values on the command line: `evaluate --exact`, `advise` with `perfect`, and the costs of moves.

use serde_json::Value;

use crate::common::{advise, campaign_file, run, stdout};

fn exact(arguments: &str) -> Value {
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let text = stdout(&[&["evaluate", "--exact", "--json", "--board"], &*arguments].concat());
    serde_json::from_str(&text).unwrap()
}

#[test]
fn perfect_play_has_the_known_expected_score() {
    let result = exact("2x3 --player perfect");
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-6;
    assert!(near(&result["exact_mean"], 480.258272), "{result}");
    assert!(near(&result["exact_share"], 1.0), "{result}");
    let result = exact("2x2 --player perfect --maximise reach:32");
    assert!(near(&result["exact_reach"]["32"], 0.082887289), "{result}");
}

#[test]
fn other_players_have_a_share_of_it_and_losses_that_add_up() {
    let result = exact("2x3 --player expectimax --depth 1 --losses");
    let number = |key: &str| result[key].as_f64().unwrap();
    assert_eq!(number("perfect_mean").round(), 480.0);
    assert!((0.5..1.0).contains(&number("exact_share")), "{result}");
    let lost = result["losses"]["points"].as_f64().unwrap();
    assert!((number("perfect_mean") - number("exact_mean") - lost).abs() < 1e-6);
    let reach = result["exact_reach"].as_object().unwrap();
    let sum: f64 = reach.values().map(|of| of.as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{result}");
    let text = stdout(&[
        "evaluate", "--board", "2x2", "--player", "greedy", "--exact", "--losses",
    ]);
    for part in [
        "of perfect play, which has 66.964149 points",
        "in a corner",
        "█",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn the_losses_are_written_as_a_report_with_charts() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("losses");
    let arguments = "evaluate --board 2x2 --player greedy --exact --losses --out";
    let arguments: Vec<&str> = arguments.split(' ').chain(out.to_str()).collect();
    let printed = stdout(&[&*arguments, &["--json"]].concat());
    let mut printed: Value = serde_json::from_str(&printed).unwrap();
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let mut written: Value = serde_json::from_str(&read("exact.json")).unwrap();
    for result in [&mut printed, &mut written] {
        result.as_object_mut().unwrap().remove("seconds");
    }
    assert_eq!(printed, written);
    let page = read("report.html");
    for part in [
        "of perfect play",
        "Losses by situation",
        "charts/losses-by-position.png",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let lines = read("charts/losses-by-situation.csv").lines().count();
    let situations = written["losses"]["situations"].as_array().unwrap();
    assert_eq!(lines, 1 + situations.len());
    // What is there is not written over.
    let again = run(&arguments);
    let message = String::from_utf8_lossy(&again.stderr);
    assert_eq!(again.status.code(), Some(2));
    assert!(message.contains("the folder is not empty"), "{message}");
}

#[test]
fn every_command_says_what_a_solution_takes_before_it_computes_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, out) = (path("rows.toml"), path("rows"));
    let rows = "name = 'rows'\nwhy = 'w'\ngames = 1\nseed = 1\n\
                [[row]]\nname = 'a'\nplayer = { name = 'perfect', board = '2x4', spawn = '2:1' }\n";
    std::fs::write(&file, rows).unwrap();
    let one_tile = "--player perfect --board 2x4 --spawn 2:1";
    let commands = [
        format!("evaluate {one_tile} --games 1"),
        format!("play {one_tile}"),
        format!("ablate {file} --dry-run"),
        format!("ablate {file} --out {out}"),
        format!("replay {out}"),
        format!("verify {out} --games 1"),
    ];
    for (number, command) in commands.iter().enumerate() {
        let cache = path(&format!("cache-{number}"));
        let arguments: Vec<&str> = command.split(' ').chain(["--cache", &cache]).collect();
        let output = run(&arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {message}");
        assert!(
            message.contains("solving 2048 on 2x4"),
            "{command}: {message}"
        );
        // Then it has it.
        let again = run(&arguments);
        let message = String::from_utf8_lossy(&again.stderr);
        assert!(!message.contains("solving"), "{command}: {message}");
    }
}

#[test]
fn advice_has_expected_scores_and_costs() {
    let lines = ["[[2,4],[4,2]]", "[[2,2],[4,8]]"].map(str::to_owned);
    let (answers, code) = advise(
        &["--player", "perfect", "--board", "2x2", "--explain"],
        &lines,
    );
    assert_eq!(code, Some(0));
    assert_eq!(answers[0]["move"], Value::Null);
    let of = |key: &str, name: &str| answers[1][key][name].as_f64();
    let best = answers[1]["move"].as_str().unwrap();
    assert_eq!(of("costs", best), Some(0.0), "{}", answers[1]);
    let (left, right) = (
        of("values", "left").unwrap(),
        of("values", "right").unwrap(),
    );
    let costs = [of("costs", "left").unwrap(), of("costs", "right").unwrap()];
    assert!(
        (left - right - (costs[1] - costs[0])).abs() < 1e-9,
        "{}",
        answers[1]
    );
    assert!(
        answers[1]["costs"].get("up").is_none(),
        "an illegal move has no cost"
    );
}

#[test]
fn what_has_no_exact_result_is_refused_with_the_reason() {
    for (arguments, said) in [
        ("--player greedy --exact", "at most 9 cells"),
        ("--player perfect --exact", "at most 9 cells"),
        ("--player snake --exact", "a built-in player of 2048"),
        ("--player greedy --losses", "--exact"),
        (
            "--player greedy --board 2x2 --exact --games 5",
            "cannot be used with",
        ),
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let output = run(&[&["evaluate"], &*arguments].concat());
        let said_so = String::from_utf8_lossy(&output.stderr).contains(said);
        assert!(
            said_so && output.status.code() == Some(2),
            "{arguments:?}: {output:?}"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("refused");
    let arguments = ["evaluate", "--player", "snake", "--exact", "--out"];
    let output = run(&[&arguments[..], &[out.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!out.exists());
}

/// A small campaign on 2x3.
const CAMPAIGN: &str = r#"
why = "exact scores"
name = "exact"
seed = 7
[player]
name = "expectimax"
depth = 0
board = "2x3"
[evaluation]
objective = "exact-score"
[optimizer]
name = "cma-es"
population = 4
[budget]
generations = 3
[validation]
games = 20
[parameters]
empty = { min = 10, max = 3000 }
merges = { min = 10, max = 5000 }
"#;

#[test]
fn a_campaign_has_the_exact_score_as_its_objective_and_beside_its_games() {
    let folder = tempfile::tempdir().unwrap();
    for (objective, name) in [("exact-score", "exact"), ("mean-score", "games")] {
        let file = campaign_file(folder.path(), &CAMPAIGN.replace("exact-score", objective));
        let out = folder.path().join(name);
        let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
        let text = stdout(&["tune", file, "--out", out, "--json"]);
        let result: Value = serde_json::from_str(&text).unwrap();
        let scores = &result["validation"]["exact"];
        let number = |key: &str| scores[key].as_f64().unwrap();
        assert!((number("perfect") - 480.258272).abs() < 1e-6, "{result}");
        if objective == "exact-score" {
            assert_eq!(result["validation"]["objective"]["tuned"], scores["tuned"]);
            assert!(number("tuned") >= number("start"), "{scores}");
        }
        let report = std::fs::read_to_string(format!("{out}/report.html")).unwrap();
        assert!(report.contains("% of perfect play"), "{objective}");
        assert!(run(&["verify", out]).status.success(), "{objective}");
    }
    let large = CAMPAIGN
        .replace("2x3", "2x4")
        .replace("depth = 0", "depth = 2");
    let file = campaign_file(folder.path(), &large);
    let refused = run(&["tune", file.to_str().unwrap(), "--dry-run"]);
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(message.contains("evaluation.exact_seconds"), "{message}");
}
