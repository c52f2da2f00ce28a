//! The next population of a live instance of the `cmaes` crate, before the instance samples it.
//!
//! The crate samples z ~ N(0, I) for every coordinate of every candidate from a generator that nothing else
//! uses, and evaluates mean + sigma B D z. Mean and sigma of an instance can be read. B D follows from its
//! covariance matrix by the eigendecomposition that the crate uses, at the generations at which the crate
//! computes it. The z come from a second instance with the same seed and population, whose distribution is
//! N(0, I) and never changes: its objective ends every generation with NaN, after which the crate does not
//! update. So the cost of a population does not grow with the number of generations, and its points are
//! the same bits. A replay of all generations is the definition; the tests compare the two.

use std::sync::{Arc, Mutex, PoisonError};

use cmaes::{CMAES, CMAESOptions, DVector, Mode, ObjectiveFunction};
use nalgebra::DMatrix;

/// Computes the populations of an instance.
pub(super) struct NextPopulation {
    /// Samples N(0, I).
    sampler: CMAES<Recording>,
    samples: Arc<Mutex<Vec<DVector<f64>>>>,
    /// B D of the instance.
    transform: DMatrix<f64>,
    /// Generations since its last eigendecomposition.
    since: usize,
    /// The steps of the next population, if they are sampled.
    next: Option<Vec<DVector<f64>>>,
}

/// The objective of the second instance: it keeps the points, and is NaN at the last of a generation.
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
    /// Of an instance with these parameters that has not sampled yet.
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

    /// The points that the instance samples next.
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

    /// Follows the instance into its next generation.
    pub(super) fn advance<F>(&mut self, live: &CMAES<F>) {
        if self.next.take().is_none() {
            sample(&mut self.sampler, &self.samples);
        }
        self.since += 1;
        if self.since < live.generations_per_eigen_update() {
            return;
        }
        self.since = 0;
        // The settings of the crate. Without a decomposition the instance has stopped.
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

/// The steps of the next population.
fn sample(sampler: &mut CMAES<Recording>, samples: &Mutex<Vec<DVector<f64>>>) -> Vec<DVector<f64>> {
    // It ends at the NaN.
    let _ = sampler.next();
    std::mem::take(&mut *samples.lock().unwrap_or_else(PoisonError::into_inner))
}
