//! The pool of processes of a program: one process for each thread that needs one. A task whose process crashes
//! or times out is retried with a new process, a limited number of times. A sample of tasks is asked twice as a
//! spot check. This module must not interpret lines.

use std::fmt;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::declaration::{Declaration, OnFailure};
use super::folder::Origin;
use super::process::{LineError, Log, Process, grace, hint};
use super::protocol::{self, Greeting, Scoring, shown, shown_to};
use crate::field_error::FieldError;
use crate::heuristic::Parameter;
use crate::record::{GameRecord, Missing, Unrepeated};
use crate::stop::Stop;

/// What to do if the weights of a candidate are the reason.
const CANNOT_USE: &str = "; if only some weights cannot be used, answer {\"refused\": \"why\"}, or set on_failure = \"worst\" \
                          in the campaign";

/// Number of tries for a task, each with another process.
const MOST_TRIES: u32 = 3;

/// One in this number of tasks is asked twice, and also the first task of every process.
const SAMPLE: u64 = 64;

/// Largest number of characters of a task in a message. The log contains the complete task.
const TASK_SHOWN: usize = 2000;

/// Largest number of bytes of stderr that are buffered while there is no log file.
const MOST_BEFORE: usize = 1 << 16;

/// Largest size of the log file of stderr, in bytes.
const LONGEST_LOG: u64 = 10_000_000;

/// A declared program and its processes. Processes are started when they are needed, and end when this value is
/// dropped.
pub struct Program {
    table: toml::Table,
    declaration: Declaration,
    origin: Origin,
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
    /// The greeting of the first process. All other processes must send the same greeting.
    greeting: Option<(Greeting, Arc<Scoring>)>,
    failure: Option<String>,
    /// The reason why the last missing game has no result.
    missing: Option<String>,
    unrepeated: Option<Unrepeated>,
}

/// The log of what processes write to stderr.
#[derive(Default)]
struct StderrLog {
    /// The buffer for output before the log file is set.
    before: Vec<u8>,
    file: Option<LogFile>,
}

struct LogFile {
    file: File,
    /// Number of bytes that may still be written.
    left: u64,
}

/// The reason why a task has no answer.
enum TaskError {
    Stopped,
    /// A permanent error: the program must not be used again.
    Fault(String),
}

/// The reason why a process could not answer a task.
enum AttemptError {
    TaskError(TaskError),
    /// The process did not start; another one may start.
    NotStarted(String),
    /// The process ended; another one may answer the task.
    Lost(String),
    /// The timeout has passed.
    Slow(String),
}

impl AttemptError {
    /// The reason, if a retry with another process makes sense; otherwise the final error.
    fn why(self) -> Result<String, TaskError> {
        match self {
            AttemptError::TaskError(error) => Err(error),
            AttemptError::NotStarted(why) | AttemptError::Lost(why) | AttemptError::Slow(why) => {
                Ok(why)
            }
        }
    }
}

impl Program {
    /// Reads the declaration of a program. No process is started.
    ///
    /// # Errors
    /// The first key that is unknown, missing or out of range.
    pub fn read(table: &toml::Table) -> Result<Self, FieldError> {
        let declaration = Declaration::read(table)?;
        Ok(Program {
            table: table.clone(),
            parameters: declaration.parameters(),
            declaration,
            origin: Origin::Declared,
            idle: Mutex::default(),
            state: Mutex::default(),
            has_failed: AtomicBool::default(),
            restarts: AtomicU64::default(),
            log: Arc::default(),
        })
    }

    /// The same program with another working directory. Runs and weights files still contain the declared
    /// folder.
    #[must_use]
    pub(super) fn in_folder(mut self, folder: PathBuf, origin: Origin) -> Self {
        self.declaration.folder = folder;
        self.origin = origin;
        self
    }

    /// The same program whose declaration names its actual working directory.
    #[must_use]
    pub(super) fn with_actual_folder(mut self) -> Self {
        let folder = &self.declaration.folder;
        if let Some(folder) = folder.to_str().filter(|folder| !folder.is_empty()) {
            self.table.insert("folder".into(), folder.into());
        }
        self
    }

    /// The declaration, as stored in runs and weights files.
    pub fn table(&self) -> &toml::Table {
        &self.table
    }

    /// The declaration, with the actual working directory.
    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    /// Its parameters, sorted by name.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Starts a process and reads its greeting, unless a process has been started before.
    ///
    /// # Errors
    /// The reason why the program cannot be used.
    pub fn start(&self) -> Result<(), String> {
        if locked(&self.state).greeting.is_some() {
            return Ok(());
        }
        match self.start_process(Stop::never()) {
            Ok(process) => {
                locked(&self.idle).push(process);
                Ok(())
            }
            Err(error) => match error.why() {
                Ok(why) | Err(TaskError::Fault(why)) => Err(self.named(&why)),
                Err(TaskError::Stopped) => Ok(()),
            },
        }
    }

    /// Starts processes until so many wait for a task: the first tasks then take no longer than later ones. A process that
    /// does not start is started again for a task, which says why.
    pub fn warm_up(&self, processes: usize, stop: Stop) {
        let waiting = locked(&self.idle).len();
        thread::scope(|scope| {
            for _ in waiting..processes {
                scope.spawn(|| {
                    if let Ok(process) = self.start_process(stop) {
                        locked(&self.idle).push(process);
                    }
                });
            }
        });
    }

    /// True if the program declares that its numbers do not depend on the seed. Starts a process if none has
    /// been started before.
    ///
    /// # Errors
    /// The errors of [`Program::start`].
    pub fn is_deterministic(&self) -> Result<bool, String> {
        self.start()?;
        let state = locked(&self.state);
        let greeting = state.greeting.as_ref();
        Ok(greeting.is_some_and(|(greeting, _)| greeting.is_deterministic))
    }

    /// The games of a task. Games that the program refuses are [missing](GameRecord::missing). With
    /// [`OnFailure::Worst`], games that it does not answer are missing too. Returns `None` if `stop` is
    /// requested, or if the program has failed (see [`Program::failure`]).
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

    /// The permanent error of the program; `None` while it can be used.
    pub fn failure(&self) -> Option<String> {
        locked(&self.state).failure.clone()
    }

    /// The reason why the last missing game has no result.
    pub fn missing(&self) -> Option<String> {
        locked(&self.state).missing.clone()
    }

    /// The first game that gave other numbers in the spot check.
    pub fn unrepeated(&self) -> Option<Unrepeated> {
        locked(&self.state).unrepeated.clone()
    }

    /// Number of retries: a process did not answer, and its task was given to another one.
    pub fn restarts(&self) -> u64 {
        self.restarts.load(Ordering::Relaxed)
    }

    /// From now on, appends stderr to this file. A file that cannot be opened is ignored, because stderr is not
    /// a result.
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

    /// An error message with the command of the program.
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
        let can_fail = self.declaration.on_failure == OnFailure::Worst;
        let mut tries = 1;
        let why = loop {
            // An idle process can have ended long ago, so only the first try uses one.
            let idle = (tries == 1).then(|| locked(&self.idle).pop()).flatten();
            let failed = match self.attempt(idle, &task, seeds, stop) {
                Ok(games) => return Ok(games),
                Err(failed) => failed,
            };
            // Weights that are too slow stay too slow, and each retry would take the whole timeout.
            let is_last = match failed {
                AttemptError::Slow(_) if can_fail => true,
                _ => tries == MOST_TRIES,
            };
            let has_started = !matches!(failed, AttemptError::NotStarted(_));
            let can_fail = can_fail && has_started;
            let why = failed.why()?;
            match (is_last, can_fail) {
                (true, true) => break why,
                (true, false) => {
                    let task = self.task_in_words(&task);
                    let cure = if has_started { CANNOT_USE } else { "" };
                    return Err(TaskError::Fault(format!(
                        "{MOST_TRIES} processes in a row did not answer the same task, {task}: {why}{cure}"
                    )));
                }
                (false, _) => (),
            }
            self.restarts.fetch_add(1, Ordering::Relaxed);
            self.log_line(&format!("tiletune starts the program again: {why}"));
            tries += 1;
        };
        if let [_] = seeds {
            self.log_missing(&why, &task);
            return Ok(self.known_scoring()?.missing(Missing::Failed, seeds));
        }
        // A single seed of the task may be the cause, so each seed is tried alone.
        let alone = seeds.iter().map(|seed| {
            let games = self.try_play(weights, std::slice::from_ref(seed), stop)?;
            Ok(games.into_iter().next())
        });
        let games: Vec<Option<GameRecord>> = alone.collect::<Result<_, TaskError>>()?;
        Ok(games.into_iter().flatten().collect())
    }

    /// A task for a message. A long task is shortened; the log then contains all of it.
    fn task_in_words(&self, task: &str) -> String {
        if task.chars().count() > TASK_SHOWN {
            self.log_line(&format!("the whole task: {}", task.trim_end()));
        }
        shown_to(task, TASK_SHOWN)
    }

    /// Records why a task has no result. The log contains the complete task, so that it can be reproduced.
    fn log_missing(&self, why: &str, task: &str) {
        self.log_line(&format!("no result: {why}; the task: {}", task.trim_end()));
        let why = format!("{why}; the task was {}", shown_to(task, TASK_SHOWN));
        locked(&self.state).missing = Some(why);
    }

    /// Writes a line of tiletune to the log of stderr.
    fn log_line(&self, line: &str) {
        let line = line.replace('\n', " ");
        write_log(&self.log, std::process::id(), line.as_bytes());
    }

    /// Sends a task to an idle process or, if there is none, to a new one.
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
        let scoring = self.known_scoring().map_err(AttemptError::TaskError)?;
        let is_sampled = process.is_new || seeds.first().is_some_and(|seed| seed % SAMPLE == 0);
        process.is_new = false;
        let mut ask = || {
            if let Some(line) = process.unasked() {
                let message = format!("it wrote a line without a task: {}", shown(&line));
                return Err(AttemptError::fault(message));
            }
            process.send(task.to_owned());
            let line = self.line(&mut process, stop, Awaited::Answer)?;
            let answer = protocol::answer(&line, seeds, &scoring);
            let fault = |error: &str| {
                let (task, stderr) = (self.task_in_words(task), process.stderr_in_words());
                AttemptError::fault(format!("{error}; the task was {task}{stderr}"))
            };
            let answer = answer.map_err(|error| fault(&error))?;
            let failed = |game: &GameRecord| game.missing() == Some(Missing::Failed);
            match &answer.missing {
                Some(why)
                    if self.declaration.on_failure == OnFailure::Stop
                        && answer.games.iter().any(failed) =>
                {
                    Err(fault(why))
                }
                _ => Ok(answer),
            }
        };
        let answer = ask()?;
        if is_sampled {
            self.compare(&answer.games, &ask()?.games);
        }
        if let Some(why) = answer.missing {
            self.log_missing(&why, task);
        }
        locked(&self.idle).push(process);
        Ok(answer.games)
    }

    /// Starts a process and reads its greeting.
    fn start_process(&self, stop: Stop) -> Result<Process, AttemptError> {
        let log = Arc::clone(&self.log);
        let log: Log = Arc::new(move |id, line| write_log(&log, id, line));
        let process = Process::start(&self.declaration, log);
        let mut process = process.map_err(|why| {
            let advice = self.origin.advice(&self.declaration.folder);
            let hint = advice.or_else(|| hint(&self.declaration));
            let hint = hint.map(|hint| format!(". {hint}"));
            AttemptError::fault(why + &hint.unwrap_or_default())
        })?;
        let line = self.line(&mut process, stop, Awaited::Greeting);
        let line = line.map_err(|attempt| {
            let has_ended = matches!(attempt, AttemptError::Lost(_));
            match attempt.why() {
                Err(error) => AttemptError::TaskError(error),
                // The first process cannot start, so another one would fail in the same way.
                Ok(why) if locked(&self.state).greeting.is_none() => {
                    // An interpreter that does not find the file of the program ends at once.
                    let advice = self.origin.advice(&self.declaration.folder);
                    let advice = advice.filter(|_| has_ended);
                    let advice = advice.map(|advice| format!("\n{advice}"));
                    AttemptError::fault(why + &advice.unwrap_or_default())
                }
                Ok(why) => AttemptError::NotStarted(why),
            }
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

    /// The meaning of the numbers, from the first greeting.
    fn known_scoring(&self) -> Result<Arc<Scoring>, TaskError> {
        let state = locked(&self.state);
        let greeting = state.greeting.as_ref();
        let scoring = greeting.map(|(_, scoring)| Arc::clone(scoring));
        scoring.ok_or_else(|| TaskError::Fault("it has not greeted".into()))
    }

    /// Reads the next line of a process, with the timeout of the awaited line.
    fn line(
        &self,
        process: &mut Process,
        stop: Stop,
        awaited: Awaited,
    ) -> Result<String, AttemptError> {
        let limit = match awaited {
            Awaited::Greeting => self.declaration.start_limit(),
            Awaited::Answer => self.declaration.limit(),
        };
        let line = process.line(limit, || self.stops(stop));
        line.map_err(|trouble| match trouble {
            LineError::Stopped => AttemptError::TaskError(TaskError::Stopped),
            LineError::Unreadable(why) => {
                AttemptError::fault(format!("a line of its stdout is {why}"))
            }
            LineError::Ended => AttemptError::Lost(process.last_words()),
            // What it has left behind was given the time of a task, but it is not slow: it has ended.
            LineError::Slow if process.has_ended() => AttemptError::Slow(process.last_words()),
            LineError::Slow => AttemptError::Slow(format!(
                "{} took longer than the time limit of {} s; {}{}",
                awaited.in_words(),
                limit.as_secs_f64(),
                awaited.hint(&process.unfinished()),
                process.stderr_in_words()
            )),
        })
    }

    fn compare(&self, first: &[GameRecord], second: &[GameRecord]) {
        let pairs = first.iter().zip(second);
        let mut differing = pairs.filter_map(|(one, other)| {
            // Whether the program fails can depend on timing, so only played games are compared.
            let is_played = one.missing().is_none() && other.missing().is_none();
            Unrepeated::between(one.seed, one.numbers()?, other.numbers()?).filter(|_| is_played)
        });
        if let Some(found) = differing.next() {
            locked(&self.state).unrepeated.get_or_insert(found);
        }
    }
}

/// The kind of line that is awaited from a program.
#[derive(Clone, Copy)]
enum Awaited {
    Greeting,
    Answer,
}

impl Awaited {
    fn in_words(self) -> &'static str {
        match self {
            Awaited::Greeting => "the start of a process",
            Awaited::Answer => "a task",
        }
    }

    /// A hint for the author of a program that has timed out. `unfinished` is the incomplete line that it has
    /// written.
    fn hint(self, unfinished: &str) -> String {
        const FLUSH: &str =
            "flush stdout after each line (Python: `print(.., flush=True)`, C: `fflush(stdout)`)";
        match self {
            _ if !unfinished.is_empty() => format!(
                "it wrote {} without a line break: end each line with one, and {FLUSH}",
                shown(unfinished)
            ),
            Awaited::Greeting => format!(
                "it has written no line: before it reads a task it must write its greeting, \
                 {{\"protocol\":{},..}}, and {FLUSH}",
                protocol::VERSION
            ),
            Awaited::Answer => {
                format!("nothing of an answer has come: if it has written one, {FLUSH}")
            }
        }
    }
}

impl AttemptError {
    fn fault(message: String) -> Self {
        AttemptError::TaskError(TaskError::Fault(message))
    }
}

impl Drop for Program {
    /// Closes stdin of all processes first, so that they can end at the same time.
    fn drop(&mut self) {
        let mut idle = std::mem::take(&mut *locked(&self.idle));
        idle.iter_mut().for_each(Process::close);
        let until = grace();
        idle.iter_mut().for_each(|process| process.wait(until));
    }
}

impl StderrLog {
    /// Appends whole lines until the file has its maximum size.
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
            // stderr is not a result, so a failed write is ignored.
            Err(_) => 0,
        };
    }
}

/// Writes a line of stderr to the log, with the process id in front.
fn write_log(log: &Mutex<StderrLog>, id: u32, line: &[u8]) {
    let mut text = format!("{id}: ").into_bytes();
    text.extend_from_slice(line.strip_suffix(b"\n").unwrap_or(line));
    text.push(b'\n');
    locked(log).write(&text);
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
