//! How a command fails: what is said, and the exit code.

use std::process::ExitCode;

use super::tell;
use crate::config::ConfigError;
use crate::run::{RunError, StoreError};

/// Why a command did not come to its end.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Bad usage that the parser of the command line cannot see.
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Failed(String),
    /// The text says what can be done now.
    #[error("{0}")]
    Interrupted(String),
    /// Whoever read stdout has gone.
    #[error("stdout: {0}")]
    Output(#[from] std::io::Error),
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Interrupted => Failure::Interrupted("interrupted".into()),
            RunError::Store(error) => Failure::Store(error),
            error => Failure::Failed(error.to_string()),
        }
    }
}

impl Failure {
    /// Tells the user, and gives the exit code.
    pub(super) fn report(self) -> ExitCode {
        match self {
            Failure::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            Failure::Interrupted(message) => {
                tell(message);
                return ExitCode::from(130);
            }
            Failure::Config(error) => {
                tell(format!("{:?}", miette::Report::new(error)));
                return ExitCode::from(2);
            }
            _ => tell(format!("error: {self}")),
        }
        match self {
            Failure::Usage(_) | Failure::Store(StoreError::Unusable { .. }) => ExitCode::from(2),
            _ => ExitCode::FAILURE,
        }
    }
}
