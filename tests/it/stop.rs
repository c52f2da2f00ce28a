//! A request to stop ends every slow player inside its move and every command soon. The bounds are
//! generous: without a stop each of these moves and commands would take minutes or more.

use std::io::Write;
use std::process::{Child, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{SMALL, campaign_file, run, tiletune, tiletune_of_build};
use serde_json::Value;
use tiletune::config::weights_file::published;
use tiletune::player::{Player, Step};
use tiletune::{Catalogue, Stop};

/// Time after which a stop is requested.
const BEFORE: Duration = Duration::from_millis(150);

/// Time within which a player ends.
const SOON: Duration = Duration::from_secs(2);

const SLOW_PLAYERS: &[&str] = &[
    "name = 'expectimax'\ndepth = 8",
    "name = 'expectimax'\ndepth = 'adaptive'\ncutoff = 1e-12",
    "name = 'expectimax-faithful'\ndepth = 8\ncutoff = 0\ntable = false",
    "name = 'expectimax-faithful'\ndepth = 'adaptive'\ncutoff = 1e-12",
    "name = 'minimax-six'\ndepth = 12",
    "name = 'minimax-six-faithful'\ndepth = 12",
    "name = 'snake'\ndepth = 12",
    "name = 'snake-intended'\ndepth = 12",
    "name = 'expectimax'\ngame = 'three-plus-three'\ndepth = 6",
    "name = 'freedom'\ngame = 'three-plus-three'\ndepth = 10",
    "name = 'strings'\ngame = 'connect-four'\nrows = 7\ncolumns = 8\ndepth = 12",
    "name = 'random'\ngame = 'connect-four'\nrows = 7\ncolumns = 8\nopponent = 'strings'\nopponent_depth = 12",
    "name = 'perfect'\ngame = 'connect-four'\nrows = 7\ncolumns = 8",
];

/// A player, and the JSON of the first position of its game.
fn built(text: &str) -> (Box<dyn Player>, &'static str) {
    let spec = Catalogue::builtin().player(&toml::from_str(text).unwrap());
    let spec = spec.unwrap();
    let start = match spec.entry.game.name {
        "2048" => r#"{"board":[2,0,0,4,0,0,8,0,0,2,0,0,16,0,0,0]}"#,
        "three-plus-three" => r#"{"board":[1,0,0,2,0,0,3,0,0,0,0,0,0,0,0,0],"next":1}"#,
        _ => {
            r#"{"rows":6,"columns":7,"to_move":1,"board":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}"#
        }
    };
    (spec.build(&published(&spec)).unwrap(), start)
}

/// Runs a computation, requests a stop while it runs, and asserts that it ends without a result.
fn assert_stops<T: Send>(name: &str, compute: impl FnOnce(Stop) -> Option<T> + Send) {
    let flag = AtomicBool::new(false);
    thread::scope(|scope| {
        let computing = scope.spawn(|| compute(Stop::when(&flag)));
        thread::sleep(BEFORE);
        flag.store(true, Ordering::Relaxed);
        let requested = Instant::now();
        assert!(computing.join().unwrap().is_none(), "{name}: not slow");
        assert!(requested.elapsed() < SOON, "{name}");
    });
}

#[test]
fn every_slow_player_stops_inside_a_game() {
    for text in SLOW_PLAYERS {
        let (player, _) = built(text);
        // One game of `strings` can be fast.
        let seeds: Vec<u64> = (0..1000).collect();
        assert_stops(text, |stop| player.play_many(&seeds, stop));
        assert_stops(text, |stop| {
            let ended = |&seed: &u64| {
                let mut session = player.begin(seed, stop);
                std::iter::from_fn(|| session.step()).find(|step| step.ended.is_some())
            };
            let ended: Option<Vec<Step>> = seeds.iter().map(ended).collect();
            ended
        });
    }
}

#[test]
fn every_slow_player_stops_inside_an_analysis() {
    for text in SLOW_PLAYERS.iter().filter(|text| !text.contains("random")) {
        let spec = Catalogue::builtin().player(&toml::from_str(text).unwrap());
        let spec = spec.unwrap();
        let (player, start) = built(text);
        let request = (spec.entry.game.format.read)(start, &spec.options).unwrap();
        let analyze = |stop: Stop| player.analyze(&*request.position, 1, stop).unwrap();
        // A single move can be fast; its analyses in a row are not.
        assert_stops(text, |stop| {
            while analyze(stop).is_some() {}
            None::<()>
        });
    }
}

#[test]
fn what_is_complete_before_the_request_is_the_same_as_without() {
    let flag = AtomicBool::new(false);
    for text in [
        "name = 'expectimax'\ndepth = 3\ncutoff = 0.01",
        "name = 'freedom'\ngame = 'three-plus-three'\ndepth = 4",
        "name = 'strings'\ngame = 'connect-four'\ndepth = 5",
    ] {
        let (player, _) = built(text);
        let watched = player.play(3, Stop::when(&flag));
        assert!(watched.is_some());
        assert_eq!(watched, player.play(3, Stop::never()));
    }
    flag.store(true, Ordering::Relaxed);
    let (player, _) = built("name = 'expectimax'\ndepth = 3");
    assert_eq!(player.play(3, Stop::when(&flag)), None);
}

/// Waits for the end of a process; kills it if it goes on.
fn wait(mut child: Child) -> Output {
    let requested = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if requested.elapsed() > 5 * SOON {
            child.kill().unwrap();
            panic!("the process did not end");
        }
        thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

/// Output of a command that is interrupted by a signal after some time; `None` if the signal came before
/// the command handled it.
fn interrupted_after(
    delay: Duration,
    signal: &str,
    arguments: &[&str],
    input: &str,
) -> Option<Output> {
    // The fingerprint of a worker takes seconds.
    let mut command = match arguments[0] {
        "worker" => tiletune_of_build("b"),
        _ => tiletune(),
    };
    command.args(arguments);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = pipes.stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    stdin.flush().unwrap();
    thread::sleep(delay);
    let id = child.id().to_string();
    let mut kill = std::process::Command::new("kill");
    assert!(kill.args([signal, &id]).status().unwrap().success());
    let output = wait(child);
    drop(stdin);
    output.status.code().map(|_| output)
}

/// Times before a signal: the first is enough on an idle machine.
const DELAYS: [Duration; 4] = [
    Duration::from_millis(700),
    Duration::from_secs(2),
    Duration::from_secs(6),
    Duration::from_secs(15),
];

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[cfg(unix)]
#[test]
fn a_partial_evaluation_counts_the_games_before_the_first_unfinished_one() {
    for player in [
        &["expectimax", "--depth", "1", "--threads", "2"][..],
        &[
            "strings",
            "--game",
            "connect-four",
            "--depth",
            "4",
            "--threads",
            "2",
        ],
    ] {
        let evaluate = |games: &str| -> Vec<String> {
            let arguments = ["evaluate", "--seed", "3", "--json", "--games", games];
            let arguments = arguments.iter().chain(&["--player"]).chain(player);
            arguments.map(|&argument| argument.to_owned()).collect()
        };
        let all = evaluate("4000000");
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let partial = DELAYS.into_iter().find_map(|delay| {
            let output = interrupted_after(delay, "-TERM", &all, "")?;
            (!output.stdout.is_empty()).then_some(output)
        });
        let output = partial.unwrap_or_else(|| panic!("no game of {player:?} ended"));
        assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
        assert!(stderr(&output).contains("nothing to resume"));
        let partial: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(partial["partial"], true);
        assert_eq!(partial["requested_games"], 4_000_000);
        let games = partial["games"].as_u64().unwrap();
        assert!(0 < games && games < 4_000_000);

        let complete = evaluate(&games.to_string());
        let complete: Vec<&str> = complete.iter().map(String::as_str).collect();
        let output = run(&complete);
        assert!(output.status.success(), "{}", stderr(&output));
        let complete: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(complete["partial"], false);
        assert_eq!(complete["requested_games"], games);
        let is_timed = |key: &str| key.contains("second") || key == "partial";
        for (key, value) in complete.as_object().unwrap() {
            if !is_timed(key) && key != "requested_games" {
                assert_eq!(*value, partial[key], "{key}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn every_command_ends_inside_a_move() {
    let folder = tempfile::tempdir().unwrap();
    let config = campaign_file(folder.path(), &SMALL.replace("depth = 0", "depth = 8"));
    let experiment = folder.path().join("experiment.toml");
    let text = "why = 'w'\nname = 'deep'\nseed = 1\ngames = 2\n\
                row = [{ name = 'a', player = { name = 'expectimax', depth = 8 } }]";
    std::fs::write(&experiment, text).unwrap();
    let yardstick = folder.path().join("yardstick.toml");
    let text = "why = 'w'\nname = 'exact'\nseed = 1\ngames = 2\n\
                row = [{ name = 'a', player = { name = 'random', game = 'connect-four', \
                rows = 7, columns = 8 } }]\n\
                yardstick = { player = { name = 'perfect', game = 'connect-four', rows = 7, \
                columns = 8 }, positions = 8, moves = 1 }";
    std::fs::write(&yardstick, text).unwrap();
    let [config, experiment, yardstick] =
        [&config, &experiment, &yardstick].map(|path| path.to_str().unwrap());
    let deep = ["--player", "expectimax", "--depth", "8"];
    let empty = format!(
        "{{\"board\":[{}],\"rows\":7,\"columns\":8,\"to_move\":1}}\n",
        ["0"; 56].join(",")
    );
    let perfect = ["--game", "connect-four", "--player", "perfect"];
    let cases: [(&[&str], &[&str], &str, bool); 9] = [
        (&["tune", config], &[], "", true),
        (&["tune", config, "--dry-run"], &[], "", false),
        (&["ablate", experiment], &[], "", true),
        (&["ablate", experiment, "--dry-run"], &[], "", false),
        (&["ablate", yardstick, "--dry-run"], &[], "", false),
        (&["ablate", yardstick], &[], "", true),
        (
            &["evaluate", "--games", "3", "--seed", "1"],
            &deep,
            "",
            false,
        ),
        (&["play", "--seed", "1"], &deep, "", false),
        (&["advise"], &perfect, &empty, false),
    ];
    for (number, (command, player, input, is_resumable)) in cases.into_iter().enumerate() {
        let signal = ["-TERM", "-INT"][number % 2];
        let outs = (0..).map(|attempt| folder.path().join(format!("run-{number}-{attempt}")));
        let interrupted = DELAYS.into_iter().zip(outs).find_map(|(delay, out)| {
            let to = ["--out", out.to_str().unwrap()];
            let to = if is_resumable { &to[..] } else { &[] };
            let arguments = [command, player, to].concat();
            let output = interrupted_after(delay, signal, &arguments, input)?;
            Some((out, output))
        });
        let (out, output) = interrupted.unwrap_or_else(|| panic!("{command:?}"));
        let stderr = stderr(&output);
        assert_eq!(output.status.code(), Some(130), "{command:?}: {stderr}");
        let said = if is_resumable {
            format!("tiletune resume {}", out.display())
        } else {
            "nothing to resume".into()
        };
        assert!(stderr.contains(&said), "{command:?}: {stderr}");
    }
}

/// Campaigns of many candidates, none of which has begun a game for seconds.
#[cfg(unix)]
#[test]
fn a_large_population_ends_soon() {
    let folder = tempfile::tempdir().unwrap();
    let few = campaign_file(folder.path(), SMALL);
    let few = few.to_str().unwrap();
    let many = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/configs/expectimax-depth-1.toml"
    );
    let population = |count: u32| format!("optimizer.population={count}");
    let cases = [
        (vec!["tune", few], 100_000),
        (vec!["tune", few, "--repeat", "2"], 100_000),
        (vec!["tune", many], 10_000),
        (vec!["tune", many, "--dry-run"], 10_000),
    ];
    for (number, (command, count)) in cases.into_iter().enumerate() {
        for (attempt, delay) in [300, 1000, 3000].into_iter().enumerate() {
            let out = folder.path().join(format!("large-{number}-{attempt}"));
            let to = ["--out", out.to_str().unwrap()];
            let to = if command.contains(&"--dry-run") {
                &[][..]
            } else {
                &to[..]
            };
            let population = population(count);
            let set = ["--threads", "2", "--set", &population];
            let arguments = [&command[..], &set, to].concat();
            let begun = Instant::now();
            let delay = Duration::from_millis(delay);
            if let Some(output) = interrupted_after(delay, "-TERM", &arguments, "") {
                let took = begun.elapsed() - delay;
                assert!(took < SOON, "{arguments:?}: {took:?} {}", stderr(&output));
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn what_waits_for_a_silent_server_ends_soon() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port().to_string();
    let url = format!("nats://127.0.0.1:{port}");
    let worker = ["worker", "--nats", &url];
    let cases: [(&[&str], i32); 3] = [
        (&worker, 0),
        (&["cluster", "--nats", &url], 130),
        (&["browser", "--port", &port, "--player", "random"], 130),
    ];
    for (command, code) in cases {
        let stopped = DELAYS.into_iter().find_map(|delay| {
            let begun = Instant::now();
            let output = interrupted_after(delay, "-TERM", command, "")?;
            Some((output, begun.elapsed() - delay))
        });
        let (output, took) = stopped.unwrap();
        let code = Some(code);
        assert_eq!(
            output.status.code(),
            code,
            "{command:?}: {}",
            stderr(&output)
        );
        // A second more for a busy machine.
        assert!(
            took < SOON + Duration::from_secs(1),
            "{command:?}: {took:?}"
        );
    }
}

#[test]
fn too_many_threads_are_refused() {
    let arguments = ["evaluate", "--player", "random", "--games", "1", "--seed"];
    let output = run(&[&arguments[..], &["1", "--threads", "10000"]].concat());
    assert_eq!(output.status.code(), Some(2));
    let stderr = stderr(&output);
    assert!(stderr.contains("from 1 to 1,024"), "{stderr}");
}
