//! The processes of a program: as many as threads ask at a time. A task whose process crashes or is too slow is
//! given to a new one, but not for ever; a sample of tasks is asked twice. This module must not interpret lines.

use std::fmt;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::declaration::{Declaration, OnFailure};
use super::process::{LineError, Log, Process, grace};
use super::protocol::{self, Greeting, Scoring, shown, shown_to};
use crate::field_error::FieldError;
use crate::heuristic::Parameter;
use crate::record::{GameRecord, Missing, Unrepeated};
use crate::stop::Stop;

/// Number of processes that get the same task before it is given up.
const MOST_TRIES: u32 = 3;

/// One of this number of tasks is asked twice, and the first one of every process.
const SAMPLE: u64 = 64;

/// Largest number of characters of a task that a message shows. The log has all of them.
const TASK_SHOWN: usize = 2000;

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
    /// Why the last game is missing.
    missing: Option<String>,
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
    /// It does not run: another one may.
    NotStarted(String),
    /// It ended: another one may do the task.
    Lost(String),
    /// The time was over.
    Slow(String),
}

impl AttemptError {
    /// Why, if another process may do the task.
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

    /// The same in another folder than the declared one. Runs and weights files carry the declared one.
    #[must_use]
    pub(super) fn in_folder(mut self, folder: PathBuf) -> Self {
        self.declaration.folder = folder;
        self
    }

    /// The declaration as runs and weights files carry it.
    pub fn table(&self) -> &toml::Table {
        &self.table
    }

    /// The declaration, with the folder in which it works.
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
            Err(error) => match error.why() {
                Ok(why) | Err(TaskError::Fault(why)) => Err(self.named(&why)),
                Err(TaskError::Stopped) => Ok(()),
            },
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

    /// The games of a task. With [`OnFailure::Worst`] those that the program does not answer are
    /// [missing](GameRecord::missing), as those are that it refuses. `None` if `stop` was requested or the program has
    /// failed (see [`Program::failure`]).
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

    /// Why the last game is missing that the program did not play.
    pub fn missing(&self) -> Option<String> {
        locked(&self.state).missing.clone()
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
        let can_fail = self.declaration.on_failure == OnFailure::Worst;
        let mut tries = 1;
        let why = loop {
            // A process that was idle can have ended long ago: the next one is new.
            let idle = (tries == 1).then(|| locked(&self.idle).pop()).flatten();
            let failed = match self.attempt(idle, &task, seeds, stop) {
                Ok(games) => return Ok(games),
                Err(failed) => failed,
            };
            // Weights that are too slow are so again, and each try would take the whole time.
            let is_last = match failed {
                AttemptError::Slow(_) if can_fail => true,
                _ => tries == MOST_TRIES,
            };
            let can_fail = can_fail && !matches!(failed, AttemptError::NotStarted(_));
            let why = failed.why()?;
            match (is_last, can_fail) {
                (true, true) => break why,
                (true, false) => {
                    let task = self.task_in_words(&task);
                    return Err(TaskError::Fault(format!(
                        "{MOST_TRIES} processes in a row did not answer the same task, {task}: {why}"
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
        // One seed of the task may be at fault.
        let alone = seeds.iter().map(|seed| {
            let games = self.try_play(weights, std::slice::from_ref(seed), stop)?;
            Ok(games.into_iter().next())
        });
        let games: Vec<Option<GameRecord>> = alone.collect::<Result<_, TaskError>>()?;
        Ok(games.into_iter().flatten().collect())
    }

    /// A task in a message.
    fn task_in_words(&self, task: &str) -> String {
        if task.chars().count() > TASK_SHOWN {
            self.log_line(&format!("the whole task: {}", task.trim_end()));
        }
        shown_to(task, TASK_SHOWN)
    }

    /// Records why a task has no result. All of it is in the log, so that it can be repeated.
    fn log_missing(&self, why: &str, task: &str) {
        self.log_line(&format!("no result: {why}; the task: {}", task.trim_end()));
        let why = format!("{why}; the task was {}", shown_to(task, TASK_SHOWN));
        locked(&self.state).missing = Some(why);
    }

    /// A line of tiletune in the log of stderr.
    fn log_line(&self, line: &str) {
        let line = line.replace('\n', " ");
        write_log(&self.log, std::process::id(), line.as_bytes());
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
        let mut process = Process::start(&self.declaration, log).map_err(AttemptError::fault)?;
        let line = self.line(&mut process, stop, Awaited::Greeting);
        let line = line.map_err(|attempt| match attempt.why() {
            Err(error) => AttemptError::TaskError(error),
            // Another process would end in the same way.
            Ok(why) if locked(&self.state).greeting.is_none() => AttemptError::fault(why),
            Ok(why) => AttemptError::NotStarted(why),
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

    /// What the numbers of the first greeting mean.
    fn known_scoring(&self) -> Result<Arc<Scoring>, TaskError> {
        let state = locked(&self.state);
        let greeting = state.greeting.as_ref();
        let scoring = greeting.map(|(_, scoring)| Arc::clone(scoring));
        scoring.ok_or_else(|| TaskError::Fault("it has not greeted".into()))
    }

    /// The next line of a process.
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
            // Whether the program fails can depend on a clock.
            let is_played = one.missing().is_none() && other.missing().is_none();
            Unrepeated::between(one.seed, one.numbers()?, other.numbers()?).filter(|_| is_played)
        });
        if let Some(found) = differing.next() {
            locked(&self.state).unrepeated.get_or_insert(found);
        }
    }
}

/// A line that a program is waited for.
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

    /// What the author of a program may have forgotten that has written this much of a line.
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
