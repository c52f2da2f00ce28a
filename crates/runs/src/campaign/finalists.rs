//! The finalists of a search, from which a race chooses.

use super::event::Challenger;
use super::generations::CampaignSearch;
use super::race::RaceRules;
use super::{event_log, race_games};
use tiletune_tuning::optimizer;

/// Weights that a search could recommend.
pub(super) struct Finalist {
    pub(super) values: Vec<f64>,
    /// The restart and the distribution that it belongs to.
    pub(super) of_search: optimizer::Finalist,
    /// What it is in a race against challengers.
    pub(super) is: Option<Challenger>,
}

/// The finalists and the rules of a race: those of the search, or its only one with its challengers.
pub(super) fn finalists_to_race(search: &CampaignSearch) -> (Vec<Finalist>, RaceRules) {
    let finalists = finalists_of(search);
    if let ([only], true) = (&*finalists, search.has_signal)
        && let Some(race) = challengers_of(search, only)
    {
        return race;
    }
    let is_deterministic = search.is_deterministic();
    let rules = RaceRules::of(
        search.campaign,
        finalists.len(),
        search.games,
        is_deterministic,
    );
    (finalists, rules)
}

/// The finalists of the search that the player can use, each with other values. Only the first one if it can use none, or
/// without signal.
pub(super) fn finalists_of(search: &CampaignSearch) -> Vec<Finalist> {
    let space = &search.campaign.space;
    let finalists = search.optimizer.finalists().into_iter();
    let mut finalists: Vec<Finalist> = finalists
        .map(|of_search| Finalist {
            values: space.decode(&of_search.point),
            of_search,
            is: None,
        })
        .collect();
    let is_usable = |finalist: &Finalist| is_usable(search, &finalist.values);
    let usable: Vec<bool> = finalists.iter().map(is_usable).collect();
    if search.has_signal && usable.contains(&true) {
        let mut usable = usable.into_iter();
        finalists.retain(|_| usable.next() == Some(true));
    } else {
        finalists.truncate(1);
    }
    // Whole numbers and categories can have the same values at different points.
    let mut seen = Vec::new();
    finalists.retain(|finalist| {
        let is_new = !seen.contains(&finalist.values);
        seen.push(finalist.values.clone());
        is_new
    });
    finalists
}

/// The only finalist of a search with the start and the best candidates, and the rules of their race; `None` if there is
/// no race, because the player cannot use the finalist or too few games are left for it.
fn challengers_of(search: &CampaignSearch, only: &Finalist) -> Option<(Vec<Finalist>, RaceRules)> {
    let campaign = search.campaign;
    let is_deterministic = search.is_deterministic();
    let kept = race_games::games(campaign, search.games, is_deterministic);
    let played = search.games + u64::from(search.start_games());
    let budget = campaign.config.budget.games;
    let left = budget.map_or(kept, |most| most.saturating_sub(played).min(kept));
    let start = campaign.values_of(&search.start);
    let candidates = search.best_seen.iter();
    let candidates = candidates.map(|seen| (Challenger::Candidate, seen.candidate.values.clone()));
    let mut all = vec![
        (Challenger::FinalMean, only.values.clone()),
        (Challenger::Start, start),
    ];
    all.extend(candidates);
    // The start as a candidate differs from it by rounding errors.
    let unit = |values: &[f64]| campaign.space.unit(values);
    let is_same = |one: &[f64], other: &[f64]| {
        let mut places = unit(one).into_iter().zip(unit(other));
        places.all(|(one, other)| (one - other).abs() < 1e-9)
    };
    let finalist = |is: Challenger, values: Vec<f64>| Finalist {
        values,
        of_search: only.of_search.clone(),
        is: Some(is),
    };
    let most = campaign.challengers() as usize + 2;
    let mut finalists: Vec<Finalist> = Vec::new();
    for (is, values) in all {
        let is_new = || !finalists.iter().any(|one| is_same(&one.values, &values));
        if finalists.len() < most && is_new() {
            finalists.push(finalist(is, values));
        }
    }
    // However near to 0 the mean is, exactly 0 is something else.
    for index in race_games::switches(campaign) {
        let mut values = only.values.clone();
        values[index] = 0.0;
        let values = campaign.space.settled(values);
        let is_allowed = campaign.space.broken(&values).is_none() && is_usable(search, &values);
        if values[index] != only.values[index] && values[index] == 0.0 && is_allowed {
            finalists.push(finalist(Challenger::WithoutTerm, values));
        }
    }
    let games = race_games::of_each(campaign, left / finalists.len() as u64, is_deterministic);
    let rules = RaceRules {
        games: games as u32,
        has_incumbent: true,
        ..RaceRules::of(campaign, finalists.len(), search.games, is_deterministic)
    };
    // Results that turn out to depend on the seed must not undo a race of single games. In a run of an
    // earlier version the hold-out games may be played without a race.
    let has_raced = search.directory.race_part().exists();
    let has_games = has_raced || games > 0 && !search.directory.hold_out_part("tuned").exists();
    let takes_place = has_games && finalists.len() > 1 && is_usable(search, &only.values);
    takes_place.then_some((finalists, rules))
}

/// Whether the player can use these values of a finalist.
pub(super) fn is_usable(search: &CampaignSearch, values: &[f64]) -> bool {
    let campaign = search.campaign;
    let finalists = search.optimizer.finalists();
    let number = finalists
        .iter()
        .position(|finalist| campaign.space.decode(&finalist.point) == values);
    let events = search.events.written();
    !number.is_some_and(|number| event_log::is_finalist_refused(events, number))
        && campaign.player.check(&campaign.weights(values)).is_ok()
}
