//! After the search: the race between the runs' final means where there are several, and start
//! against recommended weights on the hold-out seeds.

use std::path::Path;

use super::event::{Event, StoppedBy};
use super::generations::{Search, check_game, differs, score};
use super::recommendation::Recommendation;
use super::{Outcome, hold_out_seed};
use crate::config::campaign::Campaign;
use crate::evaluation::{Evaluator, Progress};
use crate::heuristic::weights::Weights;
use crate::optimizer::Distribution;
use crate::random::{Stream, derive};
use crate::record::{
    CandidateRow, Correlation, GameRecord, ObjectiveComparison, PairedDifference, Phase, Validation,
};
use crate::run::rows::{GamesWriter, candidates, read_games};
use crate::run::{Control, RunDirectory, RunError, StoreError, Task, parquet};
use crate::stats::bootstrap::paired_difference;
use crate::stats::games::{results, summarize};

/// Files that a finished search leaves beside the tables.
pub(super) const DISTRIBUTION: &str = "distribution.json";
/// See [`DISTRIBUTION`].
pub(super) const VALIDATION: &str = "validation.json";
/// See [`DISTRIBUTION`].
pub(super) const BEST: &str = "best.toml";

/// Brings a campaign whose search has ended to its end.
pub(super) fn finish(
    evaluator: &impl Evaluator,
    mut search: Search,
    stopped_by: StoppedBy,
    control: &mut Control,
) -> Result<Outcome, RunError> {
    let (campaign, directory) = (search.campaign, search.directory);
    let distribution = race(evaluator, &mut search, control)?;
    directory.write_json(
        DISTRIBUTION,
        &Correlation {
            names: campaign
                .space
                .free_names()
                .into_iter()
                .map(str::to_owned)
                .collect(),
            matrix: distribution.correlation,
        },
    )?;
    let values = campaign.space.decode(&distribution.mean);
    let recommendation = Recommendation {
        weights: campaign.weights(&values),
        values,
        generations: search.generations,
        games: search.games,
        best_seen: search.best_seen.clone(),
    };
    write_best(campaign, directory, &recommendation, None)?;
    if campaign.config.validation.games == 0 {
        return Ok(Outcome {
            recommendation,
            stopped_by,
            validation: None,
        });
    }
    let tuned = &recommendation.weights;
    let validation = validate(campaign, evaluator, directory, tuned, control)?;
    directory.write_json(VALIDATION, &validation)?;
    write_best(campaign, directory, &recommendation, Some(&validation))?;
    search.events.record(Event::Validated)?;
    Ok(Outcome {
        recommendation,
        stopped_by,
        validation: Some(validation),
    })
}

fn write_best(
    campaign: &Campaign,
    directory: &RunDirectory,
    recommendation: &Recommendation,
    validation: Option<&Validation>,
) -> Result<(), StoreError> {
    let file = recommendation.file(campaign, validation);
    let text = toml::to_string(&file).map_err(|error| StoreError::Damaged {
        path: directory.path(BEST),
        reason: error.to_string(),
    })?;
    let title = format!(
        "# Weights recommended by the tiletune campaign `{}`.\n",
        campaign.config.name
    );
    directory.write(BEST, title + &text)
}

/// The search distribution whose mean is recommended: that of the only run, or the winner of a race
/// of all runs' final means on seeds of their own.
fn race(
    evaluator: &impl Evaluator,
    search: &mut Search,
    control: &mut Control,
) -> Result<Distribution, RunError> {
    let (campaign, directory) = (search.campaign, search.directory);
    let optimizer = &search.optimizer;
    let finished = optimizer.finished_runs().iter();
    let mut finalists: Vec<Distribution> = finished.map(|run| run.distribution.clone()).collect();
    if optimizer.run() as usize == finalists.len() {
        finalists.push(optimizer.distribution());
    }
    if finalists.len() == 1 {
        return Ok(finalists.remove(0));
    }
    let config = &campaign.config;
    let games = config.validation.race_games;
    control.observer.task_begins(Task::Phase {
        phase: Phase::Race,
        games: u64::from(games) * finalists.len() as u64,
    });
    let values: Vec<Vec<f64>> = finalists
        .iter()
        .map(|finalist| campaign.space.decode(&finalist.mean))
        .collect();
    let weights: Vec<Weights> = values
        .iter()
        .map(|values| campaign.weights(values))
        .collect();
    let players = campaign.player.players();
    let seeds = players.game_seeds(config.seed, Stream::Race, 0, u64::from(games));
    let path = directory.phase_part(Phase::Race, "");
    let writer = GamesWriter::create(&path, Phase::Race, search.generations)?;
    let fitness = score(
        campaign,
        evaluator,
        &weights,
        &seeds,
        control.progress,
        writer,
    )?;
    let generation = search.generations;
    let rows = (0..).zip(values).zip(&fitness);
    let rows = rows.map(|((candidate, values), fitness)| CandidateRow {
        generation,
        candidate,
        fitness: fitness.value,
        standard_error: fitness.standard_error,
        values,
    });
    let rows: Vec<CandidateRow> = rows.collect();
    let table = candidates(&campaign.space.names(), &rows);
    parquet::write(&directory.finalists_part(), table)?;
    let mut winner = 0;
    for (run, fitness_of_run) in fitness.iter().enumerate() {
        if fitness_of_run.value > fitness[winner].value {
            winner = run;
        }
    }
    search
        .events
        .record(Event::RaceDecided { run: winner as u32 })?;
    Ok(finalists.swap_remove(winner))
}

fn validate(
    campaign: &Campaign,
    evaluator: &impl Evaluator,
    directory: &RunDirectory,
    tuned: &Weights,
    control: &mut Control,
) -> Result<Validation, RunError> {
    let (config, progress) = (&campaign.config, control.progress);
    let games = config.validation.games;
    let seeds = campaign.player.players().game_seeds(
        hold_out_seed(config.seed),
        Stream::Evaluate,
        0,
        u64::from(games),
    );
    control.observer.task_begins(Task::Phase {
        phase: Phase::HoldOut,
        games: 2 * u64::from(games),
    });
    let play = |candidate, name: &str, weights: &Weights| {
        let path = directory.phase_part(Phase::HoldOut, name);
        if path.exists() {
            let recorded = read_games(&path)?;
            check_hold_out(evaluator, weights, &seeds, &recorded, &path, progress)?;
            return Ok(recorded);
        }
        let mut writer = GamesWriter::create(&path, Phase::HoldOut, 0)?;
        let mut played = Vec::with_capacity(seeds.len());
        evaluator.evaluate::<StoreError>(
            std::slice::from_ref(weights),
            &seeds,
            progress,
            &mut |batch| {
                played.extend_from_slice(batch.games);
                writer.add(candidate, batch.first_game as u32, batch.games)
            },
        )?;
        writer.finish()?;
        Ok::<_, RunError>(played)
    };
    let start = play(0, "start", &campaign.start)?;
    let tuned = play(1, "tuned", tuned)?;
    Ok(Validation {
        difference: difference(campaign, &results(&tuned), &results(&start)),
        objective: compare_objective(campaign, &start, &tuned),
        start: summarize("start", &start),
        tuned: summarize("tuned", &tuned),
    })
}

/// Hold-out games that an earlier process played must be those that this one would play.
fn check_hold_out(
    evaluator: &impl Evaluator,
    weights: &Weights,
    seeds: &[u64],
    recorded: &[GameRecord],
    path: &Path,
    progress: &Progress,
) -> Result<(), RunError> {
    if !recorded
        .iter()
        .map(|game| game.seed)
        .eq(seeds.iter().copied())
    {
        return Err(differs(path, "plays other hold-out games"));
    }
    match recorded.first() {
        Some(first) => check_game(evaluator, weights, first, path, progress),
        None => Ok(()),
    }
}

fn difference(campaign: &Campaign, tuned: &[f64], start: &[f64]) -> PairedDifference {
    let config = &campaign.config;
    let seed = derive(config.seed, Stream::Bootstrap, 0, 0);
    paired_difference(tuned, start, config.validation.resamples, seed)
}

fn compare_objective(
    campaign: &Campaign,
    start: &[GameRecord],
    tuned: &[GameRecord],
) -> Option<ObjectiveComparison> {
    let objective = campaign.objective;
    if objective.is_what_games_come_to() {
        return None;
    }
    let [start, tuned] = [start, tuned].map(|games| objective.contributions(games));
    let fitness = objective.fitness(&tuned);
    Some(ObjectiveComparison {
        name: objective.describe(),
        start: objective.fitness(&start).value,
        tuned: fitness.value,
        tuned_standard_error: fitness.standard_error,
        difference: objective
            .is_mean()
            .then(|| difference(campaign, &tuned, &start)),
    })
}
