//! Searches for requests: a few at a time, each with a time limit, and none for a closed request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::refusal::Refusal;
use super::settings::Limits;
use crate::stop::Stop;

/// The searches in progress.
pub(super) struct Searches {
    limits: Limits,
    /// A permit for every request, including those that wait.
    requests: Semaphore,
    running: Arc<Semaphore>,
}

/// Requests a stop when it is dropped. The server drops the future of a request when its connection is closed.
pub(super) struct StopWhenDropped(pub(super) Arc<AtomicBool>);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Searches {
    pub(super) fn new(limits: Limits) -> Self {
        Searches {
            limits,
            requests: Semaphore::new(limits.requests),
            running: Arc::new(Semaphore::new(limits.searches)),
        }
    }

    /// Runs a search on a separate thread, until the server is closed. `search` returns `None` after a stop request.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        mut closing: watch::Receiver<bool>,
        search: impl FnOnce(Stop) -> Result<Option<T>, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let place = self.requests.try_acquire();
        let _place = place.map_err(|_| Refusal::busy("too many searches wait; ask again later"))?;
        let is_stopped = Arc::new(AtomicBool::new(false));
        let _stop = StopWhenDropped(is_stopped.clone());
        let found = async move {
            let permit = self.turn().await?;
            let search = spawn_blocking(move || {
                // A stopped search uses its thread until it notices the stop, so it keeps the permit until then.
                let _permit = permit;
                search(Stop::when(&is_stopped))
            });
            let limit = self.limits.search;
            tokio::select! {
                found = search => found.unwrap_or_else(|_| Err(Refusal::fault())),
                () = sleep(limit) => Err(Refusal::wrong(format!(
                    "the search took longer than {} s, the limit here",
                    limit.as_secs_f64()
                ))),
            }
        };
        let found = tokio::select! {
            found = found => found?,
            _ = closing.wait_for(|is_closing| *is_closing) => None,
        };
        found.ok_or_else(|| Refusal::busy("the server is being closed"))
    }

    /// Waits until another search ends.
    async fn turn(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        let limit = self.limits.waiting;
        let turn = timeout(limit, self.running.clone().acquire_owned()).await;
        let late = |_| {
            Refusal::busy(format!(
                "the search has waited {} s for its turn, the limit here; ask again later",
                limit.as_secs_f64()
            ))
        };
        turn.map_err(late)?.map_err(|_| Refusal::fault())
    }
}
