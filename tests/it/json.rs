//! What the commands print with `--json`, and what the server answers, compared with the schemas in `docs/schemas`:
//! every key that is printed is described, every required key is printed, and every described key is printed here.

#[path = "../common/schema.rs"]
mod schema;

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;

use crate::common::{run, run_with_input};
use schema::{Checked, check_rules, described, schema_file};
use serde_json::Value;
use tiletune::web::{Server, Settings};

/// A campaign with restarts, a race and another depth.
const CAMPAIGN: &str = r#"
why = "a test"
name = "small"
seed = 7
player = { name = "expectimax", depth = 1 }
evaluation = { games = 4 }
budget = { generations = 40 }
[optimizer]
population = 6
restarts = "ipop"
max_restarts = 2
stop_rules = { tolerance_fitness = 1e12 }
[validation]
games = 40
race_games = 10
resamples = 200
deeper = [0]
deeper_games = 20
[parameters]
empty = { min = 0, max = 270 }
merges = {}
"#;

/// A campaign whose candidates play at two depths.
const SEVERAL: &str = r#"
why = "a test"
name = "several"
seed = 1
[player]
name = "expectimax"
depths = [0, 1]
[evaluation]
games = 4
[optimizer]
population = 4
[budget]
generations = 1
[validation]
games = 8
[parameters.empty]
"#;

/// A campaign of games between two players.
const BETWEEN_TWO: &str = r#"
why = "a test"
name = "two"
seed = 7
player = { name = "strings", game = "connect-four", depth = 1 }
evaluation = { games = 4 }
budget = { generations = 2 }
optimizer = { population = 4 }
validation = { games = 20 }
parameters = { threat = {}, both = {} }
"#;

const SERIES: &str = r#"
why = "a test"
name = "series"
seed = 1
player = { name = "expectimax", depth = 0 }
evaluation = { games = 4 }
optimizer = { population = 4 }
budget = { generations = 2 }
validation = { games = 30, race_games = 10 }
parameters = { empty = {}, merges = {} }
"#;

/// An experiment with all parts that games of one player have.
const EXPERIMENT: &str = "why = 'a test'
name = 'small'
seed = 7
games = 60
tile = 64
resamples = 200
published = 'counts.csv'
reference = 'counts.csv'
player = { name = 'minimax-six', depth = 2 }

[retune]
games = 200
evaluation = { games = 5 }
optimizer = { population = 6 }

[[row]]
name = 'usual'
group = 'one'
published = 'usual'
reference = 'usual'

[[generate]]
kind = 'each-left-out'
retune = true
terms = ['mono']

[[generate]]
kind = 'sensitivity'
parameters = ['mono']
factors = [0.5, 2]
name = 'moved '
";

const COUNTS: &str = "row,log2_max_tile,games\nusual,5,30\nusual,6,30\nusual,7,20\n";

/// An experiment with an oracle.
const YARDSTICK: &str = "why = 'a test'
name = 'oracle'
seed = 7
games = 10
baseline = 'one'
player = { name = 'strings', game = 'connect-four', depth = 1 }
yardstick = { player = { name = 'perfect', game = 'connect-four' }, positions = 6, moves = 24 }
row = [{ name = 'one' }, { name = 'two', values = { threat = 0 } }]
";

const HEURISTIC: &str = "\
about = 'a test'
[[terms]]
name = 'empty'
line = 'count(0)'
";

const PROGRAM: &str = r#"
why = "a test"
name = "program"
seed = 1
[player]
command = ["sh", "-c", "echo '{\"protocol\":1,\"program\":\"p\",\"parameters\":[\"a\"],\"numbers\":[\"score\",\"lines\"]}'; while read -r task; do echo '{\"score\":[1],\"lines\":[2]}'; done"]
seeds_per_task = 1
[evaluation]
games = 4
[optimizer]
population = 4
without_signal = "go-on"
[budget]
generations = 2
[validation]
games = 10
resamples = 100
[parameters.a]
min = -1
max = 1
start = 0.5
"#;

/// A program that fails with the seeds that begin with a 1.
const FAILING: &str = r#"
command = ["sh", "-c", "echo '{\"protocol\":1,\"program\":\"p\",\"parameters\":[\"a\"],\"numbers\":[\"score\"]}'; while read -r task; do case $task in *'[\"1'*) echo '{\"score\":[NaN]}';; *) echo '{\"score\":[1]}';; esac; done"]
seeds_per_task = 1
on_failure = "worst"
[parameters]
a = { default = 0.5, min = -1, max = 1 }
"#;

/// With this seed it fails in some of the games only.
const FAILING_CAMPAIGN: &str = r#"
why = "a test"
name = "failing"
seed = 2
player = { name = "program", game = "external" }
heuristic = "failing.toml"
evaluation = { games = 4 }
optimizer = { population = 4, without_signal = "go-on" }
budget = { generations = 2 }
validation = { games = 20, resamples = 100 }
parameters = { a = {} }
"#;

const FAILING_ROWS: &str = r#"
why = "a test"
name = "failing"
seed = 1
games = 20
player = { name = "program", game = "external" }
heuristic = "failing.toml"
[[row]]
name = "one"
[[row]]
name = "two"
values = { a = 1 }
"#;

/// A schema, and the command lines whose output follows it. `@` is the folder of the test; a line after `<<` is
/// the input.
const CASES: &[(&str, &[&str])] = &[
    (
        "tune",
        &[
            "tune @/campaign.toml --out @/campaign",
            "tune @/several.toml --out @/several",
            "tune @/two.toml --out @/two",
            "tune @/series.toml --set player.board=2x3 --out @/exact",
            "resume @/two --generations 3",
            "tune @/program.toml --out @/program --threads 1",
            "tune @/failing-campaign.toml --out @/failing-campaign",
            "resume @/campaign",
        ],
    ),
    (
        "series",
        &[
            "tune @/series.toml --repeat 2 --out @/series",
            "resume @/series",
        ],
    ),
    (
        "prune",
        &["tune --prune @/campaign --generations 1 --out @/pruned"],
    ),
    (
        "tune-plan",
        &[
            "tune @/campaign.toml --dry-run",
            "tune @/several.toml --dry-run",
        ],
    ),
    (
        "prune-plan",
        &["tune --prune @/campaign --generations 1 --dry-run"],
    ),
    (
        "ablate",
        &[
            "ablate @/experiment.toml --out @/experiment",
            "ablate @/yardstick.toml --out @/yardstick",
            "ablate @/failing-rows.toml --out @/failing",
            "resume @/experiment",
        ],
    ),
    (
        "ablate-plan",
        &[
            "ablate @/experiment.toml --dry-run",
            "ablate @/yardstick.toml --dry-run",
        ],
    ),
    (
        "compare",
        &[
            "compare greedy random --max-games 200 --seed 1 --out @/comparison",
            "compare strings random --game connect-four --depth 1 --max-games 100 --seed 1 --out @/match",
            "compare strings strings-article --game connect-four --depth 1 --opponent random --max-games 100 \
             --seed 1 --out @/points",
            "resume @/comparison",
        ],
    ),
    (
        "compare-plan",
        &["compare greedy random --seed 1 --dry-run"],
    ),
    (
        "evaluate",
        &[
            "evaluate --player expectimax --depth 0 --games 20 --seed 18446744073709551615",
            "evaluate --player random --games 5 --seed 1 --out @/kept",
            "evaluate --game connect-four --player strings --depth 1 --opponent random --games 4 --seed 1",
            "evaluate --game connect-four --player strings --depth 1 --opponent random,strings --games 40 --seed 1",
            "evaluate --positions @/boards.txt --games 5",
            "evaluate --game connect-four --player strings --positions @/columns.txt --games 4",
            "evaluate --game external --player program --weights @/program --games 5 --seed 1",
            "evaluate --game external --player program --heuristic @/failing.toml --games 20 --seed 1",
        ],
    ),
    (
        "evaluate-exact",
        &[
            "evaluate --board 2x2 --player greedy --exact --losses",
            "evaluate --board 2x2 --player expectimax --depth 0 --exact",
        ],
    ),
    (
        "advise",
        &[
            "advise --board 2x3 --player expectimax --depth 1 --explain << [[2,4,0],[2,8,4]]",
            "advise --player expectimax --depth 1 --explain << \
             {\"board\":[2,4,8,16,0,0,2,4,0,0,0,2,0,0,0,0],\"seed\":\"18446744073709551615\"}",
            "advise --player minimax-six-faithful --depth 2 << {\"board\":[2,4,8,16,0,0,2,4,0,0,0,2,0,0,0,0]}",
            "advise --game three-plus-three --player freedom --depth 2 << \
             {\"board\":[1,2,3,0,0,0,0,0,0,0,0,0,0,0,0,0],\"next\":1}",
            "advise --game connect-four --player strings --depth 1 << \
             {\"board\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0,0,0],\
             \"to_move\":2,\"seed\":3}",
            "advise --player random << {\"board\":[3]}",
        ],
    ),
    (
        "play",
        &[
            "play --player expectimax --depth 0 --seed 1",
            "play --game three-plus-three --player freedom --depth 1 --seed 1",
            "play --game connect-four --player strings --depth 1 --opponent random --seed 1",
            "play --game connect-four --player random --human first << 1\n2\n3\n4\n5\n6\n7\n1\n2\n3\n4\n5\n6\n7\n1\n2\n3\n4\n5\n6\n7\n\
             1\n2\n3\n4\n5\n6\n7\n1\n2\n3\n4\n5\n6\n7\n1\n2\n3\n4\n5\n6\n7\n",
            "play --run @/campaign --hold-out tuned",
            "play --run @/program --hold-out tuned",
        ],
    ),
    ("runs", &["runs @"]),
    ("run", &["runs show @/campaign", "runs show @/comparison"]),
    ("runs-best", &["runs best @"]),
    (
        "replay",
        &[
            "replay @/campaign",
            "replay @/two",
            "replay @/series/tuned.toml",
            "replay @/claim.toml",
            "replay @/experiment",
            "replay @/comparison",
        ],
    ),
    (
        "verify",
        &[
            "verify @/campaign --seed 1",
            "verify @/experiment --games 5",
        ],
    ),
    (
        "report",
        &["report @/campaign", "report @/kept --out @/elsewhere"],
    ),
    (
        "export",
        &["export @/campaign", "export @/program --format json"],
    ),
    ("fingerprint", &["fingerprint"]),
    ("list-games", &["list games"]),
    ("list-players", &["list players"]),
    ("list-weights", &["list weights"]),
    ("list-heuristics", &["list heuristics"]),
    (
        "list-heuristics-of-file",
        &["list heuristics configs/heuristics/2048-anchored.toml"],
    ),
    ("list-optimizers", &["list optimizers"]),
    ("list-charts", &["list charts"]),
];

/// A path of the server, and the body of a POST. Behind `#` stands the event of a stream whose data is meant.
type Asked = (&'static str, Option<&'static str>);

/// A schema, and the requests whose answers follow it: a path, and the body of a POST.
const SERVED: &[(&str, &[Asked])] = &[
    ("serve-games", &[("/api/games", None)]),
    (
        "serve-game",
        &[
            (
                "/api/games",
                Some(r#"{"player":{"name":"expectimax"},"seed":3,"moves":"01","history":true}"#),
            ),
            (
                "/api/games",
                Some(
                    r#"{"player":{"name":"freedom","game":"three-plus-three"},"seed":3,"history":true}"#,
                ),
            ),
            (
                "/api/games",
                Some(
                    r#"{"player":{"name":"strings","game":"connect-four"},"moves":"0101010","history":true}"#,
                ),
            ),
        ],
    ),
    (
        "serve-position",
        &[
            (
                "/api/position",
                Some(
                    r#"{"player":{"name":"greedy"},"position":{"board":[2,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}}"#,
                ),
            ),
            (
                "/api/position",
                Some(
                    r#"{"player":{"name":"freedom","game":"three-plus-three"},
                        "position":{"board":[1,2,3,0,0,0,0,0,0,0,0,0,0,0,0,0],"next":1}}"#,
                ),
            ),
            (
                "/api/position",
                Some(
                    r#"{"player":{"name":"strings","game":"connect-four","rows":4,"columns":4},
                        "position":{"rows":4,"columns":4,"board":[0,0,0,0,0,0,0,0,0,0,0,0,1,0,0,0],"to_move":2}}"#,
                ),
            ),
        ],
    ),
    ("serve-weights", &[("/api/weights", None)]),
    ("serve-runs", &[("/api/runs", None)]),
    ("serve-best", &[("/api/best", None)]),
    (
        "serve-candidates",
        &[("/api/runs/campaign/candidates", None)],
    ),
    ("serve-steer", &[("/api/steer", None)]),
    ("serve-pruned", &[("/api/pruned", None)]),
    ("serve-pruned-page", &[("/api/pruned/pruned", None)]),
    (
        "serve-run",
        &[
            ("/api/runs/campaign", None),
            ("/api/runs/two", None),
            ("/api/runs/program", None),
            ("/api/runs/series", None),
            ("/api/runs/experiment", None),
            ("/api/runs/yardstick", None),
            ("/api/runs/comparison", None),
            ("/api/runs/match", None),
        ],
    ),
    (
        "serve-compare",
        &[("/api/compare?run=campaign&run=two", None)],
    ),
    (
        "serve-lab-open",
        &[
            (
                "/api/lab/open",
                Some(r#"{"setting":{"player":{"name":"expectimax"}}}"#),
            ),
            (
                "/api/lab/open",
                Some(r#"{"setting":{"player":{"name":"expectimax"},"file":"about = 3"}}"#),
            ),
        ],
    ),
    (
        "serve-lab-values",
        &[
            (
                "/api/lab/values",
                Some(
                    r#"{"client":"a","setting":{"player":{"name":"expectimax"},"values":{"corner":9}},"heat":true,
                        "position":{"board":[2,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}}"#,
                ),
            ),
            (
                "/api/lab/values",
                Some(
                    r#"{"client":"a","setting":{"player":{"name":"strings","game":"connect-four"}},
                        "position":"4453"}"#,
                ),
            ),
        ],
    ),
    (
        "serve-lab-flip",
        &[(
            "/api/lab/flip",
            Some(
                r#"{"client":"a","setting":{"player":{"name":"expectimax","depth":0}},"key":"rank_sum",
                    "position":{"board":[8,4,2,0,32,16,0,2,128,32,16,4,256,128,32,16]}}"#,
            ),
        )],
    ),
    (
        "serve-lab-games",
        &[(
            "/api/lab/games#games",
            Some(
                r#"{"client":"a","games":2,
                    "setting":{"player":{"name":"expectimax","depth":0},"values":{"empty":1}}}"#,
            ),
        )],
    ),
    (
        "serve-losses",
        &[(
            "/api/losses#losses",
            Some(r#"{"client":"a","player":{"name":"greedy","board":"2x2"}}"#),
        )],
    ),
    (
        "serve-run-game",
        &[(
            "/api/runs/campaign/game#game",
            Some(r#"{"client":"a","hold_out":"tuned"}"#),
        )],
    ),
    (
        "serve-run-step",
        &[(
            "/api/runs/campaign/game#steps",
            Some(r#"{"client":"a","hold_out":"tuned"}"#),
        )],
    ),
    (
        "advise",
        &[(
            "/api/advise",
            Some(
                r#"{"player":{"name":"greedy"},"position":{"board":[2,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}}"#,
            ),
        )],
    ),
];

/// Weights with a claim that no campaign has made, and whose figures are wrong.
const CLAIM: &str = r#"game = "2048"
player = "expectimax"
[weights]
merges = 700.0
[provenance]
objective = "mean-score"
seed = 3
player = { name = "expectimax", depth = 0 }
start = { merges = 0.0 }
[provenance.hold_out]
with = "others"
games = 40
seed = 5
resamples = 200
mean = 0.0
standard_error = 0.0
start_mean = 0.0
difference = 0.0
objective = { measure = "mean score (points)", tuned = 0.0, start = 0.0, difference = 0.0 }
"#;

/// Schemas of what is printed where there is a browser, a cluster or a server that listens.
const OTHERS: [&str; 5] = [
    "browser",
    "cluster",
    "serve",
    "serve-steer-plan",
    "serve-steer-start",
];

/// Commands that print an object on each line.
const LINES: [&str; 2] = ["advise", "play"];

fn files(folder: &Path) {
    for (name, contents) in [
        ("campaign.toml", CAMPAIGN),
        ("several.toml", SEVERAL),
        ("two.toml", BETWEEN_TWO),
        ("series.toml", SERIES),
        ("experiment.toml", EXPERIMENT),
        ("counts.csv", COUNTS),
        ("yardstick.toml", YARDSTICK),
        ("program.toml", PROGRAM),
        ("failing.toml", FAILING),
        ("failing-rows.toml", FAILING_ROWS),
        ("failing-campaign.toml", FAILING_CAMPAIGN),
        ("own.toml", HEURISTIC),
        (
            "boards.txt",
            "2 4 8 16 0 0 2 4 0 0 0 2 0 0 0 0\n{\"id\":\"one\",\"board\":\"1212212112120000\"}\n",
        ),
        ("columns.txt", "4453\n"),
        ("claim.toml", CLAIM),
    ] {
        std::fs::write(folder.join(name), contents).unwrap();
    }
    std::fs::create_dir(folder.join("other")).unwrap();
}

/// The answer of a server, or the data of events of its stream.
fn answered(address: SocketAddr, path: &str, body: Option<&str>) -> Vec<Value> {
    let (path, event) = match path.split_once('#') {
        Some((path, event)) => (path, Some(event)),
        None => (path, None),
    };
    let method = if body.is_some() { "POST" } else { "GET" };
    let body = body.unwrap_or_default();
    let length = body.len();
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{path}: {text}");
    let Some(event) = event else {
        return vec![serde_json::from_str(body).unwrap()];
    };
    let mut found = Vec::new();
    let mut lines = body.lines();
    while let Some(line) = lines.next() {
        if line == format!("event: {event}") {
            let data = lines.next().and_then(|line| line.strip_prefix("data: "));
            found.push(serde_json::from_str(data.unwrap()).unwrap());
        }
    }
    assert!(!found.is_empty(), "{path}: {body}");
    // Some events have a list of values.
    let values = found.into_iter().flat_map(|value| match value {
        Value::Array(values) => values,
        value => vec![value],
    });
    values.collect()
}

/// Compares what a server of the folder answers.
fn check_served(folder: &Path, checked: &mut Checked, all: &mut BTreeSet<String>) {
    let server = Server::bind(Settings::new(folder)).unwrap();
    let (address, closer) = (server.address(), server.closer());
    let serving = std::thread::spawn(move || server.run());
    for (name, requests) in SERVED {
        let schema = schema_file(&format!("{name}.json"));
        described(&schema, name, all);
        for (path, body) in *requests {
            for mut answer in answered(address, path, *body) {
                if let Some(position) = answer.get_mut("position").and_then(Value::as_object_mut) {
                    // That of a game goes back to the server as it is.
                    let seed = position.remove("seed");
                    assert!(seed.is_none_or(|seed| seed.is_u64()));
                }
                let before = checked.mistakes.len();
                check_rules(&answer, path);
                checked.check(&answer, &schema, name, &schema);
                checked.mistakes[before..]
                    .iter_mut()
                    .for_each(|mistake| *mistake = format!("{path}: {mistake}"));
            }
        }
    }
    closer.close();
    serving.join().unwrap().unwrap();
}

/// The values that a command line prints.
fn printed(line: &str, folder: &Path) -> Vec<Value> {
    let line = line.replace('@', folder.to_str().unwrap());
    let (words, input) = match line.split_once(" << ") {
        Some((words, input)) => (words.to_owned(), Some(input.to_owned())),
        None => (line.clone(), None),
    };
    let mut arguments: Vec<&str> = words.split_whitespace().collect();
    arguments.push("--json");
    let output = match input {
        Some(input) => run_with_input(&arguments, input),
        None => run(&arguments),
    };
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let values: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(&stdout)
        .into_iter()
        .collect();
    let values = values.unwrap_or_else(|error| panic!("{line}: {error}\n{stdout}\n{stderr}"));
    assert!(!values.is_empty(), "{line}: {stderr}");
    if LINES.contains(&arguments[0]) {
        assert_eq!(values.len(), stdout.lines().count(), "{line}");
    } else {
        assert_eq!(values.len(), 1, "{line}");
    }
    values
}

/// Described keys that these commands do not print: what is not played yet, what differs, and a block of reports that
/// no page has.
const RARE: [&str; 19] = [
    // Of a calibration that is too short for a setting.
    "CalibrationGames.missing_settings",
    "Figure.about",
    "Figure.name",
    "Figure.title",
    "ablate.unplayed",
    "ablate.unjudged",
    "Deeper.skipped",
    "Difference.what",
    "Difference.recorded",
    "Difference.replayed",
    "RowResult.numbers",
    // tests/it/mixed.rs prints them.
    "Parameter.active_when",
    "Parameter.choices",
    // A program cannot play on from a position.
    "PositionResults.name",
    "PositionResults.numbers",
    "PositionResults.failed_games",
    // Of programs that minimise a number (continuation.rs).
    "ObjectiveComparison.loss",
    "ComparisonResults.loss",
    "compare.loss",
];

#[test]
fn every_command_prints_what_its_schema_says() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    files(folder);
    let mut checked = Checked::default();
    let mut all = BTreeSet::new();
    for (name, lines) in CASES {
        let schema = schema_file(&format!("{name}.json"));
        described(&schema, name, &mut all);
        for line in *lines {
            let before = checked.mistakes.len();
            for value in printed(line, folder) {
                check_rules(&value, line);
                checked.check(&value, &schema, name, &schema);
            }
            checked.mistakes[before..]
                .iter_mut()
                .for_each(|mistake| *mistake = format!("{line}: {mistake}"));
        }
    }
    check_served(folder, &mut checked, &mut all);
    let mistakes = checked.mistakes.join("\n");
    assert!(mistakes.is_empty(), "{mistakes}");
    let unseen = all.difference(&checked.found);
    let unseen: Vec<&String> = unseen.filter(|key| !RARE.contains(&key.as_str())).collect();
    assert!(
        unseen.is_empty(),
        "described, but not printed here: {unseen:#?}"
    );
    let files = std::fs::read_dir("docs/schemas").unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let served = SERVED.iter().map(|(name, _)| *name);
    let known = CASES.iter().map(|(name, _)| *name).chain(served);
    let known = known.chain(OTHERS).map(|name| format!("{name}.json"));
    assert_eq!(files.collect::<BTreeSet<_>>(), known.collect());
}

#[test]
fn json_is_given_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("c.toml");
    for (line, message) in [
        ("init", "a campaign file is TOML; --schema prints JSON"),
        ("completions bash", "a completion script has no JSON form"),
        ("man nowhere", "manual pages have no JSON form"),
        (
            "export configs/weights/expectimax-depth-1.toml --format csv",
            "--json is --format json",
        ),
        (
            "advise --player expectimax --explain=table",
            "--explain=table prints tables",
        ),
    ] {
        let arguments: Vec<&str> = line.split(' ').chain(["--json"]).collect();
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{line}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(message), "{line}: {stderr}");
        assert!(output.stdout.is_empty());
    }
    let weights = "configs/weights/expectimax-depth-1.toml";
    let output = run(&["export", weights, "--json", "--out", out.to_str().unwrap()]);
    assert!(output.status.success());
    let text = std::fs::read_to_string(out).unwrap();
    assert!(serde_json::from_str::<Value>(&text).unwrap()["provenance"].is_object());
}
