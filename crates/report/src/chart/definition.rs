//! The definition of a chart (a name, a title, and a function that makes its figure), and the files of a drawn chart.

use schemars::JsonSchema;
use serde::Serialize;

use super::draw::{DrawError, png, svg};
use super::figure::{Figure, Section};
use tiletune_tuning::results::RunData;

/// A chart of a run, or of other data.
pub struct Chart<Data: 'static = RunData> {
    /// Stem of its files, in kebab case.
    pub name: &'static str,
    /// Heading of the chart.
    pub title: &'static str,
    /// The content, in one sentence.
    pub about: &'static str,
    /// Where a report shows it.
    pub(super) place: Section,
    /// Makes its figure. `None` if the data for it are missing.
    pub(super) draw: fn(&Data) -> Option<Figure>,
}

/// What is said of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChartInfo {
    /// Stem of its files, in kebab case.
    pub name: &'static str,
    /// Heading of the chart.
    pub title: &'static str,
    /// What it shows, in one sentence.
    pub about: &'static str,
}

/// The descriptions of charts.
pub fn infos<Data>(charts: &[Chart<Data>]) -> Vec<ChartInfo> {
    let info = |chart: &Chart<Data>| ChartInfo {
        name: chart.name,
        title: chart.title,
        about: chart.about,
    };
    charts.iter().map(info).collect()
}

/// A drawn chart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Figure")]
pub struct Rendered {
    /// Stem of its files in the folder `charts`.
    pub name: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What it shows.
    pub about: &'static str,
    /// Where a report shows it.
    #[serde(skip)]
    pub(crate) place: Section,
    /// The drawing as SVG text.
    #[serde(skip)]
    pub svg: String,
    /// The drawing as a PNG image, two pixels to each unit of the SVG.
    #[serde(skip)]
    pub png: Vec<u8>,
    /// The data drawn: comma-separated values with a header row.
    #[serde(skip)]
    pub csv: String,
}

/// A chart that could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw the chart `{chart}`")]
pub struct ChartError {
    chart: &'static str,
    #[source]
    cause: DrawError,
}

impl<Data> Chart<Data> {
    /// The figure of this chart. `None` if the data for it are missing.
    pub fn figure(&self, data: &Data) -> Option<Figure> {
        Some(Figure {
            name: self.name,
            title: self.title,
            about: self.about,
            place: self.place,
            ..(self.draw)(data)?
        })
    }

    /// Draws this chart. `None` if the data for it are missing.
    ///
    /// # Errors
    /// When a drawing library fails. No data of a run should cause that.
    pub fn render(&self, data: &Data) -> Result<Option<Rendered>, ChartError> {
        self.figure(data).map(|figure| figure.render()).transpose()
    }
}

impl Figure {
    /// The figure as SVG only, which takes much less time than an image.
    ///
    /// # Errors
    /// When a drawing library fails. No data of a run should cause that.
    pub fn svg(&self) -> Result<String, ChartError> {
        svg(self).map_err(|cause| self.failed(cause))
    }

    /// The figure as files.
    ///
    /// # Errors
    /// As [`Figure::svg`].
    pub fn render(&self) -> Result<Rendered, ChartError> {
        let svg = self.svg()?;
        Ok(Rendered {
            name: self.name,
            title: self.title,
            about: self.about,
            place: self.place,
            png: png(&svg).map_err(|cause| self.failed(cause))?,
            svg,
            csv: self.table.csv(),
        })
    }

    fn failed(&self, cause: DrawError) -> ChartError {
        ChartError {
            chart: self.name,
            cause,
        }
    }
}

/// The figures of the wanted charts that have data.
pub fn figures<Data>(
    charts: &[Chart<Data>],
    data: &Data,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Vec<Figure> {
    let wanted = charts.iter().filter(|chart| is_wanted(chart.name));
    wanted.filter_map(|chart| chart.figure(data)).collect()
}

/// Draws every chart that has data, in the order of the list. Equal data give byte-identical drawings.
///
/// # Errors
/// As [`Chart::render`].
pub fn render<Data>(charts: &[Chart<Data>], data: &Data) -> Result<Vec<Rendered>, ChartError> {
    let drawn = charts.iter().map(|chart| chart.render(data));
    drawn.filter_map(Result::transpose).collect()
}
