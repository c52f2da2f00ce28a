//! What several test programs share.
#![allow(dead_code, reason = "each test program uses a part of it")]

pub mod every_game;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tiletune::inventory::chain::Head;
use tiletune::inventory::{FILE, FileName, Fingerprint, Record};
use tiletune::run::manifest::{Manifest, Status};

/// The binary under test.
pub fn tiletune() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tiletune"));
    command.env("NO_COLOR", "1");
    command
}

/// The program of tests of clusters (`tests/cluster/program.rs`) as a build of this name.
pub fn tiletune_of_build(name: &str) -> Command {
    let mut command = example("program-for-tests");
    command.env("TILETUNE_TEST_BUILD", name);
    command
}

/// The program of an example.
pub fn example(name: &str) -> Command {
    let folder = Path::new(env!("CARGO_BIN_EXE_tiletune")).parent().unwrap();
    let program = folder.join("examples").join(name);
    let advice = format!("cargo build --example {name}, in the profile of the test");
    assert!(
        program.is_file(),
        "{} is missing: {advice}",
        program.display()
    );
    let mut command = Command::new(program);
    command.env("NO_COLOR", "1");
    command
}

/// Runs the binary to its end.
pub fn run(arguments: &[&str]) -> Output {
    tiletune().args(arguments).output().unwrap()
}

/// The binary at work, whose output nobody reads.
pub fn silent(arguments: &[impl AsRef<OsStr>]) -> Child {
    let mut command = tiletune();
    command
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Runs the binary to its end on some standard input.
pub fn run_with_input(arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
    let mut command = tiletune();
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.as_ref().to_owned();
    // From a thread of its own: the answers may fill their pipe before all of the input is read.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    output
}

/// Answers of `advise` to the lines, and its exit code.
pub fn advise(arguments: &[&str], lines: &[String]) -> (Vec<Value>, Option<i32>) {
    let output = run_with_input(&[&["advise"], arguments].concat(), lines.join("\n"));
    let text = String::from_utf8(output.stdout).unwrap();
    (records(&text), output.status.code())
}

/// The records of a text with a JSON value a line.
pub fn records(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Makes the files of a run directory, as they are now, those that the run wrote, and sets its status: as if
/// a program that works otherwise had written them.
pub fn adopt(run: &Path, status: Status) {
    let (mut list, mut list_head) = (String::new(), Head::default());
    for (name, contents) in contents(run) {
        let name = name.to_str().unwrap();
        let is_inside = ["runs/", "retuned/"]
            .iter()
            .any(|folder| name.starts_with(folder));
        if name.ends_with(".jsonl") && name != FILE && !is_inside {
            let mut head = Head::default();
            let text = String::from_utf8(contents).unwrap();
            let lines = text.split_inclusive('\n').map(|line| {
                let Some(line) = line.strip_suffix('\n') else {
                    return line.to_owned();
                };
                let mut record: serde_json::Map<_, _> = serde_json::from_str(line).unwrap();
                record.shift_remove("check");
                head.seal(&serde_json::to_string(&record).unwrap()) + "\n"
            });
            let text: String = lines.collect();
            std::fs::write(run.join(name), text).unwrap();
        } else if !is_inside && ![FILE, ".lock", "manifest.json"].contains(&name) {
            let record = Record {
                file: FileName::new(name).unwrap(),
                written: Some(Fingerprint::of(&contents)),
            };
            list += &list_head.seal(&serde_json::to_string(&record).unwrap());
            list.push('\n');
        }
    }
    std::fs::write(run.join(FILE), list).unwrap();
    let mut manifest = Manifest::read(&run.join("manifest.json")).unwrap();
    manifest.status = status;
    manifest.write(run).unwrap();
}

/// Every file below a run directory but those that grow with each report.
pub fn without_list(run: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = contents(run);
    files.retain(|name, _| {
        ![FILE, "manifest.json"]
            .map(Path::new)
            .contains(&name.as_path())
    });
    files
}

/// Copies the files of a folder.
pub fn copy(from: &Path, to: &Path) {
    for (name, contents) in contents(from) {
        let path = to.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    }
}

/// Standard output of a run that must succeed.
pub fn stdout(arguments: &[&str]) -> String {
    let output = run(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// A campaign at depth 0 that takes about a second: small, but with every part of a real one.
pub const SMALL: &str = r#"
why = "a small campaign for the tests"
name = "small"
seed = 7

[player]
name = "expectimax"
depth = 0

[evaluation]
games = 60
games_growth = 1.05
[optimizer]
name = "cma-es"
population = 8

[budget]
generations = 25

[validation]
games = 200
resamples = 500

[parameters.empty]
scale = "log"
min = 10

[parameters.monotonicity]
[parameters.monotonicity_power]
[parameters.smoothness]
fixed = true
start = 5
[parameters.merges_outer]
[parameters.merges_inner]
integer = true
"#;

/// Writes a campaign file into a folder.
pub fn campaign_file(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("campaign.toml");
    std::fs::write(&path, text).unwrap();
    path
}

/// Plays [`SMALL`] in a results folder, as the run `small`.
pub fn small_run(results: &Path) {
    let campaign = campaign_file(results, SMALL);
    let run = results.join("small");
    let [campaign, run] = [&campaign, &run].map(|path| path.to_str().unwrap());
    stdout(&["tune", campaign, "--out", run, "--quiet"]);
}

/// Every file below a folder with its contents.
pub fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(root, &path, found);
            } else {
                let name = path.strip_prefix(root).unwrap().to_owned();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    collect(folder, folder, &mut found);
    found
}

/// Everything of a run that does not depend on clocks or machines.
pub fn timeless(run: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = contents(&run.join("tables"));
    for name in [
        "resolved.toml",
        "events.jsonl",
        "validation.json",
        "best.toml",
        "tuned.toml",
    ] {
        files.insert(name.into(), std::fs::read(run.join(name)).unwrap());
    }
    // Only of an optimizer that has a distribution.
    if let Ok(bytes) = std::fs::read(run.join("distribution.json")) {
        files.insert("distribution.json".into(), bytes);
    }
    files
}

/// Asserts that two runs left the same bytes.
pub fn assert_same_run(one: &Path, other: &Path) {
    assert_same_files(&timeless(one), &timeless(other));
}

/// Asserts that two sets of files have the same names and bytes.
pub fn assert_same_files(one: &BTreeMap<PathBuf, Vec<u8>>, other: &BTreeMap<PathBuf, Vec<u8>>) {
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(one), names(other));
    for (name, bytes) in one {
        assert!(other[name] == *bytes, "{} differs", name.display());
    }
}
