//! What a user should know of a search besides its result: keys of the start weights that are left out,
//! too few games for the number of parameters, start weights with which the search does not avoid losing, and
//! candidates that were refused. They say the same in the report and in the terminal.

use super::event::Event;
use crate::config::campaign::Campaign;
use tiletune_engine::player::below_lost::{BelowLost, many_below_lost};
use tiletune_report::report::search;
use tiletune_tuning::evaluation::schedule::Games;

/// From this number of parameters on, the number of games is compared with [`GAMES_PER_PARAMETER`].
const MANY_PARAMETERS: usize = 20;

/// Games of a candidate for each parameter, so that the mean of the search moves in the right direction.
///
/// Measured with `expectimax` of 2048 at depth 1: with 30 parameters and 120 games per candidate the mean
/// rose; with 53 to 72 parameters and 36 to 60 games the step size shrank, and the mean did not move.
const GAMES_PER_PARAMETER: u32 = 4;

/// What is to be said before a search begins.
pub fn notices(campaign: &Campaign) -> Vec<String> {
    let keys = &campaign.left_out;
    let left_out = (!keys.is_empty()).then(|| search::left_out(keys));
    let doubts = doubts(campaign);
    let doubts = doubts.iter().filter_map(words);
    left_out.into_iter().chain(doubts).collect()
}

/// The events that say why a search may find little.
pub(super) fn doubts(campaign: &Campaign) -> Vec<Event> {
    let below_lost = many_below_lost(&campaign.player, &campaign.start);
    let below_lost =
        below_lost.map(|BelowLost { below, positions }| Event::StartBelowLost { below, positions });
    few_games(campaign).into_iter().chain(below_lost).collect()
}

/// The event that candidates play too few games for the number of parameters; `None` if they do not.
fn few_games(campaign: &Campaign) -> Option<Event> {
    let parameters = campaign.space.dimension();
    let evaluation = &campaign.config.evaluation;
    let games = match evaluation.games {
        Games::Number(games) if evaluation.games_growth.is_none_or(|factor| factor == 1.0) => games,
        _ => evaluation.games_max(),
    };
    let needed = parameters as u32 * GAMES_PER_PARAMETER;
    (parameters >= MANY_PARAMETERS && games < needed).then_some(Event::FewGames {
        parameters: parameters as u32,
        games,
        needed,
    })
}

/// The number of candidates that were refused.
pub(super) fn refused(events: &[Event]) -> u32 {
    let counts = events.iter().map(|event| match event {
        Event::CandidatesRefused { candidates, .. } => *candidates,
        _ => 0,
    });
    counts.sum()
}

/// What the events of a search say about it.
pub(super) fn of_events(events: &[Event]) -> Vec<String> {
    let refused = match refused(events) {
        0 => None,
        refused => Some(search::refused(refused)),
    };
    let mut race = events
        .iter()
        .filter(|event| matches!(event, Event::RaceDecided { .. }));
    let race = race.next().map(Event::to_string);
    race.into_iter()
        .chain(events.iter().filter_map(words))
        .chain(refused)
        .collect()
}

/// The sentence of an event that says how far a result can be trusted.
fn words(event: &Event) -> Option<String> {
    let is_notice = matches!(
        event,
        Event::FewGames { .. }
            | Event::StartBelowLost { .. }
            | Event::MeanRefused
            | Event::NotRepeated(_)
    );
    is_notice.then(|| event.to_string())
}
