//! Experiments: players with fixed weights beside each other, beside what was published of them and
//! beside reference distributions. Nothing is tuned, nothing drawn.
//!
//! [`begin`] makes the run directory, [`run`] plays into it and [`summarize`](results::summarize)
//! says what came of it. Every row plays the games of `evaluate --seed`, so any of them can be
//! replayed alone, and differences between rows are paired.

mod directory;
pub mod results;

use std::time::{Duration, Instant};

use crate::config::experiment::{Experiment, Row};
use crate::evaluation::local::Local;
use crate::evaluation::{EvaluationError, Evaluator, Progress};
use crate::game::rng::Stream;
use crate::heuristic::weights::Weights;
use crate::record::GameRecord;
use crate::store::run_directory::RunDirectory;
use crate::store::{StoreError, parquet, rows};

pub use directory::{begin, finish};

/// Why an experiment ended early.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// Someone asked for it.
    #[error("interrupted")]
    Interrupted,
    /// A file could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system gives no threads.
    #[error("cannot start threads: {0}")]
    Threads(String),
}

impl From<EvaluationError<StoreError>> for ExperimentError {
    fn from(error: EvaluationError<StoreError>) -> Self {
        match error {
            EvaluationError::Interrupted => ExperimentError::Interrupted,
            EvaluationError::Sink(error) => ExperimentError::Store(error),
        }
    }
}

/// What was played: the games of every row in seed order, and how long that took.
pub struct Played {
    /// The games of each row.
    pub games: Vec<Vec<GameRecord>>,
    /// How long the groups took.
    pub timing: Vec<Timing>,
}

/// How long some rows took that were played together.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Index of the first of the rows.
    pub first_row: usize,
    /// Their number.
    pub rows: usize,
    /// Threads that played.
    pub threads: usize,
    /// Time on the clock.
    pub time: Duration,
}

/// Plays every row, each into a table of its own; `announce` hears whose turn it is.
///
/// # Errors
/// If a stop was asked for through `progress`, or a table cannot be written.
pub fn run(
    experiment: &Experiment,
    directory: &RunDirectory,
    threads: Option<usize>,
    progress: &Progress,
    announce: &dyn Fn(&str),
) -> Result<Played, ExperimentError> {
    let mut played = Played {
        games: Vec::new(),
        timing: Vec::new(),
    };
    for group in experiment.rows.chunk_by(played_together) {
        let first_row = played.games.len();
        announce(&match group {
            [row] => row.name.clone(),
            _ => format!("{} to {}", group[0].name, group[group.len() - 1].name),
        });
        let local = Local::new(group[0].entry, group[0].player.clone(), threads)
            .map_err(|error| ExperimentError::Threads(error.to_string()))?;
        let seeds = group[0].entry.players().game_seeds(
            experiment.config.seed,
            Stream::Evaluate,
            0,
            u64::from(group[0].games),
        );
        let start = Instant::now();
        let games = play(group, &local, &seeds, progress)?;
        played.timing.push(Timing {
            first_row,
            rows: group.len(),
            threads: local.threads(),
            time: start.elapsed(),
        });
        for (row, games) in group.iter().zip(games) {
            let number = played.games.len();
            let table = rows::row_games(&row.name, number as u32, &games);
            parquet::write(&directory.row_part(number), table)?;
            played.games.push(games);
        }
    }
    Ok(played)
}

/// Rows that differ in their weights only share a pool of threads, so that no thread waits for the
/// longest game of each.
fn played_together(one: &Row, other: &Row) -> bool {
    (&one.player, one.games) == (&other.player, other.games)
}

fn play(
    group: &[Row],
    local: &Local,
    seeds: &[u64],
    progress: &Progress,
) -> Result<Vec<Vec<GameRecord>>, ExperimentError> {
    let weights: Vec<Weights> = group.iter().map(|row| row.weights.clone()).collect();
    let mut games = vec![Vec::with_capacity(seeds.len()); group.len()];
    local.evaluate::<StoreError>(&weights, seeds, progress, &mut |batch| {
        games[batch.candidate].extend_from_slice(batch.games);
        Ok(())
    })?;
    Ok(games)
}
