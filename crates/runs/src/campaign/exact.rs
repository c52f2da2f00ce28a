//! The exact expected scores of start and tuned weights, beside their hold-out games: of 2048 on a small board.

use crate::config::campaign::Campaign;
use crate::run::RunError;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::exact::Work;
use tiletune_engine::player::{Player, PlayerSpec};
use tiletune_engine::stop::Stop;
use tiletune_tuning::results::ExactScores;

/// Both players must be estimated to take no more processor time together, in seconds. The estimate depends on the
/// configuration only, so that every machine and every resumed campaign decides the same.
const MOST_SECONDS: f64 = 600.0;

/// Whether a campaign computes the exact expected scores of its start and tuned weights.
pub(super) fn is_short(campaign: &Campaign) -> bool {
    seconds(campaign).is_some()
}

/// The estimated seconds of a processor core for these scores; `None` if they are not computed.
pub(super) fn seconds(campaign: &Campaign) -> Option<f64> {
    let player = campaign.player.build(&campaign.start).ok()?;
    seconds_of_both(&*player)
}

fn seconds_of_both(player: &dyn Player) -> Option<f64> {
    let seconds = player.exact_result().seconds()?;
    Some(2.0 * seconds).filter(|seconds| *seconds <= MOST_SECONDS)
}

/// The exact expected scores; `None` if the game has none, or if they would take too long. Fails only if `stop` is
/// requested.
pub(super) fn scores(
    player: &PlayerSpec,
    start: &Weights,
    tuned: &Weights,
    stop: Stop,
) -> Result<Option<ExactScores>, RunError> {
    let threads = std::thread::available_parallelism().map_or(1, Into::into);
    let work = Work::quiet(threads, stop);
    let mut found = Vec::new();
    for weights in [start, tuned] {
        // Weights that the player cannot use have no result.
        let Ok(player) = player.build(weights) else {
            return Ok(None);
        };
        if seconds_of_both(&*player).is_none() {
            return Ok(None);
        }
        match player.exact_result().compute(false, &work) {
            Ok(Some(exact)) => found.push(exact),
            Ok(None) => return Err(RunError::Interrupted),
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(ExactScores {
        start: found[0].mean,
        tuned: found[1].mean,
        perfect: found[1].perfect,
    }))
}
