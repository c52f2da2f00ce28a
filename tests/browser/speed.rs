//! How fast the server answers, how fast `tiletune browser` plays, how much memory games take, and how fast the server
//! ends. This prints; it does not judge.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use super::game::{opened, played};
use super::server::Server;

/// Games that are played through the server.
const GAMES: u64 = 1000;
/// Moves of each of them.
const MOVES: usize = 20;
/// Streams that are open when the server ends.
const STREAMS: usize = 8;

/// A connection that is kept.
struct Client {
    reader: BufReader<TcpStream>,
    host: String,
}

impl Client {
    fn new(server: &Server) -> Self {
        let host = server.origin.trim_start_matches("http://").to_owned();
        let stream = TcpStream::connect(&host).unwrap();
        stream.set_nodelay(true).unwrap();
        let reader = BufReader::new(stream);
        Client { reader, host }
    }

    fn post(&mut self, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        self.reader.get_mut().write_all(request.as_bytes()).unwrap();
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.reader.read_line(&mut line).unwrap();
            let line = line.trim_end().to_lowercase();
            if let Some(number) = line.strip_prefix("content-length: ") {
                length = number.parse().unwrap();
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).unwrap();
        let answer: Value = serde_json::from_slice(&body).unwrap();
        assert!(answer["error"].is_null(), "{answer}");
        answer
    }
}

fn player() -> Value {
    json!({ "name": "expectimax", "depth": 1 })
}

/// Questions a second on a number of connections.
fn questions_per_second(server: &Server, connections: usize) -> f64 {
    const TIME: Duration = Duration::from_secs(3);
    let board = [2, 4, 8, 16, 0, 2, 0, 4, 0, 0, 2, 0, 0, 0, 0, 2];
    let question = json!({ "player": player(), "position": { "board": board } });
    std::thread::scope(|scope| {
        let asking: Vec<_> = (0..connections)
            .map(|_| {
                scope.spawn(|| {
                    let mut client = Client::new(server);
                    client.post("/api/advise", &question);
                    let begun = Instant::now();
                    let mut count = 0;
                    while begun.elapsed() < TIME {
                        client.post("/api/advise", &question);
                        count += 1;
                    }
                    f64::from(count) / begun.elapsed().as_secs_f64()
                })
            })
            .collect();
        let counts = asking.into_iter().map(|one| one.join().unwrap());
        counts.sum()
    })
}

/// Memory of a process in MB.
fn memory(id: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes: f64 = line
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    kilobytes / 1024.0
}

/// Plays the beginnings of games as the page does: the player is asked for each move, and the game is asked for after
/// it.
fn play_games(server: &Server) {
    let mut client = Client::new(server);
    for seed in 1..=GAMES {
        let mut moves = String::new();
        for _ in 0..MOVES {
            let asked = json!({ "player": player(), "seed": seed, "moves": moves });
            let state = client.post("/api/games", &asked);
            let question = json!({ "player": player(), "position": state["position"] });
            let answer = client.post("/api/advise", &question);
            let mut names = state["moves"].as_array().unwrap().iter();
            let place = names.position(|name| *name == answer["move"]).unwrap();
            moves += &place.to_string();
        }
    }
}

#[test]
#[ignore = "measures on a machine without other work"]
fn speed() {
    let mut server = Server::start(&[]);
    let before = memory(server.id());
    for connections in [1, 2, 4] {
        println!(
            "POST /api/advise at depth 1, {connections} connections: {:.0} a second",
            questions_per_second(&server, connections)
        );
    }
    let asked = memory(server.id());
    play_games(&server);
    println!(
        "memory: {before:.0} MB at the beginning, {asked:.0} MB after these requests, {:.0} MB after {GAMES} games of {MOVES} \
         moves",
        memory(server.id())
    );

    let results = tempfile::tempdir().unwrap();
    drop(server);
    server = Server::start(&["--results", results.path().to_str().unwrap()]);
    let run = results.path().join("run");
    let mut tuning = super::common::tiletune();
    let small = "budget.generations=2";
    tuning.args(["tune", "--quiet", "--threads", "1", "--set", small, "--out"]);
    tuning.args([run.to_str().unwrap(), "--set", "evaluation.games=2"]);
    tuning.args(["--set", "validation.games=10"]);
    assert!(tuning.status().unwrap().success());
    super::common::adopt(&run, tiletune::run::manifest::Status::Interrupted);
    let streams: Vec<_> = (0..STREAMS)
        .map(|_| server.listen("/api/runs/run/events"))
        .collect();
    std::thread::sleep(Duration::from_millis(500));
    let begun = Instant::now();
    kill(Pid::from_raw(server.id().cast_signed()), Signal::SIGINT).unwrap();
    let code = server.ended();
    println!(
        "Ctrl-C with {STREAMS} open streams: ends after {:.2} s with exit code {code:?}",
        begun.elapsed().as_secs_f64()
    );
    drop(streams);

    let Some((chromium, _)) = opened("seed=3") else {
        return;
    };
    let (result, _) = played(&chromium, &["--player", "expectimax", "--depth", "0"]);
    println!(
        "tiletune browser, expectimax at depth 0: {} moves, {:.0} a second",
        result["moves"],
        result["moves_per_second"].as_f64().unwrap()
    );
}
