//! Chart: the share of positions in which each row of an experiment gives the best outcome away.

use crate::chart::dots::{self, Dot, Group, Measure};
use crate::chart::figure::{Color, Figure};
use crate::chart::table::{Table, cell};
use crate::chart::{Chart, caption};
use tiletune_tuning::results::experiment::ExperimentResults;

pub(super) const CHART: Chart<ExperimentResults> = Chart {
    name: "mistakes",
    title: "Moves that give the best outcome away",
    about: "Share of random positions in which each player's move leads to a worse outcome than \
            another move, as judged by the experiment's yardstick, with 95 % intervals (exact).",
    draw,
};

fn draw(results: &ExperimentResults) -> Option<Figure> {
    let kept = results
        .rows
        .iter()
        .filter_map(|row| Some((row, row.kept.as_ref()?)));
    let dots = kept.map(|(row, kept)| Dot {
        name: &row.name,
        value: 100.0 * (1.0 - kept.share),
        low: 100.0 * (1.0 - kept.high),
        high: 100.0 * (1.0 - kept.low),
        color: Color::Tuned,
        means: "share",
        number: format!("{:.1} %", 100.0 * (1.0 - kept.share)),
    });
    let dots: Vec<Dot> = dots.collect();
    dots.first()?;
    let table = Table::of(
        &dots,
        &[
            ("row", &|dot| cell(dot.name)),
            ("share", &|dot| cell(dot.value / 100.0)),
            ("low", &|dot| cell(dot.low / 100.0)),
            ("high", &|dot| cell(dot.high / 100.0)),
        ],
    );
    let measure = Measure {
        title: "share of positions in %",
        interval: "95 % interval (exact)",
        is_shared: true,
        has_zero: true,
    };
    let heading = String::new();
    let panels = dots::panels(&[Group { heading, dots }], &measure);
    Some(Figure::new(
        1,
        panels,
        caption::of_yardstick(results),
        table,
    ))
}
