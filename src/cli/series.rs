//! What `tiletune tune --repeat` shows of a series.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::execute::Shown;
use super::live::Live;
use super::{Context, Failure, text};
use crate::campaign::not_beaten;
use crate::campaign::plan::Plan;
use crate::config::series::Series;
use crate::number::{compact, grouped};
use crate::report::search;
use crate::report::series::{race_in_words, spread_in_words};
use crate::results::series::{Agreement, Measured, SeriesResults};
use crate::run::RunDirectory;
use crate::series::{self, Outcome};

impl Shown for Series {
    fn live(&self, directory: &RunDirectory, context: Context) -> Result<Live, Failure> {
        let plan = Plan::of(&self.campaign, 0);
        let minutes = self.campaign.config.budget.minutes;
        let minutes = minutes.map(|minutes| minutes * f64::from(self.repeat()));
        Ok(Live::new(context, games(self, directory)?).with_limits(
            plan.and_then(|plan| plan.generations),
            minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes)),
        ))
    }

    fn show(&self, outcome: &Outcome, directory: &Path, context: Context) -> Result<(), Failure> {
        let json = || {
            json!({
                "run": directory.display().to_string(),
                "weights": outcome.recommendation.weights.iter().collect::<Value>(),
                "series": outcome.results,
                "validation": outcome.validation,
            })
        };
        let (results, recommendation) = (&outcome.results, &outcome.recommendation);
        let text = || {
            let (spread, validation) = (results.spread.as_ref(), outcome.validation.as_ref());
            let is_mean_result = self.campaign.objective.is_mean_result();
            let parts = [
                Some(runs(results)),
                Some(parameters(results)),
                validation.map(|one| text::validation(one, is_mean_result)),
                results.recommended.map(|run| race_in_words(results, run)),
                spread.map(|spread| spread_in_words(spread, results.repeat)),
                recommendation.selection.as_ref().map(search::selection),
            ];
            let at_bounds = recommendation.at_bounds.iter().map(search::at_bound);
            let parts = parts.into_iter().flatten().chain(at_bounds);
            parts.collect::<Vec<_>>().join("\n")
        };
        context.print(json, text)?;
        let games: u64 = results.runs.iter().map(|run| run.training_games).sum();
        context.message(format!(
            "{} runs, {} training games; recommended: run {}; report: {}",
            results.repeat,
            grouped(games as f64, 0),
            results.recommended.unwrap_or_default(),
            directory.join("report.html").display()
        ));
        if let Some(warning) = outcome.validation.as_ref().and_then(not_beaten) {
            context.message(warning);
        }
        Ok(())
    }
}

/// The largest number of games that are still to be played; `None` if it is not limited.
fn games(series: &Series, directory: &RunDirectory) -> Result<Option<u64>, Failure> {
    let mut games = 0;
    for number in series.numbers() {
        let run = series.run(number);
        let plan = Plan::of(&run, series::played_games(&run, directory, number)?);
        let Some(of_run) = plan.and_then(Plan::expected_games) else {
            return Ok(None);
        };
        games += of_run;
    }
    let validation = &series.campaign.config.validation;
    let hold_out = u64::from(validation.games) * u64::from(1 + series.repeat());
    Ok(Some(games + hold_out))
}

fn runs(results: &SeriesResults) -> String {
    let mut table = text::table(&[
        "run",
        "seed",
        "generations",
        "games",
        "race",
        "se",
        "hold-out",
        "se",
    ]);
    let measured = |measured: Option<Measured>| {
        let number =
            |value: fn(Measured) -> f64| measured.map_or("-".into(), |one| compact(value(one)));
        [number(|one| one.value), number(|one| one.standard_error)]
    };
    for run in &results.runs {
        let is_recommended = results.recommended == Some(run.run);
        let mark = if is_recommended { " (recommended)" } else { "" };
        let counts = [
            format!("{}{mark}", run.run),
            run.seed.to_string(),
            run.generations.to_string(),
            grouped(run.training_games as f64, 0),
        ];
        let [race, hold_out] = [run.race, run.hold_out].map(measured);
        table.add_row(counts.into_iter().chain(race).chain(hold_out));
    }
    table.to_string()
}

fn parameters(results: &SeriesResults) -> String {
    let mut table = text::table(&[
        "parameter",
        "start",
        "recommended",
        "sd of the runs, % of range",
        "",
    ]);
    let winner = results.recommended.map(|run| run as usize - 1);
    for parameter in &results.parameters {
        let tuned = winner.map(|index| parameter.values[index]);
        table.add_row([
            parameter.name.clone(),
            format!("{:.5}", parameter.start),
            tuned.map_or("-".into(), |tuned| format!("{tuned:.5}")),
            grouped(100.0 * parameter.unit_sd, 1),
            parameter.agreement.map_or("", Agreement::name).to_owned(),
        ]);
    }
    table.to_string()
}
