//! Short ways: weights by name, a heuristic file in the place of a campaign, and lists.

use std::process::Output;

use super::*;
use crate::common::tiletune;

const TERMS: &str = "about = 'a test'
[[term]]
name = 'base'
doc = 'one'
value = '1'
constant = true
weight = { default = 100.0, min = 0.0, max = 1000.0 }
[[term]]
name = 'empty'
doc = 'number of empty cells'
value = 'count(cells where r == 0)^power'
weight = { default = 300.0, min = 0.0, max = 3000.0 }
parameters.power = { default = 1.0, min = 0.5, max = 2.0 }
";

fn in_folder(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = tiletune();
    command.current_dir(folder).args(arguments);
    command.output().unwrap()
}

fn texts(output: Output) -> [String; 2] {
    [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
}

/// The mean score of three games.
fn mean(folder: &Path, arguments: &[&str]) -> (f64, String) {
    let evaluate = ["evaluate", "--games", "3", "--threads", "1", "--json"];
    let [answer, messages] = texts(in_folder(folder, &[&evaluate, arguments].concat()));
    let answer: serde_json::Value =
        serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{arguments:?}: {messages}"));
    (answer["mean_score"].as_f64().unwrap(), messages)
}

#[test]
fn weights_that_ship_are_known_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/weights");
    let file = root.join("expectimax-depth-0.toml");
    let file = file.to_str().unwrap();
    let depth = ["--depth", "0", "--weights"];
    let (by_file, _) = mean(path, &[&depth[..], &[file]].concat());
    let (by_name, messages) = mean(path, &[&depth[..], &["depth-0"]].concat());
    assert_eq!(by_name, by_file);
    assert_eq!(messages, "");
    let (tuned, messages) = mean(path, &[&depth[..], &["tuned"]].concat());
    assert_eq!(tuned, by_file);
    assert!(
        messages.contains("tuned: the weights `depth-0`"),
        "{messages}"
    );
    // Without a depth they are played at their own.
    assert_eq!(mean(path, &["--weights", "depth-0"]).0, by_file);
    assert_eq!(mean(path, &["--weights", file]).0, by_file);
    let small = root.join("expectimax-3x4.toml");
    let small = mean(path, &["--weights", small.to_str().unwrap()]);
    assert_eq!(small, mean(path, &["--weights", "3x4"]));
    assert_eq!(small.1, "");
    let at_depth = mean(path, &["--weights", "3x4", "--depth", "0"]);
    let on_board = ["--weights", "3x4", "--depth", "0", "--board", "3x4"];
    assert_eq!(at_depth, mean(path, &on_board));
    let of_player = mean(path, &["--player", "expectimax", "--weights", "depth-0"]);
    let said = "tuned for depth 0; they play here at depth 1";
    assert!(of_player.1.contains(said), "{}", of_player.1);
    let published = mean(path, &["--weights", "published"]).0;
    assert_eq!(published, mean(path, &[]).0);

    let [text, _] = texts(in_folder(path, &["export", "depth-0", "--format", "csv"]));
    assert!(text.contains("\ncell_0,56656.69"), "{text}");

    // A file of this name has priority.
    let other = std::fs::read_to_string(root.join("expectimax-line-terms.toml")).unwrap();
    std::fs::write(path.join("depth-0"), other).unwrap();
    let (hidden, messages) = mean(path, &[&depth[..], &["depth-0"]].concat());
    assert_ne!(hidden, by_file);
    let said = "depth-0: this file or run, not the weights of this name that ship";
    assert!(messages.contains(said), "{messages}");
}

#[test]
fn weights_of_a_file_are_played_as_they_were_tuned() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let tuned = |options: &str| {
        let player = "game = \"2048\"\nplayer = \"expectimax\"\n[weights]\nempty = 300\n[provenance.player]\n\
                      name = \"expectimax\"\ngame = \"2048\"\n";
        std::fs::write(path.join("w.toml"), format!("{player}{options}")).unwrap();
    };
    for (options, flags, same) in [
        ("depth = 2\nboard = \"2x3\"", "", "--depth 2 --board 2x3"),
        (
            "depth = 2\nboard = \"2x3\"",
            "--depth 0",
            "--depth 0 --board 2x3",
        ),
        (
            "depth = 2\nboard = \"2x3\"",
            "--board 2x4",
            "--depth 2 --board 2x4",
        ),
        // The first of several settings.
        (
            "depths = [0, 2]\nboard = \"2x3\"",
            "",
            "--depth 0 --board 2x3",
        ),
        // An option that does not fit the board.
        (
            "depth = 2\nendgames = true",
            "--board 3x3",
            "--depth 2 --board 3x3",
        ),
        // How scores are computed is not how it plays.
        (
            "depth = 1\nboard = \"2x3\"\nexact_scores = true",
            "",
            "--board 2x3 --depth 1",
        ),
        // A player that this program does not know.
        ("depth = 2\ngone = 1", "", "--depth 1"),
    ] {
        tuned(options);
        let play = |flags: &str| {
            let flags = flags.split_whitespace();
            mean(
                path,
                &["--weights", "w.toml"]
                    .into_iter()
                    .chain(flags)
                    .collect::<Vec<_>>(),
            )
            .0
        };
        let by_player = format!("--player expectimax {same}");
        assert_eq!(play(flags), play(&by_player), "{options}: {flags}");
    }
}

#[test]
fn an_unknown_name_of_weights_lists_the_known_ones() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str]| {
        let output = in_folder(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let [_, stderr] = texts(output);
        let words = stderr.replace('│', " ");
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let said = refused(&["evaluate", "--weights", "depth-11"]);
    assert!(said.contains("did you mean `depth-1`?"), "{said}");
    assert!(
        said.contains("published, tuned, depth-0, depth-1"),
        "{said}"
    );
    let said = refused(&["evaluate", "--player", "snake", "--weights", "depth-1"]);
    assert!(said.contains("(these for snake: published)"), "{said}");
    let said = refused(&["compare", "published", "dept-1"]);
    assert!(said.contains("did you mean `depth-1`?"), "{said}");
}

#[test]
fn a_search_can_start_at_weights_with_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let campaign = |weights: &str| {
        let text = format!(
            "player = {{ name = 'expectimax', depth = 0 }}\nbudget = {{ games = 100 }}\nevaluation.games = 2\n\
             parameters.empty = {{}}\nstart.weights = '{weights}'\noptimizer.population = 2\n"
        );
        let file = campaign_file(folder.path(), &text);
        let tune = [
            "tune",
            file.to_str().unwrap(),
            "--dry-run",
            "--threads",
            "1",
        ];
        texts(in_folder(folder.path(), &tune))
    };
    let [plan, messages] = campaign("published");
    assert!(plan.contains("| empty     |   270 |"), "{plan}{messages}");
    let [plan, messages] = campaign("published-form");
    assert!(plan.contains(" 483.7"), "{plan}{messages}");
    let [_, messages] = campaign("depth-11");
    assert!(messages.contains("did you mean `depth-1`?"), "{messages}");
}

#[test]
fn a_heuristic_file_is_tuned_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::write(path.join("my-terms.toml"), TERMS).unwrap();
    let small = [
        "budget.generations=1",
        "optimizer.population=2",
        "evaluation.games=2",
        "validation.games=2",
        "seed=1",
    ];
    let settings: Vec<&str> = small.iter().flat_map(|one| ["--set", one]).collect();
    let tune = ["tune", "my-terms.toml", "--out", "run", "--threads", "1"];
    let [_, messages] = texts(in_folder(path, &[&tune[..], &settings].concat()));
    assert!(
        messages.contains("my-terms.toml: a heuristic file"),
        "{messages}"
    );
    let resolved = std::fs::read_to_string(path.join("run/resolved.toml")).unwrap();
    assert!(resolved.contains("name = \"my-terms\""), "{resolved}");
    assert!(resolved.contains("[parameters.empty_power]"), "{resolved}");
    assert!(!resolved.contains("[parameters.base]"), "{resolved}");

    let [text, _] = texts(in_folder(path, &["init", "--heuristic", "my-terms.toml"]));
    assert!(text.contains("\nheuristic = \"my-terms.toml\"\n"), "{text}");
    std::fs::write(path.join("my.toml"), text).unwrap();
    let tune = ["tune", "my.toml", "--out", "other", "--threads", "1"];
    let [_, messages] = texts(in_folder(path, &[&tune[..], &settings].concat()));
    assert!(path.join("other/best.toml").is_file(), "{messages}");
}

#[test]
fn a_campaign_needs_no_name_and_no_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let text = "player = { name = 'expectimax', depth = 0 }\nbudget = { games = 100 }\nparameters.'*' = {}\n\
                evaluation.games = 2\nvalidation.games = 2\nseed = 1\noptimizer.population = 2\n";
    std::fs::write(path.join("first try.toml"), text).unwrap();
    let tune = ["tune", "first try.toml", "--out", "run", "--threads", "1"];
    let [_, messages] = texts(in_folder(path, &tune));
    let resolved = std::fs::read_to_string(path.join("run/resolved.toml"));
    let resolved = resolved.unwrap_or_else(|_| panic!("{messages}"));
    assert!(resolved.contains("name = \"first-try\""), "{resolved}");
    assert!(resolved.contains("why = \"Are there better weights for expectimax?\""));
    assert!(!resolved.contains("[parameters.lost_penalty]"));
}

#[test]
fn a_list_in_a_pipe_has_a_line_for_each_entry() {
    let players = stdout(&["list", "players", "--game", "2048"]);
    let lines: Vec<&str> = players.lines().collect();
    assert_eq!(lines.len(), 9, "{players}");
    assert!(lines[1].starts_with("expectimax-faithful  "), "{players}");
    assert!(!players.contains("strings"), "{players}");
    let more = stdout(&["list", "players", "--player", "expectimax", "--verbose"]);
    assert_eq!(more.lines().count(), 2, "{more}");
    let parameters = stdout(&["list", "heuristics", "--player", "snake"]);
    assert!(
        parameters.lines().all(|line| line.contains("2048")),
        "{parameters}"
    );
    let weights = stdout(&["list", "weights", "--game", "three-plus-three"]);
    assert!(weights.contains("depth-1"), "{weights}");
    for (arguments, said) in [
        (
            &["list", "players", "--game", "chess"][..],
            "unknown game `chess`",
        ),
        (
            &["list", "players", "--player", "snak"],
            "did you mean `snake`?",
        ),
        (
            &["list", "weights", "--player", "strings", "--game", "2048"],
            "plays `connect-four`",
        ),
        (&["list", "charts", "--game", "2048"], "leave them out"),
    ] {
        let (code, stderr) = failure(arguments);
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.contains(said), "{stderr}");
    }
}
