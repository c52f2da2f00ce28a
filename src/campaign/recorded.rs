//! A recorded game of a run, found again with the weights that played it.

use std::path::Path;

use super::run_data::tuned_weights;
use crate::config::campaign::Campaign;
use crate::heuristic::weights::Weights;
use crate::record::{GameRecord, Phase};
use crate::run::directory::TableName;
use crate::run::{RunDirectory, StoreError, rows};

/// Who played a recorded game.
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
    /// The weights that the campaign started from, on the hold-out seeds.
    Start,
    /// The weights that it recommends, on the hold-out seeds.
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
    let hold_out = |name| directory.phase_part(Phase::HoldOut, name);
    // The number of the candidate is that under which its games are written.
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
            let path = directory.generation_part(TableName::Candidates, generation);
            let weights = weights_of(campaign, &path, candidate)?;
            let weights = weights.map_err(|candidates| {
                none(format!(
                    "no candidate {candidate}: generation {generation} has {candidates}, counted \
                     from 0"
                ))
            })?;
            let path = directory.generation_part(TableName::Games, generation);
            (weights, path, candidate)
        }
        PlayedBy::Finalist(finalist) => {
            let path = directory.finalists_part();
            if !path.exists() {
                return Err(none("there was no race between restarts".into()));
            }
            let weights = weights_of(campaign, &path, finalist)?;
            let weights = weights.map_err(|finalists| {
                none(format!(
                    "no finalist {finalist}: there are {finalists}, counted from 0"
                ))
            })?;
            (weights, directory.phase_part(Phase::Race, ""), finalist)
        }
        PlayedBy::Start => (campaign.start.clone(), hold_out("start"), 0),
        PlayedBy::Tuned => {
            let weights = tuned_weights(campaign, directory)?;
            let weights = weights.ok_or_else(|| none(NO_HOLD_OUT_GAMES.into()))?;
            (weights, hold_out("tuned"), 1)
        }
    };
    let config = &campaign.config;
    let games = match played_by {
        PlayedBy::Candidate { generation, .. } => campaign.games_in(generation),
        PlayedBy::Finalist(_) => config.validation.race_games,
        PlayedBy::Start | PlayedBy::Tuned if path.exists() => config.validation.games,
        PlayedBy::Start | PlayedBy::Tuned => return Err(none(NO_HOLD_OUT_GAMES.into())),
    };
    match rows::find_game(&path, candidate, game)? {
        Some(record) => Ok((weights, record)),
        None => Err(none(format!(
            "no game {game}: there are {games}, counted from 0"
        ))),
    }
}

const NO_HOLD_OUT_GAMES: &str = "the hold-out games of these weights are not played";

/// Weights of a candidate in a part of `candidates`, or how many candidates it has.
fn weights_of(
    campaign: &Campaign,
    path: &Path,
    candidate: u32,
) -> Result<Result<Weights, usize>, StoreError> {
    let rows = rows::read_candidates(path, &campaign.space.names())?;
    let row = rows.iter().find(|row| row.candidate == candidate);
    Ok(match row {
        Some(row) => Ok(campaign.weights(&row.values)),
        None => Err(rows.len()),
    })
}
