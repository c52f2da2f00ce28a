//! The charts of a series. Each is one file here and one line in [`SERIES_CHARTS`].

#[cfg(test)]
pub(crate) mod example;
#[cfg(test)]
mod tests;

mod fitness;
mod hold_out;
mod parameters;

use super::definition::Chart;
use super::draw::{GREY, Legend, Mark, START, TUNED};
use tiletune_tuning::results::series::SeriesResults;

/// Every chart of a series, in the order of the report.
pub const SERIES_CHARTS: &[Chart<SeriesResults>] =
    &[hold_out::CHART, fitness::CHART, parameters::CHART];

/// The legend of the charts: runs, the one among them that is recommended, and the start.
fn legend(results: &SeriesResults, mark: Mark) -> Vec<Legend> {
    let winner = results.recommended.map(|run| {
        let text = format!("run {run}, recommended");
        Legend::new(mark, TUNED, text)
    });
    let runs = match winner.is_some() {
        true => "other runs",
        false => "runs",
    };
    let mut legend = vec![Legend::new(mark, GREY, runs)];
    legend.extend(winner);
    legend.push(Legend::new(
        match mark {
            Mark::Line => Mark::Dashes,
            other => other,
        },
        START,
        "start weights",
    ));
    legend
}
