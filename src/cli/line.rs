//! The text of the progress line: its parts in the order of interest, as many as fit.

use std::sync::{Arc, Mutex};

use super::eta::TimeLeft;
use super::text::duration;
use crate::lock::locked;
use crate::number::grouped;

/// Columns of the line without the spinner: a terminal of 80 columns shows all of it.
pub(super) const COLUMNS: usize = 77;

/// The same with what only statisticians read, for a terminal of 120 columns.
pub(super) const COLUMNS_OF_DETAILS: usize = 117;

/// What the line says. The drawing thread reads it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Shown {
    /// The present task.
    pub(super) task: String,
    /// The level that a search has reached, with that of its start.
    pub(super) level: String,
    /// The latest result of another task.
    pub(super) news: String,
    /// What only statisticians read.
    pub(super) details: String,
}

/// What the line counts.
#[derive(Debug, Default)]
pub(super) struct Counted {
    /// Number of games, where it is shown.
    pub(super) games: Option<String>,
    pub(super) per_second: f64,
    pub(super) left: Option<TimeLeft>,
}

/// The parts of the line that fit into `columns`.
pub(super) fn line(
    shown: &Shown,
    counted: &Counted,
    machines: &Arc<Mutex<String>>,
    columns: usize,
) -> String {
    let left = counted.left.as_ref().map(in_words).unwrap_or_default();
    let rate = format!("{} games/s", rate(counted.per_second));
    let is_search = !shown.level.is_empty();
    let [first, second] = if is_search {
        [left, shown.task.clone()]
    } else {
        // A player with many options must not hide how long it takes.
        [cut(shown.task.clone(), columns / 2), left]
    };
    fitted(
        [
            shown.level.clone(),
            first,
            shown.news.clone(),
            second,
            locked(machines).trim().to_owned(),
            shown.details.clone(),
            counted.games.clone().unwrap_or_default(),
            rate,
        ],
        columns,
    )
}

/// Joins the parts that are not empty, as long as they fit. A first part that is too long is cut.
fn fitted(parts: impl IntoIterator<Item = String>, columns: usize) -> String {
    const BETWEEN: &str = " · ";
    let width = |text: &str| text.chars().count();
    let mut line = String::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        if line.is_empty() {
            line = cut(part, columns);
        } else if width(&line) + width(BETWEEN) + width(&part) <= columns {
            line = line + BETWEEN + &part;
        }
    }
    line
}

fn cut(text: String, columns: usize) -> String {
    if text.chars().count() <= columns {
        return text;
    }
    let kept = text.chars().take(columns.saturating_sub(1));
    kept.chain(['…']).collect()
}

fn rate(rate: f64) -> String {
    grouped(rate, if rate < 10.0 { 1 } else { 0 })
}

fn in_words(left: &TimeLeft) -> String {
    let time = duration(left.time);
    match left.others {
        0 => format!("{time} left"),
        1 => format!("{time} left, then a row of another player"),
        rows => format!("{time} left, then {rows} rows of other players"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn machines() -> Arc<Mutex<String>> {
        Arc::default()
    }

    fn seconds(seconds: u64) -> Option<TimeLeft> {
        Some(TimeLeft {
            time: Duration::from_secs(seconds),
            others: 0,
        })
    }

    fn counted(left: Option<TimeLeft>) -> Counted {
        Counted {
            per_second: 1234.6,
            left,
            ..Counted::default()
        }
    }

    #[test]
    fn a_search_begins_with_its_level() {
        let shown = Shown {
            task: "generation 28".into(),
            level: "now 48,389 (start 31,888)".into(),
            ..Shown::default()
        };
        let of = |shown: &Shown, columns| line(shown, &counted(seconds(12)), &machines(), columns);
        let level = "now 48,389 (start 31,888) · 12 s left · generation 28";
        assert_eq!(of(&shown, COLUMNS), format!("{level} · 1,235 games/s"));
        let details = Shown {
            details: "sigma 0.0812".into(),
            ..shown
        };
        let text = of(&details, COLUMNS_OF_DETAILS);
        assert_eq!(text, format!("{level} · sigma 0.0812 · 1,235 games/s"));
    }

    #[test]
    fn other_tasks_begin_with_their_name() {
        let shown = Shown {
            task: "hold-out: 2,000 games".into(),
            ..Shown::default()
        };
        let text = line(&shown, &counted(seconds(3)), &machines(), COLUMNS);
        assert_eq!(text, "hold-out: 2,000 games · 3 s left · 1,235 games/s");
    }

    #[test]
    fn every_line_fits() {
        let long = "a".repeat(100);
        for task in [long.clone(), "row".into()] {
            let shown = Shown {
                task,
                news: long.clone(),
                details: long.clone(),
                ..Shown::default()
            };
            let text = line(&shown, &counted(None), &machines(), COLUMNS);
            assert!(text.chars().count() <= COLUMNS, "{text}");
        }
    }
}
