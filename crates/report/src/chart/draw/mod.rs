//! The drawing layer, over `plotters` and `resvg`: a figure becomes an SVG drawing, and that a PNG image. A sheet has
//! title, legend and caption; between them stand panels with axes and marks, or a heat map. It reads no run and
//! computes no statistics.

mod error;
mod font;
mod palette;

mod page;

mod legend;
mod panel;
mod sheet;

mod heat;
mod panels;

mod raster;

use super::figure::{Body, Figure};
pub(super) use error::DrawError;
pub(super) use raster::png;

/// The figure as SVG text.
pub(super) fn svg(figure: &Figure) -> Result<String, DrawError> {
    match &figure.body {
        Body::Panels { columns, panels } => panels::svg(figure, *columns, panels),
        Body::Heat { names, values } => heat::svg(figure, names, values),
    }
}
