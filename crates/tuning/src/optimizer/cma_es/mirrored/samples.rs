//! Samples of N(0, I) for the candidates of a generation: independent, or in pairs of opposite vectors.
//!
//! Both candidates of a pair play the same games. What a step changes to first order then shows in their
//! difference, and neither the games nor the curvature of the fitness disturb it. Sources: Brockhoff et al. 2010
//! (mirrored samples); Wang, Emmerich and Bäck 2014 (mirrored orthogonal samples).

use nalgebra::DVector;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::optimizer::uniform;

/// How the steps of a generation depend on each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Samples {
    /// Each step has its opposite.
    #[default]
    Mirrored,
    /// The same, and the steps of as many pairs as there are parameters are orthogonal.
    Orthogonal,
    /// All steps are independent.
    Independent,
}

/// Draws the samples of one generation after the other.
pub(super) struct Sampler {
    samples: Samples,
    dimension: usize,
    population: usize,
    stream: Xoshiro256PlusPlus,
    /// The second number of the last transformation of two uniform numbers.
    spare: Option<f64>,
}

impl Sampler {
    pub fn new(samples: Samples, dimension: usize, population: usize, seed: u64) -> Self {
        Sampler {
            samples,
            dimension,
            population,
            stream: Xoshiro256PlusPlus::seed_from_u64(seed),
            spare: None,
        }
    }

    /// The vectors z of the next generation. Opposite ones follow each other; the last one of an odd number has
    /// no opposite.
    pub fn next(&mut self) -> Vec<DVector<f64>> {
        if self.samples == Samples::Independent {
            return (0..self.population).map(|_| self.vector()).collect();
        }
        let pairs = self.population.div_ceil(2);
        let mut steps: Vec<DVector<f64>> = (0..pairs).map(|_| self.vector()).collect();
        if self.samples == Samples::Orthogonal {
            steps.chunks_mut(self.dimension).for_each(orthogonalise);
        }
        let both = steps.into_iter().flat_map(|step| [step.clone(), -step]);
        both.take(self.population).collect()
    }

    fn vector(&mut self) -> DVector<f64> {
        DVector::from_fn(self.dimension, |_, _| self.normal())
    }

    /// A number of N(0, 1) by the method of Box and Muller. `libm` gives the same bits on every platform.
    fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        // 1 - u is above 0, so that its logarithm is finite.
        let (one, other) = (1.0 - uniform(&mut self.stream), uniform(&mut self.stream));
        let radius = (-2.0 * libm::log(one)).sqrt();
        let (sin, cos) = libm::sincos(std::f64::consts::TAU * other);
        self.spare = Some(radius * sin);
        radius * cos
    }
}

/// Makes vectors orthogonal without changing their lengths (Gram and Schmidt). There are at most as many as
/// coordinates. Direction and length of a vector of N(0, I) are independent, so each vector keeps its
/// distribution.
fn orthogonalise(vectors: &mut [DVector<f64>]) {
    for index in 0..vectors.len() {
        let (before, rest) = vectors.split_at_mut(index);
        let vector = &mut rest[0];
        let length = vector.norm();
        for other in before.iter() {
            let along = vector.dot(other) / other.norm_squared();
            vector.axpy(-along, other, 1.0);
        }
        *vector *= length / vector.norm();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampler(samples: Samples, dimension: usize, population: usize) -> Sampler {
        Sampler::new(samples, dimension, population, 5)
    }

    #[test]
    fn samples_are_normal() {
        for samples in [Samples::Mirrored, Samples::Orthogonal, Samples::Independent] {
            let mut sampler = sampler(samples, 3, 8);
            let all: Vec<DVector<f64>> = (0..2000).flat_map(|_| sampler.next()).collect();
            let count = all.len() as f64;
            let mean = |value: &dyn Fn(&DVector<f64>) -> f64| -> f64 {
                all.iter().map(value).sum::<f64>() / count
            };
            // Pairs halve the number of independent squares: the tolerances are at least five standard errors.
            assert!(mean(&|z| z[1]).abs() < 0.04);
            assert!((mean(&|z| z[2] * z[2]) - 1.0).abs() < 0.08);
            assert!(mean(&|z| z[0] * z[1]).abs() < 0.06);
            assert!((mean(&|z| f64::from(z[0] < -1.0)) - 0.158_655).abs() < 0.02);
        }
    }

    #[test]
    fn pairs_are_opposite_and_orthogonal_on_request() {
        let pairs = sampler(Samples::Mirrored, 4, 7).next();
        assert_eq!(pairs.len(), 7);
        for pair in pairs.chunks_exact(2) {
            assert_eq!(pair[0], -&pair[1]);
        }
        // Six pairs in four dimensions: two blocks.
        let steps = sampler(Samples::Orthogonal, 4, 12).next();
        let steps: Vec<&DVector<f64>> = steps.iter().step_by(2).collect();
        for (block, size) in steps.chunks(4).zip([4, 2]) {
            assert_eq!(block.len(), size);
            for (index, one) in block.iter().enumerate() {
                for other in &block[..index] {
                    assert!(one.dot(other).abs() < 1e-12);
                }
            }
        }
        let alone = sampler(Samples::Independent, 4, 2).next();
        assert_ne!(alone[0], -&alone[1]);
    }
}
