//! After the search: the race between the runs' final means where there are several, and start
//! against recommended weights on the hold-out seeds.

use super::event::Event;
use super::recommendation::Recommendation;
use super::search::{Search, score};
use super::{CampaignError, Observer, Outcome, hold_out_seed};
use crate::config::campaign::Campaign;
use crate::evaluation::{Evaluator, Progress};
use crate::game::rng::{Stream, derive, game_seeds};
use crate::heuristic::weights::Weights;
use crate::record::{Correlation, GameRecord, HoldOutSummary, Phase, Validation};
use crate::stats::bootstrap::paired_difference;
use crate::stats::summary::{mean, median, standard_error};
use crate::store::StoreError;
use crate::store::rows::{GamesWriter, read_games};
use crate::store::run_directory::RunDirectory;

/// Files that a finished search leaves beside the tables.
pub(super) const DISTRIBUTION: &str = "distribution.json";
/// See [`DISTRIBUTION`].
pub(super) const VALIDATION: &str = "validation.json";
/// See [`DISTRIBUTION`].
pub(super) const BEST: &str = "best.toml";

/// Brings a campaign whose search has ended to its end.
pub(super) fn finish(
    campaign: &Campaign,
    evaluator: &impl Evaluator,
    directory: &RunDirectory,
    mut search: Search,
    progress: &Progress,
    observer: &mut dyn Observer,
) -> Result<Outcome, CampaignError> {
    let distribution = search.optimizer.distribution();
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
    let coordinates = race(
        campaign,
        evaluator,
        directory,
        &mut search,
        progress,
        observer,
    )?;
    let values = campaign.space.decode(&coordinates);
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
            validation: None,
        });
    }
    let tuned = &recommendation.weights;
    let validation = validate(campaign, evaluator, directory, tuned, progress, observer)?;
    directory.write_json(VALIDATION, &validation)?;
    write_best(campaign, directory, &recommendation, Some(&validation))?;
    search.events.record(Event::Validated)?;
    Ok(Outcome {
        recommendation,
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

/// Coordinates of the recommended mean: that of the only run, or the winner of a race of all runs'
/// final means on seeds of their own.
fn race(
    campaign: &Campaign,
    evaluator: &impl Evaluator,
    directory: &RunDirectory,
    search: &mut Search,
    progress: &Progress,
    observer: &mut dyn Observer,
) -> Result<Vec<f64>, CampaignError> {
    let optimizer = &search.optimizer;
    let mut means: Vec<Vec<f64>> = optimizer
        .finished_runs()
        .iter()
        .map(|run| run.mean.clone())
        .collect();
    if optimizer.run() as usize == means.len() {
        means.push(optimizer.distribution().mean);
    }
    if means.len() == 1 {
        return Ok(means.remove(0));
    }
    let config = &campaign.config;
    let games = config.validation.race_games;
    observer.phase_begins(Phase::Race, u64::from(games) * means.len() as u64);
    let weights: Vec<Weights> = means
        .iter()
        .map(|mean| campaign.weights(&campaign.space.decode(mean)))
        .collect();
    let seeds = game_seeds(config.seed, Stream::Race, 0, u64::from(games));
    let path = directory.phase_part(Phase::Race, "");
    let writer = GamesWriter::create(&path, Phase::Race, search.generations)?;
    let fitness = score(campaign, evaluator, &weights, &seeds, progress, writer)?;
    let mut winner = 0;
    for (run, fitness_of_run) in fitness.iter().enumerate() {
        if fitness_of_run.value > fitness[winner].value {
            winner = run;
        }
    }
    search
        .events
        .record(Event::RaceDecided { run: winner as u32 })?;
    Ok(means.swap_remove(winner))
}

fn validate(
    campaign: &Campaign,
    evaluator: &impl Evaluator,
    directory: &RunDirectory,
    tuned: &Weights,
    progress: &Progress,
    observer: &mut dyn Observer,
) -> Result<Validation, CampaignError> {
    let config = &campaign.config;
    let games = config.validation.games;
    let seeds = game_seeds(
        hold_out_seed(config.seed),
        Stream::Evaluate,
        0,
        u64::from(games),
    );
    observer.phase_begins(Phase::HoldOut, 2 * u64::from(games));
    let play = |candidate, name: &str, weights: &Weights| {
        let path = directory.phase_part(Phase::HoldOut, name);
        if path.exists() {
            progress.add_games(u64::from(games));
        } else {
            let mut writer = GamesWriter::create(&path, Phase::HoldOut, 0)?;
            evaluator.evaluate::<StoreError>(
                std::slice::from_ref(weights),
                &seeds,
                progress,
                &mut |batch| writer.add(candidate, batch.first_game as u32, batch.games),
            )?;
            writer.finish()?;
        }
        let records = read_games(&path)?;
        if !records
            .iter()
            .map(|game| game.seed)
            .eq(seeds.iter().copied())
        {
            let message = "holds other games than this campaign's hold-out games";
            return Err(CampaignError::Differs(format!(
                "{}: {message}",
                path.display()
            )));
        }
        Ok(records)
    };
    let start_games = play(0, "start", &campaign.start)?;
    let tuned_games = play(1, "tuned", tuned)?;
    let difference = paired_difference(
        &scores(&tuned_games),
        &scores(&start_games),
        config.validation.resamples,
        derive(config.seed, Stream::Bootstrap, 0, 0),
    );
    Ok(Validation {
        start: summary("start", &start_games),
        tuned: summary("tuned", &tuned_games),
        difference,
    })
}

fn scores(games: &[GameRecord]) -> Vec<f64> {
    games.iter().map(|game| game.score as f64).collect()
}

/// What one set of weights did on the hold-out seeds.
pub(super) fn summary(weights: &str, games: &[GameRecord]) -> HoldOutSummary {
    let scores = scores(games);
    let moves: Vec<f64> = games.iter().map(|game| f64::from(game.moves)).collect();
    let mut max_tile = std::collections::BTreeMap::new();
    for game in games {
        *max_tile.entry(game.max_tile).or_insert(0) += 1;
    }
    HoldOutSummary {
        weights: weights.into(),
        games: games.len() as u32,
        mean: mean(&scores),
        standard_error: standard_error(&scores),
        median: median(&scores),
        mean_moves: mean(&moves),
        max_tile,
        capped: games.iter().filter(|game| game.capped).count() as u32,
    }
}
