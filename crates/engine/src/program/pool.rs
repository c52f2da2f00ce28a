//! The processes of a program: as many as threads ask at a time. A task whose process crashes or is too slow is
//! given to a new one, but not for ever; a sample of tasks is asked twice. This module must not interpret lines.

use std::fmt;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::declaration::Declaration;
use super::process::{LineError, Log, Process, grace};
use super::protocol::{self, Greeting, Scoring, shown};
use crate::field_error::FieldError;
use crate::heuristic::Parameter;
use crate::record::{GameRecord, Unrepeated};
use crate::stop::Stop;

/// Number of processes that get the same task before it is given up.
const MOST_TRIES: u32 = 3;

/// One of this number of tasks is asked twice, and the first one of every process.
const SAMPLE: u64 = 64;

/// Largest number of bytes of stderr that are kept while there is no file.
const MOST_BEFORE: usize = 1 << 16;

/// Largest size of the file of stderr, in bytes.
const LONGEST_LOG: u64 = 10_000_000;

/// A declared program with its processes, which are started when they are first needed. They end with it.
pub struct Program {
    table: toml::Table,
    declaration: Declaration,
    parameters: Vec<Parameter>,
    idle: Mutex<Vec<Process>>,
    state: Mutex<State>,
    has_failed: AtomicBool,
    restarts: AtomicU64,
    log: Arc<Mutex<StderrLog>>,
}

impl fmt::Debug for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.declaration.fmt(formatter)
    }
}

#[derive(Default)]
struct State {
    /// The greeting of the first process, which all others must repeat.
    greeting: Option<(Greeting, Arc<Scoring>)>,
    failure: Option<String>,
    unrepeated: Option<Unrepeated>,
}

/// What processes write to stderr.
#[derive(Default)]
struct StderrLog {
    /// What was written before there was a file.
    before: Vec<u8>,
    file: Option<LogFile>,
}

/// The file of stderr.
struct LogFile {
    file: File,
    /// Bytes that it can still take.
    left: u64,
}

/// Why a task has no answer.
enum TaskError {
    Stopped,
    /// The program must not be asked again.
    Fault(String),
}

/// Why a process could not do a task.
enum AttemptError {
    TaskError(TaskError),
    /// Another process may do it.
    Lost(String),
}

impl Program {
    /// Reads the declaration of a program. Nothing is started.
    ///
    /// # Errors
    /// The first key that is unknown, missing or out of range.
    pub fn read(table: &toml::Table) -> Result<Self, FieldError> {
        let declaration = Declaration::read(table)?;
        Ok(Program {
            table: table.clone(),
            parameters: declaration.parameters(),
            declaration,
            idle: Mutex::default(),
            state: Mutex::default(),
            has_failed: AtomicBool::default(),
            restarts: AtomicU64::default(),
            log: Arc::default(),
        })
    }

    /// The declaration as runs and weights files carry it.
    pub fn table(&self) -> &toml::Table {
        &self.table
    }

    /// The declaration.
    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    /// Its parameters in the order of their names.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Starts a process, if none has been started yet, and reads its greeting.
    ///
    /// # Errors
    /// Why the program cannot play.
    pub fn start(&self) -> Result<(), String> {
        if locked(&self.state).greeting.is_some() {
            return Ok(());
        }
        match self.start_process(Stop::never()) {
            Ok(process) => {
                locked(&self.idle).push(process);
                Ok(())
            }
            Err(AttemptError::TaskError(TaskError::Fault(why)) | AttemptError::Lost(why)) => {
                Err(self.named(&why))
            }
            Err(AttemptError::TaskError(TaskError::Stopped)) => Ok(()),
        }
    }

    /// Whether it says that its numbers do not depend on the seed. Starts a process, if none has been started yet.
    ///
    /// # Errors
    /// As [`Program::start`].
    pub fn is_deterministic(&self) -> Result<bool, String> {
        self.start()?;
        let state = locked(&self.state);
        let greeting = state.greeting.as_ref();
        Ok(greeting.is_some_and(|(greeting, _)| greeting.is_deterministic))
    }

    /// The games of a task. `None` if `stop` was requested or the program has failed (see [`Program::failure`]).
    pub fn play(&self, weights: &str, seeds: &[u64], stop: Stop) -> Option<Vec<GameRecord>> {
        if self.stops(stop) {
            return None;
        }
        match self.try_play(weights, seeds, stop) {
            Ok(games) => Some(games),
            Err(TaskError::Stopped) => None,
            Err(TaskError::Fault(message)) => {
                let mut state = locked(&self.state);
                let failure = || self.named(&message);
                state.failure.get_or_insert_with(failure);
                self.has_failed.store(true, Ordering::SeqCst);
                None
            }
        }
    }

    /// Why the program must not be asked again.
    pub fn failure(&self) -> Option<String> {
        locked(&self.state).failure.clone()
    }

    /// The first game that did not repeat.
    pub fn unrepeated(&self) -> Option<Unrepeated> {
        locked(&self.state).unrepeated.clone()
    }

    /// Number of processes that did not answer, so that their tasks were given to others.
    pub fn restarts(&self) -> u64 {
        self.restarts.load(Ordering::Relaxed)
    }

    /// Appends stderr to this file from now on. A file that cannot be opened is left out: stderr is no result.
    pub fn log_to(&self, path: &Path) {
        let file = File::options().create(true).append(true).open(path);
        let mut messages = locked(&self.log);
        messages.file = file.ok().map(|file| {
            let size = file.metadata().map_or(0, |known| known.len());
            let left = LONGEST_LOG.saturating_sub(size);
            LogFile { file, left }
        });
        let before = std::mem::take(&mut messages.before);
        messages.write(&before);
    }

    /// A message about it.
    fn named(&self, message: &str) -> String {
        let command = self.declaration.command.join(" ");
        format!("the program `{command}`: {message}")
    }

    fn stops(&self, stop: Stop) -> bool {
        stop.is_requested() || self.has_failed.load(Ordering::SeqCst)
    }

    fn try_play(
        &self,
        weights: &str,
        seeds: &[u64],
        stop: Stop,
    ) -> Result<Vec<GameRecord>, TaskError> {
        let task = protocol::task(weights, seeds);
        let mut tries = 1;
        loop {
            // A process that was idle can have ended long ago: the next one is new.
            let idle = (tries == 1).then(|| locked(&self.idle).pop()).flatten();
            match self.attempt(idle, &task, seeds, stop) {
                Ok(games) => return Ok(games),
                Err(AttemptError::TaskError(failed)) => return Err(failed),
                Err(AttemptError::Lost(why)) if tries == MOST_TRIES => {
                    return Err(TaskError::Fault(format!(
                        "{MOST_TRIES} processes in a row did not answer the same task, {}: {why}",
                        shown(&task)
                    )));
                }
                Err(AttemptError::Lost(why)) => {
                    self.restarts.fetch_add(1, Ordering::Relaxed);
                    let line = format!("tiletune starts the program again: {why}");
                    write_log(&self.log, std::process::id(), line.as_bytes());
                    tries += 1;
                }
            }
        }
    }

    /// Gives a task to an idle process or, without one, to a new one.
    fn attempt(
        &self,
        idle: Option<Process>,
        task: &str,
        seeds: &[u64],
        stop: Stop,
    ) -> Result<Vec<GameRecord>, AttemptError> {
        let mut process = match idle {
            Some(process) => process,
            None => self.start_process(stop)?,
        };
        let scoring = self.scoring()?;
        let is_sampled = process.is_new || seeds.first().is_some_and(|seed| seed % SAMPLE == 0);
        process.is_new = false;
        let mut ask = || {
            if let Some(line) = process.unasked() {
                let message = format!("it wrote a line without a task: {}", shown(&line));
                return Err(AttemptError::fault(message));
            }
            process.send(task.to_owned());
            let line = self.line(&mut process, stop, "a task")?;
            let games = protocol::answer(&line, seeds, &scoring);
            games.map_err(|error| {
                AttemptError::fault(format!("{error}{}", process.stderr_in_words()))
            })
        };
        let games = ask()?;
        if is_sampled {
            self.compare(&games, &ask()?);
        }
        locked(&self.idle).push(process);
        Ok(games)
    }

    /// Starts a process and reads its greeting.
    fn start_process(&self, stop: Stop) -> Result<Process, AttemptError> {
        let log = Arc::clone(&self.log);
        let log: Log = Arc::new(move |id, line| write_log(&log, id, line));
        let mut process = Process::start(&self.declaration, log).map_err(AttemptError::fault)?;
        let line = self.line(&mut process, stop, "the start of a process");
        let line = line.map_err(|attempt| match attempt {
            // Another process would end in the same way.
            AttemptError::Lost(why) if locked(&self.state).greeting.is_none() => {
                AttemptError::fault(why)
            }
            attempt => attempt,
        })?;
        let greeting = Greeting::read(&line);
        let greeting = greeting.map_err(|error| {
            AttemptError::fault(format!("{error}{}", process.stderr_in_words()))
        })?;
        let mut state = locked(&self.state);
        match &state.greeting {
            Some((first, _)) if *first == greeting => Ok(process),
            Some((first, _)) => Err(AttemptError::fault(format!(
                "its processes do not agree about its name, parameters and numbers: {first:?}, then {greeting:?}"
            ))),
            None => {
                let scoring = greeting
                    .fits(&self.declaration)
                    .map_err(AttemptError::fault)?;
                state.greeting = Some((greeting, Arc::new(scoring)));
                Ok(process)
            }
        }
    }

    fn scoring(&self) -> Result<Arc<Scoring>, AttemptError> {
        let state = locked(&self.state);
        let greeting = state.greeting.as_ref();
        let scoring = greeting.map(|(_, scoring)| Arc::clone(scoring));
        scoring.ok_or_else(|| AttemptError::fault("it has not greeted".into()))
    }

    /// The next line of a process.
    fn line(&self, process: &mut Process, stop: Stop, what: &str) -> Result<String, AttemptError> {
        let line = process.line(self.declaration.limit(), || self.stops(stop));
        line.map_err(|trouble| match trouble {
            LineError::Stopped => AttemptError::TaskError(TaskError::Stopped),
            LineError::Unreadable(why) => {
                AttemptError::fault(format!("a line of its stdout is {why}"))
            }
            LineError::Ended => AttemptError::Lost(process.last_words()),
            LineError::Slow => AttemptError::Lost(format!(
                "{what} took longer than the time limit of {} s{}",
                self.declaration.time_limit,
                process.stderr_in_words()
            )),
        })
    }

    fn compare(&self, first: &[GameRecord], second: &[GameRecord]) {
        let pairs = first.iter().zip(second);
        let mut differing = pairs.filter_map(|(one, other)| {
            Unrepeated::between(one.seed, one.numbers()?, other.numbers()?)
        });
        if let Some(found) = differing.next() {
            locked(&self.state).unrepeated.get_or_insert(found);
        }
    }
}

impl AttemptError {
    fn fault(message: String) -> Self {
        AttemptError::TaskError(TaskError::Fault(message))
    }
}

impl Drop for Program {
    /// Asks all processes to end before it waits for the first.
    fn drop(&mut self) {
        let mut idle = std::mem::take(&mut *locked(&self.idle));
        idle.iter_mut().for_each(Process::close);
        let until = grace();
        idle.iter_mut().for_each(|process| process.wait(until));
    }
}

impl StderrLog {
    /// Writes whole lines, while the file may grow.
    fn write(&mut self, lines: &[u8]) {
        let Some(LogFile { file, left }) = &mut self.file else {
            if self.before.len() + lines.len() <= MOST_BEFORE {
                self.before.extend_from_slice(lines);
            }
            return;
        };
        let (size, end) = (
            lines.len() as u64,
            format!("(at most {LONGEST_LOG} bytes are kept)\n"),
        );
        let written = match *left {
            0 => Ok(()),
            room if size > room => file.write_all(end.as_bytes()),
            _ => file.write_all(lines),
        };
        *left = match written {
            Ok(()) => left.saturating_sub(size),
            // stderr is no result.
            Err(_) => 0,
        };
    }
}

/// Writes a line of stderr with the number of its process.
fn write_log(log: &Mutex<StderrLog>, id: u32, line: &[u8]) {
    let mut text = format!("{id}: ").into_bytes();
    text.extend_from_slice(line.strip_suffix(b"\n").unwrap_or(line));
    text.push(b'\n');
    locked(log).write(&text);
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
