//! The calibration of a campaign: a few games of the start weights and of the first candidates give the time of a move and
//! of a training game.
//!
//! A calibration measures the time of a move, not of a game, because better weights play longer games. The length of games
//! during the search is estimated from those of the start weights and of the first candidates.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::campaign::deterministic::are_independent_of_seeds;
use crate::campaign::scores::{Scores, of_played};
use crate::campaign::training_seeds::shares_of;
use crate::config::campaign::Campaign;
use crate::run::RunError;
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::Players;
use tiletune_engine::random::{Stream, derive};
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::Progress;
use tiletune_tuning::evaluation::calibration::{Calibration, calibrate};
use tiletune_tuning::evaluation::local::{CANDIDATES_AT_ONCE, Local};
use tiletune_tuning::evaluation::settings::{by_setting, cost, divided};
use tiletune_tuning::optimizer::{Optimizer, first_populations};
use tiletune_tuning::results::DifferenceOfInterest;
use tiletune_tuning::stats::scale::Scale;
use tiletune_tuning::stats::signal::{CommonSeeds, Signal};

/// Length of the games of tuned weights divided by that of the best first candidate (whose length is shrunk for luck),
/// in games of one player whose first candidates are far from the start (`FAR_STEP`). Before the shrinking,
/// 1.2 to 1.5 were measured (configs/quickstart.toml, configs/expectimax-line-terms.toml,
/// configs/three-plus-three-line-terms.toml). The board bounds the length of games of two players; there tuned weights
/// play about as long games as the start weights.
pub(super) const GROWTH: f64 = 1.3;

/// Length of the games of tuned weights divided by that of the start weights, with far first candidates, if they
/// cannot be calibrated. That happens with long games, because the start weights are good. Such campaigns of this
/// project have ratios of 1.03 and 1.02 (configs/expectimax-published-form.toml, configs/expectimax-depth-3.toml; 1.33
/// and 1.16 are assumed). configs/quickstart.toml, whose games are short, has 1.5.
pub(super) const GROWTH_FROM_START: f64 = 1.5;

/// First candidates are far from the start with this step size, or at this distance: the step size times the square root
/// of the number of parameters. A nearer search usually begins near its end, so games are assumed to get longer by
/// proportionally less. Measured ratios of tuned to start weights at distances of 0.15 to 0.33: 1.01
/// (configs/expectimax-depth-2.toml), 1.13 (configs/three-plus-three.toml), 1.16 (configs/expectimax-depth-1.toml); but
/// 1.36 (configs/expectimax-depth-0.toml) and 1.88 (configs/three-plus-three-depth-1.toml). The rule underestimates the
/// last two.
const FAR_STEP: f64 = 0.15;
const FAR_DISTANCE: f64 = 0.4;

/// With fewer games of each first candidate, the length of the best one is too uncertain.
pub(super) const FEWEST_GAMES: usize = 8;

/// Largest number of games in a calibration: of the start weights, and of each candidate.
const MOST_GAMES: [u64; 2] = [4000, 400];

/// After this number of generations the difference in game length between the candidates and the tuned weights has
/// fallen to 1/e. This fits campaigns of expectimax in 2048 with 8 to 30 generations. In
/// configs/three-plus-three-line-terms.toml the games grow more slowly (over 45 generations, 63 % of the way on average
/// instead of 87 %).
pub(super) const GENERATIONS: f64 = 6.0;

/// The optimizer of the search: the calibration plays its first candidates.
pub(super) fn optimizer(campaign: &Campaign) -> Option<Box<dyn Optimizer>> {
    let config = &campaign.config;
    let seed = derive(config.seed, Stream::Optimizer, 0, 0);
    campaign.new_optimizer(seed).ok()
}

/// The first candidates around the start. Points from which the search may begin are left out: most of its games are near
/// the start, and far away games are shorter.
pub(super) fn around_start(campaign: &Campaign, optimizer: &mut dyn Optimizer) -> Vec<Vec<f64>> {
    let population = optimizer.population();
    if optimizer.next_population() != population || !campaign.points.is_empty() {
        first_populations(optimizer);
    }
    let mut candidates = optimizer.ask();
    candidates.truncate(population);
    candidates
}

/// The games at one setting of a player with several.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SettingPlan {
    /// The setting, such as `depth 2`.
    pub setting: String,
    /// Its share of the training games, beyond the fewest games of each setting.
    pub share: f64,
    /// Games of one of the first candidates at it.
    pub first_games: u32,
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
    /// The same with the first candidates, in equal shares of the settings. The moves of short games take longer, because
    /// more cells are empty.
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
        let population =
            optimizer(campaign).map(|mut optimizer| around_start(campaign, &mut *optimizer));
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
    pub(super) fn new(
        campaign: &Campaign,
        start: &Calibration,
        first: Option<&Calibration>,
    ) -> Self {
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
        let of_first = first.and_then(|first| {
            Some(first.seconds_per_move()? / measured.relative_cost(&numbers(first)))
        });
        SearchCalibration {
            first_seconds_per_move: of_first.unwrap_or(seconds_per_move),
            ..measured
        }
    }

    /// The cost of a game divided by that of a game in equal shares of the settings, with these numbers of games at them.
    fn relative_cost(&self, games: &[u32]) -> f64 {
        let costs = self.settings.iter().map(|one| one.core_seconds);
        let all: f64 = costs.clone().sum();
        let games: Vec<f64> = games.iter().copied().map(f64::from).collect();
        let sum: f64 = costs.zip(&games).map(|(cost, games)| cost * games).sum();
        match self.settings.len() {
            0 => 1.0,
            count => sum / games.iter().sum::<f64>() * count as f64 / all,
        }
    }

    /// The relative cost of the training games of a candidate that plays so many. With few games the expensive settings
    /// have more than their shares, because each is played.
    pub(super) fn training_cost(&self, games: u32) -> f64 {
        let shares: Vec<f64> = self.settings.iter().map(|one| one.share).collect();
        self.relative_cost(&divided(games, &shares))
    }

    /// Mean core-seconds of a training game in a search with this number of generations and of games of each candidate.
    /// The time goes from that of the first candidates to that of the tuned weights, quickly at first and then slowly.
    pub(super) fn training_seconds(&self, generations: f64, games: u32) -> f64 {
        // The lower limit avoids a division by zero without generations.
        let time = (generations / GENERATIONS).max(1e-9);
        let tuned = 1.0 - (1.0 - (-time).exp()) / time;
        let of_first = self.first_moves * self.first_seconds_per_move;
        let of_tuned = self.tuned_moves * self.seconds_per_move;
        (of_first + tuned * (of_tuned - of_first)) * self.training_cost(games)
    }
}

/// The numbers of games at the settings of a player with several.
fn numbers(of: &Calibration) -> Vec<u32> {
    let games = of.games.concat();
    let settings = by_setting(&games).into_iter();
    settings.map(|games| games.len() as u32).collect()
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
    let shares = shares_of(campaign, &start.games[0]);
    let first = divided(campaign.schedule().games(), &shares);
    let planned = named.zip(shares.into_iter().zip(first));
    let plan =
        |((setting, games), (share, first_games)): ((String, &Vec<_>), (f64, u32))| SettingPlan {
            setting,
            share,
            first_games,
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

/// Factor by which games get longer; `far` is the factor of far first candidates.
pub(super) fn growth(campaign: &Campaign, far: f64) -> f64 {
    let distance = campaign.initial_step() * (campaign.space.dimension() as f64).sqrt();
    let share = (campaign.initial_step() / FAR_STEP).max(distance / FAR_DISTANCE);
    1.0 + (far - 1.0) * share.min(1.0)
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
