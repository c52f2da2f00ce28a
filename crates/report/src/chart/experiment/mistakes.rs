//! Chart: the share of positions in which each row of an experiment gives the best outcome away.

use crate::chart::dots::{self, Dot, Group, Measure};
use crate::chart::draw::{DrawError, INK, Layout, Legend, Mark, TUNED};
use crate::chart::{Chart, Figure, Table, caption, cell};
use tiletune_tuning::results::experiment::ExperimentResults;

pub(super) const CHART: Chart<ExperimentResults> = Chart {
    name: "mistakes",
    title: "Moves that give the best outcome away",
    about: "Share of random positions in which each player's move leads to a worse outcome than \
            another move, as judged by the experiment's yardstick, with 95 % intervals (exact).",
    draw,
};

fn draw(results: &ExperimentResults) -> Result<Option<Figure>, DrawError> {
    let kept = results
        .rows
        .iter()
        .filter_map(|row| Some((row, row.kept.as_ref()?)));
    let dots = kept.map(|(row, kept)| Dot {
        name: &row.name,
        value: 100.0 * (1.0 - kept.share),
        low: 100.0 * (1.0 - kept.high),
        high: 100.0 * (1.0 - kept.low),
        color: TUNED,
        number: format!("{:.1} %", 100.0 * (1.0 - kept.share)),
    });
    let dots: Vec<Dot> = dots.collect();
    if dots.is_empty() {
        return Ok(None);
    }
    let mut table = Table::new(["row", "share", "low", "high"]);
    for dot in &dots {
        let numbers = [dot.value, dot.low, dot.high].map(|percent| cell(percent / 100.0));
        table.row(std::iter::once(cell(dot.name)).chain(numbers));
    }
    let groups = [Group {
        heading: String::new(),
        dots,
    }];
    let measure = Measure {
        title: "share of positions in %",
        is_shared: true,
        has_zero: true,
    };
    let layout = Layout {
        title: CHART.title,
        legend: vec![
            Legend::new(Mark::Dot, TUNED, "share"),
            Legend::new(Mark::Line, INK, "95 % interval (exact)"),
        ],
        caption: caption::of_yardstick(results),
        body_height: dots::height(&groups),
    };
    Figure::new(&layout, table, |page| dots::draw(page, &groups, measure))
}
