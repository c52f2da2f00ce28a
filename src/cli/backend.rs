//! The machines that play the games of a run: this machine, or the workers of a cluster.

use serde_json::json;

use super::live::Live;
use super::{Context, Failure};
use crate::cluster::{ClusterEvent, Connection, Heartbeat, Recorder, RunState};
use crate::evaluation::EvaluatorFactory;
use crate::prepare::Reported;
use crate::run::machines::Machines as MachineFiles;
use crate::run::{RunDirectory, RunPlan, StoreError};
use crate::stop::Stop;

pub(super) enum Backend {
    /// This number of threads of this machine.
    Here(usize),
    /// The workers of a cluster.
    Cluster(Connection),
}

impl Backend {
    pub(super) fn factory(&self) -> &dyn EvaluatorFactory {
        match self {
            Backend::Here(threads) => threads,
            Backend::Cluster(connection) => connection,
        }
    }

    /// Computes what the players of a run need on this machine, with messages. Workers compute and announce what they
    /// need themselves. Returns `None` if a stop is requested.
    pub(super) fn prepare(&self, plan: &dyn RunPlan, live: &Live, stop: Stop) -> Option<()> {
        let reported = Reported {
            threads: match self {
                Backend::Here(threads) => *threads,
                Backend::Cluster(_) => std::thread::available_parallelism().map_or(1, Into::into),
            },
            stop,
            say: &live.speaker(),
        };
        if let Backend::Here(_) = self {
            reported.prepare_players(&plan.players())?;
        }
        reported.prepare_exact(&plan.exact_players())
    }

    /// Shows the status of the cluster in the progress line, and records events in the directory of a run.
    pub(super) fn begin(
        &self,
        live: &Live,
        directory: Option<&RunDirectory>,
        context: Context,
    ) -> Result<(), Failure> {
        if let Backend::Cluster(connection) = self {
            connection.show_by(Box::new(live.speaker()), live.machines());
            if let Some(directory) = directory {
                let files = Some(MachineFiles::open(directory.root())?);
                connection.record_by(Some(Box::new(RunRecorder { files, context })));
            }
        }
        Ok(())
    }

    /// Stops recording. Returns a summary.
    pub(super) fn end(&self) -> Option<String> {
        match self {
            Backend::Here(_) => None,
            Backend::Cluster(connection) => {
                connection.record_by(None);
                connection.summary()
            }
        }
    }
}

/// Records events of a cluster in a run directory, until recording fails.
struct RunRecorder {
    files: Option<MachineFiles>,
    context: Context,
}

impl RunRecorder {
    fn keep(&mut self, write: impl FnOnce(&mut MachineFiles) -> Result<(), StoreError>) {
        if let Some(files) = &mut self.files
            && let Err(error) = write(files)
        {
            self.context
                .message(format!("what workers do is not recorded any more: {error}"));
            self.files = None;
        }
    }
}

impl Recorder for RunRecorder {
    fn happens(&mut self, event: &ClusterEvent) {
        self.keep(|files| files.happens(event));
    }

    fn stands(&mut self, state: &RunState, workers: &[&Heartbeat]) {
        let worker = |beat: &&Heartbeat| {
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
