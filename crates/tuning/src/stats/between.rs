//! The spread of the means of several players on common seeds, and the part of it that is noise.

use super::summary::{mean, standard_deviation};

/// Collects the values of several players on common seeds, one player at a time.
///
/// The model is: value = effect of the player + effect of the seed + noise. The effect of a seed is the same
/// for all players, so it changes all means by the same amount and does not count as spread. The noise is the
/// residual of a two-way analysis of variance without repetition. If seeds have no effect, its variance is the
/// mean variance of the players' values.
#[derive(Clone, Debug, Default)]
pub struct BetweenMeans {
    means: Vec<f64>,
    /// Sum of the squared deviations of all values from the mean of their player.
    squares: f64,
    /// For each seed: the sum over the players of the deviations from the mean of the player.
    deviations: Vec<f64>,
}

impl BetweenMeans {
    /// Adds the values of a player, in the order of the seeds.
    ///
    /// # Panics
    /// If there are no values, or if their number differs from that of the earlier players.
    pub fn add(&mut self, values: &[f64]) {
        assert!(!values.is_empty(), "no values");
        if self.means.is_empty() {
            self.deviations = vec![0.0; values.len()];
        }
        assert_eq!(
            values.len(),
            self.deviations.len(),
            "values on common seeds"
        );
        let mean = mean(values);
        for (sum, value) in self.deviations.iter_mut().zip(values) {
            let deviation = value - mean;
            *sum += deviation;
            self.squares += deviation * deviation;
        }
        self.means.push(mean);
    }

    /// The means of the players.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// Standard deviation of the means (divisor: number of players - 1); 0 for fewer than two players.
    pub fn sd(&self) -> f64 {
        standard_deviation(&self.means)
    }

    /// The expected standard deviation of the means (root mean square) if all players had equal strength; 0 for
    /// fewer than two players or two seeds.
    pub fn noise_sd(&self) -> f64 {
        let (players, seeds) = (self.means.len() as f64, self.deviations.len() as f64);
        if players < 2.0 || seeds < 2.0 {
            return 0.0;
        }
        let common: f64 = self.deviations.iter().map(|sum| sum * sum).sum();
        // If the seeds explain all differences, rounding can make this slightly negative.
        let residual = (self.squares - common / players).max(0.0);
        (residual / ((players - 1.0) * (seeds - 1.0)) / seeds).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::distributions::normal_quantile;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    fn normal(stream: &mut Xoshiro256PlusPlus) -> f64 {
        normal_quantile(((stream.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64)
    }

    #[test]
    fn the_residual_is_that_of_the_definition() {
        let values = [[3.0, 5.0, 1.0], [4.0, 9.0, 2.0]];
        let mut between = BetweenMeans::default();
        values.iter().for_each(|player| between.add(player));
        // Means 3 and 5; means of the seeds 3.5, 7, 1.5; total mean 4; residuals +-0.5, -+1, +-0.5.
        assert_eq!(between.means(), [3.0, 5.0]);
        assert!((between.sd() - 2.0f64.sqrt()).abs() < 1e-15);
        let residual: f64 = 2.0 * (0.25 + 1.0 + 0.25);
        assert!((between.noise_sd() - (residual / 2.0 / 3.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn noise_is_found_and_effects_of_seeds_are_not_noise() {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(1);
        for (of_player, of_seed) in [(0.0, 0.0), (0.0, 3.0), (0.5, 3.0)] {
            let (mut squares, mut noise) = (0.0, 0.0);
            let (players, seeds, repetitions) = (5, 50, 400);
            for _ in 0..repetitions {
                let common: Vec<f64> = (0..seeds).map(|_| of_seed * normal(&mut stream)).collect();
                let mut between = BetweenMeans::default();
                for _ in 0..players {
                    let player = of_player * normal(&mut stream);
                    let value = |of_seed: &f64| player + of_seed + 2.0 * normal(&mut stream);
                    between.add(&common.iter().map(value).collect::<Vec<_>>());
                }
                squares += between.sd().powi(2);
                noise += between.noise_sd().powi(2);
            }
            let [squares, noise] = [squares, noise].map(|sum| sum / f64::from(repetitions));
            let true_noise = 4.0 / f64::from(seeds);
            assert!((noise / true_noise - 1.0).abs() < 0.05, "{noise}");
            let expected = true_noise + of_player * of_player;
            assert!((squares / expected - 1.0).abs() < 0.15, "{squares}");
        }
    }

    #[test]
    fn one_player_or_one_seed_has_no_noise() {
        let mut between = BetweenMeans::default();
        between.add(&[1.0]);
        assert_eq!((between.sd(), between.noise_sd()), (0.0, 0.0));
        between.add(&[2.0]);
        assert_eq!(between.noise_sd(), 0.0);
    }
}
