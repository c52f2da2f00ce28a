//! Campaigns with categories, conditions and constraints, from the file to the answer of a program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::common::{campaign_file, contents, run, stdout};
use serde_json::Value;

/// Best at low = 3, high = 3.2, mode = exact and nodes = 50; `nodes` matters for this mode only.
const CAMPAIGN: &str = r#"
why = "categories, conditions and constraints"
name = "mixed"
seed = 5
require = ["low < high"]
[player]
command = ["sh", "-c", 'echo "$0"; while read -r task; do echo "$task" >> tasks.log; echo "$task" | awk "$1"; done', '{"protocol":1,"program":"p","parameters":["low","high","mode","nodes"],"numbers":["score"]}', '''
BEGIN { FS = "[:,\"{}]+" }
{
  score = -($6 - 3) ^ 2 - ($4 - 3.2) ^ 2 - ($8 == "exact" ? ($10 - 50) ^ 2 / 1000 : $8 == "fast" ? 9 : 6)
  printf "{\"score\":[%.6f]}\n", score + substr($13, length($13)) / 100
}''']
[evaluation]
games = 2
[optimizer]
population = 12
[budget]
generations = 10
[validation]
games = 20
resamples = 200
[start]
games = 0
[parameters.low]
start = 1
min = 0
max = 10
[parameters.high]
start = 6
min = 0
max = 10
[parameters.mode]
choices = ["fast", "careful", "exact"]
start = "careful"
[parameters.nodes]
start = 100
min = 10
max = 200
active_when = "mode == 'exact'"
"#;

fn tune(folder: &Path, more: &[&str]) -> (PathBuf, std::process::Output) {
    let config = campaign_file(folder, CAMPAIGN);
    let out = folder.join("run");
    let fixed = [
        "tune",
        config.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ];
    let output = run(&[&fixed, more].concat());
    (out, output)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The files of a table.
fn files(root: &Path, table: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = contents(&root.join("tables").join(table));
    assert!(files.len() > 2, "{table}: {}", files.len());
    files
}

#[test]
fn candidates_keep_their_rules_and_the_program_gets_texts() {
    let folder = tempfile::tempdir().unwrap();
    let (root, output) = tune(folder.path(), &["--threads", "2"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let tasks = std::fs::read_to_string(folder.path().join("tasks.log")).unwrap();
    let (mut active, mut inactive) = (0, 0);
    for task in tasks.lines() {
        let task: Value = serde_json::from_str(task).unwrap();
        let weights = &task["weights"];
        let number = |key: &str| weights[key].as_f64().unwrap();
        assert!(number("low") < number("high"), "{weights}");
        match weights["mode"].as_str().unwrap() {
            "exact" => active += 1,
            "fast" | "careful" => {
                assert_eq!(number("nodes"), 100.0);
                inactive += 1;
            }
            other => panic!("{other}"),
        }
    }
    assert!(active > 50 && inactive > 50, "{active} {inactive}");
    let tuned = std::fs::read_to_string(root.join("tuned.toml")).unwrap();
    assert!(tuned.contains("mode = 2\n"), "{tuned}");
    let resolved = std::fs::read_to_string(root.join("resolved.toml")).unwrap();
    assert!(
        resolved.contains("name = \"mirrored-cma-es\""),
        "{resolved}"
    );
    assert!(
        text(&output.stdout).contains("exact"),
        "{}",
        text(&output.stdout)
    );

    let header = stdout(&["export", root.to_str().unwrap(), "--format", "c-header"]);
    assert!(
        header.contains("mode: 0 is fast, 1 is careful, 2 is exact."),
        "{header}"
    );

    // A part of the run on one thread, continued, is the same run; and its games can be played again.
    let other = tempfile::tempdir().unwrap();
    let (part, output) = tune(
        other.path(),
        &["--threads", "1", "--set", "budget.generations=4"],
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let path = root.to_str().unwrap();
    stdout(&["verify", path, "--games", "5"]);
    stdout(&["replay", path]);
    let whole = ["resume", part.to_str().unwrap(), "--generations", "10"];
    stdout(&whole);
    for table in ["candidates", "generations"] {
        assert!(
            files(&root, table) == files(&part, table),
            "{table} differs"
        );
    }
}

#[test]
fn no_parameter_of_them_is_left_out_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (root, _) = tune(folder.path(), &["--set", "budget.generations=2"]);
    let experiment = |rows: &str| {
        let table = format!(
            "why = 'w'\nname = 'n'\nseed = 1\nplayer = {{ name = 'program', game = 'external' }}\ngames = 2\n[[generate]]\n{rows}\n"
        );
        let file = folder.path().join("ablate.toml");
        std::fs::write(&file, table).unwrap();
        let output = run(&["ablate", file.to_str().unwrap(), "--dry-run"]);
        assert_eq!(output.status.code(), Some(2));
        text(&output.stderr)
    };
    for weights in ["run:tuned", "run", "run/tuned.toml"] {
        for kind in ["each-left-out", "each-alone", "sensitivity"] {
            let told = experiment(&format!("kind = '{kind}'\nweights = '{weights}'"));
            assert!(told.contains("depend on each other"), "{weights}: {told}");
        }
    }
    let output = run(&["tune", "--prune", root.to_str().unwrap()]);
    assert!(text(&output.stderr).contains("depend on each other"));

    // Without rules a choice, and a number whose bounds exclude 0, are no terms.
    let alone = campaign_file(folder.path(), CAMPAIGN);
    let free = std::fs::read_to_string(&alone).unwrap();
    let free = free.replace("require = [\"low < high\"]", "");
    let free = free.replace("active_when = \"mode == 'exact'\"", "");
    std::fs::write(&alone, free).unwrap();
    let out = folder.path().join("free");
    let [alone, out] = [&alone, &out].map(|path| path.to_str().unwrap());
    let more = ["--out", out, "--set", "budget.generations=2"];
    stdout(&[&["tune", alone][..], &more].concat());
    let only = |terms: &str| {
        experiment(&format!(
            "kind = 'each-left-out'\nweights = 'free:tuned'\nterms = ['{terms}']"
        ))
    };
    for name in ["nodes", "mode"] {
        assert!(only(name).contains("not a term"), "{name}: {}", only(name));
    }
}

#[test]
fn a_category_of_an_earlier_run_keeps_its_text() {
    let folder = tempfile::tempdir().unwrap();
    let (earlier, output) = tune(folder.path(), &["--set", "budget.generations=3"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let tuned = std::fs::read_to_string(earlier.join("tuned.toml")).unwrap();
    let tuned: toml::Table = tuned.parse().unwrap();
    let number = tuned["weights"]["mode"].as_float();
    let number = number.unwrap_or_else(|| tuned["weights"]["mode"].as_integer().unwrap() as f64);
    let chosen = ["fast", "careful", "exact"][number as usize];
    assert_ne!(chosen, "careful", "that is the start");
    let run = earlier.to_str().unwrap();
    let later = |start: String, choices: &[&str], value: &str| {
        let folder = tempfile::tempdir().unwrap();
        let choices = format!("parameters.mode.choices={choices:?}");
        let settings = [
            "budget.generations=1",
            "parameters.nodes={start=100,min=10,max=200}",
            &start,
            &choices,
            value,
        ];
        let settings: Vec<&str> = settings.iter().flat_map(|one| ["--set", *one]).collect();
        let (out, output) = tune(folder.path(), &settings);
        let resolved = std::fs::read_to_string(out.join("resolved.toml"));
        let resolved: toml::Table = resolved.unwrap_or_default().parse().unwrap();
        (resolved, text(&output.stderr))
    };
    let others = ["wild", "exact", "careful", "fast"];
    let place = others.iter().position(|one| *one == chosen).unwrap() as f64;
    let without: Vec<&str> = others.into_iter().filter(|one| *one != chosen).collect();
    for key in ["weights", "distribution", "points"] {
        let start = match key {
            "weights" => format!("start.weights='{run}:tuned'"),
            "distribution" => format!("start.distribution='{run}'"),
            _ => format!("start.points=['{run}']"),
        };
        let (resolved, said) = later(start.clone(), &others, "seed=5");
        let start_of = |table: &toml::Table| match key {
            "points" => table["start"]["points"][0]["mode"].as_float(),
            _ => table["parameters"]["mode"]["start"].as_float(),
        };
        assert!(!resolved.is_empty(), "{key}: {said}");
        assert_eq!(start_of(&resolved), Some(place), "{key}: {said}");
        let (resolved, said) = later(start.clone(), &without, "seed=5");
        let expected = format!("`mode` is `{chosen}` there");
        assert!(
            resolved.is_empty() && said.contains(&expected),
            "{key}: {said}"
        );
        if key != "points" {
            // Its number is beyond the earlier list.
            let more = [&without[..], &["zap"]].concat();
            let (resolved, said) = later(start, &more, "start.values.mode='zap'");
            assert!(!resolved.is_empty(), "{key}: {said}");
            assert_eq!(start_of(&resolved), Some(3.0), "{key}: {said}");
        }
    }
}

#[test]
fn a_category_that_only_the_campaign_declares_keeps_its_text() {
    let folder = tempfile::tempdir().unwrap();
    let text = |choices: &str, start: &str| {
        format!(
            "why = 'w'\nname = 'c'\nseed = 2\nplayer = {{ name = 'expectimax', depth = 0 }}\n[evaluation]\ngames = 3\n\
             [budget]\ngenerations = 1\n[validation]\ngames = 0\n[start]\n{start}\n[parameters.empty]\n\
             [parameters.merges]\nchoices = {choices}\nstart = 'low'"
        )
    };
    let play = |name: &str, text: &str| {
        let file = folder.path().join("c.toml");
        std::fs::write(&file, text).unwrap();
        let out = folder.path().join(name);
        let [file, out] = [&file, &out].map(|path| path.to_str().unwrap());
        stdout(&["tune", file, "--out", out, "--quiet"]);
        let resolved = std::fs::read_to_string(folder.path().join(name).join("resolved.toml"));
        resolved.unwrap().parse::<toml::Table>().unwrap()
    };
    play("earlier", &text("['mid', 'low', 'high']", ""));
    let tuned = std::fs::read_to_string(folder.path().join("earlier/tuned.toml")).unwrap();
    let tuned: toml::Table = tuned.parse().unwrap();
    let number = tuned["weights"]["merges"].as_float().unwrap() as usize;
    for (key, run) in [("weights", "earlier:tuned"), ("distribution", "earlier")] {
        for list in [["mid", "low", "high"], ["low", "high", "mid"]] {
            let place = list
                .iter()
                .position(|one| *one == ["mid", "low", "high"][number]);
            let start = format!("{key} = '{run}'");
            let resolved = play(
                &format!("{key}-{}", list[0]),
                &text(&format!("{list:?}"), &start),
            );
            let found = resolved["parameters"]["merges"]["start"].as_float();
            assert_eq!(found, place.map(|place| place as f64), "{key} {list:?}");
        }
    }
}

#[test]
fn the_best_runs_of_a_loss_have_its_sign() {
    let folder = tempfile::tempdir().unwrap();
    let campaign = CAMPAIGN.replace(r#"["score"]"#, r#"["loss"]"#);
    let campaign = campaign.replace(r#"{\"score\":"#, r#"{\"loss\":"#);
    let config = campaign_file(folder.path(), &campaign);
    let out = folder.path().join("run");
    let [config, run_of] = [&config, &out].map(|path| path.to_str().unwrap());
    let settings = [
        "player.minimise=true",
        "budget.generations=2",
        "validation.games=40",
    ];
    let settings: Vec<&str> = settings.iter().flat_map(|one| ["--set", *one]).collect();
    stdout(&[&["tune", config, "--out", run_of][..], &settings].concat());
    let validation = std::fs::read_to_string(out.join("validation.json")).unwrap();
    let validation: Value = serde_json::from_str(&validation).unwrap();
    let printed = stdout(&["runs", "best", folder.path().to_str().unwrap(), "--json"]);
    let best: Value = serde_json::from_str(&printed).unwrap();
    let player = best[0]["player"].as_str().unwrap();
    assert!(
        player.starts_with("program: sh -c") && player.len() < 80,
        "{player}"
    );
    let run = &best[0]["runs"][0];
    let name = if run["is_tuned"] == true {
        "tuned"
    } else {
        "start"
    };
    let maximised = validation["objective"][name].as_f64().unwrap();
    assert!(
        maximised != 0.0 && run["value"].as_f64() == Some(-maximised),
        "{run}"
    );
    if let Some(ends) = run["interval"].as_array() {
        let ends: Vec<f64> = ends.iter().map(|end| end.as_f64().unwrap()).collect();
        assert!(ends[0] < -maximised && -maximised < ends[1], "{run}");
    }
}

#[test]
fn the_plan_names_choices_conditions_and_constraints() {
    let folder = tempfile::tempdir().unwrap();
    let (_, output) = tune(folder.path(), &["--dry-run"]);
    let plan = text(&output.stdout);
    for part in [
        "all candidates keep: low < high",
        "fast | careful | exact",
        "active when mode == 'exact'",
    ] {
        assert!(plan.contains(part), "{part}: {plan}");
    }
}

#[test]
fn mistakes_name_their_place_and_the_way_out() {
    for (setting, part) in [
        ("optimizer.name=cma-es", "leave out optimizer.name"),
        ("parameters.mode.start=fats", "did you mean `fast`?"),
        (
            "parameters.low.start=7",
            "the start breaks `low < high`: high = 6, low = 7",
        ),
        ("require=[\"low < hihg\"]", "did you mean `high`?"),
        (
            "require=[\"mode == 'exact'\"]",
            "the start breaks `mode == 'exact'`: mode = 'careful'",
        ),
        (
            "parameters.low.require=[\"low < 3\"]",
            "`require` is a key of the whole file",
        ),
        ("budget.games=10", "less than the 24 of one generation"),
        (
            "parameters.nodes.active_when=mode == 'exat'",
            "did you mean `exact`?",
        ),
        ("parameters.mode.scale=log", "has no order: leave out scale"),
        ("parameters.mode.choices=[\"careful\"]", "2 to 100 texts"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (_, output) = tune(folder.path(), &["--set", setting]);
        assert_eq!(output.status.code(), Some(2), "{setting}");
        // Long messages are wrapped.
        let message = text(&output.stderr).replace('│', " ");
        let message: Vec<&str> = message.split_whitespace().collect();
        let message = message.join(" ");
        assert!(message.contains(part), "{setting}: {message}");
    }
}

#[test]
fn rules_that_hardly_hold_few_hold_out_games_and_what_is_not_active_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let more = [
        "parameters.nodes.active_when=low > 10",
        "require=[\"low < high\", \"high < low + 0.01\"]",
        "parameters.low.start=3",
        "parameters.high.start=3.005",
        "budget.generations=3",
    ];
    let more: Vec<&str> = more.iter().flat_map(|one| ["--set", one]).collect();
    let (_, output) = tune(folder.path(), &more);
    let (told, result) = (text(&output.stderr), text(&output.stdout));
    for part in [
        "`nodes` is hardly ever active",
        "of the first candidates keep the constraints",
        "20 hold-out games will not show",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let mut rows = result.lines().filter(|line| line.contains("nodes"));
    assert!(rows.any(|row| row.contains("not active")), "{result}");
}
