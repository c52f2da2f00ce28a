//! A small run of every kind for every game: the files, and the command that plays it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::contents;

/// A game with two of its parameters.
struct Game {
    name: &'static str,
    /// The table `player` of a campaign, and of an experiment.
    player: &'static str,
    in_experiments: &'static str,
    parameters: &'static str,
    /// The parameter of a row that is tuned again; none for a program, whose parameters no experiment declares.
    retuned: Option<&'static str>,
}

const GAMES: [Game; 6] = [
    Game {
        name: "2048",
        player: r#"{ name = "expectimax", depth = 0 }"#,
        in_experiments: r#"{ name = "expectimax", depth = 0 }"#,
        parameters: "empty = {}, merges = {}",
        retuned: Some("empty"),
    },
    Game {
        name: "2048-variation",
        player: r#"{ name = "expectimax", depth = 0, board = "3x4", spawn = { 2 = 0.8, 4 = 0.2 } }"#,
        in_experiments: r#"{ name = "expectimax", depth = 0, board = "3x4", spawn = "2:0.8,4:0.2" }"#,
        parameters: "empty = {}, merges = {}",
        retuned: Some("empty"),
    },
    Game {
        name: "2048-depths",
        player: r#"{ name = "expectimax", depths = [0, 1] }"#,
        in_experiments: r#"{ name = "expectimax", depth = 0 }"#,
        parameters: "empty = {}, merges = {}",
        retuned: Some("empty"),
    },
    Game {
        name: "three-plus-three",
        player: r#"{ name = "expectimax", game = "three-plus-three", depth = 0 }"#,
        in_experiments: r#"{ name = "expectimax", game = "three-plus-three", depth = 0 }"#,
        parameters: "empty = {}, smoothness = {}",
        retuned: Some("empty"),
    },
    Game {
        name: "connect-four",
        player: r#"{ name = "strings", game = "connect-four", depth = 1, rows = 5, columns = 5 }"#,
        in_experiments: r#"{ name = "strings", game = "connect-four", depth = 1, rows = 5, columns = 5 }"#,
        parameters: "length = {}, liberty = {}",
        retuned: Some("length"),
    },
    Game {
        name: "external",
        player: r#"{ command = ["sh", "program.sh"] }"#,
        in_experiments: r#"{ name = "program", game = "external" }"#,
        parameters: "a = { min = -1, max = 1, start = 0.5 }, b = { min = -1, max = 1, start = 0.5 }",
        retuned: None,
    },
];

/// A program whose score of a task is the number of characters of the task: it depends on weights and seed.
const PROGRAM: &str = r#"echo '{"protocol":1,"program":"p","parameters":["a","b"],"numbers":["score"]}'
while read -r task; do echo "{\"score\":[${#task}]}"; done
"#;

/// A run: its name, and the arguments of the command but `--out`.
pub struct SmallRun {
    pub game: &'static str,
    pub name: String,
    pub arguments: Vec<String>,
}

impl SmallRun {
    /// Whether the command has played all games, by its exit code. A comparison of few games may be undecided, or say
    /// that none is better.
    pub fn has_ended(&self, code: Option<i32>) -> bool {
        code == Some(0) || self.name.ends_with("comparison") && matches!(code, Some(3 | 4))
    }
}

/// The files of a run that may not depend on clocks or machines, also those of runs inside of it.
pub fn results(run: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = contents(run);
    files.retain(|path, _| {
        let name = path.file_name().unwrap().to_str().unwrap();
        let is_result =
            name.ends_with(".parquet") || name.ends_with(".toml") || name == "events.jsonl";
        is_result || name == "validation.json"
    });
    files
}

/// Writes the files of all runs into a folder. A run may use the `tuned.toml` of those before it, which lie in
/// `folder/runs/NAME`.
pub fn small_runs(folder: &Path) -> Vec<SmallRun> {
    std::fs::write(folder.join("program.sh"), PROGRAM).unwrap();
    let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let mut runs = Vec::new();
    for game in GAMES {
        let (name, parameters, retuned) = (game.name, game.parameters, game.retuned);
        let campaign = format!(
            r#"why = "a test"
name = "small"
seed = 5
player = {}
evaluation = {{ games = 6 }}
optimizer = {{ population = 5 }}
budget = {{ generations = 3 }}
validation = {{ games = 12, race_games = 100, resamples = 200 }}
parameters = {{ {parameters} }}
"#,
            game.player
        );
        let tuned = at(&format!("runs/{name}-campaign/tuned.toml"));
        let mut experiment = format!(
            r#"why = "a test"
name = "small"
seed = 6
games = 8
player = {}
row = [{{ name = "tuned", weights = "{tuned}" }}]
"#,
            game.in_experiments
        );
        if let Some(key) = retuned {
            experiment = experiment.replace(
                "}]",
                &format!(
                    r#"}}, {{ name = "retuned", baseline = "tuned", retune = {{ of = "tuned", seed = 9, parameters = ["{key}"] }} }}]
retune = {{ games = 150, evaluation = {{ games = 6 }}, optimizer = {{ population = 5 }} }}"#
                ),
            );
        }
        let files = [(".toml", campaign), ("-experiment.toml", experiment)].map(|(end, text)| {
            let file = at(&format!("{name}{end}"));
            std::fs::write(&file, text).unwrap();
            file
        });
        let again = at(&format!("runs/{name}-series/tuned.toml"));
        let commands: [(&str, &[&str]); 4] = [
            ("campaign", &["tune", &files[0]]),
            ("series", &["tune", &files[0], "--repeat", "2"]),
            ("experiment", &["ablate", &files[1]]),
            (
                "comparison",
                &[
                    "compare",
                    &tuned,
                    &again,
                    "--max-games",
                    "100",
                    "--seed",
                    "3",
                ],
            ),
        ];
        runs.extend(commands.map(|(kind, arguments)| SmallRun {
            game: name,
            name: format!("{name}-{kind}"),
            arguments: arguments.iter().map(|&one| one.to_owned()).collect(),
        }));
    }
    runs
}
