//! Charts and report of a series, complete or not.

use super::{hold_out, results};
use crate::campaign;
use crate::config::series::Series;
use crate::run::manifest::Status;
use crate::run::{RunDirectory, RunError, StoreError, draw_charts, write_charts};
use tiletune_engine::stop::Stop;
use tiletune_report::chart::{CHARTS, Rendered, SERIES_CHARTS};
use tiletune_report::report::{Block, html, series as page};
use tiletune_tuning::results::RunData;
use tiletune_tuning::results::series::SeriesResults;

/// Writes `series.json`, draws every chart that the directory has data for and writes `report.html` with
/// this status of the series; returns the names of the charts. Plays no game.
///
/// # Errors
/// If `stop` is requested, a file of the series or of a run is damaged, a chart cannot be drawn, or a file cannot be written.
pub fn report(
    series: &Series,
    directory: &RunDirectory,
    status: Status,
    stop: Stop,
) -> Result<Vec<&'static str>, RunError> {
    let results = results(series, directory, stop)?;
    directory.write_json("series.json", &results)?;
    let winner = hold_out::name(results.recommended.unwrap_or(1));
    let mut data = campaign::data(&series.campaign, directory, &winner, status)?;
    data.facts = facts(directory, &results, status)?;
    let charts = draw(&results, &data, directory, stop)?;
    let title = format!("{}, {} runs", results.name, results.repeat);
    let blocks = page::report(&results, &data, &charts);
    directory.write("report.html", html(&title, &blocks))?;
    Ok(charts.iter().map(|chart| chart.name).collect())
}

/// What is said of the results of a series. Plays no game.
///
/// # Errors
/// If a file of the series is damaged.
pub fn blocks(
    series: &Series,
    directory: &RunDirectory,
    results: &SeriesResults,
) -> Result<Vec<Block>, StoreError> {
    let data = data(series, directory, results.recommended.unwrap_or(1))?;
    Ok(page::results(results, &data))
}

/// The start weights and those of a run as if the series were a campaign, without facts. Plays no game.
///
/// # Errors
/// If a file of the series is damaged.
pub fn data(series: &Series, directory: &RunDirectory, run: u32) -> Result<RunData, StoreError> {
    let status = directory.manifest()?.status;
    campaign::data(&series.campaign, directory, &hold_out::name(run), status)
}

/// Draws the charts of the series, and those of a campaign that show the hold-out games of the recommended
/// weights.
fn draw(
    results: &SeriesResults,
    data: &RunData,
    directory: &RunDirectory,
    stop: Stop,
) -> Result<Vec<Rendered>, RunError> {
    let mut charts = draw_charts(SERIES_CHARTS, results, stop)?;
    write_charts(directory, SERIES_CHARTS, &charts)?;
    let of_hold_out = draw_charts(CHARTS, data, stop)?;
    write_charts(directory, CHARTS, &of_hold_out)?;
    charts.extend(of_hold_out);
    Ok(charts)
}

fn facts(
    directory: &RunDirectory,
    results: &SeriesResults,
    status: Status,
) -> Result<Vec<(String, String)>, StoreError> {
    let games: u64 = results.runs.iter().map(|run| run.training_games).sum();
    let mut facts = vec![
        ("status".to_owned(), status.name().to_owned()),
        ("runs".into(), results.repeat.to_string()),
        ("training games".into(), games.to_string()),
    ];
    facts.extend(campaign::of_session(&directory.manifest()?));
    Ok(facts)
}
