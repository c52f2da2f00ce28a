//! Stop rules for noisy fitness. The rules of the tutorial count generations, but with `games = "auto"` the late
//! generations have most of the games: a search that stands still would spend nearly all of them in one place.
//! The rules here count information, which is the number of games up to a factor: mean^2 / noise^2 for scores above 0,
//! whose noise grows with them, and 1 / noise^2 otherwise.
//!
//! Both leave out generations without a known noise. Without noise the rules of the tutorial are enough.

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

/// Signal and noise of the generations of a restart.
#[derive(Default)]
pub(super) struct SignalHistory {
    generations: Vec<Signal>,
    population: usize,
}

impl SignalHistory {
    /// Adds a generation with finite fitness values. `noise` is that of `Optimizer::tell`.
    pub fn add(&mut self, fitness: &[f64], noise: f64) {
        self.population = fitness.len();
        if noise > 0.0 {
            self.generations.push(Signal::of(fitness, noise));
        }
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
        SignalHistory {
            generations: generations.collect(),
            population: 20,
        }
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
        history.add(&[1.0, 1.0], 0.0);
        for _ in 0..100 {
            history.add(&[1.0, 2.0], 0.5);
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
