//! Chart: the mean difference of every player from the baseline by number of pairs, with its confidence sequence and
//! the thresholds of the decision.

use super::difference_axis;
use crate::chart::axis::Axis;
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::table;
use crate::chart::{Chart, Section, caption};
use tiletune_tuning::results::compare::{Challenge, ComparisonResults, Look};

pub(super) const CHART: Chart<ComparisonResults> = Chart {
    name: "path",
    title: "Difference by number of pairs",
    about: "Mean difference of each player to the baseline after each number of pairs, with a \
            confidence sequence, which contains the true difference at all looks together, and the \
            thresholds at which the test decides.",
    place: Section::Results,
    draw,
};

const PANEL_HEIGHT: f64 = 380.0;
/// Opacity of the confidence sequence.
const SEQUENCE: f64 = 0.18;
/// The panel extends to at most this multiple of the farthest value in the later half of the looks. With two or three
/// looks everything fits. With many looks the first intervals are so wide that the end would be unreadable.
const FARTHEST: f64 = 3.0;

/// Numbers of pairs with a value at each, as in [`Look::shown`].
type Polyline = Vec<[f64; 2]>;

/// The lines of a challenger's panel.
struct Paths {
    is_relative: bool,
    mean: Polyline,
    /// Ends of the confidence sequence, low and high; thresholds of better, worse, not better and not worse.
    around_the_mean: [Polyline; 6],
}

fn draw(results: &ComparisonResults) -> Option<Figure> {
    let challengers = results.challengers.iter();
    let shown: Vec<&Challenge> = challengers.filter(|one| !one.path.is_empty()).collect();
    shown.first()?;
    let lines: Vec<Paths> = shown.iter().map(|one| Paths::of(one)).collect();
    let mut caption = caption::of_comparison(results);
    if lines.iter().any(Paths::are_cut) {
        caption += " Confidence sequences and thresholds wider than a panel are cut at its edge.";
    }
    let sequence = format!("confidence sequence, {} %", 100.0 * (1.0 - results.error));
    let panels = shown.iter().zip(&lines);
    let panels = panels.map(|(challenge, lines)| lines.panel(&challenge.player, &sequence));
    let looks = shown.iter();
    let looks = looks.flat_map(|one| one.path.iter().map(move |look| (&one.player, look)));
    let table = table!(looks, |(player, look)| {
        "player": player,
        "pairs": look.pairs,
        "different": look.different,
        "first": look.first,
        "difference": look.difference,
        "standard_deviation": look.standard_deviation,
        "low": look.low,
        "high": look.high,
        "effect": look.effect,
        "better": look.better,
        "not_better": look.not_better,
        "reference": look.reference,
    });
    Some(Figure::new(1, panels.collect(), caption, table))
}

impl Paths {
    fn of(challenge: &Challenge) -> Self {
        let line = |value: fn(&Look) -> Option<f64>, factor: f64| -> Polyline {
            let point = |look: &Look| {
                let shown = value(look).map(|value| look.shown(value));
                [look.pairs as f64, factor * shown.unwrap_or(f64::NAN)]
            };
            challenge.path.iter().map(point).collect()
        };
        Paths {
            is_relative: challenge.last().is_some_and(|look| look.base().is_some()),
            mean: line(|look| Some(look.difference), 1.0),
            around_the_mean: [
                line(|look| look.low, 1.0),
                line(|look| look.high, 1.0),
                line(|look| look.better, 1.0),
                line(|look| look.better, -1.0),
                line(|look| look.not_better, 1.0),
                line(|look| look.not_better, -1.0),
            ],
        }
    }

    /// The axis from 0 to a little after the last look.
    fn horizontal_axis(&self) -> Axis {
        let last = self.mean.last().map_or(0.0, |point| point[0]);
        Axis::between("pairs", (0.0, 1.03 * last.max(1.0)), 10)
    }

    /// The axis that contains the mean, and everything else within [`FARTHEST`].
    fn vertical_axis(&self) -> Axis {
        let others = self.around_the_mean.iter();
        let later = others.clone().flat_map(|line| &line[line.len() / 2..]);
        let limit = FARTHEST * later.map(|point| point[1].abs()).fold(0.0, f64::max);
        let others = others.flatten().map(|point| point[1].clamp(-limit, limit));
        let values = self.mean.iter().map(|point| point[1]).chain(others);
        Axis::linear(difference_axis(self.is_relative), values.chain([0.0]), 6)
    }

    fn panel(&self, player: &str, sequence: &str) -> Panel {
        let y = self.vertical_axis();
        let (lowest, highest) = y.range;
        // Parts outside of the panel would be drawn along its edge.
        let visible = |line: &Polyline| -> Polyline {
            let is_inside = |value: f64| (lowest..=highest).contains(&value);
            let hidden = |&[pairs, value]: &[f64; 2]| {
                [pairs, if is_inside(value) { value } else { f64::NAN }]
            };
            line.iter().map(hidden).collect()
        };
        let line = |line: &Polyline, color: Color, width: f64, name: &str| {
            Mark::line(color, width, visible(line)).named(name)
        };
        let [low, high, better, worse, not_better, not_worse] = &self.around_the_mean;
        let edges = low.iter().zip(high);
        let edges = edges.map(|(&[pairs, low], &[_, high])| [pairs, low, high]);
        let not = "between these lines: no difference of interest";
        let marks = vec![
            Mark::band(Color::Tuned, SEQUENCE, edges.collect()).named(sequence),
            Mark::level(Color::Grey, 0.0),
            line(not_better, Color::Grey, 1.0, not),
            line(not_worse, Color::Grey, 1.0, not),
            line(better, Color::Best, 1.5, "better from here on"),
            line(worse, Color::Start, 1.5, "worse from here on"),
            Mark::line(Color::Ink, 2.0, self.mean.clone()).named("mean difference"),
        ];
        Panel::new(PANEL_HEIGHT, self.horizontal_axis(), y, marks).headed(player)
    }

    /// Whether a line extends beyond the panel.
    fn are_cut(&self) -> bool {
        let (low, high) = self.vertical_axis().range;
        let is_beyond = |value: f64| value.is_finite() && !(low..=high).contains(&value);
        let mut others = self.around_the_mean.iter().flatten();
        others.any(|point| is_beyond(point[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks after 100, 200 and so on pairs, with confidence sequences that become narrower as in a real test.
    fn lines(looks: u32) -> Paths {
        let line = |factor: f64, mean: f64| -> Polyline {
            let looks = (1..=looks).map(f64::from);
            looks
                .map(|look| [100.0 * look, mean + factor * 60.0 / look])
                .collect()
        };
        Paths {
            is_relative: true,
            mean: line(0.0, 4.0),
            around_the_mean: [
                line(-1.0, 4.0),
                line(1.0, 4.0),
                line(1.0, 1.0),
                line(-1.0, -1.0),
                line(0.4, 0.0),
                line(-0.4, 0.0),
            ],
        }
    }

    #[test]
    fn a_few_looks_are_shown_whole_and_the_first_of_many_are_cut() {
        for (looks, are_cut) in [(1, false), (2, false), (3, false), (30, true)] {
            let lines = lines(looks);
            assert_eq!(lines.are_cut(), are_cut, "{looks} looks");
            let (low, high) = lines.vertical_axis().range;
            let inside = |point: &[f64; 2]| (low..=high).contains(&point[1]);
            assert!(lines.mean.iter().all(inside));
            // Every line has a visible part that is longer than a dot.
            let later = |line: &Polyline| line[line.len() / 2..].iter().all(inside);
            assert!(lines.around_the_mean.iter().all(later));
        }
    }

    #[test]
    fn the_pairs_begin_at_0() {
        let axis = lines(4).horizontal_axis();
        assert_eq!(axis.range, (0.0, 412.0));
        assert_eq!(axis.ticks[0], (0.0, "0".to_owned()));
    }
}
