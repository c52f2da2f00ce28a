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
//! for the first candidates (`FIRST_CANDIDATES`): far from the optimum many candidates and noisy ranks lead further. It
//! also rises to one half where the luck of a seed favours a direction ([`Optimizer::directed_luck`]), the more clearly
//! this is seen: many candidates do not average such luck out, and it does not become clearer as steps become smaller.
//! V_true is
//! divided by the squared mean of the fitness and smoothed, because one generation contains
//! little information about it. The number of games is a pure function of the recorded fitness, so a resumed
//! campaign plays the same games. If the noise is 0, more games cannot help, and their number does not grow.
//!
//! One game shows no noise. If the lower limit is one game, the first generation of a restart and every tenth one
//! after it (`SHOWN`) play two games, and the others have the noise of these: relative to the mean, or as it is for
//! scores that can be negative. While no generation has shown the noise, all play two games.
//! This module must not play games.
//!
//! [`Optimizer::directed_luck`]: crate::optimizer::Optimizer::directed_luck

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
/// Share of the remembered directed luck that is forgotten in each generation. With more games such luck is less clear, though it is
/// still there.
const FORGOTTEN: f64 = 0.01;
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
    /// How clear it is that luck favours a direction: the largest value so far, less by `FORGOTTEN` in each generation.
    directed_luck: f64,
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
            directed_luck: 0.0,
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
            // Few won and lost games can be the same for all candidates by chance: that is no measurement.
            let is_chance = measured == 0.0 && self.is_coarse;
            if latest.is_finite() && !is_chance {
                self.noise = Some(smoothed(self.noise, latest));
            }
            return Some(measured);
        }
        let of_game = self.noise.filter(|_| self.config.games == Games::Auto)?;
        Some((of_game * unit / f64::from(games)).sqrt())
    }

    /// Processes [`Optimizer::directed_luck`](crate::optimizer::Optimizer::directed_luck) after a generation.
    pub fn see_directed_luck(&mut self, luck: f64) {
        self.directed_luck = luck.max((1.0 - FORGOTTEN) * self.directed_luck);
    }

    /// The share of the signal at which the number of games aims.
    pub fn wanted(&self) -> f64 {
        let given = self.config.signal.unwrap_or(WANTED_SIGNAL);
        let given = given.max(self.directed_luck * WANTED_SIGNAL);
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

    /// Starts again for a new restart of the optimizer, which searches with larger steps.
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
        self.directed_luck = 0.0;
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
mod tests;
