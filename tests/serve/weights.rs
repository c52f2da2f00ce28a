//! Weights files and runs of the results folder.

use std::path::Path;

use super::common::advise;

use serde_json::{Value, json};

use super::{question, serve};

#[test]
fn shipped_weights_are_offered_where_their_terms_have_a_meaning() {
    let served = serve(|_| {});
    let names = |board: &str| -> Vec<String> {
        let player = json!({ "name": "expectimax", "board": board });
        let found = served.post("/api/weights/fitting", &json!({ "player": player }));
        serde_json::from_value(found.json()).unwrap()
    };
    let (usual, small) = (names("4x4"), names("3x4"));
    for name in ["published", "depth-1", "3x4"] {
        assert!(usual.iter().any(|one| one == name), "{name}: {usual:?}");
    }
    assert!(small.iter().any(|one| one == "3x4"), "{small:?}");
    // It reads cell(3), which lines of three cells do not have.
    assert!(small.iter().all(|one| one != "depth-1"), "{small:?}");
}

#[test]
fn weights_are_those_of_the_results_folder_and_no_others() {
    let served = serve(|_| {});
    let results = served.folder.path().join("results");
    let file = |path: &Path, text: &str| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let weights = std::fs::read_to_string("configs/weights/expectimax-depth-0.toml").unwrap();
    file(&results.join("mine/best.toml"), &weights);
    file(&results.join("series/runs/1/best.toml"), &weights);
    file(
        &results.join("six.toml"),
        &std::fs::read_to_string("crates/engine/data/weights/minimax-six.toml").unwrap(),
    );
    file(&results.join("campaign.toml"), "name = \"no weights\"");
    file(&results.join(".hidden/best.toml"), &weights);
    file(
        &results.join("program/best.toml"),
        "game = \"external\"\nplayer = \"program\"\n[weights]\n[heuristic]\ncommand = [\"touch\", \"started\"]\n",
    );
    file(&served.folder.path().join("outside/best.toml"), &weights);
    std::os::unix::fs::symlink("../outside", results.join("link")).unwrap();
    std::fs::create_dir(results.join("empty")).unwrap();
    let pipe = std::process::Command::new("mkfifo")
        .arg(results.join("pipe.toml"))
        .status();
    assert!(pipe.unwrap().success());
    std::os::unix::fs::symlink("../../outside/best.toml", results.join("empty/best.toml")).unwrap();
    let listed = served.get("/api/weights").json();
    let (shipped, listed): (Vec<&Value>, Vec<&Value>) =
        (listed.as_array().unwrap().iter()).partition(|one| one["is_shipped"] == true);
    let names = |list: &[&Value]| -> Vec<String> {
        list.iter()
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&listed), ["mine", "series/runs/1", "six.toml"]);
    assert_eq!(listed[0]["options"]["depth"], 0);
    assert_eq!(
        names(&shipped)[..4],
        ["depth-0", "depth-1", "depth-2", "depth-3"]
    );
    assert_eq!(shipped[2]["options"]["depth"], 2);
    let ask = |player: &str, weights: &str| {
        let mut question: Value = serde_json::from_str(&question()).unwrap();
        question["player"] = json!({ "name": player, "depth": 0 });
        question["weights"] = weights.into();
        served.post("/api/advise", &question)
    };
    for name in [
        "mine",
        "mine/best.toml",
        "series/runs/1",
        "depth-1",
        "tuned",
    ] {
        assert_eq!(ask("expectimax", name).status, 200, "{name}");
    }
    for name in [
        "",
        ".",
        "..",
        "../outside",
        "../outside/best.toml",
        "mine/../../outside",
        "/etc/passwd",
        "link",
        "empty",
        ".hidden",
        "nothing",
        "pipe.toml",
        "six.toml/..",
    ] {
        let answer = ask("expectimax", name);
        assert_eq!(answer.status, 404, "{name}: {answer:?}");
        assert!(
            !answer
                .error()
                .contains(served.folder.path().to_str().unwrap()),
            "{answer:?}"
        );
    }
    assert_eq!(ask("expectimax", "six.toml").status, 422);
    assert_eq!(ask("expectimax", "program").status, 422);
    let program = json!({ "player": { "name": "program", "game": "external" }, "weights": "program", "position": {} });
    assert_eq!(served.post("/api/advise", &program).status, 422);
    let inline = json!({ "player": { "name": "expectimax", "heuristic": { "command": ["touch", "started"] } }, "position": {} });
    assert_eq!(served.post("/api/advise", &inline).status, 422);
    assert!(!results.join("program/started").exists() && !Path::new("started").exists());
}

#[test]
fn a_heuristic_file_is_played_with_its_default_weights() {
    let served = serve(|_| {});
    let results = served.folder.path().join("results");
    let text = "about = 'a test'\n[[term]]\nname = 'empty'\ndoc = 'empty cells'\nvalue = 'count(cells where r == 0)'\nweight = { default = 300.0, min = 0.0, max = 1000.0 }\n";
    let file = results.join("mine.toml");
    std::fs::write(&file, text).unwrap();
    let directions = format!("boards = ['directions']\n{text}");
    std::fs::write(results.join("other.toml"), directions).unwrap();
    std::fs::write(results.join("wrong.toml"), text.replace("count", "counts")).unwrap();
    let listed = served.get("/api/weights").json();
    let listed = listed.as_array().unwrap().iter();
    let listed: Vec<&Value> = listed.filter(|one| one["is_shipped"] == false).collect();
    let named: Vec<[&str; 3]> = listed
        .iter()
        .map(|one| ["name", "game", "player"].map(|key| one[key].as_str().unwrap()))
        .collect();
    let expected = [
        ["mine.toml", "2048", "expectimax"],
        ["mine.toml", "three-plus-three", "expectimax"],
        ["other.toml", "three-plus-three", "expectimax"],
    ];
    assert_eq!(named, expected);
    assert!(listed.iter().all(|one| one["has_default_weights"] == true));

    let board = json!({ "board": [2, 2, 4, 8, 0, 0, 2, 0, 0, 4, 0, 0, 0, 0, 0, 0] });
    let ask = |game: &str, weights: &str| {
        let player = json!({ "name": "expectimax", "game": game, "depth": 1 });
        let question = json!({ "player": player, "weights": weights, "position": board });
        served.post("/api/advise", &question)
    };
    // The answer of the command line.
    let arguments = [
        "--player",
        "expectimax",
        "--depth",
        "1",
        "--heuristic",
        file.to_str().unwrap(),
    ];
    let (expected, _) = advise(&arguments, &[board.to_string()]);
    assert_eq!(ask("2048", "mine.toml").json(), expected[0]);
    // What is wrong is said when it is chosen, and a file that has changed is read anew.
    for (game, name) in [("2048", "other.toml"), ("2048", "wrong.toml")] {
        let answer = ask(game, name);
        assert_eq!(answer.status, 422, "{answer:?}");
    }
    std::fs::write(&file, text.replace("300.0", "3.0")).unwrap();
    assert_ne!(ask("2048", "mine.toml").json(), expected[0]);
}
