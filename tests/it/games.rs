//! The games besides 2048 through everything that is the same for all games: a campaign and what
//! is made of its run, an experiment over the terms of a player, mistakes.

use std::path::Path;

use crate::common::{adopt, assert_same_run, campaign_file, run, stdout, tiletune};
use serde_json::Value;
use tiletune::run::manifest::Status;

/// Game, player, depth, two of its parameters, and the chart of how its games end.
const GAMES: [(&str, &str, u32, [&str; 2], &str); 2] = [
    (
        "three-plus-three",
        "expectimax",
        0,
        ["empty", "monotonicity"],
        "max-tile",
    ),
    (
        "connect-four",
        "strings",
        2,
        ["base", "liberty_power"],
        "outcomes",
    ),
];

fn campaign(game: &str, player: &str, depth: u32, [one, other]: [&str; 2]) -> String {
    format!(
        "why = 'a test'\nname = 'small'\nseed = 3\n\
         [player]\ngame = '{game}'\nname = '{player}'\ndepth = {depth}\n\
         [evaluation]\ngames = 20\n[optimizer]\npopulation = 6\n[budget]\ngenerations = 4\n\
         [validation]\ngames = 60\nresamples = 200\n\
         [parameters.{one}]\n[parameters.{other}]\n"
    )
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_campaign_of_every_game_is_drawn_replayed_and_exported() {
    for (game, player, depth, parameters, chart) in GAMES {
        let folder = tempfile::tempdir().unwrap();
        let file = campaign_file(folder.path(), &campaign(game, player, depth, parameters));
        let out = folder.path().join("run");
        stdout(&["tune", text(&file), "--out", text(&out)]);

        for name in [chart, "fitness", "parameters"] {
            let drawn = out.join(format!("charts/{name}.png"));
            assert!(drawn.is_file(), "{game}: no {name}");
            std::fs::remove_file(drawn).unwrap();
        }
        stdout(&["report", text(&out)]);
        assert!(out.join(format!("charts/{chart}.png")).is_file(), "{game}");
        let page = std::fs::read_to_string(out.join("report.html")).unwrap();
        assert!(page.contains(game) && page.contains(player));

        // The command in the file reproduces the mean to the last digit.
        let best = std::fs::read_to_string(out.join("tuned.toml")).unwrap();
        let best: toml::Table = best.parse().unwrap();
        let claim = &best["provenance"]["hold_out"];
        let command = claim["evaluate"].as_str().unwrap();
        let arguments = command.split(' ').skip(1).chain(["--json"]);
        let output = tiletune().args(arguments).current_dir(&out).output();
        let replayed: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
        let mean = match game {
            "connect-four" => &replayed["points"],
            _ => &replayed["mean_score"],
        };
        assert_eq!(mean.as_f64(), claim["mean"].as_float(), "{command}");
        let replayed: Value =
            serde_json::from_str(&stdout(&["replay", text(&out), "--json"])).unwrap();
        assert_eq!(replayed["equal"], true, "{game}: {replayed}");

        for format in ["toml", "json", "csv", "c-header"] {
            let exported = stdout(&["export", text(&out), "--format", format]);
            let exported = exported.to_lowercase();
            assert!(
                parameters.iter().all(|key| exported.contains(key)),
                "{game}, {format}: {exported}"
            );
        }
        for which in [
            &["--hold-out", "tuned"][..],
            &["--generation", "2", "--candidate", "1"],
        ] {
            let shown = stdout(&[&["play", "--run", text(&out)], which].concat());
            assert!(shown.ends_with("the same as recorded\n"), "{game}: {shown}");
        }
    }
}

#[test]
fn a_campaign_of_every_game_ends_alike_after_an_interruption() {
    for (game, player, depth, parameters, _) in GAMES {
        let folder = tempfile::tempdir().unwrap();
        let file = campaign_file(folder.path(), &campaign(game, player, depth, parameters));
        let [whole, resumed] = ["whole", "resumed"].map(|name| folder.path().join(name));
        stdout(&["tune", text(&file), "--out", text(&whole)]);
        stdout(&["tune", text(&file), "--out", text(&resumed)]);
        // What was there after the second generation: no more tables, no end.
        for table in ["generations", "candidates", "train", "race", "hold-out"] {
            let table = resumed.join("tables").join(table);
            for part in std::fs::read_dir(table).unwrap() {
                let part = part.unwrap().path();
                let name = part.file_stem().unwrap().to_str().unwrap();
                if !matches!(name, "generation-00000" | "generation-00001") {
                    std::fs::remove_file(part).unwrap();
                }
            }
        }
        let events = resumed.join("events.jsonl");
        let lines = std::fs::read_to_string(&events).unwrap();
        let (before, _) = lines.split_once(r#"{"event":"search-ended""#).unwrap();
        std::fs::write(&events, before).unwrap();
        adopt(&resumed, Status::Running);
        stdout(&["resume", text(&resumed), "--threads", "1"]);
        assert_same_run(&whole, &resumed);
    }
}

#[test]
fn an_experiment_takes_the_terms_of_every_player() {
    for (game, player, depth, ..) in GAMES {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("experiment.toml");
        let experiment = format!(
            "why = 'a test'\nname = 'terms'\nseed = 1\ngames = 20\nresamples = 100\n\
             player = {{ game = '{game}', name = '{player}', depth = {depth} }}\n\
             [[generate]]\nkind = 'each-alone'\n[[generate]]\nkind = 'each-left-out'\n"
        );
        std::fs::write(&file, experiment).unwrap();
        let out = folder.path().join("out");
        let table = stdout(&["ablate", text(&file), "--out", text(&out)]);
        for row in ["no term", "all terms", "only ", "without "] {
            assert!(table.contains(row), "{game}: {table}");
        }
        // Scores and points have columns of their own.
        let results = std::fs::read_to_string(out.join("results.csv")).unwrap();
        let header = "row,games,mean_score,se_score,points,se_points,mean_moves,";
        assert!(results.starts_with(header), "{game}: {results}");
        let json = std::fs::read_to_string(out.join("results.json")).unwrap();
        for key in ["mean_score", "se_score", "max_tile", "capped"] {
            assert_eq!(json.contains(key), game != "connect-four", "{game}: {key}");
        }
        let is_of_two = results.lines().nth(1).unwrap().contains(",20,,,");
        assert_eq!(is_of_two, game == "connect-four", "{game}: {results}");
        for chart in ["scores", "difference"] {
            assert!(out.join(format!("charts/{chart}.png")).is_file(), "{game}");
        }
    }
}

#[test]
fn what_does_not_fit_a_game_is_told() {
    let evaluate = |arguments: &str| {
        let arguments = format!("evaluate --games 2 --seed 1 --game {arguments}");
        let output = run(&arguments.split(' ').collect::<Vec<_>>());
        let message = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), message)
    };
    for (arguments, said) in [
        (
            "connect-five --player strings",
            "did you mean `connect-four`?",
        ),
        (
            "connect-four --player expectimax",
            "player `expectimax` plays `2048` and `three-plus-three`, not `connect-four`",
        ),
        (
            "three-plus-three --player strings",
            "player `strings` plays `connect-four`, not `three-plus-three`",
        ),
        (
            "three-plus-three --player expectimax --opponent random",
            "takes no opponent",
        ),
        ("three-plus-three --player random --rows 5", "takes no rows"),
        (
            "connect-four --player strings --opponent nobody",
            "unknown opponent `nobody`",
        ),
        ("connect-four --player strings --rows 20", "too large"),
        (
            "connect-four --player strings --connect 9",
            "out of range: 3 to 7",
        ),
        ("connect-four --player strings --depth 0", "out of range"),
        ("connect-four --player perfect --depth 3", "takes no depth"),
        (
            "connect-four --player strings --opponent perfect --opponent-depth 3",
            "no opponent takes a depth",
        ),
    ] {
        let (code, message) = evaluate(arguments);
        assert_eq!(code, Some(2), "{arguments}: {message}");
        assert!(message.contains(said), "{arguments}: {message}");
    }
}
