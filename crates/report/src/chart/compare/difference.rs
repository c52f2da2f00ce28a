//! Chart: the difference of each of several players to the first one.

use crate::chart::dots::{self, Dot, Group, Measure};
use crate::chart::figure::{Color, Figure};
use crate::chart::table::{Table, cell, known};
use crate::chart::{Chart, caption};
use crate::number::signed;
use tiletune_tuning::results::compare::{Challenge, ComparisonResults, Verdict};

pub(super) const CHART: Chart<ComparisonResults> = Chart {
    name: "difference",
    title: "Players against the first one",
    about: "Mean difference between each player and the first one at its last look, with its \
            confidence sequence, if more than two players are compared.",
    draw,
};

/// A player compared with the first one, in percent of the first one's result.
struct Compared<'a> {
    player: &'a str,
    verdict: Option<Verdict>,
    pairs: u64,
    difference: f64,
    ends: [Option<f64>; 2],
}

fn draw(results: &ComparisonResults) -> Option<Figure> {
    if results.challengers.len() < 2 {
        return None;
    }
    let compared: Vec<Compared> = results.challengers.iter().filter_map(compared).collect();
    compared.first()?;
    let group = Group {
        heading: format!("against {}", results.players[0].name),
        dots: compared.iter().map(dot).collect(),
    };
    let measure = Measure {
        title: "difference to the first player in %",
        interval: "confidence sequence",
        is_shared: true,
        has_zero: true,
    };
    let table = Table::of(
        &compared,
        &[
            ("player", &|one| cell(one.player)),
            ("verdict", &|one| known(one.verdict.map(Verdict::words))),
            ("pairs", &|one| cell(one.pairs)),
            ("percent", &|one| cell(one.difference)),
            ("low", &|one| known(one.ends[0])),
            ("high", &|one| known(one.ends[1])),
        ],
    );
    let panels = dots::panels(&[group], &measure);
    Some(Figure::new(
        1,
        panels,
        caption::of_comparison(results),
        table,
    ))
}

fn dot<'a>(one: &Compared<'a>) -> Dot<'a> {
    let [low, high] = one.ends.map(|end| end.unwrap_or(one.difference));
    let (color, means) = match one.verdict {
        Some(Verdict::Better) => (Color::Best, "better"),
        Some(Verdict::Worse) => (Color::Start, "worse"),
        _ => (Color::Grey, "no difference of interest, or undecided"),
    };
    Dot {
        name: one.player,
        value: one.difference,
        low,
        high,
        color,
        means,
        number: format!("{} %", signed(one.difference, 1)),
    }
}

fn compared(challenge: &Challenge) -> Option<Compared<'_>> {
    let look = challenge.last()?;
    let percent = |value: f64| look.share(value).map(|share| 100.0 * share);
    Some(Compared {
        player: &challenge.player,
        verdict: challenge.verdict,
        pairs: look.pairs,
        difference: percent(look.difference)?,
        ends: [look.low, look.high].map(|end| end.and_then(percent)),
    })
}
