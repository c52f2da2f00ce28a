//! 2048 on other boards and with other random tiles, through the commands.

use serde_json::{Value, json};

use crate::common::{advise, campaign_file, run, stdout};

/// The options of a variation.
const VARIATION: [&str; 4] = ["--board", "3x4", "--spawn", "2:0.8,4:0.2"];

fn with<'a>(before: &[&'a str], after: &[&'a str]) -> Vec<&'a str> {
    [before, &VARIATION, after].concat()
}

fn refused(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn every_player_of_variations_plays_the_game_that_evaluate_plays() {
    for player in [
        &["expectimax", "--depth", "1"][..],
        &["greedy"],
        &["random"],
    ] {
        let which = [&["--player"], player, &["--seed", "5"]].concat();
        let evaluated = stdout(&with(
            &["evaluate"],
            &[&which[..], &["--games", "1", "--json"]].concat(),
        ));
        let evaluated: Value = serde_json::from_str(&evaluated).unwrap();
        let played = stdout(&with(&["play"], &[&which[..], &["--json"]].concat()));
        let mut lines: Vec<Value> = played
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let result = lines.pop().unwrap()["result"].clone();
        assert_eq!(
            evaluated["mean_score"],
            result["score"].as_f64().unwrap(),
            "{player:?}"
        );
        assert_eq!(evaluated["moves"], result["moves"], "{player:?}");
        let sizes = lines
            .iter()
            .map(|line| line["board"].as_array().unwrap().len());
        assert!(sizes.eq(std::iter::repeat_n(12, lines.len())), "{player:?}");
    }
}

#[test]
fn positions_have_the_size_of_the_board() {
    let lines = [
        json!({ "board": [2, 4, 8, 16, 0, 0, 2, 4, 0, 0, 0, 2] }).to_string(),
        "2 4 8 16".to_owned(),
        "0 0 2 4".to_owned(),
        "0 0 0 2".to_owned(),
        "123400120001".to_owned(),
        "2 4 8 16 0 0 2 4 0 0 0 2 0 0 0 0".to_owned(),
    ];
    let arguments = with(
        &["--player", "expectimax", "--depth", "1", "--explain"],
        &[],
    );
    let (answers, code) = advise(&arguments, &lines);
    assert_eq!((answers.len(), code), (4, Some(2)));
    assert!(answers[0]["values"]["left"].is_number() || answers[0]["values"]["left"].is_null());
    assert!(answers[0]["move"].is_string() && answers[0]["terms"].is_object());
    assert_eq!((&answers[1], &answers[2]), (&answers[0], &answers[0]));
    let error = answers[3]["error"].as_str().unwrap();
    assert!(error.contains("the board has 16 cells, not 12"), "{error}");
}

#[test]
fn boards_that_a_player_does_not_play_are_refused() {
    for (arguments, said) in [
        (&["evaluate", "--board", "5x5"][..], "docs/external.md"),
        (&["evaluate", "--spawn", "2:0.8"], "add up to 0.8, not to 1"),
        (
            &["evaluate", "--player", "snake", "--board", "3x4"],
            "plays on the usual board only",
        ),
        (
            &["evaluate", "--board", "3x4", "--exact-scores"],
            "an exact result needs",
        ),
        (
            &["evaluate", "--board", "3x4", "--endgames"],
            "leave `endgames` out",
        ),
        (
            &["compare", "expectimax", "snake", "--board", "3x4"],
            "play on different boards",
        ),
    ] {
        let error = refused(arguments);
        assert!(error.contains(said), "{arguments:?}: {error}");
    }
}

#[test]
fn every_command_with_a_board_knows_the_same_weights_by_name() {
    // `browser` takes its player as these do, but needs a browser.
    let commands = [
        &["evaluate", "--weights"][..],
        &["advise", "--weights"],
        &["play", "--weights"],
        &["compare", "published"],
    ];
    let completions = stdout(&["completions", "bash"]);
    let lines = completions.lines().map(str::trim);
    let names = lines.filter_map(|line| line.strip_prefix("tiletune,")?.strip_suffix(')'));
    let mut with_board: Vec<&str> = names
        .filter(|&name| name != "help" && stdout(&[name, "--help"]).contains("--board <"))
        .collect();
    with_board.sort();
    with_board.dedup();
    assert_eq!(
        with_board,
        ["advise", "browser", "compare", "evaluate", "play"]
    );
    for command in commands {
        for (weights, board, said) in [
            ("tuned", "2x3", "are tuned for board 2x3"),
            ("depth-1", "3x3", "it reads cell(3)"),
            ("depth-1", "3x4", "Weights that fit board 3x4: published, "),
            ("depht-1", "3x4", "published, tuned, depth-0, "),
            ("depht-1", "3x4", "did you mean `depth-1`?"),
        ] {
            let arguments = [command, &[weights, "--board", board]].concat();
            let error = refused(&arguments);
            assert!(error.contains(said), "{arguments:?}: {error}");
        }
    }
    let compared = "compare published 3x4 tuned expectimax:line-terms --board 3x4 --dry-run";
    let compared: Vec<&str> = compared.split(' ').collect();
    let output = run(&compared);
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{messages}");
    assert!(messages.contains("tuned: the weights `3x4`"), "{messages}");
}

#[test]
fn the_defaults_of_a_board_are_as_if_they_were_not_given() {
    let usual = [
        "evaluate", "--games", "2", "--seed", "1", "--json", "--depth", "0",
    ];
    let defaults = [
        "--board",
        "4x4",
        "--spawn",
        "4:0.1,2:0.9",
        "--first-tiles",
        "2",
    ];
    let [one, other] = [usual.to_vec(), [&usual[..], &defaults].concat()].map(|arguments| {
        let played: Value = serde_json::from_str(&stdout(&arguments)).unwrap();
        ["moves", "mean_score", "max_tile", "options"].map(|key| played[key].clone())
    });
    assert_eq!(one, other);
}

#[test]
fn a_campaign_says_its_board_and_its_weights_carry_it() {
    let folder = tempfile::tempdir().unwrap();
    let campaign = "why = 'a test'\nname = 'small'\nseed = 3\n\
        [player]\nname = 'expectimax'\ndepth = 0\nboard = '2x3'\nspawn = { 2 = 0.5, 4 = 0.5 }\n\
        [evaluation]\ngames = 20\n[optimizer]\npopulation = 6\n[budget]\ngenerations = 3\n\
        [validation]\ngames = 60\nresamples = 200\n[parameters.empty]\n[parameters.merges]\n";
    let file = campaign_file(folder.path(), campaign);
    let out = folder.path().join("run");
    let [file, out] = [&file, &out].map(|path| path.to_str().unwrap());
    stdout(&["tune", file, "--out", out]);
    let resolved = std::fs::read_to_string(format!("{out}/resolved.toml")).unwrap();
    assert!(resolved.contains("board = \"2x3\"") && resolved.contains("spawn = \"2:0.5,4:0.5\""));
    let page = std::fs::read_to_string(format!("{out}/report.html")).unwrap();
    assert!(page.contains("board 2x3"));
    let tuned = std::fs::read_to_string(format!("{out}/tuned.toml")).unwrap();
    assert!(tuned.contains("board = \"2x3\"") && !tuned.contains("first_tiles"));
    stdout(&["verify", out, "-q"]);
    stdout(&["replay", out, "-q"]);
}
