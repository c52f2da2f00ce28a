//! Chart: the hold-out results of all runs of a series and of the start weights.

use super::legend;
use crate::chart::dots::{height_of_rows, rows};
use crate::chart::draw::{
    Axis, DrawError, Drawn, GREY, INK, Layout, Legend, Mark, Page, RGBAColor, START, TUNED,
};
use crate::chart::{Chart, Figure, Table, caption, cell};
use crate::number::{compact, count};
use tiletune_tuning::results::series::{Measured, SeriesResults, Spread};

pub(super) const CHART: Chart<SeriesResults> = Chart {
    name: "runs-hold-out",
    title: "Hold-out results of all runs",
    about: "The tuned weights of every run and the start weights on the same hold-out seeds, with 95 % \
            intervals of each. The runs differ by the noise of the games and by the luck of their searches.",
    draw,
};

/// Start weights farther from the runs than this many times the range of the runs are not drawn.
const FARTHEST_START: f64 = 1.0;

struct Row {
    name: String,
    is_start: bool,
    measured: Measured,
    color: RGBAColor,
    number: String,
}

fn draw(results: &SeriesResults) -> Result<Option<Figure>, DrawError> {
    let runs = results.runs.iter().filter_map(|run| {
        let color = match results.recommended == Some(run.run) {
            true => TUNED,
            false => GREY,
        };
        let name = format!("run {}", run.run);
        Some(row(name, false, run.hold_out?, color))
    });
    let start = results.start;
    let start = start.map(|start| row("start".to_owned(), true, start, START));
    let rows: Vec<Row> = runs.chain(start).collect();
    let Some(first) = rows.first() else {
        return Ok(None);
    };
    let x = Axis::linear(results.objective.as_str(), axis_values(&rows), 7);
    let mut legend = legend(results, Mark::Dot);
    if !rows.iter().any(|row| row.is_start && row.is_on(&x)) {
        legend.pop();
    }
    legend.push(Legend::new(Mark::Line, INK, "95 % interval"));
    let games = count(first.measured.games);
    let spread = results.spread.map(in_words).unwrap_or_default();
    let layout = Layout {
        title: CHART.title,
        legend,
        caption: format!(
            "{}{games} games each. {}",
            spread,
            caption::of_series(results)
        ),
        body_height: height_of_rows(rows.len()),
    };
    Figure::new(&layout, table(&rows), |page| draw_rows(page, &rows, x))
}

impl Row {
    /// Whether its value lies on the axis.
    fn is_on(&self, axis: &Axis) -> bool {
        (axis.range.0..=axis.range.1).contains(&self.measured.value)
    }
}

/// The spread between the runs in a sentence.
fn in_words(spread: Spread) -> String {
    format!(
        "Standard deviation between the runs {}; the noise of the hold-out games alone would give {}. ",
        compact(spread.between_runs_sd),
        compact(spread.noise_sd)
    )
}

fn row(name: String, is_start: bool, measured: Measured, color: RGBAColor) -> Row {
    Row {
        name,
        is_start,
        measured,
        color,
        number: compact(measured.value),
    }
}

fn draw_rows(page: &Page<'_>, sets: &[Row], x: Axis) -> Drawn {
    let are_on_axis: Vec<bool> = sets.iter().map(|row| row.is_on(&x)).collect();
    let names = sets.iter().zip(&are_on_axis);
    let names = names.map(|(row, is_on_axis)| match is_on_axis {
        true => row.name.clone(),
        false => format!("{}, beyond the axis", row.name),
    });
    let names: Vec<String> = names.collect();
    let texts = names.iter().zip(sets);
    let texts = texts.map(|(name, row)| (&**name, &*row.number));
    let panel = rows(page, page.body, "", texts, x)?;
    for (index, (row, is_on_axis)) in sets.iter().zip(are_on_axis).enumerate() {
        if is_on_axis {
            let y = (sets.len() - index) as f64 - 0.5;
            let interval = row.measured.interval;
            interval.map_or(Ok(()), |[low, high]| {
                panel.line(&[(low, y), (high, y)], INK, 1.5)
            })?;
            panel.dot(row.measured.value, y, row.color)?;
        }
    }
    Ok(())
}

/// The values that the axis shows: those of the runs, and of the start weights unless they are so far away
/// that the runs could not be told apart.
fn axis_values(sets: &[Row]) -> Vec<f64> {
    let ends = |row: &Row| {
        let value = row.measured.value;
        row.measured.interval.unwrap_or([value, value])
    };
    let runs = sets.iter().filter(|row| !row.is_start);
    let mut values: Vec<f64> = runs.flat_map(ends).collect();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let room = FARTHEST_START * (high - low);
    let is_near = |row: &&Row| (low - room..=high + room).contains(&row.measured.value);
    let start = sets.iter().filter(|row| row.is_start);
    // Without runs the range is empty, and so is every comparison with it.
    values.extend(
        start
            .filter(|row| low > high || is_near(row))
            .flat_map(ends),
    );
    values
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(["weights", "games", "value", "standard_error", "low", "high"]);
    for row in rows {
        let measured = row.measured;
        let [low, high] = measured
            .interval
            .map_or([String::new(), String::new()], |ends| ends.map(cell));
        table.row([
            row.name.clone(),
            cell(measured.games),
            cell(measured.value),
            cell(measured.standard_error),
            low,
            high,
        ]);
    }
    table
}
