//! Searches without signal, programs whose results do not depend on the seed, parameters without effect, shares that are
//! rare, and which weights a run recommends. The programs are a few lines of Python.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use tiletune::RunDirectory;
use tiletune::run::tables::{self, read_candidates, read_games};

use crate::common::{SMALL, assert_same_run, campaign_file, run, stdout};

const CAMPAIGN: &str = r#"
why = "a program under test"
name = "signal"
seed = 5
[player]
command = COMMAND
minimise = true
[optimizer]
name = "cma-es"
population = 8
[budget]
generations = 6
[validation]
games = 60
race_games = 100
resamples = 200
[parameters.x]
min = -5
max = 5
start = 0
[parameters.y]
min = -5
max = 5
start = 0
"#;

/// A program whose loss is an expression of `x`, `y` and a number from 0 to 255 that follows from the seed, `s`.
fn program(folder: &Path, loss: &str, greeting: &str) -> PathBuf {
    let script = format!(
        r#"import json, sys
print('{{"protocol":1,"program":"p","parameters":["x","y"],"numbers":["loss"]{greeting}}}', flush=True)
for line in sys.stdin:
    task = json.loads(line)
    x, y = task["weights"]["x"], task["weights"]["y"]
    print(json.dumps({{"loss": [{loss} for s in (int(seed) % 256 for seed in task["seeds"])]}}), flush=True)"#
    );
    let command = serde_json::to_string(&["python3", "-c", &script]).unwrap();
    campaign_file(folder, &CAMPAIGN.replace("COMMAND", &command))
}

const DETERMINISTIC: &str = r#","deterministic":true"#;
const SPHERE: &str = "(x-3)*(x-3)+(y+1)*(y+1)";

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn tune(config: &Path, out: &Path, more: &[&str]) -> Output {
    let command = ["tune", text(config), "--threads", "2", "--out", text(out)];
    run(&[&command[..], more].concat())
}

/// The outcome of a run as JSON.
fn outcome(config: &Path, out: &Path, more: &[&str]) -> Value {
    let output = tune(config, out, &[&["--json"], more].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn read(run: &Path, name: &str) -> String {
    std::fs::read_to_string(run.join(name)).unwrap()
}

fn weights(run: &Path, name: &str) -> BTreeMap<String, f64> {
    let file: toml::Table = read(run, name).parse().unwrap();
    let weights = file["weights"].as_table().unwrap().iter();
    weights
        .map(|(key, value)| (key.clone(), value.as_float().unwrap()))
        .collect()
}

/// Games of each candidate in each generation.
fn games_of_candidates(run: &Path) -> Vec<u32> {
    let directory = RunDirectory::open(run).unwrap();
    let generations = 0..directory.complete_generations().unwrap();
    let games = |number| {
        directory
            .read_generation(number, &["x", "y"])
            .unwrap()
            .games
    };
    generations.map(games).collect()
}

fn hold_out_games(run: &Path, weights: &str) -> usize {
    let directory = RunDirectory::open(run).unwrap();
    read_games(&directory.hold_out_part(weights)).unwrap().len()
}

#[test]
fn a_search_without_signal_stops_with_advice_and_goes_on_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // With noise that all candidates share, too: each generation has other values. Equal results need 16 games.
    for (name, loss, settings, generations) in [
        ("flat", "1.5", [].as_slice(), 4),
        ("shared", "s", &[], 2),
        ("vanishing", "1e9+1e-12*x+s", &[], 2),
        ("one", "1.5", &["--set", "evaluation.games=1"], 16),
        ("random", "1.5", &["--set", "optimizer.name=random"], 4),
        ("series", "1.5", &["--repeat", "2"], 4),
    ] {
        let settings = [settings, &["--set", "budget.generations=20"]].concat();
        let config = program(folder.path(), loss, "");
        let out = at(name);
        let stopped = tune(&config, &out, &settings);
        let message = stderr(&stopped);
        assert_eq!(stopped.status.code(), Some(1), "{name}: {message}");
        for part in [
            &format!("All candidates of the first {generations} generations have the same fitness"),
            "a lower tile, or the mean",
            &format!("tiletune resume {} --go-on", text(&out)),
        ] {
            assert!(message.contains(part), "{name}: {message}");
        }
        let searched = match name {
            "series" => out.join("runs/1"),
            _ => out.clone(),
        };
        let games = games_of_candidates(&searched);
        assert_eq!(games.len(), generations, "{name}");
        let start = [("x".to_owned(), 0.0), ("y".to_owned(), 0.0)].into();
        assert_eq!(weights(&searched, "best.toml"), start, "{name}");
        assert!(stdout(&["verify", text(&out)]).contains("0 differ"));

        // It stops again, unless it is asked to go on.
        let again = run(&["resume", text(&out)]);
        assert_eq!(again.status.code(), Some(1), "{name}");
        stdout(&["resume", text(&out), "--go-on", "--threads", "1"]);
        assert!(games_of_candidates(&searched).len() > generations, "{name}");
        for file in ["best.toml", "tuned.toml"] {
            assert_eq!(weights(&out, file), start, "{name} {file}");
        }
        assert!(read(&searched, "events.jsonl").contains(r#""event":"went-on""#));
        assert!(
            stdout(&["verify", text(&out)]).contains("0 differ"),
            "{name}"
        );
        stdout(&["resume", text(&out)]);
    }
    // More games cannot help.
    assert_eq!(games_of_candidates(&at("flat")), [5; 20]);
    let config = program(folder.path(), "1.5", "");
    let told = ["--set", "optimizer.without_signal=go-on"];
    let result = outcome(&config, &at("told"), &told);
    assert_eq!(result["recommended"], "start");
    assert_eq!(result["generations"], 6);
    let report = read(&at("told"), "report.html");
    assert!(report.contains("have the same fitness"), "{report}");
    let wrong = tune(
        &config,
        &at("wrong"),
        &["--set", "optimizer.without_signal=on"],
    );
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("go-on"), "{}", stderr(&wrong));
}

#[test]
fn rows_that_are_tuned_again_stop_and_go_on_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let program = r#"
command = ["sh", "-c", """echo '{"protocol":1,"program":"p","parameters":["a","b"],"numbers":["score"]}'
while read -r task; do echo '{"score":[1]}'; done"""]
[parameters]
a = { default = 0, min = -1, max = 1 }
b = { default = 0, min = -1, max = 1 }
"#;
    std::fs::write(folder.path().join("program.toml"), program).unwrap();
    let experiment = r#"
why = "rows"
name = "rows"
seed = 3
games = 4
player = { name = "program", game = "external" }
heuristic = "program.toml"
row = [
    { name = "a", values = { a = 0.5, b = 0.5 } },
    { name = "b", values = { a = 0.5, b = 0.5 }, baseline = "a", retune = { of = "a", seed = 9, parameters = ["a", "b"] } },
]
retune = { games = 150, evaluation = { games = 4 }, optimizer = { population = 5 } }
"#;
    let file = folder.path().join("experiment.toml");
    std::fs::write(&file, experiment).unwrap();
    let out = folder.path().join("rows");
    let stopped = run(&["ablate", text(&file), "--out", text(&out)]);
    let message = stderr(&stopped);
    assert_eq!(stopped.status.code(), Some(1), "{message}");
    assert!(message.contains("b: All candidates"), "{message}");
    stdout(&["resume", text(&out), "--go-on"]);
    assert!(stdout(&["verify", text(&out)]).contains("0 differ"));
}

#[test]
fn the_start_is_recommended_unless_the_tuned_weights_are_shown_to_be_better() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let config = program(folder.path(), &format!("{SPHERE}+s/100"), "");
    let better = outcome(&config, &at("better"), &[]);
    assert_eq!(better["recommended"], "tuned");
    assert_eq!(better["weights"], better["tuned"]);
    let [best, tuned] = ["best.toml", "tuned.toml"].map(|file| read(&at("better"), file));
    assert!(
        best.contains("better than the start weights on the hold-out games"),
        "{best}"
    );
    let (_, best) = best.split_once("game = ").unwrap();
    assert!(tuned.ends_with(best), "{tuned}");

    // At the optimum, with too few hold-out games, and without any.
    let start = [
        "--set",
        "parameters.x.start=3",
        "--set",
        "parameters.y.start=-1",
    ];
    let few = ["--set", "validation.games=10"];
    let none = ["--set", "validation.games=0"];
    for (name, settings, why) in [
        ("optimum", &start[..], "The start weights are not beaten"),
        ("few", &few[..], "There is no verdict"),
        ("none", &none[..], "There are no hold-out games"),
    ] {
        let out = at(name);
        let result = outcome(&config, &out, settings);
        assert_eq!(result["recommended"], "start", "{name}");
        assert_ne!(result["weights"], result["tuned"], "{name}");
        let head = read(&out, "best.toml");
        assert!(head.starts_with("# The start weights of the tiletune campaign `signal`.\n"));
        assert!(
            head.contains(why) && head.contains("tuned weights are in tuned.toml"),
            "{head}"
        );
        for (file, key) in [("best.toml", "weights"), ("tuned.toml", "tuned")] {
            let written = serde_json::to_value(weights(&out, file)).unwrap();
            assert_eq!(written, result[key], "{name} {file}");
        }
        let resumed = run(&["resume", text(&out)]);
        let shown = String::from_utf8_lossy(&resumed.stdout);
        let last = shown.trim_end().lines().last().unwrap();
        let of_tuned = format!("{}:tuned", text(&out));
        assert!(last.contains(why) && last.contains(&of_tuned), "{last}");
        assert!(
            stdout(&["verify", text(&out)]).contains("0 differ"),
            "{name}"
        );

        // Every reader: the run has the recommended weights, `:tuned` the others.
        let csv = ["--format", "csv"];
        let [recommended, named, flagged] = [
            &["export", text(&out)][..],
            &["export", &of_tuned],
            &["export", text(&out), "--tuned"],
        ]
        .map(|command| stdout(&[command, &csv].concat()));
        assert_ne!(recommended, named);
        assert_eq!(named, flagged);
        let exported = run(&["export", text(&out), "--format", "csv"]);
        assert!(
            stderr(&exported).contains(&of_tuned),
            "{}",
            stderr(&exported)
        );
        let exported = run(&["export", &of_tuned, "--format", "csv"]);
        assert!(!stderr(&exported).contains("start weights of the run"));
    }

    let out = at("optimum");
    let of_tuned = format!("{}:tuned", text(&out));
    let compared = at("compared");
    let games = [
        "--seed",
        "1",
        "--max-games",
        "100",
        "--out",
        text(&compared),
    ];
    let output = run(&[&["compare", text(&out), &of_tuned], &games[..]].concat());
    let last = stderr(&output);
    let last = last.trim_end().lines().last().unwrap();
    assert!(last.contains("the start weights of the run"), "{last}");
    let resolved: toml::Table = read(&compared, "resolved.toml").parse().unwrap();
    let players = resolved["compared"].as_array().unwrap();
    assert_ne!(players[0]["weights"], players[1]["weights"]);

    // Another campaign begins from them, and says so.
    let next = |start: &str| {
        let out = at("next");
        let _ = std::fs::remove_dir_all(&out);
        let start = format!("start.weights={start}");
        let set = [
            "--set",
            &start,
            "--set",
            "budget.generations=1",
            "--set",
            "validation.games=0",
        ];
        let output = tune(&config, &out, &set);
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    assert!(next(text(&out)).contains("the start weights of the run"));
    assert!(!next(&of_tuned).contains("the start weights of the run"));

    // The claim is that of the tuned weights.
    assert!(stdout(&["replay", text(&out)]).contains("equal: "));
    assert!(stdout(&["replay", &of_tuned]).contains("equal: "));
    let refused = run(&["replay", text(&out.join("best.toml"))]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("tuned.toml"),
        "{}",
        stderr(&refused)
    );
    let refused = run(&[
        "export",
        text(&out.join("best.toml")),
        "--tuned",
        "--format",
        "csv",
    ]);
    assert_eq!(refused.status.code(), Some(2));
    let played = stdout(&["play", "--run", text(&out), "--hold-out", "tuned"]);
    assert!(played.contains("the same as recorded"), "{played}");
}

#[test]
fn a_series_recommends_by_the_same_rule() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let config = program(folder.path(), &format!("{SPHERE}+s/100"), "");
    let series = ["--repeat", "2"];
    let better = outcome(&config, &at("better"), &series);
    assert_eq!(better["recommended"], "tuned");
    let start = [
        "--set",
        "parameters.x.start=3",
        "--set",
        "parameters.y.start=-1",
    ];
    let out = at("optimum");
    let result = outcome(&config, &out, &[&series[..], &start].concat());
    assert_eq!(result["recommended"], "start");
    assert_eq!(
        weights(&out, "best.toml"),
        [("x".to_owned(), 3.0), ("y".to_owned(), -1.0)].into()
    );
    let winner = result["series"]["winner"].as_u64().unwrap();
    let of_run = weights(&out.join(format!("runs/{winner}")), "tuned.toml");
    assert_eq!(weights(&out, "tuned.toml"), of_run);
    assert!(stdout(&["replay", text(&out)]).contains("equal: "));
    let last = stderr(&run(&["resume", text(&out)]));
    assert!(
        last.trim_end()
            .ends_with(&format!("(`{}:tuned`).", text(&out))),
        "{last}"
    );
}

/// Random search with two values of each parameter: the four best candidates are often the same one.
#[test]
fn finalists_with_the_same_values_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let config = program(folder.path(), "x + y + (s * (3 + x) % 7) / 7", "");
    let integers = ["x", "y"].map(|key| {
        let set = |value: &str| ["--set".to_owned(), format!("parameters.{key}.{value}")];
        [set("min=0"), set("max=1"), set("integer=true")].concat()
    });
    let integers = integers.concat();
    let settings: Vec<&str> = integers.iter().map(String::as_str).collect();
    let random = ["--set", "optimizer.name=random"];
    let result = outcome(
        &config,
        &folder.path().join("run"),
        &[&random[..], &settings].concat(),
    );
    let finalists = result["race"]["finalists"].as_array().map_or(1, Vec::len);
    assert!(finalists < 4, "{result}");
    assert_eq!(result["tuned"], serde_json::json!({ "x": 0.0, "y": 0.0 }));
}

#[test]
fn programs_without_noise_play_one_game_a_candidate() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (name, greeting, games) in [
        ("declared", DETERMINISTIC, [1; 6]),
        ("found", "", [5, 1, 1, 1, 1, 1]),
    ] {
        let config = program(folder.path(), SPHERE, greeting);
        let restarts = ["--set", "optimizer.name=random"];
        for (kind, settings) in [("plain", &[][..]), ("race", &restarts)] {
            let out = at(&format!("{name}-{kind}"));
            let result = outcome(&config, &out, settings);
            assert_eq!(games_of_candidates(&out), games, "{name}");
            assert_eq!(result["recommended"], "tuned", "{result}");
            assert_eq!(result["signal"], 1.0);
            for weights in ["start", "tuned"] {
                assert_eq!(hold_out_games(&out, weights), 30, "{name}");
            }
            if kind == "race" {
                assert_eq!(result["race"]["survivors"], 1, "{result}");
                let finalists = result["race"]["finalists"].as_array().unwrap();
                assert!(finalists.iter().all(|one| one["games"] == 1), "{result}");
            }
            let report = read(&out, "report.html");
            assert!(report.contains("each candidate plays one game"), "{report}");
            assert!(stdout(&["verify", text(&out)]).contains("0 differ"));
            assert!(stdout(&["replay", text(&out)]).contains("equal: 60 games"));
            stdout(&["resume", text(&out)]);
        }
        // Neither threads nor an interruption change a byte.
        let [whole, parts] = [at(&format!("{name}-plain")), at(&format!("{name}-parts"))];
        let first = ["--set", "budget.generations=6", "--threads", "1"];
        let killed = tune_and_kill(&config, &parts, &first);
        stdout(&["resume", text(&killed), "--threads", "3"]);
        assert_same_run(&whole, &parts);
        let series = at(&format!("{name}-series"));
        let result = outcome(&config, &series, &["--repeat", "2"]);
        assert_eq!(result["validation"]["start"]["games"], 30, "{result}");
        assert!(
            result["series"]["runs"]
                .as_array()
                .unwrap()
                .iter()
                .all(|run| run["race"]["games"] == 1)
        );
        assert!(stdout(&["verify", text(&series)]).contains("0 differ"));
    }
}

/// Kills a run after its first generation.
fn tune_and_kill(config: &Path, out: &Path, more: &[&str]) -> PathBuf {
    let command = ["tune", text(config), "--out", text(out)];
    let mut child = crate::common::tiletune()
        .args([&command[..], &more[2..]].concat())
        .stderr(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let first = out.join("tables/generations/generation-00000.parquet");
    while !first.exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let _ = child.kill();
    child.wait().unwrap();
    out.to_owned()
}

#[test]
fn the_first_result_that_depends_on_the_seed_ends_the_single_games() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // From the start, and near the optimum, where the centre of the search arrives later.
    for (name, loss) in [
        ("false", format!("{SPHERE} + s / 1000")),
        ("later", format!("{SPHERE} + (s / 1000 if x > 1.5 else 0)")),
    ] {
        let config = program(folder.path(), &loss, DETERMINISTIC);
        let out = at(name);
        outcome(&config, &out, &[]);
        let games = games_of_candidates(&out);
        let first = games.iter().position(|games| *games > 1).unwrap();
        assert_eq!(first == 0, name == "false", "{games:?}");
        assert!(games[first..].iter().all(|games| *games > 1), "{games:?}");
        let event = format!(r#""event":"seed-matters","generation":{first},"#);
        let events = read(&out, "events.jsonl");
        assert!(events.contains(&event), "{events}");
        assert_eq!(hold_out_games(&out, "tuned"), 60);
        // A budget that has room for one game of each candidate does not play more.
        if first > 0 {
            let (small, budget) = (at("small"), format!("budget.games={}", 8 * (1 + first)));
            let two = ["--set", "evaluation.games=2", "--set", &budget];
            outcome(&config, &small, &two);
            assert_eq!(games_of_candidates(&small), vec![1; first]);
            assert!(stdout(&["verify", text(&small)]).contains("0 differ"));
        }
        assert!(read(&out, "report.html").contains("differed between seeds"));
        assert!(stdout(&["verify", text(&out)]).contains("0 differ"));
        assert!(stdout(&["replay", text(&out)]).contains("equal: "));
        stdout(&["resume", text(&out)]);
    }
    // One seed in twenty shows it: the hold-out games meet it if the centre does not.
    let config = program(
        folder.path(),
        &format!("{SPHERE} + (s % 20 == 7)"),
        DETERMINISTIC,
    );
    for out in [at("rare"), at("rare-series")] {
        let repeat = ["--repeat", "2"];
        let is_series = out.ends_with("rare-series");
        outcome(&config, &out, if is_series { &repeat } else { &[] });
        for weights in ["start", if is_series { "run-1" } else { "tuned" }] {
            assert_eq!(hold_out_games(&out, weights), 60);
        }
        assert!(stdout(&["verify", text(&out)]).contains("0 differ"));
        stdout(&["resume", text(&out)]);
    }
    let wrong = program(folder.path(), SPHERE, r#","deterministic":1"#);
    let refused = tune(&wrong, &at("wrong"), &[]);
    assert!(
        stderr(&refused).contains("`deterministic` is `1`; allowed: true, false"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn a_plan_counts_one_game_of_each_candidate_where_results_do_not_depend_on_the_seed() {
    let folder = tempfile::tempdir().unwrap();
    for (loss, greeting, training, hold_out) in [
        (SPHERE, DETERMINISTIC, 6 * 8, 60),
        // The first generation shows that the seed does not matter.
        (SPHERE, "", (5 + 5) * 8, 60),
        ("x+s", "", 6 * 8 * 5, 120),
    ] {
        let config = program(folder.path(), loss, greeting);
        let fixed = ["--set", "evaluation.games=5", "--json"];
        let output = run(&[&["tune", text(&config), "--dry-run"], &fixed[..]].concat());
        let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
        let games = ["training_games", "hold_out_games"].map(|key| plan[key].as_u64());
        assert_eq!(games, [Some(training), Some(hold_out)], "{loss}: {plan}");
    }
}

#[test]
fn a_start_with_which_a_program_always_fails_loses() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let out = at("run");
    let loss = format!("None if x*x+y*y<0.01 else {SPHERE}");
    let config = program(folder.path(), &loss, DETERMINISTIC);
    let settings = ["--set", "player.on_failure=worst"];
    let found = outcome(&config, &out, &settings);
    assert_eq!(found["recommended"], "tuned", "{found}");
    assert_eq!(found["validation"]["start"]["failed_games"], 30);
    // Without results of the start weights there is no chart that compares them.
    assert!(out.join("report.html").exists() && out.join("charts/fitness.png").exists());
    assert!(!out.join("charts/score-distribution.png").exists());
    let [start, tuned] = ["start", "tuned"].map(|name| at(name).display().to_string() + ".toml");
    std::fs::copy(out.join("tuned.toml"), &tuned).unwrap();
    let text = read(&out, "tuned.toml");
    let is_value = |line: &&str| line.starts_with("x = ") || line.starts_with("y = ");
    let zero = text.lines().map(|line| match Some(line).filter(is_value) {
        Some(line) => format!("{} = 0.0", &line[..1]),
        None => line.to_owned(),
    });
    std::fs::write(&start, zero.collect::<Vec<_>>().join("\n")).unwrap();
    for (players, code, verdict) in [
        ([&start, &tuned], 0, "better"),
        ([&tuned, &start], 3, "worse"),
    ] {
        let to = at(verdict);
        let compared = run(&[
            "compare",
            players[0],
            players[1],
            "--seed",
            "1",
            "--out",
            to.to_str().unwrap(),
        ]);
        let said = String::from_utf8_lossy(&compared.stdout).into_owned();
        assert_eq!(
            compared.status.code(),
            Some(code),
            "{said}{}",
            stderr(&compared)
        );
        assert!(
            said.contains("The program refused or failed 400 of 400 games"),
            "{said}"
        );
    }
}

#[test]
fn a_program_that_is_only_won_or_lost_is_not_taken_for_deterministic() {
    let folder = tempfile::tempdir().unwrap();
    let config = program(folder.path(), "(x > 0) + (y > 0)", "");
    let out = folder.path().join("run");
    outcome(&config, &out, &[]);
    assert!(games_of_candidates(&out).iter().all(|games| *games == 5));
}

#[test]
fn games_that_are_won_or_lost_get_half_signal_in_tables_with_equal_columns() {
    let folder = tempfile::tempdir().unwrap();
    // Independent luck: the weights are part of it.
    let loss = "1.0 * (hash((s, x, y)) % 100 < 60 - 4 * x)";
    let config = program(folder.path(), loss, "");
    let out = folder.path().join("run");
    let default = ["--set", "optimizer.name=mirrored-cma-es"];
    outcome(
        &config,
        &out,
        &[&default[..], &["--set", "budget.generations=30"]].concat(),
    );
    let directory = RunDirectory::open(&out).unwrap();
    let wanted = (0..directory.complete_generations().unwrap()).map(|number| {
        let row = directory.read_generation(number, &["x", "y"]).unwrap();
        row.signal_wanted.unwrap()
    });
    let wanted: Vec<f64> = wanted.collect();
    assert!(wanted.iter().all(|share| [0.1, 0.5].contains(share)));
    // Not for the first 30 candidates for each parameter.
    let (first, later) = wanted.split_at(9);
    assert!(first.iter().all(|share| *share == 0.1), "{wanted:?}");
    let coarse = later.iter().filter(|share| **share == 0.5).count();
    assert!(2 * coarse > later.len(), "{wanted:?}");
}

#[test]
fn a_choice_that_costs_much_does_not_hide_that_numbers_need_more_games() {
    let folder = tempfile::tempdir().unwrap();
    let noise = "hash((x, s)) % 97";
    let config = program(
        folder.path(),
        &format!("(x-3)**2 + 3000*(y == 'b') + {noise}"),
        "",
    );
    let number = "[parameters.y]\nmin = -5\nmax = 5\nstart = 0";
    let text_of = std::fs::read_to_string(&config).unwrap();
    let category = "[parameters.y]\nchoices = [\"a\", \"b\"]\nstart = \"b\"";
    std::fs::write(&config, text_of.replace(number, category)).unwrap();
    let out = folder.path().join("run");
    let set = [
        "optimizer.name=mirrored-cma-es",
        "optimizer.population=20",
        "evaluation.signal=0.5",
        "budget.generations=60",
    ];
    let set: Vec<&str> = set.iter().flat_map(|setting| ["--set", setting]).collect();
    outcome(&config, &out, &set);
    let games = games_of_candidates(&out);
    assert!(games.last() > Some(&5), "{games:?}");
    // Candidates of whole numbers alone are often the same. That shows no lack of games.
    let loss = "(x-3)**2 + (y+1)**2 + hash((x, y, s)) % 3";
    let config = program(folder.path(), loss, "");
    let whole = std::fs::read_to_string(&config).unwrap();
    std::fs::write(
        &config,
        whole.replace("start = 0", "start = 0\ninteger = true"),
    )
    .unwrap();
    let out = folder.path().join("whole");
    outcome(&config, &out, &set);
    let games: u32 = games_of_candidates(&out).into_iter().sum();
    assert!(games < 600, "{games}");
}

#[test]
fn a_parameter_without_effect_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let tune = |name: &str, loss: &str| {
        let config = program(folder.path(), loss, "");
        outcome(&config, &at(name), &["--set", "validation.games=100"])["without_effect"].clone()
    };
    let loss = "(x-3)*(x-3)+s/100*(1+x/10)";
    assert_eq!(tune("one", loss), serde_json::json!(["y"]));
    let said = "No effect of y was seen: 16 games with other values of it alone";
    assert!(read(&at("one"), "report.html").contains(said));
    let resumed = stdout(&["resume", text(&at("one"))]);
    assert!(resumed.contains(said), "{resumed}");
    // An effect far away from the tuned value is one.
    let far = format!("{loss} + (y > 4)");
    assert_eq!(tune("far", &far), serde_json::json!([]));
    assert_eq!(
        tune("both", &format!("{SPHERE}+s/100*(1+x/10)")),
        serde_json::json!([])
    );
    assert!(!read(&at("both"), "report.html").contains("No effect of"));
}

#[test]
fn won_and_lost_games_with_luck_in_common_neither_stop_a_search_nor_deny_an_effect() {
    let folder = tempfile::tempdir().unwrap();
    // A game is lost by every candidate, by none, or by the worse ones.
    let loss = "float(s % 97 > 30 + 6*((x-3)*(x-3)+(y+1)*(y+1)))";
    let config = program(folder.path(), loss, "");
    for seed in 1..=6 {
        let out = folder.path().join(seed.to_string());
        let seed = format!("seed={seed}");
        let more = [
            "--set",
            &seed,
            "--set",
            "evaluation.games=1",
            "--set",
            "budget.generations=40",
        ];
        let found = outcome(&config, &out, &more);
        assert_eq!(found["without_effect"], serde_json::json!([]), "{seed}");
    }
}

#[test]
fn a_search_for_a_tile_that_nobody_reaches_climbs_by_the_lower_tiles() {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), SMALL);
    let out = folder.path().join("run");
    let set = [
        "evaluation.objective=share-reaching-32768",
        "budget.generations=6",
    ];
    let set: Vec<&str> = set.iter().flat_map(|setting| ["--set", setting]).collect();
    stdout(&[&["tune", text(&config), "--out", text(&out)], &set[..]].concat());
    let directory = RunDirectory::open(&out).unwrap();
    let names = tiletune::run::plan_of::<tiletune::Campaign>(&directory).unwrap();
    let names = names.space.names();
    let part = |generation| directory.generation_part(&tables::CANDIDATES, generation);
    let ranks = |generation| -> Vec<f64> {
        let rows = read_candidates(&part(generation), &names).unwrap();
        assert!(rows.iter().all(|row| row.fitness == 0.0));
        rows.iter().map(|row| row.rank_value).collect()
    };
    let best = |ranks: Vec<f64>| ranks.into_iter().fold(0.0, f64::max);
    assert!(best(ranks(5)) > best(ranks(0)));
    assert!(stdout(&["verify", text(&out)]).contains("0 differ"));
    // The value that is reported is the share.
    let report = read(&out, "report.html");
    assert!(report.contains("share of games reaching 32768"), "{report}");
}
