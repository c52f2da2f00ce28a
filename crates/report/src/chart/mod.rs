//! The charts of campaigns, experiments, series and comparisons.
//!
//! A chart is a function from [`RunData`](tiletune_tuning::results::RunData) or the results of another kind of run to a
//! [`Figure`]: panels, axes and marks as data, and the table of the drawn values. The charts of a kind of run are in a
//! folder (`campaign`, `experiment`, `compare`, `series`), whose `mod.rs` contains the list. The folder `draw` draws a
//! figure as SVG and PNG, and is the only user of `plotters` and `resvg`. The CSV file is written from the table. A web
//! page draws the figure from its JSON.
//!
//! Charts play no game, compute no result that the run does not contain, and write no file.
//!
//! ```
//! for chart in tiletune_report::chart::CHARTS {
//!     println!("{}: {}", chart.name, chart.about);
//! }
//! ```
//!
//! [`render`] draws the charts of `campaign::load`.

mod definition;

mod campaign;
mod compare;
mod exact;
mod experiment;
mod pruning;
mod series;

// Parts of charts.
mod axis;
mod caption;
mod dots;
mod figure;
mod table;
mod tiles;

mod draw;

#[cfg(test)]
pub(crate) use series::example as series_example;
#[cfg(test)]
mod tests;

pub use axis::Axis;
pub use campaign::CHARTS;
pub use compare::COMPARISON_CHARTS;
pub use definition::{Chart, ChartError, ChartInfo, Rendered, figures, infos, render};
pub use exact::EXACT_CHARTS;
pub use experiment::EXPERIMENT_CHARTS;
pub use figure::{Body, Color, Figure, Key, Mark, Panel, Section, Shape, Swatch};
pub use pruning::PRUNING_CHARTS;
pub use series::SERIES_CHARTS;
pub use table::Table;
