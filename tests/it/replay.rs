//! `tiletune replay` as a user meets it: recorded results are played again, and a changed digit or game is
//! found.

use std::path::Path;
use std::process::Output;

use crate::common::{SMALL, adopt, campaign_file, run, stdout};
use serde_json::Value;
use tiletune::record::{GameRecord, GameResult};
use tiletune::run::manifest::Status;
use tiletune::run::tables::{GamesOf, GamesWriter, read_games, row_games};
use tiletune::run::{RunFile, tables};

/// The keys of the figures in `[provenance.hold_out]`.
const FIGURES: [&str; 6] = [
    "mean",
    "standard_error",
    "start_mean",
    "difference",
    "difference_low",
    "difference_high",
];

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The exit code and the JSON of a replay.
fn replay(source: &Path, more: &[&str]) -> (Option<i32>, Value) {
    let output = run(&[&["replay", text(source), "--json"], more].concat());
    let json = serde_json::from_slice(&output.stdout);
    let json = json.unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)));
    (output.status.code(), json)
}

/// What differs.
fn differences(json: &Value) -> Vec<&str> {
    let differences = json["differences"].as_array().unwrap().iter();
    differences
        .map(|one| one["what"].as_str().unwrap())
        .collect()
}

/// Plays a small campaign.
fn tune(folder: &Path, settings: &[&str]) -> std::path::PathBuf {
    let config = campaign_file(folder, SMALL);
    let out = folder.join("run");
    let settings = ["budget.generations=3"].iter().chain(settings);
    let settings = settings.flat_map(|setting| ["--set", setting]);
    let arguments = ["tune", text(&config), "--out", text(&out)];
    let arguments: Vec<&str> = arguments.into_iter().chain(settings).collect();
    stdout(&arguments);
    out
}

fn with_other_score(game: &mut GameRecord) {
    if let GameResult::Score { score, .. } = &mut game.result {
        *score += 4;
    }
}

#[test]
fn the_claim_of_a_campaign_is_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let out = tune(folder.path(), &[]);
    let (code, json) = replay(&out, &[]);
    assert_eq!((code, &json["equal"]), (Some(0), &true.into()), "{json}");
    assert_eq!(json["games"], 400);
    assert_eq!(json["recorded_games"], 400);
    assert!(json["figures"].as_u64().unwrap() > 40, "{json}");

    // The file alone suffices, wherever it is, and names no path.
    let best = std::fs::read_to_string(out.join("tuned.toml")).unwrap();
    assert!(!best.contains(text(folder.path())), "{best}");
    assert!(best.contains("replay = \"tiletune replay tuned.toml\""));
    let elsewhere = tempfile::tempdir().unwrap();
    let copy = elsewhere.path().join("copy.toml");
    std::fs::write(&copy, &best).unwrap();
    let (code, json) = replay(&copy, &["--threads", "1"]);
    assert_eq!((code, &json["recorded_games"]), (Some(0), &0.into()));
    assert_eq!(json["claim"]["games"], 200);

    // One digit of any figure.
    for key in FIGURES.into_iter().chain(["tuned"]) {
        let start = best.find("[provenance.hold_out]").unwrap();
        let line = best[start..].lines();
        let line = line
            .clone()
            .find(|line| line.starts_with(&format!("{key} = ")));
        let line = line.unwrap_or_else(|| panic!("{key}: {best}"));
        let last = line.chars().last().unwrap();
        let other = if last == '1' { '2' } else { '1' };
        let changed = format!("{}{other}", &line[..line.len() - 1]);
        let (before, after) = best.split_at(start);
        let changed = after.replacen(&format!("\n{line}\n"), &format!("\n{changed}\n"), 1);
        std::fs::write(&copy, format!("{before}{changed}")).unwrap();
        let (code, json) = replay(&copy, &[]);
        assert_eq!((code, &json["equal"]), (Some(1), &false.into()), "{key}");
        let what = differences(&json);
        assert_eq!(what.len(), 1, "{what:?}");
        assert!(what[0].starts_with("copy.toml: hold_out."), "{what:?}");
        assert!(what[0].ends_with(&format!(".{key}")), "{what:?}");
        let printed = run(&["replay", text(&copy)]);
        assert_eq!(printed.status.code(), Some(1));
        let printed = String::from_utf8(printed.stdout).unwrap();
        assert!(
            printed.contains("not equal") && printed.contains(what[0]),
            "{printed}"
        );
    }
}

#[test]
fn the_claim_of_a_series_is_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let out = tune(folder.path(), &["series.repeat=2"]);
    let (code, json) = replay(&out, &[]);
    assert_eq!((code, &json["equal"]), (Some(0), &true.into()), "{json}");
    assert_eq!(json["recorded_games"], 400);
}

#[test]
fn a_changed_hold_out_game_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let out = tune(folder.path(), &[]);
    let path = out.join("tables/hold-out/tuned.parquet");
    let mut games = read_games(&RunFile::outside(&path)).unwrap();
    with_other_score(&mut games[17]);
    let of = GamesOf::HoldOut { weights: "tuned" };
    let part = RunFile::outside(&path);
    let mut writer = GamesWriter::create(&part, of, None).unwrap();
    writer.add(1, 0, &games).unwrap();
    writer.finish().unwrap();
    adopt(&out, Status::Complete);
    let (code, json) = replay(&out, &[]);
    assert_eq!((code, &json["different_games"]), (Some(1), &1.into()));
    assert_eq!(
        differences(&json),
        ["tables/hold-out/tuned.parquet: game 17"]
    );
    let one = &json["differences"][0];
    let scores = ["recorded", "replayed"].map(|which| one[which]["score"].as_u64().unwrap());
    assert_eq!(scores[0], scores[1] + 4);
}

#[test]
fn a_claim_without_a_campaign_is_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    // As docs/replay.md says: figures of 0 first, then those that were played.
    let file = |[mean, error, start, difference, low, high]: [f64; 6]| {
        let difference = format!(
            "difference = {difference:?}\ndifference_low = {low:?}\ndifference_high = {high:?}"
        );
        format!(
            r#"game = "2048"
player = "expectimax"
[weights]
merges = 700.0
rank_sum = 50.0
[provenance]
objective = "mean-score"
seed = 3
player = {{ name = "expectimax", depth = 0 }}
[provenance.start]
rank_sum = 0.0
merges = 0.0
[provenance.hold_out]
with = "only empty cells and order"
games = 60
seed = 5
resamples = 300
mean = {mean:?}
standard_error = {error:?}
start_mean = {start:?}
{difference}
[provenance.hold_out.objective]
measure = "mean score (points)"
tuned = {mean:?}
start = {start:?}
{difference}
"#
        )
    };
    let write = |text: String| std::fs::write(&path, text).unwrap();
    write(file([0.0; 6]));
    let (code, json) = replay(&path, &[]);
    assert_eq!(code, Some(1), "{json}");
    assert_eq!(json["claim"]["with"], "only empty cells and order");
    let played = |key: &str| {
        let mut differences = json["differences"].as_array().unwrap().iter();
        let one = differences.find(|one| one["what"].as_str().unwrap().ends_with(key));
        one.unwrap_or_else(|| panic!("no {key}: {json}"))["replayed"]
            .as_f64()
            .unwrap()
    };
    let figures = FIGURES.map(|key| played(&format!("hold_out.{key}")));
    let [mean, error, start, ..] = figures;
    assert!(mean > 0.0 && start > 0.0 && error > 0.0, "{json}");
    write(file(figures));
    let (code, json) = replay(&path, &[]);
    assert_eq!((code, &json["games"]), (Some(0), &120.into()), "{json}");
}

#[test]
fn the_claims_of_the_tuned_weights_here_can_be_read() {
    let folder = Path::new("configs/weights");
    let mut claims = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // The others are those of published programs.
        if std::fs::read_to_string(&path)
            .unwrap()
            .contains("[provenance")
        {
            let source = tiletune::Source::read(&path).unwrap();
            let catalogue = tiletune::Catalogue::builtin();
            let claimed = tiletune::config::provenance::read(&catalogue, &source);
            let claimed = claimed.unwrap_or_else(|error| panic!("{error}"));
            claims.push((path, claimed.claim.seed));
        }
    }
    assert_eq!(claims.len(), 18, "{claims:?}");
}

#[test]
fn the_games_of_an_experiment_are_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("experiment.toml");
    let experiment = "why = 'w'\nname = 'small'\nseed = 7\ngames = 40\nbaseline = 'random'\n\
                      row = [{ name = 'random', player = { name = 'random' } },\n\
                      { name = 'greedy', player = { name = 'greedy' } }]\n";
    std::fs::write(&file, experiment).unwrap();
    let out = folder.path().join("run");
    stdout(&["ablate", text(&file), "--out", text(&out)]);
    let (code, json) = replay(&out, &[]);
    assert_eq!((code, &json["games"]), (Some(0), &80.into()), "{json}");
    let (code, json) = replay(&out, &["--games", "5"]);
    assert_eq!((code, &json["recorded_games"]), (Some(0), &10.into()));
    assert_eq!(json["figures"], 0);

    let path = out.join("tables/games/row-001.parquet");
    let mut games = read_games(&RunFile::outside(&path)).unwrap();
    with_other_score(&mut games[3]);
    let table = row_games("greedy", 1, None, &games);
    tables::write(&RunFile::outside(&path), &table).unwrap();
    adopt(&out, Status::Complete);
    let (code, json) = replay(&out, &["--games", "5"]);
    assert_eq!(code, Some(1));
    assert_eq!(
        differences(&json),
        ["tables/games/row-001.parquet (`greedy`): game 3"]
    );

    let results = out.join("results.json");
    let changed = std::fs::read_to_string(&results).unwrap();
    std::fs::write(
        &results,
        changed.replacen("\"games\": 40", "\"games\": 41", 1),
    )
    .unwrap();
    adopt(&out, Status::Complete);
    let (code, json) = replay(&out, &[]);
    assert_eq!((code, &json["different_figures"]), (Some(1), &1.into()));
    assert!(differences(&json).contains(&"results.json: rows.0.games"));
}

#[test]
fn the_pairs_of_a_comparison_are_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let arguments = ["compare", "random", "greedy", "random", "--seed", "5"];
    let limit = ["--max-games", "300", "--out", text(&out)];
    let output = run(&[&arguments[..], &limit].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let (code, json) = replay(&out, &["--threads", "1"]);
    assert_eq!((code, &json["equal"]), (Some(0), &true.into()), "{json}");
    assert_eq!(json["games"], json["recorded_games"]);

    let path = out.join("tables/games/pairs-00000.parquet");
    let mut games = tables::read_block(&RunFile::outside(&path), |_| None).unwrap();
    with_other_score(&mut games[0].game);
    let block = tables::block(&games, |_| None);
    tables::write(&RunFile::outside(&path), &block).unwrap();
    adopt(&out, Status::Complete);
    let (code, json) = replay(&out, &[]);
    assert_eq!((code, &json["different_games"]), (Some(1), &1.into()));
    assert_eq!(differences(&json), ["tables/games, `random`: game 0"]);
}

#[test]
fn what_has_no_claim_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |source: &Path, more: &[&str], part: &str| {
        let output = run(&[&["replay", text(source)], more].concat());
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        // Long messages are wrapped.
        let words: Vec<&str> = message
            .split(|c: char| c.is_whitespace() || c == '│')
            .filter(|word| !word.is_empty())
            .collect();
        assert!(words.join(" ").contains(part), "{message}");
    };
    let published = Path::new("crates/engine/data/weights/expectimax.toml");
    refused(published, &[], "no recorded claim to replay");
    refused(&folder.path().join("missing.toml"), &[], "missing.toml");
    refused(
        folder.path(),
        &[],
        "neither a weights file nor a run directory",
    );
    refused(
        published,
        &["--games", "5"],
        "--games is for the rows of an experiment",
    );
    let out = tune(folder.path(), &["validation.games=0"]);
    refused(&out, &[], "no recorded claim to replay");
    std::fs::remove_file(out.join("tuned.toml")).unwrap();
    let missing = run(&["replay", text(&out)]);
    assert_eq!(missing.status.code(), Some(1));
    let message = stderr(&missing);
    assert!(
        message.contains("tuned.toml: the file is missing"),
        "{message}"
    );
}
