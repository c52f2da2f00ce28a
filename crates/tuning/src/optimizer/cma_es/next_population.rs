//! Computes the next population of a live instance of the `cmaes` crate before the instance samples it.
//!
//! The crate samples z ~ N(0, I) for every coordinate of every candidate from a generator that has no other
//! use, and evaluates mean + sigma B D z. The mean and sigma of an instance are readable. B D follows from its
//! covariance matrix by the same eigendecomposition as in the crate, at the generations in which the crate
//! computes it. The z come from a second instance with the same seed and population, whose distribution is N(0,
//! I) and never changes: its objective returns NaN at the end of every generation, and the crate then makes no
//! update. The cost of a population therefore does not grow with the number of generations, and its points are
//! bit-identical. A replay of all generations is the definition; the tests compare both.

use std::sync::{Arc, Mutex, PoisonError};

use cmaes::{CMAES, CMAESOptions, DVector, Mode, ObjectiveFunction};
use nalgebra::DMatrix;

/// Computes the populations of one instance.
pub(super) struct NextPopulation {
    /// The second instance, which samples N(0, I).
    sampler: CMAES<Recording>,
    samples: Arc<Mutex<Vec<DVector<f64>>>>,
    /// The matrix B D of the live instance.
    transform: DMatrix<f64>,
    /// Number of generations since the last eigendecomposition of the live instance.
    since: usize,
    /// The samples z of the next population; `None` if they have not been drawn.
    next: Option<Vec<DVector<f64>>>,
}

/// The objective of the second instance. It records the points, and returns NaN at the last point of a
/// generation.
struct Recording {
    samples: Arc<Mutex<Vec<DVector<f64>>>>,
    population: usize,
}

impl ObjectiveFunction for Recording {
    fn evaluate(&mut self, point: &DVector<f64>) -> f64 {
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        samples.push(point.clone());
        if samples.len() == self.population {
            f64::NAN
        } else {
            0.0
        }
    }
}

impl NextPopulation {
    /// For an instance with these parameters that has not sampled yet.
    pub(super) fn new(dimension: usize, population: usize, seed: u64) -> Self {
        let samples = Arc::default();
        let objective = Recording {
            samples: Arc::clone(&samples),
            population,
        };
        let options = CMAESOptions::new(vec![0.0; dimension], 1.0)
            .mode(Mode::Maximize)
            .population_size(population)
            .seed(seed);
        let sampler = options.build(objective);
        NextPopulation {
            sampler: sampler.expect("the instance has the same parameters"),
            samples,
            transform: DMatrix::identity(dimension, dimension),
            since: 0,
            next: None,
        }
    }

    /// The points that the live instance will sample next.
    pub(super) fn population<F>(&mut self, live: &CMAES<F>) -> Vec<DVector<f64>> {
        let transform = &self.transform;
        let point = |z: &DVector<f64>| {
            let step = transform * z.clone();
            live.mean() + live.sigma() * &step
        };
        let steps = self
            .next
            .get_or_insert_with(|| sample(&mut self.sampler, &self.samples));
        steps.iter().map(point).collect()
    }

    /// Follows the live instance into its next generation.
    pub(super) fn advance<F>(&mut self, live: &CMAES<F>) {
        if self.next.take().is_none() {
            sample(&mut self.sampler, &self.samples);
        }
        self.since += 1;
        if self.since < live.generations_per_eigen_update() {
            return;
        }
        self.since = 0;
        // These are the settings of the crate. If the decomposition fails, the instance has stopped too.
        let eigen = live
            .covariance_matrix()
            .clone()
            .try_symmetric_eigen(1e-20, 0);
        let Some(mut eigen) = eigen else {
            return;
        };
        for mut axis in eigen.eigenvectors.column_iter_mut() {
            axis.normalize_mut();
        }
        let lengths = DMatrix::from_diagonal(&eigen.eigenvalues.map(f64::sqrt));
        self.transform = &eigen.eigenvectors * &lengths;
    }
}

/// Draws the samples z of the next population.
fn sample(sampler: &mut CMAES<Recording>, samples: &Mutex<Vec<DVector<f64>>>) -> Vec<DVector<f64>> {
    // The generation ends at the NaN, as intended.
    let _ = sampler.next();
    std::mem::take(&mut *samples.lock().unwrap_or_else(PoisonError::into_inner))
}
