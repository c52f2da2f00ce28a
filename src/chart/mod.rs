//! The charts of a run: one file per chart and one list of them, [`CHARTS`] for campaigns and
//! [`EXPERIMENT_CHARTS`] for experiments.
//!
//! A chart reads [`RunData`] or [`ExperimentResults`] and yields an SVG drawing, the same drawing as PNG,
//! and a CSV table of what was drawn. This is the only module that names `plotters` and `resvg`; it plays no game,
//! computes no result that a run does not hold, and writes no file.

mod correlation;
mod difference;
mod endings;
mod experiment_tiles;
mod fitness;
mod max_tile;
mod mistakes;
mod outcomes;
mod overlay;
mod parameters;
mod reach;
mod results;
mod score_distribution;
mod scores;
mod step_size;

mod axis;
mod caption;
mod dots;
mod font;
mod legend;
mod page;
mod palette;
mod panel;
mod raster;
mod restart;
mod table;
mod tiles;

pub mod number;

#[cfg(test)]
pub(crate) mod example;

use crate::record::RunData;
use crate::record::experiment::ExperimentResults;
use table::Table;

/// Every chart, in the order of the report.
pub const CHARTS: &[Chart] = &[
    fitness::CHART,
    step_size::CHART,
    parameters::CHART,
    correlation::CHART,
    max_tile::CHART,
    outcomes::CHART,
    score_distribution::CHART,
];

/// Every chart of an experiment.
pub const EXPERIMENT_CHARTS: &[Chart<ExperimentResults>] = &[
    overlay::CHART,
    experiment_tiles::CHART,
    scores::CHART,
    results::CHART,
    reach::CHART,
    difference::CHART,
    mistakes::CHART,
];

/// A chart that can be drawn of a run, or of whatever else `Data` is.
pub struct Chart<Data: 'static = RunData> {
    /// Stem of its files, in kebab case.
    pub name: &'static str,
    /// Heading of the chart.
    pub title: &'static str,
    /// What it shows, in one sentence.
    pub about: &'static str,
    /// Draws it, or answers `None` while the run lacks the data.
    draw: fn(&Data) -> Result<Option<Figure>, DrawError>,
}

/// A drawing and the data in it.
struct Figure {
    svg: String,
    table: Table,
}

/// A finished chart; the texts are ready to be written to files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// Stem of its files, in kebab case.
    pub name: &'static str,
    /// Heading of the chart.
    pub title: &'static str,
    /// What it shows, in one sentence.
    pub about: &'static str,
    /// The drawing as SVG text.
    pub svg: String,
    /// The drawing as a PNG image, two pixels to each unit of the SVG.
    pub png: Vec<u8>,
    /// The data drawn: comma-separated values with a header row.
    pub csv: String,
}

/// A chart that could not be made.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw the chart `{chart}`")]
pub struct ChartError {
    chart: &'static str,
    #[source]
    cause: DrawError,
}

/// What went wrong while drawing.
#[derive(Debug, thiserror::Error)]
enum DrawError {
    #[error("the embedded font cannot be read")]
    Font,
    #[error("the SVG drawing failed: {0}")]
    Svg(String),
    #[error("the SVG drawing cannot be turned into an image: {0}")]
    Png(String),
}

/// Draws every chart that the run has data for. The same data give the same bytes.
///
/// # Errors
/// When a drawing library refuses; no data of a run should bring that about.
pub fn render_all(data: &RunData) -> Result<Vec<Rendered>, ChartError> {
    render(CHARTS, data)
}

/// Draws every chart that an experiment has data for. The same results give the same bytes.
///
/// # Errors
/// As [`render_all`].
pub fn render_experiment(results: &ExperimentResults) -> Result<Vec<Rendered>, ChartError> {
    render(EXPERIMENT_CHARTS, results)
}

fn render<Data>(charts: &[Chart<Data>], data: &Data) -> Result<Vec<Rendered>, ChartError> {
    charts
        .iter()
        .filter_map(|chart| chart.render(data).transpose())
        .collect()
}

impl<Data> Chart<Data> {
    /// Draws this chart, or answers `None` while the run lacks the data.
    ///
    /// # Errors
    /// As [`render_all`].
    pub fn render(&self, data: &Data) -> Result<Option<Rendered>, ChartError> {
        self.try_render(data).map_err(|cause| ChartError {
            chart: self.name,
            cause,
        })
    }

    fn try_render(&self, data: &Data) -> Result<Option<Rendered>, DrawError> {
        let Some(Figure { svg, table }) = (self.draw)(data)? else {
            return Ok(None);
        };
        let Chart {
            name, title, about, ..
        } = *self;
        let png = raster::png(&svg)?;
        Ok(Some(Rendered {
            name,
            title,
            about,
            svg,
            png,
            csv: table.into_csv(),
        }))
    }
}

#[cfg(test)]
mod tests;
