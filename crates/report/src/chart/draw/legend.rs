//! The legend of a chart: marks and their meanings, in rows below the title, where they cover no data.

use plotters::style::{Color as _, RGBAColor};

use super::error::{DrawError, Drawn};
use super::palette;
use super::surface::{Frame, Label, MARGIN, Surface, WIDTH, pen, text_width};
use crate::chart::figure::{Key, Swatch};

pub(super) const ROW: f64 = 20.0;
const TEXT_SIZE: f64 = 12.0;
const SWATCH: f64 = 24.0;
/// Distance from the mark to its text.
const INDENT: f64 = SWATCH + 6.0;
const GAP: f64 = 18.0;

/// A drawn entry.
pub(super) struct LegendEntry {
    look: Swatch,
    color: RGBAColor,
    text: String,
}

impl LegendEntry {
    pub(super) fn of(key: &Key) -> Self {
        LegendEntry {
            look: key.look,
            color: palette::color(key.color, key.strength),
            text: key.name.clone(),
        }
    }

    pub(super) fn area(color: RGBAColor, text: String) -> Self {
        let look = Swatch::Area;
        LegendEntry { look, color, text }
    }

    fn draw(&self, surface: &Surface<'_>, x: f64, y: f64) -> Drawn {
        let line =
            |from: f64, to: f64| surface.segment((x + from, y), (x + to, y), pen(self.color, 2.0));
        match self.look {
            Swatch::Line | Swatch::Interval | Swatch::Divider => line(0.0, SWATCH)?,
            Swatch::Dashes => {
                let dashes = [(0.0, 6.0), (9.0, 15.0), (18.0, SWATCH)];
                dashes
                    .into_iter()
                    .try_for_each(|(from, to)| line(from, to))?;
            }
            Swatch::Area => {
                let frame = Frame {
                    left: x,
                    top: y - 6.0,
                    right: x + SWATCH,
                    bottom: y + 6.0,
                };
                surface.rectangle(frame, self.color.filled())?;
            }
            Swatch::Dot => surface.dot((x + SWATCH / 2.0, y), self.color)?,
        }
        surface.text((x + INDENT, y), Label::new(&self.text, TEXT_SIZE))
    }
}

/// Breaks the entries into rows that fit the page. Each entry has its left edge.
pub(super) fn rows(entries: &[LegendEntry]) -> Result<Vec<Vec<(f64, &LegendEntry)>>, DrawError> {
    let mut rows: Vec<Vec<(f64, &LegendEntry)>> = Vec::new();
    let mut x = f64::INFINITY;
    for entry in entries {
        let width = INDENT + text_width(&entry.text, TEXT_SIZE, false)?;
        if x + width > WIDTH - MARGIN {
            x = MARGIN;
            rows.push(Vec::new());
        }
        if let Some(row) = rows.last_mut() {
            row.push((x, entry));
        }
        x += width + GAP;
    }
    Ok(rows)
}

/// Draws the rows downwards. `top` is the middle of the first one.
pub(super) fn draw(surface: &Surface<'_>, rows: &[Vec<(f64, &LegendEntry)>], top: f64) -> Drawn {
    for (index, row) in rows.iter().enumerate() {
        let y = top + ROW * index as f64;
        row.iter()
            .try_for_each(|(x, entry)| entry.draw(surface, *x, y))?;
    }
    Ok(())
}
