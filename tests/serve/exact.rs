//! Exact results in the pages: losses against perfect play, and solutions that a request waits for.

use serde_json::{Value, json};

use super::common::stdout;
use super::lab::events;
use super::serve;

#[test]
fn losses_are_those_of_evaluate_and_their_positions_can_be_asked_about() {
    let served = serve(|_| {});
    let player = json!({ "name": "greedy", "board": "2x2" });
    let sent = events(&served.post("/api/losses", &json!({ "client": "a", "player": player })));
    let (name, found) = sent.last().unwrap();
    assert_eq!(name, "losses");
    let printed = "evaluate --player greedy --board 2x2 --exact --losses --json";
    let printed = stdout(&printed.split(' ').collect::<Vec<_>>());
    let printed: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(found["exact_mean"], printed["exact_mean"]);
    assert_eq!(found["situations"], printed["losses"]["situations"]);
    let first = &found["positions"][0];
    assert_eq!(first["loss"], printed["losses"]["positions"][0]["loss"]);
    assert_eq!(first["grid"]["cells"].as_array().unwrap().len(), 4);
    let question = json!({ "player": player, "position": first["position"], "costs": true });
    let answer = served.post("/api/advise", &question).json();
    assert_eq!(answer["move"], first["chosen"]);
    let cost = answer["costs"][first["chosen"].as_str().unwrap()]
        .as_f64()
        .unwrap();
    assert!(
        (cost - first["loss"].as_f64().unwrap()).abs() < 1e-9,
        "{answer}"
    );
    // A board that is too large is refused with the reason.
    let large = json!({ "client": "a", "player": { "name": "greedy" } });
    let sent = events(&served.post("/api/losses", &large));
    assert_eq!(sent[0].0, "failed");
    let reason = sent[0].1["error"].as_str().unwrap();
    assert!(reason.contains("at most 9 cells"), "{reason}");
}

#[test]
fn a_request_that_needs_a_solution_is_told_how_far_it_is() {
    let served = serve(|_| {});
    let player = json!({ "name": "perfect", "board": "2x4", "spawn": "2:1", "first_tiles": 1 });
    let position = json!({ "board": [2, 0, 0, 0, 0, 0, 0, 2] });
    let question = json!({ "player": player, "position": position });
    let mut waited = 0;
    let answer = loop {
        let answer = served.post("/api/advise", &question);
        if answer.status != 503 {
            break answer.json();
        }
        let told = answer.json();
        assert_eq!(told["preparing"], json!(true));
        let words = told["error"].as_str().unwrap();
        assert!(words.starts_with("solving 2048 on 2x4"), "{words}");
        waited += 1;
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    assert!(
        waited > 0,
        "the first request does not wait for the solution"
    );
    assert!(answer["values"]["left"].as_f64().unwrap() > 0.0, "{answer}");
}
