//! A folder with a nats-server, workers and runs.

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::common::{
    SMALL, assert_same_files, assert_same_run, campaign_file, records, tiletune, tiletune_of_build,
    timeless,
};
use serde_json::Value;
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

/// Something that runs until it is dropped.
pub struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    pub fn signal(&self, signal: &str) {
        let sent = Command::new("kill")
            .args([signal, &self.0.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
    }

    /// Waits for the end or for something else. Returns true if it ends without that.
    pub fn ends_without(&mut self, what: &str, is_there: impl Fn() -> bool) -> bool {
        let begin = Instant::now();
        while !is_there() {
            if self.0.try_wait().unwrap().is_some() {
                // It may have come just before the end.
                return !is_there();
            }
            assert!(begin.elapsed() < PATIENCE, "{what} does not come");
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }

    /// Waits for the end; returns the exit code.
    pub fn ends(&mut self) -> Option<i32> {
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
pub struct Lab {
    pub folder: TempDir,
    program: PathBuf,
    pub port: u16,
    pub server: Option<Process>,
    /// Scheme of the URL.
    pub scheme: &'static str,
    pub user: &'static str,
    /// The name of the build; empty for the true one, whose fingerprint takes seconds.
    pub build: &'static str,
}

impl Lab {
    /// `None` without a nats-server.
    pub fn new(arguments: &[&str]) -> Option<Self> {
        let program = program()?;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut lab = Lab {
            folder: tempfile::tempdir().unwrap(),
            program,
            port: listener.local_addr().unwrap().port(),
            server: None,
            scheme: "nats",
            user: "",
            build: "t",
        };
        drop(listener);
        lab.serve(arguments);
        Some(lab)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts the server, after killing the one before.
    pub fn serve(&mut self, arguments: &[&str]) {
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

    pub fn url(&self) -> String {
        format!("{}://{}127.0.0.1:{}", self.scheme, self.user, self.port)
    }

    /// The program, as the build of the lab.
    pub fn tiletune(&self) -> Command {
        match self.build {
            "" => tiletune(),
            build => tiletune_of_build(build),
        }
    }

    /// A process with its messages in a file.
    pub fn start(&self, name: &str, arguments: &[&str]) -> Process {
        self.start_with(name, arguments, &[])
    }

    /// The same with variables of the environment.
    pub fn start_with(
        &self,
        name: &str,
        arguments: &[&str],
        variables: &[(String, PathBuf)],
    ) -> Process {
        let messages = File::options()
            .create(true)
            .append(true)
            .open(self.path(name));
        let mut program = self.tiletune();
        let child = program
            .args(arguments)
            .args(["--nats", &self.url()])
            .envs(variables.iter().cloned())
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(messages.unwrap())
            .spawn();
        Process(child.unwrap())
    }

    pub fn worker(&self, name: &str, arguments: &[&str]) -> Process {
        self.worker_with(name, arguments, &[])
    }

    /// The same with variables of the environment.
    fn worker_with(
        &self,
        name: &str,
        arguments: &[&str],
        variables: &[(String, PathBuf)],
    ) -> Process {
        let worker = ["worker", "--threads", "1", "--name", name];
        self.start_with(name, &[&worker[..], arguments].concat(), variables)
    }

    /// A worker of another build.
    pub fn worker_of_build(&self, name: &str, build: &str) -> Process {
        let variables = [("TILETUNE_TEST_BUILD".to_owned(), build.into())];
        self.worker_with(name, &[], &variables)
    }

    /// A worker whose games are false after this number of tasks.
    pub fn liar(&self, true_tasks: &str) -> Process {
        let variables = [("TILETUNE_TEST_TRUE_TASKS".to_owned(), true_tasks.into())];
        self.worker_with("liar", &[], &variables)
    }

    /// The run of the campaign.
    pub fn tune(&self, arguments: &[&str]) -> Process {
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

    pub fn messages(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    pub fn says(&self, name: &str, part: &str) {
        wait_for(&format!("`{part}` of {name}"), || {
            self.messages(name).contains(part)
        });
    }

    /// Waits until the run has this number of generations.
    pub fn generations(&self, count: usize) {
        let folder = self.path("run/tables/generations");
        wait_for(&format!("{count} generations"), || {
            std::fs::read_dir(&folder).is_ok_and(|files| files.count() >= count)
        });
    }

    /// The run ends, and is equal to that of one machine.
    pub fn is_equal(&self, run: &mut Process) {
        let code = run.ends();
        assert_eq!(code, Some(0), "{}", self.messages("tune"));
        assert_same_run(&self.path("run"), local());
    }

    /// The same for a run that may have gone back after the end of its search: then its log has the revoked events, too.
    pub fn is_equal_in_force(&self, run: &mut Process) {
        let code = run.ends();
        assert_eq!(code, Some(0), "{}", self.messages("tune"));
        let [mut files, mut expected] = [&self.path("run"), local()].map(timeless);
        let [events, expected_events] = [&mut files, &mut expected]
            .map(|files| events_in_force(&files.remove(Path::new("events.jsonl")).unwrap()));
        assert_eq!(events, expected_events);
        assert_same_files(&files, &expected);
    }
}

/// The events that the log of a small run has in force, without their check values: these are chained, and differ after
/// a revoked event.
fn events_in_force(log: &[u8]) -> Vec<Value> {
    let mut in_force = Vec::new();
    for mut event in records(std::str::from_utf8(log).unwrap()) {
        event.as_object_mut().unwrap().remove("check");
        match event["event"].as_str() {
            // Before its end the search of a small run has no event but that it began.
            Some("went-back") => in_force.truncate(1),
            _ => in_force.push(event),
        }
    }
    in_force
}

pub fn wait_for(what: &str, is_there: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_there() {
        assert!(begin.elapsed() < PATIENCE, "{what} does not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub fn campaign() -> String {
    SMALL
        .replace("generations = 25", "generations = 8")
        .replace("games = 60", "games = 100")
}

/// The run of one machine.
pub fn local() -> &'static Path {
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
