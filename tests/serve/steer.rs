//! Runs that pages start: what is refused, and that they equal those of the command line.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tiletune::web::{Server, Settings, Token};

use super::{Answer, JSON, Served, serve};

const TOKEN: &str = "a-token-that-pages-know";

/// A server whose pages may start runs.
fn steering() -> Served {
    serve(|settings| {
        settings.token = Some(Token::new(TOKEN).unwrap());
        settings.start = Some(PathBuf::from(env!("CARGO_BIN_EXE_tiletune")));
    })
}

fn post(served: &Served, path: &str, body: &Value) -> Answer {
    let token = format!("Authorization: Bearer {TOKEN}");
    served.request(&format!("POST {path}"), &[JSON, &token], &body.to_string())
}

fn get(served: &Served, path: &str) -> Answer {
    let token = format!("Authorization: Bearer {TOKEN}");
    served.request(&format!("GET {path}"), &[&token], "")
}

fn results(served: &Served) -> PathBuf {
    served.folder.path().join("results")
}

/// A campaign of a few seconds at most.
fn campaign() -> Value {
    json!({
        "name": "small", "seed": 7, "budget": { "games": 300 }, "hold_out": 20,
        "player": { "name": "expectimax", "game": "2048", "depth": 0 },
        "parameters": {
            "empty": { "min": 10.0, "max": 3000.0, "is_logarithmic": true },
            "merges": { "min": 10.0, "max": 5000.0, "is_logarithmic": true },
        },
    })
}

/// The run of a page when it is complete.
fn complete(served: &Served, run: &str) -> Value {
    let begin = Instant::now();
    loop {
        let page = get(served, &format!("/api/runs/{run}")).json();
        match page["run"]["state"].as_str() {
            Some("complete") => return page,
            Some("running" | "killed") if begin.elapsed() < Duration::from_secs(120) => {}
            other => panic!("{other:?}: {page}"),
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Path and contents of every file below a folder.
fn files(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    found.sort();
}

#[test]
fn a_page_starts_what_the_command_line_starts() {
    let served = steering();
    let folder = results(&served);
    let plan = post(&served, "/api/steer/plan", &campaign());
    assert_eq!(plan.status, 200, "{plan:?}");
    let plan = plan.json();
    let said = plan["plan"].as_str().unwrap();
    assert!(
        said.contains("training games") && said.contains("40 hold-out games"),
        "{said}"
    );
    let toml = plan["toml"].as_str().unwrap();
    assert!(
        toml.contains("[parameters.\"empty\"]\nmin = 10.0\n"),
        "{toml}"
    );
    let hidden = std::fs::read_dir(&folder).unwrap();
    assert_eq!(hidden.count(), 0, "a plan leaves nothing behind");

    let started = post(&served, "/api/steer/start", &campaign());
    assert_eq!(started.status, 200, "{started:?}");
    let run = started.json()["run"].as_str().unwrap().to_owned();
    let page = complete(&served, &run);
    assert!(
        page["files"]
            .as_array()
            .unwrap()
            .contains(&json!("best.toml")),
        "{page}"
    );
    assert_eq!(
        std::fs::read_to_string(folder.join("small.toml")).unwrap(),
        toml
    );

    let own = served.folder.path().join("own");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tiletune"));
    let output = command
        .arg("tune")
        .arg(folder.join("small.toml"))
        .arg("--out")
        .arg(&own);
    assert!(output.output().unwrap().status.success());
    for name in ["best.toml", "tuned.toml", "resolved.toml", "config.toml"] {
        let [page, command_line] =
            [folder.join(&run), own.clone()].map(|root| std::fs::read(root.join(name)).unwrap());
        assert!(page == command_line, "{name}");
    }
    let tables = |root: &Path| {
        let mut found = Vec::new();
        files(&root.join("tables"), &mut found);
        let below = found.into_iter();
        below
            .map(|(path, bytes)| (path.strip_prefix(root).unwrap().to_owned(), bytes))
            .collect::<Vec<_>>()
    };
    let of_page = tables(&folder.join(&run));
    assert!(of_page.len() > 5 && of_page == tables(&own));

    // What the run offers.
    let archive = get(&served, &format!("/api/runs/{run}/files/tables.tar"));
    assert_eq!(archive.status, 200);
    assert!(
        archive
            .head
            .contains("content-disposition: attachment; filename=\"small-"),
        "{archive:?}"
    );
    let best = get(&served, &format!("/api/runs/{run}/files/best.toml"));
    assert_eq!(
        best.body.as_bytes(),
        std::fs::read(own.join("best.toml")).unwrap()
    );
    for refused in ["manifest.json", "..%2Fsmall.toml", "tables"] {
        let answer = get(&served, &format!("/api/runs/{run}/files/{refused}"));
        assert_eq!(answer.status, 404, "{refused}: {answer:?}");
    }
    let ranked = get(&served, "/api/best").json();
    assert_eq!(ranked[0]["runs"][0]["path"], json!(run), "{ranked}");

    // A candidate can be played.
    let list = get(&served, &format!("/api/runs/{run}/candidates")).json();
    let first = &list["candidates"][0];
    assert_eq!(list["parameters"], json!(["empty", "merges"]));
    let name = format!(
        "{run}:candidate-{}-{}",
        first["generation"], first["candidate"]
    );
    let board = json!({ "board": [2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] });
    let question = json!({ "player": { "name": "expectimax", "depth": 0 }, "weights": name, "position": board });
    let answer = post(&served, "/api/advise", &question);
    assert_eq!(answer.status, 200, "{answer:?}");
    let missing = json!({ "player": { "name": "expectimax" }, "weights": format!("{run}:candidate-999-0"), "position": board });
    assert_eq!(post(&served, "/api/advise", &missing).status, 404);

    // Which terms can go?
    let asked = json!({ "run": run, "budget": { "generations": 1 } });
    let begun = post(&served, "/api/steer/prune", &asked);
    assert_eq!(begun.status, 200, "{begun:?}");
    let folder = begun.json()["run"].as_str().unwrap().to_owned();
    let page = format!("/api/pruned/{folder}");
    let begin = Instant::now();
    let pruning = loop {
        let answer = get(&served, &page).json();
        if answer["is_complete"] == true || begin.elapsed() > Duration::from_secs(60) {
            break answer;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(
        pruning["runs"][0]["path"],
        format!("{folder}/step-01"),
        "{pruning}"
    );
    let command = pruning["command"].as_str().unwrap();
    assert!(
        command.contains("--prune") && command.contains("--generations 1"),
        "{command}"
    );
    assert_eq!(get(&served, "/api/pruned").json()[0]["terms"], 2);
    let chart = get(&served, &format!("{page}/chart.svg"));
    assert!(chart.body.starts_with("<svg"), "{chart:?}");
    assert_eq!(
        get(&served, &format!("{page}/files/pruning.json")).status,
        200
    );
    for refused in [
        format!("{page}/files/..%2Fsmall.toml"),
        format!("/api/pruned/{run}"),
    ] {
        assert_eq!(get(&served, &refused).status, 404, "{refused}");
    }

    // More budget goes on with it.
    let same = json!({ "run": run });
    let refused = post(&served, "/api/steer/resume", &same);
    assert!(refused.error().contains("complete"), "{refused:?}");
    let more = json!({ "run": run, "budget": { "games": 500 } });
    let resumed = post(&served, "/api/steer/resume", &more);
    assert_eq!(resumed.status, 200, "{resumed:?}");
    let log = complete(&served, &run)["log"].to_string();
    assert!(
        log.contains("more budget") || log.contains("went on") || log.contains("goes on"),
        "{log}"
    );
}

#[test]
fn a_run_is_stopped_and_continued() {
    let served = steering();
    let mut long = campaign();
    long["budget"] = json!({ "minutes": 60.0 });
    let started = post(&served, "/api/steer/start", &long);
    assert_eq!(started.status, 200, "{started:?}");
    let run = started.json()["run"].clone();
    let stop = json!({ "run": run });
    let path = format!("/api/runs/{}", run.as_str().unwrap());
    let wait_for = |states: &[&str]| {
        let begin = Instant::now();
        loop {
            let state = get(&served, &path).json()["run"]["state"].clone();
            if states.contains(&state.as_str().unwrap_or_default()) {
                return;
            }
            assert!(begin.elapsed() < Duration::from_secs(60), "{state}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    wait_for(&["running"]);
    let answer = post(&served, "/api/steer/stop", &stop);
    assert_eq!(answer.status, 200, "{answer:?}");
    wait_for(&["interrupted", "killed"]);
    // The process is forgotten soon after its end.
    let begin = Instant::now();
    let resumed = loop {
        let resumed = post(&served, "/api/steer/resume", &stop);
        if resumed.status == 200 || begin.elapsed() > Duration::from_secs(20) {
            break resumed;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(resumed.status, 200, "{resumed:?}");
    wait_for(&["running"]);
    assert_eq!(post(&served, "/api/steer/stop", &stop).status, 200);
    wait_for(&["interrupted", "killed"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_of_a_terminal_is_stopped_and_what_is_no_run_of_tiletune_is_not() {
    let served = steering();
    let folder = results(&served);
    let stop = json!({ "run": "own" });
    let mut command = Command::new(env!("CARGO_BIN_EXE_tiletune"));
    command.args(["tune", "--quiet", "--minutes", "60", "--out"]);
    let mut process = command.arg(folder.join("own")).spawn().unwrap();
    let begin = Instant::now();
    while get(&served, "/api/runs/own").json()["run"]["state"] != "running" {
        assert!(begin.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(50));
    }
    let answer = post(&served, "/api/steer/stop", &stop);
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(process.wait().unwrap().code(), Some(130));
    let state = get(&served, "/api/runs/own").json()["run"]["state"].clone();
    assert_eq!(state, "interrupted");
    let answer = post(&served, "/api/steer/stop", &stop);
    assert!(answer.error().contains("no process"), "{answer:?}");

    // A process that holds the lock and is not the program stays as it is; here it is that of this test.
    let held = tiletune::run::lock::Lock::acquire(&folder.join("own")).unwrap();
    let answer = post(&served, "/api/steer/stop", &stop);
    assert!(
        answer.error().contains("not one that this server can stop"),
        "{answer:?}"
    );
    drop(held);
}

#[test]
fn no_page_names_a_command_or_a_path() {
    let served = steering();
    let folder = results(&served);
    std::fs::write(
        folder.join("weights.toml"),
        "game = '2048'\nplayer = 'greedy'\nweights = {}\n",
    )
    .unwrap();
    std::fs::write(
        served.folder.path().join("outside.toml"),
        "player = { name = 'expectimax' }\nbudget = { games = 1 }\n",
    )
    .unwrap();
    let with = |key: &str, value: Value| {
        let mut body = campaign();
        body[key] = value;
        body
    };
    let player = |key: &str, value: Value| {
        let mut body = campaign();
        body["player"][key] = value;
        body
    };
    let file = |name: &str| json!({ "campaign": name, "budget": { "games": 10 } });
    for body in [
        with("command", json!(["sh"])),
        with("folder", json!("/tmp")),
        with("path", json!("x.toml")),
        with("out", json!("/tmp/x")),
        with("program", json!("sh")),
        with("heuristic", json!("../outside.toml")),
        with("heuristic", json!("/etc/passwd")),
        with("name", json!("../x")),
        with("name", json!("/tmp/x")),
        player("command", json!(["sh", "-c", "true"])),
        player("heuristic", json!("/etc/passwd")),
        player("folder", json!("/tmp")),
        json!({ "player": { "command": ["sh"] }, "budget": { "games": 1 } }),
        json!({ "player": { "game": "external", "name": "sh", "command": ["sh"] }, "budget": { "games": 1 } }),
        with(
            "parameters",
            json!({ "empty]\ncommand": { "min": 0.0, "max": 1.0 } }),
        ),
        file("../outside.toml"),
        file("/etc/passwd"),
        file(".hidden.toml"),
        file("sub/x.toml"),
        file("..\\x.toml"),
        file("--out"),
        file("weights.toml"),
        file("missing.toml"),
    ] {
        for route in ["/api/steer/plan", "/api/steer/start"] {
            let answer = post(&served, route, &body);
            assert!(
                [400, 404, 422].contains(&answer.status),
                "{body}: {answer:?}"
            );
            assert!(!answer.error().is_empty(), "{body}: {answer:?}");
        }
    }
    for run in ["../outside", "/tmp", ".", "missing", "--help"] {
        for route in ["/api/steer/stop", "/api/steer/resume"] {
            let answer = post(&served, route, &json!({ "run": run }));
            assert_eq!(answer.status, 404, "{run}: {answer:?}");
        }
    }
    let compare =
        |weights: [&str; 2]| json!({ "player": { "name": "expectimax" }, "weights": weights });
    for weights in [["../outside.toml", ""], ["/etc/passwd", ""], ["--out", ""]] {
        let answer = post(&served, "/api/steer/compare", &compare(weights));
        assert!(
            [404, 422].contains(&answer.status),
            "{weights:?}: {answer:?}"
        );
    }
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["weights.toml"], "nothing was written");
}

#[test]
fn starting_is_allowed_on_this_machine_and_with_a_token_only() {
    let watching = serve(|_| {});
    assert_eq!(watching.get("/api/steer").json()["is_allowed"], false);
    for route in ["start", "plan", "stop", "resume", "compare", "prune"] {
        let answer = watching.post(&format!("/api/steer/{route}"), &json!({ "run": "a" }));
        assert_ne!(answer.status, 200, "{route}");
    }
    let answer = watching.post("/api/steer/start", &campaign());
    assert_eq!(answer.status, 403, "{answer:?}");
    assert!(answer.error().contains("--allow-start"), "{answer:?}");

    let served = steering();
    let without = served.post("/api/steer/start", &campaign());
    assert_eq!(without.status, 401, "{without:?}");
    let page = served.request(
        "POST /api/steer/start",
        &[
            JSON,
            &format!("Authorization: Bearer {TOKEN}"),
            "Origin: https://evil.example",
        ],
        &campaign().to_string(),
    );
    assert_eq!(page.status, 403, "{page:?}");

    let start = Some(PathBuf::from("tiletune"));
    let no_token = Settings {
        start: start.clone(),
        ..Settings::new("results")
    };
    assert!(Server::bind(no_token).is_err());
    let everywhere = Settings {
        start,
        token: Some(Token::drawn()),
        address: ([0, 0, 0, 0], 0).into(),
        ..Settings::new("results")
    };
    assert!(Server::bind(everywhere).is_err());
    let [one, other] = [Token::drawn(), Token::drawn()];
    assert!(one.text().len() >= 40 && one.text() != other.text());
}

#[test]
fn addresses_that_are_typed_lead_to_pages() {
    let served = serve(|_| {});
    for (typed, page) in [
        ("/runs", "/#/runs"),
        ("/play", "/#/play"),
        ("/runs/mine", "/#/runs/mine"),
        ("/runs/series/runs/1", "/#/runs/series/runs/1"),
    ] {
        let answer = served.get(typed);
        assert_eq!(answer.status, 307, "{typed}: {answer:?}");
        assert!(
            answer.head.contains(&format!("location: {page}\r\n")),
            "{answer:?}"
        );
    }
}
