//! The hold-out games of a series: the start weights and the final means of all runs on common seeds.

use crate::campaign::{HoldOutGames, validation};
use crate::config::series::Series;
use crate::run::tables::read_games;
use crate::run::{Control, RunDirectory, RunError, StoreError, Task};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::random::{Stream, derive};
use tiletune_engine::record::{GameRecord, Phase};
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::Evaluator;
use tiletune_tuning::results::Validation;
use tiletune_tuning::results::series::Measurement;
use tiletune_tuning::stats::bootstrap::Resampling;
use tiletune_tuning::stats::intervals::Interval;

/// The name of the start weights among the hold-out games.
pub(super) const START: &str = "start";

/// The name of a run's final mean among the hold-out games.
pub(super) fn name(run: u32) -> String {
    format!("run-{run}")
}

/// Plays the games that no earlier process has played. Compares the start weights with the winner of the race; `winner`
/// is its index among the tuned weights. If results do not depend on the seed, a few games are enough.
pub(super) fn play(
    series: &Series,
    evaluator: &dyn Evaluator,
    directory: &RunDirectory,
    (tuned, winner): (&[Weights], usize),
    is_deterministic: bool,
    control: &mut Control,
) -> Result<Validation, RunError> {
    let campaign = &series.campaign;
    let games = u64::from(campaign.config.validation.games);
    control.observer.task_begins(Task::Phase {
        phase: Phase::HoldOut,
        games: games * (1 + tuned.len() as u64),
    });
    let of = |name: String| HoldOutGames::new(campaign, directory, None, name);
    let mut all = vec![(of(START.to_owned()), &campaign.start)];
    all.extend(series.numbers().map(|run| of(name(run))).zip(tuned));
    let first = if is_deterministic {
        HoldOutGames::play_first(&all, evaluator, control.progress)?
    } else {
        None
    };
    let played = match first {
        Some(played) => played,
        None => {
            let play = |(games, weights): &(HoldOutGames, &Weights)| {
                games.play(evaluator, weights, control.progress)
            };
            all.iter().map(play).collect::<Result<_, RunError>>()?
        }
    };
    let (start, of_winner) = (&played[0], &played[1 + winner]);
    validation(campaign, start, of_winner, control.progress.stop())
}

/// The hold-out games of a set of weights; `None` if they are not played.
pub(super) fn read(
    directory: &RunDirectory,
    name: &str,
) -> Result<Option<Vec<GameRecord>>, StoreError> {
    let path = directory.hold_out_part(name);
    path.exists().then(|| read_games(&path)).transpose()
}

/// The objective of some games, and the contribution of each. Fails only if `stop` is requested.
pub(super) fn measure(
    series: &Series,
    games: &[GameRecord],
    stop: Stop,
) -> Result<(Measurement, Vec<f64>), RunError> {
    let (config, objective) = (&series.campaign.config, series.campaign.objective);
    let contributions = objective.contributions(games);
    let fitness = objective.fitness(&contributions);
    let seed = derive(config.seed, Stream::Bootstrap, 0, 0);
    let resampling = Resampling::new(config.validation.resamples, seed).until(stop);
    let interval = objective.interval(&contributions, resampling);
    let measured = Measurement {
        games: games.len() as u32,
        value: fitness.value,
        standard_error: fitness.standard_error,
        interval: interval.map(Interval::ends),
    };
    stop.complete((measured, contributions))
        .ok_or(RunError::Interrupted)
}
