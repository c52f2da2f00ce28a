//! An experiment at a glance, from its files alone. This module must not resolve a plan or play.

use serde_json::Value;

use crate::run::{Findings, RunDirectory, StoreError};
use tiletune_report::number::{grouped, percent};

/// How many rows are complete.
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

/// The rows of an experiment.
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
