//! `tiletune tune`: a campaign from a TOML file to a run directory.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::execute::{Shown, begin, execute};
use super::live::Live;
use super::plan::Plan;
use super::{Context, Failure, plan, text};
use crate::campaign::Outcome;
use crate::config::Source;
use crate::config::campaign::Campaign;
use crate::evaluation::Progress;
use crate::evaluation::local::Local;
use crate::run::{RunDirectory, RunError};

#[derive(Args)]
pub(super) struct Tune {
    /// The campaign file; without one, the quickstart campaign that is built in.
    config: Option<PathBuf>,
    /// Run directory to make; it must not exist, or must be empty.
    /// [default: results/<name>-<UTC time>]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Set a key of the campaign file, as in `--set budget.generations=10`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Show the plan and an estimate of the time, and stop there.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    threads: Threads,
}

#[derive(Args)]
pub(super) struct Threads {
    /// Threads that play; without it one per core. The results do not depend on it.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

impl Threads {
    /// How many threads that is.
    pub(super) fn number(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }

    pub(super) fn evaluator(&self, campaign: &Campaign) -> Result<Local, Failure> {
        let threads = self.threads.map(usize::from);
        let local = Local::new(campaign.player.clone(), threads);
        Ok(local.map_err(RunError::from)?)
    }
}

impl Tune {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let source = match &self.config {
            Some(path) => Source::read(path)?,
            None => quickstart(),
        };
        let source = source.with_settings(&self.set)?;
        let folder = self.config.as_deref().and_then(Path::parent);
        let campaign = Campaign::resolve(&source, folder.unwrap_or(Path::new("")))?;
        let local = self.threads.evaluator(&campaign)?;
        if self.dry_run {
            return plan::show(&campaign, &local, context);
        }
        let run = begin(&campaign, &source.text, self.out, local.threads(), context)?;
        execute(&campaign, &local, run, context)
    }
}

fn quickstart() -> Source {
    let text = include_str!("../../configs/quickstart.toml");
    Source::new("the built-in quickstart campaign", text)
}

impl Shown for Campaign {
    fn live(
        &self,
        directory: &RunDirectory,
        progress: &Arc<Progress>,
        context: Context,
    ) -> Result<Live, Failure> {
        let plan = Plan::of(self, directory.complete_generations()?);
        let minutes = self.config.budget.minutes;
        Ok(Live::new(context, progress, plan.map(Plan::games))
            .of_generations(plan.and_then(|plan| plan.generations))
            .ending_after(minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes))))
    }

    fn show(&self, outcome: &Outcome, directory: &Path, context: Context) -> Result<(), Failure> {
        let recommendation = &outcome.recommendation;
        let mut out = std::io::stdout();
        if context.json {
            let weights: serde_json::Map<_, _> = recommendation
                .weights
                .iter()
                .map(|(key, value)| (key.to_owned(), json!(value)))
                .collect();
            let result = json!({
                "run": directory.display().to_string(),
                "generations": recommendation.generations,
                "games": recommendation.games,
                "weights": weights,
                "validation": outcome.validation,
            });
            writeln!(out, "{result}")?;
            return Ok(());
        }
        let mut table = text::table(&["parameter", "start", "tuned"]);
        let parameters = self.space.parameters().iter();
        for (parameter, tuned) in parameters.zip(&recommendation.values) {
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
            directory.join("report.html").display()
        ));
        Ok(())
    }
}
