//! What is printed of the outcome of a series, and how much of it is left.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{SeriesOutcome, played_games};
use crate::campaign::not_beaten;
use crate::campaign::plan::Plan;
use crate::config::series::Series;
use crate::run::{Output, RunDirectory, RunError, StoreError};
use tiletune_report::number::grouped;
use tiletune_report::report::series as page;
use tiletune_tuning::results::Validation;
use tiletune_tuning::results::series::SeriesResults;

/// What `tiletune tune` prints at the end of a series.
#[derive(Serialize, JsonSchema)]
pub struct SeriesOutput<'a> {
    /// The run directory.
    run: String,
    /// The recommended weights by key.
    weights: BTreeMap<&'a str, f64>,
    /// The results of all runs.
    series: &'a SeriesResults,
    /// Start weights against recommended weights in the hold-out games.
    validation: Option<&'a Validation>,
}

pub(super) fn printed(
    series: &Series,
    outcome: &SeriesOutcome,
    directory: &RunDirectory,
) -> Result<Output, RunError> {
    let results = &outcome.results;
    let games: u64 = results.runs.iter().map(|run| run.training_games).sum();
    let done = format!(
        "{} runs, {} training games; recommended: run {}; report: {}",
        results.repeat,
        grouped(games as f64, 0),
        results.recommended.unwrap_or_default(),
        directory.path("report.html").display()
    );
    let status = directory.manifest()?.status;
    let data = series.data(directory, results.recommended.unwrap_or(1), status)?;
    let warning = outcome.validation.as_ref().and_then(not_beaten);
    Ok(Output {
        json: json!(SeriesOutput {
            run: directory.root().display().to_string(),
            weights: outcome.recommendation.weights.iter().collect(),
            series: results,
            validation: outcome.validation.as_ref(),
        }),
        blocks: page::results(results, &data),
        before: None,
        after: std::iter::once(done).chain(warning).collect(),
        code: 0,
    })
}

/// The largest number of games that are still to be played; `None` if it is not limited.
pub(super) fn games(series: &Series, directory: &RunDirectory) -> Result<Option<u64>, StoreError> {
    let mut games = 0;
    for number in series.numbers() {
        let run = series.run(number);
        let plan = Plan::of(&run, played_games(&run, directory, number)?);
        let Some(of_run) = plan.and_then(Plan::expected_games) else {
            return Ok(None);
        };
        games += of_run;
    }
    let validation = &series.campaign.config.validation;
    let hold_out = u64::from(validation.games) * u64::from(1 + series.repeat());
    Ok(Some(games + hold_out))
}
