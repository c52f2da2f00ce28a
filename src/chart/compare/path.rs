//! Chart: the mean difference of every player to the first one by number of pairs, with its confidence
//! sequence and the thresholds of the decision.

use crate::chart::draw::{
    Axis, BEST, DrawError, Drawn, Frame, GREY, INK, Label, Layout, Legend, Mark, Page, Panel,
    START, TUNED, faint,
};
use crate::chart::{Chart, Figure, Table, caption, cell};
use crate::record::compare::{Challenge, ComparisonResults, Look};

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

fn draw(results: &ComparisonResults) -> Result<Option<Figure>, DrawError> {
    let challengers = results.challengers.iter();
    let shown: Vec<&Challenge> = challengers.filter(|one| !one.path.is_empty()).collect();
    if shown.is_empty() {
        return Ok(None);
    }
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
        caption: caption::of_comparison(results),
        body_height: PANEL_HEIGHT * shown.len() as f64,
    };
    Figure::new(&layout, table(&shown), |page| {
        for (index, challenge) in shown.iter().enumerate() {
            draw_panel(page, page.body.cell(1, shown.len(), index), challenge)?;
        }
        Ok(())
    })
}

/// A value of a look in percent of the result of the first player.
fn percent(look: &Look, value: Option<f64>) -> Option<f64> {
    look.share(value?).map(|share| 100.0 * share)
}

fn draw_panel(page: &Page<'_>, frame: Frame, challenge: &Challenge) -> Drawn {
    let path = &challenge.path;
    let points = |value: fn(&Look) -> Option<f64>, factor: f64| -> Vec<(f64, f64)> {
        let point = |look: &Look| {
            let percent = percent(look, value(look)).unwrap_or(f64::NAN);
            (look.pairs as f64, factor * percent)
        };
        path.iter().map(point).collect()
    };
    let mean = points(|look| Some(look.difference), 1.0);
    let (low, high) = (points(|look| look.low, 1.0), points(|look| look.high, 1.0));
    let better = points(|look| look.better, 1.0);
    let worse = points(|look| look.better, -1.0);
    let not_better = points(|look| look.not_better, 1.0);
    let not_worse = points(|look| look.not_better, -1.0);

    let inside = frame.inside();
    let pairs = path.iter().map(|look| look.pairs as f64);
    let x = Axis::linear("pairs", pairs.chain([0.0]), 10);
    // The sequence is very wide at first. The axis shows the later half of it.
    let later = [&mean, &low, &high, &better, &worse].map(|line| &line[line.len() / 2..]);
    let shown = later.into_iter().flatten().map(|point| point.1);
    let y = Axis::linear("difference to the first player in %", shown.chain([0.0]), 6);
    let (lowest, highest) = y.range;
    let visible = |line: &[(f64, f64)]| -> Vec<(f64, f64)> {
        let inside = |value: f64| (lowest..=highest).contains(&value);
        let hidden = |&(pairs, value)| (pairs, if inside(value) { value } else { f64::NAN });
        line.iter().map(hidden).collect()
    };
    let panel = Panel::new(page, inside, x, y)?;
    let title = Label::new(&challenge.player, 12.0).bold();
    page.text(
        ((inside.left + inside.right) / 2.0, inside.top - 14.0),
        title,
    )?;

    let edges = low.iter().zip(&high);
    let edges = edges.map(|(&(pairs, low), &(_, high))| (pairs, low, high));
    panel.band(&edges.collect::<Vec<_>>(), faint(TUNED, SEQUENCE))?;
    panel.level(0.0, GREY)?;
    panel.line(&visible(&not_better), GREY, 1.0)?;
    panel.line(&visible(&not_worse), GREY, 1.0)?;
    panel.line(&visible(&better), BEST, 1.5)?;
    panel.line(&visible(&worse), START, 1.5)?;
    panel.line(&mean, INK, 2.0)
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
