//! Chart: the hold-out results of all runs of a series and of the start weights.

use super::key;
use crate::chart::axis::Axis;
use crate::chart::figure::{Color, Figure, Mark, Panel};
use crate::chart::table::table;
use crate::chart::{Chart, Section, caption};
use crate::number::{compact, count};
use tiletune_tuning::results::series::{Measurement, SeriesResults, Spread};

pub(super) const CHART: Chart<SeriesResults> = Chart {
    name: "runs-hold-out",
    title: "Hold-out results of all runs",
    about: "The tuned weights of every run and the start weights on the same hold-out seeds, with 95 % \
            intervals of each. The runs differ by the noise of the games and by the luck of their searches.",
    place: Section::Results,
    draw,
};

/// Start weights are not drawn if they are farther from the runs than this multiple of the range of the runs.
const FARTHEST_START: f64 = 1.0;

struct HoldOutRow {
    name: String,
    measured: Measurement,
    key: (String, Color),
}

fn draw(results: &SeriesResults) -> Option<Figure> {
    let runs = results.runs.iter().filter_map(|run| {
        Some(HoldOutRow {
            name: format!("run {}", run.run),
            measured: run.hold_out?,
            key: key(results, run.run),
        })
    });
    let start = results.start.map(|measured| HoldOutRow {
        name: "start".to_owned(),
        measured,
        key: ("start weights".to_owned(), Color::Start),
    });
    let rows: Vec<HoldOutRow> = runs.chain(start).collect();
    let games = count(rows.first()?.measured.games);
    let x = Axis::linear(results.objective.as_str(), axis_values(&rows), 7);
    let (low, high) = x.range;
    let is_on_axis = |row: &HoldOutRow| (low..=high).contains(&row.measured.value);
    let texts = |row: &HoldOutRow| {
        let beyond = if is_on_axis(row) {
            ""
        } else {
            ", beyond the axis"
        };
        (format!("{}{beyond}", row.name), compact(row.measured.value))
    };
    let marks = |row: &HoldOutRow, y: f64| {
        if !is_on_axis(row) {
            return Vec::new();
        }
        let (name, color) = row.key.clone();
        let mut marks = vec![Mark::dot(color, row.measured.value, y).named(name)];
        let interval = row
            .measured
            .interval
            .map(|ends| Mark::across(Color::Ink, y, ends));
        marks.extend(interval.map(|one| one.named("95 % interval")));
        marks
    };
    let panel = Panel::of_rows("", x, &rows, texts, marks);
    let table = table!(&rows, |HoldOutRow { name, measured, .. }| {
        "weights": name,
        "games": measured.games,
        "value": measured.value,
        "standard_error": measured.standard_error,
        "low": measured.interval.map(|ends| ends[0]),
        "high": measured.interval.map(|ends| ends[1]),
    });
    let spread = results.spread.map(in_words).unwrap_or_default();
    let caption = caption::of_series(results);
    let caption = format!("{spread}{games} games each. {caption}");
    Some(panel.figure(caption, table))
}

/// A sentence about the spread between the runs.
fn in_words(spread: Spread) -> String {
    format!(
        "Standard deviation between the runs {}; the noise of the hold-out games alone would give {}. ",
        compact(spread.between_runs_sd),
        compact(spread.noise_sd)
    )
}

/// The values that determine the axis: those of the runs, and those of the start weights unless they are so far away
/// that the runs would be indistinguishable.
fn axis_values(rows: &[HoldOutRow]) -> Vec<f64> {
    let ends = |row: &HoldOutRow| row.measured.interval.unwrap_or([row.measured.value; 2]);
    let (start, runs): (Vec<&HoldOutRow>, Vec<&HoldOutRow>) =
        rows.iter().partition(|row| row.key.1 == Color::Start);
    let mut values: Vec<f64> = runs.into_iter().flat_map(ends).collect();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let room = FARTHEST_START * (high - low);
    let is_near = |row: &&HoldOutRow| (low - room..=high + room).contains(&row.measured.value);
    // Without runs the range is empty, so a comparison with it is meaningless.
    let start = start.into_iter().filter(|row| low > high || is_near(row));
    values.extend(start.flat_map(ends));
    values
}
