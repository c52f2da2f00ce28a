//! Gravity four in a row on the command line: answers against vectors from running the original
//! programs, figures that were published of them, and a game against a person.

use crate::common::{records, run, run_with_input, stdout};
use serde_json::{Value, json};

const GAME: [&str; 2] = ["--game", "connect-four"];

/// The board of the published programs.
const PUBLISHED: [&str; 4] = ["--rows", "7", "--columns", "6"];

/// Answers to the lines, and the exit code.
fn advise(arguments: &[&str], lines: &[String]) -> (Vec<Value>, Option<i32>) {
    crate::common::advise(&[&GAME[..], arguments].concat(), lines)
}

fn positions() -> Vec<Value> {
    records(include_str!("../data/connect_four_positions.jsonl"))
}

fn line(board: &Value, to_move: &Value) -> String {
    json!({"rows": 7, "columns": 6, "board": board, "to_move": to_move}).to_string()
}

#[test]
fn published_players_answer_as_the_original() {
    for (player, name) in [
        ("strings-repository", "repo"),
        ("strings-article", "article"),
    ] {
        for to_move in [1, 2] {
            let positions = positions();
            let lines: Vec<String> = positions
                .iter()
                .map(|record| line(&record["b"], &to_move.into()))
                .collect();
            let (answers, code) = advise(&["--player", player], &lines);
            assert_eq!((answers.len(), code), (111, Some(0)));
            for (record, answer) in positions.iter().zip(answers) {
                let board = record["b"].as_array().unwrap();
                let is_full = |column: u64| board[column as usize - 1] != 0;
                let ranked = record[name][to_move.to_string()].as_array().unwrap();
                let ranked: Vec<(u64, f64)> = ranked
                    .iter()
                    .map(|pair| (pair[0].as_u64().unwrap(), pair[1].as_f64().unwrap()))
                    .filter(|&(column, _)| !is_full(column))
                    .collect();
                let mut values = vec![Value::Null; 6];
                for &(column, value) in &ranked {
                    values[column as usize - 1] = json!(value);
                }
                assert_eq!(answer["values"], json!(values), "{record}");
                let first = match record["win"].as_bool() {
                    Some(true) => Value::Null,
                    _ => ranked[0].0.into(),
                };
                assert_eq!(answer["move"], first, "{record}");
                for side in [0, 1] {
                    let expected = record["score"][side].as_f64();
                    assert_eq!(answer["evaluation"][side].as_f64(), expected);
                }
            }
        }
    }
}

#[test]
fn strings_values_positions_as_the_original_does() {
    let positions = positions();
    let lines = positions
        .iter()
        .map(|record| line(&record["b"], &record["to_move"]));
    let (answers, code) = advise(&["--player", "strings"], &lines.collect::<Vec<_>>());
    assert_eq!(code, Some(0));
    for (record, answer) in positions.iter().zip(answers) {
        for side in [0, 1] {
            let expected = record["score"][side].as_f64();
            assert_eq!(answer["evaluation"][side].as_f64(), expected);
        }
        assert_eq!(answer["move"].is_null(), record["win"] == true);
    }
}

#[test]
fn perfect_answers_with_the_known_scores() {
    let records = records(include_str!("../data/connect_four_perfect.jsonl"));
    let lines = records
        .iter()
        .map(|record| line(&record["b"], &record["to_move"]));
    let (answers, code) = advise(&["--player", "perfect"], &lines.collect::<Vec<_>>());
    assert_eq!((answers.len(), code), (34, Some(0)));
    for (record, answer) in records.iter().zip(answers) {
        let scores = record["scores"].as_array().unwrap();
        for (score, value) in scores.iter().zip(answer["values"].as_array().unwrap()) {
            assert_eq!(score.as_f64(), value.as_f64(), "{record}");
        }
        let best = scores.iter().filter_map(Value::as_i64).max();
        let chosen = answer["move"].as_u64().unwrap() as usize;
        assert_eq!(scores[chosen - 1].as_i64(), best, "{record}");
    }
}

/// How often a player's first choice keeps the exact outcome, over the shared ones of the 72
/// positions of the reference.
fn optimal_choices(player: &str) -> usize {
    let records = records(include_str!("../data/connect_four_perfect.jsonl"));
    let lines = records
        .iter()
        .map(|record| line(&record["b"], &record["to_move"]));
    let (answers, _) = advise(&["--player", player], &lines.collect::<Vec<_>>());
    let keeps = |(record, answer): &(&Value, Value)| {
        let scores = record["scores"].as_array().unwrap();
        let best = scores.iter().filter_map(Value::as_i64).max().unwrap();
        let chosen = answer["move"].as_u64().unwrap() as usize;
        scores[chosen - 1].as_i64().unwrap().signum() == best.signum()
    };
    records.iter().zip(answers).filter(keeps).count()
}

#[test]
fn published_players_choose_as_well_as_was_found() {
    // Of all 72 positions the repository's player keeps the outcome in 69, the article's in 59: not
    // all of them are shared.
    assert_eq!(optimal_choices("strings-repository"), 31);
    assert_eq!(optimal_choices("strings-article"), 28);
}

#[test]
fn published_players_beat_chance_as_was_found() {
    // 50 games from either side: 50-0 twice; 49-1 and 6-42 with 2 draws. Those were played from the
    // empty board, these from openings, some of which are lost already.
    let result = |player: &str| -> Value {
        let arguments = [
            "--player",
            player,
            "--opponent",
            "random",
            "--games",
            "2000",
        ];
        let arguments = [
            &["evaluate", "--seed", "1", "--json"],
            &GAME[..],
            &PUBLISHED,
            &arguments,
        ]
        .concat();
        serde_json::from_str(&stdout(&arguments)).unwrap()
    };
    let repository = result("strings-repository");
    assert!(
        repository["points"].as_f64().unwrap() > 0.99,
        "{repository}"
    );
    assert_eq!(repository["opponent"], "random");
    let article = result("strings-article");
    let points = article["points"].as_f64().unwrap();
    assert!((0.4..0.9).contains(&points), "{article}");
}

#[test]
fn every_player_answers_on_other_boards() {
    let board = [
        [0; 7],
        [0; 7],
        [0; 7],
        [0; 7],
        [0, 0, 2, 0, 0, 0, 0],
        [1, 1, 1, 0, 2, 2, 0],
    ];
    let to_move_1 = json!({"rows": 6, "columns": 7, "board": board.concat(), "to_move": 1});
    // Five in line are needed here, and there is no winning move.
    let mut five = to_move_1.clone();
    five["connect"] = 5.into();
    let lines = [to_move_1.to_string(), five.to_string()];
    for player in ["strings", "strings-repository", "perfect", "random"] {
        // The exact solution of an almost empty board takes minutes.
        let lines = &lines[..if player == "perfect" { 1 } else { 2 }];
        let lines = if player == "perfect" {
            let mut small = json!({"rows": 4, "columns": 5, "to_move": 2});
            small["board"] = json!([&[0; 15][..], &[0, 1, 1, 2, 0]].concat());
            vec![small.to_string()]
        } else {
            lines.to_vec()
        };
        let (answers, code) = advise(&["--player", player], &lines);
        assert_eq!((answers.len(), code), (lines.len(), Some(0)), "{player}");
        for answer in &answers {
            assert!(answer["move"].is_u64(), "{player}: {answer}");
        }
        if player == "strings" {
            assert_eq!(answers[0]["move"], 4);
            assert_eq!(answers[0]["values"][3], "inf");
            assert!(answers[1]["values"][3].is_number());
        }
    }
    // A handicap, and the player who is behind to move.
    let handicap = [&[0; 36][..], &[1, 0, 1, 0, 0, 1]].concat();
    let handicap = json!({"board": handicap, "to_move": 1});
    let (answers, code) = advise(&["--player", "strings"], &[handicap.to_string()]);
    assert_eq!(code, Some(0), "{answers:?}");
}

#[test]
fn a_line_that_is_no_position_is_answered_in_its_place() {
    let empty = [0; 42];
    let mut floating = empty;
    floating[20] = 1;
    let mut three = empty;
    three[41] = 3;
    let of = |board: &[i32], to_move: i32| line(&json!(board), &json!(to_move));
    let mut large: Value = serde_json::from_str(&of(&empty, 1)).unwrap();
    large["rows"] = 20.into();
    let lines = [
        of(&empty, 1),
        of(&floating, 1),
        of(&three, 1),
        of(&empty, 0),
        of(&empty[..41], 2),
        large.to_string(),
        "four".to_owned(),
        json!({"board": empty[..]}).to_string(),
        of(&empty, 2),
    ];
    let (answers, code) = advise(&["--player", "strings"], &lines);
    assert_eq!(code, Some(2));
    let refused: Vec<bool> = answers
        .iter()
        .map(|answer| answer["error"].is_string())
        .collect();
    let expected = [false, true, true, true, true, true, true, true, false];
    assert_eq!(refused, expected, "{answers:?}");
}

#[test]
fn what_is_no_stone_and_no_side_is_told_in_the_words_of_the_game() {
    let mut board = [0; 42];
    board[41] = 300;
    let lines = [
        json!({"board": board[..], "to_move": 1}).to_string(),
        json!({"board": [0, "x"], "to_move": 1}).to_string(),
        json!({"board": board[..41], "to_move": "x"}).to_string(),
    ];
    let (answers, _) = advise(&["--player", "strings"], &lines);
    let told: Vec<&Value> = answers.iter().map(|answer| &answer["error"]).collect();
    let expected = [
        "300 is not a cell: 0 (empty), 1 or 2",
        "\"x\" is not a cell: 0 (empty), 1 or 2",
        "`to_move` is 1 or 2, not \"x\"",
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_person_plays_with_lines_of_the_input() {
    let arguments = ["play", "--player", "strings", "--depth", "4", "--human"];
    let play = |side: &str, options: &[&str], input: &str| {
        let output = run_with_input(
            &[&arguments[..], &[side], &GAME[..], options].concat(),
            input,
        );
        (
            String::from_utf8(output.stdout).unwrap(),
            output.status.code(),
        )
    };
    // The same column, then whatever is open: no plan, so the player wins.
    let input = ["nine", "6"]
        .into_iter()
        .chain(["1", "2", "3", "4", "5", "6"].into_iter().cycle().take(60))
        .collect::<Vec<_>>()
        .join("\n");
    for side in ["first", "second"] {
        let (text, code) = play(side, &[], &input);
        assert_eq!(code, Some(0), "{text}");
        assert!(
            text.starts_with("strings, depth 4: against you ("),
            "{text}"
        );
        assert!(
            text.contains("\nyour move: 1, 2, 3, 4, 5, 6, 7\n"),
            "{text}"
        );
        let last = text.lines().last().unwrap();
        assert!(last.starts_with("a win for the program, "), "{last}");
        let (text, code) = play(side, &["--json"], &input);
        assert_eq!(code, Some(0));
        let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(last["result"]["outcome"], "win");
    }
    let (text, code) = play("first", &[], "1\n");
    assert_eq!(code, Some(1));
    assert!(text.contains("\n1 1; player 2, to_move 1\n"), "{text}");
    let output = run(&["play", "--player", "random", "--human", "first"]);
    assert_eq!(output.status.code(), Some(2));
    for option in ["--opponent=random", "--opponent-depth=2", "--game-index=1"] {
        let (_, code) = play("first", &[option], "");
        assert_eq!(code, Some(2), "{option}");
    }
}

#[test]
fn a_person_is_told_what_is_no_move() {
    let arguments = ["play", "--player", "random", "--human", "first"];
    let output = run_with_input(
        &[&arguments[..], &GAME[..], &["--columns", "5"]].concat(),
        b"\xff\xfe\nsix\n6\n\n1\n",
    );
    let stderr = String::from_utf8(output.stderr).unwrap();
    let told: Vec<&str> = stderr.lines().collect();
    let [not_text, word, beyond, nothing, ended] = told[..] else {
        panic!("{stderr}");
    };
    assert!(not_text.ends_with("is not a legal move; legal moves: 1, 2, 3, 4, 5"));
    assert_eq!(
        word,
        "`six` is not a legal move; legal moves: 1, 2, 3, 4, 5"
    );
    assert_eq!(
        beyond,
        "`6` is not a legal move; legal moves: 1, 2, 3, 4, 5"
    );
    assert_eq!(
        nothing,
        "`` is not a legal move; legal moves: 1, 2, 3, 4, 5"
    );
    assert_eq!(ended, "error: stdin ended before the game");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_result_names_the_usual_opponent() {
    let arguments = [
        &["evaluate", "--player", "strings", "--seed", "1"],
        &GAME[..],
    ];
    let arguments = [&arguments.concat()[..], &["--games", "2"]].concat();
    let text = stdout(&arguments);
    let start = "strings, depth 2, against strings-repository on connect-four: 2 games, ";
    assert!(text.starts_with(start), "{text}");
    let text = stdout(&[&arguments[..], &["--json"]].concat());
    let result: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(result["opponent"], "strings-repository");
}

#[test]
fn a_watched_game_is_the_one_that_is_evaluated() {
    for (player, options) in [
        (
            "strings",
            &["--depth", "3", "--opponent", "random,strings-article"][..],
        ),
        ("strings-repository", &PUBLISHED),
        ("strings-article", &[]),
        ("perfect", &["--rows", "5", "--columns", "4"]),
        ("random", &["--connect", "5"]),
    ] {
        for games in ["2", "4"] {
            let which = [
                &GAME[..],
                &["--player", player, "--seed", "3", "--json"],
                options,
            ];
            let which = which.concat();
            let text = stdout(&[&["evaluate", "--games", games], &which[..]].concat());
            let evaluated: Value = serde_json::from_str(&text).unwrap();
            let mut moves = 0;
            let mut points = 0.0;
            for index in ["0", "1", "2", "3"].iter().take(games.parse().unwrap()) {
                let text = stdout(&[&["play", "--game-index", index], &which[..]].concat());
                let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
                moves += last["result"]["moves"].as_u64().unwrap();
                points += match last["result"]["outcome"].as_str() {
                    Some("win") => 1.0,
                    Some("draw") => 0.5,
                    _ => 0.0,
                };
                // A step a stone, the final position, the result.
                let steps = last["result"]["moves"].as_u64().unwrap() as usize;
                assert_eq!(text.lines().count(), steps + 2);
            }
            assert_eq!(evaluated["moves"], moves, "{player}");
            let games: f64 = games.parse().unwrap();
            assert_eq!(
                evaluated["points"].as_f64(),
                Some(points / games),
                "{player}"
            );
        }
    }
}
