//! `tiletune tune`: a campaign from a TOML file to a run directory.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use super::live::Live;
use super::{Context, Failure, report, text};
use crate::campaign::{self, CampaignError, Outcome};
use crate::config::campaign::Campaign;
use crate::config::{Source, apply_settings};
use crate::evaluation::local::Local;
use crate::evaluation::{Evaluator, Progress};
use crate::game::rng::{Stream, game_seeds};
use crate::optimizer::Optimizer;
use crate::store::StoreError;
use crate::store::manifest::{Manifest, Seeds, Session, Status, utc};
use crate::store::run_directory::RunDirectory;

#[derive(Args)]
pub(super) struct Tune {
    /// The campaign file; without one, the quickstart campaign that is built in.
    config: Option<PathBuf>,
    /// Run directory to make; it must not exist or be empty.
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
    pub(super) fn evaluator(&self, campaign: &Campaign) -> Result<Local, Failure> {
        let threads = self.threads.map(usize::from);
        Local::new(campaign.entry, campaign.config.player.clone(), threads)
            .map_err(|error| Failure::Failed(format!("cannot start threads: {error}")))
    }
}

impl Tune {
    pub(super) fn run(self, context: Context) -> Result<(), Failure> {
        let verbatim = match &self.config {
            Some(path) => Source::read(path)?,
            None => quickstart(),
        };
        let text = verbatim.text.clone();
        let source = apply_settings(verbatim, &self.set)?;
        let folder = self.config.as_deref().and_then(Path::parent);
        let campaign = Campaign::resolve(&source, folder.unwrap_or(Path::new("")))?;
        let local = self.threads.evaluator(&campaign)?;
        if self.dry_run {
            return dry_run(&campaign, &local, context);
        }
        let out = self.out.unwrap_or_else(|| {
            let name = format!("{}-{}", campaign.config.name, utc("%Y%m%dT%H%M%SZ"));
            Path::new("results").join(name)
        });
        let manifest = Manifest::new(Session::now(local.threads()), seeds(&campaign));
        let begin = |directory: &RunDirectory| begin(&campaign, &text, &manifest, directory);
        let directory = RunDirectory::create(&out, begin).map_err(|error| match error {
            StoreError::Io { path, source } => {
                Failure::Usage(format!("cannot write to {}: {source}", path.display()))
            }
            error => error.into(),
        })?;
        context.say(format!("run directory: {}", out.display()));
        carry_out(&campaign, &local, &directory, manifest, context)
    }
}

fn quickstart() -> Source {
    Source {
        name: "the built-in quickstart campaign".into(),
        text: include_str!("../../configs/quickstart.toml").into(),
    }
}

fn seeds(campaign: &Campaign) -> Seeds {
    Seeds {
        campaign: campaign.config.seed,
        hold_out: campaign::hold_out_seed(campaign.config.seed),
    }
}

/// Writes what stands at the beginning of a run; the manifest comes last and makes it a run.
fn begin(
    campaign: &Campaign,
    verbatim: &str,
    manifest: &Manifest,
    directory: &RunDirectory,
) -> Result<(), StoreError> {
    let resolved = toml::to_string(&campaign.config).map_err(|error| StoreError::Damaged {
        path: directory.resolved_path(),
        reason: error.to_string(),
    })?;
    directory.write("config.toml", verbatim)?;
    directory.write("resolved.toml", resolved)?;
    manifest.write(&directory.manifest_path())
}

/// Runs a campaign in its directory from wherever it stands, draws its charts and reports.
pub(super) fn carry_out(
    campaign: &Campaign,
    local: &Local,
    directory: &RunDirectory,
    mut manifest: Manifest,
    context: Context,
) -> Result<(), Failure> {
    let progress = Arc::new(Progress::default());
    stop_on_interrupt(&progress)?;
    let plan = Plan::of(campaign, directory.complete_generations());
    let minutes = campaign.config.budget.minutes;
    let mut live = Live::new(context, &progress, plan.map(|plan| plan.games()))
        .of_generations(plan.and_then(|plan| plan.generations))
        .ending_after(minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes)));
    let ended = campaign::run(campaign, local, directory, &progress, &mut live);
    drop(live);
    let ended = ended.map_err(|error| match error {
        CampaignError::Interrupted => Failure::Interrupted(format!(
            "interrupted; go on with: tiletune resume {}",
            directory.root().display()
        )),
        error => error.into(),
    });
    let ended = ended.and_then(|outcome| {
        manifest.end(Status::Complete);
        manifest.write(&directory.manifest_path())?;
        report::write(campaign, directory)?;
        Ok(outcome)
    });
    match ended {
        Ok(outcome) => show(campaign, &outcome, directory, context),
        Err(failure) => {
            manifest.end(match failure {
                Failure::Interrupted(_) => Status::Interrupted,
                _ => Status::Failed,
            });
            // The failure is what the user needs to hear of.
            let _ = manifest.write(&directory.manifest_path());
            Err(failure)
        }
    }
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
            "run": directory.root(),
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

/// Lets Ctrl-C end the games in flight and then the program; a second one ends it at once.
pub(super) fn stop_on_interrupt(progress: &Arc<Progress>) -> Result<(), Failure> {
    let progress = progress.clone();
    let asked = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        progress.request_stop();
    })
    .map_err(|error| Failure::Failed(format!("cannot watch for Ctrl-C: {error}")))
}

/// What a campaign will play at most, as far as its budget says.
#[derive(Clone, Copy)]
struct Plan {
    generations: Option<u32>,
    training_games: u64,
    hold_out_games: u64,
}

impl Plan {
    /// From a generation on; `None` if only a clock ends the search. Restarts, which change the
    /// population, are not foreseen.
    fn of(campaign: &Campaign, from: u32) -> Option<Self> {
        let config = &campaign.config;
        let start = campaign.space.start();
        let optimizer = Optimizer::new(&config.optimizer, start, 0).ok()?;
        let training_games = |generations| {
            optimizer.population() as u64 * config.evaluation.games_through(generations)
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

    fn games(self) -> u64 {
        self.training_games + self.hold_out_games
    }
}

/// How long the calibration of an estimate plays.
const CALIBRATION: Duration = Duration::from_secs(2);

fn dry_run(campaign: &Campaign, local: &Local, context: Context) -> Result<(), Failure> {
    let rate = calibrate(campaign, local)?;
    let plan = Plan::of(campaign, 0);
    let config = &campaign.config;
    let seconds = plan.map(|plan| plan.games() as f64 / rate);
    let mut out = std::io::stdout();
    if context.json {
        let result = json!({
            "name": config.name,
            "player": config.player.describe(),
            "objective": config.evaluation.objective,
            "parameters": config.parameters,
            "generations": config.budget.generations,
            "training_games": plan.map(|plan| plan.training_games),
            "hold_out_games": 2 * config.validation.games,
            "minutes": config.budget.minutes,
            "threads": local.threads(),
            "games_per_second": rate,
            "estimated_seconds": seconds,
        });
        writeln!(out, "{result}")?;
        return Ok(());
    }
    writeln!(
        out,
        "{}: {}, maximising {}",
        config.name,
        config.player.describe(),
        config.evaluation.objective.describe()
    )?;
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
    writeln!(out, "{table}")?;
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

/// Games a second with the start weights.
fn calibrate(campaign: &Campaign, local: &Local) -> Result<f64, Failure> {
    let progress = Arc::new(Progress::default());
    stop_on_interrupt(&progress)?;
    let begin = Instant::now();
    let mut round = 0;
    while begin.elapsed() < CALIBRATION {
        // Ever more games at a time, so that the threads wait for each other less and less.
        let games = (local.threads() as u64) << round.min(16);
        let seeds = game_seeds(campaign.config.seed, Stream::Calibration, round, games);
        let start = std::slice::from_ref(&campaign.start);
        local
            .evaluate::<std::convert::Infallible>(start, &seeds, &progress, &mut |_| Ok(()))
            .map_err(CampaignError::from)?;
        round += 1;
    }
    Ok(progress.games() as f64 / begin.elapsed().as_secs_f64())
}
