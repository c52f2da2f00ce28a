//! Dots with intervals: one line for each row or player, one panel for each group of them.
//! Shared by charts of experiments and of comparisons.

use crate::chart::draw::{
    Axis, BEST, DrawError, Drawn, Frame, GREY, INK, Label, Legend, Mark, Page, Panel, RGBAColor,
    SPACE_ABOVE, SPACE_BELOW, SPACE_LEFT, START, fitted, text_width,
};
use crate::number::signed;
use tiletune_tuning::results::{PairedDifference, Verdict};

const ROW_HEIGHT: f64 = 26.0;
/// Space for the names of the rows.
const NAMES: f64 = 190.0;
/// Least space for the values as numbers.
const NUMBERS: f64 = 76.0;
const TEXT_SIZE: f64 = 11.0;

/// A value with its interval.
pub(in crate::chart) struct Dot<'a> {
    pub(in crate::chart) name: &'a str,
    pub(in crate::chart) value: f64,
    pub(in crate::chart) low: f64,
    pub(in crate::chart) high: f64,
    pub(in crate::chart) color: RGBAColor,
    /// The value as text.
    pub(in crate::chart) number: String,
}

impl<'a> Dot<'a> {
    /// A difference with its interval, if it has one, in the colour of its verdict.
    pub(in crate::chart) fn of_difference(
        name: &'a str,
        difference: &PairedDifference,
        decimals: usize,
    ) -> Self {
        let [low, high] = difference.interval().unwrap_or([difference.mean; 2]);
        Dot {
            name,
            value: difference.mean,
            low,
            high,
            color: verdict_color(difference.verdict),
            number: match difference.interval() {
                None => signed(difference.mean, decimals),
                Some(ends) => {
                    let [low, high] = ends.map(|end| signed(end, decimals));
                    format!("{} ({low} to {high})", signed(difference.mean, decimals))
                }
            },
        }
    }
}

/// The colour of the verdict on a difference.
pub(in crate::chart) fn verdict_color(verdict: Verdict) -> RGBAColor {
    match verdict {
        Verdict::Better => BEST,
        Verdict::Worse => START,
        _ => GREY,
    }
}

/// A legend that explains [`verdict_color`], and more.
pub(in crate::chart) fn verdict_legend<const MORE: usize>(more: [Legend; MORE]) -> Vec<Legend> {
    let verdicts = [
        Legend::new(Mark::Dot, BEST, "better"),
        Legend::new(Mark::Dot, START, "worse"),
        Legend::new(Mark::Dot, GREY, "undecided or too few"),
    ];
    verdicts.into_iter().chain(more).collect()
}

/// Dots that are drawn in one panel.
pub(in crate::chart) struct Group<'a> {
    pub(in crate::chart) heading: String,
    pub(in crate::chart) dots: Vec<Dot<'a>>,
}

impl Group<'_> {
    fn height(&self) -> f64 {
        height_of_rows(self.dots.len()) - without_heading(&self.heading)
    }
}

/// The axis that measures the values.
#[derive(Clone, Copy)]
pub(in crate::chart) struct Measure {
    pub(in crate::chart) title: &'static str,
    /// Whether all panels have the same scale, so that they are comparable.
    pub(in crate::chart) is_shared: bool,
    /// Whether the panels show 0: of differences and shares.
    pub(in crate::chart) has_zero: bool,
}

/// Height of all panels.
pub(in crate::chart) fn height(groups: &[Group]) -> f64 {
    groups.iter().map(Group::height).sum()
}

/// Draws a panel for each group into the body of the page.
pub(in crate::chart) fn draw(page: &Page<'_>, groups: &[Group], measure: Measure) -> Drawn {
    let mut top = page.body.top;
    let ends = |groups: &[Group]| {
        let dots = groups.iter().flat_map(|group| &group.dots);
        let ends = dots.flat_map(|dot| [dot.low, dot.high]);
        let zero = measure.has_zero.then_some(0.0);
        ends.chain(zero).collect::<Vec<f64>>()
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
        draw_group(
            page,
            frame,
            group,
            measure,
            Axis::linear(measure.title, ends, 7),
        )?;
        top = bottom;
    }
    Ok(())
}

fn draw_group(page: &Page<'_>, frame: Frame, group: &Group, measure: Measure, x: Axis) -> Drawn {
    let texts = group.dots.iter().map(|dot| (dot.name, &*dot.number));
    let panel = rows(page, frame, &group.heading, texts, x)?;
    let count = group.dots.len() as f64;
    if measure.has_zero {
        panel.dashes((0.0, 0.0), (0.0, count), GREY)?;
    }
    for (index, dot) in group.dots.iter().enumerate() {
        let y = count - index as f64 - 0.5;
        panel.dot(dot.value, y, dot.color)?;
        // Over the dot, which can be wider.
        if dot.low < dot.high {
            panel.across(y, dot.low, dot.high, INK)?;
        }
    }
    Ok(())
}

/// What a panel without a heading needs less.
fn without_heading(heading: &str) -> f64 {
    if heading.is_empty() { 20.0 } else { 0.0 }
}

/// Height of a panel of so many rows under a heading.
pub(in crate::chart) fn height_of_rows(rows: usize) -> f64 {
    SPACE_ABOVE + SPACE_BELOW + ROW_HEIGHT * rows as f64
}

/// A panel for rows, each with its name on the left and a number on the right; the first is the
/// uppermost and is drawn between `rows - 1` and `rows`.
pub(in crate::chart) fn rows<'page, 'name>(
    page: &Page<'page>,
    frame: Frame,
    heading: &str,
    rows: impl ExactSizeIterator<Item = (&'name str, &'name str)>,
    x: Axis,
) -> Result<Panel<'page>, DrawError> {
    let mut frame = frame.inside();
    frame.top -= without_heading(heading);
    frame.left += NAMES - SPACE_LEFT;
    let mut widest = NUMBERS;
    let rows: Vec<(&str, &str)> = rows.collect();
    for (_, number) in &rows {
        widest = widest.max(text_width(number, TEXT_SIZE, false)? + 12.0);
    }
    frame.right -= widest;
    let count = rows.len() as f64;
    let mut y = Axis::between("", (0.0, count), 1);
    y.ticks.clear();
    let panel = Panel::new(page, frame, x, y)?;
    let heading = Label::new(heading, 12.0).bold();
    page.text((frame.left, frame.top - 14.0), heading)?;
    let right =
        |text: &str, x: f64, y: f64| page.text((x, y), Label::new(text, TEXT_SIZE).to_the_left());
    for (index, &(name, number)) in rows.iter().enumerate() {
        let middle = frame.top + (frame.bottom - frame.top) * (index as f64 + 0.5) / count;
        let name = fitted(name, TEXT_SIZE, false, NAMES - 16.0)?;
        right(&name, frame.left - 8.0, middle)?;
        right(number, frame.right + widest, middle)?;
    }
    Ok(panel)
}
