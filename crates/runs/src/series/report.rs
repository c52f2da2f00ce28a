//! Charts and report of a series, complete or not.

use super::{hold_out, results};
use crate::campaign;
use crate::config::series::Series;
use crate::run::manifest::Status;
use crate::run::{RunDirectory, RunError, StoreError, View, draw_charts, write_charts};
use tiletune_engine::stop::Stop;
use tiletune_report::chart::{self, CHARTS, Figure, Rendered, SERIES_CHARTS};
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
pub(super) fn blocks(
    series: &Series,
    directory: &RunDirectory,
    results: &SeriesResults,
) -> Result<Vec<Block>, StoreError> {
    let data = data(series, directory, results.recommended.unwrap_or(1))?;
    Ok(page::results(results, &data))
}

/// What a page shows of a series. Until it is complete it does not read every generation of every run, which the pages
/// of the runs show.
pub(super) fn view(series: &Series, directory: &RunDirectory) -> Result<View, RunError> {
    if directory.manifest()?.status == Status::Complete {
        let results = results(series, directory, Stop::never())?;
        if let Some(run) = results.recommended {
            let data = data(series, directory, run)?;
            return Ok(View::of_search(&data, page::results(&results, &data)));
        }
    }
    Ok(View {
        objective: Some(series.campaign.objective.describe()),
        ..View::default()
    })
}

/// The wanted charts of the series, and those of a campaign that show the recommended weights.
pub(super) fn figures(
    series: &Series,
    directory: &RunDirectory,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<Figure>, RunError> {
    let results = results(series, directory, Stop::never())?;
    let mut figures = chart::figures(SERIES_CHARTS, &results, is_wanted);
    if let Some(run) = results.recommended
        && CHARTS.iter().any(|chart| is_wanted(chart.name))
    {
        let data = data(series, directory, run)?;
        figures.extend(chart::figures(CHARTS, &data, is_wanted));
    }
    Ok(figures)
}

/// The start weights and those of a run as if the series were a campaign, without facts. Plays no game.
///
/// # Errors
/// If a file of the series is damaged.
fn data(series: &Series, directory: &RunDirectory, run: u32) -> Result<RunData, StoreError> {
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
