//! News of a run, as server-sent events:
//!
//! - `log`: a line of `events.jsonl` in words
//! - `pace`: number of generations, games and remaining time, and the meaning of the noise
//! - `cluster`: the workers of a run that plays on a cluster; null when their status is outdated
//! - `changed`: the page of the run has changed otherwise
//! - `state`: the state of the run
//! - `damaged`: a file is damaged, with the reason; the last event
//! - `end`: the run is complete; the last event
//!
//! The id of an event is the number of log lines that have been sent. A browser that has lost the connection sends the
//! last id that it has, and gets the following events. The figures of a running search are fetched (`figures`).

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use serde_json::{Value, json};

use super::{BATCH, message};
use crate::overview::LiveStatus;
use crate::run::machines;
use crate::web::app::{App, beside};
use crate::web::followed::run::{FollowedRun, RunState};

/// Polling interval of a running run, so that news is shown within a tenth of a second.
const INTERVAL: Duration = Duration::from_millis(40);
const CALM: Duration = Duration::from_millis(500);
/// Heartbeat interval of an idle connection.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The events of a run after a number of log lines, until the run is complete or the server is closed.
pub(super) fn stream(
    app: Arc<App>,
    run: Arc<FollowedRun>,
    from: usize,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let feed = Feed {
        app,
        run,
        is_first: true,
        sent: Sent {
            lines: from,
            has_more: true,
            ..Sent::default()
        },
    };
    let events = stream::unfold(feed, |mut feed| async {
        let event = feed.next().await?;
        Some((Ok(event), feed))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT))
}

struct Feed {
    app: Arc<App>,
    run: Arc<FollowedRun>,
    /// Whether nothing has been read yet.
    is_first: bool,
    sent: Sent,
}

/// The part of the run that the browser has received.
#[derive(Default)]
struct Sent {
    /// Events that are ready to be sent.
    ready: VecDeque<Event>,
    /// Number of log lines.
    lines: usize,
    version: Option<(u64, bool)>,
    state: Option<LiveStatus>,
    pace: Value,
    cluster: Option<Value>,
    /// Whether to continue reading without a pause.
    has_more: bool,
    has_ended: bool,
}

impl Feed {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.sent.ready.pop_front() {
                return Some(event);
            }
            if self.sent.has_ended || *self.app.closing.borrow() {
                return None;
            }
            if !self.sent.has_more {
                let interval = match self.sent.state {
                    Some(LiveStatus::Running) => INTERVAL,
                    _ => CALM,
                };
                let mut closing = self.app.closing.clone();
                tokio::select! {
                    _ = closing.wait_for(|is_closing| *is_closing) => return None,
                    () = tokio::time::sleep(interval) => {}
                }
            }
            self.refresh().await;
        }
    }

    /// Reads the files on another thread.
    async fn refresh(&mut self) {
        let (app, run) = (self.app.clone(), self.run.clone());
        let mut sent = std::mem::take(&mut self.sent);
        // First only count the tables of a long search.
        let is_first = std::mem::take(&mut self.is_first);
        let most = if is_first { 0 } else { BATCH };
        let refreshed = beside(move || {
            let damage = run.refresh_if_old(most).err();
            // The data that was read before the damage is valid.
            let state = run.lock();
            sent.update(&state, damage.is_some());
            sent.update_cluster(machines::standing(&run.root));
            drop(state);
            if let Some(error) = damage {
                app.watch.registry.forget(&run.root);
                sent.end_damaged(&message(&app, &error));
            }
            Ok(sent)
        });
        let ended = |_| Sent {
            has_ended: true,
            ..Sent::default()
        };
        self.sent = refreshed.await.unwrap_or_else(ended);
    }
}

impl Sent {
    fn update(&mut self, run: &RunState, is_damaged: bool) {
        self.has_more = run.has_more;
        for words in run.log(self.lines) {
            self.lines += 1;
            self.add("log", &json!({ "words": words }));
        }
        let pace = json!({
            "generations": run.follower.complete_generations(),
            "facts": run.facts(),
            "noise": run.noise(),
            "learning": run.learning(),
        });
        if self.pace != pace {
            self.add("pace", &pace);
            self.pace = pace;
        }
        let version = Some((run.version, run.has_more));
        if self.version != version {
            // At first the page has just been fetched.
            if self.version.is_some() {
                self.add("changed", &json!({}));
            }
            self.version = version;
        }
        if self.state != Some(run.state) {
            self.add("state", &json!({ "state": run.state }));
            self.state = Some(run.state);
        }
        self.has_ended = run.state == LiveStatus::Complete && !self.has_more && !is_damaged;
        if self.has_ended {
            self.add("end", &json!({ "state": run.state }));
        }
    }

    fn update_cluster(&mut self, standing: Option<Value>) {
        if !self.has_ended && self.cluster != standing {
            self.add("cluster", &json!(standing));
            self.cluster = standing;
        }
    }

    /// Ends with the reason why nothing more can be read.
    fn end_damaged(&mut self, message: &str) {
        self.add("damaged", &json!({ "message": message }));
        self.has_more = false;
        self.has_ended = true;
    }

    fn add(&mut self, name: &str, data: &Value) {
        let event = Event::default().event(name).id(self.lines.to_string());
        self.ready.push_back(event.data(data.to_string()));
    }
}
