//! The output of `tune --dry-run` and `ablate --dry-run`: games, time, and the differences that the games can show.

use std::collections::BTreeMap;
use std::time::Duration;

use comfy_table::Table;
use schemars::JsonSchema;
use serde::Serialize;

use super::live::Live;
use super::{Context, Failure, text};
use crate::campaign::plan as tuning;
use crate::config::campaign::{Campaign, ParameterConfig};
use crate::config::experiment::Experiment;
use crate::evaluation::Progress;
use crate::evaluation::calibration::TIME;
use crate::evaluation::local::Local;
use crate::experiment::plan as experiments;
use crate::interest::in_unit;
use crate::number::{compact, count, grouped, several};
use crate::player::{PlayerSpec, Players};
use crate::prepare::Reported;
use crate::run::{RunError, RunPlan as _};

/// The conditions of the estimated time.
const WITHOUT: &str = "without charts and report, on an idle machine";

/// The power of a test with a number of games.
const POWER: &str = "in 80 % of cases";

/// Prints the plan of a campaign, or of its repetition.
pub(super) fn show(
    campaign: &Campaign,
    repeat: u32,
    local: &Local,
    context: Context,
) -> Result<(), Failure> {
    let estimate = estimate(campaign, repeat, local, context)?;
    context.print(
        || campaign_json(campaign, &estimate),
        || campaign_text(campaign, &estimate),
    )
}

/// Times a few games of a campaign or its repetition.
pub(super) fn estimate(
    campaign: &Campaign,
    repeat: u32,
    local: &Local,
    context: Context,
) -> Result<tuning::CampaignEstimate, Failure> {
    context.message("timing games of the start weights and of the first candidates ...");
    let measured = calibrate(&[&campaign.player], context, |progress| {
        // The time is longer than for a row of an experiment, because most of it is for the candidates of a population.
        tuning::SearchCalibration::of(campaign, local, 2 * TIME, progress)
    })?;
    let threads = local.threads();
    Ok(tuning::CampaignEstimate::new(
        campaign, repeat, threads, measured,
    ))
}

/// Prints the plan of an experiment.
pub(super) fn show_experiment(
    experiment: &Experiment,
    threads: usize,
    context: Context,
) -> Result<(), Failure> {
    context.message("timing a few games of every row ...");
    let measured = calibrate(&experiment.players(), context, |progress| {
        experiments::ExperimentCalibration::of(experiment, threads, TIME, progress)
    })?;
    let estimate = experiments::ExperimentEstimate::new(experiment, threads, &measured);
    context.print(
        || experiment_json(experiment, &estimate),
        || experiment_text(experiment, &estimate),
    )
}

/// Calibrates players with a progress line. Ctrl-C and SIGTERM end it.
pub(super) fn calibrate<T>(
    players: &[&PlayerSpec],
    context: Context,
    measure: impl FnOnce(&Progress) -> Result<T, RunError>,
) -> Result<T, Failure> {
    let (live, progress) = Live::begin(context, None)?;
    live.task("calibration");
    let reported = Reported {
        threads: std::thread::available_parallelism().map_or(1, Into::into),
        stop: progress.stop(),
        say: &live.speaker(),
    };
    let prepared = reported.prepare_players(players);
    prepared.ok_or(RunError::Interrupted)?;
    Ok(measure(&progress)?)
}

/// A duration as text. It may exceed the largest [`Duration`].
pub(super) fn duration(seconds: f64) -> String {
    text::duration(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

/// What `tiletune tune --dry-run` prints.
#[derive(Serialize, JsonSchema)]
pub(super) struct CampaignPlan<'a> {
    /// Name of the campaign.
    name: &'a str,
    /// Number of runs; more than 1 in a series.
    runs: u32,
    /// The player and its options in words.
    player: String,
    /// The objective in words.
    objective: String,
    /// The parameters with all defaults filled in.
    parameters: &'a BTreeMap<String, ParameterConfig>,
    /// The constraints that all candidates keep.
    require: &'a [String],
    /// Most generations of a run; null without such a limit.
    generations: Option<u32>,
    /// Training games of a run; null if the budget limits only the time.
    training_games: Option<u64>,
    /// Games of the start weights before the search of a run; null if the budget limits only the time.
    start_games: Option<u64>,
    /// Hold-out games of all weights.
    hold_out_games: u64,
    /// Games of the races of the runs and between the runs, at most.
    race_games: u64,
    /// Budget in minutes; null without one.
    minutes: Option<f64>,
    /// Number of threads.
    threads: usize,
    /// The games that the estimate is based on.
    calibration: &'a tuning::SearchCalibration,
    /// Seconds of a processor core to prepare a candidate, before its first move.
    preparation_seconds: f64,
    /// Moves per second of all threads.
    moves_per_second: f64,
    /// Games per second of all threads, with the start weights.
    games_per_second: f64,
    /// For some differences the games that find them; empty if the deviation is not known.
    sizes: &'a [tuning::GamesNeeded],
    /// The difference that the hold-out games find in 80 % of cases, in the unit of the difference of interest in
    /// `calibration`; of percent as a share.
    detectable: Option<f64>,
    /// Estimated seconds of the searches.
    search_seconds: f64,
    /// Estimated seconds of a processor core.
    core_seconds: f64,
    /// Estimated seconds of searches, race and hold-out games.
    estimated_seconds: f64,
    /// Estimated seconds of a processor core for the exact expected scores of a small board after the hold-out games, beside
    /// the other estimates; null if they are not computed.
    exact_seconds: Option<f64>,
    /// Whether the estimate is an upper limit.
    is_upper_limit: bool,
}

/// The plan of a campaign as JSON.
pub(super) fn campaign_json<'a>(
    campaign: &'a Campaign,
    estimate: &'a tuning::CampaignEstimate,
) -> CampaignPlan<'a> {
    let config = &campaign.config;
    let measured = &estimate.measured;
    let per_second = estimate.threads as f64 / measured.seconds_per_move;
    CampaignPlan {
        name: &config.name,
        runs: estimate.repeat,
        player: campaign.player.describe(),
        objective: campaign.objective_in_words(),
        parameters: &config.parameters,
        require: &config.require,
        generations: config.budget.generations,
        training_games: estimate.plan.map(|plan| plan.training_games),
        start_games: estimate.plan.map(|plan| plan.start_games),
        hold_out_games: estimate.hold_out_games,
        race_games: estimate.race_games,
        minutes: config.budget.minutes,
        threads: estimate.threads,
        calibration: measured,
        preparation_seconds: measured.preparation,
        moves_per_second: per_second,
        games_per_second: per_second / measured.start_moves,
        sizes: &estimate.sizes,
        detectable: estimate.detectable,
        search_seconds: estimate.search_seconds,
        core_seconds: estimate.core_seconds(),
        estimated_seconds: estimate.seconds,
        exact_seconds: estimate.exact_seconds,
        is_upper_limit: estimate.is_upper_limit(),
    }
}

/// The plan of a campaign in words.
pub(super) fn campaign_text(campaign: &Campaign, estimate: &tuning::CampaignEstimate) -> String {
    let config = &campaign.config;
    let player = campaign.player.describe();
    let aim = if campaign.minimises() {
        // The player says which number.
        String::new()
    } else {
        format!(", maximising {}", campaign.objective.describe())
    };
    let mut lines = vec![
        format!("{}: {player}{aim}", config.name),
        parameters(campaign).to_string(),
    ];
    if !config.require.is_empty() {
        let all = config.require.join(", ");
        lines.push(format!("all candidates keep: {all}"));
    }
    let runs = match estimate.repeat {
        1 => String::new(),
        repeat => format!("{repeat} runs, each "),
    };
    if let Some(plan) = estimate.plan {
        let generations = plan.generations;
        let generations = generations.map(|number| several(number, "generation") + ", ");
        let games = grouped(plan.training_games as f64, 0);
        let generations = generations.unwrap_or_default();
        lines.push(format!("{runs}at most {generations}{games} training games"));
        if plan.start_games > 0 {
            let games = several(plan.start_games, "game");
            lines.push(format!("{games} of the start weights before the search"));
        }
    }
    if let Some(minutes) = config.budget.minutes {
        let plural = if minutes == 1.0 { "" } else { "s" };
        lines.push(format!(
            "{runs}at most {} minute{plural} of search",
            compact(minutes)
        ));
    }
    if estimate.race_games > 0 {
        let games = count(estimate.race_games);
        let which = match (estimate.repeat, estimate.plan.map(|plan| plan.race_games)) {
            (1, _) => "a race after the search",
            (_, None | Some(0)) => "a race between the runs",
            (_, Some(_)) => "races in the runs and between them",
        };
        lines.push(format!("at most {games} games of {which}"));
    }
    let of_runs = match estimate.repeat {
        1 => String::new(),
        repeat => format!(" of the start weights and of the {repeat} runs"),
    };
    let games = count(estimate.hold_out_games);
    lines.push(format!("{games} hold-out games{of_runs}"));
    lines.extend(settings(estimate));
    lines.extend(deeper(campaign));
    lines.extend(differences(campaign, estimate));
    lines.push(rate(campaign, estimate));
    lines.push(time(estimate));
    lines.extend(exact(estimate));
    lines.join("\n")
}

/// The games at each of several settings.
fn settings(estimate: &tuning::CampaignEstimate) -> Option<String> {
    let settings = &estimate.measured.settings;
    let mut table = text::table(&[
        "setting",
        "games of a first candidate",
        "share of many games",
        "core-seconds a game",
    ]);
    for one in settings {
        table.add_row([
            one.setting.clone(),
            count(one.first_games),
            format!("{} %", grouped(100.0 * one.share, 1)),
            compact(one.core_seconds),
        ]);
    }
    let note = "Each candidate plays at least two games at each setting, so few games are not divided by the shares; hold-out \
                games are divided equally.";
    (!settings.is_empty()).then(|| format!("{table}\n{note}"))
}

/// The hold-out games at other depths. Their time is unknown before the search has ended.
fn deeper(campaign: &Campaign) -> Option<String> {
    let validation = &campaign.config.validation;
    let depths: Vec<String> = validation.deeper.iter().map(u8::to_string).collect();
    (!depths.is_empty()).then(|| {
        format!(
            "{} hold-out games at each other depth ({}), not in the estimate: at most as long as the search for \
             each depth, else they are left out",
            count(2 * validation.deeper_games()),
            depths.join(", ")
        )
    })
}

/// The number of games for some differences.
fn differences(campaign: &Campaign, estimate: &tuning::CampaignEstimate) -> Vec<String> {
    if estimate.measured.is_deterministic {
        return vec![
            "results do not depend on the seed: each candidate plays one game, and hold-out games that allow a verdict find any \
             difference"
                .into(),
        ];
    }
    let Some(interest) = estimate.measured.interest else {
        return vec![
            "too few results of games differ for an estimate of the difference found".into(),
        ];
    };
    let mut table = text::table(&["true difference", "games of each", "core-seconds", "time"]);
    for size in &estimate.sizes {
        table.add_row([
            in_unit(interest.of_share(size.difference)),
            grouped(size.games, 0),
            compact(size.core_seconds),
            duration(size.core_seconds / estimate.threads as f64),
        ]);
    }
    let found = estimate.detectable.map(|difference| {
        format!(
            "{} hold-out games of each find a difference of {} {POWER}",
            count(campaign.config.validation.games),
            in_unit(interest.of_share(difference))
        )
    });
    let table = format!(
        "{table}\nThese numbers of games of start and tuned weights find the difference {POWER} or more."
    );
    std::iter::once(table).chain(found).collect()
}

/// The time of a move, and the estimate of the length of games.
fn rate(campaign: &Campaign, estimate: &tuning::CampaignEstimate) -> String {
    let measured = &estimate.measured;
    let threads = several(estimate.threads as u64, "thread");
    if measured.is_slower {
        let seconds = compact(measured.seconds_per_move * measured.start_moves);
        let at = match measured.missing_settings.as_slice() {
            [] => String::new(),
            missing => format!(" at {}", missing.join(", ")),
        };
        return format!(
            "slower than {seconds} core-seconds a game: none{at} ended in the calibration"
        );
    }
    let per_second = estimate.threads as f64 / measured.seconds_per_move;
    let [start, first, tuned] = [
        measured.start_moves,
        measured.first_moves,
        measured.tuned_moves,
    ]
    .map(|moves| grouped(moves, 0));
    let length = match campaign.player.players() {
        Players::One if campaign.player.program().is_some() => {
            return format!("{} games/s on {threads}", compact(per_second));
        }
        Players::One => format!(
            "{start} moves a game with the start weights, {first} with the first candidates; {tuned} \
             assumed with tuned weights, because better weights play longer games"
        ),
        Players::Two => format!("{start} moves a game with the start weights"),
    };
    format!(
        "{} moves/s, {} games/s with the start weights on {threads}: {length}; {} ms to prepare a candidate",
        grouped(per_second, 0),
        grouped(per_second / measured.start_moves, 1),
        compact(1000.0 * measured.preparation),
    )
}

/// The exact scores of a small board, if they take more than a moment.
fn exact(estimate: &tuning::CampaignEstimate) -> Option<String> {
    let seconds = estimate.exact_seconds.filter(|seconds| *seconds >= 1.0)?;
    Some(format!(
        "not in the estimate: the exact expected scores of start and tuned weights after the hold-out games, about {} \
         core-seconds; validation.games = 0 leaves them out",
        compact(seconds)
    ))
}

fn time(estimate: &tuning::CampaignEstimate) -> String {
    let limit = match (estimate.measured.is_slower, estimate.is_upper_limit()) {
        (true, _) => "more than ",
        (false, true) => "at most ",
        (false, false) => "",
    };
    let seconds = compact(estimate.core_seconds());
    let time = duration(estimate.seconds);
    let why = if estimate.is_upper_limit() {
        "; games = \"auto\" plays as many games as pay, often far fewer"
    } else {
        ""
    };
    format!("estimated time: {limit}{time}, {seconds} core-seconds ({WITHOUT}){why}")
}

fn parameters(campaign: &Campaign) -> Table {
    let mut table = text::table(&["parameter", "start", "min", "max", "scale"]);
    for parameter in campaign.space.parameters() {
        let scale = format!("{:?}", parameter.scale).to_lowercase();
        let mut scale = match (parameter.fixed, parameter.integer) {
            (true, _) => "fixed".to_owned(),
            _ if !parameter.choices.is_empty() => parameter.choices.join(" | "),
            (false, true) => format!("{scale}, whole numbers"),
            (false, false) => scale,
        };
        let config = campaign.config.parameters.get(&parameter.name);
        if let Some(condition) = config.and_then(|config| config.active_when.as_ref()) {
            scale += &format!("; active when {condition}");
        }
        let numbers = [parameter.start, parameter.min, parameter.max];
        let [start, min, max] = match parameter.choice(parameter.start) {
            Some(choice) => [choice.to_owned(), String::new(), String::new()],
            None => numbers.map(compact),
        };
        table.add_row([parameter.name.clone(), start, min, max, scale]);
    }
    table
}

/// What `tiletune ablate --dry-run` prints.
#[derive(Serialize, JsonSchema)]
pub(super) struct ExperimentPlan<'a> {
    /// Name of the experiment.
    name: &'a str,
    /// Number of threads.
    threads: usize,
    /// Number of games of all rows.
    games: u64,
    /// Every row.
    rows: &'a [experiments::RowEstimate],
    /// The oracle; null without one.
    yardstick: Option<experiments::OracleEstimate>,
    /// Estimated seconds of a processor core.
    core_seconds: f64,
    /// Estimated seconds.
    estimated_seconds: f64,
    /// Whether some row takes longer than estimated.
    is_slower: bool,
}

fn experiment_json<'a>(
    experiment: &'a Experiment,
    estimate: &'a experiments::ExperimentEstimate,
) -> ExperimentPlan<'a> {
    ExperimentPlan {
        name: &experiment.config.name,
        threads: estimate.threads,
        games: estimate.games(),
        rows: &estimate.rows,
        yardstick: estimate.oracle,
        core_seconds: estimate.core_seconds(),
        estimated_seconds: estimate.seconds(),
        is_slower: estimate.is_slower(),
    }
}

fn experiment_text(experiment: &Experiment, estimate: &experiments::ExperimentEstimate) -> String {
    let header = [
        "row",
        "games",
        "moves a game",
        "core-seconds",
        "compared with",
        "difference found",
    ];
    let mut table = text::table(&header);
    for row in &estimate.rows {
        let more = if row.is_slower { "more than " } else { "" };
        table.add_row([
            row.name.clone(),
            count(row.games),
            row.moves.map_or("-".into(), |moves| grouped(moves, 0)),
            more.to_owned() + &compact(row.core_seconds),
            row.baseline.clone().unwrap_or_default(),
            match (&row.baseline, row.found()) {
                (None, _) => String::new(),
                (Some(_), None) => "unknown".into(),
                (Some(_), Some(difference)) => in_unit(difference),
            },
        ]);
    }
    let mut lines = vec![table.to_string()];
    if estimate.rows.iter().any(|row| row.baseline.is_some()) {
        lines.push(format!(
            "The games of both rows find such a difference {POWER}, in percent of the mean of both, or in standard \
             deviations of a game where that is near 0; unknown if too few results differ."
        ));
    }
    if let Some(oracle) = estimate.oracle {
        let more = if oracle.judged == 0 {
            "more than "
        } else {
            "roughly "
        };
        lines.push(format!(
            "{} positions of the yardstick: {more}{} core-seconds, from {} of them; some take a thousand times \
             as long as others",
            count(oracle.positions),
            compact(oracle.core_seconds),
            oracle.judged
        ));
    }
    let more = if estimate.is_slower() {
        "more than "
    } else {
        ""
    };
    let training = match estimate.training_games() {
        0 => String::new(),
        games => format!(
            ", and {} training games of rows that are tuned again",
            count(games)
        ),
    };
    let games = count(estimate.games());
    lines.push(format!(
        "{}: {games} games{training}",
        experiment.config.name
    ));
    lines.push(format!(
        "estimated time: {more}{}, {} core-seconds on {} ({WITHOUT})",
        duration(estimate.seconds()),
        compact(estimate.core_seconds()),
        several(estimate.threads as u64, "thread")
    ));
    lines.join("\n")
}
