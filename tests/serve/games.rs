//! Whole games by HTTP.

use serde_json::{Value, json};
use tiletune::config::weights_file::published;
use tiletune::player::Players;
use tiletune::random::Stream;
use tiletune::{Catalogue, GameResult, PlayerConfig, Stop};

use super::{Served, serve};
use crate::player::STACKER;
use crate::rules::STACKS;

/// Plays a game by HTTP to its end: every move is the one that the player is asked for. Returns the moves.
fn played_by_http(served: &Served, player: &Value, seed: u64) -> (String, Value) {
    let mut moves = String::new();
    loop {
        let state = served.after(player, Some(seed), &moves);
        if !state["ended"].is_null() {
            return (moves, state);
        }
        let question = json!({ "player": player, "position": state["position"] });
        let chosen = served.post("/api/advise", &question).json()["move"].clone();
        let chosen = chosen
            .as_str()
            .map_or_else(|| chosen.to_string(), str::to_owned);
        let names = state["moves"].as_array().unwrap();
        let place = names.iter().position(|name| *name == chosen).unwrap();
        moves.push(char::from_digit(place as u32, 36).unwrap());
    }
}

#[test]
fn whole_games_are_those_of_play_and_a_move_taken_back_repeats() {
    let served = serve(|_| {});
    let games = [
        json!({ "name": "greedy", "game": "2048" }),
        json!({ "name": "expectimax", "depth": 1, "board": "2x3", "spawn": "2:0.8,4:0.2", "first_tiles": 3 }),
        json!({ "name": "expectimax", "game": "three-plus-three", "depth": 0 }),
        json!({ "name": "strings", "game": "connect-four", "depth": 1, "opponent": "strings", "opponent_depth": 1 }),
        json!({ "name": "strings", "game": "connect-four", "depth": 2, "opponent": "strings", "opponent_depth": 2, "rows": 5, "columns": 6 }),
    ];
    for (player, seed) in games.iter().zip(7..) {
        let (moves, state) = played_by_http(&served, player, seed);
        let config: PlayerConfig = serde_json::from_value(player.clone()).unwrap();
        let spec = Catalogue::builtin().player(&config).unwrap();
        let of_play = spec.players().game_seed(seed, Stream::Evaluate, 0, 0);
        let record = spec
            .build(&published(&spec))
            .unwrap()
            .play(of_play, Stop::never())
            .unwrap();
        assert_eq!(record.moves as usize, moves.len(), "{player}");
        if let GameResult::Score {
            score, max_tile, ..
        } = record.result
        {
            assert_eq!(state["counts"]["score"], score);
            assert_eq!(state["counts"]["max_tile"], json!(max_tile));
            assert_eq!(state["ended"], json!({ "how": "no-move" }));
        } else {
            assert!(Players::moves_first(of_play));
            let outcome = match (state["ended"]["how"].as_str(), &state["ended"]["by"]) {
                (Some("drawn"), _) => "draw",
                (_, by) if *by == 1 => "win",
                _ => "loss",
            };
            assert_eq!(record.outcome().unwrap().name(), outcome, "{player}");
        }
        // What is asked in between does not matter.
        for made in [0, 1, moves.len() / 2, moves.len() - 1] {
            let before = served.after(player, Some(seed), &moves[..made]);
            let other = before["legal"]
                .as_array()
                .unwrap()
                .iter()
                .rposition(|is_legal| *is_legal == true);
            let other = char::from_digit(other.unwrap() as u32, 36).unwrap();
            served.after(player, Some(seed), &format!("{}{other}", &moves[..made]));
            assert_eq!(before, served.after(player, Some(seed), &moves[..made]));
        }
        assert_eq!(state, served.after(player, Some(seed), &moves));
        let refused = served.post(
            "/api/games",
            &json!({ "player": player, "seed": seed, "moves": format!("{moves}0") }),
        );
        assert!(
            refused.status == 422 && refused.error().contains("the game is over"),
            "{refused:?}"
        );
    }
}

#[test]
fn a_move_says_what_moved_where() {
    let served = serve(|_| {});
    for player in [
        json!({ "name": "greedy" }),
        json!({ "name": "greedy", "board": "3x4" }),
        json!({ "name": "random", "game": "three-plus-three" }),
    ] {
        let (moves, _) = played_by_http(&served, &player, 3);
        let texts = |state: &Value| -> Vec<String> {
            let cells = state["grid"]["cells"].as_array().unwrap().iter();
            cells
                .map(|cell| cell["text"].as_str().unwrap().to_owned())
                .collect()
        };
        let mut before = texts(&served.after(&player, Some(3), ""));
        for made in 1..=moves.len().min(60) {
            let state = served.after(&player, Some(3), &moves[..made]);
            let after = texts(&state);
            let pairs: Vec<[usize; 2]> = serde_json::from_value(state["moved"].clone()).unwrap();
            let appeared: Vec<usize> = serde_json::from_value(state["appeared"].clone()).unwrap();
            // The sum of the tiles in each cell after the motion is what the cell shows.
            let mut sums = vec![0; before.len()];
            for (cell, text) in before
                .iter()
                .enumerate()
                .filter(|(_, text)| !text.is_empty())
            {
                let to = pairs
                    .iter()
                    .find(|[from, _]| *from == cell)
                    .map_or(cell, |[_, to]| *to);
                sums[to] += text.parse::<u32>().unwrap();
            }
            assert_eq!(appeared.len(), 1);
            assert_eq!(sums[appeared[0]], 0);
            for cell in (0..before.len()).filter(|cell| *cell != appeared[0]) {
                let shown = if sums[cell] == 0 {
                    String::new()
                } else {
                    sums[cell].to_string()
                };
                assert_eq!(after[cell], shown, "{state}");
            }
            before = after;
        }
    }
}

#[test]
fn games_that_there_are_not_are_refused() {
    let served = serve(|_| {});
    for (asked, said) in [
        (
            json!({ "player": { "name": "greedy" } }),
            "every game has a seed",
        ),
        (
            json!({ "player": { "name": "greedy" }, "seed": 1, "moves": "9" }),
            "move 1 (`9`) is illegal; legal moves: ",
        ),
        (
            json!({ "player": { "name": "greedy" }, "seed": 1, "moves": "é" }),
            "move 1 (`é`) is illegal",
        ),
        (
            json!({ "player": { "name": "greedy" }, "seed": -1 }),
            "invalid value",
        ),
        (
            json!({ "player": { "name": "gredy" }, "seed": 1 }),
            "did you mean `greedy`",
        ),
        (
            json!({ "player": { "name": "program", "game": "external" }, "seed": 1 }),
            "are not served",
        ),
        (
            json!({ "player": { "name": "random", "game": "connect-four", "rows": 9, "columns": 9 } }),
            "too large",
        ),
        (
            json!({ "player": { "name": "random", "game": "connect-four" }, "moves": "0000000" }),
            "move 7 (`1`) is illegal",
        ),
        (
            json!({ "player": { "name": "greedy" }, "seed": 1, "else": 1 }),
            "unknown field `else`",
        ),
    ] {
        let answer = served.post("/api/games", &asked);
        assert_eq!(answer.status, 422, "{answer:?}");
        assert!(answer.error().contains(said), "{answer:?}");
    }
    let games = served.get("/api/games").json();
    let tiles = |game: usize| games[game]["tiles"].as_array().unwrap().len();
    let names: Vec<&Value> = games
        .as_array()
        .unwrap()
        .iter()
        .map(|game| &game["name"])
        .collect();
    assert_eq!(names, ["2048", "three-plus-three", "connect-four"]);
    assert_eq!([tiles(0), tiles(1), tiles(2)], [15, 15, 2]);
}

#[test]
fn a_game_of_ones_own_has_the_pages() {
    let catalogue = Catalogue::new([&STACKS], [&STACKER]);
    let spec = catalogue
        .player(&PlayerConfig::new("stacker", None))
        .unwrap();
    let served = serve(|settings| settings.catalogue = catalogue);
    let games = served.get("/api/games").json();
    assert_eq!(games[0]["name"], "stacks");
    // Positions without a `board` are not set up by taps.
    assert_eq!(games[0]["tiles"], json!([]));
    assert_eq!(games[0]["players"][0]["has_weights"], true);

    let player = json!({ "name": "stacker" });
    let (moves, state) = played_by_http(&served, &player, 7);
    let of_play = spec.players().game_seed(7, Stream::Evaluate, 0, 0);
    let built = spec.build(&published(&spec)).unwrap();
    let record = built.play(of_play, Stop::never()).unwrap();
    assert_eq!(record.moves as usize, moves.len());
    assert_eq!(state["counts"]["score"].as_u64(), record.score());
    assert_eq!(state["control"], "columns");
    assert_eq!(state["grid"]["cells"].as_array().unwrap().len(), 32);

    let (full, empty) = ([1, 2, 1, 2, 1, 2, 1, 2], [0; 8]);
    let columns = [full, full, full, [0, 1, 0, 0, 0, 0, 0, 0]];
    let wrong = [
        (
            json!({ "columns": columns, "cards": [1, 1] }),
            "column 4 has a free place",
        ),
        (
            json!({ "columns": columns, "cards": [1, 0] }),
            "the next two cards",
        ),
        (
            json!({ "columns": columns, "cards": [41, 1] }),
            "41 is no rank of a card",
        ),
        (json!({ "cards": [1, 1] }), "missing field `columns`"),
    ];
    for (position, said) in wrong {
        let question = json!({ "player": player, "position": position });
        let answer = served.post("/api/advise", &question);
        assert_eq!(answer.status, 422, "{answer:?}");
        assert!(answer.error().contains(said), "{answer:?}");
    }
    let position = json!({ "columns": [full, full, full, empty], "cards": [2, 1] });
    let question = json!({ "player": player, "position": position });
    let answer = served.post("/api/advise", &question).json();
    let legal = |of: &str| !answer["values"][of].is_null();
    assert_eq!(["1", "2", "3", "4"].map(legal), [true; 4]);
}
