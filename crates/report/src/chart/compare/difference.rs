//! Chart: the difference of each of several players to the first one.

use crate::chart::dots::{self, Dot, DotAxis, Group};
use crate::chart::figure::{Color, Figure};
use crate::chart::table::table;
use crate::chart::{Chart, caption};
use crate::number::signed;
use tiletune_tuning::results::compare::{Challenge, ComparisonResults, Look, Verdict};

pub(super) const CHART: Chart<ComparisonResults> = Chart {
    name: "difference",
    title: "Players against the first one",
    about: "Mean difference between each player and the first one at its last look, with its \
            confidence sequence, if more than two players are compared.",
    draw,
};

fn draw(results: &ComparisonResults) -> Option<Figure> {
    if results.challengers.len() < 2 {
        return None;
    }
    let compared = results.challengers.iter();
    let compared = compared.filter_map(|one| Some((one, one.last()?, dot(one)?)));
    let compared: Vec<(&Challenge, &Look, Dot)> = compared.collect();
    compared.first()?;
    let measure = DotAxis {
        title: "difference to the first player in %".to_owned(),
        interval: "confidence sequence",
        is_shared: true,
        has_zero: true,
    };
    let table = table!(&compared, |(one, look, dot)| {
        "player": one.player,
        "verdict": one.verdict.map(Verdict::words),
        "pairs": look.pairs,
        "percent": dot.value,
        "low": look.low.and_then(|low| look.percent(low)),
        "high": look.high.and_then(|high| look.percent(high)),
    });
    let group = Group {
        heading: format!("against {}", results.players[0].name),
        dots: compared.into_iter().map(|(.., dot)| dot).collect(),
    };
    let caption = caption::of_comparison(results);
    Some(dots::figure(&[group], &measure, caption, table))
}

/// The difference to the first player, in percent of its result.
fn dot(challenge: &Challenge) -> Option<Dot<'_>> {
    let look = challenge.last()?;
    let value = look.percent(look.difference)?;
    let end = |end: Option<f64>| end.and_then(|end| look.percent(end)).unwrap_or(value);
    let (color, means) = match challenge.verdict {
        Some(Verdict::Better) => (Color::Best, "better"),
        Some(Verdict::Worse) => (Color::Start, "worse"),
        _ => (Color::Grey, "no difference of interest, or undecided"),
    };
    Some(Dot {
        name: &challenge.player,
        value,
        low: end(look.low),
        high: end(look.high),
        color,
        means,
        number: format!("{} %", signed(value, 1)),
    })
}
