//! What plays the games of a run, as far as the user sees it: this machine, or the workers of a cluster.

use std::sync::{Arc, Mutex};

use serde_json::json;

use super::live::Live;
use super::{Context, Failure};
use crate::cluster::{Beat, Cluster, Connection, Happening, Recorder, RunState};
use crate::evaluation::local::Local;
use crate::run::machines::Machines as Files;
use crate::run::{RunDirectory, StoreError};

/// What plays the games of a run.
pub(super) trait Machines {
    /// Shows what they say beside the progress line.
    fn show_by(&self, _live: &Live) {}

    /// Keeps what happens in the run directory.
    fn keep_in(&self, _directory: &RunDirectory, _context: Context) -> Result<(), Failure> {
        Ok(())
    }

    /// The games are played: what is said of them.
    fn end(&self) -> Option<String> {
        None
    }
}

impl Machines for Local {}
impl Machines for usize {}

impl Machines for Connection {
    fn show_by(&self, live: &Live) {
        let status: Arc<Mutex<String>> = live.machines();
        Connection::show_by(self, Box::new(live.speaker()), status);
    }

    fn keep_in(&self, directory: &RunDirectory, context: Context) -> Result<(), Failure> {
        let files = Some(Files::open(directory.root())?);
        self.record_by(Some(Box::new(Kept { files, context })));
        Ok(())
    }

    fn end(&self) -> Option<String> {
        self.record_by(None);
        self.summary()
    }
}

impl Machines for Cluster {
    fn show_by(&self, live: &Live) {
        Machines::show_by(self.connection(), live);
    }

    fn keep_in(&self, directory: &RunDirectory, context: Context) -> Result<(), Failure> {
        self.connection().keep_in(directory, context)
    }

    fn end(&self) -> Option<String> {
        self.connection().end()
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
