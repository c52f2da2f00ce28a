//! Evaluation of candidates. Every candidate plays the same seeded games, and its fitness is a statistic of
//! them.
//!
//! [`Evaluator`] is the interface, and [`EvaluatorFactory`] creates an evaluator for each player. [`local`]
//! plays on the cores of this machine. Other evaluators, for example a mathematical function in a test,
//! implement the same trait. This module must not optimise or write files.
//!
//! ```
//! use tiletune_engine::heuristic::weights::Weights;
//! use tiletune_engine::player::Players;
//! use tiletune_engine::random::Stream;
//! use tiletune_engine::player::{Catalogue, PlayerConfig};
//! use tiletune_tuning::evaluation::{Evaluate, Progress};
//! use tiletune_tuning::evaluation::local::Local;
//! use tiletune_tuning::evaluation::objective::Objective;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let player = Catalogue::builtin().player(&PlayerConfig::new("greedy", None))?;
//! let weights = Weights::default();
//! let seeds = Players::One.game_seeds(1, Stream::Evaluate, 0, 50);
//! let games = Local::new(player, None)?.games(&weights, &seeds, &Progress::default())?;
//! let objective = Objective::MedianScore;
//! let fitness = objective.fitness(&objective.contributions(&games));
//! println!("{objective} {} with standard error {}", fitness.value, fitness.standard_error);
//! # assert!(fitness.value > 500.0);
//! # Ok(())
//! # }
//! ```

pub mod calibration;
pub mod local;
pub mod objective;
pub mod schedule;
pub mod settings;

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::results::WANTED_SIGNAL;
use local::{Local, ThreadsError};
use objective::Objective;
use schedule::{FEWEST_GAMES, FIRST_GAMES, Games, MOST_AUTO, STEP};
use tiletune_engine::field_error::FieldError;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::random::Players;
use tiletune_engine::record::{GameRecord, Unrepeated};
use tiletune_engine::stop::Stop;

/// The `[evaluation]` section of a campaign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Evaluation")]
#[serde(deny_unknown_fields, default)]
pub struct EvaluationConfig {
    /// Games of each candidate in a generation: `"auto"`, or a number for the first generation.
    pub games: Games,
    /// Factor on a number of games from one generation to the next (default: 1): as the step size falls,
    /// candidates differ less, and more games are needed to distinguish them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games_growth: Option<f64>,
    /// Games of each candidate in the first generation with `"auto"`, and their lower limit (default: that of the
    /// optimizer, which is 1 for `mirrored-cma-es` and 5 for others). One game shows no noise: with 1 the first generation and
    /// every tenth play 2. In games between two players it is a whole number of openings, of 2 games each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games_min: Option<u32>,
    /// With `"auto"` there are as many games as make this share of the variance of the fitness signal and the rest luck,
    /// 0.01 to 0.9 (default: that of the optimizer, which is 0.1 for `mirrored-cma-es` and 0.5 for others). It is at least 0.5
    /// where most candidates of a generation have the fitness of another one, as with won and lost games, and rises to 0.5 where
    /// `mirrored-cma-es` sees that luck favours a direction, as that of rows of data can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<f64>,
    /// Upper limit of the games of a candidate in a generation (default: 400 for `"auto"`, 100000 for a
    /// number that grows).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games_max: Option<u32>,
    /// The objective; by default the mean score, the mean points of games between two players, or the geometric mean of
    /// the mean scores at several settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<Objective>,
    /// Of a player with several settings: how the games of a candidate are divided between them, as positive numbers of
    /// which only the ratios count (default: by the cost of a game of the start weights at each setting).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares: Option<Vec<f64>>,
    /// Of the objective `exact-score`: the largest estimate of the processor time of a candidate in seconds that is
    /// accepted (default: 10).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact_seconds: Option<f64>,
}

/// The number of games if a campaign gives none.
pub const DEFAULT_GAMES: Games = Games::Auto;

impl Default for EvaluationConfig {
    fn default() -> Self {
        EvaluationConfig {
            games: DEFAULT_GAMES,
            games_growth: None,
            games_min: None,
            signal: None,
            games_max: None,
            objective: None,
            shares: None,
            exact_seconds: None,
        }
    }
}

/// Upper limit of a growing number of games, if the file gives no limit.
const MOST_GROWN: u32 = 100_000;

/// Largest number of games of a candidate in a generation. The limit exists because their scores are kept in
/// memory.
const MOST_GAMES: u32 = 10_000_000;

impl EvaluationConfig {
    /// Checks the ranges.
    ///
    /// # Errors
    /// The first key that is out of range.
    pub fn check(&self) -> Result<(), FieldError> {
        let wrong = |key, message: String| Err(FieldError::new([key], message));
        let (least, max) = (self.games_min.unwrap_or(FIRST_GAMES), self.games_max());
        if max > MOST_GAMES {
            let message = format!("games_max {max} is too large: at most {MOST_GAMES}");
            return wrong("games_max", message);
        }
        match (self.games, self.games_growth) {
            (Games::Number(0), _) => wrong("games", "games must be at least 1".into()),
            (Games::Auto, Some(_)) => {
                let message = "games_growth needs a number of games, but games is \"auto\": leave out \
                               games_growth, or give games";
                wrong("games_growth", message.into())
            }
            (_, Some(growth)) if growth != 1.0 && !(1.0001..=2.0).contains(&growth) => {
                let message = format!("games_growth {growth} is out of range: 1, or 1.0001 to 2");
                wrong("games_growth", message)
            }
            (Games::Number(_), _) if self.games_min.is_some() => {
                let message =
                    "games_min is for games = \"auto\", but games is a number: leave out games_min";
                wrong("games_min", message.into())
            }
            (Games::Number(_), _) if self.signal.is_some() => {
                let message =
                    "signal is for games = \"auto\", but games is a number: leave out signal";
                wrong("signal", message.into())
            }
            (Games::Auto, _) if least == 0 => {
                wrong("games_min", "games_min must be at least 1".into())
            }
            (Games::Auto, _) if max < least.max(FEWEST_GAMES) => {
                let least = least.max(FEWEST_GAMES);
                let message =
                    format!("games_max {max} is too small: at least {least} for games = \"auto\"");
                wrong("games_max", message)
            }
            (Games::Auto, _) if !(0.01..=0.9).contains(&self.signal.unwrap_or(WANTED_SIGNAL)) => {
                let signal = self.signal.unwrap_or(WANTED_SIGNAL);
                wrong(
                    "signal",
                    format!("signal {signal} is out of range: 0.01 to 0.9"),
                )
            }
            (Games::Number(games), _) if max < games => wrong(
                "games_max",
                format!("games_max {max} is below games {games}"),
            ),
            _ => Ok(()),
        }
    }

    /// Fills in the defaults that depend on `games`.
    pub fn fill_in(&mut self) {
        self.games_max = Some(self.games_max());
        if let Games::Number(_) = self.games {
            self.games_growth.get_or_insert(1.0);
        }
    }

    /// Sets what the optimizer needs with `"auto"`, unless it is given.
    pub fn begin_with(&mut self, least: Option<u32>, signal: Option<f64>) {
        if self.games == Games::Auto {
            self.games_min = self.games_min.or(least);
            self.signal = self.signal.or(signal);
        }
    }

    /// Games of each candidate in the first generation with `"auto"`: at least as many as show noise.
    pub fn games_min(&self, players: Players) -> u32 {
        let fewest = players.whole(1) * FEWEST_GAMES;
        self.least_games().max(fewest).min(self.games_max())
    }

    /// The lower limit of the games of each candidate with `"auto"`.
    pub fn least_games(&self) -> u32 {
        let least = self.games_min.unwrap_or(FIRST_GAMES);
        least.min(self.games_max())
    }

    /// Upper limit of the games of a candidate in a generation.
    pub fn games_max(&self) -> u32 {
        self.games_max.unwrap_or(match self.games {
            Games::Auto => MOST_AUTO,
            Games::Number(games) => games.max(MOST_GROWN),
        })
    }

    /// Number of games in the first generation, and the largest factor from one generation to the next.
    fn growth(&self, players: Players) -> (u32, f64) {
        match self.games {
            Games::Auto => (self.games_min(players), STEP),
            Games::Number(games) => (games, self.games_growth.unwrap_or(1.0)),
        }
    }

    /// Number of games of each candidate in a generation, counted from 0. With `"auto"` it is the largest
    /// possible number. In games between two players it is even, so that every opening is played from both
    /// sides.
    pub fn games_in(&self, generation: u32, players: Players) -> u32 {
        let (games, growth) = self.growth(players);
        // `libm` gives the same bits on every platform.
        let growth = libm::pow(growth, f64::from(generation));
        let games = f64::from(games) * growth;
        players.whole(games.round().min(f64::from(self.games_max())) as u32)
    }

    /// The largest number of games of each candidate in the second generation.
    pub fn games_in_second(&self, players: Players) -> u32 {
        let most = match self.games {
            Games::Auto => f64::from(self.least_games()) * STEP,
            Games::Number(_) => return self.games_in(1, players),
        };
        players.whole(most.round().min(f64::from(self.games_max())) as u32)
    }

    /// Total number of games of a candidate in the first `generations` generations. With `"auto"` it is the
    /// largest possible number.
    pub fn games_through(&self, generations: u32, players: Players) -> u64 {
        let mut sum = 0;
        for generation in 0..generations {
            let games = u64::from(self.games_in(generation, players));
            // From here on the number of games is constant.
            if self.growth(players).1 == 1.0 || games >= u64::from(self.games_max()) {
                return sum + games * u64::from(generations - generation);
            }
            sum += games;
        }
        sum
    }
}

/// The number of finished games, and the stop token. The progress display shares it.
#[derive(Default)]
pub struct Progress {
    stop: AtomicBool,
    games: AtomicU64,
    watcher: Option<Box<dyn Fn(u64) + Send + Sync>>,
}

impl Progress {
    /// A progress with a callback. At each call of [`Progress::add_games`], the thread that plays calls it with
    /// the number of games.
    pub fn watched(watcher: impl Fn(u64) + Send + Sync + 'static) -> Self {
        Progress {
            watcher: Some(Box::new(watcher)),
            ..Progress::default()
        }
    }

    /// Requests a stop. Games in progress are left unfinished.
    pub fn request_stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// The stop token, for code that does not count games.
    pub fn stop(&self) -> Stop<'_> {
        Stop::when(&self.stop)
    }

    /// True if a stop has been requested.
    pub fn is_stopped(&self) -> bool {
        self.stop().is_requested()
    }

    /// Adds finished games.
    pub fn add_games(&self, games: u64) {
        self.games.fetch_add(games, Ordering::Relaxed);
        if let Some(watcher) = &self.watcher {
            watcher(games);
        }
    }

    /// Number of finished games.
    pub fn games(&self) -> u64 {
        self.games.load(Ordering::Relaxed)
    }
}

/// A batch of games of one candidate, in the order of the seeds.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// Index of the candidate in the list of candidates.
    pub candidate: usize,
    /// Index of the first game of the batch in the list of seeds.
    pub first_game: usize,
    /// The records of the games.
    pub games: &'a [GameRecord],
}

/// The reason why an evaluation ended early.
#[derive(Debug, thiserror::Error)]
pub enum EvaluationError<E> {
    /// A stop was requested by [`Progress::request_stop`].
    #[error("interrupted")]
    Interrupted,
    /// The player cannot play further games. The message is that of a failed program.
    #[error("{0}")]
    Player(String),
    /// Games that were passed on earlier are wrong: a machine that played them was found to play other games
    /// than this machine.
    #[error("a worker has sent false games, and earlier results of this run rest on games of it")]
    False {
        /// The start of the first evaluation that used its games.
        since: Instant,
    },
    /// The sink of the games failed.
    #[error(transparent)]
    Sink(#[from] E),
}

/// The order in which an evaluator passes on games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The order of the candidates and, for each candidate, of the seeds.
    Seeds,
    /// Any order, so that no game waits for another one: a game with a deep search can take ten times as long
    /// as others.
    AsPlayed,
}

/// The error that the sink of an evaluator does not accept further games.
#[derive(Debug, thiserror::Error)]
#[error("no further games are wanted")]
pub struct SinkClosed;

/// Receives games as soon as they are played, in batches of limited size.
pub type Sink<'a> = dyn FnMut(Batch) -> Result<(), SinkClosed> + 'a;

/// Plays the games of candidates. Callers use [`Evaluate`].
pub trait Evaluator {
    /// Plays every candidate on every seed and passes the games to `sink`. A candidate whose weights the player
    /// cannot use plays no games. A game depends only on candidate and seed. An evaluator may treat
    /// `Order::AsPlayed` like `Order::Seeds`.
    ///
    /// After a request to stop, the sink has received the games before the first unfinished one.
    ///
    /// # Errors
    /// If a stop is requested through `progress`, if `sink` is closed, or if the player fails.
    fn play(
        &self,
        order: Order,
        candidates: &[Weights],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut Sink,
    ) -> Result<(), EvaluationError<SinkClosed>>;

    /// Plays a recorded game again. True if the result is the same. A program that plays differently must not
    /// continue a run.
    ///
    /// # Errors
    /// If a stop is requested through `progress`.
    fn repeats(
        &self,
        recorded: &GameRecord,
        weights: &Weights,
        progress: &Progress,
    ) -> Result<bool, EvaluationError<Infallible>> {
        Ok(self.games(weights, &[recorded.seed], progress)? == std::slice::from_ref(recorded))
    }

    /// The reason why the player cannot use weights; `None` if it can, or if the evaluator does not know.
    fn refusal(&self, _weights: &Weights) -> Option<String> {
        None
    }

    /// A game that was played twice with different results, if the evaluator has found one.
    fn unrepeated(&self) -> Option<Unrepeated> {
        None
    }
}

/// The functions that callers of an [`Evaluator`] use.
pub trait Evaluate: Evaluator {
    /// Plays the games of candidates. `sink` receives them in the order of candidates and seeds.
    ///
    /// # Errors
    /// If a stop is requested through `progress`, if `sink` fails, or if the player cannot use the weights of a
    /// candidate.
    fn evaluate<E>(
        &self,
        candidates: &[Weights],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut dyn FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), EvaluationError<E>> {
        self.evaluate_in(Order::Seeds, candidates, seeds, progress, sink)
    }

    /// The same as [`Evaluate::evaluate`] with a given order. With [`Order::AsPlayed`], after a request to
    /// stop, [`Local`] has passed on every game that has ended.
    ///
    /// # Errors
    /// If a stop is requested through `progress`, if `sink` fails, or if the player cannot use the weights of a
    /// candidate.
    fn evaluate_in<E>(
        &self,
        order: Order,
        candidates: &[Weights],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut dyn FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), EvaluationError<E>> {
        let mut has_played = vec![seeds.is_empty(); candidates.len()];
        self.evaluate_usable(order, candidates, seeds, progress, &mut |batch| {
            has_played[batch.candidate] = true;
            sink(batch)
        })?;
        // Callers expect a game for each seed. Without this check, they would count the games of the next
        // candidate for this one.
        match has_played.iter().position(|has_played| !has_played) {
            None => Ok(()),
            Some(unused) => {
                let weights = &candidates[unused];
                let reason = self.refusal(weights);
                let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
                Err(EvaluationError::Player(format!(
                    "the player cannot use the weights {}{reason}",
                    weights.summary()
                )))
            }
        }
    }

    /// The same as [`Evaluate::evaluate_in`], but a candidate whose weights the player cannot use plays no
    /// games.
    ///
    /// # Errors
    /// If a stop is requested through `progress`, or if `sink` fails.
    fn evaluate_usable<E>(
        &self,
        order: Order,
        candidates: &[Weights],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut dyn FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), EvaluationError<E>> {
        // The error of the sink has any type, so it does not pass through the evaluator.
        let mut failed = None;
        let ended = self.play(order, candidates, seeds, progress, &mut |batch| {
            sink(batch).map_err(|error| {
                failed = Some(error);
                SinkClosed
            })
        });
        match (ended, failed) {
            (_, Some(error)) => Err(EvaluationError::Sink(error)),
            (Ok(()), None) => Ok(()),
            (Err(EvaluationError::Player(failure)), None) => Err(EvaluationError::Player(failure)),
            (Err(EvaluationError::False { since }), None) => Err(EvaluationError::False { since }),
            (Err(EvaluationError::Interrupted | EvaluationError::Sink(SinkClosed)), None) => {
                Err(EvaluationError::Interrupted)
            }
        }
    }

    /// The games of one set of weights, in the order of the seeds.
    ///
    /// # Errors
    /// If a stop is requested through `progress`, or if the player cannot use the weights.
    fn games(
        &self,
        weights: &Weights,
        seeds: &[u64],
        progress: &Progress,
    ) -> Result<Vec<GameRecord>, EvaluationError<Infallible>> {
        let mut games = Vec::with_capacity(seeds.len());
        let weights = std::slice::from_ref(weights);
        self.evaluate(weights, seeds, progress, &mut |batch| {
            games.extend_from_slice(batch.games);
            Ok(())
        })?;
        Ok(games)
    }
}

impl<T: Evaluator + ?Sized> Evaluate for T {}

/// The reason why a factory cannot create an evaluator for a player.
#[derive(Debug, thiserror::Error)]
pub enum FactoryError {
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// The factory creates evaluators for other players only.
    #[error("`{0}` cannot be evaluated here")]
    OtherPlayer(String),
}

/// Creates an evaluator for each player of a run. Implementations: a number of threads; [`Local`], whose
/// evaluators share its threads; and the connection to a cluster.
pub trait EvaluatorFactory {
    /// Creates the evaluator for a player.
    ///
    /// # Errors
    /// If there are too many threads, if the system cannot start them, or if the factory does not support this
    /// player.
    fn evaluator(&self, player: &PlayerSpec) -> Result<Box<dyn Evaluator + '_>, FactoryError>;

    /// The number of threads of this machine, for work that is always done here.
    fn threads(&self) -> usize;

    /// True if the evaluators play only on this machine.
    fn is_here(&self) -> bool {
        true
    }

    /// Total number of threads that play at the same time, on all machines.
    fn all_threads(&self) -> usize {
        self.threads()
    }
}

/// Creates evaluators with this number of threads.
impl EvaluatorFactory for usize {
    fn evaluator(&self, player: &PlayerSpec) -> Result<Box<dyn Evaluator + '_>, FactoryError> {
        Ok(Box::new(Local::new(player.clone(), Some(*self))?))
    }

    fn threads(&self) -> usize {
        *self
    }
}

/// An evaluator for a single player, for example a function instead of games.
pub struct Only<'a> {
    player: &'a PlayerSpec,
    evaluator: &'a dyn Evaluator,
}

impl<'a> Only<'a> {
    /// Uses `evaluator` for `player`.
    pub fn new(player: &'a PlayerSpec, evaluator: &'a dyn Evaluator) -> Self {
        Only { player, evaluator }
    }
}

impl EvaluatorFactory for Only<'_> {
    fn evaluator(&self, player: &PlayerSpec) -> Result<Box<dyn Evaluator + '_>, FactoryError> {
        if player == self.player {
            Ok(Box::new(self.evaluator))
        } else {
            Err(FactoryError::OtherPlayer(player.describe()))
        }
    }

    fn threads(&self) -> usize {
        1
    }
}

impl<T: Evaluator + ?Sized> Evaluator for &T {
    fn play(
        &self,
        order: Order,
        candidates: &[Weights],
        seeds: &[u64],
        progress: &Progress,
        sink: &mut Sink,
    ) -> Result<(), EvaluationError<SinkClosed>> {
        (**self).play(order, candidates, seeds, progress, sink)
    }

    fn repeats(
        &self,
        recorded: &GameRecord,
        weights: &Weights,
        progress: &Progress,
    ) -> Result<bool, EvaluationError<Infallible>> {
        (**self).repeats(recorded, weights, progress)
    }

    fn refusal(&self, weights: &Weights) -> Option<String> {
        (**self).refusal(weights)
    }

    fn unrepeated(&self) -> Option<Unrepeated> {
        (**self).unrepeated()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_grow_up_to_their_maximum() {
        let config = EvaluationConfig {
            games: Games::Number(10),
            games_growth: Some(1.5),
            games_max: Some(40),
            ..EvaluationConfig::default()
        };
        let games: Vec<u32> = (0..6)
            .map(|generation| config.games_in(generation, Players::One))
            .collect();
        assert_eq!(games, [10, 15, 23, 34, 40, 40]);
        assert_eq!(
            config.games_through(6, Players::One),
            10 + 15 + 23 + 34 + 40 + 40
        );
        assert_eq!(config.games_through(3, Players::One), 10 + 15 + 23);
        let between_two: Vec<u32> = (0..4)
            .map(|generation| config.games_in(generation, Players::Two))
            .collect();
        assert_eq!(between_two, [10, 16, 24, 34]);
        assert_eq!(config.games_through(3, Players::Two), 10 + 16 + 24);
        let constant = EvaluationConfig {
            games: Games::Number(100),
            ..EvaluationConfig::default()
        };
        assert_eq!(constant.games_in(u32::MAX, Players::One), 100);
        assert_eq!(
            constant.games_through(u32::MAX, Players::One),
            100 * u64::from(u32::MAX)
        );
    }
}
