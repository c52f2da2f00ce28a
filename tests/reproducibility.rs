//! A campaign leaves the same bytes whatever the number of threads and however often it is
//! interrupted; and its claim can be replayed.

mod common;

use std::process::Stdio;
use std::time::Duration;

use common::{SMALL, assert_same_run, campaign_file, run, stdout, tiletune};

#[test]
fn any_number_of_threads_leaves_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), SMALL);
    let runs = ["1", "2", "5"].map(|threads| {
        let out = folder.path().join(threads);
        let arguments = [
            "tune",
            config.to_str().unwrap(),
            "--threads",
            threads,
            "--out",
        ];
        stdout(&[&arguments[..], &[out.to_str().unwrap()]].concat());
        out
    });
    assert_same_run(&runs[0], &runs[1]);
    assert_same_run(&runs[0], &runs[2]);
}

#[test]
fn killed_at_twenty_instants_and_resumed_it_ends_the_same() {
    let folder = tempfile::tempdir().unwrap();
    // Generations long enough that twenty kills find it still at work, short enough that some of
    // them fall into the writing of one.
    let config = campaign_file(folder.path(), &SMALL.replace("games = 60", "games = 150"));
    let config = config.to_str().unwrap();
    let (undisturbed, killed) = (
        folder.path().join("undisturbed"),
        folder.path().join("killed"),
    );
    stdout(&["tune", config, "--out", undisturbed.to_str().unwrap()]);

    let killed_path = killed.to_str().unwrap();
    let mut kills = 0;
    // Instants that are neither regular nor the same for a slow and a fast machine's progress.
    for attempt in 0u64.. {
        assert!(attempt < 500, "the campaign does not get on");
        let mut command = tiletune();
        if killed.join("manifest.json").exists() {
            command.args(["resume", killed_path]);
        } else {
            // Killed before it was a run: begin again in an empty directory.
            let _ = std::fs::remove_dir_all(&killed);
            command.args(["tune", config, "--out", killed_path]);
        }
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        if kills < 20 {
            std::thread::sleep(Duration::from_millis(15 + attempt * 37 % 101));
            if child.try_wait().unwrap().is_none() {
                child.kill().unwrap();
                child.wait().unwrap();
                kills += 1;
                continue;
            }
        }
        assert!(child.wait().unwrap().success());
        break;
    }
    assert!(
        kills >= 10,
        "the campaign ended after {kills} kills: make it longer"
    );
    assert_same_run(&undisturbed, &killed);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_cleanly_and_resume_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), SMALL);
    let out = folder.path().join("run");
    // Long generations, so that the interrupt falls into one, but few of them.
    let long = [
        "--set",
        "evaluation.games=3000",
        "--set",
        "evaluation.games_growth=1",
        "--set",
        "budget.generations=5",
    ];
    let child = tiletune()
        .args([
            "tune",
            config.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
        ])
        .args(long)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !out
        .join("tables/generations/generation-00000.parquet")
        .exists()
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    let interrupt = ["-INT", &child.id().to_string()].map(str::to_owned);
    std::process::Command::new("kill")
        .args(interrupt)
        .status()
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains(&format!("tiletune resume {}", out.display())),
        "{stderr}"
    );
    let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    assert!(
        manifest.contains("\"status\": \"interrupted\""),
        "{manifest}"
    );

    let report = run(&["report", out.to_str().unwrap()]);
    assert!(
        report.status.success(),
        "an unfinished run can be looked at"
    );
    stdout(&["resume", out.to_str().unwrap()]);
    let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    assert!(manifest.contains("\"status\": \"complete\""), "{manifest}");
}

#[test]
fn the_claim_of_a_run_is_replayed_by_the_command_that_it_names() {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), SMALL);
    let out = folder.path().join("run");
    stdout(&[
        "tune",
        config.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ]);
    let best: toml::Table =
        toml::from_str(&std::fs::read_to_string(out.join("best.toml")).unwrap()).unwrap();
    let claim = &best["provenance"]["hold_out"];
    let command = claim["replay"].as_str().unwrap();
    let weights = out.join("best.toml");
    let arguments: Vec<&str> = command
        .split(' ')
        .skip(1)
        .map(|argument| {
            if argument == "best.toml" {
                weights.to_str().unwrap()
            } else {
                argument
            }
        })
        .chain(["--json"])
        .collect();
    let replayed: serde_json::Value = serde_json::from_str(&stdout(&arguments)).unwrap();
    assert_eq!(replayed["mean_score"].as_f64(), claim["mean"].as_float());
    assert_eq!(
        replayed["se_score"].as_f64(),
        claim["standard_error"].as_float()
    );
}

#[test]
fn the_resolved_config_is_the_same_campaign() {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), SMALL);
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    stdout(&[
        "tune",
        config.to_str().unwrap(),
        "--set",
        "budget.generations=3",
        "--out",
        one.to_str().unwrap(),
    ]);
    let resolved = one.join("resolved.toml");
    stdout(&[
        "tune",
        resolved.to_str().unwrap(),
        "--out",
        other.to_str().unwrap(),
    ]);
    assert_same_run(&one, &other);
    let verbatim = std::fs::read_to_string(one.join("config.toml")).unwrap();
    assert_eq!(verbatim, SMALL);
}
