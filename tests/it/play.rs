//! `tiletune play` where nobody watches: every player's game is that of `evaluate`, and a recorded
//! game comes out as it was recorded.

use std::path::{Path, PathBuf};

use crate::common::{SMALL, adopt, campaign_file, run, stdout};
use serde_json::Value;
use tiletune::run::manifest::Status;

const PLAYERS: [(&str, &str, Option<&str>); 12] = [
    ("2048", "expectimax", Some("1")),
    ("2048", "expectimax-faithful", Some("1")),
    ("2048", "minimax-six", Some("4")),
    ("2048", "minimax-six-faithful", Some("4")),
    ("2048", "snake", Some("1")),
    ("2048", "snake-intended", Some("1")),
    ("2048", "greedy", None),
    ("2048", "random", None),
    ("three-plus-three", "expectimax", Some("1")),
    ("three-plus-three", "freedom", Some("2")),
    ("three-plus-three", "freedom-server", None),
    ("three-plus-three", "random", None),
];

fn objects(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn every_player_plays_the_game_that_evaluate_plays() {
    for (game, player, depth) in PLAYERS {
        let mut which = vec!["--game", game, "--player", player, "--seed", "5"];
        which.extend(depth.into_iter().flat_map(|depth| ["--depth", depth]));
        let with = |before: &[&str], after: &[&str]| stdout(&[before, &which, after].concat());

        let evaluated = with(&["evaluate"], &["--games", "1", "--json"]);
        let evaluated: Value = serde_json::from_str(&evaluated).unwrap();
        let score = evaluated["mean_score"].as_f64().unwrap() as u64;
        let moves = &evaluated["moves"];

        let mut lines = objects(&with(&["play"], &["--json"]));
        let result = lines.pop().unwrap()["result"].clone();
        assert_eq!(result["score"], score, "{player}");
        assert_eq!(result["moves"], *moves, "{player}");
        let tile = result["max_tile"].to_string();
        assert_eq!(evaluated["max_tile"][tile], 1, "{player}");

        let last = lines.pop().unwrap();
        assert_eq!(last["move"], Value::Null, "{player}");
        assert_eq!(last["score"], score, "{player}");
        assert_eq!(lines.len() as u64, moves.as_u64().unwrap(), "{player}");
        for (number, line) in lines.iter().enumerate() {
            assert_eq!(line["moves"], number);
            assert_eq!(line["board"].as_array().unwrap().len(), 16);
            let chosen = line["move"].as_str().unwrap();
            let value = &line["values"][chosen];
            let is_value = value.is_number() || value.is_string() || value.is_array();
            assert!(is_value, "{player}: {line}");
        }

        let text = with(&["play"], &[]);
        let end = format!(
            "score {score}, largest tile {}, {moves} moves",
            result["max_tile"]
        );
        assert_eq!(text.lines().last(), Some(&*end), "{player}");
        // A title, a line a move, nine lines of the final board, the end.
        let lines = moves.as_u64().unwrap() as usize + 11;
        assert_eq!(text.lines().count(), lines, "{player}");
        assert!(!text.contains('\x1b'), "{player}");
    }
}

#[test]
fn a_later_game_of_a_seed_can_be_chosen() {
    let evaluate = |games| {
        let arguments = ["evaluate", "--player", "greedy", "--seed", "3", "--json"];
        let text = stdout(&[&arguments[..], &["--games", games]].concat());
        let result: Value = serde_json::from_str(&text).unwrap();
        let games = result["games"].as_f64().unwrap();
        games * result["mean_score"].as_f64().unwrap()
    };
    let last = evaluate("3") - evaluate("2");
    let arguments = ["play", "--player", "greedy", "--seed", "3", "--json"];
    let text = stdout(&[&arguments[..], &["--game-index", "2"]].concat());
    let score = &objects(&text).pop().unwrap()["result"]["score"];
    assert!((score.as_f64().unwrap() - last).abs() < 1e-6);
}

/// A small run with hold-out games.
fn small_run(folder: &Path) -> PathBuf {
    let config = campaign_file(folder, SMALL);
    let out = folder.join("run");
    let (config, run) = (config.to_str().unwrap(), out.to_str().unwrap());
    let settings = [
        "--set",
        "budget.generations=3",
        "--set",
        "validation.games=20",
    ];
    stdout(&[&["tune", config, "--out", run][..], &settings].concat());
    out
}

#[test]
fn a_game_of_the_race_between_restarts_comes_out_as_recorded() {
    let folder = tempfile::tempdir().unwrap();
    // Flat fitness ends every run soon.
    let restarts = "population = 8\nrestarts = 'ipop'\nstop_rules.tolerance_fitness = 1e12";
    let text = SMALL.replace("population = 8", restarts);
    let config = campaign_file(folder.path(), &text);
    let out = folder.path().join("run");
    let (config, out) = (config.to_str().unwrap(), out.to_str().unwrap());
    let settings = [
        "budget.generations=35",
        "evaluation.games=4",
        "evaluation.games_growth=1",
        "validation.games=5",
        "validation.race_games=5",
    ];
    let settings = settings.iter().flat_map(|setting| ["--set", setting]);
    let settings: Vec<&str> = settings.collect();
    stdout(&[&["tune", config, "--out", out][..], &settings].concat());
    let arguments = ["play", "--run", out, "--finalist"];
    let text = stdout(&[&arguments[..], &["1", "--game-index", "4"]].concat());
    assert_eq!(text.lines().last(), Some("the same as recorded"));
    let output = run(&[&arguments[..], &["99"]].concat());
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("no finalist 99: there are"), "{stderr}");
}

#[test]
fn a_recorded_game_comes_out_as_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let out = small_run(folder.path());
    let out = out.to_str().unwrap();
    for which in [
        &[
            "--generation",
            "2",
            "--candidate",
            "5",
            "--game-index",
            "59",
        ][..],
        &["--generation", "0", "--candidate", "0"],
        &["--hold-out", "start", "--game-index", "19"],
        &["--hold-out", "tuned"],
    ] {
        let text = stdout(&[&["play", "--run", out], which].concat());
        assert_eq!(text.lines().last(), Some("the same as recorded"));
        let text = stdout(&[&["play", "--run", out, "--json"], which].concat());
        let result = objects(&text).pop().unwrap();
        assert_eq!(result["same"], true);
        assert_eq!(result["result"], result["recorded"]);
    }
    for (which, said) in [
        (
            &["--generation", "3", "--candidate", "0"][..],
            "there are 3",
        ),
        (&["--generation", "2", "--candidate", "8"], "has 8"),
        (
            &[
                "--generation",
                "0",
                "--candidate",
                "0",
                "--game-index",
                "60",
            ],
            "there are 60",
        ),
        (
            &["--hold-out", "tuned", "--game-index", "20"],
            "there are 20",
        ),
        (&["--hold-out", "best"], "start, tuned"),
        (&["--generation", "1"], "--candidate"),
        (&[], "which game"),
    ] {
        let output = run(&[&["play", "--run", out], which].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{which:?}: {stderr}");
        assert!(stderr.contains(said), "{which:?}: {stderr}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_game_that_comes_out_otherwise_exits_with_1() {
    let folder = tempfile::tempdir().unwrap();
    let out = small_run(folder.path());
    // Other weights under the same name play other games.
    let best = out.join("tuned.toml");
    let text = std::fs::read_to_string(&best).unwrap();
    let lines = text.lines().map(|line| {
        if line.starts_with("monotonicity =") {
            "monotonicity = 1.0"
        } else {
            line
        }
    });
    std::fs::write(&best, lines.collect::<Vec<_>>().join("\n")).unwrap();
    adopt(&out, Status::Complete);
    let output = run(&[
        "play",
        "--run",
        out.to_str().unwrap(),
        "--hold-out",
        "tuned",
    ]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("differs from its record: score "),
        "{stderr}"
    );
}

#[test]
fn without_options_it_is_the_first_game_of_expectimax() {
    let shown = stdout(&["play"]);
    let asked = [
        "play",
        "--player",
        "expectimax",
        "--depth",
        "1",
        "--seed",
        "1",
    ];
    assert_eq!(shown, stdout(&asked));
    assert_eq!(shown, stdout(&["play", "--depth", "1"]));
}

#[test]
fn what_is_no_game_exits_with_2() {
    for arguments in [
        &["--player", "nobody"][..],
        &["--player", "random", "--depth", "1"],
        &["--player", "random", "--speed", "0"],
        &["--player", "random", "--run", "."],
        &["--player", "random", "--candidate", "1"],
        &["--game", "connect-four"],
        &["--run", "no-such-run", "--hold-out", "start"],
        &["--run", ".", "--hold-out", "start", "--seed", "1"],
    ] {
        let output = run(&[&["play"], arguments].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
    }
}

#[test]
fn games_go_on_from_given_positions() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("boards.txt");
    let file = file.to_str().unwrap();
    // A board on four lines, one on a line with an id, and one as hexadecimal ranks.
    let boards = "2 4 8 16\n0 0 2 4\n0 0 0 2\n0 0 0 0\n\n\
                  {\"id\":\"late\",\"board\":[1024,512,256,2,0,0,0,0,0,0,0,0,0,0,0,2]}\n1212212112122121\n";
    std::fs::write(file, boards).unwrap();
    let depth = ["--player", "expectimax", "--depth", "0"];
    let evaluate = ["evaluate", "--positions", file, "--seed", "4", "--json"];
    let results = stdout(&[&evaluate, &depth[..], &["--games", "30"]].concat());
    let results: Value = serde_json::from_str(&results).unwrap();
    let positions = results["positions"].as_array().unwrap();
    let of = |key: &str| {
        positions
            .iter()
            .map(|of| of[key].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("line"), [1, 6, 7]);
    assert_eq!(of("id"), [Value::Null, "late".into(), Value::Null]);
    assert_eq!(of("games"), [30, 30, 30]);
    assert_eq!(
        (results["games"].as_u64(), &results["partial"]),
        (Some(90), &false.into())
    );
    // The last board has no move.
    assert_eq!(positions[2]["mean_score"], 0.0);
    let mean = |index: usize| positions[index]["mean_score"].as_f64().unwrap();
    let all = results["mean_score"].as_f64().unwrap();
    assert!(((mean(0) + mean(1)) / 3.0 - all).abs() < 1e-6);
    assert!(mean(0) > 0.0 && mean(0) != mean(1));

    // `play` shows such a game: the first game of the first board.
    let one = stdout(&[&evaluate, &depth[..], &["--games", "1", "--threads", "1"]].concat());
    let one: Value = serde_json::from_str(&one).unwrap();
    let board = "2 4 8 16\n0 0 2 4\n0 0 0 2\n0 0 0 0";
    let play = ["play", "--position", board, "--seed", "4", "--json"];
    let mut lines = objects(&stdout(&[&play, &depth[..]].concat()));
    let result = lines.pop().unwrap()["result"].clone();
    assert_eq!(
        result["score"].as_f64(),
        one["positions"][0]["mean_score"].as_f64()
    );
    assert_eq!(
        lines[0]["board"].to_string(),
        "[2,4,8,16,0,0,2,4,0,0,0,2,0,0,0,0]"
    );
    assert_eq!(lines[0]["score"], 0);

    // Four in a row: each position from both sides.
    std::fs::write(file, "121212\n44\n").unwrap();
    let four = [
        "--game",
        "connect-four",
        "--player",
        "strings",
        "--opponent",
        "random",
    ];
    let results = stdout(&[&evaluate, &four[..], &["--games", "10"]].concat());
    let results: Value = serde_json::from_str(&results).unwrap();
    assert!(
        results["positions"][0]["wins"].as_u64() >= Some(5),
        "{results}"
    );

    for (boards, said) in [
        ("44\n\n49\n", "line 3: move 2, `9`, is not a column"),
        ("\n\n", "there is no position in it"),
    ] {
        std::fs::write(file, boards).unwrap();
        let output = run(&[&evaluate, &four[..]].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2));
        assert!(error.contains(said), "{error}");
    }
}
