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
use crate::overview::RunState;
use crate::run::machines;
use crate::web::app::{App, beside};
use crate::web::followed::watched::{Look, Watched};

/// The files of a run that is being written are looked at after this time, so that what is new is shown within a
/// tenth of a second; those of another run after the longer one.
const INTERVAL: Duration = Duration::from_millis(40);
const CALM: Duration = Duration::from_millis(500);
/// A connection on which nothing happens gets a comment after this time.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The events of a run behind a number of log lines, until the run is complete or the server is closed.
pub(super) fn stream(
    app: Arc<App>,
    watched: Arc<Watched>,
    from: usize,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let feed = Feed {
        app,
        watched,
        lines: from,
        shown: Shown::default(),
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

/// What was sent last of that which has no number.
#[derive(Clone, Debug, Default, PartialEq)]
struct Shown {
    version: Option<(u64, bool)>,
    state: Option<RunState>,
    pace: Value,
    cluster: Option<Value>,
}

struct Feed {
    app: Arc<App>,
    watched: Arc<Watched>,
    lines: usize,
    shown: Shown,
    ready: VecDeque<Event>,
    /// Whether nothing has been looked at yet.
    is_first: bool,
    /// Whether to look at the files at once.
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
            self.look().await;
        }
    }

    fn interval(&self) -> Duration {
        match self.shown.state {
            Some(RunState::Running) => INTERVAL,
            _ => CALM,
        }
    }

    /// Looks at the files beside the thread that serves.
    async fn look(&mut self) {
        let (watched, lines, shown) = (self.watched.clone(), self.lines, self.shown.clone());
        let app = self.app.clone();
        // At first the tables of a long search are only counted.
        let is_first = std::mem::take(&mut self.is_first);
        let most = if is_first { 0 } else { BATCH };
        let news = beside(move || {
            let damage = watched.look_again(most).err();
            // What was read before the damage is right.
            let look = watched.lock();
            let mut news = News::of(&look, lines, shown, damage.is_some());
            news.add_cluster(machines::standing(&watched.root));
            drop(look);
            if let Some(error) = damage {
                app.watch.registry.forget(&watched.root);
                news.end_damaged(&message(&app, &error));
            }
            Ok(news)
        });
        match news.await {
            Ok(news) => {
                self.lines = news.lines;
                self.shown = news.shown;
                self.has_more = news.has_more;
                self.has_ended = news.has_ended;
                self.ready.extend(news.events);
            }
            Err(_) => self.has_ended = true,
        }
    }
}

/// What is new at a look.
struct News {
    events: Vec<Event>,
    lines: usize,
    shown: Shown,
    has_more: bool,
    has_ended: bool,
}

impl News {
    fn of(look: &Look, lines: usize, shown: Shown, is_damaged: bool) -> Self {
        let mut news = News {
            events: Vec::new(),
            lines,
            shown,
            has_more: look.has_more,
            has_ended: false,
        };
        news.add_lines(look);
        let pace = json!({
            "generations": look.follower.complete_generations(),
            "facts": look.facts(),
            "noise": look.noise(),
        });
        if news.shown.pace != pace {
            news.add("pace", &pace);
            news.shown.pace = pace;
        }
        let version = Some((look.version, look.has_more));
        if news.shown.version != version {
            // The page is fetched at the beginning anyway.
            if news.shown.version.is_some() {
                news.add("changed", &json!({}));
            }
            news.shown.version = version;
        }
        if news.shown.state != Some(look.state) {
            news.add("state", &json!({ "state": look.state }));
            news.shown.state = Some(look.state);
        }
        news.has_ended = look.state == RunState::Complete && !news.has_more && !is_damaged;
        if news.has_ended {
            news.add("end", &json!({ "state": look.state }));
        }
        news
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

    fn add_lines(&mut self, look: &Look) {
        for words in look.log(self.lines) {
            self.lines += 1;
            self.add("log", &json!({ "words": words }));
        }
    }
}
