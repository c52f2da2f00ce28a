//! The results, charts and report of an experiment as files, and the findings from these files.

use serde_json::Value;

use super::games::TimedRows;
use super::{played, results};
use crate::config::experiment::Experiment;
use crate::run::logs::Timing;
use crate::run::{
    Findings, ReportSummary, RunDirectory, RunError, StoreError, draw_charts, write_report,
};
use tiletune_engine::stop::Stop;
use tiletune_report::chart::EXPERIMENT_CHARTS;
use tiletune_report::number::{grouped, percent};
use tiletune_report::report::experiment as page;
use tiletune_tuning::results::PairedDifference;
use tiletune_tuning::results::experiment::{ExperimentResults, McNemarTest, RowResult};

/// The results of the complete rows.
pub(super) fn results(
    experiment: &Experiment,
    directory: &RunDirectory,
    stop: Stop,
) -> Result<ExperimentResults, RunError> {
    let results = results::summarize(experiment, &played(experiment, directory)?, stop);
    results.ok_or(RunError::Interrupted)
}

/// A p value with all digits. A small one is in scientific notation, because a plain number would be mostly zeros.
fn p_value(p: f64) -> Option<String> {
    match p {
        p if p != 0.0 && p < 1e-4 => Some(format!("{p:e}")),
        p => text(p),
    }
}

/// Header of a column, and its text for a row; `None` if the column does not apply to the row.
type CsvColumn<Of> = (&'static str, fn(&Of) -> Option<String>);

/// The columns of `results.csv`.
const RESULTS: [CsvColumn<RowResult>; 35] = [
    ("row", |row| Some(row.name.clone())),
    ("games", |row| text(row.summary.games)),
    ("mean_score", |row| text(row.scored()?.mean)),
    ("se_score", |row| text(row.scored()?.standard_error)),
    ("points", |row| points(row, row.summary.mean)),
    ("se_points", |row| points(row, row.summary.standard_error)),
    ("mean_moves", |row| text(row.summary.mean_moves)),
    ("won", |row| text(row.summary.outcomes()?.wins)),
    ("drawn", |row| text(row.summary.outcomes()?.draws)),
    ("lost", |row| text(row.summary.outcomes()?.losses)),
    ("capped", |row| text(row.summary.capped()?)),
    ("reached", |row| text(row.reached?.games)),
    ("reached_share", |row| text(row.reached?.share)),
    ("reached_low", |row| text(row.reached?.low)),
    ("reached_high", |row| text(row.reached?.high)),
    ("chi_square", |row| text(row.agreement?.test?.chi_square)),
    ("degrees", |row| text(row.agreement?.test?.degrees)),
    ("p", |row| p_value(row.agreement?.test?.p)),
    ("p_holm", |row| p_value(row.agreement?.test?.p_holm)),
    ("largest_difference", |row| {
        text(row.agreement?.largest_difference)
    }),
    ("baseline", |row| text(&row.comparison.as_ref()?.baseline)),
    ("difference", |row| text(difference(row)?.mean)),
    ("difference_low", |row| text(difference(row)?.low?)),
    ("difference_high", |row| text(difference(row)?.high?)),
    ("differ", |row| text(difference(row)?.different())),
    ("p_sign_test", |row| text(difference(row)?.p_sign_test?)),
    ("verdict", |row| text(difference(row)?.verdict.name())),
    ("kept", |row| text(row.kept.as_ref()?.kept)),
    ("kept_share", |row| text(row.kept.as_ref()?.share)),
    ("kept_low", |row| text(row.kept.as_ref()?.low)),
    ("kept_high", |row| text(row.kept.as_ref()?.high)),
    ("only_row", |row| text(mcnemar(row)?.only_row)),
    ("only_baseline", |row| text(mcnemar(row)?.only_baseline)),
    ("p_mcnemar", |row| p_value(mcnemar(row)?.p)),
    ("p_mcnemar_holm", |row| p_value(mcnemar(row)?.p_holm)),
];

/// The file with the weights of rows that are tuned again, next to those with fixed weights.
pub(super) const WEIGHTS: &str = "weights.csv";

/// A weight of a row.
struct RowWeight {
    row: String,
    parameter: String,
    value: f64,
}

/// The columns of `weights.csv`.
const COLUMNS_OF_WEIGHTS: [CsvColumn<RowWeight>; 3] = [
    ("row", |weight| text(&weight.row)),
    ("parameter", |weight| text(&weight.parameter)),
    ("value", |weight| text(weight.value)),
];

/// The rows of `weights.csv`; empty if no row is tuned again.
fn weights(results: &ExperimentResults) -> Vec<RowWeight> {
    let is_of = |row: &&RowResult| {
        let mut retuned = results.retuned.iter();
        retuned.any(|of| of.row == row.name || of.retuned.iter().any(|one| one.row == row.name))
    };
    let rows = results.rows.iter().filter(is_of);
    let weights = rows.flat_map(|row| {
        row.weights.iter().map(|(parameter, value)| RowWeight {
            row: row.name.clone(),
            parameter: parameter.clone(),
            value: *value,
        })
    });
    weights.collect()
}

/// The columns of `timing.csv`.
const TIMING: [CsvColumn<Timing<TimedRows>>; 6] = [
    ("rows", |timing| text(timing.of.rows.join("; "))),
    ("games", |timing| text(timing.games)),
    ("moves", |timing| text(timing.of.moves)),
    ("threads", |timing| text(timing.of.threads)),
    ("seconds", |timing| Some(format!("{:.3}", timing.seconds))),
    ("moves_per_second", |timing| {
        let rate = timing.of.moves as f64 / timing.seconds;
        Some(format!("{rate:.0}"))
    }),
];

fn text(value: impl ToString) -> Option<String> {
    Some(value.to_string())
}

/// A number that exists only for games between two players.
fn points(row: &RowResult, number: f64) -> Option<String> {
    row.summary.outcomes().and_then(|_| text(number))
}

fn difference(row: &RowResult) -> Option<PairedDifference> {
    Some(row.comparison.as_ref()?.difference)
}

fn mcnemar(row: &RowResult) -> Option<&McNemarTest> {
    row.kept.as_ref()?.comparison.as_ref()
}

fn write_csv<Of>(
    directory: &RunDirectory,
    name: &str,
    columns: &[CsvColumn<Of>],
    rows: &[Of],
) -> Result<(), StoreError> {
    let failed =
        |error: &dyn ToString| StoreError::damaged(&directory.path(name), error.to_string());
    let mut table = csv::Writer::from_writer(Vec::new());
    let header = table.write_record(columns.iter().map(|(name, _)| name));
    header.map_err(|error| failed(&error))?;
    for row in rows {
        let cells = columns
            .iter()
            .map(|(_, cell)| cell(row).unwrap_or_default());
        table.write_record(cells).map_err(|error| failed(&error))?;
    }
    directory.write(name, table.into_inner().map_err(|error| failed(&error))?)
}

/// Writes results, charts and report. Times are in a separate file, so that the other files are byte-identical if the
/// experiment is repeated.
pub(super) fn write(
    results: &ExperimentResults,
    directory: &RunDirectory,
    stop: Stop,
) -> Result<ReportSummary, RunError> {
    directory.write_json("results.json", results)?;
    write_csv(directory, "results.csv", &RESULTS, &results.rows)?;
    match weights(results) {
        none if none.is_empty() => directory.output(WEIGHTS).remove()?,
        weights => write_csv(directory, WEIGHTS, &COLUMNS_OF_WEIGHTS, &weights)?,
    }
    let timing = directory.timings::<TimedRows>()?;
    write_csv(directory, "timing.csv", &TIMING, &timing)?;
    let charts = draw_charts(directory, EXPERIMENT_CHARTS, results, stop)?;
    let blocks = page::report(results, &charts);
    Ok(write_report(directory, &results.name, &blocks, &charts)?)
}

/// The number of complete rows.
pub(super) fn progress(
    directory: &RunDirectory,
    resolved: &toml::Table,
) -> Result<String, StoreError> {
    let rows = resolved.get("row").and_then(toml::Value::as_array);
    let rows = rows.map_or(0, Vec::len);
    let complete = (0..rows).filter(|&row| directory.row_part(row).exists());
    Ok(format!("{} of {rows} rows", complete.count()))
}

/// The results of the rows.
pub(super) fn findings(directory: &RunDirectory) -> Result<Findings, StoreError> {
    let results: Option<Value> = directory.read_json("results.json")?;
    Ok(results.map_or_else(Findings::default, |results| of_rows(&results)))
}

/// The findings of the rows of an experiment.
fn of_rows(results: &Value) -> Findings {
    let rows = results["rows"].as_array().map(Vec::as_slice);
    let mut all = Vec::new();
    let mut best: Option<(f64, String)> = None;
    for row in rows.unwrap_or_default() {
        let name = row["name"].as_str().unwrap_or_default();
        let (mean, words) = match (row["mean_score"].as_f64(), row["points"].as_f64()) {
            (Some(mean), _) => {
                let error = row["se_score"].as_f64().unwrap_or_default();
                let [score, error] = [mean, error].map(|score| grouped(score, 0));
                (mean, format!("mean score {score} (se {error})"))
            }
            (_, Some(points)) => (points, format!("points {}", percent(points))),
            _ => continue,
        };
        if best.as_ref().is_none_or(|(most, _)| mean > *most) {
            best = Some((mean, format!("{name}, {words}")));
        }
        all.push((name.to_owned(), words));
    }
    let headline = best.map(|(_, words)| match all.len() {
        1 => words,
        rows => format!("{rows} rows, best: {words}"),
    });
    Findings { headline, all }
}
