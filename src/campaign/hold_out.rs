//! The hold-out games of a set of weights: played, or read if an earlier process has played them.

use super::generations::{check_game, differs};
use super::hold_out_seed;
use super::sample;
use crate::config::campaign::Campaign;
use crate::evaluation::{Evaluator, Progress};
use crate::heuristic::weights::Weights;
use crate::random::Stream;
use crate::record::{GameRecord, Phase};
use crate::run::rows::{GamesWriter, read_games};
use crate::run::{Part, RunError, StoreError};

/// The hold-out games of a set of weights, which has this number in the table `path`. They are read if an
/// earlier process has played them.
pub(crate) fn hold_out_games(
    campaign: &Campaign,
    evaluator: &impl Evaluator,
    weights: &Weights,
    path: &Part,
    candidate: u32,
    progress: &Progress,
) -> Result<Vec<GameRecord>, RunError> {
    let seeds = seeds(campaign, campaign.config.validation.games);
    played(evaluator, weights, &seeds, path, candidate, progress)
}

/// The seeds of the first hold-out games.
pub(crate) fn seeds(campaign: &Campaign, games: u32) -> Vec<u64> {
    let (players, seed) = (
        campaign.player.players(),
        hold_out_seed(campaign.config.seed),
    );
    players.game_seeds(seed, Stream::Evaluate, 0, games.into())
}

/// The same for any hold-out seeds.
pub(super) fn played(
    evaluator: &impl Evaluator,
    weights: &Weights,
    seeds: &[u64],
    path: &Part,
    candidate: u32,
    progress: &Progress,
) -> Result<Vec<GameRecord>, RunError> {
    if path.exists() {
        let recorded = read_games(path)?;
        check_hold_out(evaluator, weights, seeds, &recorded, path, progress)?;
        return Ok(recorded);
    }
    let mut writer = GamesWriter::create(path, Phase::HoldOut, 0)?;
    let mut played = Vec::with_capacity(seeds.len());
    let weights = std::slice::from_ref(weights);
    evaluator.evaluate::<StoreError>(weights, seeds, progress, &mut |batch| {
        played.extend_from_slice(batch.games);
        writer.add(candidate, batch.first_game as u32, batch.games)
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
    path: &Part,
    progress: &Progress,
) -> Result<(), RunError> {
    if !recorded.iter().map(|game| &game.seed).eq(seeds) {
        return Err(differs(path, "plays other hold-out games"));
    }
    match sample::any(recorded) {
        Some(game) => check_game(evaluator, weights, game, path, progress),
        None => Ok(()),
    }
}
