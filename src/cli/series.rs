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
use crate::number::grouped;
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
        let results = &outcome.results;
        let blocks = series::blocks(self, &RunDirectory::open(directory)?, results)?;
        let text = || text::blocks(&blocks);
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
