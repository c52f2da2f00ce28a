//! The hold-out games of a set of weights: played, or read if an earlier process has played them.

use std::path::Path;

use super::generations::{check_game, differs};
use super::hold_out_seed;
use crate::config::campaign::Campaign;
use crate::evaluation::{Evaluator, Progress};
use crate::heuristic::weights::Weights;
use crate::player::Pairings;
use crate::random::Stream;
use crate::record::GameRecord;
use crate::run::rows::{GamesOf, GamesWriter, read_games};
use crate::run::{RunDirectory, RunError, StoreError};

/// The hold-out games of a set of weights, which has this name in the table of `directory`. They are read if
/// an earlier process has played them.
pub(crate) fn hold_out_games(
    campaign: &Campaign,
    evaluator: &impl Evaluator,
    weights: &Weights,
    directory: &RunDirectory,
    name: &str,
    progress: &Progress,
) -> Result<Vec<GameRecord>, RunError> {
    let table = Part {
        path: &directory.hold_out_part(name),
        of: GamesOf::HoldOut { weights: name },
        pairings: Pairings::of(&campaign.player),
    };
    let seeds = seeds(campaign, campaign.config.validation.games);
    played(evaluator, weights, &seeds, table, progress)
}

/// The seeds of the first hold-out games.
pub(super) fn seeds(campaign: &Campaign, games: u32) -> Vec<u64> {
    let (players, seed) = (
        campaign.player.players(),
        hold_out_seed(campaign.config.seed),
    );
    players.game_seeds(seed, Stream::Evaluate, 0, games.into())
}

/// A file of hold-out games.
pub(super) struct Part<'a> {
    pub(super) path: &'a Path,
    pub(super) of: GamesOf<'a>,
    pub(super) pairings: Option<Pairings>,
}

/// The hold-out games on these seeds.
pub(super) fn played(
    evaluator: &impl Evaluator,
    weights: &Weights,
    seeds: &[u64],
    part: Part,
    progress: &Progress,
) -> Result<Vec<GameRecord>, RunError> {
    let path = part.path;
    if path.exists() {
        let recorded = read_games(path)?;
        check_hold_out(evaluator, weights, seeds, &recorded, path, progress)?;
        return Ok(recorded);
    }
    let mut writer = GamesWriter::create(path, part.of, part.pairings)?;
    let mut played = Vec::with_capacity(seeds.len());
    let weights = std::slice::from_ref(weights);
    evaluator.evaluate::<StoreError>(weights, seeds, progress, &mut |batch| {
        played.extend_from_slice(batch.games);
        writer.add(0, batch.first_game as u32, batch.games)
    })?;
    writer.finish()?;
    Ok(played)
}

/// Checks that the hold-out games of an earlier process are those that this one would play.
fn check_hold_out(
    evaluator: &impl Evaluator,
    weights: &Weights,
    seeds: &[u64],
    recorded: &[GameRecord],
    path: &Path,
    progress: &Progress,
) -> Result<(), RunError> {
    if !recorded.iter().map(|game| &game.seed).eq(seeds) {
        return Err(differs(path, "plays other hold-out games"));
    }
    match recorded.first() {
        Some(first) => check_game(evaluator, weights, first, path, progress),
        None => Ok(()),
    }
}
