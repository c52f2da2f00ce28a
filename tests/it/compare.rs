//! `tiletune compare` as a user meets it: verdicts, exit codes, the run directory, and that it depends
//! neither on threads nor on interruptions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::{adopt, run, tiletune};
use serde_json::Value;
use tiletune::run::manifest::Status;

fn compare(arguments: &[&str], out: &Path, more: &[&str]) -> Output {
    let out = out.to_str().unwrap();
    run(&[&["compare", "--seed", "5", "--out", out], arguments, more].concat())
}

fn json(output: &Output) -> Value {
    let stderr = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"))
}

/// The files that must not depend on threads and interruptions.
fn contents(run: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for folder in ["", "tables/games", "tables/pairs", "charts"] {
        for entry in std::fs::read_dir(run.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let has_times =
                ["manifest.json", "files.jsonl", "timing.jsonl", ".lock"].contains(&name);
            if path.is_file() && !has_times {
                let contents = std::fs::read(&path).unwrap();
                files.insert(path.strip_prefix(run).unwrap().to_owned(), contents);
            }
        }
    }
    files
}

#[test]
fn verdicts_have_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let verdict = |name: &str, arguments: &[&str], code: i32, verdict: &str| {
        let output = compare(arguments, &folder.path().join(name), &["--json"]);
        let json = json(&output);
        assert_eq!(output.status.code(), Some(code), "{name}: {json}");
        assert_eq!(json["verdict"], verdict, "{name}");
        json
    };
    verdict("better", &["random", "greedy"], 0, "better");
    verdict("worse", &["greedy", "random"], 3, "worse");
    let equal = ["greedy", "greedy", "--margin", "30%"];
    let json = verdict("equal", &equal, 3, "no-difference");
    assert_eq!(
        (
            &json["players"][0]["seed_sequence"],
            &json["players"][1]["seed_sequence"]
        ),
        (&0.into(), &1.into())
    );
    let undecided = ["greedy", "greedy", "--margin", "0.1%", "--max-games", "150"];
    let json = verdict("undecided", &undecided, 4, "undecided");
    let path = json["challengers"][0]["path"].as_array().unwrap();
    let pairs: Vec<u64> = path
        .iter()
        .map(|look| look["pairs"].as_u64().unwrap())
        .collect();
    assert_eq!(pairs, [100, 150]);
    let json = verdict("three", &["random", "random", "greedy"], 0, "better");
    assert_eq!(json["challengers"][1]["verdict"], "better");
    assert!(json["challengers"][0]["verdict"] != "better");
}

#[test]
fn margins_have_units() {
    let folder = tempfile::tempdir().unwrap();
    let compared = |name: &str, more: &[&str]| {
        let out = folder.path().join(name);
        let output = compare(&["random", "greedy"], &out, more);
        let text = String::from_utf8(output.stdout).unwrap();
        let results = std::fs::read_to_string(out.join("results.json")).unwrap();
        let results: Value = serde_json::from_str(&results).unwrap();
        (text, results["challengers"][0].clone())
    };
    for (margin, words, unit, title) in [
        ("2%", "difference of interest 2 % (", "percent", "in %"),
        (
            "50",
            "difference of interest 50 points, error",
            "points",
            "in points",
        ),
        (
            "0.1sd",
            "0.1 standard deviations (",
            "standard-deviations",
            "in points",
        ),
    ] {
        let (text, found) = compared(unit, &["--margin", margin]);
        assert!(text.contains(words), "{text}");
        assert_eq!(text.contains(" % ("), title == "in %", "{text}");
        let fixed = &found["difference_of_interest"];
        assert_eq!(fixed["unit"], unit);
        assert_eq!(fixed["points"], found["path"][0]["effect"]);
        let chart = folder.path().join(unit).join("charts/path.svg");
        let chart = std::fs::read_to_string(chart).unwrap();
        assert!(chart.contains(&format!("difference to the baseline {title}")));
        let path = folder.path().join(unit);
        let verified = run(&["verify", path.to_str().unwrap()]);
        assert!(verified.status.success(), "{verified:?}");
    }
    // Without a margin it is in percent here, and the same.
    let (text, found) = compared("usual", &[]);
    assert!(text.contains("difference of interest 2 % ("), "{text}");
    assert_eq!(found["difference_of_interest"]["value"], 2.0);
    let plan = |margin: &str| {
        let more = ["--margin", margin, "--dry-run"];
        let output = compare(&["random", "greedy"], &folder.path().join("plan"), &more);
        String::from_utf8(output.stdout).unwrap()
    };
    for (margin, sizes) in [
        ("2%", ["| 1 % ", "| 10 % "]),
        ("50", ["| 25 points ", "| 250 points "]),
        (
            "0.1sd",
            ["| 0.05 standard deviations ", "| 0.5 standard deviations "],
        ),
    ] {
        let text = plan(margin);
        assert!(sizes.iter().all(|size| text.contains(size)), "{text}");
    }
}

#[test]
fn players_for_two_meet_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let small = ["--rows", "5", "--columns", "4", "--game", "connect-four"];
    let output = compare(
        &["random", "strings"],
        &out("match"),
        &[&small[..], &["--json"]].concat(),
    );
    let found = json(&output);
    assert_eq!(
        (&found["measure"], &found["verdict"]),
        (&"match".into(), &"better".into())
    );
    assert_eq!(found["players"][0]["summary"], Value::Null);
    let outcomes = &found["players"][1]["summary"];
    assert!(outcomes["wins"].as_u64() > outcomes["losses"].as_u64());

    // A deterministic player against itself gets half of the points of every opening.
    let output = compare(
        &["strings", "strings"],
        &out("same"),
        &[&small[..], &["--json"]].concat(),
    );
    let found = json(&output);
    assert_eq!(found["verdict"], "no-difference");
    let path = found["challengers"][0]["path"].as_array().unwrap();
    assert!(path.iter().all(|look| look["difference"] == 0.0));

    let opponent = [&small[..], &["--opponent", "random", "--json"]].concat();
    let found = json(&compare(&["random", "strings"], &out("common"), &opponent));
    assert_eq!(
        (&found["measure"], &found["verdict"]),
        (&"points".into(), &"better".into())
    );
    assert_eq!(found["opponents"], "random");
}

#[test]
fn nonsense_is_refused_in_one_message() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str], part: &str| {
        let output = compare(arguments, &folder.path().join("run"), &[]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(part), "{arguments:?}: {stderr}");
        assert!(!folder.path().join("run").exists());
    };
    refused(&["greedyy", "random"], "did you mean `greedy`?");
    refused(&["greedy", "strings"], "only players of one game");
    refused(
        &["greedy", "random", "--depth", "1"],
        "no player of this comparison takes --depth",
    );
    refused(&["published", "published"], "name the player with --player");
    for wrong in ["200%", "0", "-1", "2 points", "0.1 s"] {
        refused(
            &["greedy", "random", "--margin", wrong],
            "expected 0.01% to 100% of the mean result, such as 2%",
        );
    }
    refused(&["greedy", "random", "--error", "60%"], "from 0.01% to 50%");
    refused(&["random:weights.toml", "greedy"], "has no weights");
    refused(&["expectimax:missing.toml", "greedy"], "missing.toml");
    let folder = folder.path().to_str().unwrap();
    refused(
        &[folder, "greedy"],
        "neither a weights file nor a run directory",
    );
}

#[test]
fn threads_do_not_change_a_comparison() {
    let folder = tempfile::tempdir().unwrap();
    let files = |name: &str, threads: &str| {
        let arguments = [
            "greedy",
            "random",
            "expectimax",
            "--depth",
            "0",
            "--threads",
            threads,
        ];
        let out = folder.path().join(name);
        let output = compare(&arguments, &out, &[]);
        assert_eq!(output.status.code(), Some(0));
        (output.stdout, contents(&out))
    };
    let one = files("one", "1");
    assert!(one.1.len() > 12, "{:?}", one.1.keys());
    assert!(one == files("three", "3"));
}

#[test]
fn a_killed_comparison_is_resumed_to_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["snake", "greedy", "--depth", "1", "--threads", "2"];
    let whole = folder.path().join("whole");
    let begin = Instant::now();
    let code = compare(&arguments, &whole, &[]).status.code();
    let time = begin.elapsed();
    for (number, share) in [0.3, 0.6, 0.9].into_iter().enumerate() {
        let out = folder.path().join(format!("run{number}"));
        let mut child = tiletune()
            .args(["compare", "--seed", "5", "--out", out.to_str().unwrap()])
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(time.mul_f64(share).max(Duration::from_millis(20)));
        child.kill().unwrap();
        child.wait().unwrap();
        if !out.join("manifest.json").exists() {
            continue;
        }
        let resumed = run(&["resume", out.to_str().unwrap(), "--threads", "1"]);
        let message = String::from_utf8_lossy(&resumed.stderr);
        let is_done = message.contains("already complete");
        assert!(is_done || resumed.status.code() == code, "{message}");
        let (one, other) = (contents(&whole), contents(&out));
        assert_eq!(Vec::from_iter(one.keys()), Vec::from_iter(other.keys()));
        assert!(one == other);
    }
    // The report is drawn again from the tables, and there is nothing to export.
    let before = contents(&whole);
    let path = whole.to_str().unwrap();
    std::fs::remove_dir_all(whole.join("charts")).unwrap();
    assert!(run(&["report", path]).status.success());
    assert!(contents(&whole) == before);
    let export = run(&["export", path, "--format", "toml"]);
    assert_eq!(export.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&export.stderr).contains("this run tunes no weights"));
}

#[test]
fn a_damaged_block_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    assert!(compare(&["random", "greedy"], &out, &[]).status.success());
    let block = out.join("tables/games/pairs-00000.parquet");
    let other = folder.path().join("other");
    let arguments = [
        "compare",
        "greedy",
        "random",
        "--seed",
        "6",
        "--out",
        other.to_str().unwrap(),
    ];
    run(&arguments);
    std::fs::copy(other.join("tables/games/pairs-00000.parquet"), &block).unwrap();
    adopt(&out, Status::Complete);
    let report = run(&["report", out.to_str().unwrap()]);
    assert_eq!(report.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&report.stderr).contains("not the games of this comparison"));
}

#[test]
fn a_plan_says_how_many_pairs_show_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let dry_run = ["--dry-run", "--json"];
    let output = compare(&["greedy", "random", "--error", "1%"], &out, &dry_run);
    assert!(output.status.success() && !out.exists());
    let sizes = json(&output)["challengers"][0]["sizes"].clone();
    let fixed = |index: usize| sizes[index]["fixed_pairs"].as_f64().unwrap();
    assert!((fixed(0) / fixed(1) - 4.0).abs() < 1e-9, "1 and 2 %");
    assert!((fixed(1) / fixed(3) - 25.0).abs() < 1e-9, "2 and 10 %");
    let sequential = sizes[1]["sequential_pairs"].as_f64().unwrap();
    assert!(sequential < 0.9 * fixed(1));
}
