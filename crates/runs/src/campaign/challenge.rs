//! The games of the race of a final mean against the start and the best candidates.
//!
//! The mean of a distribution is a good recommendation where good weights are a region. Where they are single points, as
//! on a small board, a candidate or the start can be better. The race takes a small part of the games, and the mean stays
//! unless another is better by more than a standard error: where good weights are a region, the mean is better than every
//! candidate, and few games hardly tell them apart.

use crate::config::campaign::Campaign;
use tiletune_tuning::stats::sequential::LOOK;

/// The games of a search, divided by those of this race.
const SHARE: u64 = 16;

/// Fewest games of a finalist.
const FEWEST: u64 = 5;

/// The games that are kept for the race after a search of so many games: those of all finalists.
pub(super) fn games(campaign: &Campaign, of_search: u64, is_deterministic: bool) -> u64 {
    let finalists = match campaign.challengers() {
        0 => return 0,
        challengers => u64::from(challengers) + 2,
    };
    finalists * of_each(campaign, of_search / SHARE / finalists, is_deterministic)
}

/// About the games of a search that has so many games together with its race.
pub(super) fn of_search(all: u64) -> u64 {
    all - all / (SHARE + 1)
}

/// The games of each finalist if there are so many at most; 0 if these are too few for a race.
pub(super) fn of_each(campaign: &Campaign, most: u64, is_deterministic: bool) -> u64 {
    if is_deterministic {
        return most.min(1);
    }
    let openings = u64::from(campaign.player.players().whole(1));
    let block = match campaign.player.several() {
        None => openings,
        // A race at several settings has whole blocks.
        Some(_) => LOOK * openings,
    };
    let most = most.min(u64::from(campaign.config.validation.race_games));
    let games = most / block * block;
    if games < FEWEST { 0 } else { games }
}
