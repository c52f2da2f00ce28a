//! Optimizers propose the candidates of a search and learn from their fitness.
//!
//! ```text
//! Space      parameters with bounds and scales <-> search coordinates     space.rs
//! Rules      constraints, and parameters that are not always active       rules.rs, conditions.rs
//! Constraints         the repair of candidates that break one                      constraints.rs
//! OptimizerConfig     the table `[optimizer]` of a file                            config.rs
//! Optimizers the registry, which checks a configuration and builds        registry.rs
//! Optimizer  what a campaign asks and tells                               mod.rs
//! Entry      an optimizer in the registry: its name, options, diagnostics mod.rs
//! CMA-ES     two optimizers: `cma-es` and `mirrored-cma-es`               cma_es.rs
//! random     uniform random search, the floor for the others              random_search.rs
//! FirstPoints a search that begins with points, given or uniform          first_points.rs
//! ```
//!
//! An optimizer knows only coordinates and fitness values; larger fitness is better. It must not know games,
//! clocks or files. All its results are a pure function of configuration, start, seed, and the fitness and
//! noise so far. A campaign is therefore resumed by passing the recorded fitness to `tell` again.
//!
//! To add an optimizer, add a file with an implementation of [`Optimizer`], and a row in
//! [`Optimizers::builtin`]. Key, schema, messages, `tiletune list optimizers`, tables and charts are derived
//! from its [`Entry`].
//!
//! ```
//! use tiletune_tuning::optimizer::{Noise, OptimizerConfig, Optimizers, Problem};
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
//!     optimizer.tell(&fitness, Noise::NONE);
//! }
//! let center = optimizer.distribution().center;
//! assert!((center[0] - 0.3).abs() < 1e-3 && (center[1] - 0.6).abs() < 1e-3);
//! # Ok(())
//! # }
//! ```

mod cma_es;
mod conditions;
mod config;
mod constraints;
mod first_points;
mod random_search;
mod registry;
mod rules;
mod space;

use std::borrow::Cow;

use rand_xoshiro::rand_core::Rng;
use schemars::{Schema, SchemaGenerator};
use toml::Table;

pub use crate::results::{Diagnostic, Parameter};
pub use config::{OptimizerConfig, WithoutSignal, default_population};
pub use constraints::Constraints;
pub use first_points::best_start;
pub use registry::Optimizers;
pub use space::{RareRule, Space};

use tiletune_engine::field_error::FieldError;

/// Builds an optimizer for a problem, or returns an error about a setting.
pub type BuildOptimizer = fn(&OptimizerConfig, Problem) -> Result<Box<dyn Optimizer>, FieldError>;

/// An optimizer in the registry.
#[derive(Debug)]
pub struct Entry {
    /// Name of the optimizer: the value of the key `optimizer.name`.
    pub name: &'static str,
    /// One sentence: how it searches.
    pub about: &'static str,
    /// The values that can be plotted during a search, in the order of [`Optimizer::diagnostics`].
    pub diagnostics: &'static [Diagnostic],
    /// Lines about its own options, for a commented campaign file.
    pub template: &'static str,
    /// True if it can start with the distribution of an earlier search.
    pub takes_distribution: bool,
    /// True if it can search categories: parameters with choices.
    pub takes_choices: bool,
    /// Fewest games of a candidate with `games = "auto"`; `None` for the ordinary number.
    pub games_min: Option<u32>,
    /// Share of the signal with `games = "auto"`; `None` for the ordinary one.
    pub signal: Option<f64>,
    /// Options with another default in a budget of generations, all of which should cost what the first ones did.
    pub of_generations: &'static [(&'static str, &'static str)],
    /// Number of candidates that race against its mean, for a number of parameters; see `validation.challengers`.
    pub challengers: fn(usize) -> u32,
    /// The schema of its own options.
    pub options: fn(&mut SchemaGenerator) -> Schema,
    /// Checks its own options and fills in their defaults.
    pub fill_in: fn(&OptimizerConfig) -> Result<Table, FieldError>,
    /// Builds it for a checked problem; see [`Entry::build`].
    pub build: BuildOptimizer,
}

/// A search problem with n coordinates.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Problem {
    /// Search coordinates of the start; n >= 1.
    pub start: Vec<f64>,
    /// Initial standard deviation in each coordinate, above 0, as a multiple of the optimizer's initial step.
    /// An optimizer that samples the whole space does not use it.
    pub steps: Vec<f64>,
    /// Other possible start points, each with n coordinates. The optimizer does not see them: they and `start`
    /// form the first population, and the search starts at the best of them.
    pub others: Vec<Vec<f64>>,
    /// The result of an earlier search. Only an optimizer that [accepts it](Entry::takes_distribution) receives
    /// one.
    pub learned: Option<Learned>,
    /// For each coordinate the places where the value of a whole-number parameter changes, ascending; none for
    /// other parameters.
    pub boundaries: Vec<Vec<f64>>,
    /// For each coordinate the places of the choices of a category; none for a number. Only an optimizer that
    /// [searches categories](Entry::takes_choices) receives some.
    pub categories: Vec<Vec<f64>>,
    /// The constraints that candidates keep.
    pub constraints: Constraints,
    /// Seed of all random numbers of the optimizer.
    pub seed: u64,
}

/// The distribution of an earlier search.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// Standard deviation in each coordinate, above 0; `None` for a coordinate that the earlier search did not
    /// tune.
    pub spread: Vec<Option<f64>>,
    /// Correlation of the coordinates: an n x n matrix, symmetric, with ones on the diagonal.
    pub correlation: Vec<Vec<f64>>,
}

impl Learned {
    /// The standard deviations of the first candidates: the learned deviation multiplied by the step or, for a
    /// coordinate without one, `sigma` multiplied by the step.
    pub fn deviations(&self, steps: &[f64], sigma: f64) -> Vec<f64> {
        let learned = self.spread.iter().zip(steps);
        learned
            .map(|(spread, step)| spread.unwrap_or(sigma) * step)
            .collect()
    }
}

impl Problem {
    /// A problem with this start and with equal steps.
    pub fn new(start: Vec<f64>, seed: u64) -> Self {
        let steps = vec![1.0; start.len()];
        Problem {
            boundaries: vec![Vec::new(); start.len()],
            categories: vec![Vec::new(); start.len()],
            constraints: Constraints::default(),
            start,
            steps,
            others: Vec::new(),
            learned: None,
            seed,
        }
    }

    /// The same problem with other steps.
    #[must_use]
    pub fn with_steps(self, steps: Vec<f64>) -> Self {
        Problem { steps, ..self }
    }

    /// The same problem with other possible start points.
    #[must_use]
    pub fn with_other_starts(self, others: Vec<Vec<f64>>) -> Self {
        Problem { others, ..self }
    }

    /// The same problem with whole-number parameters.
    #[must_use]
    pub fn with_boundaries(self, boundaries: Vec<Vec<f64>>) -> Self {
        Problem { boundaries, ..self }
    }

    /// The same problem with categories.
    #[must_use]
    pub fn with_categories(self, categories: Vec<Vec<f64>>) -> Self {
        Problem { categories, ..self }
    }

    /// The same problem with constraints.
    #[must_use]
    pub fn with_constraints(self, constraints: Constraints) -> Self {
        Problem {
            constraints,
            ..self
        }
    }

    /// The same problem with the distribution of an earlier search.
    #[must_use]
    pub fn with_learned(self, learned: Option<Learned>) -> Self {
        Problem { learned, ..self }
    }
}

/// The noise of the fitness values of a generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Standard deviation of a value relative to the other candidates; 0 means unknown or no noise.
    pub of_value: f64,
    /// Games of each candidate.
    pub games: u32,
}

impl Noise {
    /// No noise, or an unknown one.
    pub const NONE: Noise = Noise {
        of_value: 0.0,
        games: 1,
    };

    /// The noise of values that are one game each.
    pub fn of_one_game(deviation: f64) -> Self {
        Noise {
            of_value: deviation,
            games: 1,
        }
    }

    /// Standard deviation of a single game.
    pub fn of_game(self) -> f64 {
        self.of_value * f64::from(self.games).sqrt()
    }
}

/// An optimizer. It maximises the fitness. The caller [`ask`](Self::ask)s for a population, evaluates it, and
/// [`tell`](Self::tell)s its fitness. It repeats this until there is a [`stop_reason`](Self::stop_reason) or
/// its budget is used up. Then it chooses one of the [`finalists`](Self::finalists).
///
/// A search can consist of several *restarts*; the first one has the index 0. The current restart is the one of
/// the last `ask` or `tell`. The methods with a default are those of a search without restarts, which only its budget
/// ends, and which selects the best candidate alone.
pub trait Optimizer: Send {
    /// The next population: `next_population()` vectors of n search coordinates. Repeated calls return the same
    /// population until `tell`. If the last `tell` ended a restart, this call starts the next one.
    ///
    /// # Panics
    /// If the optimizer has stopped.
    fn ask(&mut self) -> Vec<Vec<f64>>;

    /// Passes the fitness of the population, in the order of `ask`; larger is better. A fitness that is not
    /// finite counts as worse than every finite fitness.
    ///
    /// `ask` need not be called before. The same sequence of values always leads to the same state.
    ///
    /// # Panics
    /// If the optimizer has stopped, or if the number of fitness values differs from the population.
    fn tell(&mut self, fitness: &[f64], noise: Noise);

    /// Number of candidates per generation in the current restart.
    fn population(&self) -> usize {
        self.next_population()
    }

    /// Number of candidates that the next `ask` returns.
    fn next_population(&self) -> usize;

    /// The population of the last `tell`, even if `ask` was not called for it; empty before the first `tell`.
    fn last_population(&self) -> Vec<Vec<f64>>;

    /// Index of the current restart, counted from 0.
    fn restart(&self) -> u32 {
        0
    }

    /// The reasons why restarts have ended, in order.
    fn ended_restarts(&self) -> &[StopReason] {
        &[]
    }

    /// True if another restart may follow whose final mean is a finalist of its own.
    fn has_restarts_left(&self) -> bool {
        false
    }

    /// The reason why the optimizer has stopped; `None` while it runs. The end of a restart stops the optimizer
    /// only if it is the last restart.
    fn stop_reason(&self) -> Option<StopReason> {
        None
    }

    /// How clearly the latest generations show that the luck of their games favours a direction, the same one for all
    /// candidates: 0 (not at all) to 1.
    fn directed_luck(&self) -> f64 {
        0.0
    }

    /// Standard deviation of the first candidates in a coordinate with step 1, in unit coordinates (1 = the
    /// whole width of a parameter's bounds).
    fn initial_step(&self) -> f64;

    /// The recombination weights of the selected candidates of a generation, best first. Their sum is 1.
    fn selection_weights(&self) -> Vec<f64> {
        vec![1.0]
    }

    /// The distribution of the next candidates; before the first `tell`, that of the first candidates.
    fn distribution(&self) -> Distribution;

    /// The recommended points, at least one. A race on fresh games chooses between them.
    fn finalists(&self) -> Vec<Finalist>;

    /// The values of the declared diagnostics after the last `tell`, in their declared order.
    fn diagnostics(&self) -> Vec<f64> {
        Vec::new()
    }
}

/// The numbers of candidates of the first two generations of a new optimizer, which can have points from which the search
/// begins. The optimizer is told a flat fitness.
pub fn first_populations(optimizer: &mut dyn Optimizer) -> [usize; 2] {
    let first = optimizer.next_population();
    optimizer.tell(&vec![0.0; first], Noise::NONE);
    let second = match optimizer.stop_reason() {
        Some(_) => optimizer.population(),
        None => optimizer.next_population(),
    };
    [first, second]
}

/// A uniform random number in `[0, 1)`. An f64 represents 53 bits exactly.
fn uniform(stream: &mut impl Rng) -> f64 {
    (stream.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A distribution of candidates in n search coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// The mean, or of random search the best candidate so far. It is recommended if it is one of the finalists.
    pub center: Vec<f64>,
    /// Standard deviation of the candidates in each coordinate.
    pub spread: Vec<f64>,
    /// Correlation of the coordinates: an n x n matrix with ones on the diagonal; `None` if the optimizer does
    /// not learn it.
    pub correlation: Option<Vec<Vec<f64>>>,
}

/// A recommended point.
#[derive(Clone, Debug, PartialEq)]
pub struct Finalist {
    /// Index of the restart that found it.
    pub restart: u32,
    /// Its search coordinates.
    pub point: Vec<f64>,
    /// Standard deviation of the last candidates of its restart, in each coordinate.
    pub spread: Vec<f64>,
    /// Final correlation of the coordinates in its restart; `None` if the optimizer does not learn it.
    pub correlation: Option<Vec<Vec<f64>>>,
}

/// The reason why a restart ended, as text that follows "because".
pub type StopReason = Cow<'static, str>;

#[cfg(test)]
mod tests {
    use super::*;

    /// A fitness without structure, which is sometimes not finite.
    fn fitness(point: &[f64]) -> f64 {
        let bits = point.iter().fold(7u64, |hash, x| {
            (hash ^ x.to_bits()).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        });
        match bits >> 60 {
            0 => f64::NEG_INFINITY,
            _ => (bits >> 40) as f64,
        }
    }

    /// The same optimizer for numbers, from several starts and, if it takes them, for a category.
    fn built(entry: &Entry, seed: u64) -> Vec<Box<dyn Optimizer>> {
        let config = OptimizerConfig {
            name: entry.name.into(),
            population: Some(7),
            ..OptimizerConfig::default()
        };
        let numbers = Problem::new(vec![0.3, 0.9, 0.5], seed);
        let starts = numbers.clone().with_other_starts(vec![vec![0.8; 3]]);
        let category = numbers.clone();
        let category = category.with_categories(vec![vec![0.2, 0.8], vec![], vec![]]);
        let category = entry.takes_choices.then_some(category);
        let problems = [numbers, starts].into_iter().chain(category);
        let built = problems.map(|problem| entry.build(&config, problem).unwrap());
        built.collect()
    }

    fn bits(points: &[Vec<f64>]) -> Vec<u64> {
        points.iter().flatten().map(|x| x.to_bits()).collect()
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(8))]
        #[test]
        fn every_optimizer_resumes_from_its_history_to_the_same_bits(seed in 0u64..1000, generations in 1usize..40) {
            for entry in Optimizers::builtin().all() {
                let again = built(entry, seed).into_iter().zip(built(entry, seed + 1));
                for (mut whole, (mut resumed, mut other)) in built(entry, seed).into_iter().zip(again) {
                    let mut history = Vec::new();
                    for generation in 0..generations {
                        let population = whole.ask();
                        assert_eq!(whole.ask(), population);
                        assert_eq!(population.len(), whole.next_population());
                        let told: Vec<f64> = population.iter().map(|point| fitness(point)).collect();
                        let noise = Noise::of_one_game((generation % 3) as f64 * 1e6);
                        whole.tell(&told, noise);
                        history.push((population, told, noise));
                    }
                    for (population, told, noise) in &history {
                        resumed.tell(told, *noise);
                        assert_eq!(bits(&resumed.last_population()), bits(population));
                        let told: Vec<f64> = other.ask().iter().map(|point| fitness(point)).collect();
                        other.tell(&told, *noise);
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
                    assert_ne!(bits(&other.ask()), bits(&whole.ask()));
                }
            }
        }
    }
}
