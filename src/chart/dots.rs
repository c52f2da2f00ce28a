//! Rows of an experiment as dots with intervals, one below the other, in a panel for each group of
//! neighbours; what the charts of scores and of differences have in common.

use plotters::style::RGBAColor;
use plotters::style::text_anchor::HPos;

use super::axis::Axis;
use super::page::{Drawn, Frame, Label, Page, fitted};
use super::palette::{GREY, INK};
use super::panel::{self, Panel};

const ROW_HEIGHT: f64 = 26.0;
/// Space for the names of the rows.
const NAMES: f64 = 190.0;
/// Space for the values as numbers.
const NUMBERS: f64 = 76.0;
const TEXT_SIZE: f64 = 11.0;

/// A value with its interval.
pub(super) struct Dot<'a> {
    pub(super) name: &'a str,
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) color: RGBAColor,
    /// The value as text.
    pub(super) number: String,
}

/// Dots that are drawn in one panel, which always shows 0 as well.
pub(super) struct Group<'a> {
    pub(super) heading: String,
    pub(super) dots: Vec<Dot<'a>>,
}

impl Group<'_> {
    fn height(&self) -> f64 {
        panel::ABOVE + panel::BELOW + ROW_HEIGHT * self.dots.len() as f64
    }
}

/// The axis that measures the values.
#[derive(Clone, Copy)]
pub(super) struct Measure {
    pub(super) title: &'static str,
    /// Whether all panels have one scale, so that they compare.
    pub(super) is_shared: bool,
}

/// Height of all panels.
pub(super) fn height(groups: &[Group]) -> f64 {
    groups.iter().map(Group::height).sum()
}

/// Draws a panel for each group into the body of the page.
pub(super) fn draw(page: &Page<'_>, groups: &[Group], measure: Measure) -> Drawn {
    let mut top = page.body.top;
    let ends = |groups: &[Group]| {
        let dots = groups.iter().flat_map(|group| &group.dots);
        let ends = dots.flat_map(|dot| [0.0, dot.low, dot.high]);
        ends.collect::<Vec<f64>>()
    };
    for group in groups {
        let bottom = top + group.height();
        let frame = Frame {
            top,
            bottom,
            ..page.body
        };
        let ends = match measure.is_shared {
            true => ends(groups),
            false => ends(std::slice::from_ref(group)),
        };
        draw_group(page, frame, group, Axis::linear(measure.title, ends, 7))?;
        top = bottom;
    }
    Ok(())
}

fn draw_group(page: &Page<'_>, frame: Frame, group: &Group, x: Axis) -> Drawn {
    let mut frame = frame.inside();
    frame.left += NAMES - panel::LEFT;
    frame.right -= NUMBERS;
    let count = group.dots.len() as f64;
    let mut y = Axis::between("", (0.0, count), 1);
    y.ticks.clear();
    let panel = Panel::new(page, frame, x, y)?;
    let heading = Label {
        bold: true,
        ..Label::new(&group.heading, 12.0)
    };
    page.text((frame.left, frame.top - 14.0), heading)?;
    panel.dashes((0.0, 0.0), (0.0, count), GREY)?;
    let right = |text: &str, x: f64, y: f64| {
        let label = Label {
            across: HPos::Right,
            ..Label::new(text, TEXT_SIZE)
        };
        page.text((x, y), label)
    };
    for (index, dot) in group.dots.iter().enumerate() {
        let y = count - index as f64 - 0.5;
        panel.line(&[(dot.low, y), (dot.high, y)], INK, 1.5)?;
        panel.dot(dot.value, y, dot.color)?;
        let middle = frame.bottom - (frame.bottom - frame.top) * y / count;
        let name = fitted(dot.name, TEXT_SIZE, false, NAMES - 16.0)?;
        right(&name, frame.left - 8.0, middle)?;
        right(&dot.number, frame.right + NUMBERS, middle)?;
    }
    Ok(())
}
