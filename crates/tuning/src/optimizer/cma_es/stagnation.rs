//! Stop rules for noisy fitness. The rules of the tutorial count generations, but with `games = "auto"` the late
//! generations have most of the games: a search that stands still would spend nearly all of them in one place.
//! The rules here count information, which is the number of games up to a factor: mean^2 / noise^2 for scores above 0,
//! whose noise grows with them, and 1 / noise^2 otherwise.
//!
//! Both leave out generations without a known noise. Without noise the rules of the tutorial are enough.

use crate::optimizer::Noise;
use crate::stats::signal::Signal;

/// A restart has converged if the standard deviation of the candidates' true fitness is below this share of that
/// of its first generations.
const CONVERGED: f64 = 0.01;

/// Number of the generations whose variances are pooled: the first ones, and the latest ones.
const POOLED: usize = 5;

/// The 0.95 quantile of the normal distribution.
const UPPER: f64 = 1.645;

/// Fewest generations in each third of the information.
const FEWEST: usize = 20;

/// Least number of generations whose mean fitness is compared with that of as many before. It is the number of parameters
/// if this is larger, because a step in many of them shows little progress.
const COMPARED: usize = 10;

/// Standard errors between two mean fitnesses that clearly differ.
const CLEAR: f64 = 2.0;

/// The noise of a game has fallen if it is below this share of the noise at first.
const FALLEN: f64 = 0.5;

/// Signal and noise of the generations of a restart.
#[derive(Default)]
pub(super) struct SignalHistory {
    generations: Vec<Signal>,
    /// Standard deviation of a game in each of them.
    of_game: Vec<f64>,
    /// Mean fitness of each generation, also of those without a known noise.
    means: Vec<f64>,
    population: usize,
}

impl SignalHistory {
    /// Adds a generation with finite fitness values.
    pub fn add(&mut self, fitness: &[f64], noise: Noise) {
        self.population = fitness.len();
        self.means
            .push(fitness.iter().sum::<f64>() / fitness.len() as f64);
        if noise.of_value > 0.0 {
            self.generations.push(Signal::of(fitness, noise.of_value));
            self.of_game.push(noise.of_game());
        }
    }

    /// True if luck decides: a game is about as noisy as at first, and the mean fitness of the latest generations is not
    /// clearly above that of as many before although the steps are small, or has not been for long, or the candidates
    /// hardly differ. Where the noise falls, smaller steps show as much as larger ones did.
    pub fn is_lost_in_noise(&self, dimension: usize, are_steps_small: bool) -> bool {
        let games = &self.of_game;
        if games.len() < 2 * COMPARED.max(dimension) {
            return false;
        }
        // The geometric mean: the noise of a few games can be many times too large.
        let noise_of =
            |part: &[f64]| part.iter().map(|one| libm::log(*one)).sum::<f64>() / POOLED as f64;
        let [at_first, now] = [&games[..POOLED], &games[games.len() - POOLED..]].map(noise_of);
        let has_stopped = (are_steps_small && !self.rises(dimension))
            || self.has_converged()
            || self.has_stagnated();
        now - at_first >= libm::log(FALLEN) && has_stopped
    }

    /// True if the mean fitness of the latest generations is clearly above that of as many before.
    fn rises(&self, dimension: usize) -> bool {
        let count = COMPARED.max(dimension);
        let first = self.means.len() - 2 * count;
        let (before, latest) = self.means[first..].split_at(count);
        Level::of(latest).above(&Level::of(before)) >= CLEAR
    }

    /// The level of the latest generations, as many as [`rises`](Self::rises) compares, or of all if there are fewer; `None`
    /// before there are enough.
    pub fn level(&self, dimension: usize) -> Option<Level> {
        // A restart can have most of the games in fewer generations than there are parameters.
        let count = COMPARED.max(dimension).min(self.means.len());
        (count >= COMPARED).then(|| Level::of(&self.means[self.means.len() - count..]))
    }

    /// True if the candidates hardly differ compared with the first ones, with the upper limit of a one-sided
    /// interval of 95 %.
    pub fn has_converged(&self) -> bool {
        let (all, freedom) = (&self.generations, (POOLED * (self.population - 1)) as f64);
        if all.len() < 2 * POOLED {
            return false;
        }
        let mean = |part: &[Signal], value: fn(&Signal) -> f64| {
            part.iter().map(value).sum::<f64>() / part.len() as f64
        };
        let difference = |one: &Signal| one.observed - one.noise;
        let (first, latest) = (&all[..POOLED], &all[all.len() - POOLED..]);
        let error = mean(latest, |one| one.observed) * (2.0 / freedom).sqrt();
        // Too few games can make the difference negative by chance, but not the error small.
        let limit = mean(latest, difference).max(0.0) + UPPER * error;
        limit < CONVERGED * CONVERGED * mean(first, difference)
    }

    /// True if the mean fitness of the last third of the information is not above that of the third before.
    pub fn has_stagnated(&self) -> bool {
        if self.generations.len() < 2 * FEWEST {
            return false;
        }
        let are_scores = self.generations.iter().all(|one| one.mean > 0.0);
        let information = |one: &Signal| {
            let unit = if are_scores { one.mean * one.mean } else { 1.0 };
            unit / one.noise
        };
        let third = self.generations.iter().map(information).sum::<f64>() / 3.0;
        let mut latest = self.generations.iter().rev();
        let mut mean_of_third = || {
            let (mut sum, mut weight, mut count) = (0.0, 0.0, 0);
            while weight < third {
                let one = latest.next()?;
                sum += information(one) * one.mean;
                weight += information(one);
                count += 1;
            }
            (count >= FEWEST).then_some(sum / weight)
        };
        let last = mean_of_third();
        let before = mean_of_third();
        last.zip(before)
            .is_some_and(|(last, before)| last <= before)
    }
}

/// Mean fitness of some generations.
pub(super) struct Level {
    mean: f64,
    /// Square of the standard error of the mean, from the differences between generations.
    error: f64,
}

impl Level {
    fn of(means: &[f64]) -> Self {
        let count = means.len() as f64;
        let mean = means.iter().sum::<f64>() / count;
        let squares = means.iter().map(|one| (one - mean).powi(2));
        let error = squares.sum::<f64>() / (count - 1.0) / count;
        Level { mean, error }
    }

    /// Standard errors by which this level is above another one.
    fn above(&self, other: &Level) -> f64 {
        let error = (self.error + other.error).sqrt();
        (self.mean - other.mean) / error.max(f64::MIN_POSITIVE)
    }

    /// True if this level is not clearly below another one.
    pub fn reaches(&self, other: &Level) -> bool {
        self.above(other) > -CLEAR
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A restart whose generations have these means, standard deviations of the true fitness and noises.
    fn progress(generations: impl Iterator<Item = [f64; 3]>) -> SignalHistory {
        let generations = generations.map(|[mean, deviation, noise]| Signal {
            mean,
            observed: deviation * deviation + noise * noise,
            noise: noise * noise,
        });
        let generations: Vec<Signal> = generations.collect();
        SignalHistory {
            of_game: generations.iter().map(|one| one.noise.sqrt()).collect(),
            means: generations.iter().map(|one| one.mean).collect(),
            generations,
            population: 20,
        }
    }

    #[test]
    fn luck_decides_where_fitness_with_constant_noise_does_not_rise() {
        // Mean, standard deviation of the true fitness, and noise of 30 generations.
        let of = |one: fn(f64) -> [f64; 3]| progress((0..30).map(f64::from).map(one));
        let luck = |one: f64| 0.3 * (7.0 * one).sin();
        let flat = of(|one| [50.0 + 0.3 * (7.0 * one).sin(), 1.0, 3.0]);
        assert!(flat.is_lost_in_noise(6, true));
        assert!(!flat.is_lost_in_noise(16, true), "too few for 16 numbers");
        assert!(!flat.is_lost_in_noise(6, false), "too few for stagnation");
        let rising =
            progress((0..30).map(|one| [50.0 + f64::from(one) + luck(one.into()), 1.0, 3.0]));
        assert!(!rising.is_lost_in_noise(6, true));
        // Multiplicative noise falls with the fitness.
        let precise = of(|one| [50.0 + 0.3 * (7.0 * one).sin(), 1.0, 3.0 * 0.9f64.powf(one)]);
        assert!(!precise.is_lost_in_noise(6, true));
        let short = progress((0..19).map(|one| [50.0 + luck(one.into()), 1.0, 3.0]));
        assert!(!short.is_lost_in_noise(6, true));
        let converged =
            progress((0..30).map(|one| [50.0, if one < 5 { 200.0 } else { 0.001 }, 0.01]));
        assert!(converged.is_lost_in_noise(6, false));
    }

    #[test]
    fn a_level_is_reached_if_it_is_not_clearly_above() {
        let at = |mean: f64| {
            let luck = |one: u32| 2.0 * (7.0 * f64::from(one)).sin();
            progress((0..12).map(|one| [mean + luck(one), 1.0, 3.0]))
                .level(6)
                .unwrap()
        };
        assert!(at(50.0).reaches(&at(20.0)) && at(50.0).reaches(&at(50.5)));
        assert!(!at(50.0).reaches(&at(60.0)));
        assert!(progress((0..9).map(|_| [1.0; 3])).level(6).is_none());
        let of_many = |generations: u32| progress((0..generations).map(|_| [1.0; 3])).level(67);
        assert!(of_many(9).is_none() && of_many(10).is_some());
    }

    #[test]
    fn stagnation_counts_games_of_scores_whose_noise_grows_with_them() {
        // The score grows by a factor of 30, its noise is a tenth of it, and all generations have as many games.
        let stands = |generations: u32| {
            let score = |g: u32| 10.0 * 30f64.powf(f64::from(g.min(40)) / 40.0);
            let generation = |g: u32| [score(g), 1.0, 0.1 * score(g)];
            progress((0..generations).map(generation)).has_stagnated()
        };
        assert!(!stands(60));
        assert!(stands(120));
    }

    #[test]
    fn a_generation_without_noise_is_left_out() {
        let mut history = SignalHistory::default();
        history.add(&[1.0, 1.0], Noise::NONE);
        for _ in 0..100 {
            history.add(&[1.0, 2.0], Noise::of_one_game(0.5));
        }
        assert!(history.generations.len() == 100 && history.has_stagnated());
    }

    #[test]
    fn stagnation_counts_games() {
        // It climbs for 30 generations with little information and then stands still. Each of the later
        // generations has four times the games of an early one.
        let stands = |generations: u32| {
            let generation = |g: u32| [f64::from(g.min(30)), 1.0, if g < 30 { 0.4 } else { 0.2 }];
            progress((0..generations).map(generation)).has_stagnated()
        };
        assert!(!stands(25));
        assert!(!stands(40));
        assert!(stands(100));
        assert!(!progress((0..200).map(|g| [f64::from(g), 1.0, 0.2])).has_stagnated());
    }

    #[test]
    fn convergence_is_relative_to_the_first_candidates() {
        let after = |deviation: f64, noise: f64| {
            let first = [[0.0, 20.0, 1.0]; 8].into_iter();
            progress(first.chain([[0.0, deviation, noise]; 5])).has_converged()
        };
        assert!(after(0.1, 0.1));
        assert!(!after(0.3, 0.1));
        // The candidates may still differ: more games are needed to know.
        assert!(!after(0.0, 1.0));
        let by_chance = Signal {
            mean: 0.0,
            observed: 0.5,
            noise: 1.0,
        };
        let mut unlucky = progress([[0.0, 20.0, 1.0]; 8].into_iter());
        unlucky.generations.extend([by_chance; 5]);
        assert!(!unlucky.has_converged());
    }
}
