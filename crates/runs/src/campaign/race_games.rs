//! The numbers of games of races: of several finalists, and of a final mean against the start, the best candidates, and
//! the mean without one of its terms.
//!
//! The mean of a distribution is a good recommendation where good weights are a region. Where they are single points, as
//! on a small board, a candidate or the start can be better. And a weight of exactly 0 is another player than a very small
//! one: a term that is on decides between equal moves, however small it is. No distribution of numbers finds an exact 0. The
//! race takes a small part of the games, and the mean stays unless another is better by more than a standard error: where
//! good weights are a region, the mean is better than every candidate, and few games hardly tell them apart.

use crate::config::campaign::Campaign;
use tiletune_report::number::{count, several};
use tiletune_tuning::stats::sequential::LOOK;

/// The games of a search, divided by those of this race; and with parameters that can be turned off.
const SHARE: u64 = 16;
const SHARE_WITH_SWITCHES: u64 = 8;

/// The games of searches, divided by those of the race between several finalists.
pub(super) const SHARE_OF_SEVERAL: u64 = 2;

/// Fewest games of a finalist, and most of them if the file says nothing.
const FEWEST: u64 = 4;
const MOST: u32 = 2000;

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

/// The sentence that challengers which the file asks for do not race, because the budget of games keeps too few for each.
pub(super) fn no_race(campaign: &Campaign) -> Option<String> {
    let given = campaign.config.validation.challengers;
    let challengers = given.filter(|&number| number > 0)?;
    let budget = campaign.config.budget.games?;
    let left = budget.saturating_sub(u64::from(campaign.start_games()));
    let program = campaign.player.program();
    let is_deterministic = campaign.player.has_exact_scores()
        || program.is_some_and(|program| program.is_deterministic().unwrap_or(false));
    if games(campaign, of_search(campaign, left), is_deterministic) > 0 {
        return None;
    }
    let several = several(u64::from(challengers), "challenger");
    if whole(campaign, most_of_each(campaign)) < FEWEST {
        return Some(format!(
            "The final mean will not race against {several}: a race needs {FEWEST} games for each, more than \
             `validation.race_games`."
        ));
    }
    Some(format!(
        "The final mean will not race against {several} (`validation.challengers`): the budget of {} games keeps too few \
         games for each. Give more games, or fewer challengers.",
        count(budget)
    ))
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
    let games = whole(campaign, most.min(most_of_each(campaign)));
    if games < FEWEST { 0 } else { games }
}

/// The largest number of games of each of several finalists after searches of so many games together.
pub(super) fn of_several(campaign: &Campaign, finalists: u64, of_searches: u64) -> u64 {
    let most = most_of_each(campaign);
    if campaign.config.validation.race_games.is_some() {
        return most;
    }
    let share = of_searches / SHARE_OF_SEVERAL / finalists;
    let fewest = whole(campaign, FEWEST + block(campaign) - 1);
    whole(campaign, share.min(most)).max(fewest)
}

/// The largest number of games of each finalist, after any search.
fn most_of_each(campaign: &Campaign) -> u64 {
    u64::from(campaign.config.validation.race_games.unwrap_or(MOST))
}

/// At most so many games, in whole openings; at several settings in whole blocks.
fn whole(campaign: &Campaign, most: u64) -> u64 {
    most / block(campaign) * block(campaign)
}

fn block(campaign: &Campaign) -> u64 {
    let openings = u64::from(campaign.player.players().whole(1));
    match campaign.player.several() {
        None => openings,
        Some(_) => LOOK * openings,
    }
}
