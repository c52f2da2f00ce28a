//! The plan of a campaign: what it will play, and an estimate of how long that takes.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use comfy_table::Table;
use serde_json::json;

use super::interrupt::stop_on_interrupt;
use super::{Context, Failure, text};
use crate::config::campaign::Campaign;
use crate::evaluation::local::Local;
use crate::evaluation::{Evaluator, Progress};
use crate::optimizer::Optimizer;
use crate::random::Stream;
use crate::run::RunError;

/// What a campaign will play at most, as far as its budget says.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    pub(super) generations: Option<u32>,
    training_games: u64,
    hold_out_games: u64,
}

impl Plan {
    /// From a generation on; `None` if only a clock ends the search. Restarts, which change the
    /// population, are not foreseen.
    pub(super) fn of(campaign: &Campaign, from: u32) -> Option<Self> {
        let config = &campaign.config;
        let start = campaign.space.start();
        let optimizer = Optimizer::new(&config.optimizer, start, 0).ok()?;
        let training_games = |generations| {
            let games = config
                .evaluation
                .games_through(generations, campaign.player.players());
            games.saturating_mul(optimizer.population() as u64)
        };
        let budget = &config.budget;
        let by_generations = budget.generations.map(training_games);
        let limit = [by_generations, budget.games].into_iter().flatten().min()?;
        Some(Plan {
            generations: budget.generations,
            training_games: limit.saturating_sub(training_games(from)),
            hold_out_games: 2 * u64::from(config.validation.games),
        })
    }

    pub(super) fn games(self) -> u64 {
        self.training_games.saturating_add(self.hold_out_games)
    }
}

/// How long the calibration of an estimate plays.
const CALIBRATION: Duration = Duration::from_secs(2);

/// Shows the plan and an estimate of the time.
pub(super) fn show(campaign: &Campaign, local: &Local, context: Context) -> Result<(), Failure> {
    context.say("timing some games with the start weights ...");
    let rate = calibrate(campaign, local, context)?;
    let plan = Plan::of(campaign, 0);
    let seconds = plan.map(|plan| plan.games() as f64 / rate);
    if context.json {
        print_json(campaign, local, plan, rate, seconds)
    } else {
        print_text(campaign, local, plan, rate, seconds)
    }
}

fn print_json(
    campaign: &Campaign,
    local: &Local,
    plan: Option<Plan>,
    rate: f64,
    seconds: Option<f64>,
) -> Result<(), Failure> {
    let config = &campaign.config;
    let result = json!({
        "name": config.name,
        "player": campaign.player.describe(),
        "objective": campaign.objective,
        "parameters": config.parameters,
        "generations": config.budget.generations,
        "training_games": plan.map(|plan| plan.training_games),
        "hold_out_games": 2 * config.validation.games,
        "minutes": config.budget.minutes,
        "threads": local.threads(),
        "games_per_second": rate,
        "estimated_seconds": seconds,
    });
    writeln!(std::io::stdout(), "{result}")?;
    Ok(())
}

fn print_text(
    campaign: &Campaign,
    local: &Local,
    plan: Option<Plan>,
    rate: f64,
    seconds: Option<f64>,
) -> Result<(), Failure> {
    let config = &campaign.config;
    let mut out = std::io::stdout();
    writeln!(
        out,
        "{}: {}, maximising {}",
        config.name,
        campaign.player.describe(),
        campaign.objective.describe()
    )?;
    writeln!(out, "{}", parameters(campaign))?;
    if let Some(plan) = plan {
        let games = text::number(plan.training_games as f64, 0);
        match plan.generations {
            Some(generations) => writeln!(
                out,
                "at most {generations} generations, {games} training games"
            )?,
            None => writeln!(out, "at most {games} training games")?,
        }
    }
    if let Some(minutes) = config.budget.minutes {
        writeln!(out, "at most {minutes} minutes of searching")?;
    }
    writeln!(
        out,
        "{} hold-out games",
        text::number(2.0 * f64::from(config.validation.games), 0)
    )?;
    let threads = local.threads();
    writeln!(
        out,
        "{} games/s with the start weights on {threads} thread{}",
        text::number(rate, 1),
        if threads == 1 { "" } else { "s" }
    )?;
    if let Some(seconds) = seconds {
        let time = text::duration(Duration::from_secs_f64(seconds));
        writeln!(out, "about {time}; more where tuning makes games longer")?;
    }
    Ok(())
}

fn parameters(campaign: &Campaign) -> Table {
    let mut table = text::table(&["parameter", "start", "min", "max", "scale"]);
    for parameter in campaign.space.parameters() {
        let scale = match (parameter.fixed, parameter.integer) {
            (true, _) => "fixed".to_owned(),
            (false, true) => format!("{:?}, whole numbers", parameter.scale).to_lowercase(),
            (false, false) => format!("{:?}", parameter.scale).to_lowercase(),
        };
        let numbers =
            [parameter.start, parameter.min, parameter.max].map(|value| value.to_string());
        let [start, min, max] = numbers;
        table.add_row([parameter.name.clone(), start, min, max, scale]);
    }
    table
}

/// Games a second with the start weights.
fn calibrate(campaign: &Campaign, local: &Local, context: Context) -> Result<f64, Failure> {
    let progress = Arc::new(Progress::default());
    stop_on_interrupt(&progress, move |text| context.say(text))?;
    let begin = Instant::now();
    let mut round = 0;
    while begin.elapsed() < CALIBRATION {
        // Ever more games at a time, so that the threads wait for each other less and less.
        let games = (local.threads() as u64) << round.min(16);
        let seeds = campaign.player.players().game_seeds(
            campaign.config.seed,
            Stream::Calibration,
            round,
            games,
        );
        let played = local.games(&campaign.start, &seeds, &progress);
        played.map_err(RunError::from)?;
        round += 1;
    }
    Ok(progress.games() as f64 / begin.elapsed().as_secs_f64())
}
