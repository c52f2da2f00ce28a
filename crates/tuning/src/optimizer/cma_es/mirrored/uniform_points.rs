//! Uniform points before the search, and a second start from them.
//!
//! With few parameters a good region is a large part of the whole box. The first population is then uniform points. The
//! weighted mean of the best quarter is a second start. The next population is the first one of two searches, one from
//! each start. The search whose candidates have the larger mean fitness goes on, the other one ends: nothing else is
//! played to compare the starts. With many parameters uniform points are hopeless.

use std::cmp::Ordering;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::optimizer::{Distribution, Finalist, Optimizer, StopReason};

/// Uniform points for each parameter, and the largest number of parameters with which they are the default.
pub(super) const FOR_EACH_PARAMETER: usize = 6;
pub(super) const MOST_PARAMETERS: usize = 10;

/// Builds the search from a start with a seed.
pub(super) type FromStart<S> = Box<dyn Fn(Vec<f64>, u64) -> S + Send>;

/// A search that begins with uniform points.
pub(super) struct UniformPoints<S> {
    points: Vec<Vec<f64>>,
    from_start: FromStart<S>,
    seed: u64,
    /// The search from the given start, and later the better one.
    search: S,
    next: Next<S>,
    /// The population of the last `tell`, if it was not one of `search` alone.
    last: Option<Vec<Vec<f64>>>,
}

/// What the next population is.
enum Next<S> {
    UniformPoints,
    /// The first populations of `search` and of this search from the second start.
    BothStarts(S),
    Search,
}

impl<S: Optimizer> UniformPoints<S> {
    pub fn new(start: Vec<f64>, count: usize, seed: u64, from_start: FromStart<S>) -> Self {
        let mut stream =
            Xoshiro256PlusPlus::seed_from_u64(seed ^ u64::from_be_bytes(*b"uniform\0"));
        // An f64 represents 53 bits exactly.
        let mut uniform = || (stream.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let points = (0..count).map(|_| start.iter().map(|_| uniform()).collect());
        UniformPoints {
            points: points.collect(),
            search: from_start(start, seed),
            from_start,
            seed,
            next: Next::UniformPoints,
            last: None,
        }
    }

    /// The weights of the best quarter of the points, best first, as those of CMA-ES for so many selected candidates.
    fn weights(&self) -> Vec<f64> {
        let selected = (self.points.len() / 4).max(1);
        let weight = |rank: usize| libm::log(selected as f64 + 0.5) - libm::log(rank as f64);
        let weights: Vec<f64> = (1..=selected).map(weight).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / sum).collect()
    }

    fn second_start(&self, fitness: &[f64]) -> Vec<f64> {
        let mut order: Vec<usize> = (0..fitness.len()).collect();
        // A fitness that is not finite comes last.
        let key = |index: usize| Some(fitness[index]).filter(|value| value.is_finite());
        order.sort_by(|&one, &other| key(other).partial_cmp(&key(one)).unwrap_or(Ordering::Equal));
        let mut mean = vec![0.0; self.points[0].len()];
        for (weight, index) in self.weights().into_iter().zip(order) {
            for (sum, value) in mean.iter_mut().zip(&self.points[index]) {
                *sum += weight * value;
            }
        }
        mean
    }
}

/// The mean of the finite values; minus infinity if there is none.
fn mean_of_finite(values: &[f64]) -> f64 {
    let finite: Vec<f64> = values
        .iter()
        .copied()
        .filter(|value| value.is_finite())
        .collect();
    if finite.is_empty() {
        return f64::NEG_INFINITY;
    }
    finite.iter().sum::<f64>() / finite.len() as f64
}

impl<S: Optimizer> Optimizer for UniformPoints<S> {
    fn ask(&mut self) -> Vec<Vec<f64>> {
        match &mut self.next {
            Next::UniformPoints => self.points.clone(),
            Next::BothStarts(second) => [self.search.ask(), second.ask()].concat(),
            Next::Search => self.search.ask(),
        }
    }

    fn tell(&mut self, fitness: &[f64], noise: f64) {
        assert_eq!(
            fitness.len(),
            self.next_population(),
            "a fitness per candidate"
        );
        self.last = match self.next {
            Next::Search => None,
            Next::UniformPoints | Next::BothStarts(_) => Some(self.ask()),
        };
        match std::mem::replace(&mut self.next, Next::Search) {
            Next::UniformPoints => {
                // Its samples differ from those of the search from the given start.
                let second = (self.from_start)(self.second_start(fitness), !self.seed);
                self.next = Next::BothStarts(second);
            }
            Next::BothStarts(second) => {
                let (mut fitness, of_second) = fitness.split_at(self.search.population());
                if mean_of_finite(of_second) > mean_of_finite(fitness) {
                    self.search = second;
                    fitness = of_second;
                }
                self.search.tell(fitness, noise);
            }
            Next::Search => self.search.tell(fitness, noise),
        }
    }

    fn population(&self) -> usize {
        self.search.population()
    }

    fn next_population(&self) -> usize {
        match &self.next {
            Next::UniformPoints => self.points.len(),
            Next::BothStarts(second) => self.search.population() + second.population(),
            Next::Search => self.search.next_population(),
        }
    }

    fn last_population(&self) -> Vec<Vec<f64>> {
        let last = self.last.clone();
        last.unwrap_or_else(|| self.search.last_population())
    }

    fn restart(&self) -> u32 {
        self.search.restart()
    }

    fn ended_restarts(&self) -> &[StopReason] {
        self.search.ended_restarts()
    }

    fn has_restarts_left(&self) -> bool {
        self.search.has_restarts_left()
    }

    fn stop_reason(&self) -> Option<StopReason> {
        self.search.stop_reason()
    }

    fn initial_step(&self) -> f64 {
        self.search.initial_step()
    }

    fn selection_weights(&self) -> Vec<f64> {
        match self.next {
            Next::BothStarts(_) => self.weights(),
            Next::UniformPoints | Next::Search => self.search.selection_weights(),
        }
    }

    fn distribution(&self) -> Distribution {
        self.search.distribution()
    }

    fn finalists(&self) -> Vec<Finalist> {
        self.search.finalists()
    }

    fn diagnostics(&self) -> Vec<f64> {
        self.search.diagnostics()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimizer::{OptimizerConfig, Optimizers, Problem};

    fn new(options: &str, problem: Problem) -> Box<dyn Optimizer> {
        let config = format!("name = 'mirrored-cma-es'\n{options}");
        let config: OptimizerConfig = toml::from_str(&config).unwrap();
        Optimizers::builtin().build(&config, problem).unwrap()
    }

    fn fitness(optimum: f64) -> impl Fn(&Vec<f64>) -> f64 {
        move |x| -x.iter().map(|x| (x - optimum).powi(2)).sum::<f64>()
    }

    /// Tells the fitness of the next population.
    fn step(search: &mut dyn Optimizer, fitness: impl Fn(&Vec<f64>) -> f64) {
        assert_eq!(search.ask().len(), search.next_population());
        let told: Vec<f64> = search.ask().iter().map(fitness).collect();
        let asked = search.ask();
        search.tell(&told, 0.0);
        assert_eq!(search.last_population(), asked);
    }

    #[test]
    fn the_better_of_both_starts_goes_on() {
        let start = vec![0.2; 4];
        // Near the optimum the start is better than a mean of uniform points; far from it, worse.
        for (optimum, the_start_wins) in [(0.2, true), (0.6, false)] {
            let mut search = new("", Problem::new(start.clone(), 5));
            assert_eq!(search.next_population(), 4 * FOR_EACH_PARAMETER);
            let uniform = search.ask();
            assert!(uniform.iter().flatten().all(|x| (0.0..1.0).contains(x)));
            step(&mut *search, fitness(optimum));
            assert_eq!(search.distribution().center, start);
            assert_eq!(search.next_population(), 2 * search.population());
            let [near, far] = [0, 1].map(|half| {
                let population = search.population();
                let all = search.ask();
                let half = &all[half * population..][..population];
                half.iter().map(|x| x[0]).sum::<f64>() / population as f64
            });
            // Mirrored candidates have their start as mean.
            assert!(
                (near - 0.2).abs() < 1e-9 && (far - 0.2).abs() > 0.02,
                "{far}"
            );
            step(&mut *search, fitness(optimum));
            let center = search.distribution().center;
            let distance = |from: f64| (center[0] - from).abs();
            assert_eq!(distance(near) < distance(far), the_start_wins, "{center:?}");
            assert_eq!(search.next_population(), search.population());
            while search.stop_reason().is_none() {
                step(&mut *search, fitness(optimum));
            }
            let center = search.distribution().center;
            assert!(
                center.iter().all(|x| (x - optimum).abs() < 0.01),
                "{center:?}"
            );
        }
    }

    #[test]
    fn a_fitness_that_is_not_finite_is_the_worst() {
        let mut search = new(
            "uniform_points = 4\nstart_inside = 0",
            Problem::new(vec![0.5], 1),
        );
        let points = search.ask();
        search.tell(&[f64::NAN, 1.0, f64::INFINITY, f64::NEG_INFINITY], 0.0);
        // One of four is selected.
        let second = search.ask().split_off(search.population());
        assert!(((second[0][0] + second[1][0]) / 2.0 - points[1][0]).abs() < 1e-9);
        let mut told = vec![f64::NAN; search.next_population()];
        told[0] = -1e9;
        search.tell(&told, 0.0);
        assert!(search.distribution().center[0] > 0.2);
    }

    #[test]
    fn they_are_left_out_where_the_start_is_trusted_or_parameters_are_many() {
        let few = Problem::new(vec![0.5; MOST_PARAMETERS], 1);
        let many = Problem::new(vec![0.5; MOST_PARAMETERS + 1], 1);
        let starts = few
            .clone()
            .with_other_starts(vec![vec![0.4; MOST_PARAMETERS]]);
        let first = |options: &str, problem: &Problem| {
            let search = new(options, problem.clone());
            (search.next_population(), search.population())
        };
        assert_eq!(first("", &few).0, MOST_PARAMETERS * FOR_EACH_PARAMETER);
        for (options, problem) in [
            ("uniform_points = 0", &few),
            ("sigma = 0.05", &few),
            ("", &many),
        ] {
            let (next, population) = first(options, problem);
            assert_eq!(next, population, "{options}");
        }
        assert_eq!(first("uniform_points = 7\nsigma = 0.1", &many).0, 7);
        let mut search = new("", starts);
        search.tell(&[0.0, 1.0], 0.0);
        assert_eq!(search.next_population(), search.population());
    }
}
