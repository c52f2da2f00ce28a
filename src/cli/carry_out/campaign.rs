//! Carrying a campaign out.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::{end, interrupted};
use crate::campaign::{self, CampaignError, Outcome};
use crate::cli::interrupt::stop_on_interrupt;
use crate::cli::live::Live;
use crate::cli::plan::Plan;
use crate::cli::{Context, Failure, report, text};
use crate::config::campaign::Campaign;
use crate::evaluation::Progress;
use crate::evaluation::local::Local;
use crate::store::manifest::Manifest;
use crate::store::run_directory::RunDirectory;

/// Runs a campaign in its directory from wherever it stands, draws its charts and reports.
pub(in crate::cli) fn carry_out(
    campaign: &Campaign,
    local: &Local,
    directory: &RunDirectory,
    mut manifest: Manifest,
    context: Context,
) -> Result<(), Failure> {
    let progress = Arc::new(Progress::default());
    let plan = Plan::of(campaign, directory.complete_generations()?);
    let minutes = campaign.config.budget.minutes;
    let mut live = Live::new(context, &progress, plan.map(|plan| plan.games()))
        .of_generations(plan.and_then(|plan| plan.generations))
        .ending_after(minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes)));
    stop_on_interrupt(&progress, live.speaker())?;
    let ended = campaign::run(campaign, local, directory, &progress, &mut live);
    drop(live);
    let ended = ended.map_err(|error| match error {
        CampaignError::Interrupted => interrupted(directory),
        error => error.into(),
    });
    let ended = ended.and_then(|outcome| {
        // The report tells how the run stands.
        end(&mut manifest, directory, &Ok(()))?;
        report::write(campaign, directory)?;
        Ok(outcome)
    });
    if ended.is_err() {
        end(&mut manifest, directory, &ended)?;
    }
    show(campaign, &ended?, directory, context)
}

fn show(
    campaign: &Campaign,
    outcome: &Outcome,
    directory: &RunDirectory,
    context: Context,
) -> Result<(), Failure> {
    let recommendation = &outcome.recommendation;
    let mut out = std::io::stdout();
    if context.json {
        let weights: serde_json::Map<_, _> = recommendation
            .weights
            .iter()
            .map(|(key, value)| (key.to_owned(), json!(value)))
            .collect();
        let result = json!({
            "run": directory.root().display().to_string(),
            "generations": recommendation.generations,
            "games": recommendation.games,
            "weights": weights,
            "validation": outcome.validation,
        });
        writeln!(out, "{result}")?;
        return Ok(());
    }
    let mut table = text::table(&["parameter", "start", "tuned"]);
    for (parameter, tuned) in campaign
        .space
        .parameters()
        .iter()
        .zip(&recommendation.values)
    {
        let start = format!("{:.5}", parameter.start);
        table.add_row([parameter.name.clone(), start, format!("{tuned:.5}")]);
    }
    writeln!(out, "{table}")?;
    if let Some(validation) = &outcome.validation {
        writeln!(out, "{}", text::validation(validation))?;
    }
    context.say(format!(
        "{} generations, {} training games; see {}",
        recommendation.generations,
        text::number(recommendation.games as f64, 0),
        directory.path("report.html").display()
    ));
    Ok(())
}
