//! Dots with intervals: one line for each row or player, one panel for each group of them. Charts of experiments and of
//! comparisons share this.

use super::axis::Axis;
use super::figure::{Color, Figure, Mark, Panel};
use super::table::Table;
use crate::number::signed;
use tiletune_tuning::results::experiment::ExperimentResults;
use tiletune_tuning::results::{PairedDifference, Verdict};

/// The unit of a game's result in an experiment, and the decimals of differences of its mean.
pub(super) fn unit(results: &ExperimentResults) -> (&'static str, usize) {
    if results.is_between_two() {
        ("points", 3)
    } else {
        ("score", 0)
    }
}

/// A value with its interval.
pub(super) struct Dot<'a> {
    pub(super) name: &'a str,
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) color: Color,
    /// The meaning of the colour.
    pub(super) means: &'static str,
    pub(super) number: String,
}

impl<'a> Dot<'a> {
    /// A difference in the colour of its verdict, with its interval if it has one.
    pub(super) fn of_difference(
        name: &'a str,
        difference: &PairedDifference,
        decimals: usize,
    ) -> Self {
        let [low, high] = difference.interval().unwrap_or([difference.mean; 2]);
        let (color, means) = verdict(difference.verdict);
        let mut number = signed(difference.mean, decimals);
        if let Some(ends) = difference.interval() {
            let [low, high] = ends.map(|end| signed(end, decimals));
            number += &format!(" ({low} to {high})");
        }
        Dot {
            name,
            value: difference.mean,
            low,
            high,
            color,
            means,
            number,
        }
    }
}

/// The colour of the verdict on a difference, and its meaning.
pub(super) fn verdict(verdict: Verdict) -> (Color, &'static str) {
    match verdict {
        Verdict::Better => (Color::Best, "better"),
        Verdict::Worse => (Color::Start, "worse"),
        _ => (Color::Grey, "undecided or too few"),
    }
}

/// The dots of one panel.
pub(super) struct Group<'a> {
    pub(super) heading: String,
    pub(super) dots: Vec<Dot<'a>>,
}

/// The meaning of the values.
pub(super) struct DotAxis<'a> {
    pub(super) title: String,
    /// The meaning of the intervals, for the legend.
    pub(super) interval: &'a str,
    /// Whether all panels have the same scale, so that they are comparable.
    pub(super) is_shared: bool,
}

/// A figure with a panel for each group. Every panel includes 0.
pub(super) fn figure(
    groups: &[Group],
    measure: &DotAxis<'_>,
    caption: String,
    table: Table,
) -> Figure {
    let axis = |groups: &[Group]| {
        let dots = groups.iter().flat_map(|group| &group.dots);
        let ends = dots.flat_map(|dot| [dot.low, dot.high]);
        let title = measure.title.as_str();
        let around_0 = |(low, high): (f64, f64), end: f64| (low.min(end), high.max(end));
        match ends.fold((0.0, 0.0), around_0) {
            // Nothing is below 0, so the axis begins there.
            (0.0, high) if high > 0.0 => Axis::between(title, (0.0, 1.05 * high), 7),
            (low, high) => Axis::linear(title, [low, high], 7),
        }
    };
    let panel = |group: &Group| {
        let x = if measure.is_shared {
            axis(groups)
        } else {
            axis(std::slice::from_ref(group))
        };
        let mut panel = Panel::of_rows(
            &group.heading,
            x,
            &group.dots,
            |dot| (dot.name.to_owned(), dot.number.clone()),
            |dot, y| {
                let mut marks = vec![Mark::dot(dot.color, dot.value, y).named(dot.means)];
                // The interval is drawn over the dot, which can be wider.
                if dot.low < dot.high {
                    let interval = Mark::across(Color::Ink, y, [dot.low, dot.high]);
                    marks.push(interval.named(measure.interval));
                }
                marks
            },
        );
        let top = group.dots.len() as f64;
        let zero = Mark::dashes(Color::Grey, [0.0, 0.0], [0.0, top]);
        panel.marks.insert(0, zero);
        panel
    };
    let panels = groups.iter().map(panel).collect();
    Figure::new(1, panels, caption, table)
}
