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

/// Foresees the populations of an instance.
pub(super) struct Ahead {
    /// Samples N(0, I).
    dice: CMAES<Revealed>,
    thrown: Arc<Mutex<Vec<DVector<f64>>>>,
    /// B D of the instance.
    transform: DMatrix<f64>,
    /// Generations since its last eigendecomposition.
    since: usize,
    /// The steps of the next population, if they are sampled.
    next: Option<Vec<DVector<f64>>>,
}

/// The objective of the second instance: it keeps the points, and is NaN at the last of a generation.
struct Revealed {
    thrown: Arc<Mutex<Vec<DVector<f64>>>>,
    population: usize,
}

impl ObjectiveFunction for Revealed {
    fn evaluate(&mut self, point: &DVector<f64>) -> f64 {
        let mut thrown = self.thrown.lock().unwrap_or_else(PoisonError::into_inner);
        thrown.push(point.clone());
        match thrown.len() == self.population {
            true => f64::NAN,
            false => 0.0,
        }
    }
}

impl Ahead {
    /// Of an instance with these parameters that has not sampled yet.
    pub(super) fn new(dimension: usize, population: usize, seed: u64) -> Self {
        let thrown = Arc::default();
        let objective = Revealed {
            thrown: Arc::clone(&thrown),
            population,
        };
        let options = CMAESOptions::new(vec![0.0; dimension], 1.0)
            .mode(Mode::Maximize)
            .population_size(population)
            .seed(seed);
        let dice = options.build(objective);
        Ahead {
            dice: dice.expect("the instance that is foreseen has the same parameters"),
            thrown,
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
            .get_or_insert_with(|| throw(&mut self.dice, &self.thrown));
        steps.iter().map(point).collect()
    }

    /// Follows the instance into its next generation.
    pub(super) fn advance<F>(&mut self, live: &CMAES<F>) {
        if self.next.take().is_none() {
            throw(&mut self.dice, &self.thrown);
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
fn throw(dice: &mut CMAES<Revealed>, thrown: &Mutex<Vec<DVector<f64>>>) -> Vec<DVector<f64>> {
    // It ends at the NaN.
    let _ = dice.next();
    std::mem::take(&mut *thrown.lock().unwrap_or_else(PoisonError::into_inner))
}
