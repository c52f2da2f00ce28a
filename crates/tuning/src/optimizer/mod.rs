//! Optimizers: what proposes the candidates of a search and learns from their fitness.
//!
//! ```text
//! Space      parameters with bounds and scales <-> search coordinates     space.rs
//! OptimizerConfig     the table `[optimizer]` of a file                            config.rs
//! Optimizers the registry, which checks a configuration and builds        registry.rs
//! Optimizer  what a campaign asks and tells                               mod.rs
//! Entry      an optimizer in the registry: its name, options, diagnostics mod.rs
//! CMA-ES                                                                  cma_es.rs
//! random     uniform random search, the floor for the others              random.rs
//! StartPoints any optimizer that begins at the best of several points     start_points.rs
//! ```
//!
//! An optimizer sees only coordinates and fitness values (larger is better). It must not know games,
//! clocks or files. All its results are a pure function of (config, start, seed, fitness and noise so
//! far), so a campaign is resumed by telling it the recorded fitness again.
//!
//! A new optimizer is a file here that implements [`Optimizer`], and a row of [`Optimizers::builtin`]. Key, schema,
//! messages, `tiletune list optimizers`, tables and charts follow from its [`Entry`].
//!
//! ```
//! use tiletune_tuning::optimizer::{OptimizerConfig, Optimizers, Problem};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // The maximum is at (0.3, 0.6).
//! let fitness = |at: &Vec<f64>| -(at[0] - 0.3).powi(2) - (at[1] - 0.6).powi(2);
//! let problem = Problem::new(vec![0.5, 0.5], 1);
//! let mut optimizer = Optimizers::builtin().build(&OptimizerConfig::default(), problem)?;
//! for _ in 0..60 {
//!     if optimizer.stop_reason().is_some() {
//!         break;
//!     }
//!     let population = optimizer.ask();
//!     let fitness: Vec<f64> = population.iter().map(fitness).collect();
//!     // These values have no noise.
//!     optimizer.tell(&fitness, 0.0);
//! }
//! let center = optimizer.distribution().center;
//! assert!((center[0] - 0.3).abs() < 1e-3 && (center[1] - 0.6).abs() < 1e-3);
//! # Ok(())
//! # }
//! ```

mod cma_es;
mod config;
mod random;
mod registry;
mod space;
mod start_points;

use std::borrow::Cow;

use schemars::{Schema, SchemaGenerator};
use toml::Table;

pub use crate::results::{Diagnostic, Parameter};
pub use config::{OptimizerConfig, WithoutSignal, default_population};
pub use registry::Optimizers;
pub use space::Space;
pub use start_points::best_start;

use tiletune_engine::field_error::FieldError;

/// Makes an optimizer for a problem, or refuses a setting.
pub type Build = fn(&OptimizerConfig, Problem) -> Result<Box<dyn Optimizer>, FieldError>;

/// An optimizer in the registry.
#[derive(Debug)]
pub struct Entry {
    /// Its name, the value of the key `optimizer.name`.
    pub name: &'static str,
    /// How it searches.
    pub about: &'static str,
    /// The numbers by which it can be watched, in the order of [`Optimizer::diagnostics`].
    pub diagnostics: &'static [Diagnostic],
    /// Lines of a commented campaign file about its own options.
    pub template: &'static str,
    /// Whether it can begin with the distribution of an earlier search.
    pub takes_distribution: bool,
    /// The schema of its own options, those that not every optimizer has.
    pub options: fn(&mut SchemaGenerator) -> Schema,
    /// Checks its options and fills in their defaults.
    pub fill_in: fn(&OptimizerConfig) -> Result<Table, FieldError>,
    /// Builds it for a checked problem; see [`Entry::build`].
    pub build: Build,
}

/// What is searched.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Problem {
    /// Search coordinates of the start; length n >= 1.
    pub start: Vec<f64>,
    /// Initial standard deviation in each coordinate, as a multiple of the one that the optimizer begins
    /// with; above 0. An optimizer that begins everywhere does not use it.
    pub steps: Vec<f64>,
    /// Other points of n coordinates at which it can start; no optimizer sees them. They and `start` are the first
    /// population, and the search starts from the best of them.
    pub others: Vec<Vec<f64>>,
    /// What an earlier search has learned. Only an optimizer that [takes it](Entry::takes_distribution) is given one.
    pub learned: Option<Learned>,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// The distribution that an earlier search has learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// Standard deviation in each coordinate, above 0; `None` where the earlier search did not search.
    pub spread: Vec<Option<f64>>,
    /// Correlation of the coordinates, n rows of n, symmetric, ones on the diagonal.
    pub correlation: Vec<Vec<f64>>,
}

impl Learned {
    /// The standard deviations of the first candidates: `sigma` times the step where nothing was learned, and else the
    /// learned ones times the step.
    pub fn deviations(&self, steps: &[f64], sigma: f64) -> Vec<f64> {
        let learned = self.spread.iter().zip(steps);
        learned
            .map(|(spread, step)| spread.unwrap_or(sigma) * step)
            .collect()
    }
}

impl Problem {
    /// A search from this start with equal steps.
    pub fn new(start: Vec<f64>, seed: u64) -> Self {
        let steps = vec![1.0; start.len()];
        Problem {
            start,
            steps,
            others: Vec::new(),
            learned: None,
            seed,
        }
    }

    /// The same with other steps.
    #[must_use]
    pub fn with_steps(self, steps: Vec<f64>) -> Self {
        Problem { steps, ..self }
    }

    /// The same with other points at which the search can start.
    #[must_use]
    pub fn with_other_starts(self, others: Vec<Vec<f64>>) -> Self {
        Problem { others, ..self }
    }

    /// The same with what an earlier search has learned.
    #[must_use]
    pub fn with_learned(self, learned: Option<Learned>) -> Self {
        Problem { learned, ..self }
    }
}

/// An optimizer, which maximises. The caller [`ask`](Self::ask)s for a population, evaluates it,
/// [`tell`](Self::tell)s its fitness, and repeats this until there is a [`stop_reason`](Self::stop_reason)
/// or its budget is used up. Then it chooses between the [`finalists`](Self::finalists).
///
/// A search may consist of several *restarts*; the first search counts as restart 0. "The current restart"
/// is the one that the last `ask` or `tell` belonged to.
pub trait Optimizer: Send {
    /// The population to evaluate next: `next_population()` vectors of n search coordinates. Repeated calls
    /// return the same until `tell`. If the last `tell` ended a restart, the next one begins here.
    ///
    /// # Panics
    /// If the optimizer has stopped.
    fn ask(&mut self) -> Vec<Vec<f64>>;

    /// Takes the fitness of the population in the order of `ask`; larger is better. Fitness that is not
    /// finite is worse than all finite fitness. `noise` is the standard deviation of the noise of one
    /// fitness value in comparison with the others; 0 if it is unknown or if there is none.
    ///
    /// `ask` need not be called before. Telling another optimizer the same values gives it the same state.
    ///
    /// # Panics
    /// If the optimizer has stopped, or there is not one fitness per candidate.
    fn tell(&mut self, fitness: &[f64], noise: f64);

    /// Candidates per generation in the current restart.
    fn population(&self) -> usize;

    /// Number of candidates that the next `ask` returns.
    fn next_population(&self) -> usize;

    /// The population of the last `tell`, which `ask` returned or would have returned; empty before the
    /// first.
    fn last_population(&self) -> Vec<Vec<f64>>;

    /// Index of the current restart, counted from 0.
    fn restart(&self) -> u32;

    /// Why each restart that has ended did so, in order.
    fn ended_restarts(&self) -> &[StopReason];

    /// Whether another restart follows when the current one ends.
    fn has_restarts_left(&self) -> bool;

    /// Why the optimizer has stopped; `None` until then. The end of a restart that is not the last one does
    /// not stop the optimizer.
    fn stop_reason(&self) -> Option<StopReason>;

    /// Standard deviation of the first candidates in a coordinate whose step is 1; in unit coordinates (1 =
    /// the whole width of a parameter's bounds).
    fn initial_step(&self) -> f64;

    /// The weights of the selected candidates of a generation in what is learned from it, the best first;
    /// their sum is 1.
    fn selection_weights(&self) -> Vec<f64>;

    /// Where the next candidates come from; before the first `tell`, where the first ones do.
    fn distribution(&self) -> Distribution;

    /// The points that are recommended, of which a race on fresh games chooses one; at least one.
    fn finalists(&self) -> Vec<Finalist>;

    /// The values of the declared diagnostics after the last `tell`, in their order.
    fn diagnostics(&self) -> Vec<f64>;
}

/// The distribution of candidates, in search coordinates of n dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// The point that the optimizer would recommend now, without a race.
    pub center: Vec<f64>,
    /// Standard deviation of the candidates in each coordinate.
    pub spread: Vec<f64>,
    /// Correlation of the coordinates, n rows of n, ones on the diagonal; `None` if the optimizer does not
    /// learn it.
    pub correlation: Option<Vec<Vec<f64>>>,
}

/// A recommended point.
#[derive(Clone, Debug, PartialEq)]
pub struct Finalist {
    /// The restart that found it.
    pub restart: u32,
    /// Its search coordinates.
    pub point: Vec<f64>,
    /// Standard deviation of the last candidates of its restart in each coordinate.
    pub spread: Vec<f64>,
    /// The final correlation of the coordinates in its restart; `None` if the optimizer does not learn it.
    pub correlation: Option<Vec<Vec<f64>>>,
}

/// Why a restart of an optimizer ended: what follows "because".
pub type StopReason = Cow<'static, str>;

#[cfg(test)]
mod tests {
    use super::*;

    /// A fitness without structure; not finite now and then.
    fn fitness(point: &[f64]) -> f64 {
        let bits = point.iter().fold(7u64, |hash, x| {
            (hash ^ x.to_bits()).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        });
        match bits >> 60 {
            0 => f64::NEG_INFINITY,
            _ => (bits >> 40) as f64,
        }
    }

    fn built(entry: &Entry, seed: u64) -> Box<dyn Optimizer> {
        let config = OptimizerConfig {
            name: entry.name.into(),
            population: Some(7),
            ..OptimizerConfig::default()
        };
        let problem = Problem::new(vec![0.3, 0.9, 0.5], seed);
        entry.build(&config, problem).unwrap()
    }

    fn bits(points: &[Vec<f64>]) -> Vec<u64> {
        points.iter().flatten().map(|x| x.to_bits()).collect()
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(8))]
        #[test]
        fn every_optimizer_resumes_from_its_history_to_the_same_bits(seed in 0u64..1000, generations in 1usize..40) {
            for entry in Optimizers::builtin().all() {
                let mut whole = built(entry, seed);
                let mut history = Vec::new();
                for generation in 0..generations {
                    let population = whole.ask();
                    assert_eq!(whole.ask(), population);
                    assert_eq!(population.len(), whole.population());
                    let told: Vec<f64> = population.iter().map(|point| fitness(point)).collect();
                    let noise = (generation % 3) as f64 * 1e6;
                    let announced = whole.next_population();
                    whole.tell(&told, noise);
                    assert_eq!(announced, population.len());
                    history.push((population, told, noise));
                }
                let mut resumed = built(entry, seed);
                for (population, told, noise) in &history {
                    resumed.tell(told, *noise);
                    assert_eq!(bits(&resumed.last_population()), bits(population));
                }
                let one = |optimizer: &mut Box<dyn Optimizer>| {
                    let values = optimizer.diagnostics();
                    assert_eq!(values.len(), entry.diagnostics.len());
                    let finalists: Vec<Vec<f64>> = optimizer.finalists().into_iter().map(|one| one.point).collect();
                    assert!(!finalists.is_empty());
                    let distribution = optimizer.distribution();
                    (bits(&[values]), bits(&finalists), distribution, bits(&optimizer.ask()))
                };
                assert_eq!(one(&mut whole), one(&mut resumed));
                assert_ne!(bits(&built(entry, seed + 1).ask()), bits(&built(entry, seed).ask()));
            }
        }
    }
}
