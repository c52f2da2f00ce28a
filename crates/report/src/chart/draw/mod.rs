//! The drawing layer, based on `plotters` and `resvg`: draws a figure as SVG, and the SVG as a PNG image. A sheet has a
//! title, a legend and a caption. Between them are panels with axes and marks, or a heat map. This layer reads no run
//! and computes no statistics.

mod error;
mod font;
mod palette;

mod surface;

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
