//! Ask / tell over the `cmaes` crate, with bounds, optional stop rules and restarts.
//!
//! ```text
//! Space   parameters with bounds and scales <-> search coordinates   space.rs
//! Config  what a user may set, and the ranges                         config.rs
//! Run     one CMA-ES run: ask, tell, stop rules                       cma.rs
//! Schedule  where and how large the next run starts                   restart.rs
//! Optimizer the runs one after the other                              here
//! ```
//!
//! The optimizer knows coordinates and fitness values, larger is better, and nothing else: no game, no
//! clock, no file. Everything it returns is a pure function of (config, start, seed, told fitness), so
//! that a campaign is resumed by telling it again what it was told before.
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

mod cma;
mod config;
mod restart;
mod space;

pub use cma::{Distribution, StopReason};
pub use config::{Config, Restarts, StopRules};
pub use space::{Parameter, Space};

use crate::field_error::FieldError;
use cma::Run;
use config::not_allowed;
use restart::Schedule;

/// A run that has ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FinishedRun {
    /// Its index, counted from 0.
    pub run: u32,
    /// Candidates per generation.
    pub population: usize,
    /// Generations told.
    pub generations: u32,
    /// Its final search distribution, whose mean it recommends.
    pub distribution: Distribution,
    /// Why it ended.
    pub stop: StopReason,
}

/// CMA-ES with restarts, maximising, driven from outside: [`ask`](Self::ask) for a population, evaluate
/// it however and wherever, [`tell`](Self::tell) its fitness, look at
/// [`stop_reason`](Self::stop_reason), repeat.
///
/// Recommend the mean of the distribution, not the best candidate seen: under noise the best seen is
/// the luckiest, not the best.
pub struct Optimizer {
    config: Config,
    schedule: Schedule,
    run: Run,
    finished: Vec<FinishedRun>,
}

impl Optimizer {
    /// An optimizer whose first run starts from `start` (search coordinates, length n >= 1).
    ///
    /// # Errors
    /// What [`Config::check`] finds; a start that is empty or not finite.
    pub fn new(config: &Config, start: Vec<f64>, seed: u64) -> Result<Self, FieldError> {
        config.check()?;
        if start.is_empty() || start.iter().any(|x| !x.is_finite()) {
            let allowed = "one finite coordinate per free parameter, and at least one";
            return Err(not_allowed("start", &format!("{start:?}"), allowed));
        }
        let (schedule, plan) = Schedule::new(config, start, seed);
        let run = Run::new(config, plan);
        Ok(Optimizer {
            config: config.clone(),
            schedule,
            run,
            finished: Vec::new(),
        })
    }

    /// The population to evaluate next: `population()` vectors of n search coordinates. The same again
    /// until `tell`. If the last `tell` ended a run, this is where the next run begins.
    ///
    /// Costs a replay of the current run in the `cmaes` crate: 3 ms after 300 generations of 20
    /// candidates with n = 10, 10 ms of 24 with n = 20.
    ///
    /// # Panics
    /// If the optimizer has stopped.
    pub fn ask(&mut self) -> Vec<Vec<f64>> {
        self.begin_generation();
        self.run.ask()
    }

    /// Takes the fitness of the population in the order of `ask`; larger is better.
    ///
    /// Fitness that is not finite (NaN and both infinities) counts as worse than all finite fitness of
    /// its generation, by the least difference an `f64` has; a generation without any finite fitness
    /// is flat, at the worst fitness the run has seen (0 at its beginning). Candidates of equal fitness
    /// rank in their order in the population. Candidates outside the box of the bounds (all search
    /// coordinates in `[-1/20, 1 + 1/20]`) are held back by 3 times the generation's range of fitness
    /// per squared distance, so that the distribution stays in the box; the replacement for what is not
    /// finite is made before that.
    ///
    /// `ask` need not be called before: telling a history of fitness to a new optimizer brings it to
    /// where the old one was, at the cost of the updates alone.
    ///
    /// # Panics
    /// If the optimizer has stopped, or there is not one fitness per candidate.
    pub fn tell(&mut self, fitness: &[f64]) {
        self.begin_generation();
        self.run.tell(fitness);
        if let Some(stop) = self.run.stop() {
            self.schedule.account(self.run.evaluations());
            self.finished.push(FinishedRun {
                run: self.finished.len() as u32,
                population: self.population(),
                generations: self.run.generations(),
                distribution: self.distribution(),
                stop,
            });
        }
    }

    /// Why the optimizer has stopped, which is the reason of its last run; `None` while it goes on. A
    /// run that ends with restarts left does not stop the optimizer.
    pub fn stop_reason(&self) -> Option<StopReason> {
        self.run.stop().filter(|_| self.schedule.is_exhausted())
    }

    /// Index of the run that the last `ask` or `tell` belonged to, counted from 0.
    pub fn run(&self) -> u32 {
        let ended = self.run.stop().is_some();
        self.finished.len() as u32 - u32::from(ended)
    }

    /// Candidates per generation in the run that the last `ask` or `tell` belonged to.
    pub fn population(&self) -> usize {
        self.run.population()
    }

    /// Candidates of the generation that the next `ask` gives.
    pub fn next_population(&self) -> usize {
        match self.stop_reason() {
            None if self.run.stop().is_some() => self.schedule.clone().next_run().population,
            _ => self.population(),
        }
    }

    /// The population that was told last, empty before: what `ask` gave or would have given.
    pub fn told(&self) -> Vec<Vec<f64>> {
        self.run.told()
    }

    /// The search distribution after the last `tell`, or the initial one of the run if there was none.
    pub fn distribution(&self) -> Distribution {
        self.run.distribution()
    }

    /// The runs that have ended, in order, the last one included once the optimizer has stopped. If it is
    /// left before that, the unfinished run's candidate for a race is the mean of `distribution()`.
    pub fn finished_runs(&self) -> &[FinishedRun] {
        &self.finished
    }

    /// Moves on to the next run if the current one has ended.
    fn begin_generation(&mut self) {
        if self.run.stop().is_some() {
            assert!(!self.schedule.is_exhausted(), "the optimizer has stopped");
            let plan = self.schedule.next_run();
            self.run = Run::new(&self.config, plan);
        }
    }
}

#[cfg(test)]
mod tests;
