//! Campaigns on a cluster with a real NATS server, and every fault that it can have: the tables are those of one
//! machine. Without a nats-server (`TILETUNE_NATS_SERVER`, or in PATH) the tests print that they are skipped;
//! with `TILETUNE_CLUSTER_TESTS=required` a skip is a failure.

mod common;

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use common::{SMALL, assert_same_run, campaign_file, tiletune};
use tempfile::TempDir;

/// Whatever is waited for comes within this time, or the test fails.
const PATIENCE: Duration = Duration::from_secs(200);

fn program() -> Option<PathBuf> {
    let named = std::env::var_os("TILETUNE_NATS_SERVER").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into()]);
    let mut programs = folders.map(|folder| folder.join("nats-server"));
    let found = named.or_else(|| programs.find(|program| program.is_file()));
    if found.is_none() {
        let required =
            std::env::var("TILETUNE_CLUSTER_TESTS").is_ok_and(|value| value == "required");
        assert!(!required, "there is no nats-server");
        println!("skipped: no nats-server");
    }
    found
}

const BUILD: &str = "--as-build-for-tests";

/// Something that runs until it is dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    fn signal(&self, signal: &str) {
        let sent = Command::new("kill")
            .args([signal, &self.0.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
    }

    /// Waits for the end; returns the exit code.
    fn ends(&mut self) -> Option<i32> {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.code();
            }
            assert!(begin.elapsed() < PATIENCE, "the process does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A folder with a server.
struct Lab {
    folder: TempDir,
    program: PathBuf,
    port: u16,
    server: Option<Process>,
    user: &'static str,
    /// The name of the build; empty for the true one, whose fingerprint takes seconds.
    build: &'static str,
}

impl Lab {
    /// `None` without a nats-server.
    fn new(arguments: &[&str]) -> Option<Self> {
        let program = program()?;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut lab = Lab {
            folder: tempfile::tempdir().unwrap(),
            program,
            port: listener.local_addr().unwrap().port(),
            server: None,
            user: "",
            build: "t",
        };
        drop(listener);
        lab.serve(arguments);
        Some(lab)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts the server, after killing the one before.
    fn serve(&mut self, arguments: &[&str]) {
        self.server = None;
        let log = File::create(self.path("server.log")).unwrap();
        let server = Command::new(&self.program)
            .args([
                "-js",
                "-a",
                "127.0.0.1",
                "-p",
                &self.port.to_string(),
                "-sd",
            ])
            .arg(self.path("store"))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        self.server = Some(Process(server.unwrap()));
        wait_for("the server", || {
            std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok()
        });
    }

    fn url(&self) -> String {
        format!("nats://{}127.0.0.1:{}", self.user, self.port)
    }

    /// A process with its messages in a file.
    fn start(&self, name: &str, arguments: &[&str]) -> Process {
        let messages = File::options()
            .create(true)
            .append(true)
            .open(self.path(name));
        let has_build = self.build.is_empty() || arguments.contains(&BUILD);
        let build = [BUILD, self.build];
        let build = if has_build { &[] } else { &build[..] };
        let child = tiletune()
            .args(arguments)
            .args(build)
            .args(["--nats", &self.url()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(messages.unwrap())
            .spawn();
        Process(child.unwrap())
    }

    fn worker(&self, name: &str, arguments: &[&str]) -> Process {
        self.start(
            name,
            &[&["worker", "--threads", "1", "--name", name], arguments].concat(),
        )
    }

    /// The run of the campaign.
    fn tune(&self, arguments: &[&str]) -> Process {
        let campaign = campaign_file(self.folder.path(), &campaign());
        let (campaign, out) = (campaign.to_str().unwrap(), self.path("run"));
        let out = out.to_str().unwrap();
        self.start(
            "tune",
            &[
                &["tune", campaign, "--threads", "1", "--out", out],
                arguments,
            ]
            .concat(),
        )
    }

    fn messages(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn says(&self, name: &str, part: &str) {
        wait_for(&format!("`{part}` of {name}"), || {
            self.messages(name).contains(part)
        });
    }

    /// Waits until the run has this number of generations.
    fn generations(&self, count: usize) {
        let folder = self.path("run/tables/generations");
        wait_for(&format!("{count} generations"), || {
            std::fs::read_dir(&folder).is_ok_and(|files| files.count() >= count)
        });
    }

    /// The run ends, and is equal to that of one machine.
    fn is_equal(&self, run: &mut Process) {
        let code = run.ends();
        assert_eq!(code, Some(0), "{}", self.messages("tune"));
        assert_same_run(&self.path("run"), local());
    }
}

fn wait_for(what: &str, is_there: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_there() {
        assert!(begin.elapsed() < PATIENCE, "{what} does not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn campaign() -> String {
    SMALL
        .replace("generations = 25", "generations = 8")
        .replace("games = 60", "games = 100")
}

/// The run of one machine.
fn local() -> &'static Path {
    static RUN: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, run) = RUN.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let file = campaign_file(folder.path(), &campaign());
        let run = folder.path().join("run");
        let arguments = [
            "tune",
            file.to_str().unwrap(),
            "--out",
            run.to_str().unwrap(),
        ];
        let output = tiletune().args(arguments).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        (folder, run)
    });
    run
}

#[test]
fn two_workers_leave_the_tables_of_one_machine() {
    let Some(mut lab) = Lab::new(&[]) else { return };
    lab.build = "";
    let mut workers = ["a", "b"].map(|name| lab.worker(name, &[]));
    // A worker that computes its fingerprint too long would find no task left.
    for name in ["a", "b"] {
        lab.says(name, &format!("worker {name} of build"));
    }
    lab.is_equal(&mut lab.tune(&[]));
    let said = lab.messages("tune");
    assert!(said.contains("tasks of 2 workers"), "{said}");
    // The signal ends a worker within two seconds.
    let begin = Instant::now();
    workers.iter().for_each(|worker| worker.signal("-TERM"));
    for worker in &mut workers {
        assert_eq!(worker.ends(), Some(0));
    }
    assert!(
        begin.elapsed() < Duration::from_secs(2),
        "{:?}",
        begin.elapsed()
    );
    assert!(
        lab.messages("a").contains("no task is held"),
        "{}",
        lab.messages("a")
    );
}

#[test]
fn workers_are_killed_and_others_come() {
    let Some(lab) = Lab::new(&[]) else { return };
    let mut run = lab.tune(&[]);
    lab.says("tune", "waiting for workers of build");
    let workers = ["a", "b"].map(|name| lab.worker(name, &[]));
    lab.generations(2);
    // SIGKILL for both of them.
    drop(workers);
    std::thread::sleep(Duration::from_millis(500));
    let _worker = lab.worker("c", &[]);
    lab.is_equal(&mut run);
}

#[test]
fn the_server_is_killed_and_restarted_with_and_without_its_storage() {
    let Some(mut lab) = Lab::new(&[]) else { return };
    let _worker = lab.worker("a", &[]);
    let mut run = lab.tune(&[]);
    lab.generations(2);
    lab.serve(&[]);
    lab.generations(5);
    lab.server = None;
    std::fs::remove_dir_all(lab.path("store")).unwrap();
    lab.says("tune", "is lost, trying again");
    lab.serve(&[]);
    lab.is_equal(&mut run);
}

#[test]
fn the_coordinator_is_killed_and_resumed() {
    let Some(lab) = Lab::new(&[]) else { return };
    let _worker = lab.worker("a", &[]);
    let run = lab.tune(&[]);
    lab.generations(3);
    drop(run);
    let out = lab.path("run");
    let mut run = lab.start("tune", &["resume", out.to_str().unwrap(), "--threads", "1"]);
    lab.is_equal(&mut run);
}

#[test]
fn a_lying_worker_is_barred_and_leaves_no_false_game() {
    let Some(lab) = Lab::new(&[]) else { return };
    let mut liar = lab.worker("liar", &["--falsify-for-tests", "0"]);
    let mut run = lab.tune(&[]);
    lab.says("tune", "worker liar is barred: its games differ");
    assert_eq!(liar.ends(), Some(1));
    assert!(
        lab.messages("liar").contains("barred by run"),
        "{}",
        lab.messages("liar")
    );
    let _worker = lab.worker("honest", &[]);
    lab.is_equal(&mut run);
}

#[test]
fn the_run_goes_back_to_before_the_first_games_of_a_worker_that_lies_later() {
    let Some(lab) = Lab::new(&[]) else { return };
    // The first thirty tasks are true, all others are false, and three of ten are played again.
    let _liar = lab.worker("liar", &["--falsify-for-tests", "30"]);
    let mut run = lab.tune(&["--verify", "30%"]);
    lab.says("tune", "worker liar is barred: its games differ");
    lab.says("tune", "the run goes back to the first of them");
    let _worker = lab.worker("honest", &[]);
    lab.is_equal(&mut run);
}

#[test]
fn a_worker_of_another_build_gets_no_tasks_and_both_sides_say_so() {
    let Some(lab) = Lab::new(&[]) else { return };
    let _other = lab.worker("other", &[BUILD, "9.9"]);
    let mut run = lab.tune(&[]);
    lab.says("tune", "worker other is of build 9_9");
    lab.says("other", "it takes no tasks of that run");
    let _worker = lab.worker("a", &[]);
    lab.is_equal(&mut run);
    let said = lab.messages("tune");
    assert!(said.contains("tasks of 1 worker,"), "{said}");
}

#[test]
fn wrong_credentials_and_missing_servers_are_told_before_a_run_begins() {
    let Some(mut lab) = Lab::new(&["--auth", "secret"]) else {
        return;
    };
    for (user, code, message) in [
        ("", 2, "refuses the credentials"),
        ("wrong@", 2, "refuses the credentials"),
    ] {
        lab.user = user;
        assert_eq!(lab.tune(&[]).ends(), Some(code));
        assert_eq!(lab.worker("a", &[]).ends(), Some(code));
        for name in ["tune", "a"] {
            let said = lab.messages(name);
            assert!(said.contains(message) && !said.contains("wrong"), "{said}");
        }
    }
    assert!(!lab.path("run").exists());
    lab.user = "secret@";
    let _worker = lab.worker("b", &[]);
    let mut run = lab.tune(&[]);
    lab.is_equal(&mut run);
    let manifest = lab.messages("run/manifest.json");
    assert!(
        manifest.contains("nats://127.0.0.1") && !manifest.contains("secret"),
        "{manifest}"
    );
    lab.server = None;
    let out = lab.path("other");
    let mut run = lab.start("late", &["tune", "--out", out.to_str().unwrap()]);
    assert_eq!(run.ends(), Some(1));
    assert!(
        lab.messages("late")
            .contains("cannot connect to nats://127.0.0.1")
    );
    assert!(!out.exists());
}

#[test]
fn a_server_without_room_is_told_and_waited_for() {
    let Some(mut lab) = Lab::new(&[]) else { return };
    let config = lab.path("full.conf");
    std::fs::write(
        &config,
        "jetstream { max_memory_store: 1, max_file_store: 100 }",
    )
    .unwrap();
    let config = config.to_str().unwrap().to_owned();
    lab.serve(&["-c", &config]);
    let _worker = lab.worker("a", &[]);
    let mut run = lab.tune(&[]);
    lab.says("tune", "does not take tasks, trying again");
    lab.serve(&[]);
    lab.is_equal(&mut run);
}

#[test]
fn games_of_evaluate_and_compare_are_those_of_one_machine() {
    let Some(lab) = Lab::new(&[]) else { return };
    let _worker = lab.worker("a", &[]);
    let url = lab.url();
    let nats = ["--nats", url.as_str(), "--threads", "1", BUILD, lab.build];
    let same = |arguments: &[&str], keys: &[&str]| {
        let result = |more: &[&str]| {
            let output = tiletune().args(arguments).args(more).output().unwrap();
            serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
        };
        let (here, there) = (result(&[]), result(&nats));
        for key in keys {
            assert!(!here[*key].is_null(), "{here}");
            assert_eq!(here[*key], there[*key], "{key}");
        }
    };
    same(
        &[
            "evaluate", "--player", "greedy", "--games", "2000", "--seed", "1", "--json",
        ],
        &["mean_score", "moves", "max_tile", "leaf_evaluations"],
    );
    let out = lab.path("compared");
    let (out, other) = (out.join("here"), out.join("there"));
    for (out, more) in [(&out, &[][..]), (&other, &nats)] {
        let operands = [
            "strings",
            "random",
            "--game",
            "connect-four",
            "--seed",
            "1",
            "--max-games",
            "100",
            "--depth",
            "1",
        ];
        let mut command = tiletune();
        command
            .arg("compare")
            .args(operands)
            .args(more)
            .arg("--out")
            .arg(out);
        let output = command.output().unwrap();
        assert!(
            [Some(3), Some(0), Some(4)].contains(&output.status.code()),
            "{output:?}"
        );
    }
    let tables = |run: &Path| common::contents(&run.join("tables"));
    assert!(!tables(&out).is_empty() && tables(&out) == tables(&other));
}

#[test]
fn workers_and_queues_are_listed() {
    let Some(lab) = Lab::new(&[]) else { return };
    let _worker = lab.worker("a", &["--memory", "2000"]);
    lab.says("a", "worker a of build");
    std::thread::sleep(Duration::from_millis(200));
    let output = tiletune()
        .args(["cluster", "--json", "--nats", &lab.url()])
        .output()
        .unwrap();
    let seen: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(seen["workers"][0]["worker"], "a", "{seen}");
    assert_eq!(seen["workers"][0]["threads"], 1);
    assert_eq!(seen["runs"], serde_json::json!([]));
}
