//! A panel: a rectangle of the page with two axes, and the marks that can be drawn in it.

use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::types::RangedCoordf64;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, DashedPathElement, PathElement, Polygon, Rectangle};
use plotters::prelude::SVGBackend;
use plotters::style::{Color, RGBAColor, ShapeStyle};

use super::axis::Axis;
use super::error::{DrawError, Drawn};
use super::page::{DOT, Frame, Label, Page, pen, text_width, units};
use super::palette;

const TICK_SIZE: f64 = 11.0;
const TITLE_SIZE: f64 = 12.0;
/// Space left of a panel for its labels.
pub(crate) const SPACE_LEFT: f64 = 76.0;
/// Space above a panel for the title of its vertical axis.
pub(crate) const SPACE_ABOVE: f64 = 34.0;
/// Space below a panel for the labels and the title of its horizontal axis.
pub(crate) const SPACE_BELOW: f64 = 48.0;

impl Frame {
    /// The space for a panel inside this frame, with room for its labels.
    pub(crate) fn inside(self) -> Self {
        Frame {
            left: self.left + SPACE_LEFT,
            top: self.top + SPACE_ABOVE,
            right: self.right - 16.0,
            bottom: self.bottom - SPACE_BELOW,
        }
    }
}

/// A coordinate system on the page. Values that are not finite are not drawn.
pub(crate) struct Panel<'a> {
    area: DrawingArea<SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>,
    x: Axis,
    y: Axis,
}

impl<'a> Panel<'a> {
    /// Draws the grid and the axes around `frame`, which the marks will fill.
    pub(crate) fn new(page: &Page<'a>, frame: Frame, x: Axis, y: Axis) -> Result<Self, DrawError> {
        let across = units(frame.left)..units(frame.right);
        let upward = units(frame.bottom)..units(frame.top);
        let coordinates =
            Cartesian2d::new(x.range.0..x.range.1, y.range.0..y.range.1, (across, upward));
        let panel = Panel {
            area: page.area.apply_coord_spec(coordinates),
            x,
            y,
        };
        panel.draw_horizontal_axis(page, frame)?;
        panel.draw_vertical_axis(page, frame)?;
        Ok(panel)
    }

    /// A line through the points, broken where one has no place; a lone point becomes a dot.
    pub(crate) fn line(&self, points: &[(f64, f64)], color: RGBAColor, width: f64) -> Drawn {
        for run in unbroken(points.iter().map(|&(x, y)| self.place(x, y))) {
            match run[..] {
                [point] => self.circle(point, 2.0 + width / 2.0, color)?,
                _ => self.area.draw(&PathElement::new(run, pen(color, width)))?,
            }
        }
        Ok(())
    }

    /// The area between two values at each `x`, given as `(x, low, high)`.
    pub(crate) fn band(&self, edges: &[(f64, f64, f64)], color: RGBAColor) -> Drawn {
        let places = edges.iter().map(|&(x, low, high)| {
            let (x, low) = self.place(x, low)?;
            Some((x, low, self.y.place(high)?))
        });
        for run in unbroken(places) {
            if let [(x, low, high)] = run[..] {
                let line = PathElement::new(vec![(x, low), (x, high)], pen(color, 12.0));
                self.area.draw(&line)?;
                continue;
            }
            let there = run.iter().map(|&(x, low, _)| (x, low));
            let back = run.iter().rev().map(|&(x, _, high)| (x, high));
            let outline: Vec<(f64, f64)> = there.chain(back).collect();
            self.area.draw(&Polygon::new(outline, color.filled()))?;
        }
        Ok(())
    }

    /// A dashed line between two points.
    pub(crate) fn dashes(&self, from: (f64, f64), to: (f64, f64), color: RGBAColor) -> Drawn {
        let (Some(from), Some(to)) = (self.place(from.0, from.1), self.place(to.0, to.1)) else {
            return Ok(());
        };
        let points = vec![from, to];
        let line = DashedPathElement::new(points, units(6.0), units(4.0), pen(color, 1.75));
        Ok(self.area.draw(&line)?)
    }

    /// A dashed line across the whole panel.
    pub(crate) fn level(&self, y: f64, color: RGBAColor) -> Drawn {
        self.dashes((self.x.range.0, y), (self.x.range.1, y), color)
    }

    /// A thin line from bottom to top between two whole numbers.
    pub(crate) fn divider(&self, x: f64) -> Drawn {
        let (low, high) = self.y.range;
        let line = PathElement::new(vec![(x, low), (x, high)], pen(palette::DIVIDER, 1.0));
        Ok(self.area.draw(&line)?)
    }

    /// A filled rectangle between two corners.
    pub(crate) fn bar(&self, from: (f64, f64), to: (f64, f64), style: ShapeStyle) -> Drawn {
        let (Some(from), Some(to)) = (self.place(from.0, from.1), self.place(to.0, to.1)) else {
            return Ok(());
        };
        Ok(self.area.draw(&Rectangle::new([from, to], style))?)
    }

    /// A dot.
    pub(crate) fn dot(&self, x: f64, y: f64, color: RGBAColor) -> Drawn {
        self.place(x, y)
            .map_or(Ok(()), |point| self.circle(point, DOT, color))
    }

    /// An upright line from `low` to `high` with short caps.
    pub(crate) fn whisker(&self, x: f64, low: f64, high: f64, color: RGBAColor) -> Drawn {
        let (Some(low), Some(high)) = (self.place(x, low), self.place(x, high)) else {
            return Ok(());
        };
        self.area
            .draw(&PathElement::new(vec![low, high], pen(color, 1.5)))?;
        for end in [low, high] {
            let (x, y) = self.area.map_coordinate(&end);
            let cap = vec![(x - units(4.0), y), (x + units(4.0), y)];
            self.area
                .use_screen_coord()
                .draw(&PathElement::new(cap, pen(color, 1.5)))?;
        }
        Ok(())
    }

    /// A horizontal line from `low` to `high` with short caps.
    pub(crate) fn across(&self, y: f64, low: f64, high: f64, color: RGBAColor) -> Drawn {
        let (Some(low), Some(high)) = (self.place(low, y), self.place(high, y)) else {
            return Ok(());
        };
        self.area
            .draw(&PathElement::new(vec![low, high], pen(color, 1.5)))?;
        for end in [low, high] {
            let (x, y) = self.area.map_coordinate(&end);
            let cap = vec![(x, y - units(DOT)), (x, y + units(DOT))];
            self.area
                .use_screen_coord()
                .draw(&PathElement::new(cap, pen(color, 1.5)))?;
        }
        Ok(())
    }

    /// Where a point lies on the page, in pixels.
    pub(crate) fn on_page(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        let (x, y) = self.area.map_coordinate(&self.place(x, y)?);
        Some((
            f64::from(x) / f64::from(units(1.0)),
            f64::from(y) / f64::from(units(1.0)),
        ))
    }

    fn place(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        Some((self.x.place(x)?, self.y.place(y)?))
    }

    fn circle(&self, place: (f64, f64), radius: f64, color: RGBAColor) -> Drawn {
        Ok(self
            .area
            .draw(&Circle::new(place, units(radius), color.filled()))?)
    }

    fn draw_horizontal_axis(&self, page: &Page<'_>, frame: Frame) -> Drawn {
        let axis = pen(palette::INK, 1.0);
        page.segment(
            (frame.left, frame.bottom),
            (frame.right, frame.bottom),
            axis,
        )?;
        let stride = self.stride_of_labels(frame)?;
        for (index, (place, text)) in self.x.ticks.iter().enumerate() {
            let share = (place - self.x.range.0) / (self.x.range.1 - self.x.range.0);
            let x = frame.left + share * (frame.right - frame.left);
            page.segment((x, frame.bottom), (x, frame.bottom + 4.0), axis)?;
            // The last label is always there: the largest tile.
            if !(self.x.ticks.len() - 1 - index).is_multiple_of(stride) {
                continue;
            }
            // Labels of two lines: a tile and its power.
            for (line, text) in text.lines().enumerate() {
                let y = frame.bottom + 14.0 + 15.0 * line as f64;
                page.text((x, y), Label::new(text, TICK_SIZE).centered())?;
            }
        }
        let lines = self.x.ticks.iter().map(|(_, text)| text.lines().count());
        let y = frame.bottom + 17.0 + 15.0 * lines.max().unwrap_or(1) as f64;
        let title = Label::new(&self.x.title, TITLE_SIZE).centered();
        page.text(((frame.left + frame.right) / 2.0, y), title)
    }

    /// Every how many of the places on the horizontal axis get a label, so that none touches the next.
    fn stride_of_labels(&self, frame: Frame) -> Result<usize, DrawError> {
        let mut widest = 0.0_f64;
        for line in self.x.ticks.iter().flat_map(|(_, text)| text.lines()) {
            widest = widest.max(text_width(line, TICK_SIZE, false)?);
        }
        let per_unit = (frame.right - frame.left) / (self.x.range.1 - self.x.range.0);
        let gaps = self
            .x
            .ticks
            .windows(2)
            .map(|pair| (pair[1].0 - pair[0].0) * per_unit);
        let gap = gaps.fold(f64::INFINITY, f64::min);
        Ok(((widest + 4.0) / gap).ceil().clamp(1.0, 100.0) as usize)
    }

    /// The title is written horizontally above the axis, which is easier to read than a turned one.
    fn draw_vertical_axis(&self, page: &Page<'_>, frame: Frame) -> Drawn {
        for (place, text) in &self.y.ticks {
            let share = (place - self.y.range.0) / (self.y.range.1 - self.y.range.0);
            let y = frame.bottom - share * (frame.bottom - frame.top);
            page.segment((frame.left, y), (frame.right, y), pen(palette::GRID, 1.0))?;
            let label = Label::new(text, TICK_SIZE).to_the_left();
            page.text((frame.left - 8.0, y), label)?;
        }
        let axis = pen(palette::INK, 1.0);
        page.segment((frame.left, frame.bottom), (frame.left, frame.top), axis)?;
        let title = Label::new(&self.y.title, TITLE_SIZE).above();
        page.text((frame.left - SPACE_LEFT, frame.top - 12.0), title)
    }
}

/// Splits a sequence at its gaps.
fn unbroken<T>(places: impl Iterator<Item = Option<T>>) -> Vec<Vec<T>> {
    let mut runs = vec![Vec::new()];
    for place in places {
        match (place, runs.last_mut()) {
            (Some(place), Some(run)) => run.push(place),
            _ => runs.push(Vec::new()),
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}
