//! How much each parameter of a search matters, from its candidates alone, without new games.
//!
//! The model is a quadratic function of the positions of the parameters between their bounds: each parameter, its
//! square and, with enough candidates, the product of each pair. It is fitted to the fitness *within* generations: the
//! mean of a generation is subtracted, because its candidates share the luck of their seeds, which another generation
//! does not share. A candidate counts by its number of games. The penalty is the one that predicts left-out generations
//! best. The variables are centred at the tuned values, so that the part of the function that belongs to one parameter
//! is its slice through the tuned weights, whatever the products are.
//!
//! Intervals come from a bootstrap of blocks of consecutive generations. What luck alone would give comes from the same
//! fit to fitness values that are permuted within their generations and made smaller, so that their variance is that which
//! the function does not predict: what a large effect of another parameter explains is not luck.
//!
//! Limits: a quadratic function has one hill; where the search did not look, it guesses; a converged search has looked
//! at little. This module must not play or read files.

mod quadratic;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::below;
use super::summary::quantile;
use crate::results::importance::{Importance, ParameterImportance, SlicePoint};
use quadratic::{Moments, Observation, Terms, best_penalty, cross};

/// Largest number of candidates that are fitted. Of a longer search, generations at equal distances are.
pub const MOST_CANDIDATES: usize = 4_000;
/// Number of resamples, and of permutations.
const RESAMPLES: usize = 200;
/// Largest number of blocks of generations.
const BLOCKS: usize = 50;
/// Fewer generations than this say nothing about what another search would find.
const LEAST_GENERATIONS: usize = 5;
/// Largest number of terms of the function. More would be fitted for seconds.
const MOST_TERMS: usize = 150;
/// Points of a slice.
const POINTS: usize = 21;
/// Candidates that are shown beside a slice.
const SHOWN: usize = 80;
/// Share of the candidates beyond each end of the range over which an effect is measured.
const BEYOND: f64 = 0.1;

/// A candidate that has played.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Number of its generation.
    pub generation: u32,
    /// Number of its games.
    pub games: u32,
    /// Its fitness.
    pub fitness: f64,
    /// Position of each parameter of the campaign between its bounds, 0 to 1.
    pub positions: Vec<f64>,
}

/// The importance of the parameters with the numbers `free`. `trials` are in the order of their generations, `tuned` are
/// the positions of the tuned values. `None` if there are too few candidates, or their fitness does not differ.
pub fn importance(
    free: &[usize],
    tuned: &[f64],
    trials: &[Trial],
    all_generations: u32,
    seed: u64,
) -> Option<Importance> {
    let usable = |trial: &&Trial| trial.fitness.is_finite() && trial.games > 0;
    let trials: Vec<&Trial> = trials.iter().filter(usable).collect();
    let generations: Vec<&[&Trial]> = trials
        .chunk_by(|one, other| one.generation == other.generation)
        .filter(|generation| generation.len() > 1)
        .collect();
    let scales: Vec<f64> = free.iter().map(|&index| scale(&trials, index)).collect();
    let moved: Vec<usize> = (0..free.len()).filter(|&at| scales[at] > 0.0).collect();
    let count: usize = generations.iter().map(|generation| generation.len()).sum();
    let within = count - generations.len();
    let pairs = |has_pairs| Terms {
        variables: moved.len(),
        has_pairs,
    };
    let is_enough = |terms: Terms| within >= 2 * terms.count() && terms.count() <= MOST_TERMS;
    let terms = [pairs(true), pairs(false)]
        .into_iter()
        .find(|terms| is_enough(*terms))?;
    if generations.len() < LEAST_GENERATIONS || moved.is_empty() {
        return None;
    }
    let variables = moved.iter().map(|&at| Variable {
        index: free[at],
        tuned: tuned[free[at]],
        scale: scales[at],
    });
    let model = Model::new(terms, variables.collect(), &generations)?;
    let mut parameters = model.parameters(&trials, seed)?;
    // Of a whole number that hardly ever changed nothing is known.
    parameters.retain(|one| one.to > one.from);
    parameters.sort_by(|one, other| other.effect.total_cmp(&one.effect));
    Some(Importance {
        candidates: count as u32,
        generations: generations.len() as u32,
        all_generations,
        has_pairs: terms.has_pairs,
        predicted: model.predicted,
        parameters,
    })
}

/// Standard deviation of the positions of a parameter.
fn scale(trials: &[&Trial], index: usize) -> f64 {
    let positions: Vec<f64> = trials.iter().map(|trial| trial.positions[index]).collect();
    let scale = super::summary::standard_deviation(&positions);
    // Rounding errors are no movement.
    if scale > 1e-9 { scale } else { 0.0 }
}

/// A parameter as a variable of the function: 0 at the tuned value, with standard deviation 1.
struct Variable {
    index: usize,
    tuned: f64,
    scale: f64,
}

impl Variable {
    fn at(&self, position: f64) -> f64 {
        (position - self.tuned) / self.scale
    }
}

/// The part of the function that belongs to one parameter.
#[derive(Clone, Copy)]
struct Curve {
    slope: f64,
    bend: f64,
}

impl Curve {
    fn at(self, variable: f64) -> f64 {
        self.slope * variable + self.bend * variable * variable
    }

    /// Largest minus smallest value between two places.
    fn range(self, from: f64, to: f64) -> f64 {
        let top = -self.slope / (2.0 * self.bend);
        let inside = (top > from && top < to).then_some(top);
        let places = [from, to].into_iter().chain(inside);
        let values = places.map(|place| self.at(place));
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        high - low
    }
}

/// The fitted function.
struct Model {
    terms: Terms,
    variables: Vec<Variable>,
    observations: Vec<Observation>,
    /// Number of observations of each generation.
    generations: Vec<usize>,
    blocks: Vec<Moments>,
    /// Standard deviation of each term; coefficients belong to terms that are divided by it.
    scales: Vec<f64>,
    penalty: f64,
    predicted: f64,
}

impl Model {
    fn new(terms: Terms, variables: Vec<Variable>, generations: &[&[&Trial]]) -> Option<Self> {
        let mut observations = Vec::new();
        for generation in generations {
            let of = |trial: &&Trial| {
                let at = variables
                    .iter()
                    .map(|one| one.at(trial.positions[one.index]));
                Observation {
                    terms: terms.of(&at.collect::<Vec<f64>>()),
                    value: trial.fitness,
                    weight: trial.games.into(),
                }
            };
            observations.extend(centred(generation.iter().map(of).collect()));
        }
        let scales = standardise(terms.count(), &mut observations);
        let generations: Vec<usize> = generations.iter().map(|one| one.len()).collect();
        let mut rest = observations.as_slice();
        let together = generations.len().div_ceil(BLOCKS);
        let blocks = generations.chunks(together).map(|sizes| {
            let (block, after) = rest.split_at(sizes.iter().sum());
            rest = after;
            Moments::of(terms.count(), block)
        });
        let blocks: Vec<Moments> = blocks.collect();
        let (penalty, predicted) = best_penalty(&blocks)?;
        Some(Model {
            terms,
            variables,
            observations,
            generations,
            blocks,
            scales,
            penalty,
            predicted,
        })
    }

    fn all(&self) -> Moments {
        let mut all = Moments::none(self.terms.count());
        self.blocks.iter().for_each(|block| all.add(block, 1.0));
        all
    }

    /// The curve of each variable.
    fn curves(&self, coefficients: &[f64]) -> Vec<Curve> {
        let count = self.variables.len();
        let by = |term: usize| coefficients[term] / self.scales[term];
        let curve = |at: usize| Curve {
            slope: by(at),
            bend: by(count + at),
        };
        (0..count).map(curve).collect()
    }

    /// The curves of resamples of the blocks.
    fn resampled(&self, random: &mut Xoshiro256PlusPlus) -> Vec<Vec<Curve>> {
        let count = self.blocks.len();
        let resample = |_| {
            let mut times = vec![0.0; count];
            (0..count).for_each(|_| times[below(random, count)] += 1.0);
            let mut sum = Moments::none(self.terms.count());
            for (block, times) in self
                .blocks
                .iter()
                .zip(times)
                .filter(|(_, times)| *times > 0.0)
            {
                sum.add(block, times);
            }
            Some(self.curves(&sum.fit(self.penalty)?))
        };
        (0..RESAMPLES).filter_map(resample).collect()
    }

    /// The curves of fitness values that are permuted within their generations, with the variance that is not predicted.
    fn by_luck(&self, random: &mut Xoshiro256PlusPlus) -> Option<Vec<Vec<Curve>>> {
        let factored = self.all().factor(self.penalty)?;
        let mut order: Vec<usize> = (0..self.observations.len()).collect();
        let unexplained = (1.0 - self.predicted).clamp(0.0, 1.0).sqrt();
        let permuted = |_| {
            let mut rest = order.as_mut_slice();
            for &size in &self.generations {
                let (generation, after) = rest.split_at_mut(size);
                shuffle(random, generation);
                rest = after;
            }
            let value = |index: usize| unexplained * self.observations[order[index]].value;
            let values = cross(self.terms.count(), &self.observations, value);
            Some(self.curves(&factored.solve(&values)?))
        };
        Some((0..RESAMPLES).filter_map(permuted).collect())
    }

    fn parameters(&self, trials: &[&Trial], seed: u64) -> Option<Vec<ParameterImportance>> {
        let coefficients = self.all().fit(self.penalty)?;
        let curves = self.curves(&coefficients);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let resampled = self.resampled(&mut random);
        let by_luck = self.by_luck(&mut random)?;
        if resampled.is_empty() || by_luck.is_empty() {
            return None;
        }
        let residuals = self.observations.iter().map(|one| {
            let fitted = one.terms.iter().zip(&coefficients);
            one.value - fitted.map(|(term, by)| term * by).sum::<f64>()
        });
        let residuals: Vec<f64> = residuals.collect();
        // The observations are the trials of generations with more than one.
        let shared = trials.chunk_by(|one, other| one.generation == other.generation);
        let shared = shared.filter(|generation| generation.len() > 1).flatten();
        let observed: Vec<&Trial> = shared.copied().collect();
        let step = observed.len().div_ceil(SHOWN);
        let parameter = |(at, variable): (usize, &Variable)| {
            let position = |trial: &&Trial| trial.positions[variable.index];
            let positions: Vec<f64> = observed.iter().map(position).collect();
            let [from, to] = [BEYOND, 1.0 - BEYOND].map(|share| quantile(&positions, share));
            let range = |curve: Curve| curve.range(variable.at(from), variable.at(to));
            let effects = |fits: &[Vec<Curve>]| -> Vec<f64> {
                fits.iter().map(|curves| range(curves[at])).collect()
            };
            let spread = effects(&resampled);
            let point = |number: usize| {
                let share = number as f64 / (POINTS - 1) as f64;
                let position = from + share * (to - from);
                let place = variable.at(position);
                let ends: Vec<f64> = resampled
                    .iter()
                    .map(|curves| curves[at].at(place))
                    .collect();
                SlicePoint {
                    position,
                    difference: curves[at].at(place),
                    low: quantile(&ends, 0.025),
                    high: quantile(&ends, 0.975),
                }
            };
            let shown = positions.iter().zip(&residuals).step_by(step);
            let shown = shown.map(|(&position, residual)| {
                [position, curves[at].at(variable.at(position)) + residual]
            });
            ParameterImportance {
                index: variable.index,
                effect: range(curves[at]),
                low: quantile(&spread, 0.025),
                high: quantile(&spread, 0.975),
                by_luck: quantile(&effects(&by_luck), 0.95),
                from,
                to,
                slice: (0..POINTS).map(point).collect(),
                candidates: shown.collect(),
            }
        };
        Some(self.variables.iter().enumerate().map(parameter).collect())
    }
}

/// The observations of a generation minus their means. They have equal weights, or nearly.
fn centred(mut observations: Vec<Observation>) -> Vec<Observation> {
    let count = observations.len() as f64;
    let terms = observations[0].terms.len();
    let value = observations.iter().map(|one| one.value).sum::<f64>() / count;
    for term in 0..terms {
        let mean = observations.iter().map(|one| one.terms[term]).sum::<f64>() / count;
        observations
            .iter_mut()
            .for_each(|one| one.terms[term] -= mean);
    }
    observations.iter_mut().for_each(|one| one.value -= value);
    observations
}

/// Divides each term by its standard deviation, so that one penalty fits all. Returns these.
fn standardise(terms: usize, observations: &mut [Observation]) -> Vec<f64> {
    let weight: f64 = observations.iter().map(|one| one.weight).sum();
    let scale = |term: usize| {
        let squares = observations
            .iter()
            .map(|one| one.weight * one.terms[term] * one.terms[term]);
        let scale = (squares.sum::<f64>() / weight).sqrt();
        if scale > 0.0 { scale } else { 1.0 }
    };
    let scales: Vec<f64> = (0..terms).map(scale).collect();
    for one in observations {
        one.terms
            .iter_mut()
            .zip(&scales)
            .for_each(|(term, scale)| *term /= scale);
    }
    scales
}

/// Fisher and Yates.
fn shuffle(stream: &mut Xoshiro256PlusPlus, items: &mut [usize]) {
    for end in (1..items.len()).rev() {
        items.swap(end, below(stream, end + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A search of 60 generations with 10 candidates. The first parameter has its best value at 0.7, the second one
    /// none, the third one does not move; each generation has luck of its own.
    fn trials(effect: f64, seed: u64) -> Vec<Trial> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut uniform = move || below(&mut random, 1 << 30) as f64 / (1_u64 << 30) as f64;
        let mut trials = Vec::new();
        for generation in 0..60 {
            let luck = 5_000.0 * uniform();
            for _ in 0..10 {
                let positions = vec![uniform(), uniform(), 0.5];
                let noise = 40.0 * (uniform() + uniform() + uniform() - 1.5);
                let value = -effect * (positions[0] - 0.7).powi(2);
                trials.push(Trial {
                    generation,
                    games: 20,
                    fitness: luck + value + noise,
                    positions,
                });
            }
        }
        trials
    }

    fn of(trials: &[Trial]) -> Option<Importance> {
        importance(&[0, 1, 2], &[0.7, 0.5, 0.5], trials, 60, 1)
    }

    #[test]
    fn what_matters_is_told_from_what_does_not() {
        let found = of(&trials(1_000.0, 5)).unwrap();
        assert_eq!((found.candidates, found.generations), (600, 60));
        let [first, second] = &found.parameters[..] else {
            panic!("two parameters moved: {found:?}");
        };
        assert_eq!((first.index, second.index), (0, 1));
        // From 0.1 to 0.7: 1000 * 0.36.
        assert!((300.0..400.0).contains(&first.effect), "{first:?}");
        assert!(first.low < first.effect && first.effect < first.high);
        assert!(first.is_shown() && !second.is_shown(), "{second:?}");
        assert!(found.predicted > 0.8, "{}", found.predicted);
        let best = first
            .slice
            .iter()
            .max_by(|one, other| one.difference.total_cmp(&other.difference));
        assert!((best.unwrap().position - 0.7).abs() < 0.1);
        assert_eq!(first.candidates.len(), 75);
        assert_eq!(of(&trials(1_000.0, 5)).unwrap(), found, "the seed decides");
    }

    #[test]
    fn a_large_effect_is_not_luck_of_the_others() {
        let mut trials = trials(1_000_000.0, 5);
        for trial in &mut trials {
            trial.fitness -= 1_000.0 * (trial.positions[1] - 0.5).powi(2);
        }
        let found = of(&trials).unwrap();
        let shown = found.parameters.iter().filter(|one| one.is_shown());
        assert_eq!(shown.count(), 2, "{:?}", found.parameters);
    }

    #[test]
    fn luck_alone_is_not_importance() {
        // Of forty parameters without any effect two are expected beyond the limit of 5 %.
        let mut shown = 0;
        let mut predicted = Vec::new();
        for seed in 0..20 {
            let found = of(&trials(0.0, seed)).unwrap();
            shown += found.parameters.iter().filter(|one| one.is_shown()).count();
            predicted.push(found.predicted);
        }
        assert!((0..=6).contains(&shown), "{shown}");
        let mean = super::super::summary::mean(&predicted);
        assert!(mean < 0.02, "{predicted:?}");
    }

    #[test]
    fn too_little_says_nothing() {
        let all = trials(1_000.0, 5);
        assert!(of(&all[..20]).is_none());
        assert!(of(&[]).is_none());
        let mut refused = all.clone();
        refused
            .iter_mut()
            .for_each(|one| one.fitness = f64::NEG_INFINITY);
        assert!(of(&refused).is_none());
        let mut equal = all;
        equal.iter_mut().for_each(|one| one.fitness = 1.0);
        assert!(of(&equal).is_none());
    }
}
