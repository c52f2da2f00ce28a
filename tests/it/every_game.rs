//! Every kind of run with every game: the files do not depend on the number of threads, and `verify` and
//! `replay` find the same games. `tests/cluster` does the same with workers.

#![cfg(unix)]

use crate::common::every_game::{results, small_runs};
use crate::common::run;

#[test]
fn threads_change_nothing_and_every_run_verifies() {
    let folder = tempfile::tempdir().unwrap();
    for small in small_runs(folder.path()) {
        let play = |place: &str, threads: &str| {
            let out = folder.path().join(place).join(&small.name);
            let mut arguments: Vec<&str> = small.arguments.iter().map(String::as_str).collect();
            arguments.extend(["--threads", threads, "--out", out.to_str().unwrap(), "-q"]);
            let played = run(&arguments);
            let said = String::from_utf8_lossy(&played.stderr).into_owned();
            assert!(
                small.has_ended(played.status.code()),
                "{}: {said}",
                small.name
            );
            out
        };
        let (one, two) = (play("runs", "1"), play("again", "2"));
        let (files, others) = (results(&one), results(&two));
        assert!(files.keys().eq(others.keys()), "{}", small.name);
        for (name, bytes) in &files {
            assert!(others[name] == *bytes, "{}: {}", small.name, name.display());
        }
        // A program is started for games that are asked for.
        for command in [&["verify", "--games", "20"][..], &["replay"]] {
            let checked = run(&[command, &[one.to_str().unwrap(), "-q"]].concat());
            let said = String::from_utf8_lossy(&checked.stderr).into_owned();
            let name = &small.name;
            assert!(checked.status.success(), "{command:?} {name}: {said}");
        }
    }
}
