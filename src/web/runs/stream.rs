//! What is new of a run, as server-sent events:
//!
//! - `sketch`: some generations of a long search, evenly spread, before all of them are read and sent
//! - `generation`: a complete generation of a campaign
//! - `log`: a line of `events.jsonl` in words
//! - `pace`: games, games per second, seconds left, and what the noise means
//! - `cluster`: the workers of a run that plays on a cluster; null when they are not heard any more
//! - `changed`: the page of the run has changed otherwise
//! - `state`: the state of the run
//! - `damaged`: a file is damaged, with the reason; the last event
//! - `end`: the run is complete; the last event
//!
//! The id of an event is `GENERATIONS.LINES`: the numbers of generations and log lines that have been sent. A browser
//! that has lost the connection names the last one that it has, and gets what follows.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use serde_json::{Value, json};

use super::watched::{Look, Watched};
use super::{BATCH, message, page};
use crate::campaign;
use crate::overview::State;
use crate::run::machines;
use crate::web::app::{App, beside};

/// The files of a run that is being written are looked at after this time, so that what is new is shown within a
/// tenth of a second; those of another run after the longer one.
const INTERVAL: Duration = Duration::from_millis(40);
const CALM: Duration = Duration::from_millis(500);
/// Largest number of generations that are sent before the files are looked at again.
const SENT: usize = 1000;
/// A search of at least this many generations is sketched first, with about so many of them.
const LONG: usize = 1000;
const SKETCHED: usize = 300;
/// A connection on which nothing happens gets a comment after this time.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// What has been sent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cursor {
    generations: usize,
    lines: usize,
}

impl Cursor {
    fn id(self) -> String {
        format!("{}.{}", self.generations, self.lines)
    }
}

impl FromStr for Cursor {
    type Err = ();

    fn from_str(id: &str) -> Result<Self, ()> {
        let (generations, lines) = id.split_once('.').ok_or(())?;
        Ok(Cursor {
            generations: generations.parse().map_err(|_| ())?,
            lines: lines.parse().map_err(|_| ())?,
        })
    }
}

/// The events of a run behind a cursor, until the run is complete or the server is closed.
pub(super) fn stream(
    app: Arc<App>,
    watched: Arc<Watched>,
    from: Cursor,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let feed = Feed {
        app,
        watched,
        cursor: from,
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
    state: Option<State>,
    pace: Value,
    cluster: Option<Value>,
}

struct Feed {
    app: Arc<App>,
    watched: Arc<Watched>,
    cursor: Cursor,
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
            Some(State::Running) => INTERVAL,
            _ => CALM,
        }
    }

    /// Looks at the files beside the thread that serves.
    async fn look(&mut self) {
        let (watched, cursor, shown) = (self.watched.clone(), self.cursor, self.shown.clone());
        let app = self.app.clone();
        // At first the tables of a long search are only counted.
        let is_first = std::mem::take(&mut self.is_first);
        let most = if is_first { 0 } else { BATCH };
        let news = beside(move || {
            let damage = watched.look_again(most).err();
            // What was read before the damage is right.
            let look = watched.lock();
            let mut news = News::of(&look, cursor, shown, damage.is_some());
            if is_first {
                news.add_sketch(&look);
            }
            news.add_cluster(machines::standing(&watched.root));
            let is_all_sent = news.cursor.generations >= look.follower.generations().len();
            drop(look);
            if let Some(error) = damage.filter(|_| is_all_sent) {
                app.watch.registry.forget(&watched.root);
                news.end_damaged(&message(&app, &error));
            }
            Ok(news)
        });
        match news.await {
            Ok(news) => {
                self.cursor = news.cursor;
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
    cursor: Cursor,
    shown: Shown,
    has_more: bool,
    has_ended: bool,
}

impl News {
    fn of(look: &Look, cursor: Cursor, shown: Shown, is_damaged: bool) -> Self {
        let mut news = News {
            events: Vec::new(),
            cursor,
            shown,
            has_more: look.has_more,
            has_ended: false,
        };
        news.add_generations(look);
        news.add_lines(look);
        let mut pace = json!(look.pace);
        pace["generations"] = look.follower.complete_generations().into();
        pace["noise"] = page::noise(look.follower.generations().last()).into();
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
        news.has_ended = look.state == State::Complete && !news.has_more && !is_damaged;
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
        let event = Event::default().event(name).id(self.cursor.id());
        self.events.push(event.data(data.to_string()));
    }

    /// Adds a sketch of a long search of which nothing has been sent.
    fn add_sketch(&mut self, look: &Look) {
        let is_long = look.follower.complete_generations() >= LONG;
        if !is_long || self.cursor.generations > 0 {
            return;
        }
        // If a table is damaged, that is said in its place.
        let rows = look.follower.sketch(SKETCHED).unwrap_or_default();
        self.add("sketch", &json!({ "rows": rows }));
    }

    fn add_generations(&mut self, look: &Look) {
        let all = look.follower.generations();
        let rows = all.get(self.cursor.generations..).unwrap_or_default();
        self.has_more |= rows.len() > SENT;
        for row in rows.iter().take(SENT) {
            self.cursor.generations += 1;
            self.add("generation", &json!(row));
        }
    }

    fn add_lines(&mut self, look: &Look) {
        let lines = look.follower.events();
        for line in lines.iter().skip(self.cursor.lines) {
            self.cursor.lines += 1;
            // A line of a later version has no words here.
            let words = serde_json::from_str::<campaign::Event>(line);
            let words = words.map_or_else(|_| line.clone(), |event| event.to_string());
            self.add("log", &json!({ "words": words }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back() {
        let cursor = Cursor {
            generations: 12,
            lines: 3,
        };
        assert_eq!(cursor.id().parse(), Ok(cursor));
        for wrong in ["", "12", "12.", ".3", "-1.0", "1.2.3", "a.b"] {
            assert_eq!(wrong.parse::<Cursor>(), Err(()), "{wrong}");
        }
    }
}
