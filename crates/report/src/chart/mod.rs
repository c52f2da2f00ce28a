//! The charts of campaigns, experiments and comparisons.
//!
//! A chart reads [`RunData`], [`ExperimentResults`] or [`ComparisonResults`] and yields an SVG drawing, the same drawing as
//! PNG, and a CSV table of the data drawn. Each chart is one file in the folder of its kind
//! (`campaign`, `experiment`, `compare`), whose `mod.rs` holds the list. The folder `draw` is the layer under
//! them and the only one that names `plotters` and `resvg`.
//!
//! Charts play no game, compute no result that a run does not hold, and write no file.
//!
//! ```
//! for chart in tiletune::chart::CHARTS {
//!     println!("{}: {}", chart.name, chart.about);
//! }
//! ```
//!
//! [`render_all`] draws the charts of [`campaign::load`](crate::campaign::load).

mod definition;

mod campaign;
mod compare;
mod experiment;
mod series;

mod caption;
mod dots;
mod draw;
mod table;
mod tiles;

#[cfg(test)]
pub(crate) use series::example as series_example;
#[cfg(test)]
mod tests;

pub use campaign::CHARTS;
pub use compare::COMPARISON_CHARTS;
pub use definition::{Chart, ChartError, Rendered};
pub use experiment::EXPERIMENT_CHARTS;
pub use series::SERIES_CHARTS;

use definition::Figure;
use table::{Table, cell};
use tiletune_tuning::results::RunData;
use tiletune_tuning::results::compare::ComparisonResults;
use tiletune_tuning::results::experiment::ExperimentResults;
use tiletune_tuning::results::series::SeriesResults;

/// Draws every chart that the run has data for. The same data give the same bytes.
///
/// # Errors
/// When a drawing library fails. No data of a run should cause that.
pub fn render_all(data: &RunData) -> Result<Vec<Rendered>, ChartError> {
    definition::render(CHARTS, data)
}

/// Draws every chart that an experiment has data for. The same results give the same bytes.
///
/// # Errors
/// As [`render_all`].
pub fn render_experiment(results: &ExperimentResults) -> Result<Vec<Rendered>, ChartError> {
    definition::render(EXPERIMENT_CHARTS, results)
}

/// Draws every chart that a comparison has data for. The same results give the same bytes.
///
/// # Errors
/// As [`render_all`].
pub fn render_comparison(results: &ComparisonResults) -> Result<Vec<Rendered>, ChartError> {
    definition::render(COMPARISON_CHARTS, results)
}

/// Draws every chart that a series has data for. The same results give the same bytes.
///
/// # Errors
/// As [`render_all`].
pub fn render_series(results: &SeriesResults) -> Result<Vec<Rendered>, ChartError> {
    definition::render(SERIES_CHARTS, results)
}
