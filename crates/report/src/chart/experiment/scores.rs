//! Chart: the mean score of each row of an experiment.

use crate::chart::dots::{self, Dot, Group, Measure};
use crate::chart::draw::{DrawError, INK, Layout, Legend, Mark, TUNED};
use crate::chart::{Chart, Figure, Table, caption, cell};
use crate::number::grouped;
use tiletune_tuning::results::GameSummary;
use tiletune_tuning::results::experiment::{ExperimentResults, RowResult};
use tiletune_tuning::stats::intervals::{Interval, t_interval};

pub(super) const CHART: Chart<ExperimentResults> = Chart {
    name: "scores",
    title: "Mean result of every player",
    about: "Mean score of each player, or mean points in games between two players, with 95 % \
            intervals (Student's t); one panel for each group.",
    draw,
};

fn draw(results: &ExperimentResults) -> Result<Option<Figure>, DrawError> {
    // A single row needs no chart beside the table.
    if results.rows.len() < 2 {
        return Ok(None);
    }
    let (title, decimals) = match results.is_between_two() {
        true => ("points a game", 3),
        false => ("score a game", 0),
    };
    let measure = Measure {
        title,
        is_shared: true,
        has_zero: false,
    };
    let neighbours = results.rows.chunk_by(|one, next| one.group == next.group);
    let groups: Vec<Group> = neighbours.map(|rows| group(rows, decimals)).collect();
    let layout = Layout {
        title: CHART.title,
        legend: vec![
            Legend::new(Mark::Dot, TUNED, "mean"),
            Legend::new(Mark::Line, INK, "95 % interval (Student's t)"),
        ],
        caption: caption::of_experiment(results),
        body_height: dots::height(&groups),
    };
    let mut table = Table::new(["row", "mean", "low", "high", "games"]);
    for (row, dot) in results
        .rows
        .iter()
        .zip(groups.iter().flat_map(|group| &group.dots))
    {
        let numbers = [dot.value, dot.low, dot.high].map(cell);
        let keys = std::iter::once(cell(&row.name)).chain(numbers);
        table.row(keys.chain([cell(row.summary.games)]));
    }
    Figure::new(&layout, table, |page| dots::draw(page, &groups, measure))
}

fn group(rows: &[RowResult], decimals: usize) -> Group<'_> {
    Group {
        heading: rows[0].group.clone().unwrap_or_default(),
        dots: rows.iter().map(|row| dot(row, decimals)).collect(),
    }
}

fn dot(row: &RowResult, decimals: usize) -> Dot<'_> {
    let GameSummary {
        mean,
        standard_error,
        ..
    } = row.summary;
    let interval = t_interval(mean, standard_error, row.summary.observations().into());
    let mut interval = interval.unwrap_or(Interval {
        low: mean,
        high: mean,
    });
    if row.summary.outcomes().is_some() {
        interval = interval.within(0.0, 1.0);
    }
    Dot {
        name: &row.name,
        value: mean,
        low: interval.low,
        high: interval.high,
        color: TUNED,
        number: grouped(mean, decimals),
    }
}
