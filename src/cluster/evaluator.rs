//! The evaluator that plays on workers.

mod round;

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::Build;
use super::collector::Collector;
use super::connection::{ConnectError, Server};
use super::event::ClusterEvent;
use super::messages::{Heartbeat, RunState};
use super::nats::Nats;
use super::roster::Roster;
use super::spot_check::{CheckSample, detection};
use super::task::Evaluation;
use super::task_size::TaskSizer;
use super::transport::Transport;
use crate::evaluation::local::{Local, ThreadsError};
use crate::evaluation::{
    Batch, EvaluationError, Evaluator, EvaluatorFactory, FactoryError, Order, Progress, Sink,
    SinkClosed,
};
use crate::heuristic::weights::Weights;
use crate::lock::locked;
use crate::number::{count, percent, several};
use crate::player::PlayerSpec;
use crate::random::drawn_seed;
use crate::record::{GameRecord, Unrepeated};
use round::{Round, RoundError};

/// Largest number of games in memory. They are delivered when all of their spot checks are done.
const GAMES_AT_ONCE: usize = 1 << 20;

/// Interval of recorded states.
const SHOWN: Duration = Duration::from_secs(2);

/// Records the events and states of the cluster of a run.
pub trait Recorder: Send {
    /// Records an event.
    fn happens(&mut self, event: &ClusterEvent);

    /// Records the state: every two seconds, and when the number of workers changes.
    fn stands(&mut self, state: &RunState, workers: &[&Heartbeat]);
}

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
    pub(super) connection: Connection,
    local: Local,
    pace: Mutex<TaskSizer>,
}

/// The state that the evaluators of a run share.
struct Shared {
    transport: Box<dyn Transport>,
    roster: Roster,
    sample: CheckSample,
    build: String,
    run: String,
    place: String,
    /// Start time of each evaluation.
    evaluations: Vec<Instant>,
    retries: u64,
    games: u64,
    say: Say,
    recorder: Option<Box<dyn Recorder>>,
    last_shown: Duration,
    shown_workers: u32,
    /// The cluster's part of the progress line.
    status: Arc<Mutex<String>>,
}

impl Connection {
    /// Connects to the server of a cluster. `threads` threads of this machine replay the share `verify` of all tasks.
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
            sample: CheckSample::new(drawn_seed(), verify),
            build: build.name().to_owned(),
            run: run.to_owned(),
            place: place.to_owned(),
            evaluations: Vec::new(),
            retries: 0,
            games: 0,
            say,
            recorder: None,
            last_shown: Duration::ZERO,
            shown_workers: 0,
            status: Arc::default(),
        };
        Connection {
            shared: Arc::new(Mutex::new(shared)),
            threads,
        }
    }

    pub(super) fn cluster(&self, player: &PlayerSpec) -> Result<Cluster, ThreadsError> {
        Ok(Cluster {
            connection: self.clone(),
            local: Local::new(player.clone(), Some(self.threads))?,
            pace: Mutex::default(),
        })
    }

    fn locked(&self) -> MutexGuard<'_, Shared> {
        locked(&self.shared)
    }

    /// Redirects messages. `status` gets the text of the progress line.
    pub fn show_by(&self, say: Say, status: Arc<Mutex<String>>) {
        let mut shared = self.locked();
        shared.say = say;
        shared.status = status;
    }

    /// Sets the recorder; `None` removes it.
    pub fn record_by(&self, recorder: Option<Box<dyn Recorder>>) {
        self.locked().recorder = recorder;
    }

    /// Accepts the first task of some workers without a spot check.
    #[cfg(test)]
    pub(super) fn trust(&self, workers: impl Iterator<Item = String>) {
        workers.for_each(|worker| {
            self.locked().roster.accept(&worker);
        });
    }

    /// Number of accepted tasks.
    #[cfg(test)]
    pub(super) fn accepted(&self) -> u64 {
        self.locked().roster.accepted
    }

    /// Reports that the run goes back. Returns the start time of the evaluation that used wrong games.
    fn go_back(&self, evaluation: u64) -> Instant {
        let mut shared = self.locked();
        shared.report(&ClusterEvent::WentBack);
        shared.evaluations[evaluation as usize - 1]
    }

    /// A summary of tasks, workers and spot checks, with the probability of detecting a worker with wrong games.
    pub fn summary(&self) -> Option<String> {
        self.locked().summary()
    }
}

/// Evaluators of a cluster, and threads of this machine for spot checks.
impl EvaluatorFactory for Connection {
    fn evaluator(&self, player: &PlayerSpec) -> Result<Box<dyn Evaluator + '_>, FactoryError> {
        Ok(Box::new(self.cluster(player)?))
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
    /// Records an event, and shows it to the user.
    fn report(&mut self, event: &ClusterEvent) {
        if let Some(recorder) = &mut self.recorder {
            recorder.happens(event);
        }
        if event.is_told() {
            (self.say)(&event.to_string());
        }
    }

    /// Records the state if it is due.
    fn show(&mut self, state: &RunState, now: Duration) {
        if let Some(recorder) = &mut self.recorder
            && (self.shown_workers != state.workers || now >= self.last_shown + SHOWN)
        {
            (self.last_shown, self.shown_workers) = (now, state.workers);
            let workers: Vec<&Heartbeat> = self.roster.alive(now).collect();
            recorder.stands(state, &workers);
        }
    }

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

impl Cluster {
    pub fn player(&self) -> &PlayerSpec {
        self.local.player()
    }

    /// Plays some games of an evaluation. Returns the games before the first missing one.
    fn play_games(
        &self,
        evaluation: Evaluation,
        games: std::ops::Range<usize>,
        progress: &Progress,
    ) -> (Vec<GameRecord>, Result<(), RoundError>) {
        let mut shared = self.connection.locked();
        let mut pace = locked(&self.pace);
        pace.expect(evaluation.seeds.len());
        shared.evaluations.push(Instant::now());
        let number = shared.evaluations.len() as u64;
        shared.transport.open(number);
        let mut round = Round::new(
            &mut shared,
            &mut pace,
            progress,
            evaluation,
            games.start,
            Collector::new(number, games.len()),
        );
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
    /// The batches are in the order of the seeds.
    fn play(
        &self,
        _order: Order,
        candidates: &[Weights],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut Sink,
    ) -> Result<(), EvaluationError<SinkClosed>> {
        let usable = self.local.usable(candidates, progress.stop());
        let usable = usable.ok_or(EvaluationError::Interrupted)?;
        let candidates: Vec<Weights> = usable
            .iter()
            .map(|&index| candidates[index].clone())
            .collect();
        let evaluation = Evaluation {
            player: self.player(),
            candidates: &candidates,
            seeds,
        };
        let all = evaluation.games();
        let mut first = 0;
        while first < all {
            let end = all.min(first + GAMES_AT_ONCE);
            let (games, ended) = self.play_games(evaluation, first..end, progress);
            let mut rest = &games[..];
            while !rest.is_empty() {
                let (candidate, first_game) = evaluation.place(first);
                let (games, others) = rest.split_at(rest.len().min(seeds.len() - first_game));
                sink(Batch {
                    candidate: usable[candidate],
                    first_game,
                    games,
                })?;
                first += games.len();
                rest = others;
            }
            ended.map_err(|ended| match ended {
                RoundError::Stopped => EvaluationError::Interrupted,
                RoundError::Failed(message) => EvaluationError::Player(message),
                RoundError::False(since) => EvaluationError::False {
                    since: self.connection.go_back(since),
                },
            })?;
        }
        Ok(())
    }

    /// Repeats the game on this machine, because the question is whether this build repeats it.
    fn repeats(
        &self,
        recorded: &GameRecord,
        weights: &Weights,
        progress: &Progress,
    ) -> Result<bool, EvaluationError<Infallible>> {
        self.local.repeats(recorded, weights, progress)
    }

    fn refusal(&self, weights: &Weights) -> Option<String> {
        self.local.refusal(weights)
    }

    fn unrepeated(&self) -> Option<Unrepeated> {
        self.local.unrepeated()
    }
}
