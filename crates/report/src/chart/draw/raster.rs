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
    encoded(&image).map_err(failed)
}

/// The image as PNG. Its background is opaque, so the transparency is left out. The highest speed of compression takes a
/// tenth of the time of the usual one, which would be most of the time of a chart; the files are 1.6 times as large.
fn encoded(image: &tiny_skia::Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let pixels = image.pixels().iter();
    let colors: Vec<u8> = pixels
        .flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()])
        .collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, image.width(), image.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_deflate_compression(png::DeflateCompression::Level(1));
    encoder.set_filter(png::Filter::Adaptive);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&colors)?;
    writer.finish()?;
    Ok(bytes)
}

fn failed(cause: impl ToString) -> DrawError {
    DrawError::Png(cause.to_string())
}
