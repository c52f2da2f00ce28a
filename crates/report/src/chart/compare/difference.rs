//! Chart: the difference of each of several players from the baseline, the first player.

use super::difference_axis;
use crate::chart::dots::{self, Dot, DotAxis, Group};
use crate::chart::figure::{Color, Figure};
use crate::chart::table::table;
use crate::chart::{Chart, Section, caption};
use crate::number;
use tiletune_tuning::results::compare::{Challenge, ComparisonResults, Look, Verdict};

pub(super) const CHART: Chart<ComparisonResults> = Chart {
    name: "difference",
    title: "Players against the baseline",
    about: "Mean difference between each player and the baseline at its last look, with its \
            confidence sequence, if more than two players are compared.",
    place: Section::Results,
    draw,
};

fn draw(results: &ComparisonResults) -> Option<Figure> {
    if results.challengers.len() < 2 {
        return None;
    }
    let compared = results.challengers.iter();
    let compared = compared.filter_map(|one| Some((one, one.last()?)));
    let compared: Vec<(&Challenge, &Look)> = compared.collect();
    compared.first()?;
    // All players share one axis. It is in percent only if all differences can be relative.
    let is_relative = compared.iter().all(|(_, look)| look.base().is_some());
    let dots = compared.iter();
    let dots: Vec<Dot> = dots
        .map(|(one, look)| dot(one, look, is_relative))
        .collect();
    let measure = DotAxis {
        title: difference_axis(is_relative).to_owned(),
        interval: "confidence sequence",
        is_shared: true,
    };
    let table = table!(&compared, |(one, look)| {
        "player": one.player,
        "verdict": one.verdict.map(Verdict::words),
        "pairs": look.pairs,
        "difference": look.difference,
        "low": look.low,
        "high": look.high,
        "percent": look.percent(look.difference),
    });
    let group = Group {
        heading: format!("against {}", results.players[0].name),
        dots,
    };
    let caption = caption::of_comparison(results);
    Some(dots::figure(&[group], &measure, caption, table))
}

/// The difference from the baseline, in percent or in points.
fn dot<'a>(challenge: &'a Challenge, look: &Look, is_relative: bool) -> Dot<'a> {
    let (color, means) = match challenge.verdict {
        Some(Verdict::Better) => (Color::Best, "better"),
        Some(Verdict::Worse) => (Color::Start, "worse"),
        _ => (Color::Grey, "no difference of interest, or undecided"),
    };
    let reference = look.base().filter(|_| is_relative);
    let shown = |value: f64| reference.map_or(value, |reference| 100.0 * value / reference);
    let end = |end: Option<f64>| shown(end.unwrap_or(look.difference));
    Dot {
        name: &challenge.player,
        value: shown(look.difference),
        low: end(look.low),
        high: end(look.high),
        color,
        means,
        number: number::difference(look.difference, reference),
    }
}
