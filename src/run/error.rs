//! How a run fails.

use std::convert::Infallible;
use std::path::{Path, PathBuf};

use crate::chart::ChartError;
use crate::evaluation::EvaluationError;
use crate::evaluation::local::ThreadsError;
use crate::player::position::PositionError;

/// Why a run did not reach its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A stop was requested. The run can be resumed.
    #[error("interrupted")]
    Interrupted,
    /// The run directory cannot be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The tables are not those that this program and configuration would have made.
    #[error("{0}")]
    Differs(String),
    /// The system starts no threads.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// The oracle of an experiment has no positions, or no answers to them.
    #[error("yardstick: {0}")]
    Oracle(String),
    /// A chart cannot be drawn.
    #[error(transparent)]
    Chart(#[from] ChartError),
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
            EvaluationError::Sink(error) => error.into(),
        }
    }
}

/// A failure to write or read a run directory. The message names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// The contents are not what this program writes there.
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
        /// Why not, and what would do.
        reason: String,
    },
}

impl StoreError {
    /// An error of the operating system at this file or directory.
    pub fn io(path: &Path) -> impl FnOnce(std::io::Error) -> StoreError {
        let path = path.to_owned();
        move |source| StoreError::Io { path, source }
    }

    /// Contents that are not what this program writes there.
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
