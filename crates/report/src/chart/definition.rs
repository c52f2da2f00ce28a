//! What a chart is: a name, a title, and a function that draws it; and the files that come out.

use super::draw::{DrawError, Drawn, Layout, Page, draw_sheet, png};
use super::table::Table;
use tiletune_tuning::results::RunData;

/// A chart that can be drawn from a run, or from whatever else `Data` is.
pub struct Chart<Data: 'static = RunData> {
    /// Stem of its files, in kebab case.
    pub name: &'static str,
    /// Heading of the chart.
    pub title: &'static str,
    /// What it shows, in one sentence.
    pub about: &'static str,
    /// Draws it. `None` if the data for it are missing.
    pub(super) draw: fn(&Data) -> Result<Option<Figure>, DrawError>,
}

/// A drawing and the data in it.
pub(super) struct Figure {
    pub(super) svg: String,
    pub(super) table: Table,
}

impl Figure {
    /// Draws `body` on a sheet with this layout, beside the table of the data drawn.
    pub(super) fn new(
        layout: &Layout<'_>,
        table: Table,
        body: impl FnOnce(&Page<'_>) -> Drawn,
    ) -> Result<Option<Self>, DrawError> {
        let svg = draw_sheet(layout, body)?;
        Ok(Some(Figure { svg, table }))
    }
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

/// Draws every chart of a list that has its data, in the order of the list.
pub(super) fn render<Data>(
    charts: &[Chart<Data>],
    data: &Data,
) -> Result<Vec<Rendered>, ChartError> {
    charts
        .iter()
        .filter_map(|chart| chart.render(data).transpose())
        .collect()
}

impl<Data> Chart<Data> {
    /// Draws this chart. `None` if the data for it are missing.
    ///
    /// # Errors
    /// When a drawing library fails. No data of a run should cause that.
    pub fn render(&self, data: &Data) -> Result<Option<Rendered>, ChartError> {
        self.try_render(data).map_err(|cause| ChartError {
            chart: self.name,
            cause,
        })
    }

    /// Draws this chart as SVG only, which costs much less than an image. `None` if the data for it are missing.
    ///
    /// # Errors
    /// As [`Chart::render`].
    pub fn svg(&self, data: &Data) -> Result<Option<String>, ChartError> {
        let figure = (self.draw)(data).map_err(|cause| ChartError {
            chart: self.name,
            cause,
        })?;
        Ok(figure.map(|figure| figure.svg))
    }

    fn try_render(&self, data: &Data) -> Result<Option<Rendered>, DrawError> {
        let Some(Figure { svg, table }) = (self.draw)(data)? else {
            return Ok(None);
        };
        Ok(Some(Rendered {
            name: self.name,
            title: self.title,
            about: self.about,
            png: png(&svg)?,
            svg,
            csv: table.into_csv(),
        }))
    }
}
