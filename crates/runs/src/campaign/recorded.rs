//! Finds a recorded game of a run and the weights that played it.

use super::run_data::tuned_weights;
use crate::config::campaign::Campaign;
use crate::run::TableName;
use crate::run::{Part, PlayedBy, RunDirectory, RunError, ShownGame, StoreError, tables};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::{Depth, PlayerSpec};
use tiletune_engine::record::GameRecord;

/// The campaign's player at the depth of the game; `None` if it has no such depth.
fn player_of(campaign: &Campaign, played_by: PlayedBy) -> Option<PlayerSpec> {
    match played_by {
        PlayedBy::StartAt(depth) | PlayedBy::TunedAt(depth) => {
            campaign.player.with_depth(Depth::Fixed(depth))
        }
        _ => Some(campaign.player.clone()),
    }
}

/// A game to be shown.
pub(super) fn shown_game(
    campaign: &Campaign,
    directory: &RunDirectory,
    played_by: PlayedBy,
    game: u32,
) -> Result<ShownGame, RunError> {
    let (weights, record) = recorded_game(campaign, directory, played_by, game)?;
    let which = match played_by {
        PlayedBy::Candidate {
            generation,
            candidate,
        } => format!("generation {generation}, candidate {candidate}, game"),
        PlayedBy::Finalist(finalist) => format!("finalist {finalist} of the race, game"),
        PlayedBy::Start | PlayedBy::StartAt(_) => "start weights, hold-out game".to_owned(),
        PlayedBy::Tuned | PlayedBy::TunedAt(_) => "tuned weights, hold-out game".to_owned(),
    };
    let player = player_of(campaign, played_by).ok_or_else(|| {
        let reason = "the player of this run has no such search depth";
        StoreError::unusable(directory.root(), reason)
    })?;
    let (described, name) = (player.describe(), &campaign.config.name);
    Ok(ShownGame {
        player,
        weights,
        record,
        title: format!("{described}: {name}, {which} {game}"),
    })
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
    let hold_out = |weights: Option<Weights>, path: Part| {
        let weights = weights.filter(|_| path.exists());
        let depth = match played_by {
            PlayedBy::StartAt(depth) | PlayedBy::TunedAt(depth) => Some(depth),
            _ => None,
        };
        let weights = weights.ok_or_else(|| none(no_hold_out_games(campaign, depth)))?;
        Ok::<_, StoreError>((weights, path, None))
    };
    let (weights, path, number) = match played_by {
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
            (
                weights,
                part(TableName::Train),
                Some(("candidate", candidate)),
            )
        }
        PlayedBy::Finalist(finalist) => {
            let path = directory.finalists_part();
            if !path.exists() {
                return Err(none("there was no race between restarts".into()));
            }
            let rows = tables::read_finalists(&path, &campaign.space.names())?;
            let row = rows.iter().find(|row| row.finalist == finalist);
            let row = row.ok_or_else(|| {
                let count = rows.len();
                none(format!(
                    "no finalist {finalist}: there are {count}, counted from 0"
                ))
            })?;
            let weights = campaign.weights(&row.values);
            (weights, directory.race_part(), Some(("finalist", finalist)))
        }
        PlayedBy::Start => {
            let path = directory.hold_out_part("start");
            hold_out(Some(campaign.start.clone()), path)?
        }
        PlayedBy::Tuned => {
            let path = directory.hold_out_part("tuned");
            hold_out(tuned_weights(campaign, directory)?, path)?
        }
        PlayedBy::StartAt(depth) => {
            let path = directory.deeper_part(depth, "start");
            hold_out(Some(campaign.start.clone()), path)?
        }
        PlayedBy::TunedAt(depth) => {
            let path = directory.deeper_part(depth, "tuned");
            hold_out(tuned_weights(campaign, directory)?, path)?
        }
    };
    if let Some(record) = tables::find_game(&path, number, game)? {
        return Ok((weights, record));
    }
    let games = match number {
        Some((column, number)) => {
            let counts = tables::count_games(&path, column)?;
            let of_number = counts.iter().find(|(one, _)| *one == number);
            of_number.map_or(0, |(_, games)| *games)
        }
        None => tables::read_games(&path)?.len() as u32,
    };
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
    weights.ok_or_else(|| {
        let reason = no_hold_out_games(campaign, None);
        StoreError::unusable(directory.root(), reason)
    })
}

/// Why there are no hold-out games at another depth than that of the search, or at that.
fn no_hold_out_games(campaign: &Campaign, depth: Option<u8>) -> String {
    match depth {
        _ if campaign.config.validation.games == 0 => {
            "the run has no hold-out games: its `validation.games` is 0".to_owned()
        }
        Some(depth) => format!("the run has no hold-out games at depth {depth}"),
        None => "the hold-out games are not played yet: the run has not ended".to_owned(),
    }
}

/// Weights of a candidate in a part of `candidates`, or the number of candidates if there is none.
fn weights_of(
    campaign: &Campaign,
    path: &Part,
    candidate: u32,
) -> Result<Result<Weights, usize>, StoreError> {
    let rows = tables::read_candidates(path, &campaign.space.names())?;
    let row = rows.iter().find(|row| row.candidate == candidate);
    Ok(match row {
        Some(row) => Ok(campaign.weights(&row.values)),
        None => Err(rows.len()),
    })
}
