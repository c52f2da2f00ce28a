//! Campaigns of programs outside of tiletune: the examples, threads, interruptions, and programs that crash,
//! hang, answer nonsense or do not repeat. Programs of this file are shell scripts; what needs another
//! interpreter prints "skipped" where there is none.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{adopt, assert_same_run, campaign_file, run, stdout, tiletune};
use serde_json::Value;
use tiletune::run::manifest::Status;

const CAMPAIGN: &str = r#"
why = "a program under test"
name = "program"
seed = 5
[player]
command = COMMAND
time_limit = LIMIT
[evaluation]
games = 4
[optimizer]
name = "cma-es"
population = 6
# Some scripts answer every task with the same score.
without_signal = "go-on"
[budget]
generations = 3
[validation]
games = 20
resamples = 200
[parameters.a]
min = -1
max = 1
start = 0.5
"#;

/// The first line of the scripts.
const GREETING: &str =
    r#"echo '{"protocol":1,"program":"p","parameters":["a"],"numbers":["score"]}'"#;

/// Answers every task with the same score.
const ANSWERS: &str = r#"while read -r task; do echo '{"score":[1]}'; done"#;

/// Writes a campaign of a shell script, which writes its process number into a file when it starts.
fn shell_campaign(folder: &Path, script: &str, limit: f64) -> PathBuf {
    let script = format!("echo $$ > process.$$\n{script}");
    let command = serde_json::to_string(&["sh", "-c", &script]).unwrap();
    let text = CAMPAIGN.replace("COMMAND", &command);
    campaign_file(folder, &text.replace("LIMIT", &limit.to_string()))
}

pub fn out(folder: &Path) -> String {
    folder.join("run").to_str().unwrap().to_owned()
}

/// Tunes a shell script.
fn tune(folder: &Path, script: &str, limit: f64) -> Output {
    let config = shell_campaign(folder, script, limit);
    let config = config.to_str().unwrap();
    run(&["tune", config, "--threads", "2", "--out", &out(folder)])
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The numbers of the processes that wrote a file with this beginning.
pub fn processes(folder: &Path, beginning: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let numbers = names.filter_map(|name| Some(name.strip_prefix(beginning)?.to_owned()));
    numbers.collect()
}

/// Asserts that none of these processes is left after a moment, not even as an entry of the system's list.
pub fn assert_gone(processes: &[String]) {
    assert!(!processes.is_empty(), "no process was started");
    let is_there = |id: &&String| Path::new("/proc").join(id).exists();
    let begin = Instant::now();
    while processes.iter().any(|id| is_there(&id)) {
        let left: Vec<_> = processes.iter().filter(is_there).collect();
        assert!(begin.elapsed() < Duration::from_secs(2), "left: {left:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Answers every task with the weight `$a` and the last digit `$d` of the seed in hand.
fn answers(result: &str) -> String {
    format!(
        r#"{GREETING}; while read -r task; do a=${{task#*\"a\":}}; a=${{a%%[,\}}]*}}; d=${{task#*seeds\":\[}}; d=${{d%%]*}}; d=${{d%\"}}
        d=${{d#"${{d%?}}"}}; {result}; echo "{{\"score\":[$score]}}"; done"#
    )
}

#[test]
fn comparisons_of_programs_end_with_a_verdict() {
    // Not a digit depends on the seed; and wins and losses whose mean is 0 at the start.
    let deterministic = "score=$a";
    let matches =
        "case $a$d in 0.5[0-4]) score=-1;; 0.5*) score=1;; *[0-2]) score=-1;; *) score=1;; esac";
    for (script, pairs, unit, planned) in [
        (deterministic, 400, "%", "every pair has the difference +"),
        (
            matches,
            1000,
            "points",
            "difference of interest: 0.1 standard deviations (",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let config = shell_campaign(folder.path(), &answers(script), 9.0);
        let tuned = out(folder.path());
        let games = ["--set", "validation.games=60", "--threads", "1"];
        let output = run(&[
            &["tune", config.to_str().unwrap(), "--out", &tuned],
            &games[..],
        ]
        .concat());
        assert!(output.status.success(), "{}", stderr(&output));
        let compare = |players: [&str; 2], code: i32, verdict: &str| {
            let to = folder.path().join(format!("{verdict}-{code}"));
            let to = to.to_str().unwrap();
            let found = run(&[
                &["compare", "--json", "--seed", "3", "--out", to],
                &players[..],
            ]
            .concat());
            assert_eq!(
                found.status.code(),
                Some(code),
                "{script}: {}",
                stderr(&found)
            );
            let json: Value = serde_json::from_slice(&found.stdout).unwrap();
            assert_eq!(json["verdict"], verdict);
            json["challengers"][0]["path"]
                .as_array()
                .unwrap()
                .last()
                .unwrap()
                .clone()
        };
        let forward = compare(["published", &tuned], 0, "better");
        let back = compare([&tuned, "published"], 3, "worse");
        assert_eq!(forward["pairs"], back["pairs"]);
        assert!(forward["pairs"].as_u64().unwrap() <= pairs, "{forward}");
        for (one, other) in [
            ("difference", "difference"),
            ("low", "high"),
            ("high", "low"),
        ] {
            let turned = back[other].as_f64().map(|value| -value);
            assert_eq!(forward[one].as_f64(), turned, "{one}");
        }
        assert_eq!(
            forward["reference"].is_null(),
            unit == "points",
            "{forward}"
        );
        let plan = stdout(&["compare", "published", &tuned, "--dry-run", "--seed", "3"]);
        assert!(plan.contains(planned), "{plan}");
    }
}

#[test]
fn a_broken_program_is_told_with_its_last_words() {
    let tasks = |then: &str| format!("{GREETING}; read -r task; {then}");
    let greeting = |from: &str, to: &str| GREETING.replacen(from, to, 1);
    let cases: &[(String, f64, &[&str])] = &[
        (
            "echo no library >&2; exit 3".into(),
            9.0,
            &["no library", "exit status: 3"],
        ),
        (
            tasks("echo about to fail >&2; exit 7"),
            9.0,
            &[
                "3 processes in a row",
                "about to fail",
                "exit status: 7",
                r#""weights":{"a":"#,
            ],
        ),
        (tasks("kill -9 $$"), 9.0, &["signal: 9"]),
        (tasks("exec 1>&-; sleep 1000"), 9.0, &["closed its stdout"]),
        // A process that it has started holds its stdout open.
        (
            tasks("sleep 1000 & kill -6 $$; sleep 1"),
            9.0,
            &["signal: 6"],
        ),
        (
            tasks("sleep 1000 & exit 0"),
            0.3,
            &[
                "it ended by itself (exit status 0), but a process that it has started holds its stdout",
            ],
        ),
        (
            tasks("sleep 1000"),
            0.2,
            &[
                "a task took longer than the time limit of 0.2 s",
                "flush stdout after each line",
                r#""seeds":[""#,
            ],
        ),
        (
            tasks(r#"printf '{"score":[1]}'; sleep 1000"#),
            0.2,
            &[r#"it wrote `{"score":[1]}` without a line break"#],
        ),
        (
            tasks(r#"printf '{"score":[1]}'"#),
            9.0,
            &[r#"its last line, `{"score":[1]}`, has no line break"#],
        ),
        (
            "sleep 1000".into(),
            0.2,
            &[
                "the start of a process took longer",
                "it must write its greeting, {\"protocol\":1,..}, and flush stdout",
            ],
        ),
        (
            tasks("echo hello; sleep 1000"),
            9.0,
            &["not JSON", "`hello`"],
        ),
        (
            tasks(r#"echo '{"score":[]}'; sleep 1000"#),
            9.0,
            &["0 numbers `score` for 1 seeds"],
        ),
        (
            tasks(r#"echo '{"score":[NaN]}'; sleep 1000"#),
            9.0,
            &[
                "must be finite",
                r#"the task was `{"weights":{"a":"#,
                r#""seeds":[""#,
            ],
        ),
        (
            tasks(r#"echo '{"score":[null]}'; sleep 1000"#),
            9.0,
            &["`score` is null, NaN or infinite"],
        ),
        (
            tasks(r#"echo '{"error":"no cards"}'; sleep 1000"#),
            9.0,
            &["it says: `no cards`", r#""seeds":[""#],
        ),
        (
            tasks("head -c 3000000 /dev/zero | tr '\\0' x; sleep 1000"),
            9.0,
            &["longer than 1048576 bytes"],
        ),
        (
            format!(r#"{GREETING}; echo '{{"score":[1]}}'; {ANSWERS}"#),
            9.0,
            &["a line without a task"],
        ),
        (greeting(":1,", ":2,"), 9.0, &["speaks version 2"]),
        (
            greeting(r#"["a"]"#, r#"["b"]"#),
            9.0,
            &["does not know the parameter `a`"],
        ),
    ];
    for (script, limit, parts) in cases {
        let folder = tempfile::tempdir().unwrap();
        let begin = Instant::now();
        let output = tune(folder.path(), script, *limit);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{script}: {message}");
        for part in *parts {
            assert!(message.contains(part), "{script}: {message}");
        }
        assert_eq!(message.matches("error:").count(), 1, "{message}");
        assert!(begin.elapsed() < Duration::from_secs(20), "{script}");
        assert_gone(&processes(folder.path(), "process."));
    }
}

#[test]
fn a_program_that_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let text = CAMPAIGN.replace("COMMAND", "['./no-such-program']");
    let config = campaign_file(folder.path(), &text.replace("LIMIT", "1"));
    let output = run(&[
        "tune",
        config.to_str().unwrap(),
        "--out",
        &out(folder.path()),
    ]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        message.contains("cannot start") && message.contains("no-such-program"),
        "{message}"
    );
    assert!(!folder.path().join("run").exists());
    // The plan of the campaign needs the program, too.
    let output = run(&["tune", config.to_str().unwrap(), "--dry-run"]);
    assert!(
        stderr(&output).contains("cannot start"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_command_that_cannot_be_started_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("player.py"), "").unwrap();
    for (command, part) in [
        ("['./player.py']", "`chmod +x`"),
        (
            "['cd sub && ./player.py']",
            r#"["sh", "-c", "cd sub && ./player.py"]"#,
        ),
        ("['FOO=1', 'player.py']", r#"["env", "FOO=1", ..]"#),
        (
            "['FOO=1 ./player.py']",
            r#"["env", "FOO=1", "./player.py"]"#,
        ),
        (
            "['python3', 'player.py']\nfolder = '~'",
            "are not replaced: write the whole path",
        ),
        (
            "['python3', 'player.py']\nfolder = 'nope'",
            "`folder` is relative to the file",
        ),
        ("['player.py']", "write \"./player.py\""),
        ("['python3 player.py']", "[\"python3\", \"player.py\"]"),
        ("['~/player.py']", "write the whole path"),
        ("['$HOME/player.py']", "write the whole path"),
    ] {
        let text = CAMPAIGN.replace("COMMAND", command);
        let config = campaign_file(folder.path(), &text.replace("LIMIT", "1"));
        let output = run(&["tune", config.to_str().unwrap(), "--dry-run"]);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains(part), "{command}: {message}");
        // A new campaign has not moved.
        assert!(!message.contains("--program-folder"), "{message}");
    }
    let text = CAMPAIGN.replace("COMMAND", "['python3', 'player.py', 3]");
    let config = campaign_file(folder.path(), &text.replace("LIMIT", "1"));
    let output = run(&["tune", config.to_str().unwrap(), "--dry-run"]);
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(message.contains("\"3\", not 3"), "{message}");
}

/// Reads tasks, and answers with the value of `a`, except where a case of the value or of the task says otherwise.
fn cases(of: &str, case: &str) -> String {
    format!(
        r#"{GREETING}
while read -r task; do
  a=${{task#*\"a\":}}; a=${{a%%\}}*}}
  case "${of}" in {case};; *) echo "{{\"score\":[$a]}}";; esac
done"#
    )
}

/// A campaign of a script whose failures count as the worst games.
fn lenient(folder: &Path, script: &str, limit: f64) -> String {
    let config = shell_campaign(folder, script, limit);
    let text = std::fs::read_to_string(&config).unwrap();
    let text = text.replace("time_limit", "on_failure = \"worst\"\ntime_limit");
    std::fs::write(&config, text).unwrap();
    config.to_str().unwrap().to_owned()
}

#[test]
fn candidates_that_a_program_cannot_use_rank_last() {
    for (case, reason) in [
        (
            r#"-*) echo '{"refused":"too deep"}'"#,
            "it refuses the weights: `too deep`",
        ),
        (
            r#"-*) echo '{"score":[NaN]}'"#,
            "`score` is null, NaN or infinite",
        ),
        ("-*) echo overflow >&2; exit 3", "exit status: 3"),
        ("-*) sleep 1000", "longer than the time limit of 0.3 s"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let config = lenient(folder.path(), &cases("a", case), 0.3);
        let set = [
            "--set",
            "parameters.a.start=0.1",
            "--set",
            "budget.generations=2",
        ];
        let out = out(folder.path());
        let tune = ["tune", &config, "--json", "--threads", "2", "--out", &out];
        let output = run(&[&tune[..], &set].concat());
        assert!(output.status.success(), "{case}: {}", stderr(&output));
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        let refused = result["refused_candidates"].as_u64().unwrap();
        assert!((1..12).contains(&refused), "{case}: {result}");
        assert!(
            result["weights"]["a"].as_f64().unwrap() > 0.0,
            "{case}: {result}"
        );
        let file =
            |name: &str| std::fs::read_to_string(folder.path().join("run").join(name)).unwrap();
        assert!(
            file("report.html").contains("refused and ranked last"),
            "{case}"
        );
        // Reason, weights and seed are there to be repeated.
        let log = file("program.log");
        let line = log
            .lines()
            .find(|line| line.contains("no result: "))
            .unwrap();
        assert!(line.contains(reason), "{case}: {line}");
        assert!(
            line.contains(r#"{"weights":{"a":-"#) && line.contains(r#""seeds":[""#),
            "{line}"
        );
        // Everything that reads the run agrees.
        if !case.contains("refused") && !case.contains("exit") {
            continue;
        }
        let verified = stdout(&["verify", &out, "--games", "1000"]);
        assert!(verified.contains("0 differ"), "{case}: {verified}");
        assert!(stdout(&["replay", &out]).contains("equal: "), "{case}");
    }
}

#[test]
fn a_failure_on_some_seeds_is_a_bad_game() {
    // A tenth of the seeds end the program, whatever the weights are.
    let script = cases("task", r#"*'7"]}') exit 3"#);
    let folder = tempfile::tempdir().unwrap();
    let config = lenient(folder.path(), &script, 9.0);
    let names = ["one", "three", "killed"];
    let [one, three, killed] =
        names.map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    let tune = |threads: &str, out: &str| -> Vec<String> {
        let words = [
            "tune",
            &config,
            "--json",
            "--threads",
            threads,
            "--out",
            out,
        ];
        words.map(str::to_owned).to_vec()
    };
    let result = stdout(
        &tune("1", &one)
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
    );
    let result: Value = serde_json::from_str(&result).unwrap();
    assert_eq!(result["refused_candidates"], 0, "{result}");
    assert!(result["failed_games"].as_u64().unwrap() > 0, "{result}");
    for of in ["start", "tuned"] {
        let of = &result["validation"][of];
        assert!(of["failed_games"].as_u64().unwrap() > 0, "{result}");
        assert!(
            (-1.0..=1.0).contains(&of["mean_score"].as_f64().unwrap()),
            "{result}"
        );
    }
    stdout(
        &tune("3", &three)
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
    );
    assert_same_run(Path::new(&one), Path::new(&three));
    // Interrupted after two generations, it ends the same.
    let mut child = tiletune()
        .args(tune("2", &killed))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let parts = Path::new(&killed).join("tables/generations");
    while std::fs::read_dir(&parts).map_or(0, Iterator::count) < 2
        && child.try_wait().unwrap().is_none()
    {
        thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    child.wait().unwrap();
    stdout(&["resume", &killed]);
    assert_same_run(Path::new(&one), Path::new(&killed));
    assert!(stdout(&["replay", &one]).contains("equal: "));
    assert!(stdout(&["verify", &one, "--games", "1000"]).contains("0 differ"));
    // The commands that measure weights count such games as well.
    let of_program = [
        "--player",
        "program",
        "--game",
        "external",
        "--weights",
        &one,
    ];
    let evaluate = ["evaluate", "--json", "--games", "100", "--seed", "1"];
    let measured: Value =
        serde_json::from_str(&stdout(&[&evaluate[..], &of_program].concat())).unwrap();
    assert!(measured["failed_games"].as_u64().unwrap() > 0, "{measured}");
    let compared = run(&["compare", "published", &one, "--seed", "1"]);
    assert!(
        matches!(compared.status.code(), Some(0 | 3 | 4)),
        "{}",
        stderr(&compared)
    );

    // Without the key the first failure ends the run.
    let strict = shell_campaign(folder.path(), &script, 9.0);
    let output = run(&[
        "tune",
        strict.to_str().unwrap(),
        "--out",
        &out(folder.path()),
    ]);
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    assert!(
        message.contains("exit status: 3") && message.contains("7\"]}"),
        "{message}"
    );
}

#[test]
fn seeds_on_which_all_candidates_fail_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let tune = |name: &str, of_few: &str, threads: &str, settings: &str| {
        let script = answers(&format!("case $d in [0-3]) {of_few};; *) score=$a;; esac"));
        let config = lenient(folder.path(), &script, 9.0);
        let out = folder.path().join(name).to_str().unwrap().to_owned();
        let set = settings.split(' ').chain(["budget.generations=12"]);
        let set: Vec<&str> = set.flat_map(|one| ["--set", one]).collect();
        let tune = ["tune", &config, "--threads", threads, "--out", &out];
        let output = run(&[&tune[..], &set].concat());
        assert!(output.status.success(), "{settings}: {}", stderr(&output));
        let verified = stdout(&["verify", &out, "--games", "1000"]);
        assert!(verified.contains("0 differ"), "{settings}: {verified}");
        out
    };
    // With one game a candidate all have the same seed, so that two generations in five would have no candidate.
    let single = "evaluation.games=1";
    let [one, two] = ["1", "2"].map(|threads| tune(threads, "score=null", threads, single));
    assert_same_run(Path::new(&one), Path::new(&two));
    tune("more", "score=null", "2", "evaluation.games=3");
    // A function in Python that raises an exception refuses the weights.
    let refuses = r#"echo '{"refused":"this seed"}'; continue"#;
    tune("refused", refuses, "2", single);
    // Also where the start weights are refused on a seed of theirs.
    for seed in 1..=5 {
        let settings = format!("seed={seed}");
        tune(
            &settings,
            refuses,
            "2",
            &format!("{single} start.games=40 {settings}"),
        );
    }
}

#[test]
fn a_program_that_fails_with_all_candidates_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let config = lenient(
        folder.path(),
        &cases("a", "*) echo no license >&2; exit 3"),
        9.0,
    );
    let output = run(&[
        "tune",
        &config,
        "--threads",
        "2",
        "--out",
        &out(folder.path()),
    ]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    for part in [
        "all 6 candidates of generation 0 were refused",
        "no license",
        r#""seeds":[""#,
    ] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn whole_numbers_stay_whole() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        r#"{}
while read -r task; do
  echo "$task" >> tasks.$$
  n=${{task#*\"n\":}}; n=${{n%%[,\}}]*}}
  case "$n" in *[!0-9]*) echo '{{"error":"not a whole number"}}';; *) echo "{{\"score\":[$n]}}";; esac
done"#,
        GREETING.replace(r#"["a"]"#, r#"["n","x"]"#)
    );
    let config = shell_campaign(folder.path(), &script, 9.0);
    let text = std::fs::read_to_string(&config).unwrap();
    let (head, _) = text.split_once("[parameters.a]").unwrap();
    let parameters = "[parameters.n]\ninteger = true\nmin = 1\nmax = 1000\nstart = 7\nscale = 'log'\n\
                      [parameters.x]\nmin = 0\nmax = 10\nstart = 3\n";
    std::fs::write(&config, format!("{head}{parameters}")).unwrap();
    let run_directory = out(folder.path());
    stdout(&["tune", config.to_str().unwrap(), "--out", &run_directory]);
    let tasks = std::fs::read_dir(folder.path()).unwrap();
    let tasks = tasks.map(|entry| entry.unwrap().path());
    let tasks = tasks.filter(|path| path.file_stem().is_some_and(|stem| stem == "tasks"));
    let tasks: String = tasks
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    assert!(
        tasks.contains(r#"{"weights":{"n":7,"x":3.0},"seeds":["#),
        "{tasks}"
    );
    let best = std::fs::read_to_string(Path::new(&run_directory).join("best.toml")).unwrap();
    let best: toml::Table = best.parse().unwrap();
    let weights = best["weights"].as_table().unwrap();
    assert!(
        weights["n"].is_integer() && weights["x"].is_float(),
        "{best}"
    );
    assert!(stdout(&["verify", &run_directory]).contains("0 differ"));
    assert!(stdout(&["replay", &run_directory]).contains("equal: "));
    // The declaration that runs and weights carry says so, too.
    for file in ["best.toml", "resolved.toml"] {
        let text = std::fs::read_to_string(Path::new(&run_directory).join(file)).unwrap();
        let of: toml::Table = text.parse().unwrap();
        let n = &of["heuristic"]["parameters"]["n"];
        assert_eq!(n["integer"].as_bool(), Some(true), "{file}");
        assert_eq!(n["scale"].as_str(), Some("log"), "{file}");
    }
    // What begins with them asks for whole numbers: moved parameters, and a campaign that goes on.
    let player = "player = { name = 'program', game = 'external' }\n";
    let experiment = format!(
        "why = 'w'\nname = 'n'\nseed = 1\ngames = 4\n{player}[[generate]]\nkind = 'sensitivity'\nweights = 'run'\n"
    );
    let path = folder.path().join("experiment.toml");
    std::fs::write(&path, experiment).unwrap();
    let ablated = folder.path().join("ablated").to_str().unwrap().to_owned();
    stdout(&["ablate", path.to_str().unwrap(), "--out", &ablated]);
    let further = format!(
        "why = 'w'\nname = 'n'\nseed = 2\n{player}[start]\nweights = 'run'\n[evaluation]\ngames = 4\n\
         [budget]\ngenerations = 2\n[validation]\ngames = 10\nresamples = 100\n[parameters.n]\n[parameters.x]\n"
    );
    let path = folder.path().join("further.toml");
    std::fs::write(&path, further).unwrap();
    let further = folder.path().join("further").to_str().unwrap().to_owned();
    stdout(&["tune", path.to_str().unwrap(), "--out", &further]);
    let resolved = std::fs::read_to_string(Path::new(&further).join("resolved.toml")).unwrap();
    let resolved: toml::Table = resolved.parse().unwrap();
    assert_eq!(resolved["parameters"]["n"]["integer"].as_bool(), Some(true));
    assert_eq!(resolved["parameters"]["n"]["scale"].as_str(), Some("log"));
    // A value by hand is checked before a program starts.
    let weights = Path::new(&run_directory).join("best.toml");
    let text = std::fs::read_to_string(weights).unwrap();
    let (before, after) = text.split_once("[weights]\nn = ").unwrap();
    let (_, after) = after.split_once('\n').unwrap();
    let path = folder.path().join("by-hand.toml");
    std::fs::write(&path, format!("{before}[weights]\nn = 3.5\n{after}")).unwrap();
    let output = run(&[
        "evaluate",
        "--player",
        "program",
        "--game",
        "external",
        "--weights",
        path.to_str().unwrap(),
        "--games",
        "2",
        "--seed",
        "1",
    ]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("3.5 is not a whole number"),
        "{}",
        stderr(&output)
    );
    // A grid is not what `step` is.
    let set = ["--set", "parameters.n.step=2"];
    let output = run(&[&["tune", config.to_str().unwrap()][..], &set].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("not a grid"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn every_name_of_a_parameter_works() {
    let names = [
        "restart", "finalist", "fitness", "games", "restart_", "x", "x_bits", "a.b",
    ];
    let folder = tempfile::tempdir().unwrap();
    let known = serde_json::to_string(&names).unwrap();
    let script = format!(
        r#"{}; while read -r task; do x=${{task#*\"x\":}}; x=${{x%%[,\}}]*}}; echo "{{\"score\":[$x]}}"; done"#,
        GREETING.replace(r#"["a"]"#, &known)
    );
    let config = shell_campaign(folder.path(), &script, 9.0);
    let text = std::fs::read_to_string(&config).unwrap();
    let (head, _) = text.split_once("[parameters.a]").unwrap();
    let parameters =
        names.map(|name| format!("[parameters.\"{name}\"]\nmin = -1\nmax = 1\nstart = 0\n"));
    std::fs::write(&config, format!("{head}{}", parameters.concat())).unwrap();
    // A series has a race, and so a table of finalists.
    let arguments = [
        "tune",
        config.to_str().unwrap(),
        "--repeat",
        "2",
        "--out",
        &out(folder.path()),
        "--set",
        "validation.race_games=20",
        "--set",
        "parameters.\"a.b\".max=0.5",
    ];
    stdout(&arguments);
    let verified = stdout(&["verify", &out(folder.path())]);
    assert!(verified.contains("0 differ"), "{verified}");
    let resolved = std::fs::read_to_string(folder.path().join("run/resolved.toml")).unwrap();
    let resolved: toml::Table = resolved.parse().unwrap();
    assert_eq!(resolved["parameters"]["a.b"]["max"].as_float(), Some(0.5));
}

/// A campaign of a script in a file, and its run directory, both in a folder of this name.
fn script_campaign(folder: &Path, name: &str) -> (PathBuf, String) {
    let folder = folder.join(name);
    std::fs::create_dir(&folder).unwrap();
    write_script(&folder, &cases("a", "none) echo"));
    let text = CAMPAIGN.replace("COMMAND", "['./player.sh']");
    let config = campaign_file(&folder, &text.replace("LIMIT", "9"));
    let out = out(&folder);
    stdout(&["tune", config.to_str().unwrap(), "--out", &out]);
    (folder, out)
}

fn write_script(folder: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let file = folder.join("player.sh");
    std::fs::write(
        &file,
        format!("#!/bin/sh\necho $$ > process.$$\n{script}\n"),
    )
    .unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Makes a complete run one that lacks its result.
fn interrupt(run: &str) {
    std::fs::remove_file(Path::new(run).join("validation.json")).unwrap();
    adopt(Path::new(run), Status::Interrupted);
}

#[test]
fn a_program_that_has_moved_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (old, run_directory) = script_campaign(folder.path(), "old");
    interrupt(&run_directory);
    // Together with its run.
    let new = folder.path().join("new");
    std::fs::rename(&old, &new).unwrap();
    let run_directory = out(&new);
    stdout(&["resume", &run_directory]);
    let output = run(&["replay", &run_directory]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("equal: "));
    let message = stderr(&output);
    let told = format!(
        "is gone; at the same place from the run there is {}",
        new.display()
    );
    assert_eq!(message.matches(&told).count(), 1, "{message}");
    assert!(!stderr(&run(&["replay", &run_directory, "--quiet"])).contains("is gone"));
    assert!(!stderr(&run(&["runs", &run_directory])).contains("is gone"));
    let of_program = [
        "--player",
        "program",
        "--game",
        "external",
        "--weights",
        &run_directory,
    ];
    let evaluate = ["evaluate", "--games", "4", "--seed", "1"];
    stdout(&[&evaluate[..], &of_program].concat());
    // Alone.
    let elsewhere = folder.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let moved = elsewhere.join("player.sh");
    std::fs::rename(new.join("player.sh"), &moved).unwrap();
    std::fs::rename(&new, &old).unwrap();
    let gone = folder.path().join("gone");
    std::fs::create_dir(&gone).unwrap();
    std::fs::rename(old.join("run"), gone.join("run")).unwrap();
    std::fs::remove_dir_all(&old).unwrap();
    let run_directory = out(&gone);
    let verify = ["verify", &run_directory, "--games", "1000"];
    let output = run(&verify);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("--program-folder DIR"),
        "{}",
        stderr(&output)
    );
    let there = ["--program-folder", elsewhere.to_str().unwrap()];
    for command in [
        &verify[..],
        &["replay", &run_directory],
        &[
            &evaluate[..],
            &[
                "--player",
                "program",
                "--game",
                "external",
                "--weights",
                &run_directory,
            ],
        ]
        .concat(),
    ] {
        stdout(&[command, &there].concat());
    }
    let compare = ["compare", "published", &run_directory, "--seed", "1"];
    let compared = run(&[&compare[..], &there].concat());
    assert!(
        matches!(compared.status.code(), Some(0 | 3 | 4)),
        "{}",
        stderr(&compared)
    );
    // A new run records the folder.
    let compared = folder.path().join("compared");
    let to = ["--out", compared.to_str().unwrap()];
    run(&[&compare[..], &there, &to].concat());
    assert!(stdout(&["replay", compared.to_str().unwrap()]).contains("equal: "));
    interrupt(&run_directory);
    stdout(&[&["resume", &run_directory][..], &there].concat());
    // A folder that is not there is a mistake of the command line.
    let output = run(&[
        "resume",
        &run_directory,
        "--program-folder",
        "/no/such/folder",
    ]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_run_whose_path_had_dots_is_found_with_its_program() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old");
    std::fs::create_dir(&old).unwrap();
    let (program, _) = script_campaign(&old, "program");
    let config = program.join("campaign.toml");
    let beside = program.join("../beside");
    let arguments = ["tune", config.to_str().unwrap(), "--out"];
    stdout(&[&arguments[..], &[beside.to_str().unwrap()]].concat());
    let new = folder.path().join("new");
    std::fs::rename(&old, &new).unwrap();
    let moved = new.join("beside");
    assert!(stdout(&["replay", moved.to_str().unwrap()]).contains("equal: "));
    // From inside of it, where its path is empty.
    let mut evaluate = tiletune();
    let program = ["--player", "program", "--game", "external"];
    let games = ["--weights", "tuned.toml", "--games", "4", "--seed", "1"];
    evaluate.arg("evaluate").args(program).args(games);
    let output = evaluate.current_dir(&moved).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn a_folder_of_something_else_is_not_taken_for_that_of_a_program() {
    let folder = tempfile::tempdir().unwrap();
    let (old, run_directory) = script_campaign(folder.path(), "old");
    // Only the run moves, to a folder that has no program.
    let other = folder.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::rename(&run_directory, other.join("run")).unwrap();
    let replay = |part: &str| {
        let output = run(&["replay", &out(&other)]);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains(part), "{message}");
        assert!(message.contains("--program-folder DIR"), "{message}");
    };
    std::fs::rename(old.join("player.sh"), folder.path().join("player.sh")).unwrap();
    replay("If the program has moved");
    std::fs::remove_dir_all(&old).unwrap();
    replay("does not exist. If the program has moved");
    // A file of this name that is another program, which ends before it greets.
    std::fs::rename(folder.path().join("player.sh"), other.join("player.sh")).unwrap();
    write_script(&other, "exit 3");
    replay("was guessed from the place of the run");
}

#[test]
fn a_recorded_game_of_a_program_that_is_gone_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, run_directory) = script_campaign(folder.path(), "mine");
    std::fs::remove_file(folder.join("player.sh")).unwrap();
    let output = run(&["play", "--run", &run_directory, "--hold-out", "tuned"]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("cannot start"), "{message}");
    assert!(!message.contains("interrupted"), "{message}");
}

#[test]
fn a_complete_run_is_resumed_without_its_program() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, run_directory) = script_campaign(folder.path(), "mine");
    std::fs::remove_file(folder.join("player.sh")).unwrap();
    std::fs::remove_file(Path::new(&run_directory).join("report.html")).unwrap();
    let resumed = stdout(&["resume", &run_directory]);
    assert!(resumed.contains("tuned"), "{resumed}");
    assert!(Path::new(&run_directory).join("report.html").exists());
}

#[test]
fn verification_starts_a_program_only_if_it_is_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, run_directory) = script_campaign(folder.path(), "mine");
    let started = || processes(&folder, "process.").len();
    let before = started();
    let output = run(&["verify", &run_directory]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("`./player.sh` in "),
        "{}",
        stderr(&output)
    );
    assert_eq!(started(), before);
    let output = run(&["verify", &run_directory, "--games", "5"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("starting `./player.sh` in "),
        "{}",
        stderr(&output)
    );
    assert!(started() > before);
}

#[test]
fn a_program_that_has_changed_does_not_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, run_directory) = script_campaign(folder.path(), "mine");
    interrupt(&run_directory);
    write_script(&folder, &format!("{GREETING}; {ANSWERS}"));
    let output = run(&["resume", &run_directory]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("the program that plays gives other numbers"),
        "{message}"
    );
    assert!(!message.contains("processor"), "{message}");
}

#[test]
fn a_crash_now_and_then_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // Every fifth task ends a process.
    let script = format!(
        r#"{GREETING}; for n in 1 2 3 4; do read -r task || exit; echo '{{"score":[1]}}'; done; read -r task && exit 1"#
    );
    let output = tune(folder.path(), &script, 9.0);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("were replaced: "),
        "{}",
        stderr(&output)
    );
    let started = processes(folder.path(), "process.");
    assert!(started.len() > 10, "{started:?}");
    assert_gone(&started);
}

#[test]
fn much_stderr_and_children_of_a_program_block_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let noise = "head -c 300000 /dev/zero | tr '\\0' e >&2; echo >&2";
    // The child keeps stdout and stderr open.
    let script = format!(
        r#"{GREETING}; sleep 1000 & touch child.$!; while read -r task; do {noise}; echo '{{"score":[1]}}'; done"#
    );
    let output = tune(folder.path(), &script, 9.0);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_gone(&processes(folder.path(), "process."));
    assert_gone(&processes(folder.path(), "child."));
    let log = std::fs::metadata(folder.path().join("run/program.log")).unwrap();
    assert!(
        (1_000_000..=10_000_100).contains(&log.len()),
        "{}",
        log.len()
    );
}

#[test]
fn a_score_that_does_not_repeat_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        r#"{GREETING}; n=0; while read -r task; do n=$((n+1)); echo "{{\"score\":[$n]}}"; done"#
    );
    let output = tune(folder.path(), &script, 9.0);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("does not repeat its games"),
        "{}",
        stderr(&output)
    );
    let file = |name: &str| std::fs::read_to_string(folder.path().join("run").join(name)).unwrap();
    assert!(file("report.html").contains("does not repeat its games"));
    assert_eq!(file("events.jsonl").matches("not-repeated").count(), 1);
    // Such a run can be resumed nevertheless.
    std::fs::remove_file(folder.path().join("run/validation.json")).unwrap();
    adopt(&folder.path().join("run"), Status::Interrupted);
    stdout(&["resume", &out(folder.path())]);
    assert_eq!(file("events.jsonl").matches("not-repeated").count(), 1);
}

/// Begins to tune a script that does not answer, and waits until a process of it runs.
fn hanging(folder: &Path) -> Child {
    let script = format!("{GREETING}; read -r task; touch asked.$$; sleep 1000");
    let config = shell_campaign(folder, &script, 1000.0);
    let mut command = tiletune();
    command.args([
        "tune",
        config.to_str().unwrap(),
        "--threads",
        "2",
        "--out",
        &out(folder),
    ]);
    let child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while processes(folder, "asked.").len() < 2 {
        assert!(
            begin.elapsed() < Duration::from_secs(30),
            "no process was asked"
        );
        thread::sleep(Duration::from_millis(10));
    }
    child
}

#[test]
fn an_interrupt_ends_the_programs_soon() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = hanging(folder.path());
    let mut kill = Command::new("kill");
    assert!(
        kill.args(["-INT", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let asked = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(
        asked.elapsed() < Duration::from_secs(2),
        "{:?}",
        asked.elapsed()
    );
    assert_gone(&processes(folder.path(), "process."));
}

#[cfg(target_os = "linux")]
#[test]
fn programs_die_with_a_killed_tiletune() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = hanging(folder.path());
    child.kill().unwrap();
    child.wait().unwrap();
    // The system removes them from its list when their new parent has waited for them.
    let is_running = |id: &String| {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        !status.is_empty() && !status.contains("State:\tZ")
    };
    let begin = Instant::now();
    while processes(folder.path(), "process.").iter().any(is_running) {
        assert!(begin.elapsed() < Duration::from_secs(2));
        thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a tool is there: the command succeeds. With `TILETUNE_REQUIRE_TOOLS`, as in `.ci/run`, it must.
pub fn is_there(tool: &[&str]) -> bool {
    let output = Command::new(tool[0]).args(&tool[1..]).output();
    let found = output.is_ok_and(|output| output.status.success());
    if !found {
        assert!(
            std::env::var_os("TILETUNE_REQUIRE_TOOLS").is_none(),
            "failed: {tool:?}"
        );
        println!("skipped: {tool:?} fails");
    }
    found
}

/// A copy of an example, and its campaign file; `None` if its interpreter or compiler is missing.
pub fn example(name: &str, tool: &str) -> Option<(tempfile::TempDir, String)> {
    if !is_there(&[tool, "--version"]) {
        return None;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/external");
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(source.join(name)).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    let config = folder
        .path()
        .join("campaign.toml")
        .to_str()
        .unwrap()
        .to_owned();
    Some((folder, config))
}

#[test]
fn the_example_in_python_is_tuned() {
    let Some((folder, config)) = example("python", "python3") else {
        return;
    };
    let out = out(folder.path());
    let set = ["--set", "budget.games=160", "--set", "validation.games=20"];
    let arguments = ["tune", &config, "--threads", "2", "--json", "--out", &out];
    let result: Value = serde_json::from_str(&stdout(&[&arguments[..], &set].concat())).unwrap();
    let tuned = &result["validation"]["tuned"];
    assert!(tuned["mean_score"].as_f64().unwrap() > 500.0, "{result}");
    assert!(
        tuned["numbers"]["moves"].as_f64().unwrap() > 50.0,
        "{result}"
    );
}

#[test]
fn the_example_in_cpp_is_tuned() {
    let Some((folder, config)) = example("cpp", "g++") else {
        return;
    };
    let mut compile = Command::new("g++");
    compile.args(["-O2", "-std=c++17", "-o", "player", "player.cpp"]);
    assert!(
        compile
            .current_dir(folder.path())
            .status()
            .unwrap()
            .success()
    );
    let out = out(folder.path());
    let result = stdout(&["tune", &config, "--json", "--out", &out]);
    let result: Value = serde_json::from_str(&result).unwrap();
    assert_eq!(
        result["validation"]["objective"]["difference"]["verdict"], "better",
        "{result}"
    );
}

#[test]
fn the_example_of_a_function_is_minimised_whatever_happens() {
    let Some((folder, config)) = example("function", "python3") else {
        return;
    };
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [one, three, killed] = ["one", "three", "killed"].map(at);
    let tune = |threads: &str, out: &str| {
        let mut command = tiletune();
        command.args([
            "tune",
            &config,
            "--threads",
            threads,
            "--json",
            "--out",
            out,
        ]);
        command.stderr(Stdio::null());
        command
    };
    let output = tune("1", &one).output().unwrap();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (name, optimum) in [("x", 3.0), ("y", -1.0)] {
        let tuned = result["tuned"][name].as_f64().unwrap();
        assert!((tuned - optimum).abs() < 0.6, "{name} {tuned}");
    }
    // The loss is minimised; the score is minus the loss.
    let mean = result["validation"]["tuned"]["mean_score"]
        .as_f64()
        .unwrap();
    let loss = result["validation"]["tuned"]["numbers"]["loss"]
        .as_f64()
        .unwrap();
    assert!(
        (mean + loss).abs() < 1e-9 && loss.abs() < 1.0,
        "{mean} {loss}"
    );
    assert_eq!(
        result["validation"]["objective"]["difference"]["verdict"],
        "better"
    );

    assert!(tune("3", &three).output().unwrap().status.success());
    assert_same_run(Path::new(&one), Path::new(&three));

    // Killed twice on its way, it ends the same.
    let parts = || {
        std::fs::read_dir(Path::new(&killed).join("tables/generations")).map_or(0, Iterator::count)
    };
    let mut child = tune("2", &killed).stdout(Stdio::null()).spawn().unwrap();
    for after in [5, 12] {
        while parts() < after && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(5));
        }
        let _ = child.kill();
        child.wait().unwrap();
        child = tiletune()
            .args(["resume", &killed])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
    }
    assert!(child.wait().unwrap().success());
    assert_same_run(Path::new(&one), Path::new(&killed));

    every_command_takes_the_program(&one);
}

/// What works for built-in players works for the program of a run.
fn every_command_takes_the_program(run: &str) {
    assert!(stdout(&["replay", run]).contains("equal: 2,000 games played again"));
    assert!(stdout(&["export", run, "--format", "csv"]).contains("x"));
    let header = stdout(&["export", run, "--format", "c-header"]);
    assert!(
        header.contains("static const double tiletune_x = "),
        "{header}"
    );
    let weights = format!("{run}/tuned.toml");
    let of_program = [
        "--player",
        "program",
        "--game",
        "external",
        "--weights",
        &weights,
        "--seed",
        "1",
    ];
    let evaluate = ["evaluate", "--json", "--games", "50"];
    let result = stdout(&[&evaluate[..], &of_program].concat());
    let result: Value = serde_json::from_str(&result).unwrap();
    assert!(
        result["numbers"]["loss"].as_f64().unwrap() < 1.0,
        "{result}"
    );
    let watched = stdout(&["play", "--run", run, "--hold-out", "tuned"]);
    assert!(watched.contains("the same as recorded"), "{watched}");
    // The start weights are clearly worse.
    let start = weights.replace("tuned.toml", "start.toml");
    let text = std::fs::read_to_string(&weights).unwrap();
    let (before, after) = text.split_once("[weights]").unwrap();
    let (_, after) = after.split_once("\n[").unwrap();
    std::fs::write(
        &start,
        format!("{before}[weights]\nx = -8\ny = 8\n\n[{after}"),
    )
    .unwrap();
    let compared = crate::common::run(&["compare", &start, &weights, "--seed", "1"]);
    assert_eq!(compared.status.code(), Some(0), "{}", stderr(&compared));
    // The declared defaults stand for published weights.
    let compared = crate::common::run(&["compare", "published", &weights, "--seed", "1", "--json"]);
    assert_ne!(compared.status.code(), Some(1), "{}", stderr(&compared));
    assert_ne!(compared.status.code(), Some(2), "{}", stderr(&compared));
    // A report needs no program.
    std::fs::remove_file(Path::new(run).with_file_name("noisy.py")).unwrap();
    let charts = Path::new(run).join("charts");
    std::fs::remove_dir_all(&charts).unwrap();
    stdout(&["report", run]);
    assert!(charts.join("score-distribution.svg").exists());
}

#[test]
fn a_program_can_stand_in_a_file_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("{GREETING}; {ANSWERS}");
    let command = serde_json::to_string(&["sh", "-c", &script]).unwrap();
    let program = format!("command = {command}\n[parameters.a]\ndefault = 0\nmin = -1\nmax = 1\n");
    std::fs::write(folder.path().join("program.toml"), program).unwrap();
    let experiment = r#"
why = "a program with two settings"
name = "rows"
seed = 1
games = 10
player = { name = "program", game = "external" }
heuristic = "program.toml"
[[row]]
name = "low"
values = { a = -1 }
[[row]]
name = "high"
values = { a = 1 }
"#;
    let path = folder.path().join("experiment.toml");
    std::fs::write(&path, experiment).unwrap();
    stdout(&[
        "ablate",
        path.to_str().unwrap(),
        "--out",
        &out(folder.path()),
    ]);
    assert!(stdout(&["replay", &out(folder.path())]).contains("equal"));
}
