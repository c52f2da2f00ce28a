//! The charts of a series. Each chart is a file of this folder and an entry in [`SERIES_CHARTS`].

#[cfg(test)]
pub(crate) mod example;
#[cfg(test)]
mod tests;

mod fitness;
mod hold_out;
mod parameters;

use super::definition::Chart;
use super::figure::{Color, Mark};
use tiletune_tuning::results::series::SeriesResults;

/// Every chart of a series, in the order of the report.
pub const SERIES_CHARTS: &[Chart<SeriesResults>] =
    &[hold_out::CHART, fitness::CHART, parameters::CHART];

/// Name and colour of a run in the legend.
fn key(results: &SeriesResults, run: u32) -> (String, Color) {
    match results.winner {
        Some(winner) if winner == run => (format!("run {run}, recommended"), Color::Tuned),
        Some(_) => ("other runs".to_owned(), Color::Grey),
        None => ("runs".to_owned(), Color::Grey),
    }
}

/// Moves the mark of the recommended run to the end, so that it is drawn over the others.
fn winner_last(runs: impl Iterator<Item = Mark>) -> impl Iterator<Item = Mark> {
    let (winner, others): (Vec<Mark>, Vec<Mark>) =
        runs.partition(|mark| mark.color == Color::Tuned);
    others.into_iter().chain(winner)
}
