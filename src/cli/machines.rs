//! What plays the games of a run, as far as the user sees it: this machine, or the workers of a cluster.

use serde_json::json;

use super::live::Live;
use super::{Context, Failure};
use crate::cluster::{Beat, Connection, Happening, Recorder, RunState};
use crate::evaluation::EvaluatorFactory;
use crate::run::machines::Machines as Files;
use crate::run::{RunDirectory, StoreError};

/// What plays the games of a run.
pub(super) enum Machines {
    /// This number of threads of this machine.
    Here(usize),
    /// The workers of a cluster.
    Cluster(Connection),
}

impl Machines {
    /// The evaluators.
    pub(super) fn factory(&self) -> &dyn EvaluatorFactory {
        match self {
            Machines::Here(threads) => threads,
            Machines::Cluster(connection) => connection,
        }
    }

    /// Shows what workers say beside the progress line, and keeps what happens in the directory of a run.
    pub(super) fn begin(
        &self,
        live: &Live,
        directory: Option<&RunDirectory>,
        context: Context,
    ) -> Result<(), Failure> {
        if let Machines::Cluster(connection) = self {
            connection.show_by(Box::new(live.speaker()), live.machines());
            if let Some(directory) = directory {
                let files = Some(Files::open(directory.root())?);
                connection.record_by(Some(Box::new(Kept { files, context })));
            }
        }
        Ok(())
    }

    /// The games are played: what is said of them.
    pub(super) fn end(&self) -> Option<String> {
        match self {
            Machines::Here(_) => None,
            Machines::Cluster(connection) => {
                connection.record_by(None);
                connection.summary()
            }
        }
    }
}

/// Keeps what happens; says once that it cannot.
struct Kept {
    files: Option<Files>,
    context: Context,
}

impl Kept {
    fn keep(&mut self, write: impl FnOnce(&mut Files) -> Result<(), StoreError>) {
        if let Some(files) = &mut self.files
            && let Err(error) = write(files)
        {
            self.context
                .message(format!("what workers do is not recorded any more: {error}"));
            self.files = None;
        }
    }
}

impl Recorder for Kept {
    fn happens(&mut self, happening: &Happening) {
        self.keep(|files| files.happens(happening));
    }

    fn stands(&mut self, state: &RunState, workers: &[&Beat]) {
        let worker = |beat: &&Beat| {
            json!({
                "worker": beat.worker,
                "threads": beat.threads,
                "games_per_second": beat.games_per_second,
                "games": beat.games,
                "tasks": beat.holds.len(),
            })
        };
        let state = json!({
            "workers": workers.iter().map(worker).collect::<Vec<_>>(),
            "queued": state.queued,
            "playing": state.playing,
            "retries": state.retries,
            "barred": state.barred,
        });
        self.keep(|files| files.stand(&state));
    }
}
