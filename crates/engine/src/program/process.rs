//! One running program. Three threads transfer its stdin, stdout and stderr, so that a program that does not
//! read, or that writes much, never blocks the caller. This module must not interpret the lines.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::declaration::Declaration;
use super::protocol::{LONGEST_LINE, shown};

/// Interval at which a wait checks for a request to stop.
const TICK: Duration = Duration::from_millis(20);

/// Grace period: the time that a program has to end after its stdin is closed.
const GRACE: Duration = Duration::from_millis(500);

/// Time to wait for the last output on stderr after a program has ended.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// Capacity of the queue of unread stdout lines.
const WAITING_LINES: usize = 16;

/// Number of stderr lines in a message.
const TAIL: usize = 8;

/// Largest length of a stderr line, in bytes. Longer lines are split.
const LONGEST_ERROR: u64 = 4096;

/// Callback for each line of stderr; its arguments are the process id and the line.
pub(super) type Log = Arc<dyn Fn(u32, &[u8]) + Send + Sync>;

/// The reason why no line was read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LineError {
    /// A stop was requested.
    Stopped,
    /// The process ended, or closed its stdout.
    Ended,
    /// The timeout has passed.
    Slow,
    /// The line is too long or not UTF-8.
    Unreadable(String),
}

/// A running program.
pub(super) struct Process {
    child: Child,
    /// Queue of lines for stdin; `None` after stdin is closed.
    input: Option<Sender<String>>,
    output: Receiver<Result<String, String>>,
    /// The incomplete last line of stdout.
    unfinished: Arc<Mutex<Vec<u8>>>,
    tail: Arc<Mutex<VecDeque<String>>>,
    /// Disconnected as soon as stderr is closed.
    errors: Receiver<()>,
    /// True until it gets its first task.
    pub(super) is_new: bool,
}

impl Process {
    /// Starts the program.
    ///
    /// # Errors
    /// A message with the reason why it cannot be started.
    pub(super) fn start(declaration: &Declaration, log: Log) -> Result<Self, String> {
        let program = declaration.program();
        let mut command = Command::new(&program);
        command.args(&declaration.command[1..]);
        command.current_dir(&declaration.folder);
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let folder = declaration.folder.display();
        let child = spawn(command).map_err(|error| {
            let program = program.display();
            if declaration.folder.is_dir() {
                format!("cannot start `{program}` in {folder}: {error}")
            } else {
                format!("cannot start `{program}`: its folder {folder} does not exist")
            }
        })?;
        Process::with_threads(child, log)
            .map_err(|error| format!("cannot start threads for `{}`: {error}", program.display()))
    }

    fn with_threads(child: Child, log: Log) -> std::io::Result<Self> {
        let (input, lines) = mpsc::channel();
        let (answers, output) = mpsc::sync_channel(WAITING_LINES);
        let (closes, errors) = mpsc::channel();
        // From here on, `drop` kills the child if a thread cannot be started.
        let mut process = Process {
            child,
            input: Some(input),
            output,
            unfinished: Arc::default(),
            tail: Arc::default(),
            errors,
            is_new: true,
        };
        let child = &mut process.child;
        if let Some(stdin) = child.stdin.take() {
            thread::Builder::new().spawn(move || write_lines(stdin, &lines))?;
        }
        if let Some(stdout) = child.stdout.take() {
            let unfinished = Arc::clone(&process.unfinished);
            thread::Builder::new().spawn(move || read_lines(stdout, &unfinished, &answers))?;
        }
        if let Some(stderr) = child.stderr.take() {
            let (id, tail) = (child.id(), Arc::clone(&process.tail));
            thread::Builder::new().spawn(move || {
                read_errors(stderr, id, &tail, &log);
                drop(closes);
            })?;
        }
        Ok(process)
    }

    /// A line that the program has written without a task, if there is one.
    pub(super) fn unasked(&self) -> Option<String> {
        match self.output.try_recv() {
            Ok(line) => Some(line.unwrap_or_else(|error| error)),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => None,
        }
    }

    /// Queues a line for stdin. The line must end with a line break. If the process has ended, the line is lost
    /// without an error.
    pub(super) fn send(&self, line: String) {
        if let Some(input) = &self.input {
            let _ = input.send(line);
        }
    }

    /// Waits for the next line of stdout, at most `limit`.
    pub(super) fn line(
        &mut self,
        limit: Duration,
        stops: impl Fn() -> bool,
    ) -> Result<String, LineError> {
        let begin = Instant::now();
        // The time at which the failure of the process was detected.
        let mut failed: Option<Instant> = None;
        loop {
            let left = limit.saturating_sub(begin.elapsed());
            match self.output.recv_timeout(left.min(TICK)) {
                Ok(line) => return line.map_err(LineError::Unreadable),
                Err(RecvTimeoutError::Disconnected) => return Err(LineError::Ended),
                Err(RecvTimeoutError::Timeout) if stops() => return Err(LineError::Stopped),
                // After a failure, a child of the process can still hold stdout open. After a success, such a
                // child may continue the work, so only a failure ends the wait.
                Err(RecvTimeoutError::Timeout) if self.has_failed() => {
                    if failed.get_or_insert_with(Instant::now).elapsed() >= LAST_WORDS {
                        return Err(LineError::Ended);
                    }
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(LineError::Slow),
                Err(RecvTimeoutError::Timeout) => (),
            }
        }
    }

    /// True if the process has ended by a signal or with an exit status other than success.
    fn has_failed(&mut self) -> bool {
        let status = self.child.try_wait().ok().flatten();
        status.is_some_and(|status| !status.success())
    }

    /// True if the process has ended. A process that it has started can still hold its stdout open.
    pub(super) fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// The incomplete last line of stdout.
    pub(super) fn unfinished(&self) -> String {
        String::from_utf8_lossy(&locked(&self.unfinished)).into_owned()
    }

    /// Describes how the process ended, with its last lines on stderr. Waits a short time for both.
    pub(super) fn last_words(&mut self) -> String {
        let begin = Instant::now();
        let mut status = None;
        while status.is_none() && begin.elapsed() < LAST_WORDS {
            status = self.child.try_wait().ok().flatten();
            thread::sleep(Duration::from_millis(2));
        }
        // A child of the process can hold stderr open, so the wait is limited.
        let left = LAST_WORDS.saturating_sub(begin.elapsed());
        let _ = self.errors.recv_timeout(left.max(TICK));
        let mut how = status.map_or_else(|| "it closed its stdout".to_owned(), ended_in_words);
        let is_open = matches!(self.output.try_recv(), Err(TryRecvError::Empty));
        if status.is_some() && is_open {
            how += ", but a process that it has started holds its stdout open";
        }
        let unfinished = self.unfinished();
        if !unfinished.is_empty() {
            how += &format!("; its last line, {}, has no line break", shown(&unfinished));
        }
        format!("{how}{}", self.stderr_in_words())
    }

    /// The last lines of stderr, for a message.
    pub(super) fn stderr_in_words(&self) -> String {
        let tail = locked(&self.tail);
        if tail.is_empty() {
            "; it wrote nothing to stderr".to_owned()
        } else {
            let lines: Vec<&str> = tail.iter().map(String::as_str).collect();
            format!("; the last lines of its stderr:\n  {}", lines.join("\n  "))
        }
    }

    /// Closes stdin, which tells the program to end.
    pub(super) fn close(&mut self) {
        self.input = None;
    }

    /// Waits until a program whose stdin is closed has ended, at most until `until`.
    pub(super) fn wait(&mut self, until: Instant) {
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// The time until which programs may run after their stdin is closed.
pub(super) fn grace() -> Instant {
    Instant::now() + GRACE
}

impl Drop for Process {
    /// Kills the process and its children, and waits for it, so that no zombie process remains.
    fn drop(&mut self) {
        self.close();
        end_group(&self.child);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A hint about the probable error in a command that cannot be started.
pub(super) fn hint(declaration: &Declaration) -> Option<String> {
    let program = declaration.command[0].as_str();
    let path = declaration.program();
    let is_path = path != Path::new(program);
    let lies_there = |name: &str| declaration.folder.join(name).is_file();
    if !declaration.folder.is_dir() {
        return Some(hint_of_folder(&declaration.folder).to_owned());
    }
    if is_path && path.is_file() && !is_executable(&path) {
        return Some(format!(
            "The file is not executable: `chmod +x` makes it so, or write its interpreter before it, as in \
             [\"python3\", \"{program}\"]"
        ));
    }
    if !is_path && lies_there(program) {
        return Some(format!(
            "The file is in the folder: write \"./{program}\", or its interpreter before it, as in \
             [\"python3\", \"{program}\"]"
        ));
    }
    if lies_there(program) {
        return None;
    }
    hint_of_words(program)
}

/// A hint about a folder that does not exist.
fn hint_of_folder(folder: &Path) -> &'static str {
    let is_unexpanded =
        |text: &str| text.contains('$') || text.split('/').any(|part| part.starts_with('~'));
    if folder.to_str().is_some_and(is_unexpanded) {
        "`~` and variables are not replaced: write the whole path"
    } else {
        "`folder` is relative to the file that has it"
    }
}

/// A hint about a program name that no file has, and that only a shell would understand.
fn hint_of_words(program: &str) -> Option<String> {
    let words: Vec<&str> = program.split_whitespace().collect();
    let has_more = words.len() > 1;
    let quoted = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
        words.join(", ")
    };
    if program.contains(['&', '|', ';', '<', '>', '`']) || (has_more && program.contains('$')) {
        return Some(format!(
            "No shell reads the command; this starts one: [\"sh\", \"-c\", {program:?}]"
        ));
    }
    if words.first().is_some_and(|word| is_assignment(word)) {
        let dots = if has_more { "" } else { ", .." };
        let words = quoted(&words);
        return Some(format!(
            "No shell reads the command; `env` sets variables: [\"env\", {words}{dots}]"
        ));
    }
    if program.starts_with('~') || program.contains('$') {
        return Some(
            "`~` and variables are not replaced, because no shell reads the command: write the whole path, or \
             [\"sh\", \"-c\", \"..\"]"
                .to_owned(),
        );
    }
    has_more.then(|| {
        let words = quoted(&words);
        format!("The program and each of its arguments are texts of their own: [{words}]")
    })
}

/// True for `NAME=value`.
fn is_assignment(word: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| !name.is_empty() && name.chars().all(is_of_name))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let known = std::fs::metadata(file);
    known.is_ok_and(|known| known.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    true
}

fn ended_in_words(status: ExitStatus) -> String {
    if status.success() {
        "it ended by itself (exit status 0)".to_owned()
    } else {
        format!("it ended ({status})")
    }
}

fn write_lines(mut stdin: ChildStdin, lines: &Receiver<String>) {
    for line in lines {
        let written = stdin.write_all(line.as_bytes());
        if written.and_then(|()| stdin.flush()).is_err() {
            // The program has closed its stdin. Its stdout will show the reason.
            return;
        }
    }
}

fn read_lines(
    stdout: ChildStdout,
    unfinished: &Mutex<Vec<u8>>,
    lines: &SyncSender<Result<String, String>>,
) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let bytes = match stdout.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) | Ok([]) => return,
            Ok(bytes) => bytes,
        };
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(bytes.len(), |end| end + 1);
        let mut line = locked(unfinished);
        line.extend_from_slice(&bytes[..length]);
        stdout.consume(length);
        let is_too_long = line.len() as u64 > LONGEST_LINE;
        if end.is_none() && !is_too_long {
            continue;
        }
        let bytes = std::mem::take(&mut *line);
        drop(line);
        let line = if is_too_long {
            Err(format!("longer than {LONGEST_LINE} bytes"))
        } else {
            text(bytes)
        };
        // The receiver is gone when the process is given up.
        if lines.send(line).is_err() {
            return;
        }
    }
}

fn text(line: Vec<u8>) -> Result<String, String> {
    String::from_utf8(line).map_err(|error| {
        let hint = match error.as_bytes() {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => " (it is UTF-16: write UTF-8)",
            _ => "",
        };
        format!("no UTF-8 text{hint}: {}", shown(&error.to_string()))
    })
}

fn read_errors(stderr: ChildStderr, id: u32, tail: &Mutex<VecDeque<String>>, log: &Log) {
    let mut stderr = BufReader::new(stderr);
    loop {
        let mut line = Vec::new();
        let read = (&mut stderr)
            .take(LONGEST_ERROR)
            .read_until(b'\n', &mut line);
        let Ok(1..) = read else {
            return;
        };
        log(id, &line);
        let text = String::from_utf8_lossy(&line);
        let text: String = shown(&text).trim_matches('`').to_owned();
        let mut tail = locked(tail);
        if tail.len() == TAIL {
            tail.pop_front();
        }
        tail.push_back(text);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Job = Box<dyn FnOnce() + Send>;

/// Starts a process from a thread that lives until this program ends. On Linux the parent-death signal is sent
/// when the *thread* that started the child ends.
fn spawn(mut command: Command) -> std::io::Result<Child> {
    static KEEPER: LazyLock<Mutex<Sender<Job>>> = LazyLock::new(|| {
        let (sender, jobs) = mpsc::channel::<Job>();
        thread::spawn(move || jobs.into_iter().for_each(|job| job()));
        Mutex::new(sender)
    });
    dies_with_this_process(&mut command);
    let (result, started) = mpsc::channel();
    let job = Box::new(move || {
        let _ = result.send(command.spawn());
    });
    let _ = locked(&KEEPER).send(job);
    let gone = || std::io::Error::other("the thread that starts programs has ended");
    started.recv().unwrap_or_else(|_| Err(gone()))
}

/// The program gets a separate process group: Ctrl-C in the terminal reaches only tiletune, which then kills
/// the whole group. On Linux the system kills the program if tiletune is killed; on other systems only its
/// stdin is closed.
#[cfg(unix)]
#[allow(unsafe_code)]
fn dies_with_this_process(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
    #[cfg(target_os = "linux")]
    {
        use nix::sys::{prctl, signal::Signal};
        let request = || prctl::set_pdeathsig(Signal::SIGKILL).map_err(std::io::Error::from);
        // SAFETY: between fork and exec only async-signal-safe functions may be called. The closure makes one
        // system call and allocates no memory.
        unsafe { command.pre_exec(request) };
    }
}

/// Ctrl-C in the terminal reaches only tiletune, as on Unix. If tiletune is killed, only the stdin of the program is
/// closed.
#[cfg(windows)]
fn dies_with_this_process(command: &mut Command) {
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    std::os::windows::process::CommandExt::creation_flags(command, CREATE_NEW_PROCESS_GROUP);
}

/// Kills the process group of a child. The child has not been waited for yet, so its id cannot belong to
/// another process.
#[cfg(unix)]
fn end_group(child: &Child) {
    use nix::sys::signal::{Signal, killpg};
    if let Ok(id) = i32::try_from(child.id()) {
        let _ = killpg(nix::unistd::Pid::from_raw(id), Signal::SIGKILL);
    }
}

/// Kills a child and the processes that it has started. Windows knows them only while the child runs.
#[cfg(windows)]
fn end_group(child: &Child) {
    let mut command = Command::new("taskkill");
    command.args(["/F", "/T", "/PID", &child.id().to_string()]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let _ = command.status();
}
