//! Chart: the mean difference of every player to the first one by number of pairs, with its confidence
//! sequence and the thresholds of the decision.

use crate::chart::draw::{
    Axis, BEST, DrawError, Drawn, Frame, GREY, INK, Label, Layout, Legend, Mark, Page, Panel,
    START, TUNED, faint, fitted,
};
use crate::chart::{Chart, Figure, Table, caption, cell};
use tiletune_tuning::results::compare::{Challenge, ComparisonResults, Look};

pub(super) const CHART: Chart<ComparisonResults> = Chart {
    name: "path",
    title: "Difference by number of pairs",
    about: "Mean difference of each player to the first one after each number of pairs, with a \
            confidence sequence, which contains the true difference at all looks together, and the \
            thresholds at which the test decides.",
    draw,
};

const PANEL_HEIGHT: f64 = 380.0;
/// Strength of the confidence sequence.
const SEQUENCE: f64 = 0.18;
/// The panel reaches no farther than this many times the farthest value of the later half of the looks. All of
/// two or three looks fit then; the first of many looks are so wide that the end could not be read.
const FARTHEST: f64 = 3.0;

/// Numbers of pairs and a value at each in percent of the result of the first player.
type Line = Vec<(f64, f64)>;

/// What the panel of a challenger shows.
struct Lines {
    mean: Line,
    low: Line,
    high: Line,
    better: Line,
    worse: Line,
    not_better: Line,
    not_worse: Line,
}

fn draw(results: &ComparisonResults) -> Result<Option<Figure>, DrawError> {
    let challengers = results.challengers.iter();
    let shown: Vec<&Challenge> = challengers.filter(|one| !one.path.is_empty()).collect();
    if shown.is_empty() {
        return Ok(None);
    }
    let lines: Vec<Lines> = shown.iter().map(|one| Lines::of(one)).collect();
    let cut = match lines.iter().any(Lines::are_cut) {
        true => " Confidence sequences and thresholds wider than a panel are cut at its edge.",
        false => "",
    };
    let confidence = 100.0 * (1.0 - results.error);
    let layout = Layout {
        title: CHART.title,
        legend: vec![
            Legend::new(Mark::Line, INK, "mean difference"),
            Legend::new(
                Mark::Area,
                faint(TUNED, SEQUENCE),
                format!("confidence sequence, {confidence} %"),
            ),
            Legend::new(Mark::Line, BEST, "better from here on"),
            Legend::new(Mark::Line, START, "worse from here on"),
            Legend::new(Mark::Line, GREY, "not better below, not worse above"),
        ],
        caption: caption::of_comparison(results) + cut,
        body_height: PANEL_HEIGHT * shown.len() as f64,
    };
    Figure::new(&layout, table(&shown), |page| {
        for (index, (challenge, lines)) in shown.iter().zip(&lines).enumerate() {
            let frame = page.body.cell(1, shown.len(), index);
            draw_panel(page, frame, &challenge.player, lines)?;
        }
        Ok(())
    })
}

/// A value of a look in percent of the result of the first player.
fn percent(look: &Look, value: Option<f64>) -> Option<f64> {
    look.share(value?).map(|share| 100.0 * share)
}

impl Lines {
    fn of(challenge: &Challenge) -> Self {
        let line = |value: fn(&Look) -> Option<f64>, factor: f64| -> Line {
            let point = |look: &Look| {
                let percent = percent(look, value(look)).unwrap_or(f64::NAN);
                (look.pairs as f64, factor * percent)
            };
            challenge.path.iter().map(point).collect()
        };
        Lines {
            mean: line(|look| Some(look.difference), 1.0),
            low: line(|look| look.low, 1.0),
            high: line(|look| look.high, 1.0),
            better: line(|look| look.better, 1.0),
            worse: line(|look| look.better, -1.0),
            not_better: line(|look| look.not_better, 1.0),
            not_worse: line(|look| look.not_better, -1.0),
        }
    }

    /// All but the mean.
    fn around_the_mean(&self) -> [&Line; 6] {
        [
            &self.low,
            &self.high,
            &self.better,
            &self.worse,
            &self.not_better,
            &self.not_worse,
        ]
    }

    /// From 0 to a little after the last look.
    fn horizontal_axis(&self) -> Axis {
        let last = self.mean.last().map_or(0.0, |point| point.0);
        Axis::between("pairs", (0.0, 1.03 * last.max(1.0)), 10)
    }

    /// Contains the mean, and all else as far as [`FARTHEST`] allows.
    fn vertical_axis(&self) -> Axis {
        let others = self.around_the_mean();
        let later = others.iter().flat_map(|line| &line[line.len() / 2..]);
        let limit = FARTHEST * later.map(|point| point.1.abs()).fold(0.0, f64::max);
        let others = others.into_iter().flatten();
        let others = others.map(|point| point.1.clamp(-limit, limit));
        let values = self.mean.iter().map(|point| point.1).chain(others);
        let title = "difference to the first player in %";
        Axis::linear(title, values.chain([0.0]), 6)
    }

    /// Whether something reaches beyond the panel.
    fn are_cut(&self) -> bool {
        let (low, high) = self.vertical_axis().range;
        let is_beyond = |value: f64| value.is_finite() && !(low..=high).contains(&value);
        let mut others = self.around_the_mean().into_iter().flatten();
        others.any(|point| is_beyond(point.1))
    }
}

fn draw_panel(page: &Page<'_>, frame: Frame, player: &str, lines: &Lines) -> Drawn {
    let inside = frame.inside();
    let y = lines.vertical_axis();
    let (lowest, highest) = y.range;
    let visible = |line: &Line| -> Line {
        let inside = |value: f64| (lowest..=highest).contains(&value);
        let hidden = |&(pairs, value)| (pairs, if inside(value) { value } else { f64::NAN });
        line.iter().map(hidden).collect()
    };
    let panel = Panel::new(page, inside, lines.horizontal_axis(), y)?;
    let middle = (inside.left + inside.right) / 2.0;
    let player = fitted(player, 12.0, true, inside.right - middle)?;
    page.text(
        (middle, inside.top - 14.0),
        Label::new(&player, 12.0).bold(),
    )?;

    let edges = lines.low.iter().zip(&lines.high);
    let edges = edges.map(|(&(pairs, low), &(_, high))| (pairs, low, high));
    panel.band(&edges.collect::<Vec<_>>(), faint(TUNED, SEQUENCE))?;
    panel.level(0.0, GREY)?;
    panel.line(&visible(&lines.not_better), GREY, 1.0)?;
    panel.line(&visible(&lines.not_worse), GREY, 1.0)?;
    panel.line(&visible(&lines.better), BEST, 1.5)?;
    panel.line(&visible(&lines.worse), START, 1.5)?;
    panel.line(&lines.mean, INK, 2.0)
}

fn table(challengers: &[&Challenge]) -> Table {
    let mut table = Table::new([
        "player",
        "pairs",
        "different",
        "first",
        "difference",
        "standard_deviation",
        "low",
        "high",
        "effect",
        "better",
        "not_better",
    ]);
    let known = |value: Option<f64>| value.map(cell).unwrap_or_default();
    for challenge in challengers {
        for look in &challenge.path {
            let counts = [look.pairs, look.different].map(cell);
            let means = [look.first, look.difference, look.standard_deviation].map(cell);
            let ends = [look.low, look.high].map(known);
            let thresholds = [look.better, look.not_better].map(known);
            table.row(
                [cell(&challenge.player)]
                    .into_iter()
                    .chain(counts)
                    .chain(means)
                    .chain(ends)
                    .chain([cell(look.effect)])
                    .chain(thresholds),
            );
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks after 100, 200 .. pairs, whose confidence sequences get narrower like those of a test.
    fn lines(looks: u32) -> Lines {
        let line = |factor: f64, mean: f64| -> Line {
            let looks = (1..=looks).map(f64::from);
            looks
                .map(|look| (100.0 * look, mean + factor * 60.0 / look))
                .collect()
        };
        Lines {
            mean: line(0.0, 4.0),
            low: line(-1.0, 4.0),
            high: line(1.0, 4.0),
            better: line(1.0, 1.0),
            worse: line(-1.0, -1.0),
            not_better: line(0.4, 0.0),
            not_worse: line(-0.4, 0.0),
        }
    }

    #[test]
    fn a_few_looks_are_shown_whole_and_the_first_of_many_are_cut() {
        for (looks, are_cut) in [(1, false), (2, false), (3, false), (30, true)] {
            let lines = lines(looks);
            assert_eq!(lines.are_cut(), are_cut, "{looks} looks");
            let (low, high) = lines.vertical_axis().range;
            let inside = |point: &(f64, f64)| (low..=high).contains(&point.1);
            assert!(lines.mean.iter().all(inside));
            // Every line has a part that is seen, not only a dot.
            let later = |line: &Line| line[line.len() / 2..].iter().all(inside);
            assert!(lines.around_the_mean().into_iter().all(later));
        }
    }

    #[test]
    fn the_pairs_begin_at_0() {
        let axis = lines(4).horizontal_axis();
        assert_eq!(axis.range, (0.0, 412.0));
        assert_eq!(axis.ticks[0], (0.0, "0".to_owned()));
    }
}
