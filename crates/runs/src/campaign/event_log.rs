//! The event log of a campaign, and what its events say: how the search ended, what was decided. [`Event`] has the
//! sentences.

use serde::{Deserialize, Serialize};

use super::event::{Event, NoRestart, SearchEnd, of_events};
use crate::run::{RunDirectory, StoreError, logs};
use tiletune_engine::record::Unrepeated;
use tiletune_tuning::results::Skipped;

/// The event log of a campaign.
pub(super) type Events = logs::Events<Event>;

/// Opens the log of a run directory that has this number of complete generations. If an event in force refers to a
/// later generation, or to a race whose games no longer exist, this records that the run went back. If the run goes on
/// to a later `look` than the log knows, this keeps the results so far and records that. The returned events are those in
/// force.
pub(super) fn open(
    directory: &RunDirectory,
    complete: u32,
    look: u32,
) -> Result<Events, StoreError> {
    let mut events = Events::open(&directory.path(logs::EVENTS))?.with(in_force);
    if last_look(events.written()) < look {
        directory.keep_results(look - 1)?;
        let generations = complete;
        events.record(Event::Continued { generations, look })?;
        events = events.with(in_force);
    }
    let has_race = directory.race_part().exists();
    let is_of_the_past = |event: &Event| match event {
        Event::SearchEnded { generations, .. }
        | Event::WithoutSignal { generations, .. }
        | Event::WentOn { generations } => *generations > complete,
        Event::Deterministic { generation, .. } | Event::SeedMatters { generation } => {
            *generation > complete
        }
        Event::Restarted { generation, .. } => *generation > complete,
        Event::CandidatesRefused { generation, .. } => *generation >= complete,
        Event::StartChosen { .. } => complete == 0,
        Event::RaceDecided { .. } => !has_race,
        _ => false,
    };
    if events.written().iter().any(is_of_the_past) {
        events.record(Event::WentBack {
            generations: complete,
        })?;
        events = events.with(in_force);
    }
    Ok(events)
}

/// Reads the log of a run directory. The returned events are those in force.
pub(super) fn read(directory: &RunDirectory) -> Result<Events, StoreError> {
    Ok(Events::read(&directory.path(logs::EVENTS))?.with(in_force))
}

/// The events that are in force: no [`Event::WentBack`], and no event that one of them revokes.
fn in_force(events: Vec<Event>) -> Vec<Event> {
    let mut kept: Vec<Event> = Vec::new();
    for event in events {
        match event {
            Event::WentBack { generations } => kept.retain(|event| is_of_first(event, generations)),
            Event::Continued { generations, .. } => {
                kept.retain(|event| is_of_first(event, generations) && !is_after_search(event));
                kept.push(event);
            }
            event => kept.push(event),
        }
    }
    kept
}

/// Whether an event stays in force if only this number of first generations remains.
fn is_of_first(event: &Event, stay: u32) -> bool {
    match event {
        Event::SearchEnded { generations, .. }
        | Event::WithoutSignal { generations, .. }
        | Event::WentOn { generations } => *generations <= stay,
        Event::Deterministic { generation, .. } => *generation <= stay,
        Event::SeedMatters { generation } => *generation < stay,
        Event::Restarted { generation, .. } | Event::CandidatesRefused { generation, .. } => {
            *generation < stay
        }
        Event::StartChosen { .. } => stay > 0,
        Event::IntegerKept { .. }
        | Event::NoRestart { .. }
        | Event::RaceDecided { .. }
        | Event::FinalistRefused { .. }
        | Event::MeanRefused
        | Event::EarlierMean
        | Event::EffectsTried { .. }
        | Event::Validated => false,
        _ => true,
    }
}

/// Whether an event is about the end of the search or about later games.
fn is_after_search(event: &Event) -> bool {
    matches!(
        event,
        Event::SearchEnded { .. }
            | Event::WithoutSignal { .. }
            | Event::DeeperBegan { .. }
            | Event::DeeperSkipped { .. }
    )
}

/// Number of the last look at the search that the log knows.
fn last_look(events: &[Event]) -> u32 {
    let looks = events.iter().map(|event| match event {
        Event::Continued { look, .. } => *look,
        _ => 1,
    });
    looks.max().unwrap_or(1)
}

/// Whether the search went on after its end and has not ended again. Until then a run has no results.
pub(super) fn is_continued(events: &[Event]) -> bool {
    let has_continued = |event: &Event| matches!(event, Event::Continued { .. });
    events.iter().any(has_continued) && search_ended(events).is_none()
}

/// Whether the results in a directory are those of this look. A process that was killed when the run went on has left
/// those of the look before.
pub(super) fn are_results_of(directory: &RunDirectory, look: u32) -> Result<bool, StoreError> {
    let events = read(directory)?;
    let events = events.written();
    Ok(last_look(events) == look && !is_continued(events))
}

/// Number of generations at the end of the search, and why it ended; `None` if it has not ended.
pub(super) fn search_ended(events: &[Event]) -> Option<(u32, SearchEnd)> {
    events.iter().find_map(|event| match event {
        Event::SearchEnded {
            generations,
            reason,
        } => Some((*generations, reason.clone())),
        _ => None,
    })
}

/// Whether the hold-out games at a depth are played, or why they are skipped. `None` if this is not decided.
pub(super) fn deeper(events: &[Event], at: u8) -> Option<Result<(), Skipped>> {
    events.iter().find_map(|event| match event {
        Event::DeeperBegan { depth } if *depth == at => Some(Ok(())),
        Event::DeeperSkipped { depth, reason } if *depth == at => Some(Err(*reason)),
        _ => None,
    })
}

/// Whether each candidate of this generation plays one game, because games do not depend on their seeds. For the
/// generation after the last one, whether games still do not depend on their seeds.
pub(super) fn is_deterministic(events: &[Event], at: u32) -> bool {
    let has_ended =
        |event: &Event| matches!(event, Event::SeedMatters { generation } if *generation <= at);
    was_deterministic(events, at) && !events.iter().any(has_ended)
}

/// Whether games were declared or found independent of their seeds before this generation, even if that turned out to be
/// wrong.
pub(super) fn was_deterministic(events: &[Event], at: u32) -> bool {
    let has_begun = |event: &Event| matches!(event, Event::Deterministic { generation, .. } if *generation <= at);
    events.iter().any(has_begun)
}

/// The parameters without effect; `None` if they were not tried.
pub(super) fn effects(events: &[Event]) -> Option<&[String]> {
    events.iter().find_map(|event| match event {
        Event::EffectsTried { without, .. } => Some(&**without),
        _ => None,
    })
}

/// The sentences of the events of a run's search.
///
/// # Errors
/// If a file of the directory is damaged.
pub(crate) fn of_run(directory: &RunDirectory) -> Result<Vec<String>, StoreError> {
    Ok(of_events(read(directory)?.written()))
}

/// Whether results did not depend on the seed until the end of a complete run.
///
/// # Errors
/// If a file of the directory is damaged.
pub(crate) fn has_no_noise(directory: &RunDirectory) -> Result<bool, StoreError> {
    let (events, generations) = (read(directory)?, directory.complete_generations()?);
    Ok(is_deterministic(events.written(), generations))
}

/// The first generation in which each candidate plays one game, because results do not depend on the seed; `None` if they
/// do.
///
/// # Errors
/// If a file of the directory is damaged.
pub(super) fn one_game_since(directory: &RunDirectory) -> Result<Option<u32>, StoreError> {
    let (events, generations) = (read(directory)?, directory.complete_generations()?);
    if !is_deterministic(events.written(), generations) {
        return Ok(None);
    }
    let since = events.written().iter().find_map(|event| match event {
        Event::Deterministic { generation, .. } => Some(*generation),
        _ => None,
    });
    Ok(since)
}

/// Whether the search has ended.
///
/// # Errors
/// If a file of the directory is damaged.
pub(super) fn has_ended(directory: &RunDirectory) -> Result<bool, StoreError> {
    Ok(search_ended(read(directory)?.written()).is_some())
}

/// After how many generations it was found that no candidates differ; `None` if that was not found.
pub(super) fn without_signal(events: &[Event]) -> Option<u32> {
    events.iter().find_map(|event| match event {
        Event::WithoutSignal { generations, .. } => Some(*generations),
        _ => None,
    })
}

/// Why no restart took place, as recorded.
pub(super) fn no_restart(events: &[Event]) -> Option<NoRestart> {
    events.iter().find_map(|event| match event {
        Event::NoRestart { why } => Some(*why),
        _ => None,
    })
}

/// Whether the search went on without signal.
pub(super) fn went_on(events: &[Event]) -> bool {
    let went_on = |event: &Event| matches!(event, Event::WentOn { .. });
    events.iter().any(went_on)
}

/// The game that was repeated and differed, if there is one.
pub(super) fn unrepeated(events: &[Event]) -> Option<&Unrepeated> {
    events.iter().find_map(|event| match event {
        Event::NotRepeated(found) => Some(found),
        _ => None,
    })
}

/// The entry of a generation in `timing.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct TimedGeneration {
    pub(super) generation: u32,
    /// Seconds spent on games; included in the seconds of the generation.
    pub(super) playing: f64,
}

/// Whether the program has refused a finalist.
pub(super) fn is_finalist_refused(events: &[Event], finalist: usize) -> bool {
    let number = finalist as u32;
    events.contains(&Event::FinalistRefused { finalist: number })
}

#[cfg(test)]
mod tests;
