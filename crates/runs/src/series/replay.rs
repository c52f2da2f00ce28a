//! Plays the claim of a series again: the hold-out games of the start weights and of the winner of the race.

use super::{hold_out, results};
use crate::campaign;
use crate::config::provenance::ClaimedWeights;
use crate::config::series::Series;
use crate::run::replay::Replay;
use crate::run::{Control, RunDirectory, RunError, StoreError};
use tiletune_tuning::evaluation::Evaluator;

/// Plays the claim of `best.toml` again, see [`campaign::replay_run`]. The hold-out games of the other runs
/// are not played.
///
/// # Errors
/// As [`campaign::replay_run`].
pub fn replay(
    series: &Series,
    claimed: &ClaimedWeights,
    directory: &RunDirectory,
    evaluator: &dyn Evaluator,
    control: &mut Control,
) -> Result<Replay, RunError> {
    let winner = results(series, directory, control.progress.stop())?.recommended;
    let winner =
        winner.ok_or_else(|| StoreError::unusable(directory.root(), "the race is not decided"))?;
    let tuned = hold_out::name(winner);
    campaign::replay_run(claimed, directory, &tuned, evaluator, control)
}
