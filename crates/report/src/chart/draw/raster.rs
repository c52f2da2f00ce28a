//! Turns the SVG text of a chart into a PNG image.

use resvg::{render, tiny_skia, usvg};

use super::error::DrawError;
use super::font;
use super::sheet::without_style;

/// Pixels per unit of the SVG, so that text is sharp on high-resolution screens and in print.
const SCALE: f32 = 2.0;

/// Draws an SVG text as a PNG image on a white background.
pub(in crate::chart) fn png(svg: &str) -> Result<Vec<u8>, DrawError> {
    let options = usvg::Options {
        fontdb: font::database(),
        ..usvg::Options::default()
    };
    let tree = usvg::Tree::from_str(&without_style(svg), &options).map_err(failed)?;
    let size = tree.size();
    let pixels = |length: f32| (length * SCALE).round() as u32;
    let mut image = tiny_skia::Pixmap::new(pixels(size.width()), pixels(size.height()))
        .ok_or_else(|| failed("its size is zero"))?;
    image.fill(tiny_skia::Color::WHITE);
    render(
        &tree,
        tiny_skia::Transform::from_scale(SCALE, SCALE),
        &mut image.as_mut(),
    );
    image.encode_png().map_err(failed)
}

fn failed(cause: impl ToString) -> DrawError {
    DrawError::Png(cause.to_string())
}
