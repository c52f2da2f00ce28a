//! The objective `exact-score` of a campaign: the exact expected score instead of games.

use crate::config::weights_file::published;
use tiletune_engine::field_error::FieldError;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::PlayerSpec;
use tiletune_engine::player::exact::NOT_EXACT;
use tiletune_tuning::evaluation::EvaluationConfig;
use tiletune_tuning::evaluation::objective::Objective;

/// The largest estimate of a candidate in seconds that needs no consent.
const SECONDS: f64 = 10.0;

fn wrong(message: String) -> FieldError {
    FieldError::new(["evaluation", "objective"], message)
}

/// The player of a campaign with this evaluation: with exact scores if they are the objective.
pub(super) fn player(
    player: PlayerSpec,
    evaluation: &EvaluationConfig,
) -> Result<PlayerSpec, FieldError> {
    if evaluation.objective != Some(Objective::ExactScore) {
        return Ok(player);
    }
    let refused = |reason: &str| wrong(format!("objective `exact-score`: {reason}"));
    let exact = player.with_exact_scores();
    let exact = exact.ok_or_else(|| refused(NOT_EXACT))?;
    // A board that is too large is reported before any weights are read.
    let built = exact.build(&published(&exact));
    built.map_err(|reason| refused(&reason))?;
    Ok(exact)
}

/// Checks that the player has exact scores, and that they do not take longer than is accepted.
pub(super) fn check(
    player: &PlayerSpec,
    start: &Weights,
    evaluation: &EvaluationConfig,
) -> Result<(), FieldError> {
    if let Some(seconds) = evaluation.exact_seconds
        && !(seconds > 0.0 && seconds.is_finite())
    {
        let message = format!("exact_seconds {seconds} is out of range: a number above 0");
        return Err(FieldError::new(["evaluation", "exact_seconds"], message));
    }
    if !player.has_exact_scores() {
        return Ok(());
    }
    let built = player.build(start);
    let built = built.map_err(|reason| wrong(format!("exact scores: {reason}")))?;
    let seconds = built.exact_result().seconds().unwrap_or_default();
    let accepted = evaluation.exact_seconds.unwrap_or(SECONDS);
    if seconds <= accepted {
        return Ok(());
    }
    Err(wrong(format!(
        "the exact score of a candidate takes about {seconds:.0} s of processor time, and {accepted:.0} s are accepted: take a \
         smaller board or depth, or accept it with evaluation.exact_seconds = {:.0}",
        (1.1 * seconds).ceil()
    )))
}
