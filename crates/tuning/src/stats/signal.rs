//! Signal and noise of a generation: which part of the differences in fitness is due to the candidates, and
//! which part is luck. This module must not depend on an optimizer or on files.
//!
//! The variance of the fitness values in a generation is the variance of the candidates' true values (the
//! *signal*) plus the variance of the noise of one value. The noise is known from the games. The signal is
//! therefore the difference of the two variances, as in an analysis of variance with random effects.
//!
//! ```
//! use tiletune_tuning::stats::signal::Signal;
//!
//! // Three candidates; each value has a standard error of 6.
//! let signal = Signal::of(&[90.0, 100.0, 110.0], 6.0);
//! assert_eq!((signal.mean, signal.observed), (100.0, 100.0));
//! assert!((signal.variance() - 64.0).abs() < 1e-12);
//! assert!((signal.share() - 0.64).abs() < 1e-12);
//! ```

use super::summary::{mean, sample_variance, squares};
use crate::results::GenerationRow;

/// True if most of the finite fitness values of a generation are equal to another one, as those of won and lost games: a few
/// games say little then about a candidate, and most ranks are decided by lot.
pub fn are_coarse(fitness: &[f64]) -> bool {
    let mut values: Vec<f64> = fitness.iter().copied().filter(|x| x.is_finite()).collect();
    values.sort_unstable_by(f64::total_cmp);
    let equal = values.chunk_by(|one, other| one == other);
    let shared: usize = equal.map(<[f64]>::len).filter(|count| *count > 1).sum();
    2 * shared > values.len()
}

/// Signal and noise of the fitness values of a generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// Mean of the values.
    pub mean: f64,
    /// Sample variance of the values (divisor n - 1); 0 for fewer than two values.
    pub observed: f64,
    /// Variance of the noise of one value.
    pub noise: f64,
}

impl Signal {
    /// Signal and noise of the fitness values of a generation. `noise` is the standard deviation of the noise
    /// of one value.
    pub fn of(fitness: &[f64], noise: f64) -> Self {
        Signal {
            mean: mean(fitness),
            observed: sample_variance(fitness),
            noise: noise * noise,
        }
    }

    /// Estimated variance of the candidates' true values.
    pub fn variance(&self) -> f64 {
        (self.observed - self.noise).max(0.0)
    }

    /// Share of the observed variance that is signal, 0 to 1. It is 0 if all values are equal, or if the noise
    /// is unknown.
    pub fn share(&self) -> f64 {
        if self.observed > 0.0 && self.noise > 0.0 {
            self.variance() / self.observed
        } else {
            0.0
        }
    }

    /// The expected true value of a candidate with this fitness: the fitness shrunk towards the mean by the
    /// share of the signal. If the noise is unknown, it is the fitness itself.
    pub fn shrunk(&self, fitness: f64) -> f64 {
        if self.noise > 0.0 {
            self.mean + self.share() * (fitness - self.mean)
        } else {
            fitness
        }
    }

    /// The expected advantage of the mean of the selected candidates over the mean of all candidates. `weights`
    /// are those of the ranks, best first, of which only their ratios matter. Further ranks have the weight 0.
    ///
    /// The selected candidates are also the lucky ones. The difference of the fitness values is therefore
    /// multiplied by the share of the signal.
    pub fn gain(&self, fitness: &[f64], weights: &[f64]) -> f64 {
        let mut ranked = fitness.to_vec();
        ranked.sort_unstable_by(|one, other| other.total_cmp(one));
        let (mut selected, mut sum) = (0.0, 0.0);
        for (value, weight) in ranked.iter().zip(weights) {
            selected += weight * value;
            sum += weight;
        }
        self.share() * (selected / sum - self.mean)
    }
}

/// Noise below this share of the contributions is a rounding error: the contributions do not differ between the
/// seeds.
const ROUNDING: f64 = 1e-12;

/// The noise in the comparison of candidates that have played the same seeds.
///
/// A seed that is easy for one candidate can be easy for all. Effects that all candidates share do not change
/// their ranks, so they are not noise of the comparison. With K candidates on n seeds, the contribution x_cs of
/// a game is modelled as candidate + seed + residual (two-way analysis of variance without interaction). The
/// variance of the residual is
///
/// ```text
/// (sum_c sum_s (x_cs - mean_c)^2  -  K sum_s (mean_s - mean)^2) / ((K - 1) (n - 1))
/// ```
#[derive(Clone, Debug, Default)]
pub struct CommonSeeds {
    candidates: usize,
    /// For each seed: sum of the contributions of all candidates.
    sums: Vec<f64>,
    /// Sum of the squared deviations of all contributions from the mean of their candidate.
    squares: f64,
}

impl CommonSeeds {
    /// Adds the contributions of a candidate, in the order of the seeds.
    ///
    /// # Panics
    /// If their number differs from that of the first candidate.
    pub fn add(&mut self, contributions: &[f64]) {
        if self.candidates == 0 {
            self.sums = vec![0.0; contributions.len()];
        }
        assert_eq!(self.sums.len(), contributions.len(), "the same seeds");
        for (sum, value) in self.sums.iter_mut().zip(contributions) {
            *sum += value;
        }
        self.squares += squares(contributions);
        self.candidates += 1;
    }

    /// Standard deviation of the residual of a candidate's mean; 0 for fewer than two candidates or seeds.
    pub fn noise(&self) -> f64 {
        let (candidates, seeds) = (self.candidates as f64, self.sums.len() as f64);
        if candidates < 2.0 || seeds < 2.0 {
            return 0.0;
        }
        // The sums are K times the means of the seeds: K sum_s (mean_s - mean)^2 is the sum of their squares
        // divided by K.
        let shared = squares(&self.sums) / candidates;
        let residual = (self.squares - shared).max(0.0) / ((candidates - 1.0) * (seeds - 1.0));
        let noise = (residual / seeds).sqrt();
        let size = self.sums.iter().map(|sum| sum.abs()).sum::<f64>() / (candidates * seeds);
        if noise > ROUNDING * size { noise } else { 0.0 }
    }
}

/// Number of generations at the start of a search that show whether its first steps are large enough.
pub const FIRST_GENERATIONS: usize = 5;

/// Mean share of the signal in the first generations of a search. `None` if the search has fewer generations,
/// if it was restarted within them, or if the noise is unknown.
///
/// A negative estimate of a signal counts as 0. With 20 equal candidates that play 5 games each, the result is
/// therefore 0.11 on average, with a standard deviation of 0.07. With a true share of 0.4 it is 0.36, with a
/// standard deviation of 0.09.
pub fn first_share(generations: &[GenerationRow]) -> Option<f64> {
    let first = generations.first_chunk::<FIRST_GENERATIONS>()?;
    let shares = first.iter().filter(|row| row.restart == 0);
    let shares: Option<Vec<f64>> = shares.map(GenerationRow::known_signal).collect();
    shares
        .filter(|shares| shares.len() == FIRST_GENERATIONS)
        .map(|shares| mean(&shares))
}

/// The consequence of the signal in the last generations for the number of games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meaning {
    /// More of the differences are signal than is needed: fewer games per candidate are enough.
    FewerGames,
    /// The number of games is adequate.
    Balanced,
    /// Too much of the differences is luck, but the candidates can differ by more than 2 % of their mean.
    MoreGames,
    /// Too much of the differences is luck, and the candidates hardly differ: the search has converged. The value is the
    /// upper limit of their differences, as a share of the mean fitness.
    Converged(f64),
    /// There are too few games to estimate the noise.
    Unknown,
}

/// The shares of the signal between which the number of games fits: a quarter and four times as much signal for the
/// noise as at the wanted share. If one half is wanted, they are 0.2 and 0.8.
pub fn fitting(wanted: f64) -> [f64; 2] {
    [0.25, 4.0].map(|factor| {
        let ratio = factor * wanted / (1.0 - wanted);
        ratio / (1.0 + ratio)
    })
}

/// Differences below this share of the mean do not justify more games.
const SMALL: f64 = 0.02;
/// Standard error of the smoothed signal, relative to that of one generation. A moving average with factor a
/// has the variance a / (2 - a).
const SMOOTHED_ERROR: f64 = 1.0 / 3.0;

impl Meaning {
    /// The meaning of a recorded generation. Its signal is smoothed over the last generations.
    ///
    /// "Converged" refers to an upper limit of the standard deviation of the candidates' true values. The
    /// estimate itself would not do, because it is 0 for half of the generations without signal. The estimate
    /// of the signal has the standard error of the observed variance, V sqrt(2 / (K - 1)) with K candidates.
    /// The limit is 1.64 standard errors above the estimate (one-sided 95 %).
    pub fn of(row: &GenerationRow) -> Self {
        let noise = row.residual * row.residual;
        if !(noise > 0.0 && row.games_needed > 0.0) {
            return Meaning::Unknown;
        }
        let signal = noise * f64::from(row.games) / row.games_needed;
        let share = signal / (signal + noise);
        let [little, much] = fitting(row.wanted_signal());
        if share > much {
            return Meaning::FewerGames;
        }
        if share >= little {
            return Meaning::Balanced;
        }
        let others = f64::from(row.population.max(2) - 1);
        let error = (signal + noise) * (2.0 / others).sqrt() * SMOOTHED_ERROR;
        let within = (signal + 1.64 * error).sqrt() / row.mean.abs();
        if within <= SMALL {
            Meaning::Converged(within)
        } else {
            Meaning::MoreGames
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fitness_is_coarse_if_most_values_are_shared() {
        assert!(are_coarse(&[0.0, 1.0, 1.0, 0.0, 1.0]));
        assert!(are_coarse(&[0.5, 0.5, 0.5, 0.25, 1.0]));
        assert!(!are_coarse(&[0.5, 0.5, 0.75, 0.25]));
        assert!(!are_coarse(&[1.0, 2.0, 3.0]));
        // Candidates that fail say nothing about the values of the others.
        let failed = f64::NEG_INFINITY;
        assert!(!are_coarse(&[failed, failed, failed, 1.0, 2.0]));
        assert!(!are_coarse(&[failed, f64::NAN]));
    }
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    /// A uniform number with mean 0 and variance 1.
    fn noise(stream: &mut Xoshiro256PlusPlus) -> f64 {
        let uniform = (stream.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        (uniform - 0.5) * 12f64.sqrt()
    }

    #[test]
    fn a_worked_example() {
        let fitness = [4.0, 8.0, 6.0, 2.0];
        let signal = Signal::of(&fitness, 2.0);
        assert_eq!((signal.mean, signal.noise), (5.0, 4.0));
        assert!((signal.observed - 20.0 / 3.0).abs() < 1e-12);
        assert!((signal.variance() - 8.0 / 3.0).abs() < 1e-12);
        assert!((signal.share() - 0.4).abs() < 1e-12);
        // The best ranks have 8 and 6: 0.75 x 8 + 0.25 x 6 - 5 = 2.5.
        assert!((signal.shrunk(8.0) - 6.2).abs() < 1e-12);
        assert!((signal.gain(&fitness, &[0.75, 0.25]) - 1.0).abs() < 1e-12);
        // Five weights for the four candidates that were not refused: (8 + 6 + 4 + 2) / 4 - 5 = 0.
        assert!(signal.gain(&fitness, &[0.2; 5]).abs() < 1e-12);
    }

    #[test]
    fn without_signal_or_noise_there_is_no_share() {
        assert_eq!(Signal::of(&[3.0; 5], 0.0).share(), 0.0);
        assert_eq!(Signal::of(&[3.0; 5], 1.0).share(), 0.0);
        assert_eq!(Signal::of(&[1.0, 2.0], 5.0).variance(), 0.0);
        assert_eq!(Signal::of(&[1.0, 2.0], 0.0).share(), 0.0);
        assert_eq!(Signal::of(&[1.0, 2.0], 0.0).shrunk(2.0), 2.0);
        assert_eq!(Signal::of(&[1.0], 0.5).observed, 0.0);
        let negative = Signal::of(&[-90.0, -110.0], 1.0);
        assert!((negative.share() - 199.0 / 200.0).abs() < 1e-12);
    }

    /// Simulates 12 candidates with true values of variance 4 on 50 seeds. `shared` is the part of the noise
    /// that belongs to the seed. Returns means over many generations: estimated signal, true gain, estimated
    /// gain.
    fn simulated(shared: f64, by_residual: bool) -> [f64; 3] {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(9);
        let mut sums = [0.0; 3];
        let (candidates, seeds, generations) = (12, 50, 3000);
        let weights = [0.5, 0.3, 0.2];
        for _ in 0..generations {
            let of_seed: Vec<f64> = (0..seeds)
                .map(|_| 9.0 * shared.sqrt() * noise(&mut stream))
                .collect();
            let mut common = CommonSeeds::default();
            let mut found = Vec::new();
            let mut own = Vec::new();
            for _ in 0..candidates {
                let truth = 2.0 * noise(&mut stream);
                let rest = 9.0 * (1.0 - shared).sqrt();
                let games: Vec<f64> = of_seed
                    .iter()
                    .map(|seed| 50.0 + truth + seed + rest * noise(&mut stream))
                    .collect();
                common.add(&games);
                own.push(squares(&games) / 49.0 / 50.0);
                found.push((mean(&games), truth));
            }
            let fitness: Vec<f64> = found.iter().map(|(fitness, _)| *fitness).collect();
            let noise = if by_residual {
                common.noise()
            } else {
                mean(&own).sqrt()
            };
            let signal = Signal::of(&fitness, noise);
            let truths: Vec<f64> = found.iter().map(|(_, truth)| *truth).collect();
            let average = mean(&truths);
            found.sort_by(|one, other| other.0.total_cmp(&one.0));
            let selected = found
                .iter()
                .zip(weights)
                .map(|((_, truth), weight)| weight * truth);
            sums[0] += signal.observed - signal.noise;
            sums[1] += selected.sum::<f64>() - average;
            sums[2] += signal.gain(&fitness, &weights);
        }
        sums.map(|sum| sum / f64::from(generations))
    }

    #[test]
    fn the_estimates_agree_with_the_truth() {
        for shared in [0.0, 0.5, 0.9] {
            let [signal, truth, gain] = simulated(shared, true);
            assert!((signal - 4.0).abs() < 0.1, "{shared}: signal {signal}");
            assert!(
                (gain / truth - 1.0).abs() < 0.04,
                "{shared}: gain {gain}, in truth {truth}"
            );
        }
        // Standard errors of the candidates count shared effects as noise too.
        let [signal, ..] = simulated(0.9, false);
        assert!(signal < 3.0, "{signal}");
    }

    /// The number of searches out of 100 that seem to have little signal at first, for 20 candidates with 5
    /// games each. `share` is the true share of the signal in the variance.
    fn little_at_first(share: f64) -> f64 {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(5);
        let row = crate::results::example::run(2, 1, 2).generations.remove(0);
        let mut generation = || {
            let (mut common, mut fitness) = (CommonSeeds::default(), Vec::new());
            for _ in 0..20 {
                let truth = (share / (1.0 - share)).sqrt() * noise(&mut stream);
                let games = [(); 5].map(|()| truth + 5f64.sqrt() * noise(&mut stream));
                common.add(&games);
                fitness.push(mean(&games));
            }
            let residual = common.noise();
            GenerationRow {
                residual,
                signal: Signal::of(&fitness, residual).share(),
                ..row.clone()
            }
        };
        let searches = 2000;
        let little = (0..searches).filter(|_| {
            let first: Vec<_> = (0..FIRST_GENERATIONS).map(|_| generation()).collect();
            first_share(&first).is_some_and(|share| share < fitting(0.5)[0])
        });
        100.0 * little.count() as f64 / f64::from(searches)
    }

    #[test]
    fn little_signal_in_the_first_generations_is_seen() {
        assert!(little_at_first(0.0) > 85.0);
        assert!(little_at_first(0.5) < 1.0);
    }

    #[test]
    fn the_residual_is_that_of_the_definition() {
        let games = [[1.0, 2.0, 6.0], [2.0, 1.0, 9.0]];
        let mut common = CommonSeeds::default();
        games.iter().for_each(|games| common.add(games));
        // Residuals of candidate 0: x - mean_c - mean_s + mean = 0, 1, -1 with means 3, 4; 1.5, 1.5, 7.5.
        let squares = 2.0 * (0.0 + 1.0 + 1.0);
        assert!((common.noise() - (squares / 2.0 / 3.0f64).sqrt()).abs() < 1e-12);
        assert_eq!(CommonSeeds::default().noise(), 0.0);
        // A function without noise. Rounding changes the mean slightly.
        let mut exact = CommonSeeds::default();
        for value in [0.21, 0.1, 0.7] {
            exact.add(&[value; 5]);
        }
        assert_eq!(exact.noise(), 0.0);
    }
}
