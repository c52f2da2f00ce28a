//! The games of the race of a final mean against the start, the best candidates, and the mean without one of its terms.
//!
//! The mean of a distribution is a good recommendation where good weights are a region. Where they are single points, as
//! on a small board, a candidate or the start can be better. And a weight of exactly 0 is another player than a very small
//! one: a term that is on decides between equal moves, however small it is. No distribution of numbers finds an exact 0. The
//! race takes a small part of the games, and the mean stays unless another is better by more than a standard error: where
//! good weights are a region, the mean is better than every candidate, and few games hardly tell them apart.

use crate::config::campaign::Campaign;
use tiletune_tuning::stats::sequential::LOOK;

/// The games of a search, divided by those of this race; and with parameters that can be turned off.
const SHARE: u64 = 16;
const SHARE_WITH_SWITCHES: u64 = 8;

/// Fewest games of a finalist.
const FEWEST: u64 = 4;

/// The parameters that can be turned off: the numbers that have 0 as a bound.
pub(super) fn switches(campaign: &Campaign) -> impl Iterator<Item = usize> {
    let parameters = campaign.space.parameters().iter().enumerate();
    let switches = parameters.filter(|(_, one)| {
        let is_number = !one.fixed && !one.integer && one.choices.is_empty();
        is_number && one.min < one.max && (one.min == 0.0 || one.max == 0.0)
    });
    switches.map(|(index, _)| index)
}

fn share(campaign: &Campaign) -> u64 {
    match switches(campaign).next() {
        None => SHARE,
        Some(_) => SHARE_WITH_SWITCHES,
    }
}

/// The games that are kept for the race after a search of so many games: those of all finalists.
pub(super) fn games(campaign: &Campaign, of_search: u64, is_deterministic: bool) -> u64 {
    let finalists = match campaign.challengers() {
        0 => return 0,
        challengers => u64::from(challengers) + 2 + switches(campaign).count() as u64,
    };
    let most = of_search / share(campaign) / finalists;
    finalists * of_each(campaign, most, is_deterministic)
}

/// About the games of a search that has so many games together with its race.
pub(super) fn of_search(campaign: &Campaign, all: u64) -> u64 {
    all - all / (share(campaign) + 1)
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
