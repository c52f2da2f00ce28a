//! The reports: the contents of a run or of its results as [`Block`]s, which a page, a terminal and a program show.
//!
//! A report shows the given charts. It draws no chart, plays no game and writes no file.

mod block;
mod html;

pub mod campaign;
pub mod compare;
pub mod exact;
pub mod experiment;
pub mod learning;
pub mod pruned;
pub mod series;

// Sentences of reports.
mod answer;
pub mod deeper;
pub mod failures;
mod glossary;
pub mod hold_out;
mod importance;
mod retuned;
pub mod search;
mod sensitivity;
mod settings;
mod verdict;

pub use block::{Block, Details, Table};
pub use html::html;
pub use verdict::{confidence, sentence, verdict_in_words};

use crate::number::{grouped, p_value};
use tiletune_tuning::results::PairedDifference;
use tiletune_tuning::results::experiment::ExperimentResults;

/// The unit of a game's result in an experiment, and its decimals.
fn unit(results: &ExperimentResults) -> (&'static str, usize) {
    let mut rows = results.rows.iter();
    if results.is_between_two() {
        ("points", 4)
    } else if rows.any(|row| row.summary.numbers().is_some()) {
        ("score", 4)
    } else {
        ("score", 0)
    }
}

/// A difference with its interval. Without an interval, with the signs of the pairs that differ.
fn with_interval(difference: &PairedDifference, decimals: usize) -> String {
    let mean = grouped(difference.mean, decimals);
    match (difference.interval(), difference.p_sign_test) {
        (Some(ends), _) => {
            let [low, high] = ends.map(|value| grouped(value, decimals));
            format!("{mean} ({low} to {high})")
        }
        (None, p) => format!(
            "{mean} ({} better, {} worse, p {})",
            difference.above,
            difference.below,
            p.map(p_value).unwrap_or_default()
        ),
    }
}

#[cfg(test)]
mod tests {
    /// The words of a page, with a line for each row of a table.
    pub(super) fn text_of(page: &str) -> String {
        let body = page.split_once("<body>").unwrap_or_default().1;
        let mut text = String::new();
        for piece in body.split('<').skip(1) {
            let (tag, words) = piece.split_once('>').unwrap_or_default();
            text += match tag {
                "td" | "th" if !text.ends_with('\n') => " | ",
                "/tr" | "/h1" | "/h2" | "/p" | "/li" | "/caption" | "/figcaption" | "/summary" => {
                    "\n"
                }
                _ => "",
            };
            text += words;
        }
        text
    }
}
