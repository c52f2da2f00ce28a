//! Mistakes in files and arguments.

use super::*;
use crate::common::contents;

#[test]
fn a_mistake_in_a_campaign_is_told_with_its_place() {
    let with = |from: &str, to: &str| {
        assert!(SMALL.contains(from), "{from}");
        SMALL.replace(from, to)
    };
    for (text, said) in [
        (
            with("generations = 25", "generatons = 25"),
            vec![
                "unknown key `generatons`",
                "campaign.toml:18:1",
                "did you mean `generations`?",
            ],
        ),
        (
            with("[budget]", "[budgte]"),
            vec![
                "unknown key `budgte`",
                "campaign.toml:17:2",
                "did you mean `budget`?",
            ],
        ),
        (
            with("[budget]", "[serie]\nrepeat = 3\n\n[budget]"),
            vec![
                "unknown key `serie`",
                "`parameters`, `series`",
                "campaign.toml:17:2",
                "did you mean `series`?",
            ],
        ),
        (
            with(
                "games = 200\nresamples = 500",
                "games = 100000\nresamples = 1000000",
            ),
            vec![
                "campaign.toml:22:1",
                "resamples 1000000 is too large for 100000 games: at most 100000",
            ],
        ),
        (
            with("population = 8", "population = \"many\""),
            vec!["campaign.toml:15:14", "expected a whole number"],
        ),
        (
            with("population = 8", "population = 1"),
            vec![
                "population = 1 is not allowed",
                "campaign.toml:15:1",
                "from 2",
            ],
        ),
        (
            with("min = 10", "min = 10\nmax = 5"),
            vec![
                "`empty`: min = 10 must be below max = 5",
                "campaign.toml:24:13",
            ],
        ),
        (
            with("min = 10", "min = -1"),
            vec!["min = -1 must be above 0 on a log scale"],
        ),
        (
            with("games = 60", "games = 0"),
            vec!["games must be at least 1", "campaign.toml:11:1"],
        ),
        (
            with("games = 60", "games = \"many\""),
            vec!["or \"auto\"", "campaign.toml:11:9"],
        ),
        (
            with("games = 60", "games = \"auto\""),
            vec![
                "games_growth needs a number of games, but games is \"auto\"",
                "campaign.toml:12:1",
            ],
        ),
        (
            with("games = 60\ngames_growth = 1.05", "games_max = 4"),
            vec!["games_max 4 is too small: at least 5", "campaign.toml:11:1"],
        ),
        (
            with("games = 60", "games = 60\nobjective = \"score\""),
            vec!["unknown objective `score`", "mean-score, median-score"],
        ),
        (
            with(
                "games = 60",
                "games = 60\nobjective = \"share-reaching-2047\"",
            ),
            vec![
                "2048 has no tile 2047; its tiles are 2, 4, 8, .., 32768",
                "campaign.toml:12:1",
            ],
        ),
        (
            with("games = 200", "games = 200\ndeeper = 3"),
            vec![
                "expected a list of depths, such as [3]",
                "campaign.toml:22:10",
            ],
        ),
        (
            with("depth = 0", "depth = 40"),
            vec!["depth 40 is out of range: 0 to 12", "campaign.toml:8:1"],
        ),
        (
            with("depth = 0", "depth = \"1\""),
            vec![
                "depth must be a whole number from 0 to 12 or \"adaptive\", not the text \"1\"",
                "campaign.toml:8:1",
            ],
        ),
        (
            with("depth = 0", "depth = 1.0"),
            vec!["not the number 1.0", "campaign.toml:8:1"],
        ),
        (
            with("name = \"expectimax\"", "name = \"expectimaxx\""),
            vec![
                "unknown player `expectimaxx`",
                "did you mean `expectimax`?",
                "campaign.toml:7:1",
            ],
        ),
        (
            with("[parameters.empty]", "[parameters.emty]"),
            vec![
                "unknown parameter `emty`",
                "did you mean `empty`?",
                "campaign.toml:24:13",
            ],
        ),
        (
            with(
                "[parameters.empty]",
                "[parameters.merges]\n[parameters.empty]",
            ),
            vec!["both tuned"],
        ),
        (
            with("generations = 25", ""),
            vec!["no budget", "generations, games or minutes"],
        ),
        (
            with("name = \"small\"", "name = \"../small\""),
            vec!["name `../small` cannot name a directory"],
        ),
        (
            with("generations = 25", "games = 100"),
            vec![
                "games 100 is less than the 480 of one generation",
                "campaign.toml:18:1",
            ],
        ),
        (
            with("generations = 25", "minutes = 1e300"),
            vec!["minutes", "at most 1000000"],
        ),
        (
            with("population = 8", "stop_rules.tolerance_fitness = -1"),
            vec!["campaign.toml:15"],
        ),
        (with("population = 8", "cm = 3"), vec!["campaign.toml:15:1"]),
        (
            with(
                "[parameters.monotonicity_power]",
                "[parameters.monotonicity_power]\nmax = 240",
            ),
            vec![
                "at the upper bounds: weight `monotonicity_power`",
                "allowed are",
                "campaign.toml:30:1",
            ],
        ),
        (
            with(
                "[parameters.monotonicity_power]",
                "[parameters.monotonicity_power]\nmax = 400",
            ),
            vec![
                "at the upper bounds",
                "`monotonicity` is -inf",
                "it must be finite on every line",
            ],
        ),
        (
            with(
                "[validation]",
                "[start.values]\nmerges = 1\nlost_penalty = 1e300\n[validation]",
            ),
            vec![
                "weight `lost_penalty`: ",
                "allowed are",
                "campaign.toml:22:1",
            ],
        ),
        (
            with(
                "[parameters.monotonicity_power]",
                "[parameters.monotonicity_power]\nmax = 240\nstart = 239",
            ),
            vec![
                "at the start: weight `monotonicity_power`",
                "campaign.toml:31:1",
            ],
        ),
        (
            SMALL.to_owned() + "\n[parameters.lost_penalty]\nfixed = true\nstart = 1e300\n",
            vec!["at the start: weight `lost_penalty`", "start = 1e300"],
        ),
        (
            with("games = 200", "games = 4000000000"),
            vec!["games 4000000000 is out of range"],
        ),
        (with("seed = 7", "seed = -7"), vec!["campaign.toml:4:8"]),
        (with("[player]", "[player"), vec!["campaign.toml:6"]),
    ] {
        refused(&text, &said);
    }
}

#[test]
fn what_is_no_campaign_is_refused() {
    refused("", &["the file is empty"]);
    refused("\u{0}\u{1}", &["not a text file"]);
    let folder = tempfile::tempdir().unwrap();
    let binary = folder.path().join("binary.toml");
    std::fs::write(&binary, [0xff, 0xfe, 0x00, 0x80]).unwrap();
    let (code, stderr) = failure(&["tune", binary.to_str().unwrap()]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("not a text file"), "{stderr}");
    let (code, stderr) = failure(&["tune", "no-such-file.toml"]);
    assert_eq!(code, Some(2));
    assert!(
        stderr.contains("no-such-file.toml: No such file"),
        "{stderr}"
    );
    refused(
        "game = '2048'\nplayer = 'expectimax'\n[weights]\nempty = 1.0\n",
        &[
            "this is a weights file, not a campaign",
            "in the table [start] of a campaign",
            "campaign.toml:3:2",
        ],
    );
}

#[test]
fn a_directory_in_the_place_of_a_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let told = |command: &str, said: &str| {
        let (code, stderr) = failure(&[command, path]);
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.contains(&format!("{path}: {said}")), "{stderr}");
    };
    told("tune", "this is a directory, not the file of a campaign");
    std::fs::write(folder.path().join("manifest.json"), "").unwrap();
    let run = "this is a run directory, not the file of";
    told("tune", &format!("{run} a campaign: `tiletune resume "));
    told("ablate", &format!("{run} an experiment: `tiletune resume "));
}

#[test]
fn an_output_directory_that_will_not_do_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), SMALL);
    let config = config.to_str().unwrap();
    let before = contents(folder.path());
    let (code, stderr) = failure(&["tune", config, "--out", folder.path().to_str().unwrap()]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("not empty"), "{stderr}");
    let below_a_file = format!("{config}/run");
    let (code, stderr) = failure(&["tune", config, "--out", &below_a_file]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("cannot write to"), "{stderr}");
    assert_eq!(contents(folder.path()), before);
}

#[test]
fn weights_for_another_player_and_wrong_weights_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights.toml");
    for (text, said) in [
        (
            "game = '2048'\nplayer = 'snake'\n[weights]\nratio = 1.0",
            "these weights are for player `snake`",
        ),
        (
            "game = '2048'\nplayer = 'expectimax'\n[weights]\nemty = 1.0",
            "did you mean `empty`?",
        ),
        (
            "game = '2048'\nplayer = 'expectimax'\n[weights]\nempty = nan",
            "a finite number is needed",
        ),
        (
            "game = '2048'\nplayer = 'expectimax'\n[weights]\nempty = 'x'",
            "weights.toml:4:9",
        ),
        (
            "game = '2048'\nplayer = 'expectimax'\n[weights]\nmerges = 3.0\nempty = 1e300\n",
            "weight `empty`: these weights give boards values",
        ),
        (
            "game = '2048'\nplayer = 'expectimax'\n[weights]\nmerges = 1e300\nempty = 1e300\n",
            "weights.toml:3:2",
        ),
        (
            "game = '2048'\nplayer = 'expectimax'\n[weights]\n",
            "the file has no weights",
        ),
    ] {
        std::fs::write(&path, text).unwrap();
        let weights = ["--weights", path.to_str().unwrap()];
        let (code, stderr) = failure(
            &[
                &[
                    "evaluate",
                    "--player",
                    "expectimax",
                    "--games",
                    "1",
                    "--seed",
                    "1",
                ],
                &weights[..],
            ]
            .concat(),
        );
        assert_eq!(code, Some(2), "{stderr}");
        let words = words(&stderr);
        assert!(words.contains(said), "`{said}` is not in: {stderr}");
    }
}

#[test]
fn bad_usage_exits_with_2() {
    for arguments in [
        &[
            "evaluate", "--player", "nobody", "--games", "1", "--seed", "1",
        ][..],
        &[
            "evaluate", "--player", "random", "--depth", "1", "--games", "1", "--seed", "1",
        ],
        &[
            "evaluate",
            "--player",
            "expectimax",
            "--depth",
            "x",
            "--games",
            "1",
            "--seed",
            "1",
        ],
        &[
            "evaluate",
            "--player",
            "expectimax",
            "--games",
            "0",
            "--seed",
            "1",
        ],
        &["resume", "."],
        &["report", "no-such-run"],
        &["export", "no-such-file", "--format", "json"],
        &["list", "nonsense"],
        &["fly"],
    ] {
        assert_eq!(failure(arguments).0, Some(2), "{arguments:?}");
    }
}

/// What a newcomer types first: the arguments, and a part of what is said. Files are those of the folder that the test
/// makes.
const TYPICAL: &[(&str, &str)] = &[
    (
        "tun my.toml",
        "some similar subcommands exist: 'runs', 'tune'",
    ),
    ("tune mine.toml", "cannot read mine.toml"),
    (
        "tune .",
        ".: this is a directory, not the file of a campaign",
    ),
    (
        "tune weights.toml",
        "this is a weights file, not a campaign",
    ),
    ("tune experiment.toml", "use `tiletune ablate`"),
    ("tune my.toml --out afile", "the output directory is a file"),
    (
        "tune my.toml --out afile/x",
        "cannot write to afile: afile is a file, not a directory",
    ),
    (
        "tune my.toml --set budget.minuts=5",
        "did you mean `minutes`?",
    ),
    ("ablate my.toml", "use `tiletune tune`"),
    (
        "ablate terms.toml",
        "this is a heuristic file, not an experiment",
    ),
    (
        "evaluate --weights my.toml",
        "this is a campaign, not a weights file: `tiletune tune FILE` runs it",
    ),
    (
        "evaluate --weights experiment.toml",
        "this is an experiment, not a weights file",
    ),
    (
        "evaluate --weights terms.toml",
        "give it as `--heuristic FILE`",
    ),
    (
        "evaluate --heuristic my.toml",
        "this is a campaign, not a heuristic file",
    ),
    ("evaluate --weights dept-1", "did you mean `depth-1`?"),
    (
        "evaluate --weight weights.toml",
        "a similar argument exists: '--weights'",
    ),
    ("evaluate --player expectmax", "did you mean `expectimax`?"),
    ("evaluate --player freedom", "--game three-plus-three"),
    (
        "evaluate --player greedy --depth 3",
        "player `greedy` takes no depth",
    ),
    ("evaluate --depth 99", "depth 99 is out of range: 0 to 12"),
    (
        "evaluate --games ten",
        "a whole number from 1 to 10,000,000 is allowed",
    ),
    (
        "evaluate --game chess",
        "`tiletune list games` has the games",
    ),
    ("evaluate connect-four", "write `--game connect-four`"),
    ("evaluate greedy", "write `--player greedy`"),
    (
        "play --player expectimax --game connect-four",
        "a player of `connect-four`: strings",
    ),
    (
        "play --human first",
        "`tiletune serve --open` has a page to play it yourself",
    ),
    ("export", "required arguments were not provided"),
    ("export my.toml", "this is a campaign, not a weights file"),
    (
        "export weights.toml --format yaml",
        "possible values: toml, json, csv, c-header",
    ),
    ("compare published", "2 values required"),
    (
        "compare published nothing",
        "no weights of this name (these: published, tuned,",
    ),
    ("compare expectmax greedy", "did you mean `expectimax`?"),
    ("list player", "a similar value exists: 'players'"),
    ("list players --game chess", "unknown game `chess`"),
    ("list charts --game 2048", "leave them out here"),
    ("runs --results nowhere", "nowhere: no such folder"),
    ("resume nothing", "nothing: no such run directory"),
    ("report last", "there is no run in `results`"),
    ("verify my.toml", "this is a file, not a run directory"),
    ("replay my.toml", "this is a campaign, not a weights file"),
    ("init --game chess", "unknown game `chess`"),
    (
        "init --player random",
        "has no weights to tune; players of 2048 that have: expectimax",
    ),
    (
        "init --heuristic my.toml",
        "this is a campaign, not a heuristic file",
    ),
    (
        "init --heuristic terms.toml --game connect-four",
        "no player of connect-four takes a heuristic",
    ),
];

#[test]
fn typical_mistakes_get_a_message_that_helps() {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let weights = root.join("configs/weights/expectimax-line-terms.toml");
    std::fs::copy(weights, folder.path().join("weights.toml")).unwrap();
    let experiment = "why = 'x'\nname = 'x'\nseed = 1\ngames = 2\n[player]\nname = 'snake'\n[[row]]\nname = 'a'\n";
    let terms = "about = 'x'\n[[term]]\nname = 'x'\ndoc = 'x'\nvalue = '1'\nweight = { min = 0.0, max = 1.0 }\n";
    for (name, text) in [
        ("my.toml", SMALL),
        ("experiment.toml", experiment),
        ("terms.toml", terms),
        ("afile", "x"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let before = contents(folder.path());
    for (arguments, said) in TYPICAL {
        let mut command = crate::common::tiletune();
        command.current_dir(folder.path());
        let output = command.args(arguments.split(' ')).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments}: {stderr}");
        assert!(output.stdout.is_empty(), "{arguments} printed data");
        let words = words(&stderr);
        assert!(
            words.contains(said),
            "{arguments}: `{said}` is not in: {stderr}"
        );
    }
    assert_eq!(contents(folder.path()), before);
}
