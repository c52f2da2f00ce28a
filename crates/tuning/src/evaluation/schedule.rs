//! The number of games of each candidate in a generation: a number that may grow, or an automatic choice.
//!
//! While candidates differ much, a few games are enough to rank them, and more generations are a better use of
//! time than more games. With `games = "auto"`, a share q of the variance of the fitness should be signal (see
//! [`Signal`]): one half, or what the optimizer says. The noise of a fitness value falls with the number of games
//! n, so the share of the signal is q at
//!
//! ```text
//! n V_noise / V_true  q / (1 - q)
//! ```
//!
//! games. If most candidates have the fitness of another one, as with won and lost games, q is at least one half, but not
//! for the first candidates (`FIRST_CANDIDATES`): far from the optimum many candidates and noisy ranks lead further. V_true is
//! divided by the squared mean of the fitness and smoothed, because one generation contains
//! little information about it. The number of games is a pure function of the recorded fitness, so a resumed
//! campaign plays the same games. If the noise is 0, more games cannot help, and their number does not grow.
//!
//! One game shows no noise. If the lower limit is one game, the first generation of a restart and every tenth one
//! after it (`SHOWN`) play two games, and the others have the noise of these: relative to the mean, or as it is for
//! scores that can be negative. While no generation has shown the noise, all play two games.
//! This module must not play games.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::EvaluationConfig;
use crate::results::WANTED_SIGNAL;
use crate::stats::signal::{Signal, are_coarse};
use crate::stats::summary::mean;
use tiletune_engine::random::Players;

/// The number of games of a candidate, as in campaign files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Games {
    /// The schedule chooses the number.
    Auto,
    /// This number in the first generation.
    Number(u32),
}

/// Games of the first generation with [`Games::Auto`], if neither the file nor the optimizer gives another number.
pub const FIRST_GAMES: u32 = 5;
/// Fewest games, or openings, that show noise.
pub(super) const FEWEST_GAMES: u32 = 2;
/// Upper limit of the games with [`Games::Auto`], if the file gives none.
pub(super) const MOST_AUTO: u32 = 400;
/// Largest factor of change from one generation to the next with [`Games::Auto`].
pub(super) const STEP: f64 = 1.3;
/// Number of generations from one that shows the noise to the next.
const SHOWN: u32 = 10;
/// Candidates of a restart for each parameter before q is one half for won and lost games. With 14 and 23 parameters far from
/// their optimum a search then gains 40 to 70 % more with 500 and 2,000 games, and with 4 to 8 parameters up to 3 % less
/// (`experiments/search`).
const FIRST_CANDIDATES: u64 = 30;
/// Weight of the latest generation in the exponential smoothing of signal and noise.
const LATEST: f64 = 0.2;
/// The number of games that is needed if no signal was found; larger numbers are limited to it.
pub const NO_SIGNAL: f64 = 1e7;

/// The number of games of each candidate, generation by generation.
#[derive(Clone, Debug)]
pub struct Schedule {
    config: EvaluationConfig,
    players: Players,
    /// Number of free parameters.
    parameters: usize,
    generation: u32,
    /// Generations of the current restart so far.
    of_restart: u32,
    /// Their candidates.
    candidates: u64,
    /// Number of games with [`Games::Auto`], before rounding.
    games: f64,
    /// Smoothed V_true divided by the squared mean (see [`Schedule::of_real_scores`]).
    signal: Option<f64>,
    /// Smoothed variance of the noise of one game, divided by the squared mean unless scores can be negative; `None`
    /// before a generation has shown it.
    noise: Option<f64>,
    /// Whether most candidates of the latest generation had the fitness of another one.
    is_coarse: bool,
    has_real_scores: bool,
}

impl Schedule {
    /// The schedule of a checked configuration for so many free parameters, before the first generation.
    pub fn new(config: &EvaluationConfig, players: Players, parameters: usize) -> Self {
        Schedule {
            config: config.clone(),
            players,
            parameters,
            generation: 0,
            of_restart: 0,
            candidates: 0,
            games: f64::from(config.least_games()),
            signal: None,
            noise: None,
            is_coarse: false,
            has_real_scores: false,
        }
    }

    /// The same schedule for scores that can be negative. Their mean can be near 0, so V_true is divided by the
    /// mean square of the fitness values instead of the squared mean.
    #[must_use]
    pub fn of_real_scores(self) -> Self {
        Schedule {
            has_real_scores: true,
            ..self
        }
    }

    /// Number of games of each candidate in the next generation. In games between two players it is even, so
    /// that every opening is played from both sides.
    pub fn games(&self) -> u32 {
        match self.config.games {
            Games::Auto if self.noise.is_none() || self.of_restart.is_multiple_of(SHOWN) => {
                let shows = f64::from(self.config.games_min(self.players));
                self.players.whole(self.games.max(shows).round() as u32)
            }
            Games::Auto => self.players.whole(self.games.round() as u32),
            Games::Number(_) => self.config.games_in(self.generation, self.players),
        }
    }

    /// The standard deviation of the noise of a fitness value in a generation of `games` games a candidate: `measured`,
    /// or that of earlier generations if so few games show none. `None` if it is unknown.
    pub fn noise(&mut self, fitness: &[f64], games: u32, measured: f64) -> Option<f64> {
        self.is_coarse = are_coarse(fitness);
        self.candidates += fitness.len() as u64;
        let mean = mean(fitness);
        let unit = if self.has_real_scores {
            1.0
        } else {
            mean * mean
        };
        if shows_noise(games, self.players) {
            let latest = measured * measured * f64::from(games) / unit;
            if latest.is_finite() {
                self.noise = Some(smoothed(self.noise, latest));
            }
            return Some(measured);
        }
        let of_game = self.noise.filter(|_| self.config.games == Games::Auto)?;
        Some((of_game * unit / f64::from(games)).sqrt())
    }

    /// The share of the signal at which the number of games aims.
    pub fn wanted(&self) -> f64 {
        let given = self.config.signal.unwrap_or(WANTED_SIGNAL);
        let is_first = self.candidates <= FIRST_CANDIDATES * self.parameters as u64;
        if self.is_coarse && !is_first {
            given.max(WANTED_SIGNAL)
        } else {
            given
        }
    }

    /// Processes the result of a generation of `games` games a candidate. Returns the number of games at which the share of the signal would
    /// be one half, at most [`NO_SIGNAL`].
    pub fn tell(&mut self, result: &Signal, games: u32) -> f64 {
        let needed = self.needed(result, games);
        // Without noise and without signal, more games give no new information.
        if result.noise > 0.0 || needed < NO_SIGNAL {
            let wanted = self.wanted();
            self.games =
                (needed * (wanted / (1.0 - wanted))).clamp(self.games / STEP, self.games * STEP);
        }
        let most = f64::from(self.config.games_max());
        self.games = self.games.clamp(self.least(), most);
        self.generation += 1;
        self.of_restart += 1;
        needed
    }

    /// Starts again for a new restart of the optimizer, which searches in another place with a large step size.
    /// A number of games that grows by a factor continues to grow.
    pub fn restart(&mut self) {
        self.games = self.least();
        self.of_restart = 0;
        self.candidates = 0;
        self.signal = None;
    }

    /// Starts again and forgets the noise, too.
    pub fn begin(&mut self) {
        self.restart();
        self.noise = None;
    }

    fn least(&self) -> f64 {
        f64::from(self.config.least_games())
    }

    /// The squared mean of the fitness, by which variances are divided.
    fn square(&self, result: &Signal) -> f64 {
        let spread = if self.has_real_scores {
            result.observed
        } else {
            0.0
        };
        result.mean * result.mean + spread
    }

    fn needed(&mut self, result: &Signal, games: u32) -> f64 {
        let square = self.square(result);
        let latest = result.variance() / square;
        // With a mean of 0 the ratio is undefined, so the generation is not used.
        if latest.is_finite() {
            self.signal = Some(smoothed(self.signal, latest));
        }
        let variance = self.signal.unwrap_or(0.0) * square;
        if variance > 0.0 {
            (f64::from(games) * result.noise / variance).min(NO_SIGNAL)
        } else {
            NO_SIGNAL
        }
    }
}

/// True if candidates that play this number of games show the noise: two games, or two openings.
pub fn shows_noise(games: u32, players: Players) -> bool {
    games >= players.whole(1) * FEWEST_GAMES
}

fn smoothed(before: Option<f64>, latest: f64) -> f64 {
    before.map_or(latest, |before| LATEST * latest + (1.0 - LATEST) * before)
}

impl fmt::Display for Games {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Games::Auto => formatter.write_str("auto"),
            Games::Number(games) => write!(formatter, "{games}"),
        }
    }
}

impl JsonSchema for Games {
    fn schema_name() -> Cow<'static, str> {
        "Games".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [{ "const": "auto" }, { "type": "integer", "minimum": 1, "maximum": u32::MAX }]
        })
    }
}

impl Serialize for Games {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Games::Auto => serializer.serialize_str("auto"),
            Games::Number(games) => serializer.serialize_u32(*games),
        }
    }
}

impl<'de> Deserialize<'de> for Games {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct GamesVisitor;

        impl Visitor<'_> for GamesVisitor {
            type Value = Games;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                write!(
                    formatter,
                    "a whole number from 1 to {}, or \"auto\"",
                    u32::MAX
                )
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Games, E> {
                let wrong = |_| E::invalid_value(Unexpected::Signed(number), &self);
                number.try_into().map(Games::Number).map_err(wrong)
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Games, E> {
                let wrong = |_| E::invalid_value(Unexpected::Unsigned(number), &self);
                number.try_into().map(Games::Number).map_err(wrong)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Games, E> {
                match text {
                    "auto" => Ok(Games::Auto),
                    _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
                }
            }
        }

        from.deserialize_any(GamesVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(most: u32, players: Players) -> Schedule {
        let config = EvaluationConfig {
            games: Games::Auto,
            games_max: Some(most),
            ..EvaluationConfig::default()
        };
        Schedule::new(&config, players, 1)
    }

    /// A result with this signal relative to the squared mean, at this number of games, for games with a
    /// standard deviation of 3/5 of the mean.
    fn result(relative: f64, games: u32) -> Signal {
        let noise = 0.36 / f64::from(games);
        Signal {
            mean: 1000.0,
            observed: 1e6 * (relative + noise),
            noise: 1e6 * noise,
        }
    }

    /// The numbers of games of some generations that all have this signal.
    fn games(schedule: &mut Schedule, relative: f64, generations: usize) -> Vec<u32> {
        let next = |_| {
            let games = schedule.games();
            schedule.tell(&result(relative, games), games);
            games
        };
        (0..generations).map(next).collect()
    }

    #[test]
    fn a_mean_that_passes_zero_does_not_matter() {
        let mut schedule = schedule(400, Players::One).of_real_scores();
        for mean in [-100.0, -1.0, -1e-9, 0.0, 1e-9, 1.0] {
            let result = Signal {
                mean,
                observed: 50.0,
                noise: 40.0,
            };
            let games = schedule.games();
            let needed = schedule.tell(&result, games) / f64::from(games);
            // V_noise / V_true is 4; the smoothed value is relative to the mean square.
            assert!((0.01..=100.0).contains(&needed), "{mean}: {needed}");
        }
    }

    #[test]
    fn a_search_that_begins_again_shows_its_own_noise() {
        let config = EvaluationConfig {
            games: Games::Auto,
            games_min: Some(1),
            ..EvaluationConfig::default()
        };
        let mut schedule = Schedule::new(&config, Players::One, 1);
        assert_eq!(schedule.games(), 2);
        let noise_of_one = |schedule: &mut Schedule| schedule.noise(&[1000.0], 1, 0.0);
        schedule.noise(&[1000.0], 2, 300.0);
        schedule.tell(&result(9.0, 2), 2);
        assert_eq!(schedule.games(), 1);
        assert!(noise_of_one(&mut schedule).is_some());
        schedule.begin();
        assert_eq!(schedule.games(), 2);
        assert_eq!(noise_of_one(&mut schedule), None);
    }

    #[test]
    fn games_reach_the_number_at_which_half_is_signal() {
        let mut schedule = schedule(400, Players::One);
        // 0.36 / 0.009 = 40 games.
        let needed = schedule.tell(&result(0.009, 5), 5);
        assert!((needed - 40.0).abs() < 1e-9, "{needed}");
        schedule.restart();
        schedule.tell(&result(0.009, 5), 5);
        assert_eq!(schedule.games(), 7); // 6.5
        let all = games(&mut schedule, 0.009, 20);
        // 6.5, 8.45, 10.985, 14.28, 18.56, 24.13, 31.37, 40.
        assert_eq!(all[..8], [7, 8, 11, 14, 19, 24, 31, 40]);
        assert_eq!(all[19], 40);
        // The signal rises, so there are fewer games, with the same steps.
        schedule.tell(&result(1.0, 40), 40);
        assert_eq!(schedule.games(), 31);
        assert_eq!(*games(&mut schedule, 1.0, 20).last().unwrap(), FIRST_GAMES);
    }

    #[test]
    fn fewer_games_at_first_are_possible() {
        let config = |games_min| EvaluationConfig {
            games_min: Some(games_min),
            games_max: Some(30),
            ..EvaluationConfig::default()
        };
        let mut schedule = Schedule::new(&config(2), Players::One, 1);
        // 2, 2.6, 3.38, 4.394, 5.712, 7.43; the signal is one half at 7.
        let relative = 0.36 / 7.0;
        assert_eq!(games(&mut schedule, relative, 7), [2, 3, 3, 4, 6, 7, 7]);
        assert_eq!(*games(&mut schedule, 1.0, 20).last().unwrap(), 2);
        schedule.restart();
        assert_eq!(schedule.games(), 2);
        // One opening would show no noise.
        assert_eq!(Schedule::new(&config(2), Players::Two, 1).games(), 4);
        for (games_min, wrong) in [(0, "games_min must be"), (31, "games_max 30 is too")] {
            let error = config(games_min).check().unwrap_err();
            assert!(error.message.starts_with(wrong), "{}", error.message);
        }
        let fixed = EvaluationConfig {
            games: Games::Number(9),
            ..config(2)
        };
        assert_eq!(fixed.check().unwrap_err().path, ["games_min"]);
        for signal in [0.0, 0.95, f64::NAN] {
            let signal = Some(signal);
            let wrong = EvaluationConfig {
                signal,
                ..config(2)
            };
            assert_eq!(wrong.check().unwrap_err().path, ["signal"]);
        }
    }

    #[test]
    fn single_games_have_the_noise_of_the_generations_that_show_it() {
        let config = EvaluationConfig {
            games_min: Some(1),
            signal: Some(0.1),
            ..EvaluationConfig::default()
        };
        for (players, shown, single) in [(Players::One, 2, 1), (Players::Two, 4, 2)] {
            let mut schedule = Schedule::new(&config, players, 1);
            // Candidates differ more than games: one game is enough. Both rise with the mean.
            let fitness =
                |generation: u32| [0.0, 1000.0, 2000.0].map(|x| x * (1.0 + f64::from(generation)));
            let deviation =
                |generation, games: u32| 0.6 * fitness(generation)[1] / f64::from(games).sqrt();
            // A generation that shows nothing, because every fitness is 0, is no measurement.
            assert_eq!(schedule.games(), shown);
            assert_eq!(schedule.noise(&[0.0; 3], shown, 0.0), Some(0.0));
            schedule.tell(&Signal::of(&[0.0; 3], 0.0), shown);
            let mut all = vec![shown];
            for generation in 1..22 {
                let games = schedule.games();
                all.push(games);
                let measured = if games < shown {
                    0.0
                } else {
                    deviation(generation, games)
                };
                let fitness = fitness(generation);
                let noise = schedule.noise(&fitness, games, measured).unwrap();
                let expected = deviation(generation, games);
                assert!((noise / expected - 1.0).abs() < 1e-9, "{noise}");
                schedule.tell(&Signal::of(&fitness, noise), games);
            }
            let shows = |generation: usize| generation == 1 || generation.is_multiple_of(10);
            let expected = (0..22).map(|one| if shows(one) { shown } else { single });
            assert_eq!(all, expected.collect::<Vec<u32>>());
            schedule.restart();
            assert_eq!(schedule.games(), shown);
        }
    }

    #[test]
    fn the_noise_of_single_games_needs_a_measurement() {
        let config = |games| EvaluationConfig {
            games,
            games_min: (games == Games::Auto).then_some(1),
            ..EvaluationConfig::default()
        };
        let mut fixed = Schedule::new(&config(Games::Number(1)), Players::One, 1);
        assert_eq!(fixed.noise(&[1.0, 2.0], 2, 0.5), Some(0.5));
        assert_eq!(fixed.noise(&[1.0, 2.0], 1, 0.0), None);
        // As of a program that says that it is deterministic, and then is not.
        let mut auto = Schedule::new(&config(Games::Auto), Players::One, 1);
        for _ in 0..3 {
            assert_eq!(auto.noise(&[1.0, 2.0], 1, 0.0), None);
            auto.tell(&Signal::of(&[1.0, 2.0], 0.0), 1);
        }
        assert_eq!(auto.games(), 2);
        // The games of a generation are those that it has played: a start point plays more.
        auto.noise(&[10.0, 10.0], 20, 1.0);
        let noise = auto.noise(&[20.0, 20.0], 1, 0.0).unwrap();
        assert!((noise - 2.0 * 20f64.sqrt()).abs() < 1e-12, "{noise}");
        // Scores around 0 have no mean to compare with.
        let mut real = Schedule::new(&config(Games::Auto), Players::One, 1).of_real_scores();
        real.noise(&[-1.0, 1.0], 2, 3.0);
        let noise = real.noise(&[-9.0, 9.0], 1, 0.0).unwrap();
        assert!((noise - 18f64.sqrt()).abs() < 1e-12, "{noise}");
    }

    #[test]
    fn the_share_of_the_signal_can_be_smaller() {
        let config = EvaluationConfig {
            signal: Some(0.1),
            ..EvaluationConfig::default()
        };
        let mut schedule = Schedule::new(&config, Players::One, 1);
        // One half is signal at 180 games, a tenth at 20.
        let games = |_| {
            let games = schedule.games();
            let needed = schedule.tell(&result(0.002, games), games);
            assert!((needed - 180.0).abs() < 1e-9, "{needed}");
            games
        };
        assert_eq!((0..10).map(games).last(), Some(20));
    }

    #[test]
    fn fitness_that_most_candidates_share_needs_half_signal() {
        let config = EvaluationConfig {
            signal: Some(0.1),
            ..EvaluationConfig::default()
        };
        let mut schedule = Schedule::new(&config, Players::One, 1);
        let won = [1.0, 0.0, 0.0, 1.0];
        let wanted = |schedule: &mut Schedule, fitness: &[f64]| {
            schedule.noise(fitness, 5, 0.2);
            schedule.wanted()
        };
        // 28 of the first 30 candidates for one parameter.
        assert!((0..7).all(|_| wanted(&mut schedule, &won) == 0.1));
        assert_eq!(wanted(&mut schedule, &won), WANTED_SIGNAL);
        assert_eq!(wanted(&mut schedule, &[0.5, 0.25, 0.75, 0.5]), 0.1);
        schedule.restart();
        assert_eq!(wanted(&mut schedule, &won), 0.1);
    }

    #[test]
    fn the_signal_is_smoothed() {
        let mut schedule = schedule(400, Players::One);
        schedule.tell(&result(0.01, 5), 5);
        schedule.tell(&result(0.0, 7), 7);
        let needed = schedule.tell(&result(0.02, 8), 8);
        let smoothed = 0.2 * 0.02 + 0.8 * (0.8 * 0.01);
        assert!((needed - 0.36 / smoothed).abs() < 1e-6, "{needed}");
    }

    #[test]
    fn without_signal_games_grow_to_their_limit_if_there_is_noise() {
        // Equal values without noise, and a mean of 0, as for shares that no candidate reaches.
        let flat = |mean, observed, noise| Signal {
            mean,
            observed,
            noise,
        };
        let grown = [5, 7, 8, 11, 14, 17, 17, 17];
        for (flat, expected) in [
            (result(0.0, 5), grown),
            (flat(0.0, 4.0, 1.0), grown),
            // There is no noise left to average out.
            (flat(5.0, 0.0, 0.0), [5; 8]),
            (flat(0.0, 0.0, 0.0), [5; 8]),
        ] {
            let mut schedule = schedule(17, Players::One);
            let all: Vec<u32> = (0..8)
                .map(|_| {
                    let games = schedule.games();
                    assert_eq!(schedule.tell(&flat, games), NO_SIGNAL);
                    games
                })
                .collect();
            assert_eq!(all, expected);
        }
    }

    #[test]
    fn only_the_size_of_the_mean_matters() {
        let mut one = schedule(400, Players::One);
        let mut other = schedule(400, Players::One);
        for relative in [0.1, 0.01, 0.003] {
            let positive = result(relative, one.games());
            let negative = Signal {
                mean: -positive.mean,
                ..positive
            };
            let games = one.games();
            assert_eq!(one.tell(&positive, games), other.tell(&negative, games));
        }
        assert_eq!(one.games(), other.games());
    }

    #[test]
    fn openings_are_complete() {
        let mut schedule = schedule(40, Players::Two);
        let all = games(&mut schedule, 0.0, 12);
        assert_eq!(all, [6, 8, 8, 12, 14, 20, 24, 32, 40, 40, 40, 40]);
    }

    #[test]
    fn the_games_of_a_plan_are_an_upper_limit() {
        for (players, relative) in [
            (Players::One, 0.0),
            (Players::Two, 0.0),
            (Players::One, 0.02),
        ] {
            let mut schedule = schedule(150, players);
            let plan = schedule.config.clone();
            let played: u64 = games(&mut schedule, relative, 30)
                .into_iter()
                .map(u64::from)
                .sum();
            let most = plan.games_through(30, players);
            assert!(played <= most, "{played}, {most}");
            assert_eq!(played == most, relative == 0.0);
        }
    }

    #[test]
    fn numbers_and_auto_round_trip() {
        for text in ["games = 40\n", "games = \"auto\"\n"] {
            let config: EvaluationConfig = toml::from_str(text).unwrap();
            assert!(toml::to_string(&config).unwrap().starts_with(text));
        }
        for wrong in ["\"many\"", "-1", "1.5", "true", "4294967296"] {
            let error =
                toml::from_str::<EvaluationConfig>(&format!("games = {wrong}")).unwrap_err();
            assert!(error.message().contains("or \"auto\""), "{error}");
        }
    }
}
