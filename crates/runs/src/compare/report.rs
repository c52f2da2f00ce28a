//! Results, pairs, charts and report of a comparison as files.

use super::games::{Played, recorded};
use super::results::summarize;
use crate::config::compare::Comparison;
use crate::run::tables::{Pair, pairs};
use crate::run::{RunDirectory, RunError, StoreError, tables, write_charts};
use tiletune_report::chart::{COMPARISON_CHARTS, render};
use tiletune_report::report::{compare as page, html};
use tiletune_tuning::results::compare::ComparisonResults;

/// The results of the recorded games. Plays no game.
///
/// # Errors
/// If a table is damaged.
pub fn results(
    comparison: &Comparison,
    directory: &RunDirectory,
) -> Result<ComparisonResults, RunError> {
    Ok(summarize(comparison, &recorded(comparison, directory)?))
}

/// Writes results, pairs, charts and `report.html` of the recorded games; returns the results and the names
/// of the charts. Plays no game.
///
/// # Errors
/// If a table is damaged, a chart cannot be drawn, or a file cannot be written.
pub fn report(
    comparison: &Comparison,
    directory: &RunDirectory,
) -> Result<(ComparisonResults, Vec<&'static str>), RunError> {
    let played = recorded(comparison, directory)?;
    let results = summarize(comparison, &played);
    directory.write_json("results.json", &results)?;
    write_pairs(&played, directory)?;
    let charts = render(COMPARISON_CHARTS, &results)?;
    write_charts(directory, COMPARISON_CHARTS, &charts)?;
    directory.write(
        "report.html",
        html(&results.name, &page::report(&results, &charts)),
    )?;
    Ok((results, charts.iter().map(|chart| chart.name).collect()))
}

/// Writes the table of the pairs of every player with the first one.
fn write_pairs(played: &Played, directory: &RunDirectory) -> Result<(), StoreError> {
    for (index, test) in (1..).zip(&played.tests) {
        let of_player = (0..test.pairs()).filter_map(|pair| played.pair(index, pair));
        let of_player: Vec<Pair> = of_player.collect();
        if !of_player.is_empty() {
            tables::write(&directory.pairs_part(index)?, &pairs(&of_player))?;
        }
    }
    Ok(())
}
