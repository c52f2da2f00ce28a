//! Finds a recorded game of a run and the weights that played it.

use super::run_data::tuned_weights;
use crate::config::campaign::Campaign;
use crate::heuristic::weights::Weights;
use crate::record::{GameRecord, Phase};
use crate::run::directory::TableName;
use crate::run::{Part, RunDirectory, StoreError, rows};

/// The player of a recorded game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayedBy {
    /// A candidate of a generation, both counted from 0.
    Candidate {
        /// The generation.
        generation: u32,
        /// The candidate within it.
        candidate: u32,
    },
    /// A finalist of the race between restarts, counted from 0.
    Finalist(u32),
    /// The start weights, on the hold-out seeds.
    Start,
    /// The recommended weights, on the hold-out seeds.
    Tuned,
}

/// A game with the number `game` (from 0) and the weights that played it.
///
/// # Errors
/// If the run has no such game, or is damaged.
pub fn recorded_game(
    campaign: &Campaign,
    directory: &RunDirectory,
    played_by: PlayedBy,
    game: u32,
) -> Result<(Weights, GameRecord), StoreError> {
    let none = |reason: String| StoreError::unusable(directory.root(), reason);
    let hold_out = |weights: Option<Weights>, name, candidate| {
        let path = directory.phase_part(Phase::HoldOut, name);
        let weights = weights.filter(|_| path.exists());
        let weights = weights.ok_or_else(|| none(NO_HOLD_OUT_GAMES.into()))?;
        Ok::<_, StoreError>((weights, path, candidate))
    };
    // `candidate` is the number in the table of the games.
    let (weights, path, candidate) = match played_by {
        PlayedBy::Candidate {
            generation,
            candidate,
        } => {
            let complete = directory.complete_generations()?;
            if generation >= complete {
                return Err(none(format!(
                    "no generation {generation}: there are {complete}, counted from 0"
                )));
            }
            let part = |table| directory.generation_part(table, generation);
            let weights = weights_of(campaign, &part(TableName::Candidates), candidate)?;
            let weights = weights.map_err(|candidates| {
                none(format!(
                    "no candidate {candidate}: generation {generation} has {candidates}, counted \
                     from 0"
                ))
            })?;
            (weights, part(TableName::Games), candidate)
        }
        PlayedBy::Finalist(finalist) => {
            let path = directory.finalists_part();
            if !path.exists() {
                return Err(none("there was no race between restarts".into()));
            }
            let weights = weights_of(campaign, &path, finalist)?.map_err(|count| {
                none(format!(
                    "no finalist {finalist}: there are {count}, counted from 0"
                ))
            })?;
            let path = directory.phase_part(Phase::Race, "");
            (weights, path, finalist)
        }
        PlayedBy::Start => hold_out(Some(campaign.start.clone()), "start", 0)?,
        PlayedBy::Tuned => hold_out(tuned_weights(campaign, directory)?, "tuned", 1)?,
    };
    if let Some(record) = rows::find_game(&path, candidate, game)? {
        return Ok((weights, record));
    }
    let counts = rows::count_games(&path)?;
    let games = counts.iter().find(|(number, _)| *number == candidate);
    let games = games.map_or(0, |(_, games)| *games);
    Err(none(format!(
        "no game {game}: there are {games}, counted from 0"
    )))
}

/// The recommended weights.
pub(super) fn hold_out_weights(
    campaign: &Campaign,
    directory: &RunDirectory,
) -> Result<Weights, StoreError> {
    let weights = tuned_weights(campaign, directory)?;
    weights.ok_or_else(|| StoreError::unusable(directory.root(), NO_HOLD_OUT_GAMES))
}

const NO_HOLD_OUT_GAMES: &str = "the hold-out games of these weights are not played";

/// Weights of a candidate in a part of `candidates`, or the number of candidates if there is none.
fn weights_of(
    campaign: &Campaign,
    path: &Part,
    candidate: u32,
) -> Result<Result<Weights, usize>, StoreError> {
    let rows = rows::read_candidates(path, &campaign.space.names())?;
    let row = rows.iter().find(|row| row.candidate == candidate);
    Ok(match row {
        Some(row) => Ok(campaign.weights(&row.values)),
        None => Err(rows.len()),
    })
}
