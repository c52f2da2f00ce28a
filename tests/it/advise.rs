//! `tiletune advise` against vectors from running the original programs: the whole way from a line
//! of JSON to a line of JSON.

use crate::common::{advise, records, run_with_input};
use serde_json::{Value, json};

/// Asks about the board of every record, checks that all are answered, and pairs them up.
fn asked(player: &str, depth: &str, records: Vec<Value>) -> Vec<(Value, Value)> {
    let position = |record: &Value| json!({ "board": record["b"] });
    asked_as(&["--player", player, "--depth", depth], records, position)
}

/// The same with any arguments and any form of a position.
fn asked_as(
    arguments: &[&str],
    records: Vec<Value>,
    position: impl Fn(&Value) -> Value,
) -> Vec<(Value, Value)> {
    let lines: Vec<String> = records
        .iter()
        .map(|record| position(record).to_string())
        .collect();
    let (answers, code) = advise(arguments, &lines);
    assert_eq!(code, Some(0));
    assert_eq!(answers.len(), records.len());
    records.into_iter().zip(answers).collect()
}

const DIRECTIONS: [&str; 4] = ["up", "down", "left", "right"];

#[test]
fn expectimax_faithful_answers_as_the_original() {
    let text = include_str!("../data/expectimax_boards.json");
    let boards: Vec<Value> = serde_json::from_str(text).unwrap();
    for limit in [1, 2] {
        let asked = asked("expectimax-faithful", &limit.to_string(), boards.clone());
        for (record, answer) in asked {
            let expected = &record["orig"][limit - 1];
            for (index, direction) in DIRECTIONS.iter().enumerate() {
                // The vectors have nine digits and 0 for an illegal move.
                let value = answer["values"][direction].as_f64().unwrap_or(0.0);
                assert_eq!(value as f32, expected[index].as_f64().unwrap() as f32);
            }
            let evaluation = answer["evaluation"].as_f64().unwrap() as f32;
            assert_eq!(evaluation, record["heur"].as_f64().unwrap() as f32);
        }
    }
}

#[test]
fn minimax_six_answers_as_the_original_without_its_faults() {
    let positions = records(include_str!("../data/minimax_six_positions.jsonl"));
    for (record, answer) in asked("minimax-six", "6", positions) {
        let expected = &record["clean6"];
        for direction in DIRECTIONS {
            let value = &expected["root"][direction.to_uppercase()];
            assert_eq!(&answer["values"][direction], value);
        }
        let chosen = expected["dir"].as_str().unwrap().to_lowercase();
        assert_eq!(answer["move"], chosen);
        assert_eq!(answer["evaluation"], record["eval"]);
    }
}

#[test]
fn minimax_six_faithful_answers_as_the_original() {
    let mut positions = records(include_str!("../data/minimax_six_positions.jsonl"));
    positions.retain(|record| record["verb6"].is_object());
    let lines: Vec<String> = positions
        .iter()
        .map(|record| {
            json!({"board": record["b"], "seed": record["verb6"]["lcg_seed"]}).to_string()
        })
        .collect();
    let (answers, code) = advise(&["--player", "minimax-six-faithful"], &lines);
    assert_eq!(code, Some(0));
    assert_eq!(answers.len(), 75);
    for (record, answer) in positions.iter().zip(&answers) {
        let expected = &record["verb6"];
        let chosen = expected["dir"].as_str().unwrap().to_lowercase();
        let (value, left) = (&expected["val"], &expected["left"]);
        assert_eq!(
            *answer,
            json!({"move": chosen, "value": value, "left": left})
        );
    }
}

#[test]
fn snake_answers_as_the_original() {
    let positions = records(include_str!("../data/snake_positions.jsonl"));
    for (record, answer) in asked("snake", "3", positions) {
        let expected = &record["d3"];
        assert_eq!(answer["move"], expected["dir"]);
        let chosen = expected["dir"].as_str().unwrap();
        assert_eq!(answer["values"][chosen], expected["score"]);
        assert_eq!(answer["evaluation"], record["score"]);
    }
}

#[test]
fn every_player_of_2048_answers_and_a_dead_board_has_no_move() {
    let dead = json!({"board": [2, 4, 2, 4, 4, 2, 4, 2, 2, 4, 2, 4, 4, 2, 4, 2]}).to_string();
    let only_left_and_right = json!({"board": [2, 0, 0, 8, 4, 0, 0, 4, 2, 0, 0, 2, 8, 0, 0, 4]});
    let lines = [dead, only_left_and_right.to_string()];
    for player in [
        "expectimax",
        "expectimax-faithful",
        "minimax-six",
        "snake",
        "snake-intended",
        "greedy",
        "random",
    ] {
        let (answers, code) = advise(&["--player", player], &lines);
        assert_eq!((answers.len(), code), (2, Some(0)), "{player}");
        assert_eq!(answers[0]["move"], Value::Null);
        for direction in DIRECTIONS {
            assert_eq!(answers[0]["values"][direction], Value::Null, "{player}");
        }
        assert_eq!(answers[1]["values"]["up"], Value::Null, "{player}");
        assert!(answers[1]["values"]["left"].is_number(), "{player}");
        assert!(answers[1]["move"].is_string(), "{player}");
    }
    let (answers, _) = advise(&["--player", "greedy"], &lines[1..]);
    let values = json!({"up": null, "down": null, "left": 12.0, "right": 12.0});
    let expected = json!({"move": "left", "values": values, "evaluation": null});
    assert_eq!(answers, [expected]);
}

const THREES: [&str; 2] = ["--game", "three-plus-three"];

#[test]
fn the_freedom_players_answer_as_the_original() {
    let positions = records(include_str!("../data/three_plus_three_positions.jsonl"));
    let by_server = records(include_str!("../data/three_plus_three_server.jsonl"));
    let from_one = ["--player", "freedom", "--count-from-one", "--depth"];
    for (arguments, records, name) in [
        ([&from_one[..], &["2"]].concat(), &positions, Some("mc2")),
        ([&from_one[..], &["3"]].concat(), &positions, Some("mc3")),
        (vec!["--player", "freedom"], &positions, Some("server3")),
        (vec!["--player", "freedom-server"], &by_server, None),
    ] {
        let position = |record: &Value| json!({"board": record["b"], "next": record["food"]});
        let arguments = [&THREES[..], &arguments].concat();
        for (record, answer) in asked_as(&arguments, records.clone(), position) {
            let expected = name.map_or(&record, |name| &record[name]);
            let mut has_freedom = false;
            for (direction, original) in DIRECTIONS.iter().zip(["top", "bottom", "left", "right"]) {
                let (value, expected) = (&answer["values"][direction], &expected["eval"][original]);
                has_freedom |= expected[1] != 0;
                if value.is_null() {
                    assert_eq!(expected[1], 0);
                    continue;
                }
                assert_eq!(value[0].as_f64(), expected[0].as_f64());
                assert_eq!(value[1].as_f64(), expected[1].as_f64());
                if expected["choice"] == *original {
                    assert_eq!(answer["move"], *direction);
                }
            }
            assert_eq!(expected["choice"] != "", has_freedom);
            assert_eq!(answer["evaluation"], Value::Null);
        }
    }
}

#[test]
fn every_player_of_three_plus_three_answers_and_a_dead_board_has_no_move() {
    // Nothing slides into a gap of a full board, and no neighbours merge.
    let dead = [1, 1, 3, 6, 1, 3, 6, 12, 3, 6, 12, 24, 6, 12, 24, 48];
    let dead = json!({"board": dead, "next": 2}).to_string();
    let merges_on_the_right = json!({
        "board": [1, 1, 3, 6, 1, 3, 6, 12, 3, 6, 12, 24, 6, 12, 48, 48], "next": 1
    });
    let no_positions = [
        json!({"board": vec![0; 16]}).to_string(),
        json!({"board": vec![20; 16], "next": 1}).to_string(),
        json!({"board": vec![3; 16], "next": 3}).to_string(),
    ];
    let lines = [&[dead, merges_on_the_right.to_string()], &no_positions[..]].concat();
    for player in ["expectimax", "freedom", "freedom-server", "random"] {
        let arguments = [&THREES[..], &["--player", player]].concat();
        let (answers, code) = advise(&arguments, &lines);
        assert_eq!((answers.len(), code), (5, Some(2)), "{player}");
        assert_eq!(answers[0]["move"], Value::Null);
        for direction in DIRECTIONS {
            assert_eq!(answers[0]["values"][direction], Value::Null, "{player}");
        }
        assert_eq!(answers[1]["values"]["up"], Value::Null, "{player}");
        for direction in ["left", "right"] {
            assert!(!answers[1]["values"][direction].is_null(), "{player}");
        }
        let is_number = answers[1]["evaluation"].is_number();
        assert_eq!(is_number, player == "expectimax");
        for answer in &answers[2..] {
            assert!(answer["error"].is_string(), "{player}: {answer}");
        }
    }
}

#[test]
fn a_line_that_is_no_position_is_answered_in_its_place() {
    let board = |tile: &str| format!(r#"{{"board":[{tile},2,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}}"#);
    let lines = [
        board("2"),
        board("48"),
        board("-2"),
        board("65536"),
        r#"{"board":[2,2]}"#.to_owned(),
        "left".to_owned(),
        String::new(),
        board("32768"),
        "2 4 8 16".to_owned(),
        "1 1".to_owned(),
    ];
    let (answers, code) = advise(&["--player", "random"], &lines);
    assert_eq!(code, Some(2));
    let refused: Vec<bool> = answers
        .iter()
        .map(|answer| answer["error"].is_string())
        .collect();
    let expected = [false, true, true, true, true, true, false, true, true];
    assert_eq!(refused, expected);
    let form = r#"a position has the form {"board":[..]}"#;
    assert_eq!(answers[4]["error"], "the board has 2 cells, not 16");
    assert_eq!(
        answers[5]["error"],
        format!(
            r#"line 6: "left" is not a tile: 0 (empty) or a power of 2 from 2 to 32768; {form}"#
        )
    );
    for (answer, line, cells) in [(7, 9, 4), (8, 10, 2)] {
        let expected = format!("line {line}: the board has {cells} cells, not 16; {form}");
        assert_eq!(answers[answer]["error"], expected);
    }
}

#[test]
fn a_board_is_read_in_every_usual_form() {
    let input = "\u{feff}{\"board\":[2,4,8,16,0,0,2,4,0,0,0,2,0,0,0,0],\"id\":{\"row\":7}}\r\n\r\n\
                 2 4 8 16\n. . 2 4\n0 0 0 2\n0 0 0 0\n\n1234001200010000\n\
                 [[2,4,8,16],[null,0,2,4],[0,0,0,2],[0,0,0,0]]\n{\"board\":\"x\",\"id\":8}\n";
    let output = run_with_input(&["advise", "--player", "expectimax", "--depth", "1"], input);
    let answers = records(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(answers.len(), 5);
    assert_eq!(answers[0]["id"]["row"], 7);
    assert_eq!(answers[4]["id"], 8);
    assert!(answers[4]["error"].is_string());
    let mut first = answers[0].clone();
    first.as_object_mut().unwrap().remove("id");
    assert!(first["move"].is_string());
    assert_eq!(answers[1..4], [&first; 3].map(Value::clone));
}

#[test]
fn a_line_of_another_form_is_told_with_its_number_and_the_form() {
    let lines = [
        r#"{"board":[1,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"next":1}"#,
        r#"{"board":[1,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"#,
        r#"{"bord":[]}"#,
    ];
    let input = lines.join("\n") + "\n";
    let output = run_with_input(
        &["advise", "--player", "random", "--game", "three-plus-three"],
        input,
    );
    let answers = records(&String::from_utf8(output.stdout).unwrap());
    assert!(answers[0]["move"].is_string());
    for (answer, start) in [
        (&answers[1], "line 2, column 43: EOF while parsing"),
        (&answers[2], "line 3, column 7: unknown field `bord`"),
    ] {
        let error = answer["error"].as_str().unwrap();
        assert!(error.starts_with(start), "{error}");
        let form = r#"a position has the form {"board":[..],"next":"#;
        assert!(error.contains(form), "{error}");
    }
    let stderr = String::from_utf8(output.stderr).unwrap();
    let sum = "2 of 3 positions are illegal; the first is in line 2";
    assert!(stderr.contains(sum), "{stderr}");
}

#[test]
fn explained_terms_add_up_to_the_static_value_of_the_position_after_the_move() {
    let before = json!({"board": [0, 2, 0, 4, 64, 0, 0, 8, 2, 2, 16, 0, 0, 0, 0, 1024]});
    let after = json!({"board": [2, 4, 0, 0, 64, 8, 0, 0, 4, 16, 0, 0, 1024, 0, 0, 0]});
    let arguments = ["--player", "expectimax", "--depth", "0", "--explain"];
    let (answers, code) = advise(&arguments, &[before.to_string(), after.to_string()]);
    assert_eq!(code, Some(0));
    let terms = answers[0]["terms"].as_object().unwrap();
    let moves: Vec<&str> = terms.keys().map(String::as_str).collect();
    assert_eq!(moves.len(), 4, "{moves:?}");
    let left = terms["left"].as_object().unwrap();
    assert!(left.contains_key("monotonicity") && !left.contains_key("smoothness"));
    let sum: f64 = left.values().map(|points| points.as_f64().unwrap()).sum();
    let value = answers[1]["evaluation"].as_f64().unwrap();
    // The tables have fixed-point values.
    assert!((sum - value).abs() < 0.1, "{sum} {value}");

    let three = json!({"board": [1, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0], "next": 1});
    let arguments = [
        "--player",
        "expectimax",
        "--game",
        "three-plus-three",
        "--explain",
    ];
    let (answers, code) = advise(&arguments, &[three.to_string()]);
    assert_eq!(code, Some(0));
    assert!(answers[0]["terms"]["left"]["empty"].is_number());
}

#[test]
fn a_player_without_terms_is_refused_before_the_first_line() {
    for (arguments, said) in [
        (
            &["--player", "greedy", "--explain"][..],
            "player `greedy` has no terms to explain (players of 2048 that have terms: expectimax)",
        ),
        (
            &["--player", "snake", "--explain=table"],
            "player `snake` has no terms to explain (players of 2048 that have terms: expectimax)",
        ),
        (
            &[
                "--game",
                "connect-four",
                "--player",
                "strings",
                "--explain=json",
            ],
            "(players of connect-four that have terms: none)",
        ),
    ] {
        let output = run_with_input(&[&["advise"], arguments].concat(), "");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(output.stdout.is_empty());
        assert!(stderr.contains(said), "{stderr}");
    }
}
