//! Experiments: players with fixed weights beside each other, beside what was published of them and
//! beside reference distributions. Nothing is tuned, nothing drawn.
//!
//! [`begin`] makes the run directory, [`run`] plays into it from wherever it stands, [`played`] reads
//! the games back and [`summarize`](results::summarize) says what came of them. Every row plays the
//! games of `evaluate --seed`, so any of them can be replayed alone, and differences between rows
//! are paired. A row is complete once its table is there; all else follows from the tables.

mod directory;
pub mod results;
mod yardstick;

use std::convert::Infallible;
use std::time::Instant;

use crate::config::experiment::{Experiment, Row};
use crate::evaluation::local::Local;
use crate::evaluation::{EvaluationError, Evaluator, Progress};
use crate::heuristic::weights::Weights;
use crate::player::position::PositionError;
use crate::record::GameRecord;
use crate::store::logs::Log;
use crate::store::run_directory::RunDirectory;
use crate::store::{StoreError, parquet, rows};
use directory::{TIMING, Timing, seeds};

pub use directory::{begin, finish, is_experiment, open, played};
pub use yardstick::{Judged, check};

/// Fewest games that are played together, where rows differ in their weights only: enough that
/// threads seldom wait for the longest game, few enough that an interrupt loses little.
const GAMES_TOGETHER: u32 = 1000;

/// Why an experiment ended early.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// Someone asked for it. The rows that are complete are kept.
    #[error("interrupted")]
    Interrupted,
    /// A file could not be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system gives no threads.
    #[error("cannot start threads: {0}")]
    Threads(String),
    /// The tables are not those that this program would have made.
    #[error("{0}")]
    Differs(String),
    /// The yardstick has no positions, or no answers to them.
    #[error("yardstick: {0}")]
    Yardstick(String),
}

/// What of an experiment is played.
pub struct Played {
    /// The games of every row in seed order; none of a row that is not complete.
    pub games: Vec<Vec<GameRecord>>,
    /// The positions that its yardstick has judged.
    pub judged: Vec<Judged>,
}

impl From<EvaluationError<StoreError>> for ExperimentError {
    fn from(error: EvaluationError<StoreError>) -> Self {
        match error {
            EvaluationError::Interrupted => ExperimentError::Interrupted,
            EvaluationError::Sink(error) => ExperimentError::Store(error),
        }
    }
}

impl From<EvaluationError<Infallible>> for ExperimentError {
    fn from(error: EvaluationError<Infallible>) -> Self {
        match error {
            EvaluationError::Interrupted => ExperimentError::Interrupted,
            EvaluationError::Sink(never) => match never {},
        }
    }
}

impl From<PositionError> for ExperimentError {
    fn from(error: PositionError) -> Self {
        ExperimentError::Yardstick(error.to_string())
    }
}

/// Plays every row that is not complete, each into a table of its own, then lets the yardstick judge
/// single moves; `announce` hears whose turn it is.
///
/// # Errors
/// If a stop was asked for through `progress`, a table cannot be written, or one that is there is
/// not of this experiment.
pub fn run(
    experiment: &Experiment,
    directory: &RunDirectory,
    threads: Option<usize>,
    progress: &Progress,
    announce: &dyn Fn(&str),
) -> Result<Played, ExperimentError> {
    let positions = yardstick::positions(experiment)?;
    let mut games = played(experiment, directory)?.games;
    let mut timing = Log::open(&directory.path(TIMING))?;
    let numbers: Vec<usize> = (0..experiment.rows.len()).collect();
    let same_player = |one: &usize, next: &usize| {
        let [one, next] = [one, next].map(|&index| &experiment.rows[index]);
        (&one.player, one.games) == (&next.player, next.games)
    };
    for group in numbers.chunk_by(same_player) {
        let (complete, missing): (Vec<usize>, Vec<usize>) =
            group.iter().partition(|&&index| !games[index].is_empty());
        if missing.is_empty() {
            continue;
        }
        let row = &experiment.rows[group[0]];
        let local = Local::new(row.player.clone(), threads)
            .map_err(|error| ExperimentError::Threads(error.to_string()))?;
        if let Some(&index) = complete.first() {
            let row = &experiment.rows[index];
            check_play(row, &games[index][0], &local, progress)?;
        }
        let together = GAMES_TOGETHER.div_ceil(row.games) as usize;
        for indices in missing.chunks(together) {
            let rows: Vec<&Row> = indices.iter().map(|&row| &experiment.rows[row]).collect();
            announce(&match rows[..] {
                [row] => row.name.clone(),
                _ => format!("{} to {}", rows[0].name, rows[rows.len() - 1].name),
            });
            let start = Instant::now();
            let played = play(&rows, &local, &seeds(experiment, rows[0]), progress)?;
            let time = start.elapsed();
            for (&index, played) in indices.iter().zip(&played) {
                let name = &experiment.rows[index].name;
                let table = rows::row_games(name, index as u32, played);
                parquet::write(&directory.row_part(index), table)?;
            }
            timing.append(&Timing::new(&rows, &played, local.threads(), time))?;
            for (&index, played) in indices.iter().zip(played) {
                games[index] = played;
            }
        }
    }
    let judged = yardstick::run(
        experiment, &positions, directory, threads, progress, announce,
    )?;
    Ok(Played { games, judged })
}

/// Plays a game of a complete row again.
fn check_play(
    row: &Row,
    recorded: &GameRecord,
    local: &Local,
    progress: &Progress,
) -> Result<(), ExperimentError> {
    if local.repeats(recorded, &row.weights, progress)? {
        return Ok(());
    }
    Err(ExperimentError::Differs(format!(
        "row `{}`: this program plays the game of seed {} otherwise; going on would make another \
         experiment. Resume with the build that began the run (see manifest.json)",
        row.name, recorded.seed
    )))
}

/// The games of rows that differ in their weights only.
fn play(
    rows: &[&Row],
    local: &Local,
    seeds: &[u64],
    progress: &Progress,
) -> Result<Vec<Vec<GameRecord>>, ExperimentError> {
    let weights: Vec<Weights> = rows.iter().map(|row| row.weights.clone()).collect();
    let mut games = vec![Vec::with_capacity(seeds.len()); rows.len()];
    local.evaluate::<StoreError>(&weights, seeds, progress, &mut |batch| {
        games[batch.candidate].extend_from_slice(batch.games);
        Ok(())
    })?;
    Ok(games)
}
