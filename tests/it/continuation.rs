//! `tiletune resume` with more budget: the search goes on as if it had had the budget from the start, earlier results
//! stay, and later looks at the search are corrected. And the budget of `tune`, and its games of the start weights.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use crate::common::{SMALL, campaign_file, contents, run, silent, stdout, tiletune};
use serde_json::Value;
use tiletune::run::RunFile;
use tiletune::run::tables::read_games;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn read(run: &Path, name: &str) -> String {
    std::fs::read_to_string(run.join(name)).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A campaign in a folder, and the arguments that execute it in the run directory of this name.
struct Campaign {
    folder: tempfile::TempDir,
    config: PathBuf,
    settings: Vec<String>,
}

impl Campaign {
    fn new(config: &str, settings: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Campaign {
            config: campaign_file(folder.path(), config),
            settings: settings.iter().map(|&one| one.to_owned()).collect(),
            folder,
        }
    }

    /// SMALL with these settings.
    fn small(settings: &[&str]) -> Self {
        let usual = ["evaluation.games_growth=1", "validation.resamples=200"];
        Campaign::new(SMALL, &[&usual[..], settings].concat())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn tune(&self, name: &str, budget: &[&str]) -> PathBuf {
        let out = self.at(name);
        let settings = self.settings.iter().flat_map(|one| ["--set", one]);
        let settings: Vec<&str> = settings.collect();
        let begin = [
            "tune",
            text(&self.config),
            "--out",
            text(&out),
            "--threads",
            "2",
        ];
        stdout(&[&begin[..], budget, &settings[..]].concat());
        out
    }
}

fn resume(out: &Path, budget: &[&str]) -> String {
    stdout(&[&["resume", text(out), "--threads", "2"], budget].concat())
}

/// Asserts that two runs have the same search: all games and candidates, and the race.
fn assert_same_search(one: &Path, other: &Path) {
    for table in [
        "generations",
        "candidates",
        "diagnostics",
        "train",
        "start",
        "race",
    ] {
        let [one, other] = [one, other].map(|run| contents(&run.join("tables").join(table)));
        assert!(!one.is_empty() || table == "race", "{table}");
        assert_eq!(
            one.keys().collect::<Vec<_>>(),
            other.keys().collect::<Vec<_>>(),
            "{table}"
        );
        assert!(one == other, "{table} differs");
    }
}

/// The seeds of a table of games.
fn seeds(run: &Path, table: &str) -> BTreeSet<u64> {
    let games = read_games(&RunFile::outside(run.join(table))).unwrap();
    games.iter().map(|game| game.seed).collect()
}

#[test]
fn a_search_that_goes_on_is_that_of_the_larger_budget() {
    let restarts = [
        "optimizer.restarts=ipop",
        "optimizer.stop_rules.tolerance_fitness=1e12",
        "evaluation.games=6",
        "validation.race_games=100",
    ];
    let random = ["optimizer.name=random", "validation.race_games=100"];
    for settings in [&[][..], &restarts[..], &random[..]] {
        let campaign = Campaign::small(settings);
        let more = campaign.tune("more", &["--games", "3000"]);
        resume(&more, &["--games", "6000"]);
        let at_once = campaign.tune("at-once", &["--games", "6000"]);
        assert_same_search(&more, &at_once);
        assert!(stdout(&["verify", text(&more)]).contains("0 differ"));
    }
}

#[test]
fn the_search_of_a_program_goes_on() {
    let script = r#"import json, sys
print('{"protocol":1,"program":"p","parameters":["x","y"],"numbers":["loss"]}', flush=True)
for line in sys.stdin:
    task = json.loads(line)
    x, y = task["weights"]["x"], task["weights"]["y"]
    print(json.dumps({"loss": [(x-3)**2 + (y+1)**2 + int(seed) % 7 for seed in task["seeds"]]}), flush=True)"#;
    let command = serde_json::to_string(&["python3", "-c", script]).unwrap();
    let config = format!(
        "why = 'w'\nname = 'p'\nseed = 5\nplayer = {{ command = {command}, minimise = true, time_limit = 60 }}\n\
         evaluation = {{ games = 4 }}\noptimizer = {{ population = 6 }}\nbudget = {{ generations = 3 }}\n\
         validation = {{ games = 40, resamples = 200 }}\n\
         parameters = {{ x = {{ min = -10, max = 10, start = 0 }}, y = {{ min = -10, max = 10, start = 0 }} }}\n"
    );
    let campaign = Campaign::new(&config, &[]);
    let more = campaign.tune("more", &[]);
    let printed = resume(&more, &["--generations", "6"]);
    // What is minimised is told in its own direction.
    let words = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("the mean loss is"), "{printed}");
    assert!(words.contains("less, and less is better"), "{printed}");
    assert!(
        printed.contains("| mean loss ± standard error |"),
        "{printed}"
    );
    let listed = stdout(&["runs", text(campaign.folder.path())]);
    assert!(listed.contains("mean loss "), "{listed}");
    let weights = std::fs::read_to_string(more.join("tuned.toml")).unwrap();
    assert!(
        weights.contains("# The program's number is minimised"),
        "{weights}"
    );
    let at_once = campaign.tune("at-once", &["--generations", "6"]);
    assert_same_search(&more, &at_once);
    assert!(stdout(&["verify", text(&more), "--games", "100"]).contains("0 differ"));
}

#[test]
fn each_look_has_fresh_games_and_earlier_results_stay() {
    let campaign = Campaign::small(&[]);
    let out = campaign.tune("run", &["--generations", "3"]);
    let first = ["validation.json", "tuned.toml"].map(|name| read(&out, name));
    assert!(!read(&out, "resolved.toml").contains("look"));
    let printed = resume(&out, &["--generations", "5"]);
    let said = "This is the 2nd look at this search; the interval is wider for it.";
    assert!(
        printed
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .contains(said),
        "{printed}"
    );
    assert!(read(&out, "report.html").contains("Earlier looks at this search"));
    assert!(read(&out, "resolved.toml").contains("look = 2"));
    assert_eq!(
        first,
        ["validation.json", "tuned.toml"].map(|name| read(&out.join("looks/1"), name))
    );
    let validation: Value = serde_json::from_str(&read(&out, "validation.json")).unwrap();
    assert_eq!(validation["look"], 2);

    resume(&out, &["--generations", "6"]);
    let tables = [
        "looks/1/tables/hold-out/start.parquet",
        "looks/2/tables/hold-out/start.parquet",
        "tables/hold-out/start.parquet",
        "tables/start/start.parquet",
    ];
    let seeds = tables.map(|table| seeds(&out, table));
    let all: BTreeSet<u64> = seeds.iter().flatten().copied().collect();
    assert_eq!(all.len(), seeds.iter().map(BTreeSet::len).sum::<usize>());
    for (number, table) in tables[..3].iter().enumerate() {
        let tuned = table.replace("start", "tuned");
        assert_eq!(seeds[number], self::seeds(&out, &tuned), "{tuned}");
    }

    assert!(stdout(&["verify", text(&out), "--games", "2000"]).contains("0 differ"));
    assert!(stdout(&["replay", text(&out)]).contains("equal: "));
    for look in 1..=2 {
        let tuned = out.join(format!("looks/{look}/tuned.toml"));
        assert!(stdout(&["replay", text(&tuned)]).contains("equal: "));
    }
    assert!(stdout(&["runs", "show", text(&out)]).contains("99.38 % interval"));
    stdout(&["report", text(&out)]);
    stdout(&["export", text(&out)]);
    // A complete run is printed again, and its files stay.
    let files = contents(&out);
    resume(&out, &[]);
    assert!(files == contents(&out));

    // A changed game of an earlier look is found.
    let table = out.join(tables[0]);
    std::fs::copy(out.join(tables[1]), &table).unwrap();
    assert_eq!(run(&["verify", text(&out)]).status.code(), Some(1));
}

#[test]
fn a_run_that_is_killed_while_it_goes_on_is_resumed_with_its_budget() {
    let campaign = Campaign::small(&[]);
    let begin = |name| campaign.tune(name, &["--generations", "3"]);
    let [straight, killed] = ["straight", "killed"].map(begin);
    resume(&straight, &["--generations", "30"]);
    let generations = || {
        let files = std::fs::read_dir(killed.join("tables/generations"));
        files.map_or(0, Iterator::count)
    };
    for (kill, parts) in [0, 4, 10, 20].into_iter().enumerate() {
        let resume = ["resume", text(&killed), "--generations", "30"];
        // Only the first command names the budget.
        let words = if kill == 0 { 4 } else { 2 };
        let mut child = silent(&resume[..words]);
        // The first kill comes as soon as the run goes on, the others after some generations.
        while child.try_wait().unwrap().is_none()
            && (generations() < parts || !read(&killed, "resolved.toml").contains("look = 2"))
        {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let _ = child.kill();
        child.wait().unwrap();
        if kill == 0 {
            stdout(&["verify", text(&killed)]);
            // Until the search has ended again, its weights are those of the last look.
            let best = read(&straight.join("looks/1"), "best.toml");
            assert_eq!(read(&killed, "best.toml"), best);
            stdout(&["export", text(&killed)]);
        }
    }
    resume(&killed, &[]);
    assert_same_search(&straight, &killed);
    for name in ["validation.json", "tuned.toml", "best.toml"] {
        assert_eq!(read(&straight, name), read(&killed, name), "{name}");
        let [one, other] = [&straight, &killed].map(|run| read(&run.join("looks/1"), name));
        assert_eq!(one, other, "{name}");
    }
    assert!(stdout(&["verify", text(&killed)]).contains("0 differ"));
}

/// A run of a long search that was killed after some generations, and the number of these.
fn unfinished(campaign: &Campaign) -> (PathBuf, usize) {
    let out = campaign.at("run");
    let long = ["--set", "evaluation.games=2000", "--generations", "50"];
    let begin = ["tune", text(&campaign.config), "--out", text(&out)];
    let settings = campaign.settings.iter().flat_map(|one| ["--set", one]);
    let settings: Vec<&str> = settings.collect();
    let mut child = tiletune()
        .args([&begin[..], &settings[..], &long[..]].concat())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let generations = out.join("tables/generations");
    while !generations.join("generation-00000.parquet").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let complete = std::fs::read_dir(generations).unwrap().count();
    (out, complete)
}

#[test]
fn an_interrupted_search_ends_with_what_it_has() {
    let campaign = Campaign::small(&["evaluation.games=2000"]);
    let (out, complete) = unfinished(&campaign);
    let run_of = text(&out);
    let shown = stdout(&["runs", "show", run_of]);
    for command in [
        format!("tiletune resume {run_of}\n"),
        format!("tiletune resume {run_of} --finish\n"),
    ] {
        assert!(shown.contains(&command), "{shown}");
    }
    let printed = resume(&out, &["--finish", "--json"]);
    let result: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(result["generations"].as_u64(), Some(complete as u64));
    assert_eq!(result["search_ended"], "`resume --finish` ended it");
    assert_eq!(result["validation"]["tuned"]["games"], 200);
    assert!(stdout(&["verify", run_of, "--games", "500"]).contains("0 differ"));
    // It is complete now, and prints its results again.
    resume(&out, &["--finish"]);
    assert!(!stdout(&["runs", "show", run_of]).contains("--finish"));
    // More budget continues it as if it had not ended.
    let budget = (complete + 2).to_string();
    resume(&out, &["--generations", &budget]);
    let at_once = campaign.tune("at-once", &["--generations", &budget]);
    assert_same_search(&out, &at_once);
    let validation: Value = serde_json::from_str(&read(&out, "validation.json")).unwrap();
    assert_eq!(validation["look"], 2);
}

#[test]
fn limits_that_are_not_given_stay_until_they_are_reached() {
    let campaign = Campaign::small(&[
        "budget.target=1e9",
        "budget.minutes=1000",
        "optimizer.name=mirrored-cma-es",
        "optimizer.uniform_points=0",
    ]);
    let out = campaign.tune("run", &["--generations", "3"]);
    let budget = |options: &[&str]| {
        let output = run(&[&["resume", text(&out), "--threads", "2"], options].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        let resolved: toml::Table = toml::from_str(&read(&out, "resolved.toml")).unwrap();
        let budget = resolved["budget"].as_table().unwrap();
        let keys: Vec<&str> = budget.keys().map(String::as_str).collect();
        (keys.join(" "), stderr(&output))
    };
    let (keys, told) = budget(&["--games", "3000"]);
    assert_eq!(keys, "games minutes target");
    let said = "the limit `generations` of the budget, 3, is reached and no longer applies";
    assert!(told.contains(said), "{told}");
    // What it began with would be another default.
    let kept = "the search keeps `optimizer.restarts` = \"none\"";
    assert!(told.contains(kept), "{told}");
    let (keys, told) = budget(&["--generations", "9"]);
    assert_eq!(keys, "generations minutes target");
    assert!(told.contains("`games` of the budget, 3,000,"), "{told}");
    assert!(!told.contains("the search keeps"), "{told}");
    let (keys, told) = budget(&["--generations", "10"]);
    assert_eq!(keys, "generations minutes target");
    assert!(!told.contains("no longer applies"), "{told}");
}

/// A program whose results depend on its weights only for seeds that it has seen, while the file `still` is there. So a
/// second look shows no difference.
const STILL: &str = r#"import json, os, sys
known = set(open("seen").read().split()) if os.path.exists("seen") else set()
still = os.path.exists("still")
seen = open("seen", "a")
print('{"protocol":1,"program":"p","parameters":["x","y"],"numbers":["score"]}', flush=True)
for line in sys.stdin:
    task = json.loads(line)
    x, y = task["weights"]["x"], task["weights"]["y"]
    def score(seed):
        if still and seed not in known:
            return 0
        seen.write(seed + "\n")
        return -(x-3)**2 - (y+1)**2 + int(seed) % 7
    scores = [score(str(seed)) for seed in task["seeds"]]
    seen.flush()
    print(json.dumps({"score": scores}), flush=True)"#;

#[test]
fn better_weights_stay_when_a_later_look_shows_nothing() {
    let command = serde_json::to_string(&["python3", "-c", STILL]).unwrap();
    let config = format!(
        "why = 'w'
name = 'p'
seed = 5
player = {{ command = {command}, time_limit = 60 }}
         evaluation = {{ games = 4 }}
optimizer = {{ population = 6 }}
budget = {{ generations = 6 }}
         validation = {{ games = 60, resamples = 200 }}
         parameters = {{ x = {{ min = -10, max = 10, start = 0 }}, y = {{ min = -10, max = 10, start = 0 }} }}
"
    );
    let campaign = Campaign::new(&config, &[]);
    let out = campaign.tune("run", &[]);
    let weights = |name: &str| {
        let file: toml::Table = toml::from_str(&read(&out, name)).unwrap();
        file["weights"].clone()
    };
    let first = weights("tuned.toml");
    assert_eq!(weights("best.toml"), first);
    std::fs::write(campaign.at("still"), "").unwrap();
    for generations in ["7", "8"] {
        let printed = resume(&out, &["--generations", generations, "--json"]);
        let result: Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(result["recommended"], "earlier");
        assert_eq!(result["weights"]["x"].as_f64(), first["x"].as_float());
        assert_eq!(weights("best.toml"), first);
        assert_ne!(weights("tuned.toml"), first);
    }
    let again = resume(&out, &[]);
    let words = again.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "So best.toml keeps the weights of look 1, which were better";
    assert!(words.contains(said), "{again}");
    let folder = text(out.parent().unwrap());
    let best: Value = serde_json::from_str(&stdout(&["runs", "best", folder, "--json"])).unwrap();
    let of_first: Value =
        serde_json::from_str(&read(&out.join("looks/1"), "validation.json")).unwrap();
    let ranked = &best[0]["runs"][0];
    assert_eq!(ranked["is_tuned"], true);
    assert_eq!(
        ranked["value"].as_f64().map(f64::abs),
        of_first["objective"]["tuned"].as_f64().map(f64::abs)
    );
    let shown = stdout(&["runs", "show", text(&out)]);
    assert!(
        shown.contains("the tuned weights of look 1, which were better"),
        "{shown}"
    );
    stdout(&["verify", text(&out)]);
    // Other weights in the place of the kept ones are found.
    let tuned = read(&out, "tuned.toml");
    std::fs::write(out.join("best.toml"), tuned).unwrap();
    assert_eq!(run(&["verify", text(&out)]).status.code(), Some(1));
}

#[test]
fn an_unfinished_search_gets_more_budget_without_another_look() {
    let campaign = Campaign::small(&[]);
    let (out, complete) = unfinished(&campaign);
    // The budget can be changed to a smaller one, too.
    resume(&out, &["--generations", &(complete + 2).to_string()]);
    assert!(!out.join("looks").exists());
    let validation: Value = serde_json::from_str(&read(&out, "validation.json")).unwrap();
    assert_eq!(validation["look"], Value::Null);
}

#[test]
fn what_cannot_go_on_says_why() {
    let campaign = Campaign::small(&["optimizer.stop_rules.tolerance_fitness=1e12"]);
    let refused = |arguments: &[&str]| {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        stderr(&output)
    };
    let ended = campaign.tune("ended", &["--generations", "200"]);
    let before = contents(&ended);
    let message = refused(&["resume", text(&ended), "--generations", "400"]);
    for part in [
        "the search has ended after",
        "more budget does not continue it",
        "start.weights=",
    ] {
        assert!(message.contains(part), "{message}");
    }
    let campaign = Campaign::small(&[]);
    let run = campaign.tune("run", &["--generations", "3"]);
    for (budget, part) in [
        (["--generations", "3"], "3 complete generations already"),
        (["--games", "1500"], "give more, for example 4,004"),
        (["--minutes", "0.000001"], "minutes already"),
        (["--games", "10"], "--games 10: games 10 is less than"),
    ] {
        let message = refused(&["resume", text(&run), budget[0], budget[1]]);
        assert!(message.contains(part), "{message}");
    }
    let series = campaign.tune("series", &["--generations", "2", "--repeat", "2"]);
    let message = refused(&["resume", text(&series), "--generations", "9"]);
    assert!(
        message.contains("this is a series: only a campaign goes on"),
        "{message}"
    );
    let child = series.join("runs/1");
    let message = refused(&["resume", text(&child), "--generations", "9"]);
    assert!(message.contains("a part of another run"), "{message}");
    assert!(before == contents(&ended));
}

#[test]
fn the_budget_of_the_command_line_replaces_that_of_the_file() {
    let campaign = Campaign::small(&["budget.target=1e9"]);
    let of = |name: &str, budget: &[&str]| {
        let out = campaign.tune(name, budget);
        let resolved: toml::Table = toml::from_str(&read(&out, "resolved.toml")).unwrap();
        resolved["budget"].as_table().unwrap().clone()
    };
    let games = of("games", &["--games", "2000"]);
    assert_eq!(games["games"].as_integer(), Some(2000));
    // A setting is added to it.
    assert_eq!(games["target"].as_float(), Some(1e9));
    assert!(!games.contains_key("generations"));
    let minutes = of("minutes", &["--minutes", "0.01"]);
    assert_eq!(minutes["minutes"].as_float(), Some(0.01));
    assert_eq!(minutes.len(), 2, "{minutes:?}");
    let both = of("both", &["--generations", "2", "--games", "100000"]);
    assert_eq!(both["generations"].as_integer(), Some(2));
    for minutes in ["-1", "0", "nan", "inf"] {
        let refused = run(&[
            "tune",
            "--minutes",
            minutes,
            "--out",
            text(&campaign.at("no")),
        ]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains("above 0"), "{}", stderr(&refused));
    }
    assert!(!campaign.at("no").exists());
}

#[test]
fn the_start_weights_play_before_the_search_unless_they_are_told_not_to() {
    let campaign = Campaign::small(&[]);
    let with = campaign.tune("with", &["--games", "4000"]);
    // 5 % of the budget.
    assert_eq!(seeds(&with, "tables/start/start.parquet").len(), 200);
    assert!(stdout(&["verify", text(&with), "--games", "5000"]).contains("0 differ"));
    let without = campaign.tune("without", &["--games", "4000", "--set", "start.games=0"]);
    assert!(!without.join("tables/start/start.parquet").exists());
    // No candidate depends on them; they only count in the budget.
    let [with, without] = [&with, &without].map(|run| contents(&run.join("tables/train")));
    assert!(with.len() <= without.len());
    for (name, games) in &with {
        assert!(without[name] == *games, "{}", name.display());
    }
    // With several start points they are those of the chosen one.
    let points = ["--set", "start.points=[{ empty = 100 }, { empty = 200 }]"];
    let several = campaign.tune("several", &[&["--generations", "3"], &points[..]].concat());
    assert!(stdout(&["verify", text(&several), "--games", "5000"]).contains("0 differ"));
}

#[test]
fn games_of_the_start_weights_count_in_a_smaller_budget_too() {
    let campaign = Campaign::small(&["budget.target=1"]);
    let out = campaign.tune("run", &["--games", "4000"]);
    let start = || seeds(&out, "tables/start/start.parquet").len();
    // 200 of the start weights, and the first generation, which reaches the target.
    assert_eq!(start(), 200);
    let refused = run(&["resume", text(&out), "--games", "1100"]);
    let said = stderr(&refused);
    assert!(
        said.contains("has played 680 games, and to go on it needs 480 more"),
        "{said}"
    );
    let printed = resume(&out, &["--games", "1160", "--json"]);
    let result: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!((start(), result["generations"].as_u64()), (200, Some(2)));
}

#[test]
fn the_smallest_budget_that_is_named_is_enough_for_the_choice_between_two_starts() {
    for (player, parameters, more) in [
        ("name = 'expectimax'\ndepth = 0", ["empty", "merges"], ""),
        (
            "name = 'expectimax'\ndepth = 0",
            ["empty", "merges"],
            "games_min = 5",
        ),
        (
            "name = 'expectimax'\ndepths = [0, 1]",
            ["empty", "merges"],
            "",
        ),
        (
            "name = 'strings'\ngame = 'connect-four'\ndepth = 1\nopponent = ['random']",
            ["length", "liberty"],
            "",
        ),
    ] {
        let [one, other] = parameters;
        let text = format!(
            "why = 'w'\nname = 'few'\nseed = 3\n[player]\n{player}\n[evaluation]\n{more}\n[validation]\ngames = 0\n\
             [parameters.{one}]\n[parameters.{other}]"
        );
        let campaign = Campaign::new(&text, &[]);
        let config = campaign.config.to_str().unwrap();
        let refused = run(&["tune", config, "--games", "10", "--dry-run"]);
        let said = stderr(&refused);
        let (_, rest) = said.split_once("is less than the ").expect(&said);
        let (least, _) = rest
            .split_once(" of the first two generations")
            .expect(&said);
        let out = campaign.tune("run", &["--games", least, "--json"]);
        let summary = stdout(&["runs", "show", out.to_str().unwrap(), "--json"]);
        let summary: Value = serde_json::from_str(&summary).unwrap();
        let headline = summary["headline"].as_str().unwrap();
        assert!(
            headline != "1 generation",
            "{player} {more}: {least}, {headline}"
        );
    }
}
