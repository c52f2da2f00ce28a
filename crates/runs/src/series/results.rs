//! The results of a series, computed from its files and those of its runs.

use super::{hold_out, place};
use crate::campaign::race::{Finalist, RaceRules};
use crate::campaign::{self, recorded_race, training_games};
use crate::config::series::Series;
use crate::run::{RunDirectory, RunError, StoreError};
use tiletune_engine::record::GameRecord;
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::objective::Objective;
use tiletune_tuning::results::RunData;
use tiletune_tuning::results::series::{
    Agreement, Measurement, ParameterSpread, SeriesResults, SeriesRun, Spread,
};
use tiletune_tuning::stats::games::PlayedScores;
use tiletune_tuning::stats::signal::CommonSeeds;
use tiletune_tuning::stats::summary::{mean, standard_deviation};

/// The file of the results.
pub const RESULTS: &str = "series.json";

/// The results so far. Plays no game.
///
/// # Errors
/// If `stop` is requested, or a file of the series or of a run is damaged.
pub fn results(
    series: &Series,
    directory: &RunDirectory,
    stop: Stop,
) -> Result<SeriesResults, RunError> {
    let campaign = &series.campaign;
    let rules = race_rules(series, directory, false)?;
    let race = recorded_race(campaign, directory, series.repeat() as usize, rules)?;
    let (mut runs, mut tuned) = (Vec::new(), Vec::new());
    for number in series.numbers() {
        let root = directory.path(&place(number));
        if !RunDirectory::is_begun(&root) {
            break;
        }
        let data = campaign::load(&series.run(number), &RunDirectory::open(&root)?)?;
        let finalist = race.as_ref().map(|race| &race.finalists[runs.len()]);
        tuned.extend(data.tuned.clone());
        runs.push(run(number, data, finalist));
    }
    let (start, spread) = add_hold_out(series, directory, &mut runs, stop)?;
    Ok(SeriesResults {
        name: campaign.config.name.clone(),
        game: campaign.player.entry.game.name.into(),
        player: campaign.player.describe(),
        objective: campaign.objective_in_words(),
        seed: campaign.config.seed,
        hold_out_seed: campaign.hold_out_seed(),
        repeat: series.repeat(),
        winner: race.map(|race| race.winner as u32 + 1),
        start,
        runs,
        spread,
        initial_step: campaign.initial_step(),
        parameters: if tuned.len() == series.repeat() as usize {
            parameters(series, &tuned)
        } else {
            Vec::new()
        },
    })
}

/// The rules of the race between the runs, from the games that their searches have played.
pub fn race_rules(
    series: &Series,
    directory: &RunDirectory,
    is_deterministic: bool,
) -> Result<RaceRules, StoreError> {
    let mut games = 0;
    for number in series.numbers() {
        let root = directory.path(&place(number));
        if RunDirectory::is_begun(&root) {
            let run = RunDirectory::open(&root)?;
            games += training_games(&campaign::generations(&series.run(number), &run)?);
        }
    }
    let (campaign, runs) = (&series.campaign, series.repeat() as usize);
    Ok(RaceRules::of(campaign, runs, games, is_deterministic))
}

fn run(number: u32, data: RunData, finalist: Option<&Finalist>) -> SeriesRun {
    SeriesRun {
        run: number,
        seed: data.seed,
        generations: data.generations.len() as u32,
        training_games: training_games(&data.generations),
        search: data.generations,
        race: finalist.map(|finalist| Measurement {
            games: finalist.games,
            value: finalist.value,
            standard_error: finalist.standard_error,
            interval: None,
        }),
        is_eliminated: finalist.is_some_and(|finalist| finalist.is_eliminated),
        hold_out: None,
    }
}

/// Adds the hold-out results to the runs. Returns the result of the start weights, and the spread if all games are
/// played.
fn add_hold_out(
    series: &Series,
    directory: &RunDirectory,
    runs: &mut [SeriesRun],
    stop: Stop,
) -> Result<(Option<Measurement>, Option<Spread>), RunError> {
    let names = std::iter::once(hold_out::START.to_owned());
    let names = names.chain(runs.iter().map(|run| hold_out::name(run.run)));
    let games = names.map(|name| hold_out::read(directory, &name));
    let games: Vec<Option<Vec<GameRecord>>> = games.collect::<Result<_, StoreError>>()?;
    let played = PlayedScores::of(games.iter().flatten().flatten());
    let mut games = games.into_iter();
    let mut read = || {
        let games = games.next().flatten();
        games
            .map(|games| hold_out::measure(series, &played.counted(&games), stop))
            .transpose()
    };
    let start = read()?.map(|(measured, _)| measured);
    let mut common = CommonSeeds::default();
    for run in &mut *runs {
        let Some((measured, contributions)) = read()? else {
            return Ok((start, None));
        };
        common.add(&contributions);
        run.hold_out = Some(measured);
    }
    let played: Vec<Measurement> = runs.iter().filter_map(|run| run.hold_out).collect();
    let is_complete = played.len() == series.repeat() as usize;
    let spread = spread(series.campaign.objective, &played, &common);
    Ok((start, is_complete.then_some(spread)))
}

fn spread(objective: Objective, played: &[Measurement], common: &CommonSeeds) -> Spread {
    let values: Vec<f64> = played.iter().map(|measured| measured.value).collect();
    let sd = standard_deviation(&values);
    let noise_sd = if objective != Objective::MedianScore {
        common.noise()
    } else {
        let squares = played.iter().map(|one| one.standard_error.powi(2));
        mean(&squares.collect::<Vec<_>>()).sqrt()
    };
    Spread {
        mean: mean(&values),
        between_runs_sd: sd,
        noise_sd,
        beyond_noise_sd: (sd * sd - noise_sd * noise_sd).max(0.0).sqrt(),
    }
}

/// The spread of each free parameter over the tuned values of all runs.
fn parameters(series: &Series, tuned: &[Vec<f64>]) -> Vec<ParameterSpread> {
    let space = &series.campaign.space;
    let starts: Vec<f64> = space.parameters().iter().map(|one| one.start).collect();
    let unit_starts = space.unit(&starts);
    let units: Vec<Vec<f64>> = tuned.iter().map(|values| space.unit(values)).collect();
    let column = |rows: &[Vec<f64>], index: usize| -> Vec<f64> {
        rows.iter().map(|values| values[index]).collect()
    };
    let inactive: Vec<_> = tuned.iter().map(|values| space.inactive(values)).collect();
    let indexed = space.parameters().iter().enumerate();
    let free = indexed.filter(|(_, parameter)| !parameter.fixed);
    free.map(|(index, parameter)| {
        let unit_values = column(&units, index);
        let unit_sd = standard_deviation(&unit_values);
        ParameterSpread {
            name: parameter.name.clone(),
            start: parameter.start,
            values: column(tuned, index),
            unit_start: unit_starts[index],
            unit_mean: mean(&unit_values),
            unit_sd,
            agreement: match parameter.choices[..] {
                // Start values say nothing.
                _ if inactive.iter().any(|one| one.contains(&index)) => None,
                [] => Agreement::of(unit_sd, unit_values.len()),
                _ => Agreement::of_choices(&unit_values),
            },
            choices: parameter.choices.clone(),
            unit_values,
        }
    })
    .collect()
}
