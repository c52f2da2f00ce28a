//! The colours of the charts: Okabe and Ito's palette, which colour-blind readers can tell apart,
//! and greys. A colour means the same thing in every chart.

use plotters::style::{Color, RGBAColor};

/// Text and axes.
pub(crate) const INK: RGBAColor = opaque(34, 34, 34);
/// Captions and remarks.
pub(crate) const GREY: RGBAColor = opaque(102, 102, 102);
/// Grid lines.
pub(crate) const GRID: RGBAColor = opaque(228, 228, 228);
/// Boundaries between restarts.
pub(crate) const DIVIDER: RGBAColor = opaque(150, 150, 150);
/// Paper, and text on dark ground.
pub(crate) const PAPER: RGBAColor = opaque(255, 255, 255);
/// The weights a campaign started from.
pub(crate) const START: RGBAColor = opaque(230, 159, 0);
/// The weights it recommends.
pub(crate) const TUNED: RGBAColor = opaque(0, 114, 178);
/// The best of a generation.
pub(crate) const BEST: RGBAColor = opaque(0, 158, 115);
/// The mean of the search distribution.
pub(crate) const SEARCH: RGBAColor = INK;
/// What was published, beside our own results.
pub(crate) const PUBLISHED: RGBAColor = opaque(170, 170, 170);
/// Distributions that our own results are tested against.
pub(crate) const REFERENCE: RGBAColor = opaque(204, 121, 167);

/// Rows of an experiment, in order.
const ROWS: [RGBAColor; 7] = [
    opaque(230, 159, 0),
    opaque(86, 180, 233),
    opaque(0, 158, 115),
    opaque(213, 94, 0),
    opaque(0, 114, 178),
    opaque(204, 121, 167),
    opaque(0, 0, 0),
];

/// Number of rows that can be told apart by their colour.
pub(crate) const ROW_COLORS: usize = ROWS.len();

/// The colour of a row of an experiment; beyond [`ROW_COLORS`] they repeat.
pub(crate) fn row(index: usize) -> RGBAColor {
    ROWS[index % ROW_COLORS]
}

/// The colours that are others on dark paper.
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

/// The colour at a share of its strength, for areas behind lines.
pub(crate) fn faint(color: RGBAColor, strength: f64) -> RGBAColor {
    color.mix(strength)
}

/// Colour of a value in -1..=1 over the paper: vermillion below, the paper at 0, blue above.
pub(crate) fn diverging(value: f64) -> RGBAColor {
    let end = if value < 0.0 { NEGATIVE } else { POSITIVE };
    end.mix(value.abs().min(1.0))
}
