//! Processes of this program that the server has started. They are in process groups of their own, so that they outlive
//! the server. This module must not know what they do.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::refusal::Refusal;
use super::writer;
use crate::lock::locked;
use crate::plain_file;
use crate::run::{RunDirectory, lock};

/// Largest number of runs that this server has started and that run at the same time.
const MOST: usize = 4;
/// Time after which a run must have begun, or a plan must be ready.
const LONGEST: Duration = Duration::from_secs(60);
/// Time between two looks at a process.
const LOOK: Duration = Duration::from_millis(50);
/// Folder of the messages of the processes, hidden in the results folder.
const MESSAGES: &str = ".started";

/// The processes, by the names of their runs.
pub(super) struct Processes {
    program: PathBuf,
    running: Arc<Mutex<HashMap<String, Child>>>,
    /// Held while a plan is made, which uses all cores.
    planning: Mutex<()>,
}

impl Processes {
    /// Processes of this program, an absolute path.
    pub(super) fn new(program: PathBuf) -> Self {
        Processes {
            program,
            running: Arc::default(),
            planning: Mutex::default(),
        }
    }

    /// The runs that still run.
    pub(super) fn running(&self) -> Vec<String> {
        let mut names: Vec<String> = locked(&self.running).keys().cloned().collect();
        names.sort();
        names
    }

    /// Starts a run and waits until its directory exists.
    pub(super) fn start(
        &self,
        results: &Path,
        run: &str,
        arguments: &[OsString],
    ) -> Result<(), Refusal> {
        let messages = results.join(MESSAGES);
        std::fs::create_dir_all(&messages).map_err(Refusal::wrong)?;
        let said = messages.join(format!("{}.txt", run.replace('/', "-")));
        let mut running = locked(&self.running);
        if running.len() >= MOST {
            let message =
                format!("{MOST} runs that these pages have started are running, the limit here");
            return Err(Refusal::busy(message));
        }
        if running.contains_key(run) {
            return Err(Refusal::wrong("this run is being written already"));
        }
        let before = stamp(&results.join(run));
        let child = self.spawn(arguments, &said).map_err(|error| {
            Refusal::wrong(format!("cannot start {}: {error}", self.program.display()))
        })?;
        running.insert(run.to_owned(), child);
        drop(running);
        self.wait_until_begun(&results.join(run), before, run, &said)
    }

    fn spawn(&self, arguments: &[OsString], said: &Path) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.args(arguments).arg("--quiet");
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(File::create(said)?);
        alone(&mut command);
        command.spawn()
    }

    /// Waits until the manifest of a run is written, then leaves its process to a thread.
    fn wait_until_begun(
        &self,
        root: &Path,
        before: Option<std::time::SystemTime>,
        run: &str,
        said: &Path,
    ) -> Result<(), Refusal> {
        let begin = Instant::now();
        loop {
            let ended = self.look(run);
            // A short run can have begun and ended meanwhile.
            if RunDirectory::is_begun(root) && stamp(root) != before {
                break;
            }
            if ended.is_some() {
                let words = plain_file::read_text(said).unwrap_or_default();
                let words = words.trim();
                let words = if words.is_empty() {
                    "the run did not begin, and its process gave no reason"
                } else {
                    words
                };
                return Err(Refusal::wrong(words));
            }
            if begin.elapsed() > LONGEST {
                break;
            }
            thread::sleep(LOOK);
        }
        let (running, run) = (self.running.clone(), run.to_owned());
        // Somebody must wait for the process, or it stays in the table of the system.
        let wait = move || {
            while look(&running, &run).is_none() {
                thread::sleep(4 * LOOK);
            }
        };
        thread::Builder::new()
            .spawn(wait)
            .map_err(|_| Refusal::fault())?;
        Ok(())
    }

    fn look(&self, run: &str) -> Option<Option<ExitStatus>> {
        look(&self.running, run)
    }

    /// Asks the process that writes a run to stop, as Ctrl-C does, whoever has started it.
    pub(super) fn stop(&self, run: &str, root: &Path) -> Result<(), Refusal> {
        let mut running = locked(&self.running);
        if let Some(child) = running.get_mut(run)
            && matches!(child.try_wait(), Ok(None))
        {
            return interrupt(child).map_err(Refusal::wrong);
        }
        drop(running);
        if !lock::is_held(root) {
            return Err(Refusal::wrong("no process is writing this run"));
        }
        let Some(process) = writer::find(root, &self.program) else {
            let message = "the process that writes this run is not one that this server can stop: it is of another program, \
                           user or machine; in the terminal that runs it Ctrl-C stops it";
            return Err(Refusal::wrong(message));
        };
        signal(process).map_err(Refusal::wrong)
    }

    /// What a command prints; an error has its message. One command at a time.
    pub(super) fn output(&self, arguments: &[OsString]) -> Result<Result<String, String>, Refusal> {
        let Ok(_turn) = self.planning.try_lock() else {
            return Err(Refusal::busy(
                "another plan is being made; ask again in a moment",
            ));
        };
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .arg("--quiet")
            .env("NO_COLOR", "1")
            .env("COLUMNS", "78");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(Refusal::wrong)?;
        let begin = Instant::now();
        // The texts are short, so no pipe gets full.
        while child.try_wait().map_err(Refusal::wrong)?.is_none() {
            if begin.elapsed() > LONGEST {
                let _ = child.kill();
                let _ = child.wait();
                return Err(Refusal::wrong(format!(
                    "the plan took longer than {} s",
                    LONGEST.as_secs()
                )));
            }
            thread::sleep(LOOK);
        }
        let output = child.wait_with_output().map_err(Refusal::wrong)?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim_end().to_owned();
        Ok(if output.status.success() {
            Ok(text(output.stdout))
        } else {
            Err(text(output.stderr))
        })
    }
}

/// The end of a process: `None` while it runs. A process that has ended is forgotten.
fn look(running: &Mutex<HashMap<String, Child>>, run: &str) -> Option<Option<ExitStatus>> {
    let mut running = locked(running);
    let Some(child) = running.get_mut(run) else {
        return Some(None);
    };
    match child.try_wait() {
        Ok(None) => None,
        ended => {
            running.remove(run);
            Some(ended.ok().flatten())
        }
    }
}

/// When the manifest of a run was written.
fn stamp(root: &Path) -> Option<std::time::SystemTime> {
    let file = std::fs::symlink_metadata(root.join(crate::run::manifest::FILE)).ok()?;
    file.modified().ok()
}

/// A signal for the terminal of the server must not reach the process.
#[cfg(unix)]
fn alone(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// Neither must the end of its console.
#[cfg(windows)]
fn alone(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    const DETACHED_PROCESS: u32 = 0x8;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    command.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP);
}

#[cfg(unix)]
fn interrupt(child: &Child) -> Result<(), String> {
    signal(child.id())
}

/// What Ctrl-C sends to a process.
#[cfg(unix)]
fn signal(process: u32) -> Result<(), String> {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let number = i32::try_from(process).map_err(|error| error.to_string())?;
    kill(Pid::from_raw(number), Signal::SIGINT).map_err(|error| error.to_string())
}

/// `writer` finds no process there.
#[cfg(not(unix))]
fn signal(_process: u32) -> Result<(), String> {
    Err("this system has no such signal".to_owned())
}

/// Other systems cannot ask a process without a console to stop. What a killed run has played is kept, too.
#[cfg(not(unix))]
fn interrupt(child: &mut Child) -> Result<(), String> {
    child.kill().map_err(|error| error.to_string())
}
