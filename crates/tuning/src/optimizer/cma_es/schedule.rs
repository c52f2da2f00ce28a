//! Start, population and step size of the next restart.
//!
//! Each restart of IPOP and BIPOP after the first starts at a uniformly random point of the unit box, so that it explores
//! another region. One from the mean starts where an earlier one has ended. All random numbers come from one generator,
//! which is initialised with the seed of the optimizer.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::basis::Basis;
use super::stop_reasons::LOST_IN_NOISE;
use super::{MOST_CANDIDATES, Options, Restarts};
use crate::optimizer::{Constraints, Problem, StopReason, uniform};

/// The settings of one restart.
pub(super) struct Plan {
    /// Initial mean, in search coordinates.
    pub start: Vec<f64>,
    /// Initial step size.
    pub sigma: f64,
    /// The coordinates in which the standard deviation of the first candidates is the step size.
    pub basis: Basis,
    /// Number of candidates per generation.
    pub population: usize,
    /// The restart ends at this number of evaluations; `None` means no limit.
    pub max_evaluations: Option<u64>,
    /// The restart ends when luck decides; steps are small below this share of the first ones. `None`: it does not end then.
    pub small_steps: Option<f64>,
    /// The constraints that candidates keep.
    pub constraints: Constraints,
    /// Seed of its samples.
    pub seed: u64,
}

/// The regime of a BIPOP restart. IPOP has only large restarts.
#[derive(Clone, Copy, PartialEq)]
enum Regime {
    Large,
    Small,
}

/// The steps of a search are small if the largest standard deviation is below this share of the first one.
const SMALL_STEPS: f64 = 0.3;

/// The first step of a restart from the mean, as a share of that of the first restart.
const FROM_MEAN: f64 = 0.5;

/// Plans the restarts in order. The plans depend on the number of evaluations of earlier restarts.
#[derive(Clone)]
pub(super) struct Schedule {
    stream: Xoshiro256PlusPlus,
    restarts: Restarts,
    restarts_left: u32,
    dimension: usize,
    /// That of the first restart.
    basis: Basis,
    sigma: f64,
    default_population: usize,
    large_population: usize,
    regime: Regime,
    constraints: Constraints,
    small_evaluations: u64,
    large_evaluations: u64,
    last_large_evaluations: u64,
}

impl Schedule {
    /// The schedule, and the plan of the first restart.
    pub fn new(options: &Options, population: usize, problem: Problem) -> (Self, Plan) {
        let Problem {
            start,
            steps,
            learned,
            constraints,
            seed,
            ..
        } = problem;
        let basis = match learned {
            Some(learned) => Basis::learned(&start, &steps, &learned, options.sigma),
            None => Basis::Steps(steps),
        };
        let mut schedule = Schedule {
            stream: Xoshiro256PlusPlus::seed_from_u64(seed),
            restarts: options.restarts,
            restarts_left: match options.restarts {
                Restarts::None => 0,
                Restarts::Ipop | Restarts::Bipop => options.max_restarts,
                Restarts::Mean => {
                    let doublings = (MOST_CANDIDATES / population).checked_ilog2().unwrap_or(0);
                    options.max_restarts.min(doublings)
                }
            },
            dimension: start.len(),
            basis: basis.clone(),
            sigma: options.sigma,
            default_population: population,
            large_population: population,
            // As in pycma, the first restart of BIPOP counts as a small one, so a large one follows.
            regime: Regime::Small,
            constraints: constraints.clone(),
            small_evaluations: 0,
            large_evaluations: 0,
            last_large_evaluations: 0,
        };
        let plan = Plan {
            start,
            sigma: options.sigma,
            basis,
            population,
            max_evaluations: None,
            small_steps: schedule.small_steps(1.0),
            constraints,
            seed: schedule.stream.next_u64(),
        };
        (schedule, plan)
    }

    /// Adds the evaluations of the restart that has just ended.
    pub fn account(&mut self, evaluations: u64) {
        match self.regime {
            Regime::Small => self.small_evaluations += evaluations,
            Regime::Large => {
                self.large_evaluations += evaluations;
                self.last_large_evaluations = evaluations;
            }
        }
    }

    /// The share of the first steps below which those of a restart are small, if it began with `share` of them.
    fn small_steps(&self, share: f64) -> Option<f64> {
        let may_follow = self.restarts == Restarts::Mean && self.restarts_left > 0;
        may_follow.then_some(SMALL_STEPS / share)
    }

    /// True if no restart follows one that has ended for this reason.
    pub fn is_exhausted(&self, reason: &StopReason) -> bool {
        let is_followed = self.restarts != Restarts::Mean || *reason == LOST_IN_NOISE;
        self.restarts_left == 0 || !is_followed
    }

    /// True if a restart may follow and its final mean is a finalist of its own.
    pub fn has_rivals_left(&self) -> bool {
        self.restarts_left > 0 && self.restarts != Restarts::Mean
    }

    /// Plans the restart after one that has ended at this mean. Call it only if restarts are left.
    pub fn next_restart(&mut self, mean: &[f64]) -> Plan {
        let small_is_due = self.small_evaluations < self.large_evaluations;
        self.regime = if self.restarts == Restarts::Bipop && small_is_due {
            Regime::Small
        } else {
            Regime::Large
        };
        let is_from_mean = self.restarts == Restarts::Mean;
        let start = if is_from_mean {
            mean.to_vec()
        } else {
            (0..self.dimension).map(|_| self.uniform()).collect()
        };
        let (population, sigma, max_evaluations) = match self.regime {
            Regime::Large => {
                self.restarts_left -= 1;
                self.large_population *= 2;
                let share = if is_from_mean { FROM_MEAN } else { 1.0 };
                (self.large_population, share * self.sigma, None)
            }
            Regime::Small => self.small_restart(),
        };
        Plan {
            basis: if is_from_mean {
                self.basis.at(&start)
            } else {
                // It starts at a random point, so nothing is known about its coordinates.
                Basis::Steps(vec![1.0; self.dimension])
            },
            start,
            sigma,
            population,
            max_evaluations,
            small_steps: self.small_steps(FROM_MEAN),
            constraints: self.constraints.clone(),
            seed: self.stream.next_u64(),
        }
    }

    /// Population, step size and evaluation limit of a small restart (Hansen 2009, section 2). The population
    /// is between the default and half of the last large one, mostly near the default. The step size is between
    /// the default and a hundredth of it. The limit is half of the evaluations of the last large restart.
    fn small_restart(&mut self) -> (usize, f64, Option<u64>) {
        let ratio = 0.5 * self.large_population as f64 / self.default_population as f64;
        let exponent = self.uniform();
        let factor = libm::pow(ratio, exponent * exponent);
        let population = (self.default_population as f64 * factor) as usize;
        let sigma = self.sigma * libm::pow(10.0, -2.0 * self.uniform());
        (population, sigma, Some(self.last_large_evaluations / 2))
    }

    /// A uniform random number in `[0, 1)`.
    fn uniform(&mut self) -> f64 {
        uniform(&mut self.stream)
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    const OTHER: StopReason = Cow::Borrowed("another reason");

    fn schedule(restarts: Restarts, max_restarts: u32) -> (Schedule, Plan) {
        let options = Options {
            restarts,
            max_restarts,
            ..Options::default()
        };
        Schedule::new(&options, 10, Problem::new(vec![0.5; 3], 1))
    }

    #[test]
    fn ipop_doubles_the_population() {
        let (mut schedule, first) = schedule(Restarts::Ipop, 4);
        assert_eq!((first.population, first.start), (10, vec![0.5; 3]));
        let mut populations = vec![];
        while !schedule.is_exhausted(&OTHER) {
            schedule.account(1_000);
            let plan = schedule.next_restart(&[0.2; 3]);
            assert_eq!((plan.sigma, plan.max_evaluations), (0.2, None));
            assert!(plan.start.iter().all(|x| (0.0..1.0).contains(x)));
            populations.push(plan.population);
        }
        assert_eq!(populations, [20, 40, 80, 160]);
    }

    #[test]
    fn a_restart_from_the_mean_follows_the_noise_alone() {
        let (mut schedule, first) = schedule(Restarts::Mean, 2);
        assert!(schedule.is_exhausted(&OTHER));
        assert!(!schedule.is_exhausted(&LOST_IN_NOISE));
        let again = schedule.next_restart(&[0.1, 0.2, 0.3]);
        assert_eq!((again.population, again.start), (20, vec![0.1, 0.2, 0.3]));
        assert_eq!(again.sigma, 0.5 * first.sigma);
        // Small steps are the same ones in every restart.
        let small = |plan: &Plan| plan.small_steps.map(|share| share * plan.sigma);
        assert_eq!(small(&first), Some(0.3 * first.sigma));
        assert_eq!(
            first.small_steps,
            again.small_steps.map(|share| 0.5 * share)
        );
        let last = schedule.next_restart(&[0.5; 3]);
        assert_eq!((last.population, last.small_steps), (40, None));
        assert!(schedule.is_exhausted(&LOST_IN_NOISE));
        assert!(!schedule.has_rivals_left());
    }

    #[test]
    fn bipop_spends_the_same_on_both_regimes() {
        let (mut schedule, _) = schedule(Restarts::Bipop, 6);
        schedule.account(1_000);
        let (mut large, mut small_restarts, mut last_large) = (10, 0, 0);
        while !schedule.is_exhausted(&OTHER) {
            let due_small = schedule.small_evaluations < schedule.large_evaluations;
            let plan = schedule.next_restart(&[0.2; 3]);
            let used = match plan.max_evaluations {
                None => {
                    assert!(!due_small);
                    large *= 2;
                    assert_eq!((plan.population, plan.sigma), (large, 0.2));
                    last_large = 100 * large as u64;
                    last_large
                }
                Some(most) => {
                    assert!(due_small);
                    assert_eq!(most, last_large / 2);
                    assert!(
                        (10..=large / 2).contains(&plan.population),
                        "{}",
                        plan.population
                    );
                    assert!((0.002..=0.2).contains(&plan.sigma));
                    small_restarts += 1;
                    most
                }
            };
            schedule.account(used);
        }
        assert_eq!(large, 640);
        assert!(small_restarts >= 9, "{small_restarts}");
    }

    #[test]
    fn without_restarts_the_first_is_the_last() {
        assert!(schedule(Restarts::None, 9).0.is_exhausted(&OTHER));
        assert!(schedule(Restarts::Ipop, 0).0.is_exhausted(&OTHER));
    }
}
