//! The log entries of a campaign and their sentences. The report and the terminal print the same sentences.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::config::campaign::Campaign;
use crate::run::{RunDirectory, StoreError, logs};
use tiletune_engine::player::below_lost::{BelowLost, many_below_lost};
use tiletune_engine::record::Unrepeated;
use tiletune_report::number::several;
use tiletune_report::report::{deeper, search};
use tiletune_tuning::optimizer::StopReason;
use tiletune_tuning::results::Skipped;

/// Why a search ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchEnd {
    /// The budget of generations is used up.
    Generations,
    /// Another generation would exceed the budget of games.
    Games,
    /// The budget of minutes is used up.
    Minutes,
    /// The mean of a generation has reached the target.
    Target,
    /// `resume --finish` asked for it.
    Asked,
    /// A stop rule of the optimizer.
    Optimizer(StopReason),
}

impl fmt::Display for SearchEnd {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            SearchEnd::Generations => formatter.write_str("the budget of generations is used up"),
            SearchEnd::Games => formatter.write_str("the budget of games is used up"),
            SearchEnd::Minutes => formatter.write_str("the budget of minutes is used up"),
            SearchEnd::Target => formatter.write_str("the target is reached"),
            SearchEnd::Asked => formatter.write_str("`resume --finish` ended it"),
            SearchEnd::Optimizer(reason) => write!(formatter, "{reason}"),
        }
    }
}

/// A line of `events.jsonl`, without a time. Each event is written once, even if the campaign is interrupted and
/// resumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    SearchBegan {
        /// Candidates per generation.
        population: u32,
    },
    /// The candidates play too few games for the number of parameters.
    FewGames {
        /// Number of free parameters.
        parameters: u32,
        /// Largest number of games of a candidate.
        games: u32,
        /// Approximate number of games that a candidate needs.
        needed: u32,
    },
    /// With the start weights the search values many positions lower than a lost position.
    StartBelowLost {
        /// Number of positions of a game whose static value is below the value of a lost position.
        below: u32,
        /// Number of examined positions.
        positions: u32,
    },
    /// The player cannot use the weights of some candidates of a generation. They play no games and rank last.
    CandidatesRefused {
        generation: u32,
        /// Number of refused candidates.
        candidates: u32,
    },
    /// The program cannot use a finalist of the search, so the finalist is not in the race.
    FinalistRefused {
        /// Index among all finalists of the optimizer.
        finalist: u32,
    },
    /// The search begins at the best of several start points.
    StartChosen {
        /// Index of the start point, from 0.
        point: u32,
        /// Number of start points.
        points: u32,
    },
    /// All candidates had the same value of a parameter of whole numbers in the last generations.
    IntegerKept {
        parameter: String,
        value: f64,
        /// Number of these generations.
        generations: u32,
    },
    /// The campaign allows restarts, but none took place.
    NoRestart,
    /// The player cannot use the mean of the search. The tuned weights are those of the best candidate seen, or the
    /// start weights.
    MeanRefused,
    /// All candidates of the first generations have the same fitness.
    WithoutSignal {
        /// Number of these generations.
        generations: u32,
        /// Whether the player could use at least one candidate.
        has_played: bool,
    },
    /// The games of a program do not depend on their seeds. From now on each candidate plays one game.
    Deterministic {
        /// First generation in which each candidate plays one game.
        generation: u32,
        /// True if the program declares it; false if the games of the first generation show it.
        is_declared: bool,
    },
    /// Each parameter was moved alone from its tuned value.
    EffectsTried {
        /// Parameters that changed no result and no number of moves.
        without: Vec<String>,
        /// Games of each of these parameters with other values.
        games: u32,
    },
    /// Two games of the same weights on different seeds differed, although games were assumed to be independent of
    /// their seeds.
    SeedMatters {
        /// First generation in which candidates play several games again. If the hold-out games differed, the number of
        /// generations.
        generation: u32,
    },
    /// The search went on without signal, as `resume --go-on` asked.
    WentOn {
        /// Number of complete generations.
        generations: u32,
    },
    /// A game of the program was repeated and differed. Recorded for the first such game.
    NotRepeated(Unrepeated),
    /// A restart of the optimizer ended and the next one begins.
    Restarted {
        /// Index of the new restart.
        run: u32,
        /// Its first generation.
        generation: u32,
        /// Its candidates per generation.
        population: u32,
        /// Why the previous restart ended.
        reason: StopReason,
    },
    /// The run went back: games of another machine were wrong, or a process ended before it wrote the rest of a
    /// generation. Decisions after the remaining generations are made again.
    WentBack {
        /// Number of remaining generations.
        generations: u32,
    },
    SearchEnded {
        /// Number of complete generations.
        generations: u32,
        reason: SearchEnd,
    },
    /// The search goes on with more budget after it had ended. Decisions at its end are made again.
    Continued {
        /// Number of complete generations.
        generations: u32,
        /// Number of the next look at the search, from 1.
        look: u32,
    },
    /// The race between the finalists of the search is decided.
    RaceDecided {
        /// Index of the recommended finalist.
        finalist: u32,
        /// Number of finalists.
        finalists: u32,
        /// Number of finalists that were not eliminated. If it is larger than 1, the race is undecided.
        survivors: u32,
    },
    /// The hold-out games are complete and compared.
    Validated,
    /// The hold-out games at another search depth began.
    DeeperBegan {
        /// Search depth of the games.
        depth: u8,
    },
    /// The hold-out games at another search depth are skipped.
    DeeperSkipped {
        /// Search depth of the skipped games.
        depth: u8,
        reason: Skipped,
    },
}

/// The sentence of an event.
impl fmt::Display for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Event::SearchBegan { population } => {
                write!(
                    formatter,
                    "The search began with {population} candidates a generation."
                )
            }
            Event::FewGames {
                parameters,
                games,
                needed,
            } => formatter.write_str(&search::few_games(*parameters, *games, *needed)),
            Event::StartBelowLost { below, positions } => {
                formatter.write_str(&search::below_lost(*below, *positions))
            }
            Event::CandidatesRefused {
                generation,
                candidates,
            } => write!(
                formatter,
                "Generation {generation}: {}",
                search::refused(*candidates)
            ),
            Event::FinalistRefused { finalist } => {
                write!(formatter, "The program cannot use finalist {finalist}.")
            }
            // The first point is the start; the others are the elements of `start.points`.
            Event::StartChosen { point: 0, points } => write!(
                formatter,
                "The search begins at the start weights, the best of {points} start points in the first generation."
            ),
            Event::StartChosen { point, points } => write!(
                formatter,
                "The search begins at start point {point} of the {} that `start.points` in resolved.toml lists: it was \
                 the best in the first generation.",
                points.saturating_sub(1)
            ),
            Event::IntegerKept {
                parameter,
                value,
                generations,
            } => formatter.write_str(&search::integer_kept(parameter, *value, *generations)),
            Event::NoRestart => formatter.write_str(search::NO_RESTART),
            Event::MeanRefused => formatter.write_str(search::MEAN_REFUSED),
            Event::WithoutSignal {
                generations,
                has_played,
            } => formatter.write_str(&search::without_signal(*generations, *has_played)),
            Event::Deterministic { is_declared, .. } => {
                formatter.write_str(search::deterministic(*is_declared))
            }
            Event::EffectsTried { without, games } => {
                formatter.write_str(&search::without_effect(without, *games))
            }
            Event::SeedMatters { generation } => {
                formatter.write_str(&search::seed_matters(*generation))
            }
            Event::WentOn { generations } => write!(
                formatter,
                "The search went on after {} without signal.",
                several(*generations, "generation")
            ),
            Event::NotRepeated(found) => formatter.write_str(&found.in_words()),
            Event::Restarted {
                run,
                generation,
                population,
                reason,
            } => write!(
                formatter,
                "Restart {run} began with generation {generation} and {population} candidates a generation, \
                 because {reason}."
            ),
            Event::WentBack { generations } => write!(
                formatter,
                "The run went back to {}: what came later rested on false games, or was not written to its end.",
                several(*generations, "generation")
            ),
            Event::SearchEnded {
                generations,
                reason,
            } => write!(
                formatter,
                "The search ended after {}: {reason}.",
                several(*generations, "generation")
            ),
            Event::Continued { generations, .. } => write!(
                formatter,
                "The search goes on after {} with more budget.",
                several(*generations, "generation")
            ),
            Event::RaceDecided {
                finalist,
                finalists,
                survivors,
            } => match survivors {
                1 => write!(
                    formatter,
                    "Race between {finalists} finalists: number {finalist} won."
                ),
                _ => write!(
                    formatter,
                    "Race between {finalists} finalists: undecided between {survivors} of them; number {finalist} has \
                     the largest mean of these."
                ),
            },
            Event::Validated => formatter.write_str("The hold-out games are played."),
            Event::DeeperBegan { depth } => {
                write!(formatter, "The hold-out games at depth {depth} began.")
            }
            Event::DeeperSkipped { depth, reason } => {
                let reason = deeper::reason(*reason);
                write!(formatter, "Not measured at depth {depth}: {reason}.")
            }
        }
    }
}

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
        | Event::NoRestart
        | Event::RaceDecided { .. }
        | Event::FinalistRefused { .. }
        | Event::MeanRefused
        | Event::EffectsTried { .. }
        | Event::Validated => false,
        _ => true,
    }
}

/// Whether an event is about the end of the search or about later games.
fn is_after_search(event: &Event) -> bool {
    matches!(
        event,
        Event::SearchEnded { .. } | Event::DeeperBegan { .. } | Event::DeeperSkipped { .. }
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
    let has_begun = |event: &Event| matches!(event, Event::Deterministic { generation, .. } if *generation <= at);
    let has_ended =
        |event: &Event| matches!(event, Event::SeedMatters { generation } if *generation <= at);
    events.iter().any(has_begun) && !events.iter().any(has_ended)
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

/// With at least this number of parameters, the number of games is compared with [`GAMES_PER_PARAMETER`].
const MANY_PARAMETERS: usize = 20;

/// Games of a candidate for each parameter that are needed for the mean of the search to move in the right direction.
///
/// Measured with `expectimax` of 2048 at depth 1: with 30 parameters and 120 games per candidate the mean
/// rose; with 53 to 72 parameters and 36 to 60 games the step size shrank, and the mean did not move.
const GAMES_PER_PARAMETER: u32 = 4;

/// The messages before a search begins.
pub fn notices(campaign: &Campaign) -> Vec<String> {
    let keys = &campaign.left_out;
    let left_out = (!keys.is_empty()).then(|| search::left_out(keys));
    let replaced = campaign.replaced.iter();
    let replaced = replaced.map(|one| search::replaced_start(&one.key, one.given, one.used));
    let doubts = doubts(campaign);
    let doubts = doubts.iter().filter_map(words);
    let lost = search::lost_weights(&campaign.player.lost_weights(&campaign.start));
    let notes = left_out.into_iter().chain(campaign.start_note.clone());
    notes.chain(replaced).chain(doubts).chain(lost).collect()
}

/// The events that say why a search may find little.
pub(super) fn doubts(campaign: &Campaign) -> Vec<Event> {
    let below_lost = many_below_lost(&campaign.player, &campaign.start);
    let below_lost =
        below_lost.map(|BelowLost { below, positions }| Event::StartBelowLost { below, positions });
    few_games(campaign).into_iter().chain(below_lost).collect()
}

/// The event that candidates play too few games for the number of parameters; `None` if they play enough.
fn few_games(campaign: &Campaign) -> Option<Event> {
    let parameters = campaign.space.dimension();
    let games = campaign.most_games();
    let needed = parameters as u32 * GAMES_PER_PARAMETER;
    (parameters >= MANY_PARAMETERS && games < needed).then_some(Event::FewGames {
        parameters: parameters as u32,
        games,
        needed,
    })
}

/// Whether the program has refused a finalist.
pub(super) fn is_finalist_refused(events: &[Event], finalist: usize) -> bool {
    let number = finalist as u32;
    events.contains(&Event::FinalistRefused { finalist: number })
}

/// The number of candidates that were refused.
pub(super) fn refused(events: &[Event]) -> u32 {
    let counts = events.iter().map(|event| match event {
        Event::CandidatesRefused { candidates, .. } => *candidates,
        _ => 0,
    });
    counts.sum()
}

/// The sentences of the events of a search.
pub(super) fn of_events(events: &[Event]) -> Vec<String> {
    let refused = match refused(events) {
        0 => None,
        refused => Some(search::refused(refused)),
    };
    let mut race = events
        .iter()
        .filter(|event| matches!(event, Event::RaceDecided { .. }));
    let race = race.next().map(Event::to_string);
    let is_declared = |event: &Event| {
        matches!(
            event,
            Event::Deterministic {
                is_declared: true,
                ..
            }
        )
    };
    let is_wrong = |event: &Event| matches!(event, Event::SeedMatters { .. });
    let is_refuted = events.iter().any(is_declared) && events.iter().any(is_wrong);
    // A declaration that turned out to be wrong must not be repeated beside that.
    let words = events.iter().filter_map(|event| match event {
        Event::SeedMatters { generation } if is_refuted => {
            Some(search::wrong_declaration(*generation))
        }
        _ if is_refuted && is_declared(event) => None,
        _ => words(event),
    });
    race.into_iter().chain(words).chain(refused).collect()
}

/// The sentence of an event that says how far a result can be trusted.
fn words(event: &Event) -> Option<String> {
    let is_notice = match event {
        Event::EffectsTried { without, .. } => !without.is_empty(),
        _ => is_notice(event),
    };
    is_notice.then(|| event.to_string())
}

fn is_notice(event: &Event) -> bool {
    matches!(
        event,
        Event::FewGames { .. }
            | Event::StartBelowLost { .. }
            | Event::StartChosen { .. }
            | Event::IntegerKept { .. }
            | Event::NoRestart
            | Event::MeanRefused
            | Event::WithoutSignal { .. }
            | Event::Deterministic { .. }
            | Event::SeedMatters { .. }
            | Event::NotRepeated(_)
    )
}

#[cfg(test)]
mod tests;
