//! What is new of a run, as server-sent events:
//!
//! - `log`: a line of `events.jsonl` in words
//! - `pace`: number of generations, games and time left, and what the noise means
//! - `cluster`: the workers of a run that plays on a cluster; null when they are not heard any more
//! - `changed`: the page of the run has changed otherwise
//! - `state`: the state of the run
//! - `damaged`: a file is damaged, with the reason; the last event
//! - `end`: the run is complete; the last event
//!
//! The id of an event is the number of log lines that have been sent. A browser that has lost the connection names the
//! last one that it has, and gets what follows. The figures of a search that grows are fetched (`figures`).

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

/// Polling interval of a run that is being written, so that news are shown within a
/// tenth of a second; and of another run.
const INTERVAL: Duration = Duration::from_millis(40);
const CALM: Duration = Duration::from_millis(500);
/// Heartbeat interval of an idle connection.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The events of a run behind a number of log lines, until the run is complete or the server is closed.
pub(super) fn stream(
    app: Arc<App>,
    watched: Arc<FollowedRun>,
    from: usize,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let feed = Feed {
        app,
        watched,
        lines: from,
        shown: SentState::default(),
        ready: VecDeque::new(),
        is_first: true,
        has_more: true,
        has_ended: false,
    };
    let events = stream::unfold(feed, |mut feed| async {
        let event = feed.next().await?;
        Some((Ok(event), feed))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT))
}

/// The last values that were sent of what has no sequence number.
#[derive(Clone, Debug, Default, PartialEq)]
struct SentState {
    version: Option<(u64, bool)>,
    state: Option<LiveStatus>,
    pace: Value,
    cluster: Option<Value>,
}

struct Feed {
    app: Arc<App>,
    watched: Arc<FollowedRun>,
    lines: usize,
    shown: SentState,
    ready: VecDeque<Event>,
    /// Whether nothing has been read yet.
    is_first: bool,
    /// Whether to read on without a pause.
    has_more: bool,
    has_ended: bool,
}

impl Feed {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.has_ended || *self.app.closing.borrow() {
                return None;
            }
            if !self.has_more {
                let mut closing = self.app.closing.clone();
                tokio::select! {
                    _ = closing.wait_for(|is_closing| *is_closing) => return None,
                    () = tokio::time::sleep(self.interval()) => {}
                }
            }
            self.refresh().await;
        }
    }

    fn interval(&self) -> Duration {
        match self.shown.state {
            Some(LiveStatus::Running) => INTERVAL,
            _ => CALM,
        }
    }

    /// Reads the files beside the thread that serves.
    async fn refresh(&mut self) {
        let (watched, lines, shown) = (self.watched.clone(), self.lines, self.shown.clone());
        let app = self.app.clone();
        // First only count the tables of a long search.
        let is_first = std::mem::take(&mut self.is_first);
        let most = if is_first { 0 } else { BATCH };
        let updates = beside(move || {
            let damage = watched.refresh_if_old(most).err();
            // What was read before the damage is valid.
            let look = watched.lock();
            let mut updates = Updates::of(&look, lines, shown, damage.is_some());
            updates.add_cluster(machines::standing(&watched.root));
            drop(look);
            if let Some(error) = damage {
                app.watch.registry.forget(&watched.root);
                updates.end_damaged(&message(&app, &error));
            }
            Ok(updates)
        });
        match updates.await {
            Ok(updates) => {
                self.lines = updates.lines;
                self.shown = updates.shown;
                self.has_more = updates.has_more;
                self.has_ended = updates.has_ended;
                self.ready.extend(updates.events);
            }
            Err(_) => self.has_ended = true,
        }
    }
}

/// The events of a refresh.
struct Updates {
    events: Vec<Event>,
    lines: usize,
    shown: SentState,
    has_more: bool,
    has_ended: bool,
}

impl Updates {
    fn of(look: &RunState, lines: usize, shown: SentState, is_damaged: bool) -> Self {
        let mut updates = Updates {
            events: Vec::new(),
            lines,
            shown,
            has_more: look.has_more,
            has_ended: false,
        };
        updates.add_lines(look);
        let pace = json!({
            "generations": look.follower.complete_generations(),
            "facts": look.facts(),
            "noise": look.noise(),
        });
        if updates.shown.pace != pace {
            updates.add("pace", &pace);
            updates.shown.pace = pace;
        }
        let version = Some((look.version, look.has_more));
        if updates.shown.version != version {
            // The page has just been fetched.
            if updates.shown.version.is_some() {
                updates.add("changed", &json!({}));
            }
            updates.shown.version = version;
        }
        if updates.shown.state != Some(look.state) {
            updates.add("state", &json!({ "state": look.state }));
            updates.shown.state = Some(look.state);
        }
        updates.has_ended = look.state == LiveStatus::Complete && !updates.has_more && !is_damaged;
        if updates.has_ended {
            updates.add("end", &json!({ "state": look.state }));
        }
        updates
    }

    fn add_cluster(&mut self, standing: Option<Value>) {
        if !self.has_ended && self.shown.cluster != standing {
            self.add("cluster", &json!(standing));
            self.shown.cluster = standing;
        }
    }

    /// Ends with the reason why no more can be read.
    fn end_damaged(&mut self, message: &str) {
        self.add("damaged", &json!({ "message": message }));
        self.has_more = false;
        self.has_ended = true;
    }

    fn add(&mut self, name: &str, data: &Value) {
        let event = Event::default().event(name).id(self.lines.to_string());
        self.events.push(event.data(data.to_string()));
    }

    fn add_lines(&mut self, look: &RunState) {
        for words in look.log(self.lines) {
            self.lines += 1;
            self.add("log", &json!({ "words": words }));
        }
    }
}
