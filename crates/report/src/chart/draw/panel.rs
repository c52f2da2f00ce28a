//! A panel: a rectangle of the page with two axes, and its marks.

use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::types::RangedCoordf64;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, DashedPathElement, PathElement, Polygon, Rectangle};
use plotters::prelude::SVGBackend;
use plotters::style::{Color, RGBAColor};

use super::error::{DrawError, Drawn};
use super::palette;
use super::surface::{DOT, Frame, Label, Surface, pen, text_width, units};
use crate::chart::axis::Axis;
use crate::chart::figure::{Mark, SPACE_ABOVE, SPACE_BELOW, Shape};

const TICK_SIZE: f64 = 11.0;
const TITLE_SIZE: f64 = 12.0;
/// Size of texts beside marks.
const MARK_SIZE: f64 = 10.0;
/// Smallest distance between two labels with priorities.
const BETWEEN_LABELS: f64 = 6.0;
/// Space to the left of a panel for its labels.
pub(super) const SPACE_LEFT: f64 = 76.0;

impl Frame {
    /// The space for a panel inside this frame, with room for its labels.
    pub(super) fn inside(self) -> Self {
        Frame {
            left: self.left + SPACE_LEFT,
            top: self.top + SPACE_ABOVE,
            right: self.right - 16.0,
            bottom: self.bottom - SPACE_BELOW,
        }
    }
}

/// A coordinate system on the page. Values that are not finite are not drawn.
pub(super) struct Axes<'surface, 'axis> {
    area: DrawingArea<SVGBackend<'surface>, Cartesian2d<RangedCoordf64, RangedCoordf64>>,
    x: &'axis Axis,
    y: &'axis Axis,
}

impl<'surface, 'axis> Axes<'surface, 'axis> {
    /// Draws the grid and the axes around `frame`, which the marks will fill.
    pub(super) fn new(
        surface: &Surface<'surface>,
        frame: Frame,
        [x, y]: [&'axis Axis; 2],
    ) -> Result<Self, DrawError> {
        let across = units(frame.left)..units(frame.right);
        let upward = units(frame.bottom)..units(frame.top);
        let coordinates =
            Cartesian2d::new(x.range.0..x.range.1, y.range.0..y.range.1, (across, upward));
        let panel = Axes {
            area: surface.area.apply_coord_spec(coordinates),
            x,
            y,
        };
        panel.draw_horizontal_axis(surface, frame)?;
        panel.draw_vertical_axis(surface, frame)?;
        Ok(panel)
    }

    pub(super) fn mark(&self, surface: &Surface<'_>, mark: &Mark) -> Drawn {
        let color = palette::color(mark.color, mark.strength);
        match &mark.shape {
            Shape::Line { width, points } => self.line(points, color, *width),
            Shape::Band { edges } => self.band(edges, color),
            Shape::Level { y } => {
                let (left, right) = self.x.range;
                self.dashes(
                    Some(left).zip(self.y.place(*y)),
                    Some(right).zip(self.y.place(*y)),
                    color,
                )
            }
            Shape::Dashes { from, to } => self.dashes(self.place(*from), self.place(*to), color),
            Shape::Divider { x } => {
                let (low, high) = self.y.range;
                let line = PathElement::new(vec![(*x, low), (*x, high)], pen(color, 1.0));
                Ok(self.area.draw(&line)?)
            }
            Shape::Bar { from, to } => match self.place(*from).zip(self.place(*to)) {
                Some((from, to)) => Ok(self
                    .area
                    .draw(&Rectangle::new([from, to], color.filled()))?),
                None => Ok(()),
            },
            Shape::Dot { at } => {
                let place = self.place(*at);
                place.map_or(Ok(()), |place| self.circle(place, DOT, color))
            }
            Shape::Interval {
                at,
                low,
                high,
                is_upright: true,
            } => self.interval([[*at, *low], [*at, *high]], (units(4.0), 0), color),
            Shape::Interval {
                at,
                low,
                high,
                is_upright: false,
            } => self.interval([[*low, *at], [*high, *at]], (0, units(DOT)), color),
            Shape::Text { at, text } => {
                let Some(place) = self.place(*at) else {
                    return Ok(());
                };
                let (x, y) = self.area.map_coordinate(&place);
                let [x, y] = [x, y].map(|place| f64::from(place) / f64::from(units(1.0)));
                surface.text((x, y - 8.0), Label::new(text, MARK_SIZE).centered())
            }
        }
    }

    /// A line through the points, broken at points without a place. A single point becomes a dot.
    fn line(&self, points: &[[f64; 2]], color: RGBAColor, width: f64) -> Drawn {
        for run in unbroken(points.iter().map(|point| self.place(*point))) {
            match run[..] {
                [point] => self.circle(point, 2.0 + width / 2.0, color)?,
                _ => self.area.draw(&PathElement::new(run, pen(color, width)))?,
            }
        }
        Ok(())
    }

    /// The area between two values at each place.
    fn band(&self, edges: &[[f64; 3]], color: RGBAColor) -> Drawn {
        let places = edges.iter().map(|&[x, low, high]| {
            let (x, low) = self.place([x, low])?;
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

    fn dashes(&self, from: Option<(f64, f64)>, to: Option<(f64, f64)>, color: RGBAColor) -> Drawn {
        let Some((from, to)) = from.zip(to) else {
            return Ok(());
        };
        let points = vec![from, to];
        let line = DashedPathElement::new(points, units(6.0), units(4.0), pen(color, 1.75));
        Ok(self.area.draw(&line)?)
    }

    /// A line between two ends. Each end has a cap that extends by this distance to both sides.
    fn interval(&self, ends: [[f64; 2]; 2], cap: (i32, i32), color: RGBAColor) -> Drawn {
        let [Some(low), Some(high)] = ends.map(|end| self.place(end)) else {
            return Ok(());
        };
        self.area
            .draw(&PathElement::new(vec![low, high], pen(color, 1.5)))?;
        for end in [low, high] {
            let (x, y) = self.area.map_coordinate(&end);
            let cap = vec![(x - cap.0, y - cap.1), (x + cap.0, y + cap.1)];
            self.area
                .use_screen_coord()
                .draw(&PathElement::new(cap, pen(color, 1.5)))?;
        }
        Ok(())
    }

    fn place(&self, [x, y]: [f64; 2]) -> Option<(f64, f64)> {
        Some((self.x.place(x)?, self.y.place(y)?))
    }

    fn circle(&self, place: (f64, f64), radius: f64, color: RGBAColor) -> Drawn {
        Ok(self
            .area
            .draw(&Circle::new(place, units(radius), color.filled()))?)
    }

    fn draw_horizontal_axis(&self, surface: &Surface<'_>, frame: Frame) -> Drawn {
        let axis = pen(palette::INK, 1.0);
        surface.segment(
            (frame.left, frame.bottom),
            (frame.right, frame.bottom),
            axis,
        )?;
        for (place, text) in self.labels(frame)? {
            let share = (place - self.x.range.0) / (self.x.range.1 - self.x.range.0);
            let x = frame.left + share * (frame.right - frame.left);
            surface.segment((x, frame.bottom), (x, frame.bottom + 4.0), axis)?;
            // A label can have two lines: a tile and its power.
            for (line, text) in text.lines().enumerate() {
                let y = frame.bottom + 14.0 + 15.0 * line as f64;
                surface.text((x, y), Label::new(text, TICK_SIZE).centered())?;
            }
        }
        let lines = self.x.ticks.iter().map(|(_, text)| text.lines().count());
        let y = frame.bottom + 17.0 + 15.0 * lines.max().unwrap_or(1) as f64;
        let title = Label::new(&self.x.title, TITLE_SIZE).centered();
        surface.text(((frame.left + frame.right) / 2.0, y), title)
    }

    /// The labels of the horizontal axis, selected so that they do not touch. Places without a label get an empty one.
    fn labels(&self, frame: Frame) -> Result<Vec<(f64, &'axis str)>, DrawError> {
        let ticks: &'axis [(f64, String)] = &self.x.ticks;
        let per_unit = (frame.right - frame.left) / (self.x.range.1 - self.x.range.0);
        if self.x.has_priorities {
            return labels_by_priority(ticks, per_unit);
        }
        let mut widest = 0.0_f64;
        for line in ticks.iter().flat_map(|(_, text)| text.lines()) {
            widest = widest.max(text_width(line, TICK_SIZE, false)?);
        }
        let gaps = ticks
            .windows(2)
            .map(|pair| (pair[1].0 - pair[0].0) * per_unit);
        let gap = gaps.fold(f64::INFINITY, f64::min);
        let stride = ((widest + 4.0) / gap).ceil().clamp(1.0, 100.0) as usize;
        // The last label is always drawn: it is the largest tile.
        let is_labelled = |index: usize| (ticks.len() - 1 - index).is_multiple_of(stride);
        let labels = ticks.iter().enumerate();
        let label = |(index, (place, text)): (usize, &'axis (f64, String))| {
            (
                *place,
                if is_labelled(index) {
                    text.as_str()
                } else {
                    ""
                },
            )
        };
        Ok(labels.map(label).collect())
    }

    /// The title is written horizontally above the axis, because that is easier to read than a turned title.
    fn draw_vertical_axis(&self, surface: &Surface<'_>, frame: Frame) -> Drawn {
        for (place, text) in &self.y.ticks {
            let share = (place - self.y.range.0) / (self.y.range.1 - self.y.range.0);
            let y = frame.bottom - share * (frame.bottom - frame.top);
            surface.segment((frame.left, y), (frame.right, y), pen(palette::GRID, 1.0))?;
            let label = Label::new(text, TICK_SIZE).to_the_left();
            surface.text((frame.left - 8.0, y), label)?;
        }
        let axis = pen(palette::INK, 1.0);
        surface.segment((frame.left, frame.bottom), (frame.left, frame.top), axis)?;
        let title = Label::new(&self.y.title, TITLE_SIZE).above();
        surface.text((frame.left - SPACE_LEFT, frame.top - 12.0), title)
    }
}

/// The labels that touch no earlier label.
fn labels_by_priority(
    ticks: &[(f64, String)],
    per_unit: f64,
) -> Result<Vec<(f64, &str)>, DrawError> {
    let mut labels = Vec::new();
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for (place, text) in ticks {
        let half = text_width(text, TICK_SIZE, false)? / 2.0 + BETWEEN_LABELS / 2.0;
        let middle = place * per_unit;
        let is_free = |(other, beside): &(f64, f64)| (middle - other).abs() >= half + beside;
        if taken.iter().all(is_free) {
            taken.push((middle, half));
            labels.push((*place, text.as_str()));
        }
    }
    Ok(labels)
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
