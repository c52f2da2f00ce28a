//! One restart of `mirrored-cma-es`: ask, tell and stop rules around the update of [`Evolution`].
//!
//! Search coordinates of numbers are `scales * (mean + sigma stretch y)`: the factors of [`Basis::first`] give the first
//! candidates their spread, and those of [`Integers`] keep whole numbers from freezing. Those of categories are drawn by
//! [`Categories`]. A restart ends by the rules of `cma-es`, and points outside the box get its penalty.

use nalgebra::{DMatrix, DVector};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::categories::{Categories, Chosen};
use super::constants::Constants;
use super::evolution::Evolution;
use super::integers::Integers;
use super::samples::{Sampler, Samples};
use super::selection::Selection;
use crate::optimizer::cma_es::Options;
use crate::optimizer::cma_es::basis::correlations;
use crate::optimizer::cma_es::history::History;
use crate::optimizer::cma_es::schedule::Plan;
use crate::optimizer::cma_es::stagnation::Level;
use crate::optimizer::cma_es::stop_reasons::*;
use crate::optimizer::cma_es::strategy::{Strategy, is_lost, squared_distance_from_box, step_size};
use crate::optimizer::{Constraints, Distribution, Noise, StopReason};
use crate::stats::signal::are_coarse;

/// The settings that only this strategy has.
#[derive(Clone)]
pub(super) struct MirroredSettings {
    pub samples: Samples,
    pub selection: Selection,
    /// Whether the scale of each parameter is learned faster than the correlations.
    pub scales: bool,
    pub integers: Integers,
    /// For each coordinate the places of the choices of a category; none for a number.
    pub categories: Vec<Vec<f64>>,
}

impl MirroredSettings {
    /// The coordinates of numbers.
    pub fn numbers(&self) -> Vec<usize> {
        let all = 0..self.categories.len();
        all.filter(|&index| self.categories[index].is_empty())
            .collect()
    }

    /// Number of whole numbers and categories.
    fn discrete(&self) -> usize {
        let all = self.integers.boundaries.iter().chain(&self.categories);
        all.filter(|places| !places.is_empty()).count()
    }
}

/// One restart.
pub(super) struct Mirrored {
    options: Options,
    selection: Selection,
    integers: Integers,
    constraints: Constraints,
    max_evaluations: Option<u64>,
    /// See [`Plan::small_steps`], as a standard deviation.
    small_steps: Option<f64>,
    /// The coordinates of numbers. If there is none, [`Evolution`] has one coordinate all the same, which nothing uses.
    numbers: Vec<usize>,
    categories: Categories,
    /// Number of whole numbers and categories.
    discrete: usize,
    /// Whether candidates come in pairs.
    pairs: bool,
    /// Length of the longest principal axis of the first distribution.
    first_length: f64,
    /// Search coordinates of numbers divided by those of [`Evolution`].
    scales: DVector<f64>,
    evolution: Evolution,
    sampler: Sampler,
    /// The order of candidates with equal fitness.
    lots: Xoshiro256PlusPlus,
    /// The next population, once it is drawn.
    next: Option<Generation>,
    last: Vec<Vec<f64>>,
    history: History,
    /// Generations in which the steps were held at the tolerance, since they were last well above it.
    held: u32,
    stop: Option<StopReason>,
}

/// The candidates of a generation.
struct Generation {
    /// The steps y of N(0, C).
    steps: Vec<DVector<f64>>,
    /// The factor of each coordinate for whole numbers.
    stretch: DVector<f64>,
    /// The choices of the categories.
    chosen: Vec<Chosen>,
    /// Search coordinates.
    points: Vec<Vec<f64>>,
}

impl Strategy for Mirrored {
    type Settings = MirroredSettings;

    fn begin(options: &Options, settings: &MirroredSettings, plan: Plan) -> Self {
        let numbers = settings.numbers();
        let dimension = numbers.len().max(1);
        let constants = Constants::new(dimension, plan.population, options.mean_learning_rate);
        let constants = match (settings.samples, settings.selection) {
            (Samples::Independent, _) | (_, Selection::Pairs) => constants,
            (Samples::Mirrored | Samples::Orthogonal, Selection::Ranks) => constants.of_mirrored(),
        };
        let constants = if settings.scales {
            constants.with_scales()
        } else {
            constants
        };
        let (scales, covariance) = plan.basis.first();
        let of_numbers = |all: &[f64]| DVector::from_vec(picked(all, &numbers));
        let scales = of_numbers(&scales);
        let covariance = DMatrix::from_fn(dimension, dimension, |i, j| {
            let place = |number: usize| numbers.get(number).copied().unwrap_or_default();
            covariance[(place(i), place(j))]
        });
        let mean = of_numbers(&plan.start).component_div(&scales);
        let evolution = Evolution::new(constants, mean, plan.sigma, covariance);
        let evolution = evolution.expect("the first distribution is positive definite");
        let first = evolution.deviations().component_mul(&scales).max();
        // A new beginning would forget what is known of categories.
        let has_categories = numbers.len() < settings.categories.len();
        let small_steps = plan.small_steps.filter(|_| !has_categories);
        Mirrored {
            options: options.clone(),
            selection: settings.selection,
            integers: settings.integers.of(&numbers),
            constraints: plan.constraints,
            categories: categories(settings, &plan.start, plan.seed),
            discrete: settings.discrete(),
            pairs: settings.samples != Samples::Independent,
            numbers,
            max_evaluations: plan.max_evaluations,
            small_steps: small_steps.map(|share| share * first),
            first_length: evolution.longest(),
            scales,
            evolution,
            sampler: Sampler::new(settings.samples, dimension, plan.population, plan.seed),
            lots: Xoshiro256PlusPlus::seed_from_u64(
                plan.seed ^ u64::from_be_bytes(*b"lots\0\0\0\0"),
            ),
            next: None,
            last: Vec::new(),
            history: History::default(),
            held: 0,
            stop: None,
        }
    }

    fn ask(&mut self) -> Vec<Vec<f64>> {
        let next = self.next.take().unwrap_or_else(|| self.draw());
        let points = next.points.clone();
        self.next = Some(next);
        points
    }

    fn tell(&mut self, told: &[f64], noise: Noise) {
        assert_eq!(told.len(), self.population(), "a fitness per candidate");
        let generation = self.next.take().unwrap_or_else(|| self.draw());
        self.evolution.keeps_volume = noise.of_value > 0.0 && are_coarse(told);
        let told = self.history.add(told, noise);
        let penalty = told.penalty();
        let outside =
            |at: &Vec<f64>| squared_distance_from_box(at) + self.constraints.squared_distance(at);
        let penalised = told.fitness.iter().zip(&generation.points);
        let penalised: Vec<f64> = penalised
            .map(|(fitness, at)| (fitness - penalty * outside(at)).max(f64::MIN))
            .collect();
        let lots: Vec<u64> = penalised.iter().map(|_| self.lots.next_u64()).collect();
        let order = self.selection.order(&penalised, &lots);
        let steps: Vec<&DVector<f64>> = order.iter().map(|&one| &generation.steps[one]).collect();
        let updated = if self.numbers.is_empty() {
            Ok(())
        } else {
            self.evolution.update(&steps, &generation.stretch)
        };
        self.hold_step_size();
        if self.categories.are_any() {
            let weights = self.weights();
            let chosen = order.iter().map(|&one| &generation.chosen[one]);
            let selected: Vec<(f64, &Chosen)> = weights.into_iter().zip(chosen).collect();
            self.categories.update(&selected, self.discrete);
        }
        self.last = generation.points;
        self.stop = match updated {
            Ok(()) => self.rule_met(told.range),
            Err(_) => Some(NOT_POSITIVE_DEFINITE),
        };
    }

    fn last_population(&self) -> Vec<Vec<f64>> {
        self.last.clone()
    }

    fn stop(&self) -> Option<StopReason> {
        self.stop.clone()
    }

    fn population(&self) -> usize {
        self.evolution.constants.population
    }

    fn level(&self) -> Option<Level> {
        self.history.level(self.scales.len())
    }

    fn generations(&self) -> u32 {
        self.history.generations()
    }

    fn directed_luck(&self) -> f64 {
        self.evolution.luck
    }

    fn weights(&self) -> Vec<f64> {
        let constants = &self.evolution.constants;
        constants.weights[..constants.selected].to_vec()
    }

    fn distribution(&self) -> Distribution {
        let favourites = self.categories.favourites();
        let of_categories = self.categories.spread();
        let of_numbers = correlations(&self.evolution.covariance);
        let all = self.numbers.len() + favourites.len();
        let mut correlation = vec![vec![0.0; all]; all];
        for (index, row) in correlation.iter_mut().enumerate() {
            row[index] = 1.0;
        }
        for (row, &one) in of_numbers.iter().zip(&self.numbers) {
            for (value, &other) in row.iter().zip(&self.numbers) {
                correlation[one][other] = *value;
            }
        }
        Distribution {
            center: self.joined(&self.center(), self.categories.places(&favourites)),
            spread: self.joined(&self.spread(), of_categories.into_iter()),
            correlation: Some(correlation),
        }
    }

    fn diagnostics(&self) -> [f64; 2] {
        let Evolution {
            sigma, covariance, ..
        } = &self.evolution;
        [step_size(*sigma, covariance), self.evolution.axis_ratio()]
    }
}

impl Mirrored {
    fn draw(&mut self) -> Generation {
        let (stretch, center) = (self.stretch(), self.center());
        let transform = &self.evolution.transform;
        let steps = self.sampler.next().into_iter();
        let steps: Vec<DVector<f64>> = steps.map(|z| transform * z).collect();
        let factors = self.evolution.sigma * self.scales.component_mul(&stretch);
        let mut chosen: Vec<Chosen> = Vec::with_capacity(steps.len());
        for candidate in 0..steps.len() {
            // Both of a pair have the same choices.
            let drawn = match chosen.last() {
                Some(last) if self.pairs && candidate % 2 == 1 => last.clone(),
                _ => self.categories.draw(),
            };
            chosen.push(drawn);
        }
        let point = |(step, chosen): (&DVector<f64>, &Chosen)| {
            let numbers = &center + step.component_mul(&factors);
            self.joined(&numbers, self.categories.places(chosen))
        };
        Generation {
            points: steps.iter().zip(&chosen).map(point).collect(),
            steps,
            stretch,
            chosen,
        }
    }

    /// A value for each search coordinate, from those of the numbers and of the categories.
    fn joined(
        &self,
        numbers: &DVector<f64>,
        mut categories: impl Iterator<Item = f64>,
    ) -> Vec<f64> {
        let mut numbers = self.numbers.iter().zip(numbers.iter()).peekable();
        let mut all = Vec::with_capacity(self.numbers.len());
        loop {
            let index = all.len();
            let number = numbers.next_if(|(place, _)| **place == index);
            match number
                .map(|(_, value)| *value)
                .or_else(|| categories.next())
            {
                Some(value) => all.push(value),
                None => return all,
            }
        }
    }

    /// With whole numbers or categories the spread of the other parameters (without others, that of the whole numbers) does
    /// not fall to the tolerance that would end the search. Some of them may still be wrong: another value comes up once in
    /// several generations.
    fn hold_step_size(&mut self) {
        let deviations = self.deviations();
        let are_all = (0..deviations.len()).all(|index| self.integers.is_one(index));
        let counted =
            (0..deviations.len()).filter(|&index| are_all || !self.integers.is_one(index));
        let widest = counted.map(|index| deviations[index]).fold(0.0, f64::max);
        // A little more than the tolerance, because of rounding.
        let least = self.options.stop_rules.tolerance_coordinates * (1.0 + 1e-9);
        let are_any = self.integers.are_any() || self.categories.are_any();
        if are_any && widest > 0.0 && widest < least {
            self.evolution.sigma *= least / widest;
            self.held += 1;
        } else if widest > 10.0 * least {
            self.held = 0;
        }
    }

    /// Whether the steps have been held for so long that each neighbouring value of a whole number came up about ten times (see
    /// [`Integers`]): another restart finds more.
    fn is_held_long(&self) -> bool {
        self.held as usize > 10 * self.scales.len()
    }

    /// True if a step in a coordinate is lost in rounding. Steps of whole numbers are stretched.
    fn has_coordinate_without_effect(&self) -> bool {
        let (center, deviations) = (self.center(), self.deviations());
        let mut others = (0..self.scales.len()).filter(|&index| !self.integers.is_one(index));
        others.any(|index| is_lost(center[index], deviations[index]))
    }

    /// The mean in search coordinates.
    fn center(&self) -> DVector<f64> {
        self.evolution.mean.component_mul(&self.scales)
    }

    /// The standard deviation in each search coordinate, before it is stretched.
    fn deviations(&self) -> DVector<f64> {
        self.evolution.deviations().component_mul(&self.scales)
    }

    /// The standard deviation of the candidates in each search coordinate.
    fn spread(&self) -> DVector<f64> {
        self.deviations().component_mul(&self.stretch())
    }

    fn stretch(&self) -> DVector<f64> {
        let (center, deviations) = (self.center(), self.deviations());
        let population = self.population();
        self.integers
            .stretch(center.as_slice(), deviations.as_slice(), population)
    }

    /// Applies the stop rules after an update. `range` is that of the fitness in the generation.
    fn rule_met(&self, range: f64) -> Option<StopReason> {
        let rules = &self.options.stop_rules;
        let n = self.scales.len();
        let spread = self.spread();
        let of_history = self.history.range_of_latest(n);
        let condition = self.evolution.axis_ratio().powi(2);
        let [flat, of_best] = [rules.tolerance_fitness, rules.tolerance_history];
        let stagnation = self.options.stagnation();
        let most = self.max_evaluations;
        let is_used_up = most.is_some_and(|most| self.evaluations() >= most);
        let is_lost = self.small_steps.is_some_and(|small| {
            let are_small = self.deviations().max() < small;
            self.history.is_lost_in_noise(n, are_small)
        });
        let is_small = |deviation: &f64| *deviation < rules.tolerance_coordinates;
        let rules = [
            (of_history < flat && range < flat, TOLERANCE_FITNESS),
            (of_history < of_best, TOLERANCE_HISTORY),
            (
                self.evolution.longest() > 1e4 * self.first_length,
                DIVERGENCE,
            ),
            (!condition.is_normal() || condition > 1e14, CONDITION),
            (self.evolution.has_axis_without_effect(), NO_EFFECT_AXIS),
            (self.has_coordinate_without_effect(), NO_EFFECT_COORDINATE),
            (
                spread.iter().all(is_small) || stagnation && self.is_held_long(),
                TOLERANCE_COORDINATES,
            ),
            (stagnation && self.history.has_converged(), CONVERGENCE),
            (stagnation && self.history.stands_still(n), STAGNATION),
            (is_lost, LOST_IN_NOISE),
            (is_used_up, EVALUATIONS),
        ];
        let met = rules.into_iter().find(|(is_met, _)| *is_met);
        met.map(|(_, reason)| reason)
    }
}

/// The values of some coordinates; a single 1 if there is none.
fn picked(all: &[f64], numbers: &[usize]) -> Vec<f64> {
    match numbers {
        [] => vec![1.0],
        numbers => numbers.iter().map(|&index| all[index]).collect(),
    }
}

/// The distribution of the categories. Its random numbers differ from those of the numbers.
fn categories(settings: &MirroredSettings, start: &[f64], seed: u64) -> Categories {
    let all = settings.categories.iter().zip(start);
    let all = all.filter(|(places, _)| !places.is_empty());
    let (places, start): (Vec<_>, Vec<f64>) = all.map(|(one, at)| (one.clone(), *at)).unzip();
    Categories::new(places, &start, seed ^ u64::from_be_bytes(*b"category"))
}
