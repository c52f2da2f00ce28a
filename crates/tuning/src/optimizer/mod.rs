//! Ask / tell over the `cmaes` crate, with bounds, optional stop rules and restarts.
//!
//! ```text
//! Space      parameters with bounds and scales <-> search coordinates   space.rs
//! Config     the settings and their ranges                              config.rs
//! Restart    one restart of CMA-ES: ask, tell, stop rules               cma.rs
//! Ahead      its next population before it is sampled                   ahead.rs
//! Schedule   start and size of the next restart                         restart.rs
//! Optimizer  all restarts in order                                      mod.rs
//! ```
//!
//! The first search counts as restart 0.
//!
//! The optimizer sees only coordinates and fitness values (larger is better). It must not know games,
//! clocks or files. All its results are a pure function of (config, start, seed, fitness so far), so a
//! campaign is resumed by a replay of the fitness.
//!
//! Sources: Hansen, "The CMA evolution strategy: a tutorial" (arXiv:1604.00772); Auger and Hansen 2005
//! (IPOP); Hansen 2009 (BIPOP).
//!
//! ```
//! use tiletune::optimizer::{Config, Optimizer};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // The maximum is at (0.3, 0.6).
//! let fitness = |at: &Vec<f64>| -(at[0] - 0.3).powi(2) - (at[1] - 0.6).powi(2);
//! let mut optimizer = Optimizer::new(&Config::default(), vec![0.5, 0.5], 1)?;
//! for _ in 0..60 {
//!     if optimizer.stop_reason().is_some() {
//!         break;
//!     }
//!     let population = optimizer.ask();
//!     let fitness: Vec<f64> = population.iter().map(fitness).collect();
//!     optimizer.tell(&fitness);
//! }
//! let mean = optimizer.distribution().mean;
//! assert!((mean[0] - 0.3).abs() < 1e-3 && (mean[1] - 0.6).abs() < 1e-3);
//! # Ok(())
//! # }
//! ```

mod ahead;
mod cma;
mod config;
mod restart;
mod space;

pub use crate::results::Parameter;
pub use cma::{Distribution, StopReason};
pub use config::{Config, Restarts, StopRules, default_population};
pub use space::Space;

use cma::Restart;
use config::not_allowed;
use restart::Schedule;
use tiletune_engine::field_error::FieldError;

/// A restart that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedRestart {
    /// Its index, counted from 0.
    pub restart: u32,
    /// Candidates per generation.
    pub population: usize,
    /// Number of generations.
    pub generations: u32,
    /// Its final search distribution, whose mean it recommends.
    pub distribution: Distribution,
    /// Why it ended.
    pub stop: StopReason,
}

/// CMA-ES with restarts, which maximises. The caller [`ask`](Self::ask)s for a population, evaluates it,
/// [`tell`](Self::tell)s its fitness, and repeats this until there is a
/// [`stop_reason`](Self::stop_reason).
///
/// The recommendation is the mean of the distribution, not the best candidate seen: under noise the
/// best fitness is mostly luck.
pub struct Optimizer {
    config: Config,
    schedule: Schedule,
    restart: Restart,
    finished: Vec<FinishedRestart>,
}

impl Optimizer {
    /// An optimizer whose first restart begins at `start` (search coordinates, length n >= 1).
    ///
    /// # Errors
    /// What [`Config::check`] finds; a start that is empty or not finite.
    pub fn new(config: &Config, start: Vec<f64>, seed: u64) -> Result<Self, FieldError> {
        let steps = vec![1.0; start.len()];
        Self::with_steps(config, start, steps, seed)
    }

    /// The same with the initial standard deviation in each coordinate as a multiple of the step size, above
    /// 0. It applies to the first restart; others begin at random points.
    ///
    /// # Errors
    /// As [`Optimizer::new`].
    ///
    /// # Panics
    /// If there is not one multiple per coordinate.
    pub fn with_steps(
        config: &Config,
        start: Vec<f64>,
        steps: Vec<f64>,
        seed: u64,
    ) -> Result<Self, FieldError> {
        assert_eq!(steps.len(), start.len(), "a step per coordinate");
        config.check()?;
        if start.is_empty() || start.iter().any(|x| !x.is_finite()) {
            let allowed = "one finite coordinate per free parameter, and at least one";
            return Err(not_allowed("start", &format!("{start:?}"), allowed));
        }
        let (schedule, plan) = Schedule::new(config, start, steps, seed);
        Ok(Optimizer {
            config: config.clone(),
            schedule,
            restart: Restart::new(config, plan),
            finished: Vec::new(),
        })
    }

    /// The population to evaluate next: `population()` vectors of n search coordinates. Repeated calls
    /// return the same until `tell`. If the last `tell` ended a restart, the next one begins here.
    ///
    /// The cost does not depend on the number of generations so far.
    ///
    /// # Panics
    /// If the optimizer has stopped.
    pub fn ask(&mut self) -> Vec<Vec<f64>> {
        self.begin_generation();
        self.restart.ask()
    }

    /// Takes the fitness of the population in the order of `ask`; larger is better.
    ///
    /// Fitness that is not finite (NaN and both infinities) counts as worse than all finite fitness of
    /// its generation, by the smallest difference of an `f64`; a generation without any finite fitness
    /// is flat, at the worst fitness of the restart so far (0 at its beginning). Candidates with equal
    /// fitness rank in their order in the population. The fitness of candidates outside the box of the
    /// bounds (all search coordinates in `[-1/20, 1 + 1/20]`) is reduced by 3 times the generation's
    /// range of fitness per squared distance, so that the distribution stays in the box. Values that
    /// are not finite are replaced before that.
    ///
    /// `ask` need not be called before. A replay of the fitness of an optimizer by `tell` gives another
    /// one the same state, at the cost of the updates alone.
    ///
    /// # Panics
    /// If the optimizer has stopped, or there is not one fitness per candidate.
    pub fn tell(&mut self, fitness: &[f64]) {
        self.begin_generation();
        self.restart.tell(fitness);
        if let Some(stop) = self.restart.stop() {
            self.schedule.account(self.restart.evaluations());
            self.finished.push(FinishedRestart {
                restart: self.finished.len() as u32,
                population: self.population(),
                generations: self.restart.generations(),
                distribution: self.distribution(),
                stop,
            });
        }
    }

    /// Why the optimizer has stopped, which is the reason of its last restart; `None` until then. The
    /// end of a restart that is not the last one does not stop the optimizer.
    pub fn stop_reason(&self) -> Option<StopReason> {
        self.restart.stop().filter(|_| self.schedule.is_exhausted())
    }

    /// Index of the restart that the last `ask` or `tell` belonged to, counted from 0.
    pub fn restart(&self) -> u32 {
        let ended = self.restart.stop().is_some();
        self.finished.len() as u32 - u32::from(ended)
    }

    /// Candidates per generation in the restart that the last `ask` or `tell` belonged to.
    pub fn population(&self) -> usize {
        self.restart.population()
    }

    /// Weights of the selected candidates in the new mean, the best first, in the restart that the last
    /// `ask` or `tell` belonged to; their sum is 1 (w_i in the tutorial).
    pub fn weights(&self) -> Vec<f64> {
        self.restart.weights()
    }

    /// Number of candidates that the next `ask` returns.
    pub fn next_population(&self) -> usize {
        match self.stop_reason() {
            None if self.restart.stop().is_some() => {
                self.schedule.clone().next_restart().population
            }
            _ => self.population(),
        }
    }

    /// The population of the last `tell`, which `ask` returned or would have returned; empty before the
    /// first.
    pub fn last_population(&self) -> Vec<Vec<f64>> {
        self.restart.last_population()
    }

    /// The search distribution after the last `tell`; before the first, the initial distribution.
    pub fn distribution(&self) -> Distribution {
        self.restart.distribution()
    }

    /// The restarts that have ended, in order. The result of a restart that has not ended is the mean of
    /// `distribution()`.
    pub fn finished_restarts(&self) -> &[FinishedRestart] {
        &self.finished
    }

    /// Begins the next restart if the current one has ended.
    fn begin_generation(&mut self) {
        if self.restart.stop().is_some() {
            assert!(!self.schedule.is_exhausted(), "the optimizer has stopped");
            let plan = self.schedule.next_restart();
            self.restart = Restart::new(&self.config, plan);
        }
    }
}

#[cfg(test)]
mod tests;
