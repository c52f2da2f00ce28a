//! The charts of campaigns, experiments, series and comparisons.
//!
//! A chart is a function from [`RunData`](tiletune_tuning::results::RunData) or the results of another kind of run to a
//! [`Figure`]: panels, axes and marks as data, and the table of what is drawn. The charts of a kind of run are in a folder
//! (`campaign`, `experiment`, `compare`, `series`), whose `mod.rs` holds the list. A figure is drawn as SVG
//! and PNG by the folder `draw`, which alone names `plotters` and `resvg`; it is written as CSV from its table; as
//! JSON a page draws it.
//!
//! Charts play no game, compute no result that a run does not hold, and write no file.
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
mod experiment;
mod series;

// What charts are made of.
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
pub use experiment::EXPERIMENT_CHARTS;
pub use figure::{Body, Color, Figure, Key, Mark, Panel, Shape, Swatch};
pub use series::SERIES_CHARTS;
pub use table::Table;
