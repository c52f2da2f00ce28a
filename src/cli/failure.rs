//! Failures of commands: messages and exit codes.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use super::interrupt::{INTERRUPTED, NOTHING_TO_RESUME};
use super::message;
use crate::config::ConfigError;
use crate::run::{RunError, StoreError};

/// The reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Invalid usage that the parser of the command line does not detect.
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Failed(String),
    /// The user interrupted the program; the message says how to continue.
    #[error("{0}")]
    Interrupted(String),
    /// A verdict with a separate exit code. The result is already printed.
    #[error("exit code {0}")]
    Verdict(u8),
    /// stdout cannot be written.
    #[error("stdout: {0}")]
    Output(#[from] std::io::Error),
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Interrupted => Failure::Interrupted(NOTHING_TO_RESUME.into()),
            RunError::Store(error) => Failure::Store(error),
            RunError::Config(error) => Failure::Config(error),
            error => Failure::Failed(error.to_string()),
        }
    }
}

impl Failure {
    pub(super) fn usage(message: impl ToString) -> Self {
        Failure::Usage(message.to_string())
    }

    /// stdin cannot be read.
    pub(super) fn stdin(error: std::io::Error) -> Self {
        Failure::Failed(format!("cannot read stdin: {error}"))
    }

    /// Prints the message and returns the exit code.
    pub(super) fn report(self) -> ExitCode {
        let code = match &self {
            Failure::Output(error) if error.kind() == ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            Failure::Interrupted(_) => INTERRUPTED,
            Failure::Verdict(code) => *code,
            Failure::Config(ConfigError::Damaged { .. }) => 1,
            Failure::Config(_) | Failure::Usage(_) => 2,
            Failure::Store(StoreError::Unusable { .. }) => 2,
            _ => 1,
        };
        match self {
            Failure::Config(error @ ConfigError::Damaged { .. }) => {
                message(format!("error: {error}"));
            }
            // The message has colours. The text that it quotes was sanitized when it was read.
            Failure::Config(error) => {
                let report = format!("{:?}", miette::Report::new(error));
                let _ = writeln!(std::io::stderr(), "{report}");
            }
            Failure::Interrupted(text) => message(text),
            Failure::Verdict(_) => {}
            error => message(format!("error: {error}")),
        }
        ExitCode::from(code)
    }
}
