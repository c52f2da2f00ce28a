//! The state of CMA-ES and its update (Hansen, arXiv:1604.00772, figure 6): mean, step size, covariance matrix
//! and the two evolution paths. It equals that of the crate `cmaes` for the same ranked steps; a test compares
//! them. On top of it the scale of each coordinate can be learned faster than the rest of C, random ranks need not
//! shrink the distribution, and luck that favours a direction need not widen it. This module must not sample.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::constants::Constants;
use crate::optimizer::cma_es::basis::correlations;

/// A search distribution N(mean, sigma^2 C) and what it has learned.
pub(super) struct Evolution {
    pub constants: Constants,
    pub mean: DVector<f64>,
    /// The step size. C is kept at a volume of about 1, so that this is the size of a step.
    pub sigma: f64,
    /// Whether random ranks keep the volume of the distribution, on average ([`Evolution::keep_volume`]).
    pub keeps_volume: bool,
    /// C.
    pub covariance: DMatrix<f64>,
    /// The principal axes of C at the last decomposition, B.
    axes: DMatrix<f64>,
    /// B D: turns a vector of N(0, I) into one of N(0, C) at the last decomposition.
    pub transform: DMatrix<f64>,
    /// The square roots of the eigenvalues of C at the last decomposition, D.
    lengths: DVector<f64>,
    /// C^(-1/2) at the last decomposition.
    inverse_root: DMatrix<f64>,
    /// Condition number of the correlations of C at the last decomposition.
    condition_of_correlations: f64,
    path_sigma: DVector<f64>,
    path_covariance: DVector<f64>,
    variance_of_steps: StepVariance,
    /// How clear it is that luck favours a direction ([`StepVariance::with`]).
    pub luck: f64,
    generation: i32,
    since_decomposition: usize,
}

/// The variance of recombined steps, divided by that under random ranks: half of the mean square of the change from one step to
/// the next (von Neumann 1941), over the latest generations. What steps have in common, a direction in which all becomes
/// better, does not count.
#[derive(Clone)]
struct StepVariance {
    /// The latest recombined step, in steps of N(0, I).
    latest: Option<DVector<f64>>,
    mean: f64,
}

impl StepVariance {
    /// The variance with one more step, and how clear it is that luck favours a direction: 0 (not at all) to 1.
    fn with(&mut self, step: &DVector<f64>, constants: &Constants) -> [f64; 2] {
        let numbers = constants.dimension as f64;
        if let Some(latest) = self.latest.replace(step.clone()) {
            let half_square = (step - latest).norm_squared() / 2.0;
            let variance = constants.mass * half_square / numbers;
            self.mean += constants.variance_rate * (variance - self.mean);
        }
        // Where one direction decides all ranks, the squared step along it is about 1, and 1 / mass where ranks are random. Only
        // an excess of more than half of that counts, because smaller ones come and go by chance; with a small population so do
        // larger ones.
        let share = (self.mean - 1.0) * numbers / constants.mass;
        let rate = constants.variance_rate;
        let standard_error = (3.0 / numbers * rate / (2.0 - rate)).sqrt();
        let by_chance = 3.0 * standard_error * numbers / constants.mass;
        [
            self.mean,
            (share / by_chance.max(0.5) - 1.0).clamp(0.0, 1.0),
        ]
    }
}

/// The covariance matrix is no longer positive definite.
#[derive(Debug)]
pub(super) struct NotPositiveDefinite;

impl Evolution {
    /// The state before the first generation.
    ///
    /// # Errors
    /// If the covariance matrix is not positive definite.
    pub fn new(
        constants: Constants,
        mean: DVector<f64>,
        sigma: f64,
        covariance: DMatrix<f64>,
    ) -> Result<Self, NotPositiveDefinite> {
        let n = constants.dimension;
        let mut evolution = Evolution {
            constants,
            mean,
            sigma,
            keeps_volume: false,
            covariance,
            axes: DMatrix::identity(n, n),
            transform: DMatrix::identity(n, n),
            lengths: DVector::repeat(n, 1.0),
            inverse_root: DMatrix::identity(n, n),
            condition_of_correlations: 1.0,
            path_sigma: DVector::zeros(n),
            path_covariance: DVector::zeros(n),
            variance_of_steps: StepVariance {
                latest: None,
                mean: 1.0,
            },
            luck: 0.0,
            generation: 0,
            since_decomposition: 0,
        };
        if evolution.covariance != evolution.transform {
            evolution.decompose()?;
        }
        Ok(evolution)
    }

    /// Updates the state with the steps y of a generation, best first; the candidates are mean + sigma stretch
    /// y, where `stretch` has a factor for each coordinate.
    ///
    /// # Errors
    /// If the covariance matrix is no longer positive definite.
    pub fn update(
        &mut self,
        ranked: &[&DVector<f64>],
        stretch: &DVector<f64>,
    ) -> Result<(), NotPositiveDefinite> {
        let Constants {
            ref weights,
            selected,
            mass,
            path_rate,
            damping,
            path_rate_covariance,
            rank_one,
            rank_mu,
            mean_rate,
            expected_length,
            dimension,
            ..
        } = self.constants;
        let mut step = DVector::zeros(dimension);
        for (weight, &one) in weights[..selected].iter().zip(ranked) {
            step.axpy(*weight, one, 1.0);
        }
        let moved = step.component_mul(stretch);
        self.mean.axpy(mean_rate * self.sigma, &moved, 1.0);

        let whitened = &self.inverse_root * &step;
        // Where luck favours a direction, the paths must not grow with the steps, and C must not learn from the ranks.
        let [variance, luck] = self.variance_of_steps.with(&whitened, &self.constants);
        self.luck = luck;
        let mass = mass / (1.0 + luck * (variance - 1.0));
        let learned = 1.0 - luck;
        let [rank_one, rank_mu] = [learned * rank_one, learned * rank_mu];
        let factor = (path_rate * (2.0 - path_rate) * mass).sqrt();
        self.path_sigma *= 1.0 - path_rate;
        self.path_sigma.axpy(factor, &whitened, 1.0);
        self.generation += 1;
        let length = self.path_sigma.norm();
        // The path starts at 0, so it is short in the first generations.
        let grown = 1.0 - (1.0 - path_rate).powi(2 * self.generation);
        let limit = (1.4 + 2.0 / (dimension as f64 + 1.0)) * expected_length;
        let is_short = length / grown.sqrt() < limit;

        self.path_covariance *= 1.0 - path_rate_covariance;
        let spread = path_rate_covariance * (2.0 - path_rate_covariance);
        if is_short {
            self.path_covariance
                .axpy((spread * mass).sqrt(), &step, 1.0);
        }
        self.sigma *= libm::exp(path_rate / damping * (length / expected_length - 1.0));

        let lost = if is_short { 0.0 } else { rank_one * spread };
        let sum: f64 = weights.iter().sum();
        let mut next = &self.covariance * (1.0 + lost - rank_one - rank_mu * sum);
        next.ger(rank_one, &self.path_covariance, &self.path_covariance, 1.0);
        for (weight, &one) in weights.iter().zip(ranked) {
            let mut weight = rank_mu * weight;
            if weight < 0.0 {
                // Keeps C positive definite (equation 46).
                weight *= dimension as f64 / (&self.inverse_root * one).norm_squared();
            }
            next.ger(weight, one, one, 1.0);
        }
        next.fill_lower_triangle_with_upper_triangle();
        if let Some(rates) = self.constants.of_scales {
            let rates = rates.map(|rate| learned * rate);
            let factors = self.factors_of_scales(rates, ranked, is_short);
            next.component_mul_assign(&(&factors * factors.transpose()));
        }
        if self.keeps_volume {
            self.keep_volume(&mut next);
        }
        self.covariance = next;
        self.since_decomposition += 1;
        if self.since_decomposition < self.constants.generations_per_decomposition {
            return Ok(());
        }
        self.since_decomposition = 0;
        self.decompose()
    }

    /// The factors by which the scales of the coordinates change: steps that are white under C have a variance of 1 in
    /// each coordinate, and the factor follows where that of the selected steps is another one. Strong correlations
    /// slow it down, because scales of single coordinates say little then (arXiv:1905.05885, section 4).
    fn factors_of_scales(
        &self,
        [rank_one, rank_mu]: [f64; 2],
        ranked: &[&DVector<f64>],
        is_short: bool,
    ) -> DVector<f64> {
        let dimension = self.constants.dimension;
        let squared = |of: &DVector<f64>| (&self.inverse_root * of).map(|z| z * z);
        let mut excess = DVector::zeros(dimension);
        if is_short {
            excess += rank_one * squared(&self.path_covariance).add_scalar(-1.0);
        }
        for (&weight, &one) in self.constants.weights.iter().zip(ranked) {
            let squares = squared(one);
            let length = squares.sum();
            let scale = if weight < 0.0 {
                dimension as f64 / length
            } else {
                1.0
            };
            excess += rank_mu * weight * (scale * squares).add_scalar(-1.0);
        }
        let damping = (self.condition_of_correlations.sqrt() - 1.0).max(1.0);
        excess.map(|excess| libm::exp(0.5 * excess / damping))
    }

    /// Gives the next C the volume that the second order of the update takes from it. What an update adds to the logarithm of the volume is to
    /// first order tr(C^-1 C') - n, which is 0 on average if ranks are random. The determinant of C' is smaller, by about half
    /// of the squared change: where fitness is only noise, each generation shrinks the distribution by a percent or so, and
    /// the search ends at a point that nothing has shown to be good. An update by the matrix exponential has not this fault
    /// (xNES, Glasmachers et al. 2010). Some shrinking remains, less than half, with the evolution path of the matrix.
    fn keep_volume(&self, next: &mut DMatrix<f64>) {
        let n = self.constants.dimension as f64;
        // A matrix that is no longer positive definite ends the restart at its decomposition.
        let before = self.covariance.clone().cholesky();
        let Some((before, after)) = before.zip(next.clone().cholesky()) else {
            return;
        };
        let first_order = before.solve(next).trace() - n;
        let lengths = |matrix: &Cholesky<f64, Dyn>| matrix.l_dirty().diagonal();
        let ratios = lengths(&after).component_div(&lengths(&before));
        let change: f64 = ratios.iter().map(|ratio| 2.0 * libm::log(*ratio)).sum();
        *next *= libm::exp((first_order - change) / n);
    }

    /// Gives C a volume of about 1 and sigma the rest: the one can grow while the other shrinks, with few numbers by powers of ten
    /// in a hundred generations. The factor is a power of two, so nothing is rounded and the distribution is the same.
    fn move_volume_to_sigma(&mut self) {
        let sum: f64 = self.lengths.iter().map(|one| libm::log2(*one)).sum();
        let factor = libm::exp2((sum / self.lengths.len() as f64).round());
        self.sigma *= factor;
        self.covariance /= factor * factor;
        self.lengths /= factor;
        self.path_covariance /= factor;
    }

    fn decompose(&mut self) -> Result<(), NotPositiveDefinite> {
        let eigen = self.covariance.clone().try_symmetric_eigen(1e-20, 0);
        let mut eigen = eigen.ok_or(NotPositiveDefinite)?;
        // Also false for NaN.
        if !eigen.eigenvalues.iter().all(|value| *value > 0.0) {
            return Err(NotPositiveDefinite);
        }
        for mut axis in eigen.eigenvectors.column_iter_mut() {
            axis.normalize_mut();
        }
        self.lengths = eigen.eigenvalues.map(f64::sqrt);
        self.move_volume_to_sigma();
        let axes = eigen.eigenvectors;
        self.transform = &axes * DMatrix::from_diagonal(&self.lengths);
        let inverse = DMatrix::from_diagonal(&self.lengths.map(f64::recip));
        self.inverse_root = &axes * inverse * axes.transpose();
        self.axes = axes;
        if self.constants.of_scales.is_some() {
            let correlations = correlations(&self.covariance);
            let n = correlations.len();
            let values = DMatrix::from_fn(n, n, |i, j| correlations[i][j]).symmetric_eigenvalues();
            self.condition_of_correlations = values.max() / values.min().max(f64::MIN_POSITIVE);
        }
        Ok(())
    }

    /// The standard deviation along the longest principal axis at the last decomposition.
    pub fn longest(&self) -> f64 {
        self.sigma * self.lengths.max()
    }

    /// True if a step of 0.1 standard deviations along a principal axis is lost in rounding (NoEffectAxis). Each
    /// generation looks at another axis.
    pub fn has_axis_without_effect(&self) -> bool {
        let index = self.generation as usize % self.lengths.len();
        let step = 0.1 * self.sigma * self.lengths[index] * self.axes.column(index);
        self.mean == &self.mean + step
    }

    /// Ratio of the longest to the shortest principal axis at the last decomposition.
    pub fn axis_ratio(&self) -> f64 {
        self.lengths.max() / self.lengths.min()
    }

    /// The standard deviation of each coordinate. A variance can be slightly below 0 if C is no longer positive
    /// definite.
    pub fn deviations(&self) -> DVector<f64> {
        let variances = self.covariance.diagonal();
        variances.map(|variance| self.sigma * variance.max(0.0).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::super::samples::{Sampler, Samples};
    use super::*;

    /// Runs the crate and this module on the samples of the crate and compares mean, step size and covariance
    /// matrix after each generation.
    fn follows_the_crate(dimension: usize, population: usize, generations: u32) {
        let loss = |x: &DVector<f64>| -> f64 {
            let terms = x.iter().enumerate();
            // An ellipsoid with correlated axes, and ripples for ranks without structure.
            let squares = terms.map(|(i, x)| 10f64.powf(i as f64 / 3.0) * (x - 0.2).powi(2));
            squares.sum::<f64>() + x.sum().powi(2) + 0.1 * (50.0 * x.sum()).sin()
        };
        let seen = RefCell::new(Vec::new());
        let objective = |x: &DVector<f64>| {
            let value = loss(x);
            seen.borrow_mut().push((x.clone(), value));
            value
        };
        let start = DVector::repeat(dimension, 0.5);
        let mut theirs = cmaes::CMAESOptions::new(start.clone(), 0.3)
            .cm(0.7)
            .population_size(population)
            .seed(dimension as u64)
            .build(objective)
            .unwrap();
        let constants = Constants::new(dimension, population, 0.7);
        let identity = DMatrix::identity(dimension, dimension);
        let mut ours = Evolution::new(constants, start, 0.3, identity).unwrap();
        let stretch = DVector::repeat(dimension, 1.0);
        for generation in 0..generations {
            let _ = theirs.next();
            let mut candidates = seen.borrow_mut().split_off(0);
            candidates.sort_by(|one, other| one.1.total_cmp(&other.1));
            let steps = candidates
                .iter()
                .map(|(x, _)| (x - &ours.mean) / ours.sigma);
            let steps: Vec<DVector<f64>> = steps.collect();
            ours.update(&steps.iter().collect::<Vec<_>>(), &stretch)
                .unwrap();
            let close = |one: f64, other: f64| {
                let size = other.abs().max(1.0);
                assert!(
                    (one - other).abs() <= 1e-9 * size,
                    "{dimension}, {generation}: {one} {other}"
                );
            };
            close(ours.axis_ratio() / theirs.axis_ratio(), 1.0);
            for (one, other) in ours.mean.iter().zip(theirs.mean().iter()) {
                close(*one, *other);
            }
            // Their sigma and C drift apart.
            let covariance = theirs.covariance_matrix() * theirs.sigma().powi(2);
            let size = covariance.amax();
            let of_ours = &ours.covariance * ours.sigma.powi(2);
            for (one, other) in of_ours.iter().zip(covariance.iter()) {
                close(one / size, other / size);
            }
        }
    }

    #[test]
    fn sigma_is_the_size_of_a_step_for_ever() {
        // The optimum is another one in each generation, as with games on other seeds. In such a search of two numbers sigma
        // once grew by a factor of ten million in 150 generations, and C shrank.
        // Without the measured variance, with which this search ends at a point.
        let constants = Constants {
            variance_rate: 0.0,
            ..Constants::new(2, 20, 1.0).of_mirrored()
        };
        let (mean, identity) = (DVector::zeros(2), DMatrix::identity(2, 2));
        let mut evolution = Evolution::new(constants, mean, 0.1, identity).unwrap();
        let mut sampler = Sampler::new(Samples::Mirrored, 2, 20, 1);
        let stretch = DVector::repeat(2, 1.0);
        for generation in 0..5000 {
            let transform = &evolution.transform;
            let mut steps: Vec<_> = sampler.next().iter().map(|z| transform * z).collect();
            let target = DVector::from_fn(2, |axis, _| {
                0.01 * (f64::from(generation) * (axis + 2) as f64).sin()
            });
            let loss =
                |step: &DVector<f64>| (&evolution.mean + evolution.sigma * step - &target).norm();
            steps.sort_by(|one, other| loss(one).total_cmp(&loss(other)));
            evolution
                .update(&steps.iter().collect::<Vec<_>>(), &stretch)
                .unwrap();
            let volume: f64 = evolution.lengths.product();
            assert!((0.5..=2.0).contains(&volume), "{generation}: {volume}");
        }
        assert!(evolution.longest() < 0.1, "{}", evolution.longest());
    }

    #[test]
    fn the_volume_changes_by_the_first_order_of_the_update() {
        let constants = Constants::new(3, 12, 1.0).of_mirrored().with_scales();
        let (start, identity) = (DVector::zeros(3), DMatrix::identity(3, 3));
        let mut kept = Evolution::new(constants.clone(), start, 1.0, identity).unwrap();
        kept.keeps_volume = true;
        let stretch = DVector::repeat(3, 1.0);
        for generation in 0..20 {
            let step = |candidate: u32| {
                let part = |axis: usize| {
                    f64::from(candidate * 7 + generation * 13 + axis as u32 * 29).sin()
                };
                &kept.transform * DVector::from_fn(3, |axis, _| 1.5 * part(axis))
            };
            let steps: Vec<DVector<f64>> = (0..12).map(step).collect();
            let ranked: Vec<&DVector<f64>> = steps.iter().collect();
            // The same update without the change of the volume.
            let mut plain = Evolution {
                constants: constants.clone(),
                keeps_volume: false,
                covariance: kept.covariance.clone(),
                axes: kept.axes.clone(),
                transform: kept.transform.clone(),
                lengths: kept.lengths.clone(),
                inverse_root: kept.inverse_root.clone(),
                path_sigma: kept.path_sigma.clone(),
                path_covariance: kept.path_covariance.clone(),
                mean: kept.mean.clone(),
                variance_of_steps: kept.variance_of_steps.clone(),
                ..kept
            };
            let (sigma, before) = (kept.sigma, kept.covariance.clone());
            plain.update(&ranked, &stretch).unwrap();
            kept.update(&ranked, &stretch).unwrap();
            // The update moves volume from C to sigma.
            let Constants {
                path_rate,
                damping,
                expected_length,
                ..
            } = constants;
            let grown =
                (path_rate / damping * (kept.path_sigma.norm() / expected_length - 1.0)).exp();
            let moved = kept.sigma / (sigma * grown);
            let next = &kept.covariance * moved.powi(2);
            let plain = &plain.covariance * (plain.sigma / (sigma * grown)).powi(2);
            let change = (next.determinant() / before.determinant()).ln();
            let first_order = (before.try_inverse().unwrap() * &plain).trace();
            assert!((change - (first_order - 3.0)).abs() < 1e-9, "{change}");
            // Nothing but the volume differs.
            let ratio = next.component_div(&plain);
            assert!(ratio.max() - ratio.min() < 1e-9 && ratio.min() > 1.0);
        }
    }

    /// The mean of [`StepVariance`]'s clearness over many generations with random ranks.
    fn luck_by_chance(dimension: usize, population: usize) -> f64 {
        let constants = Constants::new(dimension, population, 1.0).of_mirrored();
        let mut sampler = Sampler::new(Samples::Mirrored, dimension, population, 1);
        let mut ranks = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut variance = StepVariance {
            latest: None,
            mean: 1.0,
        };
        let generations = 20_000;
        let luck = (0..generations).map(|_| {
            let mut candidates = sampler.next();
            candidates.sort_by_cached_key(|_| ranks.next_u64());
            let mut step = DVector::zeros(dimension);
            for (weight, one) in constants.weights[..constants.selected]
                .iter()
                .zip(&candidates)
            {
                step.axpy(*weight, one, 1.0);
            }
            let [_, luck] = variance.with(&step, &constants);
            luck
        });
        luck.sum::<f64>() / f64::from(generations)
    }

    #[test]
    fn chance_is_no_luck_that_favours_a_direction() {
        for (dimension, population) in [(1, 4), (2, 6), (4, 6), (4, 10), (13, 34), (40, 16)] {
            let luck = luck_by_chance(dimension, population);
            assert!(luck < 0.01, "{dimension}, {population}: {luck}");
        }
    }

    #[test]
    fn updates_are_those_of_the_crate_on_the_same_samples() {
        for (dimension, population, generations) in [
            (1, 4, 20),
            (2, 5, 30),
            (6, 27, 40),
            (14, 33, 40),
            (40, 45, 25),
        ] {
            follows_the_crate(dimension, population, generations);
        }
    }
}
