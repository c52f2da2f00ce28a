//! Files that a user names, and files of other people: what is no regular file, or is too large, is refused at once
//! with one message, wherever it is named.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::{run, run_with_input, tiletune};

/// Time within which a command refuses an input. On a busy machine starting the process takes several seconds of it.
const SOON: Duration = Duration::from_secs(30);

/// Most memory that a command may take meanwhile.
const MEMORY: &str = "ulimit -v 2000000; exec \"$@\"";

/// Runs a command with little memory; returns its exit code and its messages.
fn limited(arguments: &[&str]) -> (Option<i32>, String) {
    let (begun, program) = (Instant::now(), tiletune());
    let mut shell = Command::new("sh");
    shell.args(["-c", MEMORY, "sh"]).arg(program.get_program());
    for (key, value) in program.get_envs() {
        shell.env(key, value.unwrap());
    }
    let output = shell.args(arguments).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    // A message about a file is broken into lines.
    let words: Vec<&str> = stderr
        .split_whitespace()
        .filter(|word| *word != "│")
        .collect();
    let stderr = words.join(" ");
    assert!(begun.elapsed() < SOON, "{arguments:?}: {stderr}");
    assert!(output.stdout.is_empty(), "{arguments:?} prints a result");
    (output.status.code(), stderr)
}

/// Commands that read the file `{}`.
const NAMED: &[&[&str]] = &[
    &["tune", "{}", "--dry-run"],
    &["ablate", "{}", "--dry-run"],
    &["compare", "{}", "greedy", "--dry-run"],
    &["compare", "greedy", "{}", "--dry-run"],
    &[
        "evaluate",
        "--player",
        "expectimax",
        "--games",
        "1",
        "--seed",
        "1",
        "--weights",
        "{}",
    ],
    &[
        "evaluate",
        "--player",
        "expectimax",
        "--games",
        "1",
        "--seed",
        "1",
        "--heuristic",
        "{}",
    ],
    &["play", "--player", "expectimax", "--weights", "{}"],
    &["advise", "--player", "expectimax", "--weights", "{}"],
    &["advise", "--player", "expectimax", "--heuristic", "{}"],
    &["export", "{}", "--format", "json"],
    &["replay", "{}"],
    &["list", "heuristics", "{}"],
    &[
        "serve",
        "--listen",
        "127.0.0.1",
        "--port",
        "0",
        "--token-file",
        "{}",
    ],
    &[
        "cluster",
        "--nats",
        "nats://127.0.0.1:1",
        "--nats-token-file",
        "{}",
    ],
    &[
        "cluster",
        "--nats",
        "nats://127.0.0.1:1",
        "--nats-nkey",
        "{}",
    ],
    &[
        "cluster",
        "--nats",
        "nats://127.0.0.1:1",
        "--nats-creds",
        "{}",
    ],
    &["cluster", "--nats", "nats://127.0.0.1:1", "--nats-ca", "{}"],
    &["tune", "start.toml", "--dry-run"],
    &["tune", "own.toml", "--dry-run"],
    &["ablate", "published.toml", "--dry-run"],
];

/// Writes files that name another one.
fn write_files(folder: &Path, named: &str) -> std::io::Result<()> {
    let campaign = |more: &str| {
        format!(
            "why = 'w'\nname = 'n'\nplayer = {{ name = 'expectimax', depth = 0 }}\n\
             budget = {{ generations = 1 }}\n{more}"
        )
    };
    let start = format!("start = {{ weights = '{named}' }}\nparameters = {{ empty = {{}} }}\n");
    std::fs::write(folder.join("start.toml"), campaign(&start))?;
    let own = campaign(&format!("heuristic = '{named}'\n"));
    std::fs::write(folder.join("own.toml"), own)?;
    let published = format!(
        "why = 'w'\nname = 'n'\nseed = 1\ngames = 2\npublished = '{named}'\n\
         row = [{{ name = 'a', player = {{ name = 'greedy' }} }}]\n"
    );
    std::fs::write(folder.join("published.toml"), published)
}

#[test]
fn every_named_file_is_regular_and_small() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let made = Command::new("mkfifo").arg(at("pipe")).status();
    assert!(made.unwrap().success());
    File::create(at("sparse.toml"))
        .unwrap()
        .set_len(5 << 30)
        .unwrap();
    std::fs::write(
        at("large.toml"),
        "a = [\n".to_owned() + &"1,\n".repeat(20 << 20),
    )
    .unwrap();
    let (pipe, sparse, large) = (at("pipe"), at("sparse.toml"), at("large.toml"));
    let cases = [
        (Path::new("/dev/zero"), "a pipe, socket or device"),
        (&pipe, "a pipe, socket or device"),
        (folder.path(), "directory"),
        (&sparse, "at most 4194304 are allowed"),
        (&large, "at most 4194304 are allowed"),
    ];
    for (path, words) in cases {
        let path = path.to_str().unwrap();
        write_files(folder.path(), path).unwrap();
        for arguments in NAMED {
            let own = |one: &&str| {
                at(one)
                    .is_file()
                    .then(|| at(one).to_str().unwrap().to_owned())
            };
            let arguments: Vec<String> = arguments
                .iter()
                .map(|one| own(one).unwrap_or_else(|| one.replace("{}", path)))
                .collect();
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let (code, stderr) = limited(&arguments);
            // Some commands read a run directory in the place of a file.
            let is_run = path == folder.path().to_str().unwrap() && stderr.contains("run");
            assert!(
                code == Some(2) || is_run && code == Some(1),
                "{arguments:?}: {code:?} {stderr}"
            );
            assert!(stderr.contains(words) || is_run, "{arguments:?}: {stderr}");
            assert!(stderr.contains(path), "{arguments:?}: {stderr}");
        }
    }
}

#[test]
fn large_files_in_a_folder_of_runs_take_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_str().unwrap();
    for (run, file) in [
        ("a", "manifest.json"),
        ("b", "files.jsonl"),
        ("c", "resolved.toml"),
    ] {
        let run = folder.path().join(run);
        std::fs::create_dir(&run).unwrap();
        std::fs::write(run.join("manifest.json"), "{}").unwrap();
        File::create(run.join(file))
            .unwrap()
            .set_len(5 << 30)
            .unwrap();
    }
    let begun = Instant::now();
    let output = run(&["runs", root]);
    assert!(begun.elapsed() < SOON);
    let listed = String::from_utf8_lossy(&output.stdout);
    assert!(listed.contains("5368709120 bytes"), "{listed}");
    for command in ["report", "resume", "verify"] {
        let (code, stderr) = limited(&[command, &format!("{root}/a")]);
        assert_eq!(code, Some(1), "{stderr}");
        assert!(stderr.contains("5368709120 bytes"), "{stderr}");
    }
}

#[test]
fn a_line_of_any_length_is_answered() {
    let long = format!("{{\"board\":[{}]}}", "0,".repeat(1 << 20));
    let good = r#"{"board":[2,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}"#;
    let input = [&long, good, &long].join("\n");
    let output = run_with_input(&["advise", "--player", "greedy"], input);
    assert_eq!(output.status.code(), Some(2));
    let stdout = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = stdout.lines().collect();
    let wanted = "{\"error\":\"line 1 is longer than 65536 bytes\"}";
    assert_eq!((lines.len(), lines[0]), (3, wanted));
    assert!(lines[1].contains("\"move\""), "{}", lines[1]);
    let zero = File::open("/dev/zero").unwrap();
    let endless = tiletune()
        .args(["advise", "--player", "greedy"])
        .stdin(zero)
        .output();
    let endless = endless.unwrap();
    assert_eq!(endless.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(endless.stdout).unwrap(),
        wanted.to_owned() + "\n"
    );
}
