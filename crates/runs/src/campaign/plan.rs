//! The plan of a campaign: the number of its games, their time, and the differences that they can show. A short
//! calibration gives the time.
//!
//! A calibration measures the time of a move, not of a game, because better weights play longer games. The
//! length of games during the search is estimated from those of the start weights and of the first
//! candidates. This module must not print.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::recorded::{DETERMINISTIC_GAMES, are_independent_of_seeds};
use super::scores::{Scores, of_played};
use super::settings::shares_of;
use crate::config::campaign::Campaign;
use crate::run::RunError;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::Players;
use tiletune_engine::random::{Stream, derive};
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::Progress;
use tiletune_tuning::evaluation::calibration::{Calibration, calibrate};
use tiletune_tuning::evaluation::local::{CANDIDATES_AT_ONCE, Local};
use tiletune_tuning::evaluation::schedule::Games;
use tiletune_tuning::evaluation::settings::{by_setting, cost, divided};
use tiletune_tuning::optimizer::Optimizer;
use tiletune_tuning::results::DifferenceOfInterest;
use tiletune_tuning::stats::power::{MULTIPLES, detectable, pairs_needed};
use tiletune_tuning::stats::scale::Scale;
use tiletune_tuning::stats::signal::{CommonSeeds, Signal};

/// Length of the games of tuned weights divided by that of the best first candidate (whose length is shrunk for luck),
/// in games of one player with a step size of `FAR_STEP` or larger. Before the shrinking, 1.2 to 1.5 were measured
/// (configs/quickstart.toml, configs/expectimax-line-terms.toml, configs/three-plus-three-line-terms.toml). The board
/// bounds the length of games of two players; there tuned weights play about as long games as the start weights.
pub const GROWTH: f64 = 1.3;

/// Length of the games of tuned weights divided by that of the start weights, with a step size of `FAR_STEP` or larger,
/// if the first candidates cannot be calibrated. That happens with long games, because the start weights are good. Such
/// campaigns of this project have step sizes of 0.1 and 0.03, and ratios of 1.03 and 1.02
/// (configs/expectimax-published-form.toml, configs/expectimax-depth-3.toml; 1.33 and 1.1 are assumed).
/// configs/quickstart.toml, whose games are short, has 1.5 with a step size of 0.15.
const GROWTH_FROM_START: f64 = 1.5;

/// A search with a smaller step size usually begins near its end, so games are assumed to get longer by proportionally
/// less. Measured ratios of tuned to start weights with step sizes of 0.02 to 0.04: 1.01
/// (configs/expectimax-depth-2.toml), 1.16 (configs/expectimax-depth-1.toml), 1.17 (configs/three-plus-three.toml); but
/// 1.36 (configs/expectimax-depth-0.toml) and 1.88 (configs/three-plus-three-depth-1.toml). The rule underestimates the
/// last two.
const FAR_STEP: f64 = 0.15;

/// With fewer games of each first candidate, the length of the best one is too uncertain.
const FEWEST_GAMES: usize = 8;

/// Largest number of games in a calibration: of the start weights, and of each candidate.
const MOST_GAMES: [u64; 2] = [4000, 400];

/// After this number of generations the difference in game length between the candidates and the tuned weights has
/// fallen to 1/e. This fits campaigns of expectimax in 2048 with 8 to 30 generations. In
/// configs/three-plus-three-line-terms.toml the games grow more slowly (over 45 generations, 63 % of the way on average
/// instead of 87 %).
const GENERATIONS: f64 = 6.0;

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
/// Late in a long search this grows too fast, so too few generations are estimated: 76 of 98 in the first row.
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
        let population = optimizer(campaign)?.population() as u64;
        let players = campaign.player.players();
        let is_deterministic = one_game_since.is_some();
        let training_games = |generations: u32| {
            let usual = one_game_since.map_or(generations, |since| since.min(generations));
            let games = config.evaluation.games_through(usual, players);
            let games = games.saturating_add(u64::from(generations - usual));
            games.saturating_mul(population)
        };
        let budget = &config.budget;
        let by_generations = budget.generations.map(training_games);
        let start_games = match campaign.start_games() {
            games if is_deterministic => games.min(1),
            games => games,
        };
        let start_games = u64::from(start_games);
        let by_games = budget.games.map(|most| most.saturating_sub(start_games));
        let limit = [by_generations, by_games].into_iter().flatten().min()?;
        let is_auto = config.evaluation.games == Games::Auto && !is_deterministic;
        Some(Plan {
            generations: budget.generations,
            training_games: limit.saturating_sub(played),
            start_games,
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
        let games = games.saturating_add(self.hold_out_games);
        (!self.is_upper_limit).then_some(games)
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

fn optimizer(campaign: &Campaign) -> Option<Box<dyn Optimizer>> {
    let config = &campaign.config;
    // The seed of the search: the calibration plays the first candidates of the search.
    let seed = derive(config.seed, Stream::Optimizer, 0, 0);
    campaign.new_optimizer(seed).ok()
}

/// The games at one setting of a player with several.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SettingPlan {
    /// The setting, such as `depth 2`.
    pub setting: String,
    /// Its share of the training games, beyond the fewest games of each setting.
    pub share: f64,
    /// Seconds of a processor core for a game with the start weights.
    pub core_seconds: f64,
}

/// What a calibration has measured.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "CalibrationGames")]
pub struct SearchCalibration {
    /// Number of games of the start weights.
    pub games: u64,
    /// Their mean number of moves.
    pub start_moves: f64,
    /// Mean number of moves of the first candidates.
    pub first_moves: f64,
    /// Estimated mean number of moves of the tuned weights.
    pub tuned_moves: f64,
    /// The usual difference of interest of a comparison of such games; `None` if it is not known.
    #[serde(rename = "difference_of_interest")]
    pub interest: Option<DifferenceOfInterest>,
    /// Standard deviation of the objective in its unit, of percent as a share: of a game, or of an opening in games
    /// between two players. `None` if it is not known.
    pub deviation: Option<f64>,
    /// Whether no game ended in the time, or none at one of several settings: the campaign takes longer than estimated.
    pub is_slower: bool,
    /// The settings of a player with several at which no game ended in the time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_settings: Vec<String>,
    /// Whether the results of a program do not depend on the seeds, as it says or as these games say: then each
    /// candidate plays one game.
    pub is_deterministic: bool,
    /// Whether the program says so.
    #[serde(skip)]
    pub is_declared: bool,
    /// Seconds of a processor core for a move with the start weights; also assumed with tuned weights.
    #[serde(skip)]
    pub seconds_per_move: f64,
    /// The same with the first candidates. The moves of short games take longer, because more cells are empty.
    #[serde(skip)]
    pub first_seconds_per_move: f64,
    /// Seconds of a processor core to prepare a candidate, before its first move.
    #[serde(skip)]
    pub preparation: f64,
    /// The games at each setting of a player with several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SettingPlan>,
    /// Signal and noise of the first candidates if each of them plays one game. `None` if too few games ended.
    #[serde(skip)]
    pub signal: Option<Signal>,
}

impl SearchCalibration {
    /// Plays start weights and first candidates for about `time`.
    ///
    /// # Errors
    /// If a stop is requested through `progress`, or a program has failed.
    pub fn of(
        campaign: &Campaign,
        local: &Local,
        time: Duration,
        progress: &Progress,
    ) -> Result<Self, RunError> {
        let (player, seed) = (&campaign.player, campaign.config.seed);
        let play = |weights: &[Weights], seeds: &[u64], time: Duration| {
            calibrate(local, weights, seeds, time, progress)
        };
        let seeds = player.game_seeds(seed, Stream::Calibration, 0, MOST_GAMES[0]);
        let start = play(std::slice::from_ref(&campaign.start), &seeds, time / 4)?;
        let of_start = SearchCalibration::new(campaign, &start, None);
        if of_start.is_slower {
            return Ok(of_start);
        }
        let population = optimizer(campaign).map(|mut optimizer| optimizer.ask());
        let values = population.into_iter().flatten();
        let first: Vec<Weights> = values
            .map(|coordinates| campaign.weights(&campaign.space.decode(&coordinates)))
            .take(CANDIDATES_AT_ONCE)
            .collect();
        let settings = of_start.settings;
        let seeds = if settings.is_empty() {
            player.game_seeds(seed, Stream::Calibration, 1, MOST_GAMES[1])
        } else {
            let shares: Vec<f64> = settings.iter().map(|one| one.share).collect();
            let division = divided(MOST_GAMES[1] as u32, &shares);
            player.seeds_at(seed, Stream::Calibration, 1, &division)
        };
        let first = play(&first, &seeds, 3 * time / 4)?;
        let measured = SearchCalibration::new(campaign, &start, Some(&first));
        let program = campaign.player.program();
        let is_declared = program.map(|program| program.is_deterministic());
        let is_declared = is_declared.transpose().map_err(RunError::Player)?;
        Ok(SearchCalibration {
            is_declared: is_declared == Some(true),
            is_deterministic: is_declared
                .is_some_and(|is_declared| is_declared || are_deterministic(campaign, &first)),
            ..measured
        })
    }

    /// The measurements from games of the start weights and of the first candidates.
    fn new(campaign: &Campaign, start: &Calibration, first: Option<&Calibration>) -> Self {
        let missing_settings = missing_settings(campaign, &start.games[0]);
        let is_slower = start.is_slower || !missing_settings.is_empty();
        // Without a game at one of the settings, which is the slowest, candidates look faster than they are.
        let is_complete = |first: &Calibration| {
            let mut games = first.games.iter();
            games.all(|games| self::missing_settings(campaign, games).is_empty())
        };
        let first = first.filter(|first| !first.is_slower && is_complete(first));
        // Without a complete game, one move is assumed.
        let start_moves = start.moves(0).unwrap_or(1.0);
        let best = first.and_then(best_moves);
        let tuned_moves = match (campaign.player.players(), best) {
            (Players::Two, _) => start_moves,
            // A game of an external program counts as one move.
            (Players::One, _) if campaign.player.program().is_some() => start_moves,
            (Players::One, Some(best)) => (growth(campaign, GROWTH) * best).max(start_moves),
            (Players::One, None) if is_slower => start_moves,
            (Players::One, None) => growth(campaign, GROWTH_FROM_START) * start_moves,
        };
        let deviation = deviation(campaign, start).filter(|_| !is_slower);
        let (interest, deviation) = deviation.unzip();
        // Without a complete game, the measured time is that of one move.
        let seconds_per_move = start.core_seconds / start.moves.max(1) as f64;
        let measured = SearchCalibration {
            games: start.games[0].len() as u64,
            start_moves,
            first_moves: first
                .and_then(Calibration::mean_moves)
                .unwrap_or(start_moves),
            tuned_moves,
            seconds_per_move,
            first_seconds_per_move: seconds_per_move,
            preparation: first.map_or(start.preparation, |first| first.preparation),
            settings: at_settings(campaign, start),
            is_slower,
            missing_settings,
            is_deterministic: false,
            is_declared: false,
            interest,
            deviation,
            signal: first.and_then(|first| signal(campaign, first)),
        };
        SearchCalibration {
            first_seconds_per_move: first
                .and_then(Calibration::seconds_per_move)
                .unwrap_or(seconds_per_move * measured.training_cost()),
            ..measured
        }
    }

    /// The cost of a training game divided by that of a hold-out game, whose shares of several settings are equal.
    fn training_cost(&self) -> f64 {
        let settings = self.settings.iter();
        let training: f64 = settings
            .clone()
            .map(|one| one.share * one.core_seconds)
            .sum();
        let all: f64 = settings.map(|one| one.core_seconds).sum();
        match self.settings.len() {
            0 => 1.0,
            count => training * count as f64 / all,
        }
    }

    /// Mean core-seconds of a training game in a search with this number of generations. The time goes from that of the
    /// first candidates to that of the tuned weights, quickly at first and then slowly.
    fn training_seconds(&self, generations: f64) -> f64 {
        // The lower limit avoids a division by zero without generations.
        let time = (generations / GENERATIONS).max(1e-9);
        let tuned = 1.0 - (1.0 - (-time).exp()) / time;
        let of_first = self.first_moves * self.first_seconds_per_move;
        let of_tuned = self.tuned_moves * self.seconds_per_move * self.training_cost();
        of_first + tuned * (of_tuned - of_first)
    }
}

/// The settings of a player with several at which there is no game.
fn missing_settings(campaign: &Campaign, games: &[GameRecord]) -> Vec<String> {
    let games = by_setting(games);
    let has_games = |setting: usize| games.get(setting).is_some_and(|games| !games.is_empty());
    let names = campaign.player.setting_names().into_iter().enumerate();
    let missing = names.filter(|(setting, _)| !has_games(*setting));
    missing.map(|(_, name)| name).collect()
}

/// The games at each of several settings; empty with one setting, or if not all settings have been played.
fn at_settings(campaign: &Campaign, start: &Calibration) -> Vec<SettingPlan> {
    let names = campaign.player.setting_names();
    if names.is_empty() || !missing_settings(campaign, &start.games[0]).is_empty() {
        return Vec::new();
    }
    let games = by_setting(&start.games[0]);
    let sum = |games: &[&GameRecord]| games.iter().map(|game| cost(game)).sum::<f64>();
    let all: f64 = games.iter().map(|games| sum(games)).sum();
    let named = names.into_iter().zip(&games);
    let planned = named.zip(shares_of(campaign, &start.games[0]));
    let plan = |((setting, games), share): ((String, &Vec<_>), f64)| SettingPlan {
        setting,
        share,
        core_seconds: start.core_seconds * sum(games) / all / games.len() as f64,
    };
    planned.map(plan).collect()
}

/// Whether the games of these candidates do not depend on their seeds.
fn are_deterministic(campaign: &Campaign, first: &Calibration) -> bool {
    let fitness = |games: &[GameRecord]| {
        let contributions = campaign.objective.contributions(games);
        campaign.objective.fitness(&contributions).value
    };
    let played = first.games.iter().filter(|games| !games.is_empty());
    are_independent_of_seeds(played.map(|games| (games.iter().collect(), fitness(games))))
}

/// Factor by which games get longer; `far` is the factor with a large step size.
fn growth(campaign: &Campaign, far: f64) -> f64 {
    let step = campaign.initial_step() / FAR_STEP;
    1.0 + (far - 1.0) * step.min(1.0)
}

/// Whether every candidate has played the same seeds, and at least [`FEWEST_GAMES`] of them.
fn is_enough(first: &Calibration) -> bool {
    let number = first.games.first().map_or(0, Vec::len);
    number >= FEWEST_GAMES && first.games.iter().all(|games| games.len() == number)
}

/// Mean number of moves of the candidate with the longest games; `None` with too few games. The longest games are
/// partly luck, so the number is shrunk towards the mean of all candidates.
fn best_moves(first: &Calibration) -> Option<f64> {
    if !is_enough(first) {
        return None;
    }
    let mut common = CommonSeeds::default();
    for games in &first.games {
        let moves: Vec<f64> = games.iter().map(|game| f64::from(game.moves)).collect();
        common.add(&moves);
    }
    let moves: Vec<f64> = (0..first.games.len())
        .filter_map(|index| first.moves(index))
        .collect();
    let longest = moves.iter().copied().reduce(f64::max)?;
    Some(Signal::of(&moves, common.noise()).shrunk(longest))
}

/// Signal and noise of the first candidates if each of them plays one game; `None` with too few games.
fn signal(campaign: &Campaign, first: &Calibration) -> Option<Signal> {
    if !is_enough(first) {
        return None;
    }
    let games = first.games[0].len() as u32;
    let mut scores = Scores::of(campaign);
    for (candidate, games) in first.games.iter().enumerate() {
        scores.add(candidate, games, true);
    }
    let (rows, residual) = scores.rows([0, 0], vec![Vec::new(); first.games.len()]);
    let signal = Signal::of(&of_played(&rows, |row| row.rank_value), residual);
    let noise = signal.noise * f64::from(games);
    Some(Signal {
        observed: signal.variance() + noise,
        noise,
        ..signal
    })
}

/// The usual difference of interest, and the standard deviation of a contribution to the objective in its unit. The
/// deviation comes from the standard error, so that it is also right for a median.
fn deviation(campaign: &Campaign, start: &Calibration) -> Option<(DifferenceOfInterest, f64)> {
    let contributions = campaign.objective.contributions(&start.games[0]);
    if contributions.len() < FEWEST_GAMES {
        return None;
    }
    let fitness = campaign.objective.fitness(&contributions);
    let scale = Scale {
        means: [fitness.value; 2],
        deviation: fitness.standard_error * (contributions.len() as f64).sqrt(),
    };
    let interest = scale.difference(None);
    let deviation = interest.of_points(scale.deviation)?.share();
    (deviation > 0.0).then_some((interest, deviation))
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
    /// Largest number of games of the race of a series.
    pub race_games: u64,
    /// The measurements of the calibration.
    pub measured: SearchCalibration,
    /// Elapsed seconds of the searches. They end at the budget in minutes if that comes first.
    pub search_seconds: f64,
    /// Elapsed seconds of searches, race and hold-out games.
    pub seconds: f64,
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
        let race_games = match (repeat, is_deterministic) {
            (1, _) => 0,
            (_, true) => runs,
            (_, false) => runs * u64::from(config.validation.race_games),
        };
        let hold_out_games = hold_out_games(campaign, is_deterministic);
        let by_games = plan.map(|plan| {
            let generations = if is_deterministic {
                (plan.training_games as f64 / population(campaign))
                    .min(plan.generations.map_or(f64::INFINITY, f64::from))
            } else {
                generations(campaign, &plan, measured.signal)
            };
            let of_game = measured.training_seconds(generations) / threads as f64;
            // One thread prepares a candidate, and a generation is complete before the next one begins.
            let in_turn = (population(campaign) / threads as f64).ceil();
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
        let openings = match campaign.player.players() {
            Players::One => 1.0,
            Players::Two => 2.0,
        };
        // Games of start and tuned weights are practically independent, even on common seeds.
        let of_pair = measured.deviation.filter(|_| !is_deterministic);
        let of_pair = of_pair.map(|deviation| deviation * 2f64.sqrt());
        let seconds_of_pair =
            (measured.start_moves + measured.tuned_moves) * measured.seconds_per_move;
        let size = |interest: DifferenceOfInterest, deviation: f64| {
            move |multiple: f64| {
                let difference = interest.times(multiple).share();
                let games = openings * pairs_needed(deviation, difference, ERROR);
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
            ends_by_minutes: by_minutes
                .is_some_and(|minutes| by_games.is_none_or(|games| minutes < games)),
            sizes: (measured.interest.zip(of_pair)).map_or(Vec::new(), |(interest, deviation)| {
                MULTIPLES.map(size(interest, deviation)).to_vec()
            }),
            detectable: (of_pair.filter(|_| hold_out_games > 0))
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

/// Candidates of a generation.
fn population(campaign: &Campaign) -> f64 {
    campaign.config.optimizer.population.unwrap_or(1) as f64
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
    let mut left = plan.training_games as f64 / population(campaign);
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
