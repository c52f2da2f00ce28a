//! The output of a campaign: its progress, its findings from files alone, and what is printed at its end.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::event::Challenger;
use super::race::Finalist;
use super::recommendation::{Recommended, last_line};
use super::{CampaignOutcome, load, start_games};
use crate::config::campaign::Campaign;
use crate::config::weights_file::BEST;
use crate::run::shell::quoted;
use crate::run::{Findings, Output, RunDirectory, RunError, StoreError, VALIDATION};
use tiletune_engine::record::as_text;
use tiletune_report::number::{compact, count, several};
use tiletune_report::report::{Block, campaign as page, confidence};
use tiletune_tuning::results::{
    AtBound, GenerationRow, PairedDifference, RunData, Selection, Validation,
};

/// What `tiletune tune` prints at the end of a campaign.
#[derive(Serialize, JsonSchema)]
pub struct CampaignOutput<'a> {
    /// The run directory.
    run: String,
    /// Name of the campaign.
    name: &'a str,
    /// The game.
    game: &'static str,
    /// The player and its options in words.
    player: String,
    /// The objective in words.
    objective: String,
    /// The seed of the campaign.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    seed: u64,
    /// The seed of the hold-out games.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    hold_out_seed: u64,
    /// Number of generations.
    generations: u32,
    /// Number of training games.
    training_games: u64,
    /// Why the search ended.
    search_ended: String,
    /// Which weights are recommended: those of `best.toml`.
    recommended: Recommended,
    /// The recommended weights by key.
    weights: BTreeMap<&'a str, f64>,
    /// The tuned weights by key.
    tuned: BTreeMap<&'a str, f64>,
    /// Start weights against tuned weights in the hold-out games; null without such games.
    validation: Option<&'a Validation>,
    /// The objective at each stage of the campaign.
    selection: Option<&'a Selection>,
    /// Tuned values that lie at a bound of their parameter.
    at_bounds: &'a [AtBound],
    /// Free parameters that had no effect: with other values of each alone, a few games of the tuned weights stayed the
    /// same.
    without_effect: &'a [String],
    /// Number of candidates that the player could not use.
    refused_candidates: u32,
    /// Number of training games of the other candidates in which a program failed; each counts as the worst of its
    /// generation.
    failed_games: u64,
    /// Share of the variance of the last generation's fitness that is due to the candidates; null before the first
    /// generation, and without a known noise.
    signal: Option<f64>,
    /// Games of each candidate at which that share would be one half.
    games_needed: Option<f64>,
    /// The race of the finalists; null without one.
    race: Option<Race<'a>>,
}

/// The race of the finalists: final means of restarts, or one of them and its challengers.
#[derive(Serialize, JsonSchema)]
struct Race<'a> {
    /// Number of the winner.
    winner: usize,
    /// What it is, if the final mean raced against challengers; null in another race.
    is: Option<Challenger>,
    /// How many were not eliminated.
    survivors: usize,
    /// Number of games of all finalists together.
    games: u64,
    /// All of them.
    finalists: &'a [Finalist],
}

pub(super) fn printed(
    campaign: &Campaign,
    outcome: &CampaignOutcome,
    directory: &RunDirectory,
) -> Result<Output, RunError> {
    let recommendation = &outcome.recommendation;
    let (tuned, validation) = (&recommendation.weights, outcome.validation.as_ref());
    let json = CampaignOutput {
        run: directory.root().display().to_string(),
        name: &campaign.config.name,
        game: campaign.player.entry.game.name,
        player: campaign.player.describe(),
        objective: campaign.objective_in_words(),
        seed: campaign.config.seed,
        hold_out_seed: campaign.hold_out_seed(),
        generations: recommendation.generations,
        training_games: recommendation.games,
        search_ended: outcome.stopped_by.to_string(),
        recommended: outcome.recommended(),
        weights: match outcome.recommended() {
            Recommended::Tuned => tuned.iter().collect(),
            Recommended::Earlier => (outcome.earlier.iter())
                .flat_map(|earlier| earlier.weights.iter())
                .collect(),
            Recommended::Start => recommendation.start.iter().collect(),
        },
        tuned: tuned.iter().collect(),
        validation,
        selection: recommendation.selection.as_ref(),
        at_bounds: &recommendation.at_bounds,
        without_effect: &outcome.without_effect,
        refused_candidates: outcome.refused,
        failed_games: outcome.failed_games,
        signal: outcome
            .last_generation
            .as_ref()
            .and_then(GenerationRow::known_signal),
        games_needed: outcome.last_generation.as_ref().map(|row| row.games_needed),
        race: outcome.race.as_ref().map(|race| Race {
            winner: race.winner,
            is: outcome.winner_is,
            survivors: race.survivors(),
            games: race.games(),
            finalists: &race.finalists,
        }),
    };
    let data = load(campaign, directory)?;
    let of_start = start_games::recorded(campaign, directory)?;
    let played = recommendation.games + of_start.as_ref().map_or(0, |games| games.len() as u64);
    // A race of several finalists is not part of the budget.
    let of_challengers = outcome
        .race
        .as_ref()
        .filter(|_| outcome.winner_is.is_some());
    let played = played + of_challengers.map_or(0, |race| race.games());
    let budget = campaign.config.budget.games.unwrap_or(0);
    let mut blocks = page::results(&data);
    blocks.extend(
        last_line(
            campaign,
            directory,
            [&recommendation.start, tuned],
            validation,
            outcome.earlier.as_ref(),
        )
        .map(Block::Warning),
    );
    Ok(Output {
        json: json!(json),
        // The verdict is beside the next steps.
        blocks: Block::verdict_last(blocks),
        before: Some(format!(
            "{}, {}{}{}; the search ended because {}{}",
            several(recommendation.generations, "generation"),
            several(recommendation.games, "training game"),
            of_start.map_or_else(String::new, |games| {
                format!(
                    ", {} of the start weights",
                    several(games.len() as u64, "game")
                )
            }),
            outcome.race.as_ref().map_or_else(String::new, |race| {
                format!(", {}", several(race.games(), "race game"))
            }),
            outcome.stopped_by,
            match budget.saturating_sub(played) {
                0 => String::new(),
                left => {
                    let [left, all] = [left, budget].map(count);
                    format!("; games left: {left} of {all}")
                }
            },
        )),
        after: next_steps(campaign, directory, outcome, &data),
        code: 0,
    })
}

/// Where weights and report are, and commands that go on from here.
fn next_steps(
    campaign: &Campaign,
    directory: &RunDirectory,
    outcome: &CampaignOutcome,
    data: &RunData,
) -> Vec<String> {
    let path = |name: &str| directory.path(name).display().to_string();
    let recommended = outcome.recommended();
    let whose = match &outcome.earlier {
        _ if recommended == Recommended::Tuned => "tuned weights".to_owned(),
        Some(earlier) => format!("weights of look {}", earlier.look),
        None => "start weights".to_owned(),
    };
    let mut lines = vec![
        format!("{whose}: {}", path(BEST)),
        format!("report: {}", path("report.html")),
        "next:".to_owned(),
    ];
    // A run in `results` is found by its name; with it most lines fit a terminal of 80 columns.
    let root = directory.root();
    let run = root.strip_prefix("results").unwrap_or(root);
    let run = quoted(&run.to_string_lossy());
    let mut commands = vec![("see it".to_owned(), "serve --open".to_owned())];
    // A program shows no board.
    if data.validation.is_some() && campaign.player.program().is_none() {
        let play = format!("play --run {run} --hold-out tuned");
        commands.push(("watch".into(), play));
    }
    commands.push(("export".into(), format!("export {run}")));
    // The published weights are those of other terms than the own ones of a heuristic file.
    if let Some(one) = data
        .unmeasured
        .filter(|_| recommended == Recommended::Tuned && campaign.player.extension().is_none())
    {
        let compare = format!("compare published {run} --depth {}", one.other);
        commands.push((format!("depth {}", one.other), compare));
    }
    commands.push(("check".into(), format!("verify {run}")));
    lines.extend(
        commands
            .iter()
            .map(|(what, command)| format!("  {what:8} tiletune {command}")),
    );
    lines
}

/// The number of complete generations.
pub(super) fn progress(
    directory: &RunDirectory,
    resolved: &toml::Table,
) -> Result<String, StoreError> {
    let complete = directory.complete_generations()?;
    let budget = resolved
        .get("budget")
        .and_then(|budget| budget.get("generations"));
    Ok(match budget.and_then(toml::Value::as_integer) {
        Some(all) => format!("{complete} of {all} generations"),
        None => format!("{complete} generations"),
    })
}

/// The results of the hold-out games.
pub(crate) fn findings(directory: &RunDirectory) -> Result<Findings, StoreError> {
    let validation: Option<Validation> = directory.read_json(VALIDATION)?;
    let mut findings = validation
        .as_ref()
        .map_or_else(Findings::default, validated);
    if let Some((look, _)) = directory.better_look(validation.as_ref())? {
        let what = format!("the tuned weights of look {look}, which were better");
        findings.all.push(("recommended".into(), what));
    }
    Ok(findings)
}

/// The findings of a comparison of start and tuned weights in the hold-out games.
fn validated(validation: &Validation) -> Findings {
    let objective = &validation.objective;
    let name = &objective.name;
    let shown = |value| compact(objective.shown(value));
    let [start, tuned] = [objective.start, objective.tuned].map(shown);
    let PairedDifference { mean, verdict, .. } = objective.difference;
    let difference = match objective.shown_interval() {
        Some(ends) => {
            let level = confidence(validation.look_number());
            let [low, high] = ends.map(compact);
            format!("{} ({level} interval {low} to {high})", shown(mean))
        }
        None => shown(mean),
    };
    let verdict = verdict.name().replace('-', " ");
    Findings {
        headline: Some(format!("{name} {start} -> {tuned}, {verdict}")),
        all: vec![
            (format!("{name}, start weights"), start),
            (format!("{name}, tuned weights"), tuned),
            ("difference".into(), difference),
            ("tuned weights are".into(), verdict),
        ],
    }
}
