//! The font of the charts. The program contains it, because a machine may have no fonts.

use std::sync::{Arc, LazyLock};

use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};
use resvg::usvg::fontdb;

use super::error::DrawError;

/// Font families, with alternatives for a browser that lacks the first one. DejaVu Sans and Verdana are the widest of
/// them, so a text that fits in DejaVu Sans fits in all.
const FAMILIES: &str = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif";

/// plotters divides the size of a font by this factor before it writes it.
const SIZE_FACTOR: f64 = 1.24;

static REGISTERED: LazyLock<bool> = LazyLock::new(|| {
    // plotters identifies a font by the whole text of `font-family`.
    register_font(FAMILIES, FontStyle::Normal, dejavu::sans::regular()).is_ok()
        && register_font(FAMILIES, FontStyle::Bold, dejavu::sans::bold()).is_ok()
});

static DATABASE: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    for bytes in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_source(fontdb::Source::Binary(Arc::new(bytes)));
    }
    Arc::new(fonts)
});

/// The font at a size in units of the drawing.
pub(super) fn font(size: f64, bold: bool) -> Result<FontDesc<'static>, DrawError> {
    if !*REGISTERED {
        return Err(DrawError::Font);
    }
    let style = if bold {
        FontStyle::Bold
    } else {
        FontStyle::Normal
    };
    Ok(FontDesc::new(
        FontFamily::Name(FAMILIES),
        size * SIZE_FACTOR,
        style,
    ))
}

/// Height of DejaVu Sans from its lowest to its highest point, in font sizes. `ab_glyph` scales by it.
const FULL_HEIGHT: f64 = 1.164;

/// Width of a text in units of the drawing.
pub(super) fn width(text: &str, size: f64, bold: bool) -> Result<f64, DrawError> {
    let font = font(size, bold)?.resize(size * FULL_HEIGHT);
    let (width, _) = font.box_size(text).map_err(|_| DrawError::Font)?;
    Ok(f64::from(width))
}

/// The same font for the rasteriser.
pub(super) fn database() -> Arc<fontdb::Database> {
    Arc::clone(&DATABASE)
}
