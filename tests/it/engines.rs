//! Options of chess engines: `examples/external/uci` with an engine that has faults to order, and with a real one.

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::stdout;
use crate::external::{assert_gone, example, is_there, out, processes};
use serde_json::{Value, json};

/// The example with the engine of the tests beside it, if Python and its package for chess are there.
fn with_engine() -> Option<(tempfile::TempDir, String)> {
    if !is_there(&["python3", "-c", "import chess"]) {
        return None;
    }
    let (folder, config) = example("uci", "python3")?;
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/uci_engine.py");
    std::fs::copy(engine, folder.path().join("uci_engine.py")).unwrap();
    Some((folder, config))
}

/// What the example answers to tasks, without its first line, and what it says on stderr. All processes end.
fn answers(folder: &Path, options: &[&str], tasks: &[Value]) -> (Vec<Value>, String) {
    let mut child = Command::new("python3")
        .arg("match.py")
        .args(options)
        .args([
            "--max-plies",
            "40",
            "--resign",
            "200",
            "--",
            "python3",
            "uci_engine.py",
        ])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for task in tasks {
        // One that has refused its command line reads no task.
        let _ = writeln!(stdin, "{task}");
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    if !processes(folder, "process.").is_empty() {
        assert_gone(&processes(folder, "process."));
    }
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines = lines.lines().skip(1);
    let answers = lines.map(|line| serde_json::from_str(line).unwrap());
    (answers.collect(), String::from_utf8(output.stderr).unwrap())
}

fn task(weights: &Value, seed: &str) -> Value {
    json!({ "weights": weights, "seeds": [seed] })
}

#[test]
fn an_engine_plays_with_options_of_every_type_and_repeats_its_games() {
    let Some((folder, _)) = with_engine() else {
        return;
    };
    let defaults = json!({ "Queen_Value_Late": 9, "Greedy": 1, "Noise": 0.5 });
    let same = json!({ "Queen_Value_Late": 9.0, "Greedy": 1.0, "Noise": 0.5 });
    let mut other = defaults.clone();
    other["Queen_Value_Late"] = json!(2);
    let [mut quiet, mut noisy] = [other.clone(), other.clone()];
    quiet["Greedy"] = json!(0);
    noisy["Noise"] = json!(7.25);
    let weights = [&defaults, &same, &other, &quiet, &noisy];
    let mut tasks: Vec<Value> = weights.iter().map(|weights| task(weights, "5")).collect();
    let (first, stderr) = answers(folder.path(), &[], &tasks);
    assert_eq!(stderr, "");
    // The defaults against themselves are even; each other value plays other games.
    assert_eq!(first[0]["points"], json!([0.5]), "{first:?}");
    assert_eq!(first[0], first[1]);
    let different: std::collections::BTreeSet<String> =
        first.iter().map(Value::to_string).collect();
    assert_eq!(different.len(), 4, "{first:?}");

    // An engine whose games depend on earlier ones repeats them in new processes only.
    let remembers = task(&json!({ "Fault": 3 }), "5");
    let twice = [remembers.clone(), remembers];
    let is_repeated = |options: &[&str]| {
        let (found, _) = answers(folder.path(), options, &twice);
        found[0] == found[1]
    };
    assert!(!is_repeated(&[]) && is_repeated(&["--fresh"]));

    // The order of the tasks and new processes change nothing.
    tasks.reverse();
    for options in [&["--fresh"][..], &[]] {
        let (mut again, _) = answers(folder.path(), options, &tasks);
        again.reverse();
        assert_eq!(again, first);
    }
}

#[test]
fn an_engine_that_fails_loses_the_game() {
    let Some((folder, _)) = with_engine() else {
        return;
    };
    let weights = [
        json!({ "Fault": 1 }),
        json!({ "Fault": 2 }),
        json!({ "Fault": 4 }),
        json!({ "Fault": 0.5 }),
    ];
    let mut tasks: Vec<Value> = weights.iter().map(|weights| task(weights, "7")).collect();
    // After a fault the next weights play.
    tasks.insert(1, task(&json!({ "Fault": 0 }), "7"));
    let (found, stderr) = answers(folder.path(), &[], &tasks);
    assert_eq!(found[1]["points"], json!([0.5]), "{found:?}");
    for (place, words) in [(0, "ended with status 3"), (2, "answered `bestmove 0000`")] {
        let points = found[place]["points"][0].as_f64().unwrap();
        assert!(
            points < 0.5 && found[place]["faults"][0].as_f64().unwrap() > 0.0,
            "{found:?}"
        );
        let line = stderr
            .lines()
            .find(|line| line.contains(words))
            .unwrap_or_else(|| panic!("{stderr}"));
        let fault = weights[place / 2]["Fault"].to_string();
        assert!(
            line.contains("seed 7") && line.contains(&format!("'Fault': '{fault}'")),
            "{line}"
        );
    }
    for answer in &found[3..] {
        let text = answer["error"].as_str().unwrap();
        assert!(text.contains("takes whole numbers from 0 to 3"), "{text}");
    }

    // The fault of the opponent has nothing to do with the weights.
    let opponent = folder.path().join("opponent");
    std::fs::write(&opponent, "#!/bin/sh\nexec python3 uci_engine.py 1\n").unwrap();
    std::fs::set_permissions(&opponent, Permissions::from_mode(0o755)).unwrap();
    let (found, _) = answers(folder.path(), &["--opponent", "./opponent"], &tasks[1..2]);
    assert!(
        found[0]["error"]
            .as_str()
            .unwrap()
            .contains("./opponent ended"),
        "{found:?}"
    );

    // Weights with which the engine does not begin a game cannot be used.
    let (found, _) = answers(folder.path(), &[], &[task(&json!({ "Noise": 1e99 }), "7")]);
    let text = found[0]["refused"]
        .as_str()
        .unwrap_or_else(|| panic!("{found:?}"));
    assert!(
        text.contains("seed 7, weights") && text.contains("1e+99"),
        "{text}"
    );

    for (options, words) in [
        (
            ["--option", "Ponder=1"],
            "no option 'Ponder'; it has: Queen Value (Late), Greedy",
        ),
        (["--opponent", "./nobody"], "./nobody cannot be started"),
        (["--openings", "none.epd"], "none.epd"),
    ] {
        let (found, stderr) = answers(folder.path(), &options, &[]);
        assert!(found.is_empty() && stderr.contains(words), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
}

#[test]
fn a_file_of_openings_is_played() {
    let Some((folder, _)) = with_engine() else {
        return;
    };
    let openings =
        "8/8/8/4k3/8/8/4P3/4K3 w - - bm e1d2; id \"one\";\n\n7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\n";
    std::fs::write(folder.path().join("two.epd"), openings).unwrap();
    std::fs::write(folder.path().join("bad.epd"), "no position\n").unwrap();
    let tasks: Vec<Value> = (0..8)
        .map(|seed| task(&json!({ "Fault": 0 }), &seed.to_string()))
        .collect();
    let (found, _) = answers(folder.path(), &["--openings", "two.epd"], &tasks);
    let plies: Vec<_> = found
        .iter()
        .map(|answer| answer["plies"][0].as_f64().unwrap())
        .collect();
    // The second position is a stalemate: no ply is played.
    assert!(
        plies.contains(&0.0) && plies.iter().any(|plies| *plies > 0.0),
        "{plies:?}"
    );
    let (found, _) = answers(folder.path(), &["--openings", "bad.epd"], &tasks[..1]);
    assert!(found[0]["error"].is_string(), "{found:?}");
}

/// The campaign of the example with few games of less depth.
#[test]
fn options_of_a_real_engine_are_tuned() {
    if !is_there(&["test", "-x", "/usr/games/glaurung"]) {
        return;
    }
    let Some((folder, config)) = with_engine() else {
        return;
    };
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace("depth 3", "depth 1")).unwrap();
    let out = out(folder.path());
    let set = |value| ["--set", value];
    let settings = [
        set("budget.generations=2"),
        set("optimizer.population=4"),
        set("evaluation.games=2"),
        set("validation.games=4"),
    ];
    let arguments = ["tune", &config, "--threads", "2", "--json", "--out", &out];
    let result = stdout(&[&arguments[..], &settings.concat()].concat());
    let result: Value = serde_json::from_str(&result).unwrap();
    // The start weights are the engine's defaults: each pair is even.
    let start = &result["validation"]["start"]["mean_score"];
    assert_eq!(*start, json!(0.5), "{result}");
    for value in result["weights"].as_object().unwrap().values() {
        assert_eq!(value.as_f64().unwrap().fract(), 0.0, "{result}");
    }
    assert!(stdout(&["replay", &out]).contains("equal: 8 games played again"));
}
