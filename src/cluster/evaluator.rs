//! The evaluator that plays on workers.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Build;
use super::collector::{Collector, Knowledge};
use super::connection::{ConnectError, Server};
use super::messages::{Answer, Played, RunState, TaskId, pack, unpack};
use super::nats::Nats;
use super::pace::Pace;
use super::roster::Roster;
use super::task::{Evaluation, Job};
use super::transport::{Event, Ticket, Transport};
use super::trust::{Sample, detection};
use crate::evaluation::local::{Local, ThreadsError};
use crate::evaluation::{Batch, EvaluationError, Evaluator, Makes, Progress};
use crate::heuristic::weights::Weights;
use crate::number::{count, percent};
use crate::player::PlayerSpec;
use crate::random::drawn_seed;
use crate::record::{GameRecord, Unrepeated};

/// Largest number of games in memory at a time: they are handed over when all of them are proved.
const GAMES_AT_ONCE: usize = 1 << 20;

/// Largest time between two looks at what is due.
const TICK: Duration = Duration::from_millis(20);

/// The user is told that nothing happens after this time, then after twice as long, and so on.
const FIRST_SILENCE: Duration = Duration::from_secs(5);
const LONGEST_SILENCE: Duration = Duration::from_secs(300);

/// The status line is written this often.
const STATUS: Duration = Duration::from_millis(500);

/// A function that shows a message to the user.
pub type Say = Box<dyn Fn(&str) + Send>;

/// A connection to the workers of a cluster, for one run.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<Mutex<Shared>>,
    threads: usize,
}

/// Plays one player's games on the workers of a cluster.
pub struct Cluster {
    connection: Connection,
    local: Local,
    pace: Mutex<Pace>,
}

/// What the evaluators of a run share.
struct Shared {
    transport: Box<dyn Transport>,
    roster: Roster,
    sample: Sample,
    build: String,
    run: String,
    place: String,
    /// When each evaluation began.
    evaluations: Vec<Instant>,
    retries: u64,
    games: u64,
    say: Say,
    /// What the progress line says of the cluster.
    status: Arc<Mutex<String>>,
}

impl Connection {
    /// Connects to the server of a cluster. `threads` threads of this machine play the share `verify` of all
    /// tasks again.
    ///
    /// # Errors
    /// If the server cannot be reached, refuses the credentials or has no JetStream.
    pub fn open(
        server: &Server,
        build: &Build,
        threads: usize,
        verify: f64,
        say: Say,
    ) -> Result<Self, ConnectError> {
        let run = format!("{:014x}", drawn_seed());
        let nats = Nats::connect(server, build, &run, threads)?;
        let place = server.shown();
        Ok(Self::over(
            Box::new(nats),
            &run,
            build,
            &place,
            threads,
            verify,
            say,
        ))
    }

    pub(super) fn over(
        transport: Box<dyn Transport>,
        run: &str,
        build: &Build,
        place: &str,
        threads: usize,
        verify: f64,
        say: Say,
    ) -> Self {
        let shared = Shared {
            transport,
            roster: Roster::of(run),
            sample: Sample::new(drawn_seed(), verify),
            build: build.name().to_owned(),
            run: run.to_owned(),
            place: place.to_owned(),
            evaluations: Vec::new(),
            retries: 0,
            games: 0,
            say,
            status: Arc::default(),
        };
        Connection {
            shared: Arc::new(Mutex::new(shared)),
            threads,
        }
    }

    fn locked(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows messages in another way from now on. `status` gets what a progress line says of the cluster.
    pub fn show_by(&self, say: Say, status: Arc<Mutex<String>>) {
        let mut shared = self.locked();
        shared.say = say;
        shared.status = status;
    }

    /// The beginning of an evaluation that used false games.
    fn go_back(&self, evaluation: u64) -> Instant {
        let shared = self.locked();
        (shared.say)("earlier results rest on its games: the run goes back to the first of them");
        shared.evaluations[evaluation as usize - 1]
    }

    /// What was played by whom, and how probable it is that a false worker is found.
    pub fn summary(&self) -> Option<String> {
        self.locked().summary()
    }
}

/// Evaluators of a cluster, and threads of this machine for what is played here.
impl Makes for Connection {
    type Evaluator = Cluster;

    fn evaluator(&self, player: &PlayerSpec) -> Result<Cluster, ThreadsError> {
        Ok(Cluster {
            connection: self.clone(),
            local: Local::new(player.clone(), Some(self.threads))?,
            pace: Mutex::default(),
        })
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn is_here(&self) -> bool {
        false
    }

    fn all_threads(&self) -> usize {
        let shared = self.locked();
        let (_, threads) = shared.roster.count(shared.transport.now());
        self.threads.max(threads as usize)
    }
}

impl Shared {
    fn summary(&self) -> Option<String> {
        let tasks = self.roster.tasks_of_each()?;
        let found = |falsified| {
            let share = self.sample.share();
            percent(detection(share, falsified, tasks.saturating_sub(1)))
        };
        Some(format!(
            "{} of {}, {} published again, {} played again here; a worker that falsifies one of 10 of its {} is found \
             with probability {}, one of 100 with {}",
            several(self.roster.accepted, "task"),
            several(self.roster.played() as u64, "worker"),
            count(self.retries),
            count(self.roster.checked),
            several(tasks, "task"),
            found(0.1),
            found(0.01),
        ))
    }

    fn state(&self, collector: &Collector) -> RunState {
        let now = self.transport.now();
        let (workers, threads) = self.roster.count(now);
        let (queued, playing) = collector.counts();
        RunState {
            run: self.run.clone(),
            build: self.build.clone(),
            workers,
            threads,
            queued,
            playing,
            games: self.games + collector.played() as u64,
            retries: self.retries + collector.retries,
            barred: self.roster.all_barred(),
        }
    }
}

/// An evaluation that is being played.
struct Round<'a> {
    shared: &'a mut Shared,
    collector: Collector,
    evaluation: Evaluation<'a>,
    /// First game among those of the whole evaluation.
    first: usize,
    pace: &'a mut Pace,
    progress: &'a Progress,
    /// Games that were counted.
    counted: usize,
    last_progress: Duration,
    silence: Duration,
    last_status: Duration,
    last_refusal: Option<String>,
}

/// Why a round ended before its end.
enum Ended {
    Stopped,
    Failed(String),
    /// Games that earlier evaluations have used are false, since this one.
    False(u64),
}

impl Round<'_> {
    /// Plays until all games are there.
    fn play(&mut self) -> Result<(), Ended> {
        loop {
            if self.progress.is_stopped() {
                return Err(Ended::Stopped);
            }
            self.publish()?;
            if let Some(since) = self.collector.false_since() {
                return Err(Ended::False(since));
            }
            if let Some(failure) = self.collector.failure() {
                return Err(Ended::Failed(failure.to_owned()));
            }
            if self.collector.is_complete() {
                return Ok(());
            }
            self.watch();
            let mut event = self.shared.transport.poll(TICK);
            // All that waits is taken before the next look at what is due.
            while let Some(one) = event {
                self.take(one);
                event = self.shared.transport.poll(Duration::ZERO);
            }
        }
    }

    fn known<T>(&mut self, act: impl FnOnce(&mut Collector, &mut Knowledge) -> T) -> T {
        let mut known = Knowledge {
            roster: &mut self.shared.roster,
            pace: self.pace,
            sample: self.shared.sample,
        };
        act(&mut self.collector, &mut known)
    }

    fn job(&self, task: TaskId) -> Option<Job> {
        let games = self.collector.range(task)?;
        Some(
            self.evaluation
                .job(self.first + games.start..self.first + games.end),
        )
    }

    /// Publishes what is due, and plays here what is to be proved.
    fn publish(&mut self) -> Result<(), Ended> {
        let now = self.shared.transport.now();
        let due = self.known(|collector, known| collector.tick(now, known));
        for (task, attempt) in due {
            if let Some(job) = self.job(task) {
                let bytes = job.encode().map_err(Ended::Failed)?;
                self.shared.transport.publish(task, attempt, pack(&bytes));
            }
        }
        for task in self.collector.take_checks() {
            if let Some(job) = self.job(task) {
                self.shared.transport.check(task, job);
            }
        }
        for notice in self.collector.take_notices() {
            (self.shared.say)(&notice);
        }
        Ok(())
    }

    fn take(&mut self, event: Event) {
        let now = self.shared.transport.now();
        match event {
            Event::Start(start, ticket) => {
                let (worker, task) = (&start.worker, start.task);
                let answer =
                    self.known(|collector, known| collector.start(now, worker, task, known));
                self.shared.transport.answer(ticket, answer);
            }
            Event::Result(task, bytes, ticket) => self.take_result(task, &bytes, ticket),
            Event::Beat(beat) => self.hear(beat),
            Event::Checked(task, checked) => {
                self.known(|collector, known| collector.checked(task, checked, known));
            }
            Event::Unpublished(task, why) => {
                self.collector.unpublished(now, task);
                if self.last_refusal.as_ref() != Some(&why) {
                    let place = &self.shared.place;
                    (self.shared.say)(&format!("{place} does not take tasks, trying again: {why}"));
                    self.last_refusal = Some(why);
                }
            }
            Event::Reconnected => self.collector.lost(now),
            Event::Notice(text) => (self.shared.say)(&text),
        }
    }

    fn hear(&mut self, beat: super::messages::Beat) {
        let now = self.shared.transport.now();
        let other = (beat.build != self.shared.build).then(|| beat.build.clone());
        let worker = beat.worker.clone();
        // Workers of other builds do not count.
        let known = match &other {
            Some(_) => super::messages::Beat { threads: 0, ..beat },
            None => beat,
        };
        let is_new = self.shared.roster.hear(now, known);
        if let Some(build) = other.filter(|_| is_new) {
            (self.shared.say)(&format!(
                "worker {worker} is of build {build}, this run of build {}: it gets no tasks of this run",
                self.shared.build
            ));
        }
    }

    fn take_result(&mut self, task: TaskId, bytes: &[u8], ticket: Ticket) {
        let now = self.shared.transport.now();
        let played = unpack(bytes).and_then(|text| serde_json::from_slice::<Played>(&text).ok());
        let Some(played) = played else {
            let answer = Answer::Barred("its message is damaged".into());
            self.shared.transport.answer(ticket, answer);
            return;
        };
        let worker = &played.worker;
        let answer = match played.games {
            Err(why) => {
                self.known(|collector, known| collector.fail(now, worker, task, &why, known))
            }
            Ok(columns) => {
                let seeds = self.job(task);
                let games = seeds.and_then(|job| columns.games(job.seeds()));
                self.known(|collector, known| {
                    collector.result(worker, task, games, played.seconds, known)
                })
            }
        };
        self.shared.transport.answer(ticket, answer);
        let played = self.collector.played();
        if played > self.counted {
            self.progress.add_games((played - self.counted) as u64);
            self.counted = played;
            self.last_progress = now;
            self.silence = FIRST_SILENCE;
            self.last_refusal = None;
        }
    }

    /// Shows how the run stands; says what it waits for if nothing happens.
    fn watch(&mut self) {
        let now = self.shared.transport.now();
        if now < self.last_status + STATUS {
            return;
        }
        self.last_status = now;
        let state = self.shared.state(&self.collector);
        if state.playing > 0 && state.workers > 0 {
            // Long games are no silence.
            self.last_progress = self.last_progress.max(now.saturating_sub(self.silence / 2));
        }
        if now >= self.last_progress + self.silence {
            (self.shared.say)(&waits(&state, &self.shared.place));
            self.last_progress = now;
            self.silence = (2 * self.silence).min(LONGEST_SILENCE);
        }
        *self
            .shared
            .status
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = format!(
            "   {}, {} in the queue, {} published again",
            several(state.workers.into(), "worker"),
            several(state.queued.into(), "task"),
            count(state.retries)
        );
        self.shared.transport.tell(state);
    }
}

/// A number of things.
fn several(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", count(number))
}

/// What a run waits for.
fn waits(state: &RunState, place: &str) -> String {
    let workers = several(state.workers.into(), "worker");
    let queued = format!("{} in the queue", several(state.queued.into(), "task"));
    match state.workers {
        0 => format!(
            "waiting for workers of build {} on {place}, {queued}; to start one: tiletune worker --nats {place}",
            state.build
        ),
        _ => format!("waiting for {workers} on {place}, {queued}: none is played"),
    }
}

impl Cluster {
    /// The player.
    pub fn player(&self) -> &PlayerSpec {
        self.local.player()
    }

    /// The threads of this machine, which play what is not played on the cluster.
    pub fn local(&self) -> &Local {
        &self.local
    }

    /// The connection that it shares with other evaluators of the run.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Plays some games of an evaluation; returns those from the first to the first missing one.
    fn play(
        &self,
        evaluation: Evaluation,
        games: std::ops::Range<usize>,
        progress: &Progress,
    ) -> (Vec<GameRecord>, Result<(), Ended>) {
        let mut shared = self.connection.locked();
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        shared.evaluations.push(Instant::now());
        let number = shared.evaluations.len() as u64;
        shared.transport.open(number);
        let now = shared.transport.now();
        let mut round = Round {
            shared: &mut shared,
            collector: Collector::new(number, games.len()),
            evaluation,
            first: games.start,
            pace: &mut pace,
            progress,
            counted: 0,
            last_progress: now,
            silence: FIRST_SILENCE,
            last_status: Duration::ZERO,
            last_refusal: None,
        };
        let ended = round.play();
        let Round { collector, .. } = round;
        let state = shared.state(&collector);
        (shared.games, shared.retries) = (state.games, state.retries);
        let has_rest = collector.retries > 0 || ended.is_err();
        shared.transport.close(has_rest);
        (collector.into_games(&mut shared.roster), ended)
    }
}

impl Evaluator for Cluster {
    fn evaluate<E>(
        &self,
        candidates: &[Weights],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut dyn FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), EvaluationError<E>> {
        let evaluation = Evaluation {
            player: self.player(),
            candidates,
            seeds,
        };
        let all = evaluation.games();
        let mut first = 0;
        while first < all {
            let end = all.min(first + GAMES_AT_ONCE);
            let (games, ended) = self.play(evaluation, first..end, progress);
            let mut rest = &games[..];
            while !rest.is_empty() {
                let (candidate, first_game) = evaluation.place(first);
                let (games, others) = rest.split_at(rest.len().min(seeds.len() - first_game));
                sink(Batch {
                    candidate,
                    first_game,
                    games,
                })?;
                first += games.len();
                rest = others;
            }
            ended.map_err(|ended| match ended {
                Ended::Stopped => EvaluationError::Interrupted,
                Ended::Failed(message) => EvaluationError::Player(message),
                Ended::False(since) => EvaluationError::False {
                    since: self.connection.go_back(since),
                },
            })?;
        }
        Ok(())
    }

    fn usable(&self, player: &PlayerSpec, candidates: &[Weights]) -> Vec<bool> {
        self.local.usable(player, candidates)
    }

    /// Played here: it is about this program.
    fn repeats(
        &self,
        recorded: &GameRecord,
        weights: &Weights,
        progress: &Progress,
    ) -> Result<bool, EvaluationError<Infallible>> {
        self.local.repeats(recorded, weights, progress)
    }

    fn unrepeated(&self) -> Option<Unrepeated> {
        self.local.unrepeated()
    }

    fn for_player(&self, player: &PlayerSpec) -> Option<Self> {
        Some(Cluster {
            connection: self.connection.clone(),
            local: self.local.for_player(player)?,
            pace: Mutex::default(),
        })
    }
}
