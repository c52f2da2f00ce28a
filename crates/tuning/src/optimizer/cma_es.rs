//! CMA-ES, an evolution strategy, based on the `cmaes` crate. This module adds bounds, optional stop rules and
//! restarts. All code that is specific to CMA-ES (step size, axis ratio, correlations, restarts) is in this
//! module.
//!
//! ```text
//! Options          its options and their ranges
//! CmaEs            all restarts in order
//! Strategy         what it needs of one restart                    strategy.rs
//! Restart          one restart of `cma-es`: ask, tell, stop rules  search.rs
//! History          what its stop rules need of generations         history.rs
//! SignalHistory    the stop rules under noise                      stagnation.rs
//! NextPopulation   its next population before it is sampled        next_population.rs
//! Schedule         start and size of the next restart              schedule.rs
//! Basis            the coordinates of a restart                    basis.rs
//! StopReason       the reasons why a restart ends                  stop_reasons.rs
//! mirrored         the optimizer `mirrored-cma-es`                 mirrored.rs
//! ```
//!
//! Sources: Hansen, "The CMA evolution strategy: a tutorial" (arXiv:1604.00772); Auger and Hansen 2005
//! (IPOP); Hansen 2009 (BIPOP).

mod basis;
mod history;
mod mirrored;
mod next_population;
mod schedule;
mod search;
mod stagnation;
mod stop_reasons;
mod strategy;

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::config::{self, OptimizerConfig, not_allowed};
use super::{Diagnostic, Distribution, Entry, Finalist, Noise, Optimizer, Problem, StopReason};
use schedule::Schedule;
use search::Restart;
use stagnation::Level;
use strategy::Strategy;
use tiletune_engine::field_error::FieldError;
use tiletune_engine::heuristic::Scale;

pub(super) use mirrored::ENTRY as MIRRORED;

/// What both optimizers show of their distribution.
const DIAGNOSTICS: &[Diagnostic] = &[
    Diagnostic {
        name: "sigma",
        label: "step size σ",
        unit: "1 = the whole width of a parameter’s bounds",
        meaning: "step size of the search, the geometric mean of the lengths of the axes of its distribution; it falls as the search converges",
        scale: Scale::Log,
    },
    Diagnostic {
        name: "axis_ratio",
        label: "axis ratio",
        unit: "longest to shortest axis of the distribution",
        meaning: "how stretched the search distribution is",
        scale: Scale::Log,
    },
];

pub(super) static ENTRY: Entry = Entry {
    name: "cma-es",
    about: "CMA-ES, an evolution strategy: it learns a step size and which parameters move together; the mean \
            of its distribution is recommended, and the means of several restarts race",
    diagnostics: DIAGNOSTICS,
    template: "# Initial step size; 1 is the whole width of a parameter's bounds.\nsigma = 0.2\n",
    takes_distribution: true,
    takes_choices: false,
    games_min: None,
    signal: None,
    of_generations: &[],
    challengers: |_| 0,
    options: schema::<Options>,
    fill_in,
    build,
};

/// Most candidates of a generation of a restart.
const MOST_CANDIDATES: usize = 10_000_000;

/// The short form of the key `mean_learning_rate`: c_m in the tutorial.
const SHORT: &str = "cm";
const LONG: &str = "mean_learning_rate";

/// The options that only CMA-ES has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Options {
    /// Initial step size in unit coordinates (1 = the whole width of a parameter's bounds), 1e-6 to 1.
    sigma: f64,
    /// Learning rate of the mean (c_m in the tutorial), above 0, at most 1. Below 1 the mean averages
    /// over more generations, which helps under noise.
    #[serde(alias = "cm")]
    mean_learning_rate: f64,
    /// Which restart follows one that has ended.
    restarts: Restarts,
    /// Largest number of restarts, at most 16; the small ones of `bipop` do not count.
    max_restarts: u32,
    /// When a restart ends before the budget does.
    stop_rules: StopRules,
}

/// Which restart follows one that has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Restarts {
    /// None.
    #[default]
    None,
    /// One from the mean, with twice the population and half of the first step, when luck decides: games are as noisy as
    /// at first, and the fitness no longer rises although the steps are small, or has not for long. Not with categories.
    Mean,
    /// One with twice the population from a random start (Auger and Hansen 2005).
    Ipop,
    /// One of two regimes, whichever has used fewer evaluations: twice the population, as in `ipop`,
    /// or a small population with a small step size (Hansen 2009).
    Bipop,
}

/// The configurable rules that end a restart. A tolerance of 0 switches its rule off.
///
/// Game scores are noisy and discrete. Flat fitness is common and tells little, so the two rules about
/// the range of fitness are off by default. Five more rules are always on, because the search cannot
/// continue after them: see the reasons below.
///
/// **If there are further restarts, each one must be able to end.** On a noisy objective the step size
/// may never shrink to `tolerance_coordinates`; only stagnation is certain to end a restart. Therefore
/// `stagnation` is on by default with `ipop` and `bipop`, and [`Options::check`] refuses these if all rules are
/// off. Restarts from the mean have a rule of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct StopRules {
    /// Stop when fitness within the generation, and the best fitness over the last
    /// 10 + ceil(30 n / lambda) generations, both range over less than this (TolFun; fitness units).
    tolerance_fitness: f64,
    /// Stop when the best fitness of the last 10 + ceil(30 n / lambda) generations ranges over less
    /// than this (TolFunHist; fitness units).
    tolerance_history: f64,
    /// Stop when the standard deviation of the distribution is below this in every coordinate (TolX;
    /// unit coordinates); below `sigma` / 100.
    tolerance_coordinates: f64,
    /// Stop when neither the best nor the median fitness has improved: the median over the latest
    /// 30 % of a window against the one over its earliest 30 %, the window being the last fifth of the
    /// restart, at least 120 + ceil(30 n / lambda) and at most 20000 generations. With noise also stop when
    /// the mean fitness of the last third of the games is not above that of the third before, and when the
    /// true fitness of the candidates differs by less than 1 % of what it did at first. If left out: on
    /// with `ipop` and `bipop`, otherwise off.
    #[serde(skip_serializing_if = "Option::is_none")]
    stagnation: Option<bool>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            sigma: 0.2,
            mean_learning_rate: 1.0,
            restarts: Restarts::None,
            max_restarts: 9,
            stop_rules: StopRules::default(),
        }
    }
}

impl Default for StopRules {
    fn default() -> Self {
        StopRules {
            tolerance_fitness: 0.0,
            tolerance_history: 0.0,
            tolerance_coordinates: 1e-5,
            stagnation: None,
        }
    }
}

impl Options {
    /// Checks the ranges of the options.
    ///
    /// # Errors
    /// The first key that is out of range, with its value and the allowed values.
    fn check(&self, population: Option<usize>) -> Result<(), FieldError> {
        let rules = &self.stop_rules;
        let require = |holds: bool, key, value: &dyn fmt::Display, allowed| {
            holds
                .then_some(())
                .ok_or_else(|| not_allowed(key, value, allowed))
        };
        let holds = (1e-6..=1.0).contains(&self.sigma);
        let allowed = "from 1e-6 to 1 (unit coordinates)";
        require(holds, "sigma", &self.sigma, allowed)?;
        let rate = self.mean_learning_rate;
        let holds = rate.is_normal() && rate > 0.0 && rate <= 1.0;
        require(holds, "mean_learning_rate", &rate, "above 0, at most 1")?;
        let holds = self.max_restarts <= 16;
        require(holds, "max_restarts", &self.max_restarts, "from 0 to 16")?;
        let largest = population.unwrap_or(2) << self.max_restarts;
        let is_limited = matches!(self.restarts, Restarts::None | Restarts::Mean);
        let holds = is_limited || largest <= MOST_CANDIDATES;
        let allowed = "population doubled max_restarts times must not exceed 10000000";
        require(holds, "max_restarts", &self.max_restarts, allowed)?;

        let tolerance = |key, value: f64| {
            let holds = value.is_finite() && value >= 0.0;
            require(holds, key, &value, "0 (off) or a positive number")
        };
        tolerance("stop_rules.tolerance_fitness", rules.tolerance_fitness)?;
        tolerance("stop_rules.tolerance_history", rules.tolerance_history)?;
        // A small restart of `bipop` can start with a hundredth of the step size.
        let holds = (0.0..self.sigma / 100.0).contains(&rules.tolerance_coordinates);
        let key = "stop_rules.tolerance_coordinates";
        let allowed = "0 (off) or positive and below sigma / 100";
        require(holds, key, &rules.tolerance_coordinates, allowed)?;

        let ends = self.stagnation()
            || rules.tolerance_fitness > 0.0
            || rules.tolerance_history > 0.0
            || rules.tolerance_coordinates > 0.0;
        // Restarts from the mean have a rule of their own.
        let holds = is_limited || ends;
        let allowed =
            "with restarts, each of them must be able to end: switch on this rule or a tolerance";
        require(holds, "stop_rules.stagnation", &false, allowed)
    }

    /// True if the stagnation rule is on. Its default depends on the restarts.
    fn stagnation(&self) -> bool {
        let with_restarts = matches!(self.restarts, Restarts::Ipop | Restarts::Bipop);
        self.stop_rules.stagnation.unwrap_or(with_restarts)
    }
}

/// The schema of the options, including the short form of a key.
fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = T::json_schema(generator);
    let properties = schema.get_mut("properties");
    if let Some(properties) = properties.and_then(|properties| properties.as_object_mut())
        && let Some(rate) = properties.get(LONG).cloned()
    {
        properties.insert(SHORT.into(), rate);
    }
    schema
}

/// Reads and checks the options.
fn options(config: &OptimizerConfig) -> Result<Options, FieldError> {
    let options: Options = config::options(config)?;
    let checked = options.check(config.population);
    checked.map_err(|error| as_given(error, config))?;
    Ok(options)
}

/// The error with the key as the file contains it.
fn as_given(mut error: FieldError, config: &OptimizerConfig) -> FieldError {
    if error.path == [LONG] && config.options.contains_key(SHORT) {
        error.path[0] = SHORT.into();
    }
    error
}

fn fill_in(config: &OptimizerConfig) -> Result<Table, FieldError> {
    let table = Table::try_from(options(config)?);
    table.map_err(|error| FieldError::new([""; 0], error.to_string()))
}

fn build(config: &OptimizerConfig, problem: Problem) -> Result<Box<dyn Optimizer>, FieldError> {
    let population = config.population_for(problem.start.len());
    let options = options(config)?;
    check_learned(&options, &problem)?;
    let optimizer: CmaEs = CmaEs::new(options, (), population, problem);
    Ok(Box::new(optimizer))
}

/// Refuses an earlier distribution that has shrunk to a point, because it would end the search at once.
fn check_learned(options: &Options, problem: &Problem) -> Result<(), FieldError> {
    let Some(learned) = &problem.learned else {
        return Ok(());
    };
    let tolerance = options.stop_rules.tolerance_coordinates;
    let deviations = learned.deviations(&problem.steps, options.sigma);
    let largest = deviations.into_iter().fold(0.0, f64::max);
    if largest > tolerance {
        return Ok(());
    }
    let key = "stop_rules.tolerance_coordinates";
    let allowed = format!(
        "below {largest}, the largest standard deviation of start.distribution, which has shrunk to a point \
         otherwise"
    );
    Err(not_allowed(key, &tolerance, &allowed))
}

/// CMA-ES with restarts, each of which is an `S`.
///
/// The recommendation is the mean of the distribution and not the best candidate: under noise, the best fitness
/// is mostly luck.
struct CmaEs<S: Strategy = Restart> {
    options: Options,
    settings: S::Settings,
    schedule: Schedule,
    restart: S,
    /// The final distributions of the restarts that have ended.
    finished: Vec<Distribution>,
    reasons: Vec<StopReason>,
    /// The restart whose mean is the best so far, as far as is known, and its last level. Only with restarts from the mean.
    kept: Option<(usize, Level)>,
}

impl<S: Strategy> CmaEs<S> {
    fn new(options: Options, settings: S::Settings, population: usize, problem: Problem) -> Self {
        let (schedule, plan) = Schedule::new(&options, population, problem);
        CmaEs {
            schedule,
            restart: S::begin(&options, &settings, plan),
            options,
            settings,
            finished: Vec::new(),
            reasons: Vec::new(),
            kept: None,
        }
    }

    /// True if the level of the current restart is not clearly below that of the one that is kept.
    fn has_caught_up(&self) -> bool {
        match (&self.kept, self.restart.level()) {
            (None, _) => true,
            (Some((_, kept)), Some(level)) => level.reaches(kept),
            (Some(_), None) => false,
        }
    }

    /// The restart whose mean is recommended, with restarts from the mean.
    fn favourite(&self) -> usize {
        let own = self.restart() as usize;
        match self.kept {
            Some((kept, _)) if kept != own && !self.has_caught_up() => kept,
            _ => own,
        }
    }

    /// Starts the next restart if the current one has ended.
    fn begin_generation(&mut self) {
        if self.restart.stop().is_some() {
            assert!(self.stop_reason().is_none(), "the optimizer has stopped");
            let plan = self
                .schedule
                .next_restart(&self.finished[self.favourite()].center);
            self.restart = S::begin(&self.options, &self.settings, plan);
        }
    }
}

impl<S: Strategy> Optimizer for CmaEs<S> {
    /// The cost does not depend on the number of earlier generations.
    fn ask(&mut self) -> Vec<Vec<f64>> {
        self.begin_generation();
        self.restart.ask()
    }

    /// Fitness values that are not finite (NaN, both infinities) are replaced first. They count as worse than
    /// all finite values of the generation, by the smallest difference of an `f64`. A generation without finite
    /// fitness counts as flat, at the worst fitness of the restart so far (0 at its start).
    ///
    /// Candidates outside the box of the bounds (all search coordinates in `[-1/20, 1 + 1/20]`), or of the constraints,
    /// get a penalty: 3 times the range of fitness in the generation, per squared distance. The distribution therefore
    /// stays inside.
    fn tell(&mut self, fitness: &[f64], noise: Noise) {
        self.begin_generation();
        self.restart.tell(fitness, noise);
        if let Some(reason) = self.restart.stop() {
            let level = self.restart.level();
            if self.options.restarts == Restarts::Mean
                && self.has_caught_up()
                && let Some(level) = level
            {
                self.kept = Some((self.finished.len(), level));
            }
            self.schedule.account(self.restart.evaluations());
            self.reasons.push(reason);
            self.finished.push(self.restart.distribution());
        }
    }

    fn population(&self) -> usize {
        self.restart.population()
    }

    fn next_population(&self) -> usize {
        match self.stop_reason() {
            None if self.restart.stop().is_some() => {
                let mean = &self.finished[self.favourite()].center;
                self.schedule.clone().next_restart(mean).population
            }
            _ => self.population(),
        }
    }

    fn last_population(&self) -> Vec<Vec<f64>> {
        self.restart.last_population()
    }

    fn restart(&self) -> u32 {
        let ended = self.restart.stop().is_some();
        self.finished.len() as u32 - u32::from(ended)
    }

    fn ended_restarts(&self) -> &[StopReason] {
        &self.reasons
    }

    fn has_restarts_left(&self) -> bool {
        self.schedule.has_rivals_left()
    }

    /// The reason why the last restart ended.
    fn stop_reason(&self) -> Option<StopReason> {
        let stop = self.restart.stop();
        stop.filter(|reason| self.schedule.is_exhausted(reason))
    }

    fn directed_luck(&self) -> f64 {
        self.restart.directed_luck()
    }

    fn initial_step(&self) -> f64 {
        self.options.sigma
    }

    /// The recombination weights, w_i in the tutorial.
    fn selection_weights(&self) -> Vec<f64> {
        self.restart.weights()
    }

    fn distribution(&self) -> Distribution {
        self.restart.distribution()
    }

    /// The final means of all restarts, in their order. With restarts from the mean there is one: that of the
    /// latest restart, or of an earlier one until the latest has reached its level.
    fn finalists(&self) -> Vec<Finalist> {
        let current = self.restart.stop().is_none();
        let current = current.then(|| self.restart.distribution());
        let finalist = |(restart, distribution): (u32, &Distribution)| Finalist {
            restart,
            point: distribution.center.clone(),
            spread: distribution.spread.clone(),
            correlation: distribution.correlation.clone(),
        };
        let all = (0..).zip(self.finished.iter().chain(&current));
        let mut finalists: Vec<Finalist> = all.map(finalist).collect();
        if self.options.restarts == Restarts::Mean {
            finalists = vec![finalists.swap_remove(self.favourite())];
        }
        finalists
    }

    fn diagnostics(&self) -> Vec<f64> {
        self.restart.diagnostics().to_vec()
    }
}

#[cfg(test)]
mod tests;
