//! The plan of a campaign: the number of games, and an estimate of the time that they take.

use std::sync::Arc;
use std::time::{Duration, Instant};

use comfy_table::Table;
use serde_json::{Value, json};

use super::interrupt::stop_on_interrupt;
use super::{Context, Failure, text};
use crate::config::campaign::{Campaign, ValidationConfig};
use crate::evaluation::local::Local;
use crate::evaluation::schedule::Games;
use crate::evaluation::{Evaluator, Progress};
use crate::number::{count, grouped};
use crate::optimizer::Optimizer;
use crate::random::Stream;
use crate::run::RunError;

/// The largest numbers of generations and games of a campaign with a budget of either.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    pub(super) generations: Option<u32>,
    training_games: u64,
    hold_out_games: u64,
    /// Whether the campaign may play far fewer games: with `games = "auto"` it plays as many as pay.
    is_upper_limit: bool,
}

impl Plan {
    /// The plan after some training games; `None` if the budget limits only the time. Restarts change
    /// the population; the plan does not predict them.
    pub(super) fn of(campaign: &Campaign, played: u64) -> Option<Self> {
        let config = &campaign.config;
        let start = campaign.space.start();
        let optimizer = Optimizer::new(&config.optimizer, start, 0).ok()?;
        let players = campaign.player.players();
        let training_games = |generations| {
            let games = config.evaluation.games_through(generations, players);
            games.saturating_mul(optimizer.population() as u64)
        };
        let budget = &config.budget;
        let by_generations = budget.generations.map(training_games);
        let limit = [by_generations, budget.games].into_iter().flatten().min()?;
        let is_auto = config.evaluation.games == Games::Auto;
        Some(Plan {
            generations: budget.generations,
            training_games: limit.saturating_sub(played),
            hold_out_games: 2 * u64::from(config.validation.games),
            is_upper_limit: is_auto && by_generations == Some(limit),
        })
    }

    /// Games of a series of this many runs: their searches, their race, and the hold-out games of all.
    fn of_series(self, repeat: u32, validation: &ValidationConfig) -> u64 {
        let runs = u64::from(repeat);
        let race = runs * u64::from(validation.race_games);
        let hold_out = (runs + 1) * u64::from(validation.games);
        self.training_games.saturating_mul(runs) + race + hold_out
    }

    /// The number of games; `None` if only an upper limit is known.
    pub(super) fn expected_games(self) -> Option<u64> {
        (!self.is_upper_limit).then(|| self.games())
    }

    fn games(self) -> u64 {
        self.training_games.saturating_add(self.hold_out_games)
    }
}

/// Duration of the calibration of an estimate.
const CALIBRATION: Duration = Duration::from_secs(2);

/// Prints the plan and an estimate of the time.
pub(super) fn show(
    campaign: &Campaign,
    repeat: u32,
    local: &Local,
    context: Context,
) -> Result<(), Failure> {
    context.message("timing games with the start weights ...");
    let estimate = Estimate {
        campaign,
        repeat,
        plan: Plan::of(campaign, 0),
        threads: local.threads(),
        rate: calibrate(campaign, local, context)?,
    };
    context.print(|| estimate.json(), || estimate.text())
}

struct Estimate<'a> {
    campaign: &'a Campaign,
    /// Number of runs.
    repeat: u32,
    plan: Option<Plan>,
    threads: usize,
    /// Games per second with the start weights.
    rate: f64,
}

impl Estimate<'_> {
    fn seconds(&self) -> Option<f64> {
        let games = self.plan.map(|plan| match self.repeat {
            1 => plan.games(),
            repeat => plan.of_series(repeat, &self.campaign.config.validation),
        });
        games.map(|games| games as f64 / self.rate)
    }

    /// Those of the start weights and of the tuned weights of each run.
    fn hold_out_games(&self) -> u64 {
        u64::from(self.repeat + 1) * u64::from(self.campaign.config.validation.games)
    }

    fn json(&self) -> Value {
        let config = &self.campaign.config;
        json!({
            "name": config.name,
            "runs": self.repeat,
            "player": self.campaign.player.describe(),
            "objective": self.campaign.objective,
            "parameters": config.parameters,
            "generations": config.budget.generations,
            "training_games": self.plan.map(|plan| plan.training_games),
            "hold_out_games": self.hold_out_games(),
            "minutes": config.budget.minutes,
            "threads": self.threads,
            "games_per_second": self.rate,
            "estimated_seconds": self.seconds(),
        })
    }

    fn text(&self) -> String {
        let Estimate {
            campaign, threads, ..
        } = self;
        let config = &campaign.config;
        let player = campaign.player.describe();
        let objective = campaign.objective.describe();
        let mut lines = vec![
            format!("{}: {player}, maximising {objective}", config.name),
            parameters(campaign).to_string(),
        ];
        let runs = match self.repeat {
            1 => String::new(),
            repeat => format!("{repeat} runs, each "),
        };
        if let Some(plan) = self.plan {
            let generations = plan
                .generations
                .map(|number| format!("{number} generations, "));
            let games = grouped(plan.training_games as f64, 0);
            let generations = generations.unwrap_or_default();
            lines.push(format!("{runs}at most {generations}{games} training games"));
        }
        if let Some(minutes) = config.budget.minutes {
            lines.push(format!("{runs}at most {minutes} minutes of search"));
        }
        let hold_out_games = count(self.hold_out_games());
        lines.push(format!("{hold_out_games} hold-out games"));
        let (rate, plural) = (grouped(self.rate, 1), if *threads == 1 { "" } else { "s" });
        lines.push(format!(
            "{rate} games/s with the start weights on {threads} thread{plural}"
        ));
        if let Some(seconds) = self.seconds() {
            let time = text::duration(Duration::from_secs_f64(seconds));
            let limit = match self.plan.is_some_and(|plan| plan.is_upper_limit) {
                true => "at most ",
                false => "",
            };
            lines.push(format!(
                "estimated time: {limit}{time}; longer if tuned weights play longer games"
            ));
        }
        lines.join("\n")
    }
}

fn parameters(campaign: &Campaign) -> Table {
    let mut table = text::table(&["parameter", "start", "min", "max", "scale"]);
    for parameter in campaign.space.parameters() {
        let scale = format!("{:?}", parameter.scale).to_lowercase();
        let scale = match (parameter.fixed, parameter.integer) {
            (true, _) => "fixed".to_owned(),
            (false, true) => format!("{scale}, whole numbers"),
            (false, false) => scale,
        };
        let numbers = [parameter.start, parameter.min, parameter.max];
        let [start, min, max] = numbers.map(|value| value.to_string());
        table.add_row([parameter.name.clone(), start, min, max, scale]);
    }
    table
}

/// Games per second with the start weights.
fn calibrate(campaign: &Campaign, local: &Local, context: Context) -> Result<f64, Failure> {
    let progress = Arc::new(Progress::default());
    stop_on_interrupt(&progress, move |text| context.message(text), || ())?;
    let players = campaign.player.players();
    let begin = Instant::now();
    let mut round = 0;
    while begin.elapsed() < CALIBRATION {
        // The number of games doubles, so that waiting at the end of a round matters less and less.
        let games = (local.threads() as u64) << round.min(16);
        let seeds = players.game_seeds(campaign.config.seed, Stream::Calibration, round, games);
        let played = local.games(&campaign.start, &seeds, &progress);
        played.map_err(RunError::from)?;
        round += 1;
    }
    Ok(progress.games() as f64 / begin.elapsed().as_secs_f64())
}
