//! The seeds of the games of candidates. At several settings of the player their division follows from the recorded games of
//! the start weights. This module must not play.

use super::start_games;
use crate::config::campaign::Campaign;
use crate::run::{RunDirectory, StoreError};
use tiletune_engine::random::Stream;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::settings::{divided, shares};

/// How often the seeds of a generation are replaced by the next ones because a program fails with all candidates or refuses
/// them.
pub(super) const MOST_REPLACED: u32 = 5;

/// The seeds of the games of each candidate in a generation, after so many have been replaced.
///
/// # Errors
/// If the games of the start weights are missing or damaged, and the player has several settings.
pub(super) fn training_seeds(
    campaign: &Campaign,
    directory: &RunDirectory,
    generation: u32,
    games: u32,
    replaced: u32,
) -> Result<Vec<u64>, StoreError> {
    let (player, seed, number) = (
        &campaign.player,
        campaign.config.seed,
        u64::from(generation),
    );
    if player.several().is_none() {
        let all = u64::from(games) * u64::from(1 + replaced);
        let mut seeds = player.game_seeds(seed, Stream::Train, number, all);
        return Ok(seeds.split_off((all - u64::from(games)) as usize));
    }
    let start = match &campaign.config.evaluation.shares {
        Some(_) => Vec::new(),
        None => start_games::recorded(campaign, directory)?.ok_or_else(|| {
            let reason =
                "the games of the start weights are missing, which show the cost of a game";
            StoreError::damaged(&directory.start_part(), reason)
        })?,
    };
    let division = divided(games, &shares_of(campaign, &start));
    Ok(player.seeds_at(seed, Stream::Train, number, &division))
}

/// The share of the games of a candidate at each setting, given games of the start weights at all of them. Only the first
/// of them count: with more budget further ones are played, and the shares must not change.
pub(super) fn shares_of(campaign: &Campaign, start: &[GameRecord]) -> Vec<f64> {
    match &campaign.config.evaluation.shares {
        Some(given) => {
            let sum: f64 = given.iter().sum();
            given.iter().map(|share| share / sum).collect()
        }
        None => {
            let first = campaign.fewest_start_games() as usize;
            shares(&start[..start.len().min(first)])
        }
    }
}
