//! Events of work that runs on a thread as long as a page listens.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Serialize;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep_until};

use super::lab_state::Overtaken;
use super::refusal::Refusal;
use super::searches::StopWhenDropped;
use crate::stop::Stop;

/// Number of events that wait for a slow page. The work then waits, too.
const WAITING: usize = 16;
/// Interval of a comment that keeps the connection open.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Time after which the work ends, so that a page that is forgotten does not play for ever.
const LONGEST: Duration = Duration::from_secs(600);

/// Takes the events of the work.
pub(super) struct Feed(Sender<Event>);

impl Feed {
    /// Sends an event. Returns whether somebody still listens.
    pub(super) fn send(&self, name: &str, data: &impl Serialize) -> bool {
        let data = serde_json::to_string(data).unwrap_or_default();
        let event = Event::default().event(name).data(data);
        self.0.blocking_send(event).is_ok()
    }
}

/// Runs `work` on another thread, and sends its events. It is stopped when the connection is closed, the server is
/// closed, newer work of the same page begins, or ten minutes have passed. An error is the event `failed`.
///
/// # Errors
/// If too many of them run.
pub(super) fn stream(
    streams: &Arc<Semaphore>,
    closing: watch::Receiver<bool>,
    overtaken: Overtaken,
    work: impl FnOnce(Stop, &Feed) -> Result<(), Refusal> + Send + 'static,
) -> Result<Response, Refusal> {
    let permit = Arc::clone(streams).try_acquire_owned();
    let permit = permit
        .map_err(|_| Refusal::busy("too many games are played for other pages; try again later"))?;
    let (sender, events) = channel(WAITING);
    let is_stopped = Arc::new(AtomicBool::new(false));
    let listener = Listener {
        events,
        closing,
        overtaken,
        deadline: Instant::now() + LONGEST,
        _stop: StopWhenDropped(Arc::clone(&is_stopped)),
    };
    drop(tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let feed = Feed(sender);
        if let Err(refusal) = work(Stop::when(&is_stopped), &feed) {
            feed.send("failed", &refusal.body());
        }
    }));
    let events = stream::unfold(listener, |mut listener| async {
        let event = listener.next().await?;
        Some((Ok::<_, Infallible>(event), listener))
    });
    let kept = KeepAlive::new().interval(HEARTBEAT);
    Ok(Sse::new(events).keep_alive(kept).into_response())
}

struct Listener {
    events: Receiver<Event>,
    closing: watch::Receiver<bool>,
    overtaken: Overtaken,
    deadline: Instant,
    _stop: StopWhenDropped,
}

impl Listener {
    async fn next(&mut self) -> Option<Event> {
        tokio::select! {
            event = self.events.recv() => event,
            _ = self.closing.wait_for(|is_closing| *is_closing) => None,
            () = self.overtaken.wait() => None,
            () = sleep_until(self.deadline) => None,
        }
    }
}
