//! Results, pairs, charts and report of a comparison as files.

use super::games::{Played, recorded};
use super::results::summarize;
use crate::config::compare::Comparison;
use crate::run::manifest::Status;
use crate::run::tables::{Pair, pairs};
use crate::run::{RunDirectory, RunError, StoreError, View, tables, write_charts};
use tiletune_report::chart::{self, COMPARISON_CHARTS, Figure, render};
use tiletune_report::report::{Block, compare as page, html};
use tiletune_tuning::results::compare::ComparisonResults;

/// The results of the recorded games; `None` if a program would be started for them. Those so far need the players.
fn results(
    comparison: &Comparison,
    directory: &RunDirectory,
) -> Result<Option<ComparisonResults>, RunError> {
    let is_complete = directory.manifest()?.status == Status::Complete;
    let mut players = comparison.players.iter();
    if !is_complete && players.any(|compared| compared.player.program().is_some()) {
        return Ok(None);
    }
    Ok(Some(summarize(
        comparison,
        &recorded(comparison, directory)?,
    )))
}

/// What a page shows of a comparison.
pub(super) fn view(comparison: &Comparison, directory: &RunDirectory) -> Result<View, RunError> {
    let without = "The results of programs are shown when the comparison is complete.";
    let blocks = match results(comparison, directory)? {
        Some(results) => page::results(&results),
        None => vec![Block::Text(without.to_owned())],
    };
    Ok(View {
        blocks,
        ..View::default()
    })
}

/// The wanted charts of the recorded games.
pub(super) fn figures(
    comparison: &Comparison,
    directory: &RunDirectory,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<Figure>, RunError> {
    let results = results(comparison, directory)?;
    let figures = results.map(|results| chart::figures(COMPARISON_CHARTS, &results, is_wanted));
    Ok(figures.unwrap_or_default())
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
