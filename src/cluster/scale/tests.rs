//! Measures how a cluster scales: up to a thousand workers on one machine and a real nats-server. The workers are real,
//! but they sleep instead of playing, and answer with records of games that were played before.
//!
//! `cargo test --release --lib idle_playing_workers -- --ignored --nocapture` prints CPU times of the server and of
//! the coordinator. `TILETUNE_NATS_SERVER` names the server.

use std::convert::Infallible;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Build;
use super::connection::Server;
use super::evaluator::Connection;
use super::messages::{Columns, unpack};
use super::task::Job;
use super::worker::{TaskRules, Worker};
use crate::Catalogue;
use crate::config::weights_file::published;
use crate::evaluation::local::Local;
use crate::evaluation::{Evaluate, Progress};
use crate::heuristic::weights::Weights;
use crate::player::PlayerSpec;
use crate::record::GameRecord;
use crate::stop::Stop;

/// Number of workers, nanoseconds per game, and seconds of the case.
const CASES: [(usize, u64, u64); 6] = [
    (10, 100_000, 12),
    (10, 1_500_000, 15),
    (100, 1_500_000, 15),
    (100, 1_500_000_000, 20),
    (300, 1_500_000_000, 20),
    (1000, 1_500_000_000, 30),
];

/// Games that were played before.
static READY: OnceLock<Vec<GameRecord>> = OnceLock::new();

/// Nanoseconds per game.
static GAME: AtomicU64 = AtomicU64::new(0);

/// Sleeps for the time of the games of a task.
fn sleep_and_answer(bytes: &[u8], rules: &TaskRules, stop: Stop) -> Result<Columns, String> {
    let text = unpack(bytes).ok_or("damaged")?;
    let games = Job::decode(&Catalogue::builtin(), &text, &[], Path::new("/"))?
        .seeds()
        .count();
    let time = Duration::from_nanos(games as u64 * GAME.load(Ordering::SeqCst));
    let end = Instant::now() + time;
    for part in 0..4 {
        let wait = (end - time * (3 - part) / 4).saturating_duration_since(Instant::now());
        if !stop.is_requested() {
            std::thread::sleep(wait);
        }
        // A single game sets `ends_soon` only when it is over.
        let played = (part as usize + 1) * games / 4 - part as usize * games / 4;
        rules.count(played, part as usize * games / 4, games);
    }
    let ready = READY.get().ok_or("no games")?;
    let records: Vec<GameRecord> = ready.iter().cycle().take(games).cloned().collect();
    Ok(Columns::of(&records))
}

/// A server with its ports for clients and for monitoring, and its storage.
struct Nats {
    process: Child,
    port: u16,
    monitor: u16,
    _folder: tempfile::TempDir,
}

impl Drop for Nats {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

impl Nats {
    fn start() -> Self {
        let named = std::env::var_os("TILETUNE_NATS_SERVER").map(PathBuf::from);
        let program = named.unwrap_or_else(|| match Path::new("/usr/sbin/nats-server") {
            usual if usual.exists() => usual.to_owned(),
            _ => "nats-server".into(),
        });
        let (port, monitor) = (free_port(), free_port());
        let folder = tempfile::tempdir().unwrap();
        let process = Command::new(program)
            .args(["-js", "-a", "127.0.0.1"])
            .args(["-p", &port.to_string(), "-m", &monitor.to_string()])
            .arg("-sd")
            .arg(folder.path())
            .stderr(Stdio::null())
            .spawn();
        let nats = Nats {
            process: process.unwrap(),
            port,
            monitor,
            _folder: folder,
        };
        while TcpStream::connect(("127.0.0.1", monitor)).is_err() {
            std::thread::sleep(Duration::from_millis(20));
        }
        nats
    }

    /// Number of bytes sent and received by the server.
    fn bytes(&self) -> u64 {
        let mut stream = TcpStream::connect(("127.0.0.1", self.monitor)).unwrap();
        let request = b"GET /varz HTTP/1.0\r\nConnection: close\r\n\r\n";
        stream.write_all(request).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        let seen: Value = serde_json::from_str(body).unwrap();
        ["in_bytes", "out_bytes"]
            .map(|key| seen[key].as_u64().unwrap())
            .iter()
            .sum()
    }
}

/// CPU seconds in the `stat` file of a process or a thread.
fn cpu(stat: &Path) -> f64 {
    let text = std::fs::read_to_string(stat).unwrap_or_default();
    let rest = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = rest.split_whitespace().skip(11).take(2);
    ticks
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

/// CPU seconds of the threads of this process with this name.
fn cpu_of_threads(name: &str) -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    let threads = threads.map(|thread| thread.unwrap().path());
    let named = threads.filter(|thread| {
        std::fs::read_to_string(thread.join("comm")).is_ok_and(|comm| comm.trim() == name)
    });
    named.map(|thread| cpu(&thread.join("stat"))).sum()
}

/// Runs workers on a thread until `progress` is stopped.
fn work(workers: usize, server: Server, progress: Arc<Progress>) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(workers + 8)
            .thread_stack_size(1 << 20)
            .build()
            .unwrap();
        runtime.block_on(async {
            let lives = (0..workers).map(|number| {
                let worker = Worker {
                    name: Some(name(number)),
                    threads: 1,
                    memory: None,
                    build: Build::named("scale"),
                    catalogue: Catalogue::builtin(),
                    commands: Vec::new(),
                    falsify_after: None,
                };
                worker.live(&server, "/".into(), &progress, &|_| (), sleep_and_answer)
            });
            futures_util::future::join_all(lives).await
        });
    })
}

fn name(number: usize) -> String {
    format!("worker-{number:04}")
}

fn player() -> PlayerSpec {
    let config = toml::from_str("name = 'expectimax'\ndepth = 0");
    Catalogue::builtin().player(&config.unwrap()).unwrap()
}

#[test]
#[ignore = "takes three minutes and prints CPU times"]
fn idle_playing_workers() {
    let player = player();
    let weights: Weights = published(&player);
    let seeds: Vec<u64> = (0..4096).collect();
    let local = Local::new(player.clone(), None).unwrap();
    let games = local.games(&weights, &seeds, &Progress::default());
    READY.set(games.unwrap()).unwrap();
    println!(
        "workers  s/game   games/s  share  tasks/s  server  coordinator: decides  client   bytes/game"
    );
    println!("                                          ms/task            ms/task   ms/task");
    for (workers, game, seconds) in CASES {
        case(&player, &weights, workers, game, seconds);
    }
}

/// Plays for about this time, and prints the result.
fn case(player: &PlayerSpec, weights: &Weights, workers: usize, game: u64, seconds: u64) {
    GAME.store(game, Ordering::SeqCst);
    let nats = Nats::start();
    let server = Server {
        urls: format!("nats://127.0.0.1:{}", nats.port),
        credentials: None,
        authorities: None,
        certificate: None,
    };
    let progress = Arc::<Progress>::default();
    let working = work(workers, server.clone(), progress.clone());
    let build = Build::named("scale");
    let connection = Connection::open(&server, &build, 1, 0.0, Box::new(|text| println!("{text}")));
    let connection = connection.unwrap();
    // The first task of a worker gets no spot check.
    connection.trust((0..workers).map(name));
    let cluster = connection.cluster(player).unwrap();
    let play = |seconds: u64| {
        let games = (seconds * 1_000_000_000 / game) as usize * workers;
        let seeds: Vec<u64> = (0..games as u64)
            .map(|seed| seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        let weights = std::slice::from_ref(weights);
        let mut count = 0;
        let mut sink = |batch: crate::evaluation::Batch| {
            count += batch.games.len();
            Ok::<(), Infallible>(())
        };
        cluster
            .evaluate(weights, &seeds, &Progress::default(), &mut sink)
            .unwrap();
        assert_eq!(count, games);
        games
    };
    let of_server = PathBuf::from(format!("/proc/{}/stat", nats.process.id()));
    let measure = std::thread::Builder::new().name("decides".into());
    std::thread::scope(|scope| {
        let measured = measure.spawn_scoped(scope, || {
            // Wait until all workers have joined and the speed is known.
            play(3);
            let all = || {
                (
                    [cpu(&of_server), cpu_of_threads("decides"), cpu_of_threads("nats")],
                    nats.bytes(),
                    connection.accepted(),
                )
            };
            let (before, begin) = (all(), Instant::now());
            let games = play(seconds) as f64;
            let (time, after) = (begin.elapsed().as_secs_f64(), all());
            let tasks = (after.2 - before.2) as f64;
            let [server, decides, client] =
                [0, 1, 2].map(|part| 1000.0 * (after.0[part] - before.0[part]) / tasks);
            let possible = workers as f64 * 1e9 / game as f64;
            println!(
                "{workers:7}  {:6.4}  {:8.0}  {:4.0} %  {:7.1}  {server:6.2}  {decides:20.2}  {client:7.2}  {:8.1}",
                game as f64 / 1e9,
                games / time,
                100.0 * games / time / possible,
                tasks / time,
                (after.1 - before.1) as f64 / games,
            );
        });
        measured.unwrap().join().unwrap();
    });
    progress.request_stop();
    drop((cluster, connection));
    working.join().unwrap();
}
