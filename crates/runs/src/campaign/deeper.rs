//! Hold-out games at other search depths than that of the search: weights that are better than the start
//! weights at one depth can be worse at another.
//!
//! Games at a depth that would take longer than the search are left out. The clock decides that; the
//! decision is recorded as an event, and a resumed campaign repeats it.

use std::convert::Infallible;
use std::time::Duration;

use super::event::Event;
use super::event_log;
use super::generations::CampaignSearch;
use super::hold_out::HoldOutGames;
use super::validation::validation;
use crate::config::campaign::Campaign;
use crate::config::comparisons::comparisons;
use crate::config::weights_file::WeightsFile;
use crate::run::{Control, RunError, Task};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::{Depth, PlayerEntry};
use tiletune_engine::random::Stream;
use tiletune_engine::record::{GameRecord, Phase};
use tiletune_tuning::evaluation::calibration::within;
use tiletune_tuning::evaluation::{
    Evaluate, EvaluationError, Evaluator, EvaluatorFactory, FactoryError, Progress,
};
use tiletune_tuning::results::{Deeper, DeeperResult, Skipped, Unmeasured, Validation};

/// Seeds of the first calibration. Each further calibration doubles the number.
const FIRST_SEEDS: u32 = 2;

/// Largest share of the time of the search that the calibrations of a depth may take. With `n` hold-out games, games
/// that take longer than that would exceed the limit on fewer than `2 n` threads.
const CALIBRATION: f64 = 0.25;

/// The results at all depths that the campaign asks for. Games that an earlier process has played are read.
pub(super) fn results(
    machines: &dyn EvaluatorFactory,
    search: &mut CampaignSearch,
    tuned: &Weights,
    control: &mut Control,
) -> Result<Vec<Deeper>, RunError> {
    let campaign = search.campaign;
    let weights = [search.start.clone(), tuned.clone()];
    let depths = campaign.config.validation.deeper.iter();
    let at = |&depth: &u8| {
        let result = match at_depth(machines, search, depth, &weights, control)? {
            Ok([start, tuned]) => {
                let stop = control.progress.stop();
                DeeperResult::Played(Box::new(validation(campaign, &start, &tuned, stop)?))
            }
            Err(reason) => DeeperResult::Skipped(reason),
        };
        Ok(Deeper::new(depth, result))
    };
    depths.map(at).collect()
}

/// The hold-out games of start and tuned weights at a depth, or why there are none.
fn at_depth(
    machines: &dyn EvaluatorFactory,
    search: &mut CampaignSearch,
    depth: u8,
    weights: &[Weights; 2],
    control: &mut Control,
) -> Result<Result<[Vec<GameRecord>; 2], Skipped>, RunError> {
    let campaign = search.campaign;
    let games = campaign.config.validation.deeper_games();
    control.observer.task_begins(Task::Phase {
        phase: Phase::HoldOut,
        games: 2 * u64::from(games),
    });
    let player = campaign.player.with_depth(Depth::Fixed(depth));
    let evaluator = match player.map(|player| machines.evaluator(&player)) {
        None | Some(Err(FactoryError::OtherPlayer(_))) => None,
        Some(evaluator) => Some(evaluator?),
    };
    let decided = match event_log::deeper(search.events.written(), depth) {
        Some(decided) => decided,
        None => decide(evaluator.as_deref(), search, depth, weights, control)?,
    };
    search.events.record(match decided {
        Ok(()) => Event::DeeperBegan { depth },
        Err(reason) => Event::DeeperSkipped { depth, reason },
    })?;
    if let Err(reason) = decided {
        return Ok(Err(reason));
    }
    let evaluator = evaluator.ok_or_else(|| {
        RunError::Differs(format!(
            "this program cannot play at depth {depth}, but the run has begun to"
        ))
    })?;
    let play = |candidate: usize, name: &str| {
        let games = HoldOutGames::new(campaign, search.directory, Some(depth), name);
        games.play(&*evaluator, &weights[candidate], control.progress)
    };
    Ok(Ok([play(0, "start")?, play(1, "tuned")?]))
}

/// Whether the games at a depth are played: their duration is estimated from games on other seeds.
fn decide(
    evaluator: Option<&dyn Evaluator>,
    search: &CampaignSearch,
    depth: u8,
    weights: &[Weights; 2],
    control: &Control,
) -> Result<Result<(), Skipped>, RunError> {
    let Some(evaluator) = evaluator else {
        return Ok(Err(Skipped::Unsupported));
    };
    let (campaign, limit) = (search.campaign, search.seconds);
    let (seed, players) = (campaign.config.seed, campaign.player.players());
    let games = campaign.config.validation.deeper_games();
    let mut left = CALIBRATION * limit;
    let mut count = FIRST_SEEDS;
    loop {
        let seeds = players.game_seeds(seed, Stream::Calibration, depth.into(), count.into());
        let begin = (control.clock)();
        let within = Duration::from_secs_f64(left);
        let is_played = plays_within(within, evaluator, weights, &seeds, control.progress)?;
        let seconds = ((control.clock)() - begin).as_secs_f64();
        let estimate = seconds / f64::from(count) * f64::from(games);
        if is_played && estimate <= limit {
            return Ok(Ok(()));
        }
        // Few games do not use all threads, so the estimate can be too high: more games are tried.
        count *= 2;
        left -= seconds;
        if !is_played || 2.0 * seconds > left || count > games {
            return Ok(Err(Skipped::TooSlow));
        }
    }
}

/// Plays games for at most this time; returns whether all of them are played.
fn plays_within(
    limit: Duration,
    evaluator: &dyn Evaluator,
    weights: &[Weights],
    seeds: &[u64],
    progress: &Progress,
) -> Result<bool, RunError> {
    let ended = within(limit, progress, |limited| {
        evaluator.evaluate::<Infallible>(weights, seeds, limited, &mut |_| Ok(()))
    });
    match ended {
        _ if progress.is_stopped() => Err(RunError::Interrupted),
        Err(EvaluationError::Interrupted) => Ok(false),
        ended => Ok(ended.map(|()| true)?),
    }
}

/// The depths at which tuned weights are not compared with the start weights; `None` if they are compared at other
/// depths than that of the search, or if the player has no depth.
pub(super) fn unmeasured(
    campaign: &Campaign,
    validation: Option<&Validation>,
) -> Option<Unmeasured> {
    let own = campaign.player.depth()?;
    let is_measured = validation.is_some_and(|validation| !validation.deeper.is_empty());
    (!is_measured).then(|| Unmeasured::of(fixed(own)))
}

/// The same for a weights file of a player. `None` also if no campaign has written the file.
pub fn unmeasured_in(file: &WeightsFile, entry: &PlayerEntry) -> Option<Unmeasured> {
    entry.depths()?;
    let provenance = file.provenance.as_ref()?;
    let tuned_for = file.tuned_player();
    let mut lists = entry.options.iter().filter_map(|option| option.several);
    if lists.any(|key| tuned_for.is_some_and(|player| player.contains_key(key))) {
        // The hold-out games were played at each setting.
        return None;
    }
    let is_tuned = provenance.contains_key("training_games");
    let own = provenance
        .get("player")
        .and_then(|player| player.get("depth"));
    let compared = comparisons(file).unwrap_or_default();
    let mut depths = compared.iter().map(|one| one.search.depth.as_ref());
    let is_measured = depths.any(|depth| depth.is_some() && depth != own);
    let depth = own.and_then(|depth| u8::try_from(depth.as_integer()?).ok());
    (is_tuned && !is_measured).then(|| Unmeasured::of(depth))
}

fn fixed(depth: Depth) -> Option<u8> {
    match depth {
        Depth::Fixed(depth) => Some(depth),
        Depth::Adaptive => None,
    }
}
