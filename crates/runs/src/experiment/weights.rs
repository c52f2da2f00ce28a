//! The weights of the rows. Most are in the configuration. The weights of a row that is tuned again come from a
//! campaign, which is a separate run inside the directory of the experiment. They are known when the campaign is
//! complete. All campaigns are completed before any game of a row is played.

use std::path::Path;

use crate::config::experiment::{Experiment, Row};
use crate::config::weights_file;
use crate::run::manifest::Status;
use crate::run::{Control, RunDirectory, RunError, StoreError, complete_child};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::EvaluatorFactory;

/// Path of the campaign of a row in the directory.
pub(super) fn place(index: usize) -> String {
    format!("retuned/row-{index:03}")
}

/// Completes all campaigns; returns the weights of every row.
pub(super) fn tune(
    experiment: &Experiment,
    machines: &dyn EvaluatorFactory,
    directory: &RunDirectory,
    control: &mut Control,
) -> Result<Vec<Weights>, RunError> {
    let weights = experiment.rows.iter().enumerate().map(|(index, row)| {
        let Some(retuned) = &row.retuned else {
            return Ok(row.weights.clone());
        };
        let child = (&*place(index), &*row.name);
        let plan = &retuned.campaign;
        let campaign = complete_child(directory, child, plan, machines, control)?;
        Ok(read(row, campaign.root())?)
    });
    weights.collect()
}

/// The weights of every row, see [`ExperimentData`](super::ExperimentData).
///
/// # Errors
/// If a campaign is damaged, or is missing although its row is played.
pub(super) fn of_played(
    experiment: &Experiment,
    directory: &RunDirectory,
    games: &[Vec<GameRecord>],
) -> Result<Vec<Weights>, StoreError> {
    let weights = experiment.rows.iter().enumerate().map(|(index, row)| {
        if row.retuned.is_none() || !is_complete(directory, index)? && games[index].is_empty() {
            return Ok(row.weights.clone());
        }
        read(row, &directory.path(&place(index)))
    });
    weights.collect()
}

/// Number of training games of the campaigns that are not complete.
pub(super) fn games_to_play(
    experiment: &Experiment,
    directory: &RunDirectory,
) -> Result<u64, StoreError> {
    let mut missing = 0;
    for (index, row) in experiment.rows.iter().enumerate() {
        if let Some(retuned) = &row.retuned
            && !is_complete(directory, index)?
        {
            missing += retuned.campaign.config.budget.games.unwrap_or_default();
        }
    }
    Ok(missing)
}

fn is_complete(directory: &RunDirectory, index: usize) -> Result<bool, StoreError> {
    let root = directory.path(&place(index));
    if !RunDirectory::is_begun(&root) {
        return Ok(false);
    }
    let status = RunDirectory::open(&root)?.manifest()?.status;
    Ok(status == Status::Complete)
}

/// The tuned weights of the campaign of a row. The games of the row show how good they are.
fn read(row: &Row, campaign: &Path) -> Result<Weights, StoreError> {
    let read = weights_file::read(&weights_file::tuned(campaign), &row.player);
    let (_, weights) = read.map_err(|error| StoreError::damaged(campaign, error))?;
    Ok(weights)
}
