//! Campaigns of programs outside of tiletune: the examples, threads, interruptions, and programs that crash,
//! hang, answer nonsense or do not repeat. Programs of this file are shell scripts; what needs another
//! interpreter prints "skipped" where there is none.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{adopt, assert_same_run, campaign_file, run, stdout, tiletune};
use serde_json::Value;
use tiletune::run::manifest::Status;

const CAMPAIGN: &str = r#"
why = "a program under test"
name = "program"
seed = 5
[player]
command = COMMAND
time_limit = LIMIT
[evaluation]
games = 4
[optimizer]
population = 6
[budget]
generations = 3
[validation]
games = 20
resamples = 200
[parameters.a]
min = -1
max = 1
start = 0.5
"#;

/// The first line of the scripts.
const GREETING: &str =
    r#"echo '{"protocol":1,"program":"p","parameters":["a"],"numbers":["score"]}'"#;

/// Answers every task with the same score.
const ANSWERS: &str = r#"while read -r task; do echo '{"score":[1]}'; done"#;

/// Writes a campaign of a shell script, which writes its process number into a file when it starts.
fn shell_campaign(folder: &Path, script: &str, limit: f64) -> PathBuf {
    let script = format!("echo $$ > process.$$\n{script}");
    let command = serde_json::to_string(&["sh", "-c", &script]).unwrap();
    let text = CAMPAIGN.replace("COMMAND", &command);
    campaign_file(folder, &text.replace("LIMIT", &limit.to_string()))
}

pub fn out(folder: &Path) -> String {
    folder.join("run").to_str().unwrap().to_owned()
}

/// Tunes a shell script.
fn tune(folder: &Path, script: &str, limit: f64) -> Output {
    let config = shell_campaign(folder, script, limit);
    let config = config.to_str().unwrap();
    run(&["tune", config, "--threads", "2", "--out", &out(folder)])
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The numbers of the processes that wrote a file with this beginning.
pub fn processes(folder: &Path, beginning: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let numbers = names.filter_map(|name| Some(name.strip_prefix(beginning)?.to_owned()));
    numbers.collect()
}

/// Asserts that none of these processes is left after a moment, not even as an entry of the system's list.
pub fn assert_gone(processes: &[String]) {
    assert!(!processes.is_empty(), "no process was started");
    let is_there = |id: &&String| Path::new("/proc").join(id).exists();
    let begin = Instant::now();
    while processes.iter().any(|id| is_there(&id)) {
        let left: Vec<_> = processes.iter().filter(is_there).collect();
        assert!(begin.elapsed() < Duration::from_secs(2), "left: {left:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_broken_program_is_told_with_its_last_words() {
    let tasks = |then: &str| format!("{GREETING}; read -r task; {then}");
    let greeting = |from: &str, to: &str| GREETING.replacen(from, to, 1);
    let cases: &[(String, f64, &[&str])] = &[
        (
            "echo no library >&2; exit 3".into(),
            9.0,
            &["no library", "exit status: 3"],
        ),
        (
            tasks("echo about to fail >&2; exit 7"),
            9.0,
            &[
                "3 processes in a row",
                "about to fail",
                "exit status: 7",
                r#""weights":{"a":"#,
            ],
        ),
        (tasks("kill -9 $$"), 9.0, &["signal: 9"]),
        (tasks("exec 1>&-; sleep 1000"), 9.0, &["closed its stdout"]),
        (
            tasks("sleep 1000"),
            0.2,
            &["a task took longer than the time limit of 0.2 s"],
        ),
        (
            "sleep 1000".into(),
            0.2,
            &["the start of a process took longer"],
        ),
        (
            tasks("echo hello; sleep 1000"),
            9.0,
            &["not JSON", "`hello`"],
        ),
        (
            tasks(r#"echo '{"score":[]}'; sleep 1000"#),
            9.0,
            &["0 numbers `score` for 1 seeds"],
        ),
        (
            tasks(r#"echo '{"score":[NaN]}'; sleep 1000"#),
            9.0,
            &["must be finite"],
        ),
        (
            tasks(r#"echo '{"error":"no cards"}'; sleep 1000"#),
            9.0,
            &["it says: `no cards`"],
        ),
        (
            tasks("head -c 3000000 /dev/zero | tr '\\0' x; sleep 1000"),
            9.0,
            &["longer than 1048576 bytes"],
        ),
        (
            format!(r#"{GREETING}; echo '{{"score":[1]}}'; {ANSWERS}"#),
            9.0,
            &["a line without a task"],
        ),
        (greeting(":1,", ":2,"), 9.0, &["speaks version 2"]),
        (
            greeting(r#"["a"]"#, r#"["b"]"#),
            9.0,
            &["does not know the parameter `a`"],
        ),
    ];
    for (script, limit, parts) in cases {
        let folder = tempfile::tempdir().unwrap();
        let begin = Instant::now();
        let output = tune(folder.path(), script, *limit);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{script}: {message}");
        for part in *parts {
            assert!(message.contains(part), "{script}: {message}");
        }
        assert_eq!(message.matches("error:").count(), 1, "{message}");
        assert!(begin.elapsed() < Duration::from_secs(20), "{script}");
        assert_gone(&processes(folder.path(), "process."));
    }
}

#[test]
fn a_program_that_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let text = CAMPAIGN.replace("COMMAND", "['./no-such-program']");
    let config = campaign_file(folder.path(), &text.replace("LIMIT", "1"));
    let output = run(&[
        "tune",
        config.to_str().unwrap(),
        "--out",
        &out(folder.path()),
    ]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        message.contains("cannot start") && message.contains("no-such-program"),
        "{message}"
    );
    assert!(!folder.path().join("run").exists());
    // The plan of the campaign needs the program, too.
    let output = run(&["tune", config.to_str().unwrap(), "--dry-run"]);
    assert!(
        stderr(&output).contains("cannot start"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_crash_now_and_then_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // Every fifth task ends a process.
    let script = format!(
        r#"{GREETING}; for n in 1 2 3 4; do read -r task || exit; echo '{{"score":[1]}}'; done; read -r task && exit 1"#
    );
    let output = tune(folder.path(), &script, 9.0);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("were replaced: "),
        "{}",
        stderr(&output)
    );
    let started = processes(folder.path(), "process.");
    assert!(started.len() > 10, "{started:?}");
    assert_gone(&started);
}

#[test]
fn much_stderr_and_children_of_a_program_block_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let noise = "head -c 300000 /dev/zero | tr '\\0' e >&2; echo >&2";
    // The child keeps stdout and stderr open.
    let script = format!(
        r#"{GREETING}; sleep 1000 & touch child.$!; while read -r task; do {noise}; echo '{{"score":[1]}}'; done"#
    );
    let output = tune(folder.path(), &script, 9.0);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_gone(&processes(folder.path(), "process."));
    assert_gone(&processes(folder.path(), "child."));
    let log = std::fs::metadata(folder.path().join("run/program.log")).unwrap();
    assert!(
        (1_000_000..=10_000_100).contains(&log.len()),
        "{}",
        log.len()
    );
}

#[test]
fn a_score_that_does_not_repeat_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        r#"{GREETING}; n=0; while read -r task; do n=$((n+1)); echo "{{\"score\":[$n]}}"; done"#
    );
    let output = tune(folder.path(), &script, 9.0);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("does not repeat its games"),
        "{}",
        stderr(&output)
    );
    let file = |name: &str| std::fs::read_to_string(folder.path().join("run").join(name)).unwrap();
    assert!(file("report.html").contains("does not repeat its games"));
    assert_eq!(file("events.jsonl").matches("not-repeated").count(), 1);
    // Such a run can be resumed nevertheless.
    std::fs::remove_file(folder.path().join("run/validation.json")).unwrap();
    adopt(&folder.path().join("run"), Status::Interrupted);
    stdout(&["resume", &out(folder.path())]);
    assert_eq!(file("events.jsonl").matches("not-repeated").count(), 1);
}

/// Begins to tune a script that does not answer, and waits until a process of it runs.
fn hanging(folder: &Path) -> Child {
    let script = format!("{GREETING}; read -r task; touch asked.$$; sleep 1000");
    let config = shell_campaign(folder, &script, 1000.0);
    let mut command = tiletune();
    command.args([
        "tune",
        config.to_str().unwrap(),
        "--threads",
        "2",
        "--out",
        &out(folder),
    ]);
    let child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while processes(folder, "asked.").len() < 2 {
        assert!(
            begin.elapsed() < Duration::from_secs(30),
            "no process was asked"
        );
        thread::sleep(Duration::from_millis(10));
    }
    child
}

#[test]
fn an_interrupt_ends_the_programs_soon() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = hanging(folder.path());
    let mut kill = Command::new("kill");
    assert!(
        kill.args(["-INT", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let asked = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(
        asked.elapsed() < Duration::from_secs(2),
        "{:?}",
        asked.elapsed()
    );
    assert_gone(&processes(folder.path(), "process."));
}

#[cfg(target_os = "linux")]
#[test]
fn programs_die_with_a_killed_tiletune() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = hanging(folder.path());
    child.kill().unwrap();
    child.wait().unwrap();
    // The system removes them from its list when their new parent has waited for them.
    let is_running = |id: &String| {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        !status.is_empty() && !status.contains("State:\tZ")
    };
    let begin = Instant::now();
    while processes(folder.path(), "process.").iter().any(is_running) {
        assert!(begin.elapsed() < Duration::from_secs(2));
        thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a tool is there: the command succeeds. With `TILETUNE_REQUIRE_TOOLS`, as in `.ci/run`, it must.
pub fn is_there(tool: &[&str]) -> bool {
    let output = Command::new(tool[0]).args(&tool[1..]).output();
    let found = output.is_ok_and(|output| output.status.success());
    if !found {
        assert!(
            std::env::var_os("TILETUNE_REQUIRE_TOOLS").is_none(),
            "failed: {tool:?}"
        );
        println!("skipped: {tool:?} fails");
    }
    found
}

/// A copy of an example, and its campaign file; `None` if its interpreter or compiler is missing.
pub fn example(name: &str, tool: &str) -> Option<(tempfile::TempDir, String)> {
    if !is_there(&[tool, "--version"]) {
        return None;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/external");
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(source.join(name)).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    let config = folder
        .path()
        .join("campaign.toml")
        .to_str()
        .unwrap()
        .to_owned();
    Some((folder, config))
}

#[test]
fn the_example_in_python_is_tuned() {
    let Some((folder, config)) = example("python", "python3") else {
        return;
    };
    let out = out(folder.path());
    let set = ["--set", "budget.games=160", "--set", "validation.games=20"];
    let arguments = ["tune", &config, "--threads", "2", "--json", "--out", &out];
    let result: Value = serde_json::from_str(&stdout(&[&arguments[..], &set].concat())).unwrap();
    let tuned = &result["validation"]["tuned"];
    assert!(tuned["mean_score"].as_f64().unwrap() > 500.0, "{result}");
    assert!(
        tuned["numbers"]["moves"].as_f64().unwrap() > 50.0,
        "{result}"
    );
}

#[test]
fn the_example_in_cpp_is_tuned() {
    let Some((folder, config)) = example("cpp", "g++") else {
        return;
    };
    let mut compile = Command::new("g++");
    compile.args(["-O2", "-std=c++17", "-o", "player", "player.cpp"]);
    assert!(
        compile
            .current_dir(folder.path())
            .status()
            .unwrap()
            .success()
    );
    let out = out(folder.path());
    let result = stdout(&["tune", &config, "--json", "--out", &out]);
    let result: Value = serde_json::from_str(&result).unwrap();
    assert_eq!(
        result["validation"]["objective"]["difference"]["verdict"], "better",
        "{result}"
    );
}

#[test]
fn the_example_of_a_function_is_minimised_whatever_happens() {
    let Some((folder, config)) = example("function", "python3") else {
        return;
    };
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [one, three, killed] = ["one", "three", "killed"].map(at);
    let tune = |threads: &str, out: &str| {
        let mut command = tiletune();
        command.args([
            "tune",
            &config,
            "--threads",
            threads,
            "--json",
            "--out",
            out,
        ]);
        command.stderr(Stdio::null());
        command
    };
    let output = tune("1", &one).output().unwrap();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (name, optimum) in [("x", 3.0), ("y", -1.0)] {
        let tuned = result["tuned"][name].as_f64().unwrap();
        assert!((tuned - optimum).abs() < 0.6, "{name} {tuned}");
    }
    // The loss is minimised; the score is minus the loss.
    let mean = result["validation"]["tuned"]["mean_score"]
        .as_f64()
        .unwrap();
    let loss = result["validation"]["tuned"]["numbers"]["loss"]
        .as_f64()
        .unwrap();
    assert!(
        (mean + loss).abs() < 1e-9 && loss.abs() < 1.0,
        "{mean} {loss}"
    );
    assert_eq!(
        result["validation"]["objective"]["difference"]["verdict"],
        "better"
    );

    assert!(tune("3", &three).output().unwrap().status.success());
    assert_same_run(Path::new(&one), Path::new(&three));

    // Killed twice on its way, it ends the same.
    let parts = || {
        std::fs::read_dir(Path::new(&killed).join("tables/generations")).map_or(0, Iterator::count)
    };
    let mut child = tune("2", &killed).stdout(Stdio::null()).spawn().unwrap();
    for after in [5, 12] {
        while parts() < after && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(5));
        }
        let _ = child.kill();
        child.wait().unwrap();
        child = tiletune()
            .args(["resume", &killed])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
    }
    assert!(child.wait().unwrap().success());
    assert_same_run(Path::new(&one), Path::new(&killed));

    every_command_takes_the_program(&one);
}

/// What works for built-in players works for the program of a run.
fn every_command_takes_the_program(run: &str) {
    assert!(stdout(&["replay", run]).contains("equal: 2,000 games played again"));
    assert!(stdout(&["export", run, "--format", "csv"]).contains("x"));
    let header = stdout(&["export", run, "--format", "c-header"]);
    assert!(header.contains("static const double X = "), "{header}");
    let weights = format!("{run}/tuned.toml");
    let of_program = [
        "--player",
        "program",
        "--game",
        "external",
        "--weights",
        &weights,
        "--seed",
        "1",
    ];
    let evaluate = ["evaluate", "--json", "--games", "50"];
    let result = stdout(&[&evaluate[..], &of_program].concat());
    let result: Value = serde_json::from_str(&result).unwrap();
    assert!(
        result["numbers"]["loss"].as_f64().unwrap() < 1.0,
        "{result}"
    );
    let watched = stdout(&["play", "--run", run, "--hold-out", "tuned"]);
    assert!(watched.contains("the same as recorded"), "{watched}");
    // The start weights are clearly worse.
    let start = weights.replace("tuned.toml", "start.toml");
    let text = std::fs::read_to_string(&weights).unwrap();
    let (before, after) = text.split_once("[weights]").unwrap();
    let (_, after) = after.split_once("\n[").unwrap();
    std::fs::write(
        &start,
        format!("{before}[weights]\nx = -8\ny = 8\n\n[{after}"),
    )
    .unwrap();
    let compared = crate::common::run(&["compare", &start, &weights, "--seed", "1"]);
    assert_eq!(compared.status.code(), Some(0), "{}", stderr(&compared));
    // The declared defaults stand for published weights.
    let compared = crate::common::run(&["compare", "published", &weights, "--seed", "1", "--json"]);
    assert_ne!(compared.status.code(), Some(1), "{}", stderr(&compared));
    assert_ne!(compared.status.code(), Some(2), "{}", stderr(&compared));
    // A report needs no program.
    std::fs::remove_file(Path::new(run).with_file_name("noisy.py")).unwrap();
    let charts = Path::new(run).join("charts");
    std::fs::remove_dir_all(&charts).unwrap();
    stdout(&["report", run]);
    assert!(charts.join("score-distribution.svg").exists());
}

#[test]
fn a_program_can_stand_in_a_file_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("{GREETING}; {ANSWERS}");
    let command = serde_json::to_string(&["sh", "-c", &script]).unwrap();
    let program = format!("command = {command}\n[parameters.a]\ndefault = 0\nmin = -1\nmax = 1\n");
    std::fs::write(folder.path().join("program.toml"), program).unwrap();
    let experiment = r#"
why = "a program with two settings"
name = "rows"
seed = 1
games = 10
player = { name = "program", game = "external" }
heuristic = "program.toml"
[[row]]
name = "low"
values = { a = -1 }
[[row]]
name = "high"
values = { a = 1 }
"#;
    let path = folder.path().join("experiment.toml");
    std::fs::write(&path, experiment).unwrap();
    stdout(&[
        "ablate",
        path.to_str().unwrap(),
        "--out",
        &out(folder.path()),
    ]);
    assert!(stdout(&["replay", &out(folder.path())]).contains("equal"));
}
