//! What the optimizer needs of one restart of an evolution strategy. A restart must not depend on other
//! restarts.

use nalgebra::DMatrix;

use super::Options;
use super::schedule::Plan;
use super::stagnation::Level;
use crate::optimizer::space::MARGIN;
use crate::optimizer::{Distribution, Noise, StopReason};

/// One restart.
pub(super) trait Strategy: Send + Sized {
    /// The settings that only this strategy has.
    type Settings: Clone + Send;

    /// Starts a restart. The options must be checked.
    fn begin(options: &Options, settings: &Self::Settings, plan: Plan) -> Self;

    /// The next population, in search coordinates.
    fn ask(&mut self) -> Vec<Vec<f64>>;

    /// Updates the distribution with the fitness of the population and applies the stop rules. `noise` is that
    /// of `Optimizer::tell`.
    fn tell(&mut self, fitness: &[f64], noise: Noise);

    /// The population of the last `tell`; empty before the first `tell`.
    fn last_population(&self) -> Vec<Vec<f64>>;

    /// The reason why the restart has ended; `None` while it runs.
    fn stop(&self) -> Option<StopReason>;

    /// Number of candidates per generation.
    fn population(&self) -> usize;

    /// The mean fitness of the latest generations; `None` before there are enough.
    fn level(&self) -> Option<Level>;

    /// Number of generations so far.
    fn generations(&self) -> u32;

    /// That of `Optimizer`.
    fn directed_luck(&self) -> f64 {
        0.0
    }

    /// Recombination weights of the selected candidates, best first. Their sum is 1.
    fn weights(&self) -> Vec<f64>;

    /// The search distribution N(mean, sigma^2 C) in search coordinates. The standard deviations are sigma *
    /// sqrt(C_ii), the correlations C_ij / sqrt(C_ii C_jj).
    fn distribution(&self) -> Distribution;

    /// The size of a step ([`step_size`]), and the ratio of the longest to the shortest principal axis of C at its
    /// last eigendecomposition. Both are in the coordinates in which the search started with equal standard
    /// deviations.
    fn diagnostics(&self) -> [f64; 2];

    /// Number of evaluations so far.
    fn evaluations(&self) -> u64 {
        u64::from(self.generations()) * self.population() as u64
    }
}

/// The geometric mean of the standard deviations of N(0, sigma^2 C) along its principal axes. `sigma` alone says little: it can
/// grow while C shrinks. It is `sigma` if C is not positive definite.
pub(super) fn step_size(sigma: f64, covariance: &DMatrix<f64>) -> f64 {
    let Some(root) = covariance.clone().cholesky() else {
        return sigma;
    };
    let lengths = root.l_dirty().diagonal();
    let sum: f64 = lengths.iter().map(|one| libm::log(*one)).sum();
    sigma * libm::exp(sum / lengths.len() as f64)
}

/// True if a step of 0.2 standard deviations is lost in rounding (NoEffectCoord; Hansen, arXiv:1604.00772, appendix B.3, whose
/// formula has the variance in place of the standard deviation of its text).
pub(super) fn is_lost(center: f64, deviation: f64) -> bool {
    center == center + 0.2 * deviation
}

/// Squared distance of a point from the box of the bounds, including its margins.
pub(super) fn squared_distance_from_box(point: &[f64]) -> f64 {
    let outside = |x: f64| (-MARGIN - x).max(x - (1.0 + MARGIN)).max(0.0);
    point.iter().map(|&x| outside(x) * outside(x)).sum()
}
