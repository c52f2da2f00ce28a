//! A campaign leaves the same bytes whatever the number of threads and however often it is
//! interrupted; and its claim can be replayed.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{SMALL, assert_same_run, campaign_file, run, silent, stdout, tiletune};

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

/// Whether a folder of the tables holds a file that is being written.
fn is_writing(run: &Path) -> bool {
    let tables = ["train", "candidates", "generations"].map(|table| run.join("tables").join(table));
    let mut entries = tables
        .iter()
        .filter_map(|table| std::fs::read_dir(table).ok())
        .flatten();
    entries.any(|entry| {
        entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with(".writing-"))
    })
}

fn parts(run: &Path) -> usize {
    let generations = std::fs::read_dir(run.join("tables/generations"));
    generations.map_or(0, Iterator::count)
}

#[test]
fn a_campaign_killed_six_times_ends_the_same() {
    // Enough generations that the campaign is not complete before the last kill.
    let more = ["budget.generations=80", "evaluation.games_growth=1"];
    let folder = killed_and_undisturbed(SMALL, &more, 6);
    assert_same_run(
        &folder.path().join("undisturbed"),
        &folder.path().join("killed"),
    );
}

#[test]
fn a_killed_campaign_with_games_that_pay_plays_the_same_games() {
    let text = SMALL.replace("games = 60\ngames_growth = 1.05", "games = \"auto\"");
    // A restart begins again with few games.
    let more = [
        "budget.games=6000",
        "budget.generations=400",
        "optimizer.restarts=ipop",
        "optimizer.stop_rules.tolerance_fitness=1e12",
        "evaluation.games_max=60",
        "validation.race_games=150",
    ];
    let folder = killed_and_undisturbed(&text, &more, 4);
    let [undisturbed, killed] = ["undisturbed", "killed"].map(|name| folder.path().join(name));
    assert_same_run(&undisturbed, &killed);
    let events = std::fs::read_to_string(undisturbed.join("events.jsonl")).unwrap();
    assert!(events.contains("\"event\":\"restarted\""), "{events}");
}

#[test]
fn a_killed_search_with_single_games_ends_the_same_and_verifies() {
    let text = SMALL.replace("games = 60\ngames_growth = 1.05", "games = \"auto\"");
    let more = [
        "optimizer.name=mirrored-cma-es",
        "optimizer.population=60",
        "budget.generations=60",
    ];
    let folder = killed_and_undisturbed(&text, &more, 4);
    let [undisturbed, killed] = ["undisturbed", "killed"].map(|name| folder.path().join(name));
    assert_same_run(&undisturbed, &killed);
    let tables = undisturbed.join("tables/generations");
    let run = serde_json::from_str::<serde_json::Value>(&stdout(&[
        "verify",
        killed.to_str().unwrap(),
        "--json",
    ]));
    assert!(run.is_ok(), "{}", tables.display());
}

#[test]
fn a_killed_random_search_ends_the_same_and_verifies() {
    let more = [
        "optimizer.name=random",
        "budget.generations=50",
        "evaluation.games_growth=1",
        "validation.race_games=150",
    ];
    let folder = killed_and_undisturbed(SMALL, &more, 4);
    let [undisturbed, killed] = ["undisturbed", "killed"].map(|name| folder.path().join(name));
    assert_same_run(&undisturbed, &killed);
    let events = std::fs::read_to_string(undisturbed.join("events.jsonl")).unwrap();
    assert!(events.contains("\"event\":\"race-decided\""), "{events}");

    stdout(&["verify", killed.to_str().unwrap()]);
}

/// Runs a campaign twice: once without, once with some kills. Returns the folder of the runs
/// `undisturbed` and `killed`.
fn killed_and_undisturbed(text: &str, settings: &[&str], most_kills: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), text);
    let config = config.to_str().unwrap();
    let [undisturbed, killed] = ["undisturbed", "killed"].map(|name| folder.path().join(name));
    let more: Vec<&str> = settings
        .iter()
        .flat_map(|setting| ["--set", setting])
        .collect();
    stdout(
        &[
            &["tune", config, "--out", undisturbed.to_str().unwrap()],
            &more[..],
        ]
        .concat(),
    );

    let killed_path = killed.to_str().unwrap();
    let begin = [&["tune", config, "--out", killed_path], &more[..]].concat();
    let mut kills = 0;
    while kills < most_kills {
        let arguments = if killed.join("manifest.json").exists() {
            vec!["resume", killed_path]
        } else {
            begin.clone()
        };
        let mut child = silent(&arguments);
        let begun_with = parts(&killed);
        // Every other kill happens while a file is written, the others at any time from the start of the
        // process to some generations later.
        loop {
            let more_parts = parts(&killed).saturating_sub(begun_with);
            let due = match kills % 4 {
                0 | 2 => is_writing(&killed) && more_parts >= kills % 3,
                1 => more_parts > 2,
                _ => true,
            };
            assert!(
                child.try_wait().unwrap().is_none(),
                "ended before kill {kills}"
            );
            if due {
                break;
            }
        }
        std::thread::sleep(Duration::from_micros(337 * (kills as u64 % 7)));
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success());
        kills += 1;
    }
    stdout(&["resume", killed_path]);
    folder
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_cleanly_and_resume_continues() {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), SMALL);
    let out = folder.path().join("run");
    // Few long generations, so that the interrupt happens during one.
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
    assert!(report.status.success(), "an unfinished run has a report");
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
        toml::from_str(&std::fs::read_to_string(out.join("tuned.toml")).unwrap()).unwrap();
    let claim = &best["provenance"]["hold_out"];
    let command = claim["evaluate"].as_str().unwrap();
    let weights = out.join("tuned.toml");
    let arguments: Vec<&str> = command
        .split(' ')
        .skip(1)
        .map(|argument| {
            if argument == "tuned.toml" {
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
