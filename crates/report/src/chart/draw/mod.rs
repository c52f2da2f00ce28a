//! The drawing layer, over `plotters` and `resvg`: a sheet with title, legend and caption; panels
//! with axes; marks; colours; the font; PNG. It reads no run and computes no statistics.

mod error;
mod font;
mod palette;

mod page;

mod axis;
mod legend;
mod panel;
mod sheet;

mod raster;

pub(super) use axis::{Axis, round_values};
pub(super) use error::{DrawError, Drawn};
pub(super) use legend::{Legend, Mark};
pub(super) use page::{Frame, Label, MARGIN, Page, WIDTH, fitted, text_width};
pub(super) use palette::*;
pub(super) use panel::{Panel, SPACE_ABOVE, SPACE_BELOW, SPACE_LEFT};
pub(super) use plotters::style::{Color, RGBAColor};
pub(super) use raster::png;
pub(super) use sheet::{Layout, draw_sheet};
