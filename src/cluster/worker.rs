//! A worker: takes tasks of its build, plays them and sends the records. It writes no files. It does not trust the data
//! that it receives: sizes are limited, players come from its own catalogue, and a program starts only if the user of
//! the worker has allowed its command.

mod slot;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::Client;
use futures_util::StreamExt;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::watch;

use super::Build;
use super::connection::{ConnectError, Server, token};
use super::messages::{Heartbeat, RunState, json};
use crate::Catalogue;
use crate::evaluation::Progress;
use crate::lock::locked;
use crate::random::drawn_seed;
#[cfg(test)]
pub(super) use slot::TaskRules;
use slot::{PlayTask, SlotPermits};

/// Polling interval of the stop request.
const TICK: Duration = Duration::from_millis(50);

/// Timeout for returning tasks after a stop request, and for the last heartbeat.
const GRACE: Duration = Duration::from_millis(800);

/// Retry delay.
const PAUSE: Duration = Duration::from_millis(300);

/// Timeout of a run's messages. After it the worker requests no tasks.
const SILENCE: Duration = Duration::from_secs(10);

/// The reason why a system other than Linux refuses a memory limit.
const UNKNOWN_MEMORY: &str =
    "the used memory of a process is known on Linux only: leave out --memory";

/// Window of the measured speed, in seconds.
const WINDOW: usize = 10;

/// Why a worker ended.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The worker cannot connect.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// A coordinator has barred the worker.
    #[error("barred by run {run}: {why}")]
    Barred { run: String, why: String },
    /// The worker exceeds its memory limit.
    #[error("{used} MiB of memory are used, {limit} MiB are allowed; its tasks are given back")]
    Memory {
        /// Used memory in MiB.
        used: u64,
        limit: u64,
    },
    /// The system refuses a required resource.
    #[error("{0}")]
    System(String),
}

/// A worker and its limits.
#[derive(Clone)]
pub struct Worker {
    /// Its name; random if it is left out.
    pub name: Option<String>,
    /// Number of games that it plays at a time.
    pub threads: usize,
    /// Memory limit in MiB.
    pub memory: Option<u64>,
    /// The known games and players.
    pub catalogue: Catalogue,
    pub build: Build,
    /// The commands of programs that it may start, each with its words joined by spaces.
    pub commands: Vec<String>,
    /// For tests: after this number of tasks the worker falsifies all further records.
    pub falsify_after: Option<u64>,
}

impl Worker {
    /// Plays until a stop is requested through `progress`, which also counts the games. `say` shows messages.
    ///
    /// # Errors
    /// If the server refuses the credentials, a coordinator refuses the games, or memory is short.
    pub fn run(
        self,
        server: &Server,
        progress: &Arc<Progress>,
        say: &dyn Fn(&str),
    ) -> Result<(), WorkerError> {
        let system = |error: std::io::Error| WorkerError::System(error.to_string());
        if self.memory.is_some() && used_memory().is_none() {
            return Err(WorkerError::System(UNKNOWN_MEMORY.to_owned()));
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(self.threads + 4)
            .build();
        let runtime = runtime.map_err(system)?;
        let folder = std::env::current_dir().map_err(system)?;
        let ended = runtime.block_on(self.live(server, folder, progress, say, slot::play));
        runtime.shutdown_timeout(TICK);
        ended
    }

    /// Runs the worker on an existing runtime, with another function to play a task.
    pub(super) async fn live(
        self,
        server: &Server,
        folder: PathBuf,
        progress: &Arc<Progress>,
        say: &dyn Fn(&str),
        play: PlayTask,
    ) -> Result<(), WorkerError> {
        let queue_is_new = Arc::new(watch::Sender::new(()));
        let Some(client) = connect(server, progress, say, &queue_is_new).await? else {
            return Ok(());
        };
        let name = self.name.clone().unwrap_or_else(drawn_name);
        say(&format!(
            "worker {name} of build {} on {}: {} threads",
            self.build.name(),
            server.shown(),
            self.threads
        ));
        let (ends, has_ended) = watch::channel(false);
        let (messages, mut said) = mpsc::unbounded_channel();
        let state = Arc::new(WorkerState {
            name,
            folder,
            play,
            permits: SlotPermits::of(self.threads),
            client,
            messages,
            progress: progress.clone(),
            held: Mutex::default(),
            heard: AtomicU64::new(0),
            begin: Instant::now(),
            barred: Mutex::default(),
            tasks: AtomicU64::new(0),
            queue_is_new,
            worker: self,
        });
        let slots = (0..slot::slots(state.worker.threads))
            .map(|_| tokio::spawn(state.clone().slot(has_ended.clone())));
        let slots: Vec<_> = slots.collect();
        let ended = tokio::select! {
            ended = state.attend(say, &mut said) => ended,
            // Sending blocks while the server cannot be reached, so a stop request ends it.
            () = stopped(progress) => Ok(()),
        };
        state.progress.request_stop();
        let _ = ends.send(true);
        let slots = async {
            for slot in slots {
                let _ = slot.await;
            }
        };
        let have_ended = tokio::time::timeout(GRACE, slots).await.is_ok();
        let is_told =
            state.is_connected() && tokio::time::timeout(GRACE, state.farewell()).await.is_ok();
        let games = state.progress.games();
        say(&if have_ended && is_told {
            format!("ended after {games} games; no task is held")
        } else {
            format!("ended after {games} games; the server could not be told")
        });
        ended
    }
}

/// Connects, and retries while the server cannot be reached. `None` if a stop is requested before.
async fn connect(
    server: &Server,
    progress: &Progress,
    say: &dyn Fn(&str),
    queue_is_new: &Arc<watch::Sender<()>>,
) -> Result<Option<Client>, WorkerError> {
    let (mut silence, mut told) = (Duration::from_secs(5), None::<Instant>);
    while !progress.is_stopped() {
        let queue_is_new = queue_is_new.clone();
        let connecting = server.connect(|options| {
            options
                .name("tiletune worker")
                .event_callback(move |event| {
                    if let async_nats::Event::Connected = event {
                        queue_is_new.send_replace(());
                    }
                    async {}
                })
        });
        let connecting = tokio::select! {
            client = connecting => client,
            () = stopped(progress) => return Ok(None),
        };
        match connecting {
            Ok(client) => return Ok(Some(client)),
            Err(ConnectError::Unreachable(why)) => {
                if told.is_none_or(|told| told.elapsed() >= silence) {
                    silence = if told.is_some() { 2 * silence } else { silence };
                    say(&format!("{why}; trying again"));
                    told = Some(Instant::now());
                }
                tokio::time::sleep(PAUSE).await;
            }
            Err(refused) => return Err(refused.into()),
        }
    }
    Ok(None)
}

/// Waits for a request to stop.
async fn stopped(progress: &Progress) {
    while !progress.is_stopped() {
        tokio::time::sleep(TICK).await;
    }
}

/// A name of the host name, the process id and a random number.
fn drawn_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = match host.trim() {
        "" => "worker",
        host => host,
    };
    let number = drawn_seed() & 0xffff;
    token(&format!("{host}-{}-{number:04x}", std::process::id()))
}

/// The state that the slots of a worker share.
struct WorkerState {
    worker: Worker,
    name: String,
    folder: PathBuf,
    play: PlayTask,
    permits: SlotPermits,
    client: Client,
    /// Messages of the threads that play.
    messages: UnboundedSender<String>,
    progress: Arc<Progress>,
    /// The tasks in progress.
    held: Mutex<BTreeSet<(String, u64, u32)>>,
    /// Time of the last message from a run of this build: milliseconds since `begin`, plus 1; 0 if there was none.
    heard: AtomicU64,
    begin: Instant,
    /// The run that has barred this worker, and the reason.
    barred: Mutex<Option<(String, String)>>,
    /// Number of results; used by tests that falsify some.
    tasks: AtomicU64,
    /// Signals a reconnection or a new run. The stream of a pending pull request may be gone, and then no reply comes.
    queue_is_new: Arc<watch::Sender<()>>,
}

impl WorkerState {
    /// Receives the states of runs, shows messages and sends heartbeats, until the worker ends.
    async fn attend(
        &self,
        say: &dyn Fn(&str),
        said: &mut UnboundedReceiver<String>,
    ) -> Result<(), WorkerError> {
        let system = |error: String| WorkerError::System(error);
        let runs = self.client.subscribe("tiletune.run.>").await;
        let mut runs = runs.map_err(|error| system(error.to_string()))?;
        let mut seconds = tokio::time::interval(Duration::from_secs(1));
        let mut ticks = tokio::time::interval(TICK);
        let mut known: BTreeSet<String> = BTreeSet::new();
        let mut counts = [0; WINDOW];
        let mut was_connected = true;
        loop {
            tokio::select! {
                Some(message) = runs.next() => {
                    if let Ok(run) = serde_json::from_slice::<RunState>(&message.payload) {
                        self.hear(&run, &mut known, say);
                    }
                }
                Some(message) = said.recv() => say(&message),
                _ = seconds.tick() => {
                    self.check_memory()?;
                    let is_connected = self.is_connected();
                    if is_connected != was_connected {
                        say(if is_connected {
                            "connected again"
                        } else {
                            "the connection is lost, trying again"
                        });
                        was_connected = is_connected;
                    }
                    counts.rotate_left(1);
                    counts[WINDOW - 1] = self.progress.games();
                    let oldest = counts[0];
                    self.beat(counts[WINDOW - 1] - oldest, false).await;
                }
                _ = ticks.tick() => {
                    if let Some((run, why)) = locked(&self.barred).clone() {
                        return Err(WorkerError::Barred { run, why });
                    }
                }
            }
        }
    }

    fn hear(&self, run: &RunState, known: &mut BTreeSet<String>, say: &dyn Fn(&str)) {
        let own = self.worker.build.name();
        let is_new = known.insert(run.run.clone());
        if run.build == own {
            let now = self.begin.elapsed().as_millis() as u64 + 1;
            self.heard.store(now, Ordering::SeqCst);
            if is_new {
                self.queue_is_new.send_replace(());
            }
        } else if is_new {
            say(&format!(
                "run {} is of build {}, this worker of build {own}: it takes no tasks of that run",
                run.run, run.build
            ));
        }
    }

    /// Whether a run of this build is active.
    fn has_run(&self) -> bool {
        let heard = self.heard.load(Ordering::SeqCst);
        let now = self.begin.elapsed().as_millis() as u64 + 1;
        heard > 0 && now < heard + SILENCE.as_millis() as u64
    }

    async fn beat(&self, games: u64, ends: bool) {
        let beat = Heartbeat {
            worker: self.name.clone(),
            build: self.worker.build.name().to_owned(),
            threads: self.worker.threads as u32,
            games: self.progress.games(),
            games_per_second: games as f64 / (WINDOW - 1) as f64,
            holds: locked(&self.held).iter().cloned().collect(),
            ends,
        };
        let subject = format!("tiletune.worker.{}.{}", beat.build, token(&beat.worker));
        let _ = self.client.publish(subject, json(&beat).into()).await;
    }

    fn is_connected(&self) -> bool {
        self.client.connection_state() == async_nats::connection::State::Connected
    }

    /// Sends the last heartbeat and flushes.
    async fn farewell(&self) {
        self.beat(0, true).await;
        let _ = self.client.flush().await;
    }

    fn check_memory(&self) -> Result<(), WorkerError> {
        match (self.worker.memory, used_memory()) {
            (Some(limit), Some(used)) if used > limit => Err(WorkerError::Memory { used, limit }),
            _ => Ok(()),
        }
    }
}

/// Memory in MiB that this process uses; `None` if the system does not report it.
fn used_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib.div_ceil(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_workers_fit_into_subjects() {
        let name = drawn_name();
        assert_eq!(token(&name), name);
        assert_ne!(drawn_name(), name);
    }

    #[test]
    fn memory_is_known() {
        assert!(used_memory().is_none_or(|used| (1..100_000).contains(&used)));
    }
}
