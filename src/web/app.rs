//! The shared state of the routes.

use std::net::SocketAddr;
use std::path::PathBuf;

use tokio::sync::watch;

use super::access::Access;
use super::cache::Cache;
use super::followed::Watch;
use super::lab_state::LabState;
use super::player_cache::{BuiltPlayer, Heuristics};
use super::preparations::Preparations;
use super::processes::Processes;
use super::refusal::Refusal;
use super::searches::Searches;
use super::settings::{Limits, Settings};
use crate::Catalogue;

pub(super) struct App {
    /// The folder of runs and weights files. No path of a request may leave it.
    pub(super) results: PathBuf,
    pub(super) catalogue: Catalogue,
    pub(super) limits: Limits,
    pub(super) access: Access,
    /// Becomes true when the server shuts down, which ends the streams.
    pub(super) closing: watch::Receiver<bool>,
    pub(super) searches: Searches,
    pub(super) players: Cache<BuiltPlayer>,
    pub(super) heuristics: Heuristics,
    pub(super) preparations: Preparations,
    pub(super) watch: Watch,
    pub(super) lab: LabState,
    /// Processes that the pages have started; `None` if they may not start any.
    pub(super) processes: Option<Processes>,
}

impl App {
    pub(super) fn new(
        settings: Settings,
        address: SocketAddr,
        closing: watch::Receiver<bool>,
    ) -> Self {
        let limits = settings.limits;
        App {
            results: settings.results,
            catalogue: settings.catalogue.clone(),
            limits,
            access: Access {
                address,
                origins: settings.origins,
                bridge: settings.bridge,
                token: settings.token,
            },
            searches: Searches::new(limits),
            closing,
            players: Cache::new(limits.players),
            heuristics: Heuristics::default(),
            preparations: Preparations::new(),
            processes: settings.start.map(Processes::new),
            watch: Watch::new(settings.kinds, settings.catalogue),
            lab: LabState::new(limits),
        }
    }
}

/// Runs blocking work on another thread.
pub(super) async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(Refusal::fault()))
}
