//! `tiletune ablate` as a user meets it: the run directory, what is published, and the studies of
//! this repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use crate::common::{adopt, contents, run, silent, stdout, tiletune, without_list};
use serde_json::Value;
use tiletune::run::manifest::Status;

const SMALL: &str = "why = 'to see'
name = 'small'
seed = 7
games = 30
tile = 64
baseline = 'combined'
reference = 'counts.csv'
published = 'counts.csv'

[player]
name = 'minimax-six'
depth = 2

[[row]]
name = 'empty, alone'
values = { smooth = 0, mono = 0, max_level = 0 }
reference = 'elsewhere'
published = 'elsewhere'

[[row]]
name = 'combined'
";

const COUNTS: &str =
    "# made up\nrow,log2_max_tile,games\nelsewhere,7,30\nelsewhere,8,60\nelsewhere,9,10\n";

/// An experiment in a folder of its own.
fn experiment(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("experiment.toml");
    std::fs::write(&path, text).unwrap();
    std::fs::write(folder.join("counts.csv"), COUNTS).unwrap();
    path
}

fn ablate(config: &Path, out: &Path, more: &[&str]) -> std::process::Output {
    let (config, out) = (config.to_str().unwrap(), out.to_str().unwrap());
    run(&[&["ablate", config, "--out", out], more].concat())
}

#[test]
fn an_experiment_leaves_a_whole_run_directory() {
    let folder = tempfile::tempdir().unwrap();
    let config = experiment(folder.path(), SMALL);
    let out = folder.path().join("run");
    let output = ablate(&config, &out, &["--json", "--publish"]);
    let results: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(results["rows"][0]["games"], 30);
    assert_eq!(results["rows"][0]["agreement"]["reference_games"], 100);
    assert_eq!(results["rows"][0]["comparison"]["comparisons"], 1);
    assert_eq!(results["rows"][1]["comparison"], Value::Null);
    assert_eq!(
        std::fs::read_to_string(out.join("config.toml")).unwrap(),
        SMALL
    );
    let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    assert!(manifest.contains("\"status\": \"complete\""), "{manifest}");
    for chart in ["overlay", "rows", "reach", "difference"] {
        for extension in ["png", "csv"] {
            let name = format!("charts/{chart}.{extension}");
            let made = std::fs::read(out.join(&name)).unwrap();
            assert_eq!(made, std::fs::read(folder.path().join(&name)).unwrap());
        }
        let drawing = format!("charts/{chart}.svg");
        assert!(out.join(&drawing).is_file() && !folder.path().join(&drawing).exists());
    }
    for name in ["results.csv", "timing.csv"] {
        assert!(folder.path().join(name).is_file(), "{name}");
    }
    let csv = std::fs::read_to_string(out.join("results.csv")).unwrap();
    assert!(csv.contains("\n\"empty, alone\",30,"), "{csv}");
    // A row is the games of `evaluate`.
    let evaluated = stdout(&[
        "evaluate",
        "--player",
        "minimax-six",
        "--depth",
        "2",
        "--games",
        "30",
        "--seed",
        "7",
        "--json",
    ]);
    let evaluated: Value = serde_json::from_str(&evaluated).unwrap();
    assert_eq!(evaluated["mean_score"], results["rows"][1]["mean_score"]);
}

#[test]
fn report_draws_the_same_again_from_the_directory_alone() {
    let folder = tempfile::tempdir().unwrap();
    let config = experiment(folder.path(), SMALL);
    let out = folder.path().join("run");
    assert!(ablate(&config, &out, &["--quiet"]).status.success());
    let before = without_list(&out);
    for name in ["report.html", "results.json", "results.csv", "timing.csv"] {
        std::fs::remove_file(out.join(name)).unwrap();
    }
    std::fs::remove_dir_all(out.join("charts")).unwrap();
    std::fs::remove_file(folder.path().join("counts.csv")).unwrap();
    let path = out.to_str().unwrap();
    let report: Value = serde_json::from_str(&stdout(&["report", path, "--json"])).unwrap();
    let listed: Value = serde_json::from_str(&stdout(&["list", "charts", "--json"])).unwrap();
    let listed = listed.as_array().unwrap().iter();
    let listed = listed.filter(|chart| chart["kind"] == "experiment");
    let charts = listed.map(|chart| &chart["chart"]);
    // Those of a game of two, of moved parameters and of rows tuned again it does not have.
    let missing = ["results", "mistakes", "importance", "retuned"];
    let charts = charts.filter(|chart| !missing.iter().any(|name| *chart == name));
    let charts: Vec<&Value> = charts.collect();
    assert_eq!(report["charts"], serde_json::json!(charts));
    assert_eq!(without_list(&out), before);

    let output = run(&["resume", path]);
    assert!(output.status.success());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("the run is already complete"), "{stderr}");
    assert_eq!(without_list(&out), before);

    let output = run(&["play", "--run", path, "--hold-out", "start"]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("is an experiment, and only games of a campaign"),
        "{stderr}"
    );
}

/// Four players, each of whom plays for long enough to be interrupted.
const LONG: &str = "why = 'to be interrupted'
name = 'long'
seed = 7
games = 3000
resamples = 100
player = { name = 'minimax-six', depth = 2 }

[[generate]]
kind = 'each-left-out'
terms = ['mono', 'empty_cells', 'max_level']
";

/// Everything of an experiment that does not depend on clocks or machines.
fn timeless(run: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = contents(run);
    let is_timeless = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap();
        // The report of a campaign has its times.
        let others = ["manifest.json", "files.jsonl", "config.toml", "report.html"];
        !(name.starts_with("timing.") || others.contains(&name))
    };
    files.retain(|path, _| is_timeless(path));
    files
}

fn complete_rows(run: &Path) -> usize {
    let entries = std::fs::read_dir(run.join("tables/games"));
    entries.map_or(0, |entries| {
        let names = entries.filter_map(|entry| entry.unwrap().file_name().into_string().ok());
        names.filter(|name| name.ends_with(".parquet")).count()
    })
}

#[test]
fn killed_and_resumed_it_ends_the_same_and_plays_no_complete_row_again() {
    let folder = tempfile::tempdir().unwrap();
    let config = experiment(folder.path(), LONG);
    let [undisturbed, killed] = ["undisturbed", "killed"].map(|name| folder.path().join(name));
    assert!(ablate(&config, &undisturbed, &["-q"]).status.success());

    let path = killed.to_str().unwrap();
    let begin = ["ablate", config.to_str().unwrap(), "--out", path];
    let mut killed_at_work = 0;
    for kill in 0..6_u32 {
        let is_begun = killed.join("manifest.json").exists();
        let arguments = if is_begun {
            &["resume", path][..]
        } else {
            &begin
        };
        let mut child = silent(arguments);
        let begun_with = complete_rows(&killed);
        // Just after a row is complete, or while one is played.
        let is_due = || match kill % 2 {
            0 => complete_rows(&killed) > begun_with,
            _ => killed.join("manifest.json").exists(),
        };
        while !is_due() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(u64::from(7 * kill)));
        let _ = child.kill();
        killed_at_work += u32::from(!child.wait().unwrap().success());
    }
    assert!(killed_at_work > 3, "{killed_at_work} kills");
    let first_row = killed.join("tables/games/row-000.parquet");
    let written = std::fs::metadata(&first_row).unwrap().modified().unwrap();
    stdout(&["resume", path]);
    let still = std::fs::metadata(&first_row).unwrap().modified().unwrap();
    assert_eq!(written, still, "the first row was played again");
    assert_eq!(timeless(&undisturbed), timeless(&killed));
}

#[test]
fn killed_within_a_row_it_plays_no_complete_block_again() {
    const GAMES: u64 = 6000;
    const BLOCK: u64 = GAMES / 32;
    let folder = tempfile::tempdir().unwrap();
    let row = format!("[[row]]\nname = 'only'\ngames = {GAMES}\n");
    let text = LONG.split("[[generate]]").next().unwrap().to_owned() + &row;
    let config = experiment(folder.path(), &text);
    let [undisturbed, killed] = ["undisturbed", "killed"].map(|name| folder.path().join(name));
    assert!(ablate(&config, &undisturbed, &["-q"]).status.success());

    let blocks = || {
        let entries = std::fs::read_dir(killed.join("tables/blocks"));
        let names = entries.map(|entries| entries.map(|entry| entry.unwrap().file_name()));
        let names: Vec<_> = names.into_iter().flatten().collect();
        names
            .iter()
            .filter(|name| !name.to_string_lossy().starts_with('.'))
            .count() as u64
    };
    let path = killed.to_str().unwrap();
    let begin = ["ablate", config.to_str().unwrap(), "--out", path];
    let mut kept = 0;
    // A resumed process continues the blocks of the one before.
    for arguments in [&begin[..], &["resume", path]] {
        let mut child = silent(arguments);
        while blocks() < kept + 3 {
            assert!(child.try_wait().unwrap().is_none(), "ended before the kill");
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success());
        kept = blocks();
        assert!((3..32).contains(&kept) && complete_rows(&killed) == 0);
    }

    stdout(&["resume", path]);
    assert_eq!(timeless(&undisturbed), timeless(&killed));
    assert_eq!(blocks(), 0);
    // What is timed is what was played.
    let timing = std::fs::read_to_string(killed.join("timing.jsonl")).unwrap();
    let timing: Value = serde_json::from_str(&timing).unwrap();
    assert_eq!(timing["games"], GAMES - kept * BLOCK);
}

#[cfg(unix)]
#[test]
fn an_interrupt_says_how_to_go_on_and_what_is_played_can_be_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    // The second row would take minutes.
    let rows = "[[row]]\nname = 'quick'\n\n[[row]]\nname = 'x'\n\
                player = { name = 'snake', depth = 6 }\n\n[[generate]]";
    let text = LONG.replace("[[generate]]", rows);
    let config = experiment(folder.path(), &text);
    let out = folder.path().join("my run");
    let path = out.to_str().unwrap();
    let child = tiletune()
        .args(["ablate", config.to_str().unwrap(), "--out", path])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while complete_rows(&out) == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    let mut kill = std::process::Command::new("kill");
    assert!(kill.args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let stderr = String::from_utf8(output.stderr).unwrap();
    let message = format!("interrupted; to continue: tiletune resume '{path}'\n");
    assert!(stderr.contains(&message), "{stderr}");
    let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    assert!(
        manifest.contains("\"status\": \"interrupted\""),
        "{manifest}"
    );

    let report = run(&["report", path]);
    assert!(report.status.success());
    let stderr = String::from_utf8(report.stderr).unwrap();
    assert!(
        stderr.contains("1 of 6 rows have been played so far"),
        "{stderr}"
    );
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("Not yet played: x, all terms,"), "{report}");

    let export = run(&["export", path, "--format", "json"]);
    assert_eq!(export.status.code(), Some(2));
    let stderr = String::from_utf8(export.stderr).unwrap();
    assert!(stderr.contains("this run tunes no weights"), "{stderr}");
}

#[test]
fn tables_that_are_not_those_of_the_experiment_are_not_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let config = experiment(folder.path(), SMALL);
    let out = folder.path().join("run");
    assert!(ablate(&config, &out, &["-q"]).status.success());
    std::fs::remove_file(out.join("tables/games/row-001.parquet")).unwrap();
    let edit = |name: &str, from: &str, to: &str| {
        let text = std::fs::read_to_string(out.join(name)).unwrap();
        assert!(text.contains(from), "{text}");
        std::fs::write(out.join(name), text.replace(from, to)).unwrap();
        text
    };
    let refused = |said: &str| {
        adopt(&out, Status::Interrupted);
        let output = run(&["resume", out.to_str().unwrap()]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(said), "{stderr}");
    };
    let resolved = edit("resolved.toml", "empty_cells = 3", "empty_cells = -3");
    refused("row `empty, alone`: this program plays the game of seed");
    std::fs::write(out.join("resolved.toml"), &resolved).unwrap();
    edit("resolved.toml", "seed = 7", "seed = 8");
    refused("row-000.parquet: these are not the games of row `empty, alone`");
    std::fs::write(out.join("resolved.toml"), &resolved).unwrap();
    adopt(&out, Status::Interrupted);
    stdout(&["resume", out.to_str().unwrap()]);
}

#[test]
fn results_do_not_depend_on_threads_and_resolve_again() {
    let folder = tempfile::tempdir().unwrap();
    let config = experiment(folder.path(), SMALL);
    let (one, three) = (folder.path().join("one"), folder.path().join("three"));
    assert!(ablate(&config, &one, &["--threads", "1"]).status.success());
    let resolved = one.join("resolved.toml");
    assert!(
        ablate(&resolved, &three, &["--threads", "3"])
            .status
            .success()
    );
    for name in [
        "resolved.toml",
        "results.json",
        "results.csv",
        "report.html",
        "charts/rows.svg",
        "tables/games/row-000.parquet",
        "tables/games/row-001.parquet",
    ] {
        let [one, three] = [&one, &three].map(|run| std::fs::read(run.join(name)).unwrap());
        assert_eq!(one, three, "{name}");
    }
    assert!(!ablate(&config, &one, &[]).status.success(), "written over");
}

#[test]
fn a_mistake_is_told_with_its_place_and_makes_nothing() {
    for (from, to, said) in [
        ("games = 30", "gams = 30", "did you mean `games`?"),
        ("mono = 0", "mno = 0", "experiment.toml:16:"),
        (
            "reference = 'elsewhere'",
            "reference = 'elswhere'",
            "did you mean `elsewhere`?",
        ),
        ("'counts.csv'", "'nowhere.csv'", "nowhere.csv"),
        ("depth = 2", "depth = 1", "experiment.toml:12:1"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let config = experiment(folder.path(), &SMALL.replace(from, to));
        let before = contents(folder.path());
        let output = ablate(&config, &folder.path().join("run"), &[]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(said), "`{said}` is not in: {stderr}");
        assert_eq!(contents(folder.path()), before);
    }
}

#[test]
fn what_is_set_is_not_published() {
    let folder = tempfile::tempdir().unwrap();
    let config = experiment(folder.path(), SMALL);
    let out = folder.path().join("run");
    let output = ablate(&config, &out, &["--set", "games=5", "--publish"]);
    assert_eq!(output.status.code(), Some(2));
    let output = ablate(&config, &out, &["--set", "games=20", "--verbose"]);
    assert!(output.status.success());
    assert!(!folder.path().join("charts").exists());
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("p (Holm)"), "{table}");
    let output = run(&["resume", out.to_str().unwrap()]);
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(!table.contains("p (Holm)"), "{table}");
    assert!(
        table
            .lines()
            .all(|line| line.chars().count() < 100 || !line.starts_with('|'))
    );
}

#[test]
fn a_run_is_published_when_it_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let config = experiment(folder.path(), SMALL);
    let (out, file) = (folder.path().join("run"), config.to_str().unwrap());
    assert!(ablate(&config, &out, &[]).status.success());
    let out = out.to_str().unwrap();
    let refused = |run_of: &str, file: &str, said: &str| {
        let output = run(&["resume", run_of, "--publish", file]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(said), "{stderr}");
    };
    let other = folder.path().join("other.toml");
    std::fs::write(&other, SMALL.replace("seed = 7", "seed = 8")).unwrap();
    refused(
        out,
        other.to_str().unwrap(),
        "other.toml: not the experiment of this run",
    );
    refused(
        out,
        out,
        "this is a run directory, not the file of an experiment",
    );
    let compared = folder.path().join("compared");
    let compared = compared.to_str().unwrap();
    // Its exit code is the verdict.
    run(&[
        "compare",
        "greedy",
        "random",
        "--max-games",
        "100",
        "--seed",
        "1",
        "--out",
        compared,
    ]);
    refused(
        compared,
        file,
        "the directory of a comparison; --publish is for that of an experiment",
    );
    assert!(!folder.path().join("charts").exists());
    stdout(&["resume", out, "--publish", file]);
    for name in ["results.csv", "charts/difference.png"] {
        let copy = std::fs::read(folder.path().join(name)).unwrap();
        assert_eq!(copy, std::fs::read(Path::new(out).join(name)).unwrap());
    }
    // The table is replaced.
    std::fs::write(folder.path().join("results.csv"), "old").unwrap();
    stdout(&["resume", out, "--publish", file]);
    assert_ne!(
        std::fs::read(folder.path().join("results.csv")).unwrap(),
        b"old"
    );
}

/// A term is left out with fixed weights and with the rest tuned again, beside a control.
const RETUNED: &str = "why = 'to be tuned again'
name = 'retuned'
seed = 7
games = 40
resamples = 100
player = { name = 'minimax-six', depth = 2 }

[retune]
games = 400
evaluation = { games = 5 }
optimizer = { population = 8 }

[[generate]]
kind = 'each-left-out'
retune = true
terms = ['mono']
";

/// The value of a weight in `tuned.toml` of a campaign.
fn tuned(run: &Path, key: &str) -> f64 {
    let best = std::fs::read_to_string(run.join("tuned.toml")).unwrap();
    let best: toml::Table = best.parse().unwrap();
    best["weights"][key].as_float().unwrap()
}

#[test]
fn rows_play_with_weights_that_campaigns_inside_the_run_tune() {
    let folder = tempfile::tempdir().unwrap();
    let config = experiment(folder.path(), RETUNED);
    let [undisturbed, killed] = ["undisturbed", "killed"].map(|name| folder.path().join(name));
    let output = ablate(&config, &undisturbed, &["--json", "--publish"]);
    let results: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = results["rows"].as_array().unwrap();
    let names = rows.iter().map(|row| row["name"].as_str().unwrap());
    let expected = [
        "all terms",
        "all terms (retuned)",
        "without mono",
        "without mono (retuned)",
    ];
    assert!(names.eq(expected), "{results}");
    let campaign = undisturbed.join("retuned/row-003");
    let smooth = tuned(&campaign, "smooth");
    assert_eq!(rows[3]["weights"]["smooth"], smooth);
    assert_eq!(
        (&rows[3]["weights"]["mono"], tuned(&campaign, "mono")),
        (&0.0.into(), 0.0)
    );
    assert_ne!(rows[2]["weights"]["smooth"], smooth);
    assert_eq!(
        results["retuned"][1]["retuned"][0]["control"],
        "all terms (retuned)"
    );
    let published = std::fs::read_to_string(folder.path().join("weights.csv")).unwrap();
    let weight = format!("\nwithout mono (retuned),smooth,{smooth}\n");
    assert!(published.contains(&weight), "{published}");
    // The games of the row are those of `evaluate` with these weights.
    let best = campaign.join("tuned.toml");
    let evaluated = stdout(&[
        "evaluate",
        "--player",
        "minimax-six",
        "--depth",
        "2",
        "--games",
        "40",
        "--seed",
        "7",
        "--weights",
        best.to_str().unwrap(),
        "--json",
    ]);
    let evaluated: Value = serde_json::from_str(&evaluated).unwrap();
    assert_eq!(evaluated["mean_score"], rows[3]["mean_score"]);

    // Killed while a campaign is tuned, or later.
    let path = killed.to_str().unwrap();
    let begin = [
        "ablate",
        config.to_str().unwrap(),
        "--out",
        path,
        "--threads",
        "1",
    ];
    let generations = || {
        let of_row = |row: &str| {
            let folder = killed.join("retuned").join(row).join("tables/generations");
            std::fs::read_dir(folder).map_or(0, Iterator::count)
        };
        of_row("row-001") + of_row("row-003")
    };
    let mut killed_at_work = 0;
    for kill in 0..5_usize {
        let arguments = if killed.join("manifest.json").exists() {
            &["resume", path][..]
        } else {
            &begin
        };
        let mut child = silent(arguments);
        let is_due = || generations() > 4 * kill;
        while !is_due() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = child.kill();
        killed_at_work += usize::from(!child.wait().unwrap().success());
        if kill == 1 {
            // The row of a campaign that is not complete is not played yet.
            let report: Value = serde_json::from_str(&stdout(&["report", path, "--json"])).unwrap();
            assert!(report["charts"].is_array(), "{report}");
            let text = std::fs::read_to_string(killed.join("report.html")).unwrap();
            assert!(
                text.contains("Not yet played: all terms, all terms (retuned)"),
                "{text}"
            );
        }
    }
    assert!(killed_at_work > 2, "{killed_at_work} kills");
    stdout(&["resume", path]);
    assert_eq!(timeless(&undisturbed), timeless(&killed));

    // A campaign of another configuration is refused, and so are other weights.
    let edit = |file: &Path, from: &str, to: &str| {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains(from), "{from} is not in {text}");
        std::fs::write(file, text.replacen(from, to, 1)).unwrap();
    };
    let refused = |said: &str| {
        let output = run(&["resume", path]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(said), "{stderr}");
    };
    adopt(&killed, Status::Interrupted);
    let resolved = killed.join("retuned/row-003/resolved.toml");
    edit(&resolved, "population = 8", "population = 9");
    adopt(&killed.join("retuned/row-003"), Status::Complete);
    refused("this program would run another configuration here");
    edit(&resolved, "population = 9", "population = 8");
    adopt(&killed.join("retuned/row-003"), Status::Complete);
    std::fs::remove_file(killed.join("retuned/row-003/tuned.toml")).unwrap();
    let output = run(&["report", path]);
    assert_eq!(output.status.code(), Some(1));
}

/// The seed was in the file before the first run; the reference is that of an independent
/// implementation.
#[test]
fn the_single_heuristic_study_agrees_with_its_reference_and_a_wrong_feature_does_not() {
    let text = include_str!("../../experiments/2048/single-heuristic/experiment.toml");
    let wrong = text.replace("depth = 6", "depth = 6\nsmooth_form = \"intended\"");
    let folder = tempfile::tempdir().unwrap();
    for name in ["published.csv", "reference.csv"] {
        let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/2048/single-heuristic");
        std::fs::copy(study.join(name), folder.path().join(name)).unwrap();
    }
    let p_of_smooth = |text: &str, name: &str| {
        let config = experiment(folder.path(), text);
        let output = ablate(&config, &folder.path().join(name), &["--json"]);
        let results: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = results["rows"].as_array().unwrap().clone();
        let p = |row: &Value| row["agreement"]["p_holm"].as_f64().unwrap();
        (p(&rows[0]), rows.iter().map(p).fold(1.0, f64::min))
    };
    let (_, smallest) = p_of_smooth(text, "right");
    assert!(smallest > 0.01, "{smallest}");
    let (smooth, _) = p_of_smooth(&wrong, "wrong");
    assert!(smooth < 0.01, "{smooth}");
}

const YARDSTICK: &str = "why = 'to see'
name = 'small'
seed = 7
games = 20
baseline = 'lots'

[yardstick]
player = { name = 'perfect', game = 'connect-four', rows = 4, columns = 5 }
positions = 100
moves = 2

[[row]]
name = 'lots'
player = { name = 'random', game = 'connect-four', rows = 4, columns = 5 }

[[row]]
name = 'strings'
player = { name = 'strings', game = 'connect-four', rows = 4, columns = 5, depth = 6 }

[[row]]
name = 'perfect'
player = { name = 'perfect', game = 'connect-four', rows = 4, columns = 5 }
";

#[test]
fn a_yardstick_measures_single_moves_and_goes_on_where_it_stood() {
    let folder = tempfile::tempdir().unwrap();
    let config = experiment(folder.path(), YARDSTICK);
    let out = folder.path().join("run");
    let output = ablate(&config, &out, &["--json"]);
    let results: Value = serde_json::from_slice(&output.stdout).unwrap();
    let kept = |row: usize| &results["rows"][row]["kept"];
    assert_eq!(kept(2)["share"], 1.0);
    let shares = [0, 1, 2].map(|row| kept(row)["share"].as_f64().unwrap());
    assert!(shares.is_sorted() && shares[0] < 0.9, "{shares:?}");
    assert_eq!(kept(0)["comparison"], Value::Null);
    let compared = &kept(2)["comparison"];
    assert_eq!(
        (&compared["baseline"], &compared["only_baseline"]),
        (&"lots".into(), &0.into())
    );
    let p = compared["p"].as_f64().unwrap();
    let split = compared["only_row"].as_i64().unwrap();
    assert!((p - 2.0_f64.powi(1 - split as i32)).abs() < 1e-12);

    // As after a power cut: some positions are judged, a line is torn, nothing is drawn yet.
    let log = out.join("yardstick.jsonl");
    let whole = std::fs::read_to_string(&log).unwrap();
    let complete = contents(&out);
    let torn: String = whole.split_inclusive('\n').take(30).collect();
    std::fs::write(&log, torn + "{\"position\":{\"ro").unwrap();
    std::fs::remove_dir_all(out.join("charts")).unwrap();
    adopt(&out, Status::Interrupted);
    stdout(&["resume", out.to_str().unwrap()]);
    let resumed = contents(&out);
    for name in [
        "yardstick.jsonl",
        "results.json",
        "results.csv",
        "report.html",
        "charts/mistakes.png",
    ] {
        assert_eq!(
            resumed[Path::new(name)],
            complete[Path::new(name)],
            "{name}"
        );
    }

    // What it cannot be asked is said before anything is made.
    let never = folder.path().join("never");
    let output = ablate(&config, &never, &["--set", "yardstick.moves=99"]);
    assert_eq!((output.status.code(), never.exists()), (Some(2), false));

    // A program that judges differently is refused, and so are positions of another experiment.
    let mut first: Value = serde_json::from_str(whole.lines().next().unwrap()).unwrap();
    let choice = first["choices"][0].as_u64().unwrap();
    first["choices"][0] = (choice % 5 + 1).into();
    let otherwise = format!("{first}\n");
    for (text_of_log, message) in [
        (otherwise, "judges the first position differently"),
        (
            whole.replace("\"seed\":", "\"seed\":1"),
            "these are not the positions of this experiment",
        ),
    ] {
        std::fs::write(&log, text_of_log).unwrap();
        adopt(&out, Status::Interrupted);
        let output = run(&["resume", out.to_str().unwrap()]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr.contains(message), "{stderr}");
    }
}
