//! Several start points: they form the first population, and the search starts at the best of them.

use super::{
    BuildOptimizer, Distribution, Finalist, Optimizer, OptimizerConfig, Problem, StopReason,
};
use tiletune_engine::field_error::FieldError;

/// Wraps an optimizer: one generation of start points, then the search.
pub(super) struct StartPoints {
    build: BuildOptimizer,
    config: OptimizerConfig,
    problem: Problem,
    /// The optimizer. It starts at the first start point until the best start point is known.
    search: Box<dyn Optimizer>,
    phase: LastPopulation,
}

/// The population of the last `tell`.
enum LastPopulation {
    /// There was no `tell` yet.
    Begin,
    /// The start points. The best one is chosen.
    Chosen,
    /// A population of the optimizer.
    Search,
}

impl StartPoints {
    /// # Errors
    /// The errors of the wrapped optimizer.
    pub(super) fn new(
        build: BuildOptimizer,
        config: &OptimizerConfig,
        problem: Problem,
    ) -> Result<Self, FieldError> {
        let search = build(config, problem.clone())?;
        Ok(StartPoints {
            build,
            config: config.clone(),
            problem,
            search,
            phase: LastPopulation::Begin,
        })
    }

    fn points(&self) -> Vec<Vec<f64>> {
        let Problem { start, others, .. } = &self.problem;
        [start].into_iter().chain(others).cloned().collect()
    }
}

/// The index of the start point with the largest fitness; among equal ones, the first. 0 if no fitness is
/// finite.
pub fn best_start(fitness: &[f64]) -> usize {
    let finite = fitness.iter().enumerate().filter(|(_, x)| x.is_finite());
    // `max_by` would return the last of equal values.
    let best = finite.reduce(|best, one| if one.1 > best.1 { one } else { best });
    best.map_or(0, |(index, _)| index)
}

impl Optimizer for StartPoints {
    fn ask(&mut self) -> Vec<Vec<f64>> {
        match self.phase {
            LastPopulation::Begin => self.points(),
            LastPopulation::Chosen | LastPopulation::Search => self.search.ask(),
        }
    }

    fn tell(&mut self, fitness: &[f64], noise: f64) {
        let LastPopulation::Begin = self.phase else {
            self.search.tell(fitness, noise);
            self.phase = LastPopulation::Search;
            return;
        };
        let mut points = self.points();
        assert_eq!(fitness.len(), points.len(), "a fitness per candidate");
        let start = points.swap_remove(best_start(fitness));
        let problem = Problem {
            start,
            ..self.problem.clone()
        };
        let search = (self.build)(&self.config, problem);
        self.search = search.unwrap_or_else(|error| unreachable!("it was built before: {error}"));
        self.phase = LastPopulation::Chosen;
    }

    fn population(&self) -> usize {
        self.search.population()
    }

    fn next_population(&self) -> usize {
        match self.phase {
            LastPopulation::Begin => 1 + self.problem.others.len(),
            LastPopulation::Chosen | LastPopulation::Search => self.search.next_population(),
        }
    }

    fn last_population(&self) -> Vec<Vec<f64>> {
        match self.phase {
            LastPopulation::Chosen => self.points(),
            LastPopulation::Begin | LastPopulation::Search => self.search.last_population(),
        }
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
        match self.phase {
            LastPopulation::Chosen => vec![1.0],
            LastPopulation::Begin | LastPopulation::Search => self.search.selection_weights(),
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
    use crate::optimizer::Optimizers;

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
            search.tell(&[1.0, f64::NAN, 2.0, 2.0], 0.0);
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
                search.tell(&told, 0.1);
                alone.tell(&told, 0.1);
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
