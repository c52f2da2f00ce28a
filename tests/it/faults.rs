//! Damage and interruptions: a file that is not the one that the run wrote is an error and never a number; a
//! run of any kind that is killed ends as one that is not; nothing outside of a run directory is written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::common::{SMALL, adopt, campaign_file, contents, run, silent, stdout, without_list};
use tiletune::run::manifest::Status;

const CAMPAIGN: &str = "why = 'to be damaged'
name = 'small'
seed = 7
player = { name = 'expectimax', depth = 0 }
evaluation = { games = 5 }
optimizer = { population = 4 }
budget = { generations = 3 }
validation = { games = 30, race_games = 30, resamples = 100 }
parameters = { empty = {}, merges = {} }
";

const EXPERIMENT: &str = "why = 'to be killed'
name = 'small'
seed = 7
games = 60
baseline = 'combined'
player = { name = 'minimax-six', depth = 2 }
row = [{ name = 'combined' }, { name = 'empty', values = { smooth = 0, mono = 0 } }]
";

/// Arguments that begin a small run of each kind.
fn kinds(folder: &Path) -> [(&'static str, Vec<String>); 4] {
    let [campaign, experiment] =
        [("c.toml", CAMPAIGN), ("e.toml", EXPERIMENT)].map(|(name, text)| {
            let path = folder.join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        });
    let arguments = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect();
    [
        ("campaign", arguments(&["tune", &campaign])),
        ("series", arguments(&["tune", &campaign, "--repeat", "2"])),
        ("experiment", arguments(&["ablate", &experiment])),
        (
            "comparison",
            arguments(&["compare", "greedy", "random", "--seed", "5"]),
        ),
    ]
}

fn begun(arguments: &[String], out: &Path) -> Vec<String> {
    let out = ["--out", out.to_str().unwrap(), "--threads", "2"].map(str::to_owned);
    [arguments, &out[..]].concat()
}

fn text(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

/// A complete campaign.
fn campaign(folder: &Path) -> PathBuf {
    let out = folder.join("run");
    let [(_, arguments), ..] = kinds(folder);
    stdout(&text(&begun(&arguments, &out)));
    out
}

/// Asserts that a command fails with this exit code and one message that contains these words.
fn assert_refused(arguments: &[&str], code: i32, words: &str) {
    let output = run(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
    assert!(output.stdout.is_empty(), "{arguments:?} prints a result");
    assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

#[test]
fn every_kind_of_run_is_verified() {
    let folder = tempfile::tempdir().unwrap();
    for (kind, arguments) in kinds(folder.path()) {
        let out = folder.path().join(kind);
        // Even a verdict other than `better` ends the run.
        run(&text(&begun(&arguments, &out)));
        let verify = [
            "verify",
            out.to_str().unwrap(),
            "--games",
            "7",
            "--seed",
            "1",
            "--json",
        ];
        let verified: serde_json::Value = serde_json::from_str(&stdout(&verify)).unwrap();
        assert_eq!(verified["equal"], true, "{kind}: {verified}");
        assert_eq!(verified["complete"], true);
        assert_eq!(verified["games"], 7);
        assert!(verified["figures"].as_u64() > Some(5), "{kind}: {verified}");
        let runs = if kind == "series" { 3 } else { 1 };
        assert_eq!(verified["runs"], runs, "{kind}");
        // A file of somebody else.
        std::fs::write(out.join("charts/other.svg"), "").unwrap();
        assert_refused(
            &verify,
            1,
            "charts/other.svg: the run did not write this file",
        );
    }
}

/// Copies of a run that are damaged at the same time.
const COPIES: usize = 4;

#[test]
fn a_flip_a_cut_and_a_loss_of_any_file_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let files = contents(&campaign(folder.path()));
    let files = &files.into_iter().collect::<Vec<_>>();
    std::thread::scope(|scope| {
        for copy in 0..COPIES {
            let out = folder.path().join(format!("copy-{copy}"));
            scope.spawn(move || {
                for (name, bytes) in files {
                    let file = out.join(name);
                    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                    std::fs::write(file, bytes).unwrap();
                }
                let verify = ["verify", out.to_str().unwrap(), "--games", "0"];
                stdout(&verify);
                for (name, bytes) in files.iter().skip(copy).step_by(COPIES) {
                    notice_damage(&out.join(name), name, bytes, &verify);
                }
                stdout(&verify);
            });
        }
    });
}

/// Flips a bit of a file, cuts it and removes it, each followed by this command; writes it again.
fn notice_damage(file: &Path, name: &Path, bytes: &[u8], verify: &[&str]) {
    let is_chart = name.starts_with("charts");
    if bytes.is_empty() || is_chart && !name.ends_with("fitness.svg") {
        return;
    }
    let mut flipped = bytes.to_vec();
    flipped[bytes.len() / 2] ^= 1;
    let is_manifest = name == Path::new("manifest.json");
    for damaged in [Some(&flipped[..]), Some(&bytes[..bytes.len() / 2]), None] {
        match damaged {
            Some(contents) => std::fs::write(file, contents).unwrap(),
            None => std::fs::remove_file(file).unwrap(),
        }
        let output = run(verify);
        let stderr = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code();
        // Without a manifest or with another format the directory is none of a run.
        assert!(
            code == Some(1) || is_manifest && code == Some(2),
            "{name:?}: {stderr}"
        );
        assert!(
            output.stdout.is_empty() && stderr.lines().count() == 1,
            "{stderr}"
        );
    }
    std::fs::write(file, bytes).unwrap();
}

#[test]
fn damaged_weights_and_games_never_become_a_number() {
    let folder = tempfile::tempdir().unwrap();
    let out = campaign(folder.path());
    let path = out.to_str().unwrap();
    let best = out.join("best.toml");
    let whole = std::fs::read_to_string(&best).unwrap();
    let inside = whole.find("[weights]").unwrap() + 14;
    std::fs::write(&best, &whole[..inside]).unwrap();
    let weights = best.to_str().unwrap();
    let evaluate = "evaluate --player expectimax --seed 1 --games 2 --weights";
    let evaluate: Vec<&str> = evaluate.split(' ').collect();
    for source in [path, weights] {
        assert_refused(
            &["export", source, "--format", "json"],
            1,
            "best.toml: the file has",
        );
        assert_refused(&[&evaluate[..], &[source]].concat(), 1, "best.toml");
    }
    assert_refused(&["replay", weights], 1, "best.toml");
    assert_refused(&["report", path], 1, "best.toml");
    assert_refused(&["resume", path], 1, "best.toml");
    std::fs::write(&best, &whole).unwrap();

    let [one, other] = ["start", "tuned"].map(|name| {
        let games = out.join("tables");
        let found = contents(&games).into_keys();
        let mut found = found.filter(|path| path.ends_with(format!("hold-out/{name}.parquet")));
        games.join(found.next().unwrap())
    });
    std::fs::copy(&one, &other).unwrap();
    assert_refused(&["report", path], 1, "tuned.parquet: the file");
    let elsewhere = folder.path().join("elsewhere");
    let report = ["report", path, "--out", elsewhere.to_str().unwrap()];
    assert_refused(&report, 1, "tuned.parquet: the file");
}

/// Everything of a run that does not depend on clocks.
fn timeless(out: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = contents(out);
    files.retain(|path, _| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap();
        let timed = ["manifest.json", "files.jsonl", "report.html", "config.toml"];
        !timed.contains(&name) && !name.starts_with("timing.")
    });
    files
}

#[test]
fn runs_of_every_kind_that_are_killed_end_as_others() {
    let folder = tempfile::tempdir().unwrap();
    for (kind, arguments) in kinds(folder.path()) {
        let [undisturbed, killed] =
            ["undisturbed", "killed"].map(|name| folder.path().join(format!("{kind}-{name}")));
        let begin = Instant::now();
        run(&text(&begun(&arguments, &undisturbed)));
        let time = begin.elapsed();
        let resume = ["resume", killed.to_str().unwrap()].map(str::to_owned);
        for kill in 0..5u32 {
            let is_begun = killed.join("manifest.json").exists();
            let arguments = if is_begun {
                resume.to_vec()
            } else {
                begun(&arguments, &killed)
            };
            let mut child = silent(&arguments);
            let begin = Instant::now();
            // The last ones while charts are drawn, if it gets there; the others at any time.
            let after = time * (2 * kill + 1) / 11;
            let is_due = || match kill {
                4 => killed.join("charts").exists(),
                _ => begin.elapsed() > after,
            };
            while child.try_wait().unwrap().is_none() {
                if is_due() {
                    child.kill().unwrap();
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        if !killed.join("manifest.json").exists() {
            run(&text(&begun(&arguments, &killed)));
        }
        let resumed = run(&text(&resume));
        let stderr = String::from_utf8_lossy(&resumed.stderr);
        // The exit code of a comparison is its verdict.
        assert!(
            resumed
                .status
                .code()
                .is_some_and(|code| [0, 3, 4].contains(&code)),
            "{stderr}"
        );
        stdout(&["verify", killed.to_str().unwrap()]);
        let (one, other) = (timeless(&undisturbed), timeless(&killed));
        assert!(one.keys().eq(other.keys()), "{kind}: {:?}", other.keys());
        for (name, contents) in &one {
            assert!(
                other[name] == *contents,
                "{kind}: {} differs",
                name.display()
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link_or_over_a_directory() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    // An empty directory with its own permissions is used as it is.
    std::fs::create_dir(&out).unwrap();
    std::fs::set_permissions(&out, PermissionsExt::from_mode(0o700)).unwrap();
    let before = std::fs::metadata(&out).unwrap();
    campaign(folder.path());
    let after = std::fs::metadata(&out).unwrap();
    assert_eq!((before.ino(), before.mode()), (after.ino(), after.mode()));
    assert!(
        !contents(folder.path())
            .keys()
            .any(|path| path.to_str().unwrap().contains(".writing-"))
    );

    let precious = folder.path().join("precious");
    std::fs::write(&precious, "an unfinished line").unwrap();
    let elsewhere = folder.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    for name in [".lock", "events.jsonl", "timing.jsonl", "charts"] {
        let (path, kept) = (out.join(name), folder.path().join("kept"));
        std::fs::rename(&path, &kept).unwrap();
        let target = if name == "charts" {
            &elsewhere
        } else {
            &precious
        };
        symlink(target, &path).unwrap();
        for command in ["resume", "report"] {
            let output = run(&[command, out.to_str().unwrap()]);
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{command} {name}: {stderr}");
            assert!(stderr.contains(name) && stderr.contains("link"), "{stderr}");
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::rename(&kept, &path).unwrap();
    }
    assert_eq!(std::fs::read(&precious).unwrap(), b"an unfinished line");
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
    stdout(&["verify", out.to_str().unwrap()]);
}

/// Appends a line to the list of files of a run, as anybody can: the lines are chained without a secret.
#[cfg(unix)]
fn append_to_list(run: &Path, object: &str) {
    let list = run.join(tiletune::inventory::FILE);
    let text = std::fs::read_to_string(&list).unwrap();
    let mut head = tiletune::inventory::chain::Head::default();
    for line in text.lines() {
        head.open(line).unwrap();
    }
    std::fs::write(&list, text + &head.seal(object) + "\n").unwrap();
}

#[cfg(unix)]
#[test]
fn a_list_made_by_somebody_else_removes_nothing_outside_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let victims = folder.path().join("elsewhere");
    std::fs::create_dir(&victims).unwrap();
    let victim = victims.join("victim.txt");
    std::fs::write(&victim, "precious").unwrap();
    for (kind, arguments) in kinds(folder.path()) {
        let out = folder.path().join(kind);
        // Its exit code is a verdict if it compares.
        run(&text(&begun(&arguments, &out)));
        stdout(&["verify", out.to_str().unwrap(), "-q"]);
        let list = std::fs::read(out.join("files.jsonl")).unwrap();
        std::os::unix::fs::symlink(&victims, out.join("linked")).unwrap();
        for name in [
            "../elsewhere/victim.txt",
            "tables/../../elsewhere/victim.txt",
            victim.to_str().unwrap(),
            "linked/victim.txt",
        ] {
            append_to_list(&out, &serde_json::json!({ "file": name }).to_string());
            for command in ["report", "resume", "verify", "replay"] {
                let output = run(&[command, out.to_str().unwrap(), "-q"]);
                let stderr = String::from_utf8_lossy(&output.stderr);
                assert!(victim.is_file(), "{command} of a {kind} removes {name}");
                if ["report", "resume"].contains(&command) {
                    assert_eq!(output.status.code(), Some(1), "{kind}, {name}: {stderr}");
                    assert_eq!(stderr.lines().count(), 1, "{stderr}");
                }
            }
            std::fs::write(out.join("files.jsonl"), &list).unwrap();
        }
        std::fs::remove_file(out.join("linked")).unwrap();
        stdout(&["verify", out.to_str().unwrap(), "-q"]);
    }
    assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
}

#[test]
fn a_report_waits_for_nobody_and_can_be_written_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let out = campaign(folder.path());
    let path = out.to_str().unwrap();
    let lock = std::fs::File::open(out.join(".lock")).unwrap();
    lock.lock().unwrap();
    let before = contents(&out);
    assert_refused(
        &["report", path],
        2,
        "another process is writing this run; --out DIR",
    );
    let elsewhere = folder.path().join("elsewhere");
    let report = ["report", path, "--out", elsewhere.to_str().unwrap()];
    stdout(&report);
    assert_eq!(contents(&out), before);
    for name in ["report.html", "charts/fitness.svg"] {
        let [one, other] = [&out, &elsewhere].map(|folder| std::fs::read(folder.join(name)));
        assert_eq!(one.unwrap(), other.unwrap(), "{name}");
    }
    assert_refused(&report, 2, "the directory is not empty");
    drop(lock);
    stdout(&["report", path]);
    stdout(&["verify", path]);
}

/// The largest size of files is reached while the run writes: one message, and the run can be resumed.
#[cfg(unix)]
#[test]
fn a_limit_on_the_size_of_files_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), SMALL);
    let out = folder.path().join("run");
    let (config, out) = (config.to_str().unwrap(), out.to_str().unwrap());
    let limited = std::process::Command::new("sh")
        .args([
            "-c",
            "ulimit -f 8; exec \"$@\"",
            "sh",
            env!("CARGO_BIN_EXE_tiletune"),
        ])
        .args(["tune", config, "--out", out, "--quiet"])
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&limited.stderr);
    assert_eq!(limited.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("File too large"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    let resumed = crate::common::run(&["resume", out]);
    assert!(resumed.status.success());
    assert!(crate::common::run(&["verify", out]).status.success());
}

/// Files of a run that a report writes, some of each kind.
const DERIVED: [&str; 4] = ["report.html", "charts", "results.json", "series.json"];

#[test]
fn a_complete_run_gets_its_charts_results_and_report_back() {
    let folder = tempfile::tempdir().unwrap();
    for (kind, arguments) in kinds(folder.path()) {
        let out = folder.path().join(kind);
        run(&text(&begun(&arguments, &out)));
        let path = out.to_str().unwrap();
        let before = without_list(&out);
        let resume = || {
            let output = run(&["resume", path, "--threads", "2"]);
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            // The exit code of a comparison is its verdict.
            let is_done = output
                .status
                .code()
                .is_some_and(|code| [0, 3, 4].contains(&code));
            assert!(is_done, "{kind}: {stderr}");
            stderr
        };
        let list = std::fs::read(out.join("files.jsonl")).unwrap();
        assert!(!resume().contains("written again"), "{kind}");
        assert_eq!(std::fs::read(out.join("files.jsonl")).unwrap(), list);
        let is_derived = |name: &Path| {
            let mut components = name
                .components()
                .map(|one| one.as_os_str().to_str().unwrap());
            let is_inside = components.clone().next() == Some("runs");
            components.any(|one| DERIVED.contains(&one)) && (!is_inside || kind == "series")
        };
        let derived: Vec<&PathBuf> = before.keys().filter(|name| is_derived(name)).collect();
        assert!(derived.len() > 3, "{kind}: {derived:?}");
        for (number, name) in derived.iter().enumerate() {
            match number % 3 {
                0 => std::fs::remove_file(out.join(name)).unwrap(),
                1 => std::fs::write(out.join(name), "").unwrap(),
                _ => {}
            }
        }
        assert_eq!(run(&["verify", path]).status.code(), Some(1));
        let said = resume();
        assert!(
            said.contains("written again, because they were missing or damaged"),
            "{said}"
        );
        let after = without_list(&out);
        assert!(before.keys().eq(after.keys()), "{kind}");
        let grows = |name: &Path| name.ends_with("files.jsonl") || name.ends_with("manifest.json");
        let is_same = |name: &&PathBuf| before[*name] == after[*name] || grows(name);
        let differs: Vec<&PathBuf> = before.keys().filter(|name| !is_same(name)).collect();
        assert!(differs.is_empty(), "{kind}: {differs:?}");
        stdout(&["verify", path]);
        assert!(!resume().contains("written again"), "{kind}");
    }
}

#[test]
fn verify_refuses_whatever_the_run_has_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = campaign(folder.path());
    let verify = ["verify", out.to_str().unwrap()];
    stdout(&verify);
    for name in [
        ".hidden",
        "tables/.hidden",
        "charts/.a/.b",
        "other.jsonl",
        "charts/events.jsonl",
        "tables/manifest.json",
        // A run inside that is none of this one.
        "runs/1/manifest.json",
        "x/manifest.json",
    ] {
        let path = out.join(name);
        let made = path
            .ancestors()
            .find(|path| path.exists())
            .unwrap()
            .to_owned();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "{}").unwrap();
        let words = format!("{name}: the run did not write this file");
        assert_refused(&verify, 1, &words);
        let added = path
            .strip_prefix(&made)
            .unwrap()
            .components()
            .next()
            .unwrap();
        let added = made.join(added);
        if added.is_dir() {
            std::fs::remove_dir_all(added).unwrap();
        } else {
            std::fs::remove_file(added).unwrap();
        }
    }
    stdout(&verify);
}

#[test]
fn verify_refuses_events_of_another_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = campaign(folder.path());
    let verify = ["verify", out.to_str().unwrap()];
    let events = out.join("events.jsonl");
    let own = std::fs::read_to_string(&events).unwrap();
    for (number, foreign) in [
        r#"{"event":"search-began","population":40}"#,
        r#"{"event":"search-ended","generations":2,"reason":"games"}"#,
        r#"{"event":"candidates-refused","generation":1,"candidates":2}"#,
        r#"{"event":"deeper-began","depth":4}"#,
        r#"{"event":"race-decided","finalist":0,"finalists":2,"survivors":1}"#,
        r#"{"event":"mean-refused"}"#,
    ]
    .into_iter()
    .enumerate()
    {
        let mut lines: Vec<&str> = own.lines().collect();
        let place = [0, lines.len(), 1][number % 3];
        lines.insert(place, foreign);
        std::fs::write(&events, lines.join("\n") + "\n").unwrap();
        adopt(&out, Status::Complete);
        assert_refused(&verify, 1, "events.jsonl: the run did not write the event");
    }
    std::fs::write(&events, own).unwrap();
    adopt(&out, Status::Complete);
    stdout(&verify);
}

#[test]
fn weights_that_a_killed_run_wrote_before_the_hold_out_games_are_no_damage() {
    let folder = tempfile::tempdir().unwrap();
    let out = campaign(folder.path());
    let verify = ["verify", out.to_str().unwrap()];
    let best = out.join("tuned.toml");
    let text = std::fs::read_to_string(&best).unwrap();
    let mut file: toml::Table = toml::from_str(&text).unwrap();
    let provenance = file["provenance"].as_table_mut().unwrap();
    provenance.remove("hold_out").unwrap();
    provenance.remove("verdict").unwrap();
    let selection = provenance["selection"].as_table_mut().unwrap();
    selection.remove("hold_out").unwrap();
    selection.remove("shrinkage_percent").unwrap();
    std::fs::write(&best, toml::to_string(&file).unwrap()).unwrap();
    adopt(&out, Status::Complete);
    let complete = run(&verify);
    assert_eq!(complete.status.code(), Some(1));
    adopt(&out, Status::Running);
    stdout(&verify);
    stdout(&["resume", out.to_str().unwrap()]);
    stdout(&verify);
}

#[test]
fn a_table_with_forged_sizes_ends_no_command() {
    let folder = tempfile::tempdir().unwrap();
    let out = campaign(folder.path());
    let path = out.to_str().unwrap();
    let tables = [
        "tables/generations/generation-00001.parquet",
        "tables/train/generation-00000.parquet",
    ];
    let mut refused = 0;
    for (number, table) in tables.iter().cycle().take(8).enumerate() {
        let table = out.join(table);
        let own = std::fs::read(&table).unwrap();
        let mut forged = own.clone();
        // Numbers of the header of the first page, which begins behind the first four bytes.
        for at in [5, 7, 9, 11, 13].iter().cycle().skip(number).take(2) {
            forged[4 + at] = [0x7e, 0xfe, 0x01][number % 3];
        }
        std::fs::write(&table, &forged).unwrap();
        adopt(&out, Status::Interrupted);
        for command in ["report", "resume", "verify"] {
            let output = run(&[command, path]);
            let stderr = String::from_utf8_lossy(&output.stderr);
            // Not every number of a header matters.
            let code = output.status.code();
            assert!(matches!(code, Some(0 | 1)), "{command} {number}: {stderr}");
            assert!(
                code == Some(0) || stderr.lines().count() == 1,
                "{command} {number}: {stderr}"
            );
            refused += u32::from(code == Some(1));
        }
        std::fs::write(&table, own).unwrap();
    }
    assert!(refused > 15, "{refused}");
}
