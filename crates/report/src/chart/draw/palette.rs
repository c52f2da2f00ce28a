//! The colours of the charts: greys, and the palette of Okabe and Ito, which colour-blind readers can distinguish. A
//! colour has the same meaning in every chart.

use plotters::style::{Color as _, RGBAColor};

use crate::chart::figure::{self, Color};

/// Text and axes.
pub(super) const INK: RGBAColor = opaque(34, 34, 34);
/// Captions and remarks.
pub(super) const GREY: RGBAColor = opaque(102, 102, 102);
pub(super) const GRID: RGBAColor = opaque(228, 228, 228);
const DIVIDER: RGBAColor = opaque(150, 150, 150);
/// Paper, and text on a dark background.
pub(super) const PAPER: RGBAColor = opaque(255, 255, 255);

const ROWS: [RGBAColor; figure::ROWS] = [
    opaque(230, 159, 0),
    opaque(86, 180, 233),
    opaque(0, 158, 115),
    opaque(213, 94, 0),
    opaque(0, 114, 178),
    opaque(204, 121, 167),
    opaque(0, 0, 0),
];

/// A colour by its meaning, with this opacity.
pub(super) fn color(color: Color, strength: f64) -> RGBAColor {
    let color = match color {
        Color::Ink => INK,
        Color::Grey => GREY,
        Color::Divider => DIVIDER,
        Color::Start => opaque(230, 159, 0),
        Color::Tuned => opaque(0, 114, 178),
        Color::Best => opaque(0, 158, 115),
        Color::Published => opaque(170, 170, 170),
        Color::Reference => opaque(204, 121, 167),
        Color::Row(index) => ROWS[index % ROWS.len()],
    };
    color.mix(strength)
}

/// The colours that change on dark paper.
pub(super) const ON_DARK: [(RGBAColor, RGBAColor); 6] = [
    (PAPER, opaque(24, 26, 28)),
    (INK, opaque(230, 230, 230)),
    (GREY, opaque(165, 165, 165)),
    (GRID, opaque(62, 66, 70)),
    (DIVIDER, opaque(120, 120, 120)),
    (ROWS[6], opaque(230, 230, 230)),
];

const NEGATIVE: RGBAColor = opaque(213, 94, 0);
const POSITIVE: RGBAColor = opaque(0, 114, 178);

const fn opaque(red: u8, green: u8, blue: u8) -> RGBAColor {
    RGBAColor(red, green, blue, 1.0)
}

/// Colour of a value in -1..=1 on paper: vermillion below 0, the paper at 0, blue above.
pub(super) fn diverging(value: f64) -> RGBAColor {
    let end = if value < 0.0 { NEGATIVE } else { POSITIVE };
    end.mix(value.abs().min(1.0))
}
