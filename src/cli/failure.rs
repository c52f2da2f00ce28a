//! How a command fails: what is said, and the exit code.

use std::process::ExitCode;

use super::tell;
use crate::campaign::CampaignError;
use crate::chart::ChartError;
use crate::config::ConfigError;
use crate::store::StoreError;

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
    #[error(transparent)]
    Chart(#[from] ChartError),
    #[error("{0}")]
    Failed(String),
    /// The text says what can be done now.
    #[error("{0}")]
    Interrupted(String),
    /// Whoever read stdout has gone.
    #[error("stdout: {0}")]
    Output(#[from] std::io::Error),
}

impl From<CampaignError> for Failure {
    fn from(error: CampaignError) -> Self {
        match error {
            CampaignError::Interrupted => Failure::Interrupted("interrupted".into()),
            CampaignError::Store(error) => Failure::Store(error),
            CampaignError::Differs(message) => Failure::Failed(message),
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
