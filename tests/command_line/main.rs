//! The command line: output, exit codes and error messages.

#[path = "../common/mod.rs"]
mod common;

mod answers;
mod mistakes;
mod names;
mod runs;
mod widths;

use std::path::Path;

use common::{SMALL, adopt, campaign_file, run, stdout};
use tiletune::run::manifest::Status;

/// Exit code and standard error of a run.
fn failure(arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(arguments);
    assert!(output.stdout.is_empty(), "{arguments:?} printed data");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!stderr.contains("panicked"), "{stderr}");
    (output.status.code(), stderr)
}

/// The words of a message. Long messages are wrapped; what is said does not depend on where.
fn words(stderr: &str) -> String {
    let text = stderr.replace('│', " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Asserts that `tune` refuses a campaign file with exit code 2, says all of `said`, and makes
/// nothing.
fn refused(text: &str, said: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), text);
    let out = folder.path().join("run");
    let (code, stderr) = failure(&[
        "tune",
        config.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ]);
    assert_eq!(code, Some(2), "{stderr}");
    let words = words(&stderr);
    for said in said {
        assert!(words.contains(said), "`{said}` is not in: {stderr}");
    }
    assert!(!out.exists(), "something was made");
}

/// A complete run in a folder.
fn complete_run(folder: &Path) -> std::path::PathBuf {
    let config = campaign_file(folder, SMALL);
    let out = folder.join("run");
    stdout(&[
        "tune",
        config.to_str().unwrap(),
        "--set",
        "budget.generations=4",
        "--out",
        out.to_str().unwrap(),
    ]);
    out
}

/// A run that was killed just before it was complete.
fn interrupted_run(folder: &Path) -> std::path::PathBuf {
    let run = complete_run(folder);
    adopt(&run, Status::Running);
    run
}
