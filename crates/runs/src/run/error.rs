//! The errors of runs.

use std::convert::Infallible;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::config::ConfigError;
use tiletune_engine::player::position::PositionError;
use tiletune_report::chart::ChartError;
use tiletune_tuning::evaluation::local::ThreadsError;
use tiletune_tuning::evaluation::{EvaluationError, FactoryError};

/// Why a run did not reach its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A stop was requested. The run can be resumed.
    #[error("interrupted")]
    Interrupted,
    /// The run directory cannot be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The tables are not those that this program and configuration would have written.
    #[error("{0}")]
    Differs(String),
    /// The system cannot start threads.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// The evaluator factory has no evaluator for a player.
    #[error(transparent)]
    Machines(#[from] FactoryError),
    /// A program has failed, so the player plays no more games. The run can be resumed.
    #[error("{0}")]
    Player(String),
    /// All candidates of the first generations have the same fitness. The run can be resumed, see
    /// [`Control::goes_on_without_signal`](super::Control::goes_on_without_signal).
    #[error("{0}")]
    WithoutSignal(String),
    /// Results of this run, or of another run of this process, depend on wrong games of another machine.
    #[error(
        "results rest on false games of a worker, and this run cannot go back to before them: begin a new one"
    )]
    False {
        /// The beginning of the first evaluation that used such games.
        since: Instant,
    },
    /// The oracle of an experiment has no positions, or cannot judge them.
    #[error("yardstick: {0}")]
    Oracle(String),
    /// A file that the user wrote, or the claim of a weights file, is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A chart cannot be drawn.
    #[error(transparent)]
    Chart(#[from] ChartError),
}

impl RunError {
    /// The error that this program would not write the same files. `what` continues the sentence "this program",
    /// `place` is the file.
    pub fn differs(place: impl Display, what: &str) -> Self {
        RunError::Differs(format!(
            "{place}: this program {what}. Resume the run with the build and on the kind of processor that began it \
             (see manifest.json)"
        ))
    }
}

impl From<PositionError> for RunError {
    fn from(error: PositionError) -> Self {
        RunError::Oracle(error.to_string())
    }
}

impl From<Infallible> for RunError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

impl<E> From<EvaluationError<E>> for RunError
where
    RunError: From<E>,
{
    fn from(error: EvaluationError<E>) -> Self {
        match error {
            EvaluationError::Interrupted => RunError::Interrupted,
            EvaluationError::Player(failure) => RunError::Player(failure),
            EvaluationError::False { since } => RunError::False { since },
            EvaluationError::Sink(error) => error.into(),
        }
    }
}

/// A failure to write or read a run directory. The message names the file.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// An error of the operating system.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        source: std::io::Error,
    },
    /// The contents are not those that this program writes.
    #[error("{}: {reason}", path.display())]
    Damaged {
        /// The file or directory.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The directory cannot be used as asked.
    #[error("{}: {reason}", path.display())]
    Unusable {
        /// The directory.
        path: PathBuf,
        /// Why not, and what is allowed.
        reason: String,
    },
}

impl StoreError {
    /// An error of the operating system at this file or directory.
    pub fn io(path: &Path) -> impl FnOnce(std::io::Error) -> StoreError {
        let path = path.to_owned();
        move |source| StoreError::Io { path, source }
    }

    /// The value of an operation on this file or directory; `None` if it does not exist.
    pub(super) fn found<T>(path: &Path, result: std::io::Result<T>) -> Result<Option<T>, Self> {
        match result {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            result => result.map(Some).map_err(StoreError::io(path)),
        }
    }

    /// Contents that are not those that this program writes.
    pub fn damaged(path: &Path, reason: impl ToString) -> StoreError {
        StoreError::Damaged {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }

    /// A directory that cannot be used as asked.
    pub fn unusable(path: &Path, reason: impl ToString) -> StoreError {
        StoreError::Unusable {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}
