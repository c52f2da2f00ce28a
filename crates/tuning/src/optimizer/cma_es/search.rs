//! One restart of CMA-ES with an ask-and-tell interface, and its stop rules.
//!
//! The `cmaes` crate calls the objective itself, in the middle of an update, and its state cannot be copied.
//! The objective of the *live* instance therefore returns fitness from a queue, which `tell` fills. `ask`
//! computes the points that the instance will evaluate ([`NextPopulation`]); `tell` checks that it has
//! evaluated the same points.
//!
//! CMA-ES starts with the same standard deviation in all coordinates. To allow another initial distribution,
//! the instances search in *scaled* coordinates ([`Basis`]). All values outside of the instances are in search
//! coordinates.
//!
//! Points outside the box of the bounds, and points that break a constraint, get a penalty: see [`PENALTY`].
//!
//! A restart must not depend on other restarts.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cmaes::{CMAES, CMAESOptions, DVector, Mode, ObjectiveFunction, TerminationReason};

use super::Options;
use super::basis::{Basis, correlations};
use super::history::History;
use super::next_population::NextPopulation;
use super::schedule::Plan;
use super::stagnation::Level;
use super::stop_reasons::*;
use super::strategy::{Strategy, is_lost, squared_distance_from_box, step_size};
use crate::optimizer::{Constraints, Distribution, Noise, StopReason};

/// The state that `tell` and the objective of the live instance share.
#[derive(Default)]
struct Ledger {
    /// Queue of fitness values for the objective.
    waiting: VecDeque<f64>,
    /// Penalty per squared distance from the box, in units of fitness.
    penalty: f64,
    /// All values that the objective has returned so far.
    #[cfg(test)]
    given: Vec<f64>,
    /// The population of the last `tell`.
    points: Vec<Vec<f64>>,
}

/// Objective of the live instance. It returns the next fitness in the queue minus the penalty of the point.
struct QueuedFitness {
    ledger: Arc<Mutex<Ledger>>,
    basis: Arc<Basis>,
    constraints: Constraints,
}

impl ObjectiveFunction for QueuedFitness {
    fn evaluate(&mut self, point: &DVector<f64>) -> f64 {
        let point = self.basis.point(point);
        let mut ledger = lock(&self.ledger);
        let fitness = ledger
            .waiting
            .pop_front()
            .expect("a fitness for every candidate");
        let outside = squared_distance_from_box(&point) + self.constraints.squared_distance(&point);
        let penalised = fitness - ledger.penalty * outside;
        let given = penalised.max(f64::MIN);
        #[cfg(test)]
        ledger.given.push(given);
        ledger.points.push(point);
        given
    }
}

/// One restart of CMA-ES.
pub(super) struct Restart {
    /// In scaled coordinates, like the instances.
    options: CMAESOptions,
    basis: Arc<Basis>,
    max_evaluations: Option<u64>,
    /// See [`Plan::small_steps`], as a standard deviation.
    small_steps: Option<f64>,
    tolerance_coordinates: f64,
    stagnation: bool,
    live: CMAES<QueuedFitness>,
    next_population: NextPopulation,
    ledger: Arc<Mutex<Ledger>>,
    history: History,
    asked: Option<Vec<Vec<f64>>>,
    stop: Option<StopReason>,
}

impl Strategy for Restart {
    type Settings = ();

    fn begin(settings: &Options, (): &(), plan: Plan) -> Self {
        let rules = &settings.stop_rules;
        // Three rules of the crate are off or not obeyed, and `rule_met` replaces them: its TolX and NoEffectCoord
        // compare sigma * C_ii, which is not a standard deviation, and its stagnation rule applies only after five of
        // its windows.
        let start = plan.basis.scaled(&plan.start);
        let options = CMAESOptions::new(start, plan.sigma)
            .mode(Mode::Maximize)
            .cm(settings.mean_learning_rate)
            .population_size(plan.population)
            .seed(plan.seed)
            .tol_fun(rules.tolerance_fitness)
            .tol_fun_hist(rules.tolerance_history)
            .tol_x_up(1e4)
            .tol_x(0.0)
            .tol_stagnation(usize::MAX);
        let (ledger, basis) = (Arc::default(), Arc::new(plan.basis));
        let objective = QueuedFitness {
            ledger: Arc::clone(&ledger),
            basis: Arc::clone(&basis),
            constraints: plan.constraints,
        };
        let live = build(&options, objective);
        let dimension = plan.start.len();
        let first = basis.first().0.into_iter().fold(0.0, f64::max);
        Restart {
            small_steps: plan.small_steps.map(|share| share * plan.sigma * first),
            next_population: NextPopulation::new(dimension, plan.population, plan.seed),
            options,
            basis,
            max_evaluations: plan.max_evaluations,
            tolerance_coordinates: rules.tolerance_coordinates,
            stagnation: settings.stagnation(),
            live,
            ledger,
            history: History::default(),
            asked: None,
            stop: None,
        }
    }

    fn ask(&mut self) -> Vec<Vec<f64>> {
        if let Some(asked) = &self.asked {
            return asked.clone();
        }
        let points = self.next_population.population(&self.live);
        let points = points.iter();
        let asked: Vec<Vec<f64>> = points.map(|point| self.basis.point(point)).collect();
        self.asked.insert(asked).clone()
    }

    fn tell(&mut self, fitness: &[f64], noise: Noise) {
        assert_eq!(fitness.len(), self.population(), "a fitness per candidate");
        let told = self.history.add(fitness, noise);

        let mut ledger = lock(&self.ledger);
        ledger.penalty = told.penalty();
        ledger.waiting.extend(told.fitness);
        ledger.points.clear();
        drop(ledger); // The objective locks it again.
        let met = self.live.next().map(|data| data.reasons);
        self.next_population.advance(&self.live);
        if let Some(asked) = self.asked.take() {
            let told = &lock(&self.ledger).points;
            assert_eq!(
                *told, asked,
                "the evaluated points are the precomputed ones"
            );
        }
        let met = met.into_iter().flatten().find_map(stop_reason);
        self.stop = met.or_else(|| self.rule_met());
    }

    fn last_population(&self) -> Vec<Vec<f64>> {
        lock(&self.ledger).points.clone()
    }

    fn stop(&self) -> Option<StopReason> {
        self.stop.clone()
    }

    fn population(&self) -> usize {
        self.options.population_size
    }

    fn weights(&self) -> Vec<f64> {
        let parameters = self.live.parameters();
        let weights = parameters.weights().iter().copied();
        weights.take(parameters.mu()).collect()
    }

    fn level(&self) -> Option<Level> {
        self.history.level(self.live.mean().len())
    }

    fn generations(&self) -> u32 {
        self.history.generations()
    }

    fn diagnostics(&self) -> [f64; 2] {
        [
            step_size(self.live.sigma(), self.live.covariance_matrix()),
            self.live.axis_ratio(),
        ]
    }

    fn distribution(&self) -> Distribution {
        let covariance = self.basis.covariance(self.live.covariance_matrix());
        Distribution {
            center: self.basis.point(self.live.mean()),
            spread: self.standard_deviations(),
            correlation: Some(correlations(&covariance)),
        }
    }
}

impl Restart {
    /// Applies the stop rules that the crate does not have, or that replace those of the crate.
    fn rule_met(&self) -> Option<StopReason> {
        let deviations = self.standard_deviations();
        let most = self.max_evaluations;
        let center = self.basis.point(self.live.mean());
        let mut coordinates = center.iter().zip(&deviations);
        if coordinates.any(|(&at, &deviation)| is_lost(at, deviation)) {
            Some(NO_EFFECT_COORDINATE)
        } else if deviations.iter().all(|&d| d < self.tolerance_coordinates) {
            Some(TOLERANCE_COORDINATES)
        } else if self.stagnation && self.history.has_converged() {
            Some(CONVERGENCE)
        } else if self.stagnation && self.history.stands_still(deviations.len()) {
            Some(STAGNATION)
        } else if self.small_steps.is_some_and(|small| {
            let are_small = deviations.iter().all(|&d| d < small);
            self.history.is_lost_in_noise(deviations.len(), are_small)
        }) {
            Some(LOST_IN_NOISE)
        } else {
            let is_used_up = most.is_some_and(|most| self.evaluations() >= most);
            is_used_up.then_some(EVALUATIONS)
        }
    }

    /// The standard deviation in each search coordinate.
    fn standard_deviations(&self) -> Vec<f64> {
        let covariance = self.basis.covariance(self.live.covariance_matrix());
        // A variance can be slightly below 0 if C is no longer positive definite.
        let lengths = covariance.diagonal();
        let lengths = lengths
            .iter()
            .map(|v| self.live.sigma() * v.max(0.0).sqrt());
        self.basis.lengths(lengths)
    }
}

fn lock(ledger: &Mutex<Ledger>) -> MutexGuard<'_, Ledger> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

fn build<F>(options: &CMAESOptions, objective: F) -> CMAES<F> {
    let built = options.clone().build(objective);
    built.expect("the options are checked before a restart is built")
}

/// Translates the stop reasons of the crate. Reasons of rules that are off do not occur, and `rule_met` has its own
/// NoEffectCoord.
fn stop_reason(reason: TerminationReason) -> Option<StopReason> {
    use TerminationReason as Theirs;
    match reason {
        Theirs::TolFun => Some(TOLERANCE_FITNESS),
        Theirs::TolFunHist => Some(TOLERANCE_HISTORY),
        Theirs::TolXUp => Some(DIVERGENCE),
        Theirs::TolConditionCov => Some(CONDITION),
        Theirs::NoEffectAxis => Some(NO_EFFECT_AXIS),
        Theirs::PosDefCov => Some(NOT_POSITIVE_DEFINITE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimizer::Learned;

    /// The definition of `ask`: the next population after the fitness values given so far. The crate samples a
    /// whole generation before it evaluates it, so the fitness 0 for the points of the last generation has no
    /// effect on them.
    fn look_ahead(options: &CMAESOptions, basis: &Basis, given: &[f64]) -> Vec<Vec<f64>> {
        let mut population = Vec::with_capacity(options.population_size);
        let mut values = given.iter();
        let objective = |point: &DVector<f64>| {
            values.next().copied().unwrap_or_else(|| {
                population.push(basis.point(point));
                0.0
            })
        };
        let mut temporary = build(options, objective);
        for _ in 0..=given.len() / options.population_size {
            // Errors are ignored here, because `tell` has already applied the stop rules.
            let _ = temporary.next();
        }
        drop(temporary);
        population
    }

    #[test]
    fn foreseen_populations_are_those_of_a_replay() {
        let noise = |n: u64| (n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f64;
        for (dimension, population, told_without_asking) in
            [(1, 2, 0), (2, 5, 1), (3, 40, 0), (10, 20, 2), (12, 4, 0)]
        {
            let steps: Vec<f64> = (0..dimension).map(|i| 1.0 + 0.5 * i as f64).collect();
            let start = vec![0.4; dimension];
            // The first half of an even dimension has a learned distribution.
            let learned = Learned {
                spread: (0..dimension)
                    .map(|i| (2 * i < dimension).then_some(0.1))
                    .collect(),
                correlation: (0..dimension)
                    .map(|i| {
                        let of = |j: usize| if i == j { 1.0 } else { 0.3 };
                        (0..dimension).map(of).collect()
                    })
                    .collect(),
            };
            let basis = match dimension % 2 {
                0 => Basis::learned(&start, &steps, &learned, 0.3),
                _ => Basis::Steps(steps),
            };
            let plan = Plan {
                start,
                sigma: 0.3,
                basis,
                population,
                max_evaluations: None,
                small_steps: None,
                constraints: Constraints::default(),
                seed: 7 + dimension as u64,
            };
            let mut restart = Restart::begin(&Options::default(), &(), plan);
            for generation in 0..60 {
                let given = lock(&restart.ledger).given.clone();
                let replayed = look_ahead(&restart.options, &restart.basis, &given);
                if generation % 3 >= told_without_asking {
                    assert_eq!(restart.ask(), replayed, "{dimension} {generation}");
                    assert_eq!(restart.ask(), replayed);
                }
                let fitness = replayed.iter().zip(0u64..).map(|(point, candidate)| {
                    noise(100 * generation + candidate) - 1e6 * point[0] * point[dimension - 1]
                });
                restart.tell(&fitness.collect::<Vec<_>>(), Noise::NONE);
                assert_eq!(restart.last_population(), replayed);
                if restart.stop().is_some() {
                    break;
                }
            }
            assert!(restart.generations() > 20, "{dimension}");
        }
    }
}
