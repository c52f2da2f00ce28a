//! `tiletune tune`: runs the campaign of a TOML file in a new run directory.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::execute::{NewRun, Shown, execute, read};
use super::live::Live;
use super::whole::whole;
use super::{Context, Failure, plan, text};
use crate::campaign::plan::Plan;
use crate::campaign::race::RaceResult;
use crate::campaign::{self, Outcome, not_beaten};
use crate::config::Source;
use crate::config::campaign::Campaign;
use crate::config::series::Series;
use crate::evaluation::Evaluator;
use crate::number::several;
use crate::report::{deeper, search};
use crate::run::RunDirectory;

#[derive(Args)]
pub(super) struct Tune {
    /// Campaign file (default: the built-in quickstart campaign).
    config: Option<PathBuf>,
    #[command(flatten)]
    new_run: NewRun,
    /// Run the campaign K times under seeds derived from its own, and compare the results: 2 to 100.
    #[arg(long, value_name = "K", value_parser = whole(2..=100u32))]
    repeat: Option<u32>,
    /// Print the games, the time that they take and the differences that they show, from a short
    /// calibration, then exit.
    #[arg(long)]
    dry_run: bool,
}

impl Tune {
    pub(super) fn run(mut self, context: Context) -> Result<(), Failure> {
        let source = match &self.config {
            Some(path) => read(path, "a campaign")?,
            None => quickstart(),
        };
        let repeat = self.repeat.map(|repeat| format!("series.repeat={repeat}"));
        self.new_run.set.extend(repeat);
        let settings = source.clone().with_settings(&self.new_run.set)?;
        match settings.has(&["series"]) {
            true => self.start::<Series>(
                source,
                |series| (&series.campaign, series.repeat()),
                context,
            ),
            false => self.start::<Campaign>(source, |campaign| (campaign, 1), context),
        }
    }

    /// Begins and executes a plan: a campaign, or its repetition.
    fn start<P: Shown>(
        self,
        source: Source,
        campaign: fn(&P) -> (&Campaign, u32),
        context: Context,
    ) -> Result<(), Failure> {
        let folder = self.config.as_deref().and_then(Path::parent);
        let (plan, source) = (self.new_run).plan::<P>(source, folder.unwrap_or(Path::new("")))?;
        let (campaign, repeat) = campaign(&plan);
        let threads = self.new_run.threads.number();
        for notice in campaign::notices(campaign) {
            context.message(notice);
        }
        if self.dry_run {
            self.new_run.cluster.leave_out(context)?;
            let local = self.new_run.threads.evaluator(&campaign.player)?;
            plan::show(campaign, repeat, &local, context)?;
            if let Some(found) = local.unrepeated() {
                context.message(found.in_words());
            }
            return Ok(());
        }
        let machines = self.new_run.cluster.machines(threads, context)?;
        let out = self.new_run.out;
        if let Some(program) = campaign.player.program() {
            program.start().map_err(Failure::Failed)?;
        }
        let run = out.begin(&plan, &source, threads, context)?;
        if campaign.is_seed_drawn {
            context.message(format!("seed {} (drawn)", campaign.config.seed));
        }
        execute(&plan, &machines, run, context)
    }
}

fn quickstart() -> Source {
    let text = include_str!("../../configs/quickstart.toml");
    Source::new("the built-in quickstart campaign", text)
}

impl Shown for Campaign {
    fn live(&self, directory: &RunDirectory, context: Context) -> Result<Live, Failure> {
        let played = campaign::training_games(&campaign::generations(self, directory)?);
        let plan = Plan::of(self, played);
        let minutes = self.config.budget.minutes;
        Ok(
            Live::new(context, plan.and_then(Plan::expected_games)).with_limits(
                plan.and_then(|plan| plan.generations),
                minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes)),
            ),
        )
    }

    fn show(&self, outcome: &Outcome, directory: &Path, context: Context) -> Result<(), Failure> {
        let recommendation = &outcome.recommendation;
        let json = || {
            json!({
                "run": directory.display().to_string(),
                "name": self.config.name,
                "game": self.player.entry.game.name,
                "player": self.player.describe(),
                "objective": self.objective.describe(),
                "seed": self.config.seed.to_string(),
                "hold_out_seed": campaign::hold_out_seed(self.config.seed).to_string(),
                "generations": recommendation.generations,
                "training_games": recommendation.games,
                "weights": recommendation.weights.iter().collect::<Value>(),
                "validation": outcome.validation,
                "selection": recommendation.selection,
                "at_bounds": recommendation.at_bounds,
                "refused_candidates": outcome.refused,
                "signal": outcome.last_generation.as_ref().map(|row| row.signal),
                "games_needed": outcome.last_generation.as_ref().map(|row| row.games_needed),
                "race": outcome.race.as_ref().map(race_json),
            })
        };
        let text = || {
            let mut table = text::table(&["parameter", "start", "tuned"]);
            let parameters = self.space.parameters().iter();
            for (parameter, tuned) in parameters.zip(&recommendation.values) {
                let start = format!("{:.5}", parameter.start);
                table.add_row([parameter.name.clone(), start, format!("{tuned:.5}")]);
            }
            let validation = outcome.validation.as_ref();
            let is_mean_result = self.objective.is_mean_result();
            let validation =
                validation.map(|validation| text::validation(validation, is_mean_result));
            let deeper = outcome.validation.as_ref().and_then(text::deeper);
            let tables = [Some(table.to_string()), validation, deeper];
            let parts = tables.into_iter().flatten().chain(about_search(outcome));
            let parts = parts.chain(about_depths(self, outcome));
            let warning = outcome.validation.as_ref().and_then(not_beaten);
            parts.chain(warning).collect::<Vec<_>>().join("\n")
        };
        // Before the results, whose last line says whether the start weights are beaten.
        context.message(format!(
            "{}, {}; report: {}",
            several(recommendation.generations, "generation"),
            several(recommendation.games, "training game"),
            directory.join("report.html").display()
        ));
        context.print(json, text)
    }
}

/// What the search promised, its signal and noise, and the values at a bound.
fn about_search(outcome: &Outcome) -> Vec<String> {
    let recommendation = &outcome.recommendation;
    let race = outcome.race.as_ref().map(|race| {
        let (winner, survivors) = (race.winner as u32, race.survivors() as u32);
        campaign::race_words(race.finalists.len() as u32, winner, survivors) + "."
    });
    let selection = recommendation.selection.as_ref().map(search::selection);
    let signal = outcome.last_generation.as_ref().and_then(search::signal);
    let first_steps = search::first_steps(&outcome.first_generations);
    let sentences = [race, selection, signal, first_steps].into_iter().flatten();
    let at_bounds = recommendation.at_bounds.iter().map(search::at_bound);
    let refused = Some(outcome.refused).filter(|refused| *refused > 0);
    let refused = refused.map(search::refused);
    sentences.chain(at_bounds).chain(refused).collect()
}

/// The search depths that were not measured.
fn about_depths(campaign: &Campaign, outcome: &Outcome) -> Vec<String> {
    let validation = outcome.validation.as_ref();
    let skipped = validation.map(|validation| deeper::skipped(&validation.deeper));
    let mut sentences = skipped.unwrap_or_default();
    sentences.extend(campaign::unmeasured(campaign, validation));
    sentences
}

fn race_json(race: &RaceResult) -> Value {
    let finalists = race.finalists.iter().map(|finalist| {
        json!({
            "games": finalist.games,
            "value": finalist.value,
            "standard_error": finalist.standard_error,
            "is_eliminated": finalist.is_eliminated,
        })
    });
    json!({
        "winner": race.winner,
        "survivors": race.survivors(),
        "finalists": finalists.collect::<Value>(),
    })
}
