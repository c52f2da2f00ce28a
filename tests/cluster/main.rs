//! Campaigns on a cluster with a real NATS server, and every fault that it can have: the tables are those of one
//! machine. Without a nats-server (`TILETUNE_NATS_SERVER`, or in PATH) the tests print that they are skipped;
//! with `TILETUNE_CLUSTER_TESTS=required` a skip is a failure.

#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;

mod credentials;
mod lab;
mod proxy;

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use common::every_game::{SmallRun, results, small_runs};
use common::tiletune;
use lab::Lab;
use serde_json::Value;

/// Time within which a worker ends after a signal: two seconds, and one more for a busy machine.
const SOON: Duration = Duration::from_secs(3);

#[test]
fn two_workers_leave_the_tables_of_one_machine() {
    let Some(mut lab) = Lab::new(&[]) else { return };
    lab.build = "";
    let mut workers = ["a", "b"].map(|name| lab.worker(name, &[]));
    // A worker that computes its fingerprint too long would find no task left.
    for name in ["a", "b"] {
        lab.says(name, &format!("worker {name} of build"));
    }
    lab.is_equal(&mut lab.tune(&[]));
    let said = lab.messages("tune");
    assert!(said.contains("tasks of 2 workers"), "{said}");
    let begin = Instant::now();
    workers.iter().for_each(|worker| worker.signal("-TERM"));
    for worker in &mut workers {
        assert_eq!(worker.ends(), Some(0));
    }
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
    assert!(
        lab.messages("a").contains("no task is held"),
        "{}",
        lab.messages("a")
    );
}

#[test]
fn workers_are_killed_and_others_come() {
    let Some(lab) = Lab::new(&[]) else { return };
    let mut run = lab.tune(&[]);
    lab.says("tune", "waiting for workers of build");
    let workers = ["a", "b"].map(|name| lab.worker(name, &[]));
    lab.generations(2);
    // SIGKILL for both of them.
    drop(workers);
    std::thread::sleep(Duration::from_millis(500));
    let _worker = lab.worker("c", &[]);
    lab.is_equal(&mut run);
}

#[test]
fn the_server_is_killed_and_restarted_with_and_without_its_storage() {
    let Some(mut lab) = Lab::new(&[]) else { return };
    let mut worker = lab.worker("a", &[]);
    let mut run = lab.tune(&[]);
    lab.generations(2);
    lab.serve(&[]);
    lab.generations(5);
    lab.server = None;
    std::fs::remove_dir_all(lab.path("store")).unwrap();
    lab.says("tune", "is lost, trying again");
    lab.serve(&[]);
    lab.is_equal(&mut run);
    // Without a server a worker ends, too.
    lab.server = None;
    let begin = Instant::now();
    worker.signal("-TERM");
    assert_eq!(worker.ends(), Some(0));
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
}

#[test]
fn a_server_that_lost_the_files_of_its_stream_goes_on() {
    let Some(lab) = Lab::new(&[]) else { return };
    let mut run = lab.tune(&[]);
    // The server has closed the files by then. nats-server 2.9 loses them if a stream is deleted and made again at the
    // wrong instant.
    lab.says("tune", "waiting for workers");
    std::fs::remove_dir_all(lab.path("store/jetstream/$G")).unwrap();
    let _worker = lab.worker("a", &[]);
    lab.is_equal(&mut run);
    let said = lab.messages("tune");
    assert!(said.contains("does not take tasks, trying again"), "{said}");
}

#[test]
fn the_coordinator_is_killed_and_resumed() {
    let Some(lab) = Lab::new(&[]) else { return };
    let _worker = lab.worker("a", &[]);
    let run = lab.tune(&[]);
    lab.generations(3);
    drop(run);
    let out = lab.path("run");
    let mut run = lab.start("tune", &["resume", out.to_str().unwrap(), "--threads", "1"]);
    lab.is_equal(&mut run);
}

#[test]
fn a_lying_worker_is_barred_and_leaves_no_false_game() {
    let Some(lab) = Lab::new(&[]) else { return };
    let mut liar = lab.liar("0");
    let mut run = lab.tune(&[]);
    lab.says("tune", "worker liar is barred: its games differ");
    assert_eq!(liar.ends(), Some(1));
    assert!(
        lab.messages("liar").contains("barred by run"),
        "{}",
        lab.messages("liar")
    );
    let _worker = lab.worker("honest", &[]);
    lab.is_equal(&mut run);
}

#[test]
fn the_run_goes_back_to_before_the_first_games_of_a_worker_that_lies_later() {
    // A lie is found by chance, one task of ten being played again: sometimes before the end of its evaluation,
    // where there is nothing to go back to, and sometimes never. Then the lies begin one task later.
    let went_back = (12..30).any(|true_tasks| {
        let Some(lab) = Lab::new(&[]) else {
            return true;
        };
        let _liar = lab.liar(&true_tasks.to_string());
        let mut run = lab.tune(&["--verify", "10%"]);
        let barred = "worker liar is barred: its games differ";
        if run.ends_without(barred, || lab.messages("tune").contains(barred)) {
            return false;
        }
        let _worker = lab.worker("honest", &[]);
        lab.is_equal_in_force(&mut run);
        let said = lab.messages("tune");
        said.contains("the run goes back to the first of them")
    });
    assert!(went_back);
}

#[test]
fn a_worker_of_another_build_gets_no_tasks_and_both_sides_say_so() {
    let Some(lab) = Lab::new(&[]) else { return };
    let _other = lab.worker_of_build("other", "9.9");
    let mut run = lab.tune(&[]);
    lab.says("tune", "worker other is of build 9_9");
    lab.says("other", "it takes no tasks of that run");
    let _worker = lab.worker("a", &[]);
    lab.is_equal(&mut run);
    let said = lab.messages("tune");
    assert!(said.contains("tasks of 1 worker,"), "{said}");
}

#[test]
fn refusing_and_missing_servers_are_told_before_a_run_begins() {
    let Some(mut lab) = Lab::new(&["--auth", "secret"]) else {
        return;
    };
    lab.user = "wrong@";
    assert_eq!(lab.tune(&[]).ends(), Some(2));
    let said = lab.messages("tune");
    assert!(
        said.contains("refuses the credentials") && !said.contains("wrong"),
        "{said}"
    );
    assert!(!lab.path("run").exists());
    lab.user = "secret@";
    let _worker = lab.worker("b", &[]);
    let mut run = lab.tune(&[]);
    lab.is_equal(&mut run);
    let manifest = lab.messages("run/manifest.json");
    assert!(
        manifest.contains("nats://127.0.0.1") && !manifest.contains("secret"),
        "{manifest}"
    );
    lab.server = None;
    let out = lab.path("other");
    let mut run = lab.start("late", &["tune", "--out", out.to_str().unwrap()]);
    assert_eq!(run.ends(), Some(1));
    assert!(
        lab.messages("late")
            .contains("cannot connect to nats://127.0.0.1")
    );
    assert!(!out.exists());
}

#[test]
fn a_server_without_room_is_told_and_waited_for() {
    let Some(mut lab) = Lab::new(&[]) else { return };
    let config = lab.path("full.conf");
    std::fs::write(
        &config,
        "jetstream { max_memory_store: 1, max_file_store: 100 }",
    )
    .unwrap();
    let config = config.to_str().unwrap().to_owned();
    lab.serve(&["-c", &config]);
    let _worker = lab.worker("a", &[]);
    let mut run = lab.tune(&[]);
    lab.says("tune", "does not take tasks, trying again");
    lab.serve(&[]);
    lab.is_equal(&mut run);
}

#[test]
fn messages_are_lost_and_repeated() {
    let Some(mut lab) = Lab::new(&[]) else { return };
    let (port, counts) = proxy::disturb(lab.port);
    lab.port = port;
    let _workers = ["a", "b", "c"].map(|name| lab.worker(name, &[]));
    lab.is_equal(&mut lab.tune(&[]));
    let [lost, repeated] = [&counts.lost, &counts.repeated].map(|one| one.load(Ordering::SeqCst));
    assert!(lost > 2 && repeated > 2, "{lost} {repeated}");
}

#[test]
fn what_happens_is_kept_in_the_run_directory() {
    let Some(lab) = Lab::new(&[]) else { return };
    let mut worker = lab.worker("a", &[]);
    let mut run = lab.tune(&["--set", "budget.generations=60"]);
    lab.says("run/.cluster.json", r#""worker":"a""#);
    let state: Value = serde_json::from_str(&lab.messages("run/.cluster.json")).unwrap();
    assert_eq!(state["workers"][0]["threads"], 1, "{state}");
    worker.signal("-TERM");
    assert_eq!(worker.ends(), Some(0));
    lab.says("run/cluster.jsonl", r#""event":"worker-went","worker":"a""#);
    let _other = lab.worker("b", &[]);
    assert_eq!(run.ends(), Some(0), "{}", lab.messages("tune"));
    let log = lab.messages("run/cluster.jsonl");
    let events: Vec<Value> = common::records(&log);
    let came = events
        .iter()
        .filter(|event| event["event"] == "worker-came");
    assert_eq!(
        came.map(|event| &event["worker"]).collect::<Vec<_>>(),
        ["a", "b"]
    );
    assert!(!lab.path("run/.cluster.json").exists());
    // Both files are part of a sound run.
    let run = lab.path("run");
    common::stdout(&["verify", run.to_str().unwrap(), "--games", "20"]);
}

#[test]
fn programs_play_on_workers_that_allow_their_command() {
    let Some(lab) = Lab::new(&[]) else { return };
    let script = r#"echo '{"protocol":1,"program":"p","parameters":["a"],"numbers":["score"]}'
while read -r task; do echo '{"score":[1]}'; done
"#;
    std::fs::write(lab.path("program.sh"), script).unwrap();
    let campaign = r#"
why = "a program"
name = "program"
seed = 5
player = { command = ["sh", "program.sh"] }
evaluation = { games = 4 }
optimizer = { population = 6, without_signal = "go-on" }
budget = { generations = 3 }
validation = { games = 20, resamples = 200 }
parameters = { a = { min = -1, max = 1, start = 0.5 } }
"#;
    let file = common::campaign_file(lab.folder.path(), campaign);
    let file = file.to_str().unwrap();
    let [here, there] = ["here", "there"].map(|name| lab.path(name));
    common::stdout(&["tune", file, "--out", here.to_str().unwrap()]);
    let mut worker = lab.worker("strict", &[]);
    let out = there.to_str().unwrap();
    let mut run = lab.start("tune", &["tune", file, "--out", out, "--threads", "1"]);
    lab.says(
        "tune",
        "worker strict cannot play: the program `sh program.sh` is not allowed here",
    );
    assert_eq!(run.ends(), Some(1), "{}", lab.messages("tune"));
    worker.signal("-TERM");
    worker.ends();
    let _worker = lab.worker("open", &["--allow-command", "sh program.sh"]);
    let mut run = lab.start("tune", &["resume", out, "--threads", "1"]);
    assert_eq!(run.ends(), Some(0), "{}", lab.messages("tune"));
    common::assert_same_run(&there, &here);
}

#[test]
fn every_game_and_kind_of_run_leaves_the_tables_of_one_machine() {
    let Some(lab) = Lab::new(&[]) else { return };
    let _workers = ["a", "b"].map(|name| lab.worker(name, &["--allow-command", "sh program.sh"]));
    let runs = small_runs(lab.folder.path());
    // The runs of a game use weights of those before them; the games are independent.
    std::thread::scope(|scope| {
        for of_game in runs.chunk_by(|one, next| one.game == next.game) {
            scope.spawn(|| {
                of_game
                    .iter()
                    .for_each(|small| is_equal_on_workers(&lab, small));
            });
        }
    });
}

/// Plays a run on this machine and on workers; the results are equal, and `verify` finds the same games.
fn is_equal_on_workers(lab: &Lab, small: &SmallRun) {
    let url = lab.url();
    let play = |place: &str, more: &[&str]| {
        let out = lab.path(place).join(&small.name);
        let mut command = lab.tiletune();
        command
            .args(&small.arguments)
            .args(["--threads", "1", "-q", "--out"]);
        let played = command.arg(&out).args(more).output().unwrap();
        let said = String::from_utf8_lossy(&played.stderr);
        assert!(
            small.has_ended(played.status.code()),
            "{}: {said}",
            small.name
        );
        out
    };
    let (here, there) = (play("runs", &[]), play("cluster", &["--nats", &url]));
    let (files, others) = (results(&here), results(&there));
    assert!(files.keys().eq(others.keys()), "{}", small.name);
    for (name, bytes) in &files {
        assert!(others[name] == *bytes, "{}: {}", small.name, name.display());
    }
    assert!(there.join("cluster.jsonl").is_file(), "{}", small.name);
    let verified = lab.tiletune().arg("verify").arg(&there).output().unwrap();
    let said = String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success(), "{}: {said}", small.name);
}

#[test]
fn games_of_evaluate_and_compare_are_those_of_one_machine() {
    let Some(lab) = Lab::new(&[]) else { return };
    let _worker = lab.worker("a", &[]);
    let url = lab.url();
    let nats = ["--nats", url.as_str(), "--threads", "1"];
    let same = |arguments: &[&str], keys: &[&str]| {
        let result = |more: &[&str]| {
            let output = lab.tiletune().args(arguments).args(more).output().unwrap();
            serde_json::from_slice::<Value>(&output.stdout).unwrap()
        };
        let (here, there) = (result(&[]), result(&nats));
        for key in keys {
            assert!(!here[*key].is_null(), "{here}");
            assert_eq!(here[*key], there[*key], "{key}");
        }
    };
    same(
        &[
            "evaluate", "--player", "greedy", "--games", "2000", "--seed", "1", "--json",
        ],
        &["mean_score", "moves", "max_tile", "leaf_evaluations"],
    );
    let out = lab.path("compared");
    let (out, other) = (out.join("here"), out.join("there"));
    for (out, more) in [(&out, &[][..]), (&other, &nats)] {
        let operands = [
            "strings",
            "random",
            "--game",
            "connect-four",
            "--seed",
            "1",
            "--max-games",
            "100",
            "--depth",
            "1",
        ];
        let mut command = lab.tiletune();
        command
            .arg("compare")
            .args(operands)
            .args(more)
            .arg("--out")
            .arg(out);
        let output = command.output().unwrap();
        assert!(
            [Some(3), Some(0), Some(4)].contains(&output.status.code()),
            "{output:?}"
        );
    }
    let tables = |run: &Path| common::contents(&run.join("tables"));
    assert!(!tables(&out).is_empty() && tables(&out) == tables(&other));
}

#[test]
fn workers_and_queues_are_listed() {
    let Some(lab) = Lab::new(&[]) else { return };
    let _worker = lab.worker("a", &["--memory", "2000"]);
    lab.says("a", "worker a of build");
    std::thread::sleep(Duration::from_millis(200));
    let output = tiletune()
        .args(["cluster", "--json", "--nats", &lab.url()])
        .output()
        .unwrap();
    let seen: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(seen["workers"][0]["worker"], "a", "{seen}");
    assert_eq!(seen["workers"][0]["threads"], 1);
    assert_eq!(seen["runs"], serde_json::json!([]));
}
