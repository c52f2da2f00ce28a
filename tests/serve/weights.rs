//! Weights files and runs of the results folder.

use std::path::Path;

use serde_json::{Value, json};

use super::{question, serve};

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
        &std::fs::read_to_string("configs/weights/minimax-six.toml").unwrap(),
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
    let names: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["mine", "series/runs/1", "six.toml"]);
    assert_eq!(listed[0]["options"]["depth"], 0);
    let ask = |player: &str, weights: &str| {
        let mut question: Value = serde_json::from_str(&question()).unwrap();
        question["player"] = json!({ "name": player, "depth": 0 });
        question["weights"] = weights.into();
        served.post("/api/advise", &question)
    };
    for name in ["mine", "mine/best.toml", "series/runs/1"] {
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
