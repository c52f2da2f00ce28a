//! The plan of a campaign: the number of its games, their time, and the differences that they can show. A short
//! calibration gives the time. This module must not print.

mod calibration;

use schemars::JsonSchema;
use serde::Serialize;

use super::deterministic::DETERMINISTIC_GAMES;
use super::race::RaceRules;
use super::{exact, race_games};
use crate::config::campaign::Campaign;
use tiletune_tuning::evaluation::schedule::Games;
use tiletune_tuning::optimizer::{Noise, Optimizer, first_populations};
use tiletune_tuning::results::DifferenceOfInterest;
use tiletune_tuning::stats::power::{MULTIPLES, detectable, pairs_needed};
use tiletune_tuning::stats::signal::Signal;

pub use calibration::{SearchCalibration, SettingPlan};

/// The variance of the candidates' true values is half of that in the first generation after this number of generations, a
/// third after twice as many, and so on: 1 / (1 + g / 3), so the games that a candidate needs grow in proportion. How many
/// times as many they were after g generations, and what this gives:
///
/// | campaign | parameters | g | measured | assumed |
/// |---|---|---|---|---|
/// | configs/expectimax-depth-1.toml | 78 | 10, 20, 70 | 4, 7, 11 | 4, 8, 24 |
/// | configs/three-plus-three-depth-1.toml | 67 | 10, 20, 50 | 3, 5, 13 | 4, 8, 18 |
/// | configs/expectimax-published-form.toml | 6 | 15 | 6 | 6 |
///
/// The optimizer was `cma-es`. Late in a long search this grows too fast, so too few generations are estimated: 76 of 98 in
/// the first row.
const GENERATIONS_OF_SIGNAL: f64 = 3.0;

/// Up to this number, the games of each generation are counted individually. Each later generation has as many games as
/// the last of these.
const GENERATIONS_COUNTED: u32 = 10_000;

/// Probability of a wrong verdict about equal weights.
const ERROR: f64 = 0.05;

/// The largest numbers of generations and games of a campaign with a budget of either.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Generations, if they are limited.
    pub generations: Option<u32>,
    /// Games of the search.
    pub training_games: u64,
    /// Games of the start weights before the search.
    pub start_games: u64,
    /// Games of the race of the final mean against challengers, or of several finalists, at most.
    pub race_games: u64,
    /// Whether there will be such a race. With restarts there is one only if they take place.
    pub is_race_sure: bool,
    /// Games of start and tuned weights.
    pub hold_out_games: u64,
    /// Whether the campaign may play far fewer games, as with `games = "auto"`.
    pub is_upper_limit: bool,
}

impl Plan {
    /// The plan after some training games; `None` if the budget limits only the time. Restarts change the population,
    /// which the plan does not predict. If games do not depend on their seeds, each candidate plays one from generation
    /// `one_game_since` on: 0 if the program says so, 1 if the first generation shows it.
    pub fn of(campaign: &Campaign, played: u64, one_game_since: Option<u32>) -> Option<Self> {
        let config = &campaign.config;
        let mut optimizer = calibration::optimizer(campaign)?;
        let populations = Populations::of(campaign, &mut *optimizer);
        let finalists = Finalists::of(campaign, &mut *optimizer);
        let players = campaign.player.players();
        let is_deterministic = one_game_since.is_some();
        let training_games = |generations: u32| {
            populations.games(generations, |generations| {
                let usual = one_game_since.map_or(generations, |since| since.min(generations));
                let games = config.evaluation.games_through(usual, players);
                games.saturating_add(u64::from(generations - usual))
            })
        };
        let budget = &config.budget;
        let by_generations = budget.generations.map(training_games);
        let start_games = match campaign.start_games() {
            games if is_deterministic => games.min(1),
            games => games,
        };
        let start_games = u64::from(start_games);
        let kept = |of_search| race_games::games(campaign, of_search, is_deterministic);
        let most = budget.games.map(|most| most.saturating_sub(start_games));
        // Nothing is kept once a search has several finalists.
        let by_games = most.map(|most| match finalists {
            Finalists::One => most - kept(race_games::of_search(campaign, most)),
            Finalists::Several(_) | Finalists::OfRestarts => most,
        });
        let limit = [by_generations, by_games].into_iter().flatten().min()?;
        let is_auto = config.evaluation.games == Games::Auto && !is_deterministic;
        Some(Plan {
            generations: budget.generations,
            training_games: limit.saturating_sub(played),
            start_games,
            race_games: match finalists {
                Finalists::One => most.map_or(kept(limit), |most| kept(limit).min(most - limit)),
                Finalists::Several(count) => race_games(campaign, count, limit, is_deterministic),
                Finalists::OfRestarts => match config.validation.race_games {
                    None => limit / race_games::SHARE_OF_SEVERAL,
                    Some(of_each) => 2 * u64::from(of_each),
                },
            },
            is_race_sure: !matches!(finalists, Finalists::OfRestarts),
            hold_out_games: 2 * hold_out_games(campaign, is_deterministic),
            is_upper_limit: is_auto && by_generations == Some(limit),
        })
    }

    /// The plan once the games of the start weights are played, if they are.
    #[must_use]
    pub fn after_start(self, has_start: bool) -> Self {
        Plan {
            start_games: if has_start { 0 } else { self.start_games },
            ..self
        }
    }

    /// The plan once the search has ended, perhaps before its budget was used up.
    #[must_use]
    pub fn after_search(self) -> Self {
        Plan {
            training_games: 0,
            is_upper_limit: false,
            ..self
        }
    }

    /// The number of games; `None` if only an upper limit is known.
    pub fn expected_games(self) -> Option<u64> {
        let games = self.training_games.saturating_add(self.start_games);
        let race_games = if self.is_race_sure {
            self.race_games
        } else {
            0
        };
        let games = games.saturating_add(race_games + self.hold_out_games);
        (!self.is_upper_limit).then_some(games)
    }
}

/// The finalists of a search.
enum Finalists {
    One,
    Several(usize),
    /// Perhaps several, and nobody knows how many.
    OfRestarts,
}

impl Finalists {
    /// The finalists of an optimizer that has been told its first generation.
    fn of(campaign: &Campaign, optimizer: &mut dyn Optimizer) -> Self {
        let generations = campaign.config.budget.generations;
        if generations != Some(1) && optimizer.stop_reason().is_none() {
            let second = optimizer.next_population();
            optimizer.tell(&vec![0.0; second], Noise::NONE);
        }
        match optimizer.finalists().len() {
            1 if optimizer.has_restarts_left() => Finalists::OfRestarts,
            1 => Finalists::One,
            several => Finalists::Several(several),
        }
    }
}

/// The games of a race of several finalists after searches of so many games together, at most.
fn race_games(
    campaign: &Campaign,
    finalists: usize,
    of_searches: u64,
    is_deterministic: bool,
) -> u64 {
    let rules = RaceRules::of(campaign, finalists, of_searches, is_deterministic);
    finalists as u64 * u64::from(rules.games)
}

/// The numbers of candidates of the generations of a search without restarts.
struct Populations {
    /// Of the first generations, which can have points from which a search begins.
    first: [u64; 2],
    later: u64,
}

impl Populations {
    fn of(campaign: &Campaign, optimizer: &mut dyn Optimizer) -> Self {
        let later = optimizer.population() as u64;
        let [first, second] = first_populations(optimizer).map(|population| population as u64);
        Populations {
            first: [first * u64::from(campaign.games_of_point(1)), second],
            later,
        }
    }

    /// The games of so many generations; `through` gives those of each candidate through a generation.
    fn games(&self, generations: u32, through: impl Fn(u32) -> u64) -> u64 {
        let mut sum = through(generations).saturating_mul(self.later);
        for (generation, population) in (0..generations).zip(self.first) {
            let of_each = through(generation + 1) - through(generation);
            let of_later = of_each.saturating_mul(self.later);
            sum = (sum - of_later).saturating_add(of_each.saturating_mul(population));
        }
        sum
    }
}

/// Hold-out games of each set of weights.
fn hold_out_games(campaign: &Campaign, is_deterministic: bool) -> u64 {
    let games = u64::from(campaign.config.validation.games);
    if is_deterministic {
        games.min(DETERMINISTIC_GAMES as u64)
    } else {
        games
    }
}

/// The games that find a difference of start and tuned weights in 80 % of cases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GamesNeeded {
    /// The difference in the unit of the difference of interest; of percent as a share.
    pub difference: f64,
    /// Games of each of the two.
    pub games: f64,
    /// Seconds of a processor core for them.
    pub core_seconds: f64,
}

/// An estimate of a campaign or of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct CampaignEstimate {
    /// Number of runs.
    pub repeat: u32,
    pub threads: usize,
    /// The games of one run; `None` if the budget limits only the time.
    pub plan: Option<Plan>,
    /// Hold-out games of all weights.
    pub hold_out_games: u64,
    /// Largest number of games of the races of all runs, and of that between the runs of a series.
    pub race_games: u64,
    /// The measurements of the calibration.
    pub measured: SearchCalibration,
    /// Elapsed seconds of the searches. They end at the budget in minutes if that comes first.
    pub search_seconds: f64,
    /// Elapsed seconds of searches, race and hold-out games.
    pub seconds: f64,
    /// Seconds of a processor core for the exact expected scores of a small board after the hold-out games, which
    /// [`seconds`](Self::seconds) does not contain; `None` if they are not computed.
    pub exact_seconds: Option<f64>,
    /// Whether the budget in minutes ends the search.
    pub ends_by_minutes: bool,
    /// Games for each of [`MULTIPLES`]; empty if the deviation is unknown.
    pub sizes: Vec<GamesNeeded>,
    /// The difference that the hold-out games find in 80 % of cases, in the unit of the difference of interest. A
    /// difference in percent is a share.
    pub detectable: Option<f64>,
}

impl CampaignEstimate {
    /// The estimate of `repeat` runs of a campaign.
    pub fn new(
        campaign: &Campaign,
        repeat: u32,
        threads: usize,
        measured: SearchCalibration,
    ) -> Self {
        let config = &campaign.config;
        let is_deterministic = measured.is_deterministic;
        // The runs of a series play as few games of the start weights as possible: none with one setting of the player.
        let of_series = (repeat > 1).then(|| campaign.child("run", config.seed));
        let of_run = of_series.as_ref().unwrap_or(campaign);
        let since = is_deterministic.then_some(u32::from(!measured.is_declared));
        let plan = Plan::of(of_run, 0, since);
        let runs = u64::from(repeat);
        let per_second = threads as f64 / measured.seconds_per_move;
        // How much is played in some minutes is not known.
        let of_searches = plan.map_or(u64::MAX, |plan| runs.saturating_mul(plan.training_games));
        let between_runs = match repeat {
            1 => 0,
            runs => race_games(campaign, runs as usize, of_searches, is_deterministic),
        };
        let race_games = between_runs + runs * plan.map_or(0, |plan| plan.race_games);
        let hold_out_games = hold_out_games(campaign, is_deterministic);
        let by_games = plan.map(|plan| {
            let generations = if is_deterministic {
                (plan.training_games as f64 / campaign.population() as f64)
                    .min(plan.generations.map_or(f64::INFINITY, f64::from))
            } else {
                generations(campaign, &plan, measured.signal)
            };
            let candidates = generations.max(1.0) * campaign.population() as f64;
            let of_each = match (config.evaluation.games, measured.signal) {
                // As in the first generation. With several settings few games cost most, and there is no sign of more.
                (Games::Auto, None) => campaign.schedule().games(),
                _ => (plan.training_games as f64 / candidates).round() as u32,
            };
            let of_game = measured.training_seconds(generations, of_each) / threads as f64;
            // One thread prepares a candidate, and a generation is complete before the next one begins.
            let in_turn = (campaign.population() as f64 / threads as f64).ceil();
            let preparation = generations * in_turn * measured.preparation;
            let start = plan.start_games as f64 * measured.start_moves / per_second;
            start + plan.training_games as f64 * of_game + preparation
        });
        let by_minutes = config.budget.minutes.map(|minutes| 60.0 * minutes);
        let search = [by_games, by_minutes].into_iter().flatten();
        let search = f64::from(repeat) * search.fold(f64::INFINITY, f64::min);
        let games = hold_out_games as f64;
        let tuned_games = f64::from(repeat) * games + race_games as f64;
        let preparation = f64::from(repeat + 1) * measured.preparation;
        let other_moves = games * measured.start_moves + tuned_games * measured.tuned_moves;
        let openings = f64::from(campaign.player.players().whole(1));
        // Games of start and tuned weights are practically independent, even on common seeds.
        let of_pair = measured.deviation.filter(|_| !is_deterministic);
        let of_pair = of_pair.map(|deviation| deviation * 2f64.sqrt());
        let seconds_of_pair =
            (measured.start_moves + measured.tuned_moves) * measured.seconds_per_move;
        let size = |interest: DifferenceOfInterest, deviation: f64| {
            move |multiple: f64| {
                let difference = interest.times(multiple).share();
                let needed = openings * pairs_needed(deviation, difference, ERROR);
                // Fewer allow no verdict.
                let games = needed.max(campaign.fewest_hold_out().into());
                GamesNeeded {
                    difference,
                    games,
                    core_seconds: games * seconds_of_pair,
                }
            }
        };
        CampaignEstimate {
            repeat,
            threads,
            plan,
            hold_out_games: (runs + 1) * hold_out_games,
            race_games,
            search_seconds: search,
            seconds: search + other_moves / per_second + preparation,
            exact_seconds: (repeat == 1 && config.validation.games > 0)
                .then(|| exact::seconds(campaign))
                .flatten(),
            ends_by_minutes: by_minutes
                .is_some_and(|minutes| by_games.is_none_or(|games| minutes < games)),
            sizes: (measured.interest.zip(of_pair)).map_or(Vec::new(), |(interest, deviation)| {
                MULTIPLES.map(size(interest, deviation)).to_vec()
            }),
            detectable: (of_pair.filter(|_| games >= campaign.fewest_hold_out().into()))
                .map(|deviation| detectable(games / openings, deviation, ERROR)),
            measured,
        }
    }

    /// Seconds of a processor core.
    pub fn core_seconds(&self) -> f64 {
        self.seconds * self.threads as f64
    }

    /// Whether the time is an upper limit, because the number of games is an upper limit.
    pub fn is_upper_limit(&self) -> bool {
        self.plan.is_some_and(|plan| plan.is_upper_limit) && !self.ends_by_minutes
    }
}

/// The number of generations of a plan; an estimate if the budget limits the games. With `games = "auto"` the signal of
/// the first candidates falls as the search converges, see [`GENERATIONS_OF_SIGNAL`]. An unknown signal is assumed to
/// be zero: games are then so long that the number of generations matters little.
fn generations(campaign: &Campaign, plan: &Plan, first: Option<Signal>) -> f64 {
    let limit = plan.generations.map_or(f64::INFINITY, f64::from);
    let first = first.unwrap_or(Signal {
        mean: 1.0,
        observed: 1.0,
        noise: 1.0,
    });
    let mut schedule = campaign.schedule();
    let mut left = plan.training_games as f64 / campaign.population() as f64;
    let mut generations = 0.0;
    let mut games = f64::from(schedule.games());
    for _ in 0..GENERATIONS_COUNTED {
        if left < games || generations >= limit {
            break;
        }
        let noise = first.noise / games;
        let result = Signal {
            observed: first.variance() / (1.0 + generations / GENERATIONS_OF_SIGNAL) + noise,
            noise,
            ..first
        };
        schedule.noise(&[result.mean], games as u32, noise.sqrt());
        schedule.tell(&result, games as u32);
        left -= games;
        generations += 1.0;
        games = f64::from(schedule.games());
    }
    (generations + left / games).min(limit)
}

#[cfg(test)]
mod tests;
