//! The laboratory: its answers agree with each other and with those of the command line.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::common::{run, stdout};
use super::{Answer, Served, serve};

/// A position with several merges, whose moves differ.
const BOARD: [u32; 16] = [2, 4, 8, 16, 4, 64, 32, 8, 2, 8, 16, 4, 0, 2, 2, 0];

fn setting(depth: u8, values: &Value) -> Value {
    json!({ "player": { "name": "expectimax", "depth": depth }, "values": values })
}

fn values(served: &Served, setting: &Value, more: &[(&str, Value)]) -> Answer {
    let mut body = json!({ "client": "a", "setting": setting, "position": { "board": BOARD } });
    for (key, value) in more {
        body[*key] = value.clone();
    }
    served.post("/api/lab/values", &body)
}

fn by_move(moves: &Value) -> BTreeMap<String, Value> {
    let moves = moves.as_array().unwrap().iter();
    let pair = |one: &Value| {
        (
            one["name"].as_str().unwrap().to_owned(),
            one["value"].clone(),
        )
    };
    moves.map(pair).collect()
}

#[test]
fn values_are_those_of_the_weights_file_that_the_page_writes() {
    let served = serve(|_| {});
    let changed = json!({ "empty": 900.0, "monotonicity_power": 3.5, "corner": 4000.0 });
    for depth in [0, 1] {
        let setting = setting(depth, &changed);
        let written = served.post("/api/lab/weights", &json!({ "setting": setting }));
        let text = written.json()["toml"].as_str().unwrap().to_owned();
        std::fs::write(served.folder.path().join("results/mine.toml"), text).unwrap();
        let question = json!({
            "player": { "name": "expectimax", "depth": depth },
            "weights": "mine.toml",
            "position": { "board": BOARD },
            "explain": true,
        });
        let advised = served.post("/api/advise", &question).json();
        let found = values(&served, &setting, &[]).json();
        assert_eq!(found["best"], advised["move"]);
        assert_eq!(found["evaluation"], advised["evaluation"]);
        let expected: BTreeMap<String, Value> =
            serde_json::from_value(advised["values"].clone()).unwrap();
        assert_eq!(by_move(&found["moves"]), expected);
        let best = expected[found["best"].as_str().unwrap()].as_f64().unwrap();
        for one in found["moves"].as_array().unwrap() {
            let relative = one["value"].as_f64().map(|value| value - best);
            assert_eq!(one["relative"].as_f64(), relative);
        }
        for term in found["terms"].as_array().unwrap() {
            for (name, points) in term["points"].as_object().unwrap() {
                assert_eq!(
                    advised["terms"][name][term["name"].as_str().unwrap()],
                    *points
                );
            }
        }
        let published = values(&served, &self::setting(depth, &json!({})), &[]).json();
        assert_ne!(published["moves"], found["moves"], "the weights matter");
    }
}

#[test]
fn the_heat_map_adds_up_to_the_terms_of_the_move() {
    let served = serve(|_| {});
    let setting = setting(0, &json!({ "smoothness": 40.0, "corner": 300.0 }));
    let heat = [("heat", json!(true)), ("after", json!("left"))];
    let found = values(&served, &setting, &heat).json();
    let places = found["heat"]["terms"].as_array().unwrap();
    assert_eq!(places.len(), found["terms"].as_array().unwrap().len());
    let sum = |of: &Value| -> f64 {
        of.as_array()
            .unwrap()
            .iter()
            .map(|one| one.as_f64().unwrap())
            .sum()
    };
    for (term, place) in found["terms"].as_array().unwrap().iter().zip(places) {
        let points = term["points"]["left"].as_f64().unwrap();
        let near = |other: f64| (points - other).abs() <= 1e-6 * points.abs().max(1.0);
        assert!(near(place["points"].as_f64().unwrap()), "{term} {place}");
        assert!(near(sum(&place["cells"])), "{term} {place}");
    }
    assert_eq!(found["heat"]["grid"]["cells"].as_array().unwrap().len(), 16);
    let here = values(&served, &setting, &[("heat", json!(true))]).json();
    assert_ne!(here["heat"], found["heat"]);
    let illegal = values(
        &served,
        &setting,
        &[("heat", json!(true)), ("after", json!("x"))],
    );
    assert_eq!(illegal.json()["heat"], Value::Null);
}

#[test]
fn another_move_is_best_where_the_move_flips() {
    let served = serve(|_| {});
    let mut flips = 0;
    let now = values(&served, &setting(0, &json!({})), &[]).json()["best"].clone();
    for key in [
        "empty",
        "merges",
        "monotonicity",
        "rank_sum_power",
        "corner",
    ] {
        let body = json!({
            "client": "a",
            "setting": setting(0, &json!({})),
            "position": { "board": BOARD },
            "key": key,
        });
        let found = served.post("/api/lab/flip", &body).json();
        assert_eq!(found["best"], now);
        let own = found["value"].as_f64().unwrap();
        for side in ["below", "above"] {
            let Some(value) = found[side]["value"].as_f64() else {
                continue;
            };
            flips += 1;
            assert!(if side == "below" {
                value < own
            } else {
                value > own
            });
            let there = values(&served, &setting(0, &json!({ key: value })), &[]).json();
            assert_eq!(there["best"], found[side]["best"]);
            assert_ne!(there["best"], now, "{key} {value}");
        }
    }
    assert!(flips >= 2, "{flips} flips");
}

/// The answer to an exercise as it is written there.
fn answer(key: &str, side: &str, value: f64) -> String {
    match key {
        "merges" => format!("`{key}` {side} 1,880"),
        "monotonicity" => format!("`{key}`, {side} {value}"),
        _ => format!("`{key}` {side} {value}"),
    }
}

/// The exercises of docs/web.md with their answers: key, side, value and move of a flip.
#[test]
fn the_positions_of_the_documentation_have_these_answers() {
    let served = serve(|_| {});
    let documented = std::fs::read_to_string("docs/web.md").unwrap();
    for (board, now, key, side, value, other) in [
        (
            "0,4,4,32, 4,16,4,4, 16,2,0,16, 256,32,4,4",
            "down",
            "monotonicity",
            "below",
            0.947,
            "up",
        ),
        (
            "0,4,4,32, 4,16,4,4, 16,2,0,16, 256,32,4,4",
            "down",
            "monotonicity_power",
            "below",
            2.14,
            "up",
        ),
        (
            "8,4,4,2, 64,16,8,4, 128,64,16,8, 256,128,64,32",
            "left",
            "merges",
            "above",
            1880.0,
            "right",
        ),
        (
            "128,64,32,8, 64,32,16,8, 32,16,8,4, 0,4,2,4",
            "left",
            "empty",
            "above",
            684.0,
            "up",
        ),
    ] {
        assert!(documented.contains(board), "{board}");
        assert!(documented.contains(&answer(key, side, value)), "{key}");
        let body = json!({
            "client": "a",
            "setting": setting(0, &json!({})),
            "position": board,
            "key": key,
        });
        let found = served.post("/api/lab/flip", &body).json();
        assert_eq!(
            (&found["best"], &found[side]["best"]),
            (&json!(now), &json!(other)),
            "{found}"
        );
        let found = found[side]["value"].as_f64().unwrap();
        assert!((found - value).abs() < value * 0.005, "{key}: {found}");
    }
}

#[test]
fn a_mistake_in_a_file_has_the_message_and_the_place_of_the_command_line() {
    let served = serve(|_| {});
    let good = std::fs::read_to_string("crates/engine/data/heuristics/2048.toml").unwrap();
    let opened = |text: &str| {
        let setting = json!({ "player": { "name": "expectimax" }, "file": text });
        served.post("/api/lab/open", &json!({ "setting": setting }))
    };
    let fine = opened(&good).json();
    assert_eq!(fine["mistake"], Value::Null, "{fine}");
    let own = served
        .post(
            "/api/lab/open",
            &json!({ "setting": setting(1, &json!({})) }),
        )
        .json();
    assert_eq!(fine["parameters"], own["parameters"]);
    let empty = &fine["parameters"].as_array().unwrap()[1];
    assert_eq!(
        (&empty["key"], &empty["value"], &empty["max"]),
        (&json!("empty"), &json!(270.0), &json!(3000.0))
    );

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    for (right, wrong) in [
        ("count(cells where r == 0)", "count(cels where r == 0)"),
        ("max = 5000.0 }", "max = 5000.0, maximum = 1.0 }"),
        ("about = ", "about "),
    ] {
        let text = good.replacen(right, wrong, 1);
        std::fs::write(&file, &text).unwrap();
        let path = file.to_str().unwrap();
        let printed = run(&["evaluate", "--games", "1", "--heuristic", path]);
        let printed = String::from_utf8_lossy(&printed.stderr).into_owned();
        let found = opened(&text).json()["mistake"].take();
        assert!(found.is_object(), "{found}");
        let place = format!("mine.toml:{}:{}", found["line"], found["column"]);
        assert!(printed.contains(&place), "{place}: {printed}");
        // The message is broken into lines there.
        let words = |text: &str| -> String {
            text.split_whitespace()
                .filter(|word| !["×", "│"].contains(word))
                .collect()
        };
        assert!(
            words(&printed).contains(&words(found["message"].as_str().unwrap())),
            "{found} {printed}"
        );
    }
}

#[test]
fn what_a_page_must_not_ask_is_refused_with_one_message() {
    let served = serve(|_| {});
    let open = |setting: Value| served.post("/api/lab/open", &json!({ "setting": setting }));
    let player = json!({ "name": "expectimax" });
    let path = "game = \"2048\"\nplayer = \"expectimax\"\nheuristic = \"/etc/passwd\"\n[weights]\n";
    let found = open(json!({ "player": player, "file": path })).json()["mistake"].take();
    assert!(
        found["message"]
            .as_str()
            .unwrap()
            .contains("is not read here"),
        "{found}"
    );
    assert_eq!(found["line"], 3);
    for (setting, said) in [
        (json!({ "player": player, "file": " " }), "is empty"),
        (
            json!({ "player": player, "file": path, "weights": "depth-1" }),
            "not both",
        ),
        (json!({ "player": { "name": "greedy" } }), "has no weights"),
        (
            json!({ "player": player, "weights": "../mine" }),
            "no weights `../mine`",
        ),
    ] {
        let refused = open(setting);
        assert!(
            refused.status >= 400 && refused.error().contains(said),
            "{refused:?}"
        );
    }
    let unknown = values(&served, &setting(0, &json!({ "emty": 1.0 })), &[]);
    assert!(
        unknown.error().contains("did you mean `empty`"),
        "{unknown:?}"
    );
    let long = values(
        &served,
        &setting(0, &json!({})),
        &[("client", json!("x".repeat(65)))],
    );
    assert!(
        long.status == 422 && long.error().contains("client"),
        "{long:?}"
    );
    let body = json!({ "client": "a", "setting": setting(0, &json!({})), "games": 1001 });
    let many = served.post("/api/lab/games", &body);
    assert!(
        many.status == 422 && many.error().contains("2 to 1000"),
        "{many:?}"
    );
}

#[test]
fn a_newer_search_of_a_page_ends_the_older_one() {
    let served = serve(|_| {});
    let deep = std::thread::scope(|scope| {
        let older = scope.spawn(|| values(&served, &setting(7, &json!({})), &[]));
        // Until the older one has begun, the newer one would be the older one.
        std::thread::sleep(std::time::Duration::from_millis(500));
        let begun = std::time::Instant::now();
        assert_eq!(values(&served, &setting(0, &json!({})), &[]).status, 200);
        let older = older.join().unwrap();
        assert!(
            begun.elapsed().as_secs() < 5,
            "the older one was not stopped"
        );
        older
    });
    assert_eq!(deep.status, 409, "{deep:?}");
}

/// The events of an answer: name and data.
pub(super) fn events(answer: &Answer) -> Vec<(String, Value)> {
    assert_eq!(answer.status, 200, "{answer:?}");
    let mut name = String::new();
    let mut found = Vec::new();
    for line in answer.body.lines() {
        if let Some(of) = line.strip_prefix("event: ") {
            name = of.to_owned();
        } else if let Some(data) = line.strip_prefix("data: ") {
            found.push((name.clone(), serde_json::from_str(data).unwrap()));
        }
    }
    found
}

#[test]
fn games_grow_and_are_those_of_evaluate() {
    let served = serve(|_| {});
    let body = json!({
        "client": "a",
        "setting": setting(0, &json!({ "monotonicity": 0.0, "merges": 0.0 })),
        "games": 40,
    });
    let events = events(&served.post("/api/lab/games", &body));
    assert!(events.len() > 1, "{events:?}");
    let (name, last) = events.last().unwrap();
    assert_eq!(
        (name.as_str(), &last["games"], &last["is_last"]),
        ("games", &json!(40), &json!(true))
    );
    let evaluated = stdout(&["evaluate", "--depth", "0", "--games", "40", "--json"]);
    let evaluated: Value = serde_json::from_str(&evaluated).unwrap();
    assert_eq!(last["start"]["mean"], evaluated["mean_score"]);
    assert_eq!(last["verdict"], "worse", "{last}");
    assert!(last["difference"]["interval"][1].as_f64().unwrap() < 0.0);
}

#[test]
fn a_recorded_game_comes_out_position_by_position() {
    let served = serve(|_| {});
    let run = served.folder.path().join("results/small");
    let campaign = served.folder.path().join("small.toml");
    std::fs::write(&campaign, super::common::SMALL).unwrap();
    stdout(&[
        "tune",
        campaign.to_str().unwrap(),
        "--out",
        run.to_str().unwrap(),
        "--quiet",
    ]);
    let asked = json!({ "client": "a", "hold_out": "tuned", "index": 3 });
    let mut events = events(&served.post("/api/runs/small/game", &asked));
    let (_, game) = events.remove(0);
    let shown = stdout(&[
        "play",
        "--run",
        run.to_str().unwrap(),
        "--hold-out",
        "tuned",
        "--game-index",
        "3",
        "--json",
    ]);
    let mut shown = super::common::records(&shown);
    let result = shown.pop().unwrap();
    assert_eq!(game["moves"], result["result"]["moves"]);
    assert_eq!(events.pop().unwrap().0, "end");
    let steps: Vec<&Value> = events
        .iter()
        .flat_map(|(_, steps)| steps.as_array().unwrap())
        .collect();
    assert_eq!(steps.len(), shown.len());
    for (number, (step, shown)) in steps.iter().zip(&shown).enumerate() {
        assert_eq!(
            (&step["move"], &step["values"]),
            (&shown["move"], &shown["values"])
        );
        assert_eq!(step["position"]["board"], shown["board"]);
        if let (Some(now), Some(before)) = (step["value"].as_f64(), number.checked_sub(1)) {
            let before = steps[before]["value"].as_f64().unwrap();
            assert_eq!(step["fell"].as_f64(), Some(before - now));
        }
    }
    // The weights of the game, as a file, give its values.
    let setting = json!({ "player": game["player"], "file": game["file"] });
    let body = json!({ "client": "a", "setting": setting, "position": steps[9]["position"] });
    let found = served.post("/api/lab/values", &body).json();
    assert_eq!(
        by_move(&found["moves"]),
        serde_json::from_value(steps[9]["values"].clone()).unwrap()
    );
    for (which, said) in [
        (json!({ "client": "a" }), "which game of the run"),
        (
            json!({ "client": "a", "hold_out": "start", "finalist": 0 }),
            "which game of the run",
        ),
    ] {
        assert!(
            served
                .post("/api/runs/small/game", &which)
                .error()
                .contains(said)
        );
    }
    let missing = served.post(
        "/api/runs/small/game",
        &json!({ "client": "a", "hold_out": "tuned", "index": 9999 }),
    );
    assert!(
        missing.body.contains("event: failed") && missing.body.contains("no game 9999"),
        "{missing:?}"
    );
}
