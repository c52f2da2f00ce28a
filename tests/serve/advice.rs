//! Answers equal to those of the command line.

use serde_json::{Value, json};

use super::common::run_with_input;
use super::serve;

/// A player as a request and the command line name it.
struct Asked {
    player: Value,
    flags: &'static str,
    /// A file of `configs/weights`.
    weights: Option<&'static str>,
}

fn asked(player: Value, flags: &'static str) -> Asked {
    Asked {
        player,
        flags,
        weights: None,
    }
}

fn expectimax(depth: u8, flags: &'static str) -> Asked {
    asked(json!({ "name": "expectimax", "depth": depth }), flags)
}

fn of(game: &str, name: &str, flags: &'static str) -> Asked {
    asked(json!({ "name": name, "game": game }), flags)
}

#[test]
fn advice_is_that_of_the_command_line() {
    let weights = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/weights");
    let board = json!([2, 4, 8, 16, 0, 2, 0, 4, 0, 0, 2, 0, 0, 0, 0, 2]);
    let full = json!([2, 4, 2, 4, 4, 2, 4, 2, 2, 4, 2, 4, 4, 2, 4, 2]);
    let (board, full) = (json!({ "board": board }), json!({ "board": full }));
    let seeded = json!({ "board": board["board"], "seed": 5 });
    let next = json!({ "board": [3, 1, 2, 0, 6, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2], "next": 2 });
    let mut stones = vec![0; 42];
    stones[38] = 1;
    let stones = json!({ "board": stones, "to_move": 2 });
    let tuned = Asked {
        weights: Some("expectimax-depth-1.toml"),
        ..expectimax(1, "--depth 1")
    };
    let faithful = json!({ "name": "minimax-six-faithful", "depth": 2 });
    let three = "three-plus-three";
    let answered = [
        (expectimax(1, "--depth 1"), &board, false),
        (expectimax(0, "--depth 0"), &full, false),
        (expectimax(0, "--depth 0"), &board, true),
        (tuned, &board, true),
        (asked(faithful, "--depth 2"), &seeded, false),
        (asked(json!({ "name": "random" }), ""), &seeded, false),
        (
            of(three, "expectimax", "--game three-plus-three"),
            &next,
            false,
        ),
        (
            of(three, "freedom", "--game three-plus-three"),
            &next,
            false,
        ),
        (
            of("connect-four", "strings", "--game connect-four"),
            &stones,
            false,
        ),
    ];
    let three_tiles = json!({ "board": [3] });
    let third = json!({ "board": next["board"], "next": 3 });
    let refused = [
        (expectimax(0, "--depth 0"), &three_tiles, false),
        (
            of(three, "expectimax", "--game three-plus-three"),
            &third,
            false,
        ),
    ];
    let served = serve(|settings| settings.results = weights.into());
    let all = answered.iter().map(|asked| (asked, 200));
    for ((asked, position, explain), status) in all.chain(refused.iter().map(|asked| (asked, 422)))
    {
        let name = asked.player["name"].as_str().unwrap();
        let file = asked.weights.map(|file| format!("{weights}/{file}"));
        let mut arguments = vec!["advise", "--player", name];
        arguments.extend(asked.flags.split_whitespace());
        arguments.extend(file.iter().flat_map(|path| ["--weights", path]));
        if *explain {
            arguments.push("--explain");
        }
        let output = run_with_input(&arguments, position.to_string());
        assert_eq!(output.status.success(), status == 200, "{arguments:?}");
        let line = String::from_utf8(output.stdout).unwrap();
        let question = json!({
            "player": asked.player, "weights": asked.weights, "position": position, "explain": explain,
        });
        let answer = served.post("/api/advise", &question);
        assert_eq!(answer.body, line.trim_end(), "{question}");
        assert_eq!(answer.status, status, "{question}");
    }
}

/// The command line refuses such a player before its first line, and tells the number of a line.
#[test]
fn what_the_command_line_tells_in_other_words_is_refused() {
    let board = json!({ "board": [2, 4, 8, 16, 0, 2, 0, 4, 0, 0, 2, 0, 0, 0, 0, 2] });
    let served = serve(|_| ());
    let of_threes = json!({ "board": "1 2 3 6  0 0 0 0  0 0 0 0  0 0 0 0" });
    for (player, board, explain, said) in [
        (
            json!({ "name": "random" }),
            &board,
            true,
            "this player has no terms to explain",
        ),
        (
            json!({ "name": "expectimax", "game": "three-plus-three" }),
            &of_threes,
            false,
            "the next tile is missing",
        ),
    ] {
        let question = json!({ "player": player, "position": board, "explain": explain });
        let answer = served.post("/api/advise", &question);
        assert_eq!(answer.status, 422, "{question}");
        assert!(answer.error().starts_with(said), "{}", answer.body);
    }
}
