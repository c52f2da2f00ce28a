//! Uniform random search: the baseline for all other optimizers.
//!
//! Every candidate is drawn uniformly between the bounds, on the scale of each parameter. The first candidate
//! is the start. Nothing is learned, so there are no restarts and no stop reasons: only the budget ends the
//! search.
//!
//! The best of many candidates is mostly the luckiest one. Candidates are therefore compared by their shrunk
//! fitness, which takes the noise of their generation into account, and a few of the best go into the race on
//! fresh games. The center is the best candidate so far. Before the first generation, and if no candidate could
//! play, it is the start.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Table;

use super::config::{self, OptimizerConfig};
use super::space::unfold;
use super::{
    Constraints, Diagnostic, Distribution, Entry, Finalist, Noise, Optimizer, Problem, uniform,
};
use crate::results::BEST_SO_FAR;
use crate::stats::signal::Signal;
use tiletune_engine::field_error::FieldError;
use tiletune_engine::heuristic::Scale;

pub(super) static ENTRY: Entry = Entry {
    name: "random",
    about: "uniform random search: it learns nothing, so it is the floor for other optimizers; its best \
            candidates race",
    diagnostics: &[Diagnostic {
        name: BEST_SO_FAR,
        label: "best fitness so far",
        unit: "of the objective",
        meaning: "largest fitness of all candidates so far, shrunk towards the mean of its generation by its \
                  noise",
        scale: Scale::Linear,
    }],
    template: "",
    takes_distribution: false,
    takes_choices: true,
    games_min: None,
    signal: None,
    of_generations: &[],
    challengers: |_| 0,
    options: Options::json_schema,
    fill_in,
    build,
};

/// Number of candidates in the race. Each one costs up to `validation.race_games` games.
const FINALISTS: usize = 4;

/// A candidate is drawn so many times until it keeps all constraints; the last one is repaired.
const MOST_DRAWS: u32 = 100;

/// It has no options of its own.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Options {}

fn fill_in(config: &OptimizerConfig) -> Result<Table, FieldError> {
    config::options::<Options>(config).map(|_| Table::new())
}

fn build(config: &OptimizerConfig, problem: Problem) -> Result<Box<dyn Optimizer>, FieldError> {
    fill_in(config)?;
    Ok(Box::new(RandomSearch::new(
        config.population_for(problem.start.len()),
        problem,
    )))
}

struct RandomSearch {
    stream: Xoshiro256PlusPlus,
    constraints: Constraints,
    start: Vec<f64>,
    /// The population of the last `tell`, and the next population.
    last: Vec<Vec<f64>>,
    next: Vec<Vec<f64>>,
    /// The best candidates so far, best first.
    best: Vec<Candidate>,
}

struct Candidate {
    point: Vec<f64>,
    shrunk: f64,
    fitness: f64,
}

impl RandomSearch {
    fn new(population: usize, problem: Problem) -> Self {
        let mut search = RandomSearch {
            stream: Xoshiro256PlusPlus::seed_from_u64(problem.seed),
            constraints: problem.constraints,
            start: problem.start,
            last: Vec::new(),
            next: vec![Vec::new(); population],
            best: Vec::new(),
        };
        search.next = search.sample();
        search.next[0].clone_from(&search.start);
        search
    }

    fn sample(&mut self) -> Vec<Vec<f64>> {
        let (dimension, stream) = (self.start.len(), &mut self.stream);
        let mut coordinate = || unfold(uniform(stream));
        let mut point = || -> Vec<f64> { (0..dimension).map(|_| coordinate()).collect() };
        let constraints = &self.constraints;
        let allowed = |_| {
            let mut drawn = point();
            for _ in 1..MOST_DRAWS {
                if constraints.squared_distance(&drawn) == 0.0 {
                    break;
                }
                drawn = point();
            }
            drawn
        };
        (0..self.next.len()).map(allowed).collect()
    }
}

impl Optimizer for RandomSearch {
    fn ask(&mut self) -> Vec<Vec<f64>> {
        self.next.clone()
    }

    fn tell(&mut self, fitness: &[f64], noise: Noise) {
        assert_eq!(fitness.len(), self.next.len(), "a fitness per candidate");
        let finite: Vec<f64> = fitness.iter().copied().filter(|x| x.is_finite()).collect();
        let signal = Signal::of(&finite, noise.of_value);
        let next = self.sample();
        self.last = std::mem::replace(&mut self.next, next);
        let played = self.last.iter().zip(fitness).filter(|(_, x)| x.is_finite());
        self.best.extend(played.map(|(point, &fitness)| Candidate {
            point: point.clone(),
            shrunk: signal.shrunk(fitness),
            fitness,
        }));
        // Without a signal all values are shrunk to the mean. The sort is stable: among equal candidates,
        // earlier ones stay first.
        let by_rank = |one: &Candidate, other: &Candidate| {
            let rank = other.shrunk.total_cmp(&one.shrunk);
            rank.then(other.fitness.total_cmp(&one.fitness))
        };
        self.best.sort_by(by_rank);
        self.best.truncate(FINALISTS);
    }

    fn next_population(&self) -> usize {
        self.next.len()
    }

    fn last_population(&self) -> Vec<Vec<f64>> {
        self.last.clone()
    }

    fn initial_step(&self) -> f64 {
        // The standard deviation of a uniform distribution of width 1.
        (1.0f64 / 12.0).sqrt()
    }

    fn distribution(&self) -> Distribution {
        let best = self.best.first().map(|best| &best.point);
        Distribution {
            center: best.unwrap_or(&self.start).clone(),
            spread: vec![self.initial_step(); self.start.len()],
            correlation: None,
        }
    }

    fn finalists(&self) -> Vec<Finalist> {
        let finalist = |point: &Vec<f64>| Finalist {
            restart: 0,
            point: point.clone(),
            spread: self.distribution().spread,
            correlation: None,
        };
        match self.best.as_slice() {
            [] => vec![finalist(&self.start)],
            best => best.iter().map(|best| finalist(&best.point)).collect(),
        }
    }

    fn diagnostics(&self) -> Vec<f64> {
        let best = self.best.first();
        vec![best.map_or(f64::NEG_INFINITY, |best| best.shrunk)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimizer::Space;
    use crate::results::Parameter;

    fn space() -> Space {
        let parameter = |name: &str, min, max, scale| Parameter {
            name: name.into(),
            start: 1.0,
            min,
            max,
            scale,
            integer: false,
            choices: Vec::new(),
            step: 1.0,
            fixed: false,
        };
        let linear = parameter("linear", 0.0, 4.0, Scale::Linear);
        let log = parameter("log", 0.01, 100.0, Scale::Log);
        Space::new(vec![linear, log]).unwrap()
    }

    fn search(population: usize, seed: u64) -> RandomSearch {
        RandomSearch::new(population, Problem::new(space().start(), seed))
    }

    #[test]
    fn candidates_are_uniform_on_the_scale_of_each_parameter_and_begin_with_the_start() {
        let (space, mut search) = (space(), search(4000, 1));
        let first = search.ask();
        let values = space.decode(&first[0]);
        assert!(
            values.iter().all(|value| (value - 1.0).abs() < 1e-12),
            "{values:?}"
        );
        for coordinate in 0..2 {
            let mut tenths = [0u32; 10];
            for point in &first[1..] {
                let position = space.unit(&space.decode(point))[coordinate];
                tenths[((10.0 * position) as usize).min(9)] += 1;
            }
            // The tolerance is five standard deviations of a count.
            assert!(
                tenths.iter().all(|count| count.abs_diff(400) < 95),
                "{tenths:?}"
            );
        }
        search.tell(&vec![0.0; 4000], Noise::NONE);
        assert_ne!(space.decode(&search.ask()[0]), values);
    }

    #[test]
    fn the_best_by_shrunk_fitness_are_the_finalists() {
        let mut search = search(3, 5);
        let start = search.start.clone();
        let points = |search: &RandomSearch| -> Vec<Vec<f64>> {
            let finalists = search.finalists().into_iter();
            finalists.map(|finalist| finalist.point).collect()
        };
        assert_eq!(
            (points(&search), search.distribution().center),
            (vec![start.clone()], start.clone())
        );
        let first = search.ask();
        search.tell(&[f64::NEG_INFINITY; 3], Noise::NONE);
        assert_eq!(points(&search), [start]);
        assert_eq!(search.diagnostics(), [f64::NEG_INFINITY]);
        let second = search.ask();
        assert_ne!(first, second);
        search.tell(&[10.0, 30.0, f64::NEG_INFINITY], Noise::NONE);
        // A lucky generation: its differences are only noise, so its best candidate is worth no more than its
        // mean.
        let third = search.ask();
        let noise = Noise::of_one_game(100.0);
        search.tell(&[0.0, 50.0, 10.0], noise);
        assert_eq!(
            points(&search),
            [&second[1], &third[1], &third[2], &third[0]].map(Vec::clone)
        );
        assert_eq!(search.distribution().center, second[1]);
        assert_eq!(search.diagnostics(), [30.0]);
    }
}
