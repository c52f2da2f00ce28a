//! The log entries of a campaign and their sentences. The report and the terminal print the same sentences.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{exact, race_games};
use crate::config::campaign::Campaign;
use tiletune_engine::player::below_lost::{BelowLost, many_below_lost};
use tiletune_engine::record::Unrepeated;
use tiletune_report::number::several;
use tiletune_report::report::{deeper, failures, hold_out, search};
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
            SearchEnd::Games => {
                formatter.write_str("no further generation fits into the budget of games")
            }
            SearchEnd::Minutes => formatter.write_str("the budget of minutes is used up"),
            SearchEnd::Target => formatter.write_str("the target is reached"),
            SearchEnd::Asked => formatter.write_str("`resume --finish` ended it"),
            SearchEnd::Optimizer(reason) => write!(formatter, "{reason}"),
        }
    }
}

/// A finalist of a race against challengers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Challenger {
    FinalMean,
    Start,
    Candidate,
    WithoutTerm,
}

impl fmt::Display for Challenger {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(match self {
            Challenger::FinalMean => "the final mean",
            Challenger::Start => "the start",
            Challenger::Candidate => "a candidate",
            Challenger::WithoutTerm => "the final mean with one parameter at exactly 0",
        })
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
    NoRestart {
        #[serde(default, skip_serializing_if = "NoRestart::is_default")]
        why: NoRestart,
    },
    /// The player cannot use the mean of the search. The tuned weights are those of the best candidate seen, or the
    /// start weights.
    MeanRefused,
    /// With restarts from the mean: a mean from before the last restart is recommended, because the search since then is not known
    /// to have reached its level.
    EarlierMean,
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
        /// What the recommended finalist is, if the final mean of the search raced against challengers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        is: Option<Challenger>,
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
                failures::refused(*candidates)
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
            Event::NoRestart { why } => formatter.write_str(match why {
                NoRestart::Adaptive => search::NO_RESTART,
                NoRestart::Long => search::NO_RESTART_SO_LONG,
                NoRestart::NoRule => search::NO_RESTART_WITHOUT_RULE,
                NoRestart::AtEnd => search::NO_RESTART_AT_END,
            }),
            Event::MeanRefused => formatter.write_str(search::MEAN_REFUSED),
            Event::EarlierMean => formatter.write_str(search::EARLIER_MEAN),
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
                is,
            } => match (is, survivors) {
                (Some(Challenger::FinalMean), _) => formatter.write_str(
                    "Race of the final mean against its challengers: none was clearly better, so the final mean stays.",
                ),
                (Some(challenger), _) => write!(
                    formatter,
                    "Race of the final mean against its challengers: {challenger} was better and takes its place."
                ),
                (None, 1) => write!(
                    formatter,
                    "Race between {finalists} finalists: number {finalist} won."
                ),
                (None, _) => write!(
                    formatter,
                    "Race between {finalists} finalists: undecided between {survivors} of them; number {finalist} is \
                     the best of these."
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

/// Why no restart took place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoRestart {
    /// The first search had not ended; it chose the number of its games itself.
    #[default]
    Adaptive,
    /// The first search had not ended.
    Long,
    /// The same, without the rule that ends most searches.
    NoRule,
    /// The first search had ended, but too little of the budget was left for another one.
    AtEnd,
}

impl NoRestart {
    fn is_default(&self) -> bool {
        *self == NoRestart::default()
    }
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
    let replaced = replaced.map(|one| {
        let mut parameters = campaign.space.parameters().iter();
        let parameter = parameters.find(|parameter| parameter.name == one.key);
        let [given, used] = [one.given, one.used].map(|value| {
            let choice = parameter.and_then(|parameter| parameter.choice(value));
            choice.map_or_else(|| value.to_string(), |choice| format!("\"{choice}\""))
        });
        search::replaced_start(&one.key, &given, &used)
    });
    let doubts = doubts(campaign);
    let doubts = doubts.iter().filter_map(words);
    let lost = search::lost_weights(&campaign.player.lost_weights(&campaign.start));
    let notes = left_out.into_iter().chain(campaign.start_note.clone());
    let hold_out =
        hold_out::no_verdict(campaign.config.validation.games, campaign.fewest_hold_out());
    // Exact values of a small board say what games do not.
    let hold_out = hold_out.filter(|_| !exact::is_short(campaign));
    let notes = notes.chain(replaced).chain(doubts).chain(lost);
    let rare = campaign.space.rare_rules(&first_candidates(campaign));
    let rare = rare.iter().map(search::rare_rule);
    let no_race = race_games::no_race(campaign);
    notes.chain(rare).chain(no_race).chain(hold_out).collect()
}

/// First candidates of searches with other seeds, by their search coordinates; none without constraints.
fn first_candidates(campaign: &Campaign) -> Vec<Vec<f64>> {
    const SEARCHES: u64 = 100;
    let seeds = 0..if campaign.config.require.is_empty() {
        0
    } else {
        SEARCHES
    };
    let optimizers = seeds.filter_map(|seed| campaign.new_optimizer(seed).ok());
    optimizers.flat_map(|mut one| one.ask()).collect()
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
        refused => Some(failures::refused(refused)),
    };
    let mut race = events
        .iter()
        .filter(|event| matches!(event, Event::RaceDecided { .. }));
    let race = race.next().map(Event::to_string);
    let reasons = events.iter().filter_map(|event| match event {
        Event::Restarted { reason, .. } => Some(&**reason),
        _ => None,
    });
    let reasons: Vec<&str> = reasons.collect();
    let all_raced = |event: &Event| match event {
        Event::RaceDecided { finalists, is, .. } => {
            is.is_none() && *finalists as usize == reasons.len() + 1
        }
        _ => false,
    };
    let restarts = search::restarts(&reasons, events.iter().any(all_raced));
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
    let restarts = restarts.into_iter();
    restarts.chain(race).chain(words).chain(refused).collect()
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
            | Event::NoRestart { .. }
            | Event::MeanRefused
            | Event::EarlierMean
            | Event::WithoutSignal { .. }
            | Event::Deterministic { .. }
            | Event::SeedMatters { .. }
            | Event::NotRepeated(_)
    )
}

#[cfg(test)]
mod tests;
