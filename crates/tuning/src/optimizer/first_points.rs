//! Points that are played before a search, and from which it begins. They are its first population.
//!
//! Several given start points: the search begins at the best of them. Uniform points, with few parameters, where a good
//! region is a large part of the whole box: the weighted mean of the best quarter of them is a second start. The next
//! population is then the first one of two searches, one from each start. The search whose candidates have the larger mean
//! fitness goes on (with refused candidates: that wins more pairs), the other one ends: nothing else is played to compare
//! the starts. With many parameters uniform points are hopeless.

use std::cmp::Ordering;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{Distribution, Finalist, Noise, Optimizer, StopReason, uniform};

/// Uniform points for each parameter, and the largest number of parameters with which they are the default.
pub(super) const FOR_EACH_PARAMETER: usize = 6;
pub(super) const MOST_PARAMETERS: usize = 10;

/// Builds the search from a start with a seed.
pub(super) type FromStart = Box<dyn Fn(Vec<f64>, u64) -> Box<dyn Optimizer> + Send>;

/// A search that begins with points.
pub(super) struct FirstPoints {
    /// The start, and the other points.
    points: Vec<Vec<f64>>,
    are_uniform: bool,
    from_start: FromStart,
    seed: u64,
    /// The search from the start, and later the better one.
    search: Box<dyn Optimizer>,
    next: Next,
    /// The population of the last `tell`, if it was not one of `search` alone.
    last: Option<Vec<Vec<f64>>>,
}

/// What the next population is.
enum Next {
    Points,
    /// The first populations of `search` and of this search from the second start.
    BothStarts(Box<dyn Optimizer>),
    Search,
}

impl FirstPoints {
    /// A search from the best of several points.
    pub(super) fn given(points: Vec<Vec<f64>>, seed: u64, from_start: FromStart) -> Self {
        let start = points[0].clone();
        FirstPoints {
            points,
            are_uniform: false,
            search: from_start(start, seed),
            from_start,
            seed,
            next: Next::Points,
            last: None,
        }
    }

    /// A search from a start, or from a second one that follows from so many uniform points.
    pub(super) fn uniform(start: Vec<f64>, count: usize, seed: u64, from_start: FromStart) -> Self {
        let mut stream =
            Xoshiro256PlusPlus::seed_from_u64(seed ^ u64::from_be_bytes(*b"uniform\0"));
        let dimension = start.len();
        let mut points = vec![start];
        let mut point = || (0..dimension).map(|_| uniform(&mut stream)).collect();
        points.extend((0..count).map(|_| point()));
        FirstPoints {
            are_uniform: true,
            ..FirstPoints::given(points, seed, from_start)
        }
    }

    /// Number of uniform points whose mean is the second start.
    fn selected(&self) -> usize {
        (self.points.len() - 1) / 4
    }

    /// The weighted mean of the best quarter of the uniform points, with weights like those of CMA-ES. Points without a
    /// finite fitness are left out; `None` if nothing is left.
    fn second_start(&self, fitness: &[f64]) -> Option<Vec<f64>> {
        let uniform = self.points.iter().zip(fitness).skip(1);
        let mut ranked: Vec<(&Vec<f64>, f64)> = uniform
            .map(|(point, fitness)| (point, *fitness))
            .filter(|(_, fitness)| fitness.is_finite())
            .collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
        ranked.truncate(self.selected());
        let mut mean = vec![0.0; self.points[0].len()];
        for (weight, (point, _)) in weights(ranked.len()).into_iter().zip(&ranked) {
            for (sum, value) in mean.iter_mut().zip(*point) {
                *sum += weight * value;
            }
        }
        (!ranked.is_empty()).then_some(mean)
    }
}

/// The weights of so many selected points, best first. Their sum is 1.
fn weights(selected: usize) -> Vec<f64> {
    let weight = |rank: usize| libm::log(selected as f64 + 0.5) - libm::log(rank as f64);
    let weights: Vec<f64> = (1..=selected).map(weight).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// The index of the start point with the largest fitness; among equal ones, the first. 0 if no fitness is
/// finite.
pub fn best_start(fitness: &[f64]) -> usize {
    let finite = fitness.iter().enumerate().filter(|(_, x)| x.is_finite());
    // `max_by` would return the last of equal values.
    let best = finite.reduce(|best, one| if one.1 > best.1 { one } else { best });
    best.map_or(0, |(index, _)| index)
}

/// Whether the second population is better than the first: by its mean, or if some candidates have no finite fitness, by
/// the number of pairs that it wins. Such a candidate is worse than any other, by an unknown difference.
fn is_second_better(first: &[f64], second: &[f64]) -> bool {
    let all = || first.iter().chain(second);
    if all().all(|value| value.is_finite()) {
        let mean = |half: &[f64]| half.iter().sum::<f64>() / half.len() as f64;
        return mean(second) > mean(first);
    }
    let rank = |value: &f64| {
        if value.is_finite() {
            *value
        } else {
            f64::NEG_INFINITY
        }
    };
    let pairs = first
        .iter()
        .flat_map(|one| second.iter().map(move |other| (one, other)));
    let wins = pairs.map(|(one, other)| match rank(other).total_cmp(&rank(one)) {
        Ordering::Greater => 1,
        Ordering::Equal => 0,
        Ordering::Less => -1,
    });
    wins.sum::<i64>() > 0
}

impl Optimizer for FirstPoints {
    fn ask(&mut self) -> Vec<Vec<f64>> {
        match &mut self.next {
            Next::Points => self.points.clone(),
            Next::BothStarts(second) => [self.search.ask(), second.ask()].concat(),
            Next::Search => self.search.ask(),
        }
    }

    fn tell(&mut self, fitness: &[f64], noise: Noise) {
        assert_eq!(
            fitness.len(),
            self.next_population(),
            "a fitness per candidate"
        );
        self.last = match self.next {
            Next::Search => None,
            Next::Points | Next::BothStarts(_) => Some(self.ask()),
        };
        match std::mem::replace(&mut self.next, Next::Search) {
            Next::Points if !self.are_uniform => {
                let start = self.points[best_start(fitness)].clone();
                self.search = (self.from_start)(start, self.seed);
            }
            Next::Points => {
                // Its samples differ from those of the search from the given start.
                if let Some(start) = self.second_start(fitness) {
                    self.next = Next::BothStarts((self.from_start)(start, !self.seed));
                }
            }
            Next::BothStarts(second) => {
                let (mut fitness, of_second) = fitness.split_at(self.search.population());
                if is_second_better(fitness, of_second) {
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
            Next::Points => self.points.len(),
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

    fn directed_luck(&self) -> f64 {
        self.search.directed_luck()
    }

    fn initial_step(&self) -> f64 {
        self.search.initial_step()
    }

    fn selection_weights(&self) -> Vec<f64> {
        match self.next {
            Next::BothStarts(_) => weights(self.selected()),
            Next::Search if !self.are_uniform && self.last.is_some() => vec![1.0],
            Next::Points | Next::Search => self.search.selection_weights(),
        }
    }

    fn distribution(&self) -> Distribution {
        self.search.distribution()
    }

    /// Both starts, if the search has ended before it has compared them.
    fn finalists(&self) -> Vec<Finalist> {
        let mut finalists = self.search.finalists();
        if let Next::BothStarts(second) = &self.next {
            finalists.extend(second.finalists());
        }
        finalists
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
        search.tell(&told, Noise::NONE);
        assert_eq!(search.last_population(), asked);
    }

    #[test]
    fn the_better_of_both_starts_goes_on() {
        let start = vec![0.2; 4];
        // Near the optimum the start is better than a mean of uniform points; far from it, worse.
        for (optimum, the_start_wins) in [(0.2, true), (0.6, false)] {
            let mut search = new("", Problem::new(start.clone(), 5));
            assert_eq!(search.next_population(), 1 + 4 * FOR_EACH_PARAMETER);
            let uniform = search.ask();
            assert_eq!(uniform[0], start);
            assert!(uniform.iter().flatten().all(|x| (0.0..1.0).contains(x)));
            step(&mut *search, fitness(optimum));
            assert_eq!(search.distribution().center, start);
            // If the search ended here, a race would compare both starts.
            let finalists = search.finalists();
            assert!(finalists.len() == 2 && finalists[0].point == start);
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
        let problem = Problem::new(vec![0.5], 1);
        let mut search = new("uniform_points = 8", problem.clone());
        let points = search.ask();
        // Two of eight points are selected, and only one of them has a fitness.
        let mut told = [f64::NAN; 9];
        told[3] = -1e9;
        search.tell(&told, Noise::NONE);
        let second = search.ask().split_off(search.population());
        assert!(((second[0][0] + second[1][0]) / 2.0 - points[3][0]).abs() < 1e-9);
        // One candidate around the second start is better than all around the first, but the others are refused.
        let population = search.population();
        let mut told = vec![-5.0; 2 * population];
        told[0] = -6.0;
        told[population..].fill(f64::NEG_INFINITY);
        told[population] = -4.0;
        let first = search.ask()[..2].to_vec();
        search.tell(&told, Noise::NONE);
        // The mean of the first search moves to the better candidates.
        let center = search.distribution().center[0];
        let distance = |from: f64| (center - from).abs();
        assert!(
            distance(0.5) < distance(points[3][0]),
            "{center} {first:?} {points:?}"
        );

        // Without any fitness there is no second start.
        let mut search = new("uniform_points = 8", problem);
        search.tell(&[f64::NAN; 9], Noise::NONE);
        assert_eq!(search.next_population(), search.population());
    }

    #[test]
    fn they_are_left_out_where_the_start_is_trusted_or_parameters_are_many() {
        let few = Problem::new(vec![0.5; MOST_PARAMETERS], 1);
        let many = Problem::new(vec![0.5; MOST_PARAMETERS + 1], 1);
        let starts = few
            .clone()
            .with_other_starts(vec![vec![0.4; MOST_PARAMETERS]]);
        let steps = [vec![0.5], vec![1.0; MOST_PARAMETERS - 1]].concat();
        let stepped = few.clone().with_steps(steps);
        let first = |options: &str, problem: &Problem| {
            let search = new(options, problem.clone());
            (search.next_population(), search.population())
        };
        assert_eq!(first("", &few).0, 1 + MOST_PARAMETERS * FOR_EACH_PARAMETER);
        for (options, problem) in [
            ("uniform_points = 0", &few),
            ("sigma = 0.05", &few),
            ("", &stepped),
            ("", &many),
        ] {
            let (next, population) = first(options, problem);
            assert_eq!(next, population, "{options}");
        }
        assert_eq!(first("uniform_points = 7\nsigma = 0.1", &many).0, 8);
        let mut search = new("", starts);
        search.tell(&[0.0, 1.0], Noise::NONE);
        assert_eq!(search.next_population(), search.population());
    }

    #[test]
    fn every_optimizer_starts_from_the_best_point() {
        for entry in Optimizers::builtin().all() {
            let config = OptimizerConfig {
                name: entry.name.into(),
                ..OptimizerConfig::default()
            };
            // So many parameters, and points so far inside, that no search changes its start.
            let point = |at: f64| vec![at; 11];
            let others = vec![point(0.3), point(0.7), point(0.4)];
            let problem = Problem::new(point(0.5), 3);
            let several = problem.clone().with_other_starts(others.clone());
            let mut search = entry.build(&config, several).unwrap();
            assert_eq!(search.next_population(), 4);
            let points = search.ask();
            assert_eq!(points[0], point(0.5));
            assert_eq!(points[1..], others);
            search.tell(&[1.0, f64::NAN, 2.0, 2.0], Noise::NONE);
            assert_eq!(search.last_population(), points);
            assert_eq!(search.distribution().center, others[1]);
            assert_eq!(search.finalists()[0].point, others[1]);
            // From here on it equals the search that starts at this point.
            let start = others[1].clone();
            let mut alone = entry.build(&config, Problem { start, ..problem }).unwrap();
            for generation in 0..3 {
                assert_eq!(search.ask(), alone.ask());
                let told: Vec<f64> = (0..search.population())
                    .map(|candidate| ((candidate * 7 + generation) % 11) as f64)
                    .collect();
                let noise = Noise::of_one_game(0.1);
                search.tell(&told, noise);
                alone.tell(&told, noise);
                assert_eq!(search.last_population(), alone.last_population());
            }
            assert_eq!(search.distribution(), alone.distribution());
        }
    }

    #[test]
    fn without_a_usable_point_the_first_is_the_start() {
        assert_eq!(best_start(&[f64::NEG_INFINITY, f64::NAN]), 0);
        assert_eq!(best_start(&[f64::NEG_INFINITY, -5.0, -5.0]), 1);
    }
}
