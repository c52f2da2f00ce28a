//! The data of a run directory, complete or not, for charts and report.

use super::deeper::unmeasured;
use super::event_log::{self, TimedGeneration};
use super::hold_out::start_weights;
use super::looks::tuned_weights;
use super::recommendation::at_bounds;
use super::start_games;
use crate::config::campaign::{Campaign, DISTRIBUTION};
use crate::run::manifest::{Manifest, Status};
use crate::run::{RunDirectory, StoreError, VALIDATION, tables};
use tiletune_engine::record::GameRecord;
use tiletune_report::number::{count, grouped};
use tiletune_report::report::failures;
use tiletune_tuning::results::{FinalDistribution, GenerationRow, Parameter, RunData, Validation};

/// Reads the data of a run directory, complete or not, for charts and report.
///
/// # Errors
/// If a file of the directory is damaged.
pub fn load(campaign: &Campaign, directory: &RunDirectory) -> Result<RunData, StoreError> {
    load_with(campaign, directory, generations(campaign, directory)?)
}

/// Like [`load`], with generations that the caller has already read.
///
/// # Errors
/// As [`load`].
pub(super) fn load_with(
    campaign: &Campaign,
    directory: &RunDirectory,
    generations: Vec<GenerationRow>,
) -> Result<RunData, StoreError> {
    let status = directory.manifest()?.status;
    with_generations(campaign, directory, "tuned", status, generations)
}

/// Reads the data of a run. `tuned_name` is the name of the recommended weights in the table of the hold-out games.
pub(crate) fn data(
    campaign: &Campaign,
    directory: &RunDirectory,
    tuned_name: &str,
    status: Status,
) -> Result<RunData, StoreError> {
    let generations = generations(campaign, directory)?;
    with_generations(campaign, directory, tuned_name, status, generations)
}

fn with_generations(
    campaign: &Campaign,
    directory: &RunDirectory,
    tuned_name: &str,
    status: Status,
    generations: Vec<GenerationRow>,
) -> Result<RunData, StoreError> {
    let config = &campaign.config;
    let validation: Option<Validation> = directory.read_json(VALIDATION)?;
    let hold_out = |name| match &validation {
        Some(_) => tables::read_games(&directory.hold_out_part(name)),
        None => Ok(Vec::<GameRecord>::new()),
    };
    let tuned = tuned(campaign, directory)?;
    let distribution: Option<FinalDistribution> = directory.read_json(DISTRIBUTION)?;
    Ok(RunData {
        name: config.name.clone(),
        why: config.why.trim().to_owned(),
        game: campaign.player.entry.game.name.into(),
        player: campaign.player.describe(),
        objective: campaign.objective_in_words(),
        objective_is_mean_score: campaign.objective.is_mean_result(),
        seed: config.seed,
        hold_out_seed: campaign.hold_out_seed(),
        parameters: parameters(campaign, directory)?,
        diagnostics: campaign.optimizer.diagnostics,
        correlation: distribution.and_then(|distribution| distribution.correlation),
        importance: None,
        inactive: match &tuned {
            Some(values) => campaign.space.inactive(values),
            None => Vec::new(),
        },
        at_bounds: match &tuned {
            Some(values) => at_bounds(&campaign.space, values),
            None => Vec::new(),
        },
        notices: event_log::of_run(directory)?
            .into_iter()
            .chain(failed_games(&generations, validation.as_ref()))
            .collect(),
        unmeasured: match &tuned {
            Some(_) => unmeasured(campaign, validation.as_ref()),
            None => None,
        },
        earlier: earlier(campaign, directory)?,
        start_level: start_games::level(campaign, directory)?,
        tuned,
        hold_out_start: hold_out("start")?,
        hold_out_tuned: hold_out(tuned_name)?,
        validation,
        facts: facts(directory, &generations, status)?,
        generations,
    })
}

/// The validations of the earlier looks at the search.
fn earlier(campaign: &Campaign, directory: &RunDirectory) -> Result<Vec<Validation>, StoreError> {
    let looks = 1..campaign.config.validation.look;
    let found = looks.filter_map(|look| {
        let name = directory.name_of(&directory.earlier_part(look, VALIDATION));
        directory.read_json(&name).transpose()
    });
    found.collect()
}

/// A sentence for each phase with games in which a program failed.
fn failed_games(
    generations: &[GenerationRow],
    validation: Option<&Validation>,
) -> impl Iterator<Item = String> {
    let in_training: u32 = generations.iter().map(|row| row.failed_games).sum();
    let of_training = (in_training > 0).then(|| failures::failed_training(in_training));
    let of_hold_out = validation.map(|all| [(&all.start, "start"), (&all.tuned, "tuned")]);
    let of_hold_out = of_hold_out
        .into_iter()
        .flatten()
        .filter_map(|(games, name)| {
            let of = format!("the {name} weights on the hold-out seeds");
            failures::failed_games(games.failed(), games.games, &of)
        });
    of_training.into_iter().chain(of_hold_out)
}

/// The parameters with the start values of this run.
fn parameters(campaign: &Campaign, directory: &RunDirectory) -> Result<Vec<Parameter>, StoreError> {
    let mut parameters = campaign.space.parameters().to_vec();
    let start = campaign.values_of(&start_weights(campaign, directory)?);
    for (parameter, start) in parameters.iter_mut().zip(start) {
        parameter.start = start;
    }
    Ok(parameters)
}

/// Reads the complete generations of a run.
///
/// # Errors
/// If a file of the table is damaged or missing.
pub fn generations(
    campaign: &Campaign,
    directory: &RunDirectory,
) -> Result<Vec<GenerationRow>, StoreError> {
    let names = campaign.space.names();
    let numbers = 0..directory.complete_generations()?;
    numbers
        .map(|number| directory.read_generation(number, &names))
        .collect()
}

pub fn training_games(generations: &[GenerationRow]) -> u64 {
    let games = generations.iter();
    games
        .map(|row| u64::from(row.population) * u64::from(row.games))
        .sum()
}

/// The tuned values of the parameters, if they exist.
fn tuned(campaign: &Campaign, directory: &RunDirectory) -> Result<Option<Vec<f64>>, StoreError> {
    let weights = tuned_weights(campaign, directory)?;
    let names = campaign.space.names().into_iter();
    Ok(weights.and_then(|weights| names.map(|name| weights.effective(name)).collect()))
}

fn facts(
    directory: &RunDirectory,
    generations: &[GenerationRow],
    status: Status,
) -> Result<Vec<(String, String)>, StoreError> {
    let manifest = directory.manifest()?;
    let timings = directory.timings::<TimedGeneration>()?;
    let events = event_log::read(directory)?;
    let events = events.written();
    let seconds: f64 = timings.iter().map(|timing| timing.seconds).sum();
    let games = training_games(generations);
    let mut facts = vec![
        ("status".to_owned(), status.name().to_owned()),
        ("generations".into(), count(generations.len() as u64)),
        ("training games".into(), count(games)),
    ];
    if let Some((_, reason)) = event_log::search_ended(events) {
        facts.push(("search ended because".into(), reason.to_string()));
    }
    facts.push(("seconds of searching".into(), grouped(seconds, 1)));
    facts.extend(of_session(&manifest));
    Ok(facts)
}

/// The facts of a report about the program and the machine of a run.
pub(crate) fn of_session(manifest: &Manifest) -> Vec<(String, String)> {
    let first = &manifest.first;
    let commit = match (&first.commit, first.clean) {
        (Some(commit), Some(false)) => format!("{commit}, with uncommitted changes"),
        (Some(commit), _) => commit.clone(),
        (None, _) => "unknown".into(),
    };
    vec![
        ("started".into(), first.start.clone()),
        ("sessions".into(), (1 + manifest.resumed.len()).to_string()),
        ("tiletune".into(), format!("{} ({commit})", first.version)),
        ("compiler".into(), first.rustc.clone()),
        ("processor".into(), first.processor.clone()),
        ("threads".into(), first.threads.to_string()),
        ("command".into(), first.argv.join(" ")),
    ]
}
