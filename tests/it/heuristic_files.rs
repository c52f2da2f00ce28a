//! Heuristic files on the command line, with a heuristic that no built-in player has.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{adopt, advise, run, stdout};
use serde_json::{Value, json};
use tiletune::run::manifest::Status;

const HEURISTIC: &str = r#"
about = "few tiles, and merges of large ones"

[[term]]
name = "lost_penalty"
doc = "value of each line"
value = "1"
constant = true
weight = { default = 200000.0, min = 0.0, max = 1000000.0 }

[[term]]
name = "empty"
doc = "number of empty cells"
value = "count(cells where r == 0)"
weight = { default = 300.0, min = 0.0, max = 3000.0 }

[[term]]
name = "large_merges"
doc = "sum of rank^power over pairs of equal neighbouring tiles"
value = "sum(tile_pairs where a == b, a^power)"
weight = { default = 20.0, min = 0.0, max = 500.0 }
parameters.power = { default = 1.5, min = 0.5, max = 3.0 }
"#;

const CAMPAIGN: &str = r#"
why = "a test"
name = "written"
seed = 4
heuristic = "my.toml"
player = { name = "expectimax", depth = 0 }
evaluation = { games = 20 }
optimizer = { population = 6 }
budget = { generations = 3 }
validation = { games = 40, resamples = 200 }
parameters = { empty = {}, large_merges = {}, large_merges_power = {} }
"#;

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn evaluate(arguments: &[&str]) -> Value {
    let shared = [
        "evaluate",
        "--json",
        "--player",
        "expectimax",
        "--depth",
        "0",
    ];
    let games = ["--games", "40", "--seed", "1"];
    serde_json::from_str(&stdout(&[&shared, &games[..], arguments].concat())).unwrap()
}

#[test]
fn a_heuristic_is_listed_played_tuned_replayed_compared_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let heuristic = written(folder, "my.toml", HEURISTIC);
    let listed: Value =
        serde_json::from_str(&stdout(&["list", "heuristics", text(&heuristic), "--json"])).unwrap();
    let keys: Vec<&str> = (listed.as_array().unwrap().iter())
        .map(|row| row["key"].as_str().unwrap())
        .collect();
    assert_eq!(
        keys,
        [
            "lost_penalty",
            "empty",
            "large_merges",
            "large_merges_power"
        ]
    );
    assert_eq!(listed[3]["term"], "large_merges");

    let of_file = evaluate(&["--heuristic", text(&heuristic)]);
    assert_ne!(of_file["mean_score"], evaluate(&[])["mean_score"]);

    let campaign = written(folder, "campaign.toml", CAMPAIGN);
    let run_directory = folder.join("run");
    let root = text(&run_directory);
    stdout(&["tune", text(&campaign), "--out", root]);
    // The weights carry the heuristic; nothing else is needed.
    let moved = written(
        folder,
        "moved.toml",
        &fs::read_to_string(run_directory.join("tuned.toml")).unwrap(),
    );
    fs::remove_file(&heuristic).unwrap();
    stdout(&["replay", root]);
    stdout(&["replay", text(&moved)]);
    stdout(&["report", root]);
    let of_weights = evaluate(&["--weights", text(&moved)]);
    assert_eq!(of_weights["weights"].as_array().map(Vec::len), None);
    assert!(of_weights["options"]["heuristic"]["term"].is_array());

    let other = written(
        folder,
        "other.toml",
        &HEURISTIC.replace("a^power", "b^power"),
    );
    let beside = run(&[
        "evaluate",
        "--player",
        "expectimax",
        "--games",
        "2",
        "--seed",
        "1",
        "--weights",
        text(&moved),
        "--heuristic",
        text(&other),
    ]);
    assert_eq!(beside.status.code(), Some(2));
    let message = String::from_utf8_lossy(&beside.stderr).into_owned();
    assert!(message.contains("another one is given beside"), "{message}");

    let compared = run(&[
        "compare",
        text(&moved),
        "published",
        "--depth",
        "0",
        "--max-games",
        "200",
        "--seed",
        "1",
        "--json",
        "--out",
        text(&folder.join("compared")),
    ]);
    assert!(
        matches!(compared.status.code(), Some(0 | 3 | 4)),
        "{compared:?}"
    );
    stdout(&["replay", text(&folder.join("compared"))]);

    let exported = |format: &str| run(&["export", text(&moved), "--format", format]);
    let header = String::from_utf8(exported("c-header").stdout).unwrap();
    for constant in ["empty", "large_merges"] {
        let line = format!("static const double tiletune_{constant} = ");
        assert!(header.contains(&line), "{header}");
    }
    let toml = String::from_utf8(exported("toml").stdout).unwrap();
    assert!(toml.contains("[[heuristic.term]]"));
    let json: Value = serde_json::from_slice(&exported("json").stdout).unwrap();
    assert_eq!(json["heuristic"]["term"].as_array().map(Vec::len), Some(3));
    let csv = String::from_utf8(exported("csv").stdout).unwrap();
    assert!(csv.starts_with("weight,value,heuristic\n"), "{csv}");
}

#[test]
fn the_terms_of_a_file_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let heuristic = written(folder.path(), "my.toml", HEURISTIC);
    let arguments = [
        "--player",
        "expectimax",
        "--heuristic",
        text(&heuristic),
        "--explain",
    ];
    let board = json!({"board": [2, 2, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8]});
    let after = json!({"board": [2, 2, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0]});
    let (answers, code) = advise(&arguments, &[board.to_string(), after.to_string()]);
    assert_eq!(code, Some(0));
    let up = answers[0]["terms"]["up"].as_object().unwrap();
    let names: Vec<&str> = up.keys().map(String::as_str).collect();
    assert_eq!(names, ["lost_penalty", "empty", "large_merges"]);
    let sum: f64 = up.values().map(|points| points.as_f64().unwrap()).sum();
    // A move up leaves the first row: 2 2 4 8.
    assert!(sum > 8.0 * 200_000.0);
    let mistake = written(
        folder.path(),
        "bad.toml",
        &HEURISTIC.replace("a == b", "a == d"),
    );
    let refused = run(&["list", "heuristics", text(&mistake)]);
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(message.contains("bad.toml:20:36"), "{message}");
}

#[test]
fn a_heuristic_file_in_the_place_of_another_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let heuristic = written(folder, "my.toml", HEURISTIC);
    let heuristic = text(&heuristic);
    for (arguments, wanted, instead) in [
        (
            vec!["ablate", heuristic],
            "not an experiment",
            "at the top of an experiment",
        ),
        (
            vec!["compare", "published", heuristic],
            "not a weights file",
            "--heuristic",
        ),
        (
            vec![
                "evaluate",
                "--player",
                "expectimax",
                "--games",
                "1",
                "--seed",
                "1",
                "--weights",
                heuristic,
            ],
            "not a weights file",
            "in a weights file",
        ),
    ] {
        let refused = run(&arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(message.contains("my.toml:4:"), "{message}");
        // Without the breaks between its lines.
        let words = message.split_whitespace().filter(|word| *word != "│");
        let message = words.collect::<Vec<_>>().join(" ");
        assert!(
            message.contains(wanted) && message.contains(instead),
            "{message}"
        );
    }
    let wrong = written(
        folder,
        "weights.toml",
        "game = '2048'\nheuristic = 'sub/../bad.toml'\n\
        player = 'expectimax'\n[weights]\n",
    );
    fs::create_dir(folder.join("sub")).unwrap();
    written(folder, "bad.toml", &HEURISTIC.replace("a == b", "a = b"));
    let refused = run(&[
        "evaluate",
        "--player",
        "expectimax",
        "--games",
        "1",
        "--seed",
        "1",
        "--weights",
        text(&wrong),
    ]);
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        message.contains(text(&folder.join("bad.toml"))),
        "{message}"
    );
}

#[test]
fn a_weights_file_with_a_heuristic_needs_no_weights() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let heuristic = written(folder, "my.toml", HEURISTIC);
    let weights = "game = '2048'\nplayer = 'expectimax'\nheuristic = 'my.toml'\n[weights]\n";
    let weights = written(folder, "weights.toml", weights);
    let of_weights = evaluate(&["--weights", text(&weights)]);
    let of_file = evaluate(&["--heuristic", text(&heuristic)]);
    assert_eq!(of_weights["mean_score"], of_file["mean_score"]);
    let listed = ["list", "heuristics", text(&heuristic), "--json"];
    assert_eq!(
        stdout(&listed),
        stdout(&["list", "heuristics", text(&weights), "--json"])
    );
}

#[test]
fn a_heuristic_that_does_not_avoid_losing_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let penalty = HEURISTIC.replace("value = \"1\"", "value = \"-sum(cells, r)\"");
    let my = written(folder.path(), "my.toml", &penalty);
    let deeper = CAMPAIGN.replace("depth = 0", "depth = 1").replace(
        "population = 6",
        "population = 6, without_signal = \"go-on\"",
    );
    let campaign = written(folder.path(), "campaign.toml", &deeper);
    let out = folder.path().join("run");
    let said = "of the boards of a game have values below 0, the value of a lost board";
    let stderr = |arguments: &[&str]| {
        let output = run(arguments);
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let tuned = stderr(&["tune", text(&campaign), "--out", text(&out)]);
    assert!(tuned.contains(said), "{tuned}");
    let report = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains(said));
    let events = fs::read_to_string(out.join("events.jsonl")).unwrap();
    assert_eq!(events.matches("start-below-lost").count(), 1);
    stdout(&["verify", text(&out)]);
    // A run cannot leave the event out, even where its list of files agrees.
    let lines = events.lines().filter(|line| !line.contains("below-lost"));
    let without: String = lines.map(|line| format!("{line}\n")).collect();
    fs::write(out.join("events.jsonl"), without).unwrap();
    adopt(&out, Status::Complete);
    let refused = run(&["verify", text(&out)]);
    assert!(!refused.status.success());
    let refused = String::from_utf8(refused.stderr).unwrap();
    assert!(
        refused.contains("an event of this run is missing"),
        "{refused}"
    );
    let player = [
        "--player",
        "expectimax",
        "--depth",
        "2",
        "--games",
        "1",
        "--seed",
        "1",
    ];
    let evaluate = |more: &[&str]| stderr(&[&["evaluate"], &player[..], more].concat());
    let evaluated = evaluate(&["--heuristic", text(&my)]);
    assert!(evaluated.contains(said), "{evaluated}");
    let others = [
        evaluate(&[]),
        evaluate(&[
            "--heuristic",
            text(&written(folder.path(), "good.toml", HEURISTIC)),
        ]),
    ];
    assert!(!others.concat().contains("below 0"), "{others:?}");
}

/// A matrix with tied cells, its best image, and a term of the whole board.
const WHOLE_BOARD: &str = r#"
about = "a matrix and empty cells of the whole board"

[[term]]
name = "cell"
doc = "tiles by cell"
matrix = [["corner", "edge", "edge", "corner"], ["edge", "inner_cell", "inner_cell", "edge"], ["edge", "inner_cell", "inner_cell", "edge"], ["corner", "edge", "edge", "corner"]]
value = "2^r"
weight = { default = [3.0, 2.0, 1.0], min = -5.0, max = 10.0 }

[[term]]
name = "snake"
doc = "ranks along a snake, in its best image"
matrix = [[16, 15, 14, 13], [9, 10, 11, 12], [8, 7, 6, 5], [1, 2, 3, 4]]
images = "best"
value = "r"
weight = { default = 1.0, min = 0.0, max = 10.0 }

[[board_term]]
name = "room"
doc = "logarithm of the number of empty cells"
value = "if(gaps > 0, ln(gaps), -1) * (1 + largest)^power"
sums.gaps = { lines = "rows", value = "count(cells where r == 0)" }
maxima.largest = { lines = "rows", value = "max(cells, r)" }
parameters.power = { default = 1.5, min = 0.0, max = 3.0 }
weight = { default = 5.0, min = 0.0, max = 100.0 }
"#;

#[test]
fn matrices_and_terms_of_the_board_are_tuned_replayed_explained_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let heuristic = written(folder, "my.toml", WHOLE_BOARD);
    let listed = stdout(&["list", "heuristics", text(&heuristic), "--json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let rows = listed.as_array().unwrap().iter();
    let keys: Vec<&str> = rows.map(|row| row["key"].as_str().unwrap()).collect();
    let expected = [
        "cell_corner",
        "cell_edge",
        "cell_inner_cell",
        "snake",
        "room",
        "room_power",
    ];
    assert_eq!(keys, expected);

    let campaign = CAMPAIGN.replace("depth = 0", "depth = 1").replace(
        "parameters = { empty = {}, large_merges = {}, large_merges_power = {} }",
        "parameters = { \"*\" = {} }",
    );
    let campaign = campaign
        .replace("games = 40", "games = 10")
        .replace("games = 20", "games = 4");
    let campaign = written(folder, "campaign.toml", &campaign);
    let run_directory = folder.join("run");
    let root = text(&run_directory);
    stdout(&["tune", text(&campaign), "--out", root]);
    stdout(&["replay", root]);
    let tuned = run_directory.join("tuned.toml");
    let header = run(&["export", text(&tuned), "--format", "c-header"]);
    let header = String::from_utf8(header.stdout).unwrap();
    assert!(
        header.contains("static const double tiletune_cell_inner_cell = "),
        "{header}"
    );
    assert!(
        header.contains("The terms of their heuristic file are not part of this header."),
        "{header}"
    );

    let board = json!({"board": [2, 2, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8]});
    let arguments = ["--player", "expectimax", "--depth", "0", "--explain"];
    for game in ["2048", "three-plus-three"] {
        let board = match game {
            "2048" => board.to_string(),
            _ => json!({"board": [1, 2, 3, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12], "next": 1})
                .to_string(),
        };
        let of_game = ["--game", game, "--heuristic", text(&heuristic)];
        let (answers, code) = advise(&[&arguments[..], &of_game].concat(), &[board]);
        assert_eq!(code, Some(0));
        let left = answers[0]["terms"]["left"].as_object().unwrap();
        let names: Vec<&str> = left.keys().map(String::as_str).collect();
        assert_eq!(names, ["cell", "snake", "room"]);
        let sum: f64 = left.values().map(|points| points.as_f64().unwrap()).sum();
        let value = answers[0]["values"]["left"].as_f64().unwrap();
        assert!((sum - value).abs() < 1e-4 * sum, "{game}: {sum} {value}");
    }
}

#[test]
fn weights_without_a_finite_value_are_refused_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // The difference of the two must not be large, which their bounds alone do not show.
    let heuristic = HEURISTIC
        .replace("a^power", "exp((power - rate) * a^2)")
        .replace(
            "default = 1.5, min = 0.5, max = 3.0",
            "default = 0.5, min = 0.1, max = 10.0",
        )
        + "parameters.rate = { default = 0.5, min = 0.1, max = 10.0 }\n";
    written(folder, "my.toml", &heuristic);
    let campaign = CAMPAIGN
        .replace(
            "population = 6",
            "population = 6, name = \"random\", without_signal = \"go-on\"",
        )
        .replace("large_merges = {},", "large_merges_rate = {},");
    let campaign = written(folder, "campaign.toml", &campaign);
    let out = folder.join("run");
    let tuned = run(&["tune", text(&campaign), "--out", text(&out), "--json"]);
    assert!(tuned.status.success(), "{tuned:?}");
    let told = String::from_utf8(tuned.stdout).unwrap();
    let told: Value = serde_json::from_str(&told).unwrap();
    assert!(told["refused_candidates"].as_u64() > Some(0), "{told}");
    let report = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("refused"), "the report says so");
}
