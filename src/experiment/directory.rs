//! The run directory of an experiment: what it begins with, and what stands in it at the end.

use std::fmt::Write;
use std::path::Path;

use super::Timing;
use crate::config::experiment::Experiment;
use crate::record::experiment::ExperimentResults;
use crate::store::StoreError;
use crate::store::manifest::{Manifest, Seeds, Session};
use crate::store::run_directory::{RunDirectory, TableName};

/// Makes the run directory. `verbatim` is the experiment file as its author wrote it.
///
/// # Errors
/// If the directory is not empty or cannot be written; nothing is left then.
pub fn begin(
    experiment: &Experiment,
    verbatim: &str,
    root: &Path,
    session: Session,
) -> Result<(RunDirectory, Manifest), StoreError> {
    let seed = experiment.config.seed;
    let seeds = Seeds {
        campaign: seed,
        hold_out: seed,
    };
    let manifest = Manifest::new(session, seeds);
    let directory = RunDirectory::create(root, &[TableName::Games], |directory| {
        let path = directory.resolved_path();
        let resolved = toml::to_string(&experiment.config);
        let resolved = resolved.map_err(|error| StoreError::damaged(&path, error))?;
        directory.write("config.toml", verbatim)?;
        directory.write("resolved.toml", resolved)?;
        for (name, contents) in &experiment.files {
            directory.write(name, contents)?;
        }
        manifest.write(&directory.manifest_path())
    })?;
    Ok((directory, manifest))
}

/// Writes the results. Times stand in a file of their own: the others are the same bytes whenever
/// and wherever the experiment is run.
///
/// # Errors
/// If the disk is full or fails.
pub fn finish(
    directory: &RunDirectory,
    results: &ExperimentResults,
    timing: &[Timing],
) -> Result<(), StoreError> {
    let path = directory.path("results.json");
    let json = serde_json::to_string_pretty(results);
    let json = json.map_err(|error| StoreError::damaged(&path, error))?;
    directory.write("results.json", json + "\n")?;
    directory.write("results.csv", results_csv(results))?;
    directory.write("timing.csv", timing_csv(results, timing))
}

fn results_csv(results: &ExperimentResults) -> String {
    let mut text = String::from(
        "row,games,mean_score,se_score,mean_moves,capped,reached,reached_share,reached_low,\
         reached_high,chi_square,degrees,p,p_holm,baseline,difference,difference_low,difference_high\n",
    );
    for row in &results.rows {
        let mut cells = vec![
            quoted(&row.name),
            row.games.to_string(),
            row.mean_score.to_string(),
            row.se_score.to_string(),
            row.mean_moves.to_string(),
            row.capped.to_string(),
        ];
        let mut optional = |values: Option<Vec<String>>, count: usize| {
            cells.extend(values.unwrap_or_else(|| vec![String::new(); count]));
        };
        let text_of = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>();
        optional(
            row.reached
                .map(|r| text_of(&[f64::from(r.games), r.share, r.low, r.high])),
            4,
        );
        optional(
            row.agreement
                .map(|a| text_of(&[a.chi_square, f64::from(a.degrees), a.p, a.p_holm])),
            4,
        );
        optional(
            row.comparison.as_ref().map(|comparison| {
                let difference = comparison.difference;
                let values = [difference.mean, difference.low, difference.high];
                [quoted(&comparison.baseline)]
                    .into_iter()
                    .chain(text_of(&values))
                    .collect()
            }),
            4,
        );
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}

fn timing_csv(results: &ExperimentResults, timing: &[Timing]) -> String {
    let mut text = String::from("rows,games,moves,threads,seconds,moves_per_second\n");
    for group in timing {
        let rows = &results.rows[group.first_row..][..group.rows];
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        let games: u64 = rows.iter().map(|row| u64::from(row.games)).sum();
        let moves = rows
            .iter()
            .map(|row| row.mean_moves * f64::from(row.games))
            .sum::<f64>()
            .round();
        let seconds = group.time.as_secs_f64();
        let _ = writeln!(
            text,
            "{},{games},{moves},{},{seconds:.3},{:.0}",
            quoted(&names.join(" ")),
            group.threads,
            moves / seconds
        );
    }
    text
}

/// A cell of RFC 4180.
fn quoted(cell: &str) -> String {
    match cell.contains([',', '"']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}
