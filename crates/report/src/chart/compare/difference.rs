//! Chart: the difference of each of several players to the first one.

use crate::chart::dots::{self, Dot, Group, Measure};
use crate::chart::draw::{BEST, DrawError, GREY, INK, Layout, Legend, Mark, START};
use crate::chart::{Chart, Figure, Table, caption, cell};
use crate::number::signed;
use tiletune_tuning::results::compare::{ComparisonResults, Verdict};

pub(super) const CHART: Chart<ComparisonResults> = Chart {
    name: "difference",
    title: "Players against the first one",
    about: "Mean difference between each player and the first one at its last look, with its \
            confidence sequence, if more than two players are compared.",
    draw,
};

fn draw(results: &ComparisonResults) -> Result<Option<Figure>, DrawError> {
    if results.challengers.len() < 2 {
        return Ok(None);
    }
    let mut table = Table::new(["player", "verdict", "pairs", "percent", "low", "high"]);
    let mut group = Group {
        heading: format!("against {}", results.players[0].name),
        dots: Vec::new(),
    };
    for challenge in &results.challengers {
        let Some(look) = challenge.last() else {
            continue;
        };
        let percent = |value: f64| look.share(value).map(|share| 100.0 * share);
        let ends = [look.low, look.high].map(|end| end.and_then(percent));
        let Some(difference) = percent(look.difference) else {
            continue;
        };
        let [low, high] = ends.map(|end| end.unwrap_or(difference));
        group.dots.push(Dot {
            name: &challenge.player,
            value: difference,
            low,
            high,
            color: match challenge.verdict {
                Some(Verdict::Better) => BEST,
                Some(Verdict::Worse) => START,
                _ => GREY,
            },
            number: format!("{} %", signed(difference, 1)),
        });
        let verdict = challenge.verdict.map_or("", Verdict::words);
        let numbers = [cell(look.pairs), cell(difference)];
        let ends = ends.map(|end| end.map(cell).unwrap_or_default());
        let keys = [cell(&challenge.player), cell(verdict)];
        table.row(keys.into_iter().chain(numbers).chain(ends));
    }
    if group.dots.is_empty() {
        return Ok(None);
    }
    let groups = [group];
    let measure = Measure {
        title: "difference to the first player in %",
        is_shared: true,
        has_zero: true,
    };
    let layout = Layout {
        title: CHART.title,
        legend: vec![
            Legend::new(Mark::Dot, BEST, "better"),
            Legend::new(Mark::Dot, START, "worse"),
            Legend::new(Mark::Dot, GREY, "no difference of interest, or undecided"),
            Legend::new(Mark::Line, INK, "confidence sequence"),
        ],
        caption: caption::of_comparison(results),
        body_height: dots::height(&groups),
    };
    Figure::new(&layout, table, |page| dots::draw(page, &groups, measure))
}
