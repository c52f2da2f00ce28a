//! Chart: the mean score of each row of an experiment.

use crate::chart::dots::{self, Dot, Group, Measure};
use crate::chart::figure::{Color, Figure};
use crate::chart::table::{Table, cell};
use crate::chart::{Chart, caption};
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

fn draw(results: &ExperimentResults) -> Option<Figure> {
    // A single row needs no chart beside the table.
    if results.rows.len() < 2 {
        return None;
    }
    let (title, decimals) = match results.is_between_two() {
        true => ("points a game", 3),
        false => ("score a game", 0),
    };
    let measure = Measure {
        title,
        interval: "95 % interval (Student's t)",
        is_shared: true,
        has_zero: false,
    };
    let neighbours = results.rows.chunk_by(|one, next| one.group == next.group);
    let groups: Vec<Group> = neighbours.map(|rows| group(rows, decimals)).collect();
    let dots = groups.iter().flat_map(|group| &group.dots);
    let table = Table::of(
        results.rows.iter().zip(dots),
        &[
            ("row", &|(row, _)| cell(&row.name)),
            ("mean", &|(_, dot)| cell(dot.value)),
            ("low", &|(_, dot)| cell(dot.low)),
            ("high", &|(_, dot)| cell(dot.high)),
            ("games", &|(row, _)| cell(row.summary.games)),
        ],
    );
    let panels = dots::panels(&groups, &measure);
    Some(Figure::new(
        1,
        panels,
        caption::of_experiment(results),
        table,
    ))
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
        color: Color::Tuned,
        means: "mean",
        number: grouped(mean, decimals),
    }
}
