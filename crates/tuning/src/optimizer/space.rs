//! The parameters of a campaign, and the map between search coordinates and parameter values.
//!
//! The optimizer searches the whole R^n, but a parameter has bounds. There is one coordinate for each free
//! parameter. It is folded into `[0, 1]`, which gives the *unit position*. The unit position is mapped to the
//! range between the bounds, on the scale of the parameter. This module must not sample or optimise.
//!
//! Values are folded, not clipped. With clipping, all samples beyond a bound would have the same fitness.
//! Selection would not work there, and the step size would grow without limit. The fold is the linear-quadratic
//! transformation of pycma (`BoxConstraintsLinQuadTransformation`), in unit coordinates:
//!
//! ```text
//!  unit position                     margin m = 1/20
//!   1 |            _,-~-.,_          identity     on [m, 1 - m]
//!     |          /          \        quadratic    on [-m, m] and [1 - m, 1 + m],
//!     |        /              \                   slope 0 at -m and 1 + m
//!   0 |_,-~- '                  '~   mirrored at  -m and 1 + m: period 2 (1 + 2 m)
//!     -m   m       1-m  1+m          search coordinate
//! ```

use std::collections::BTreeMap;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::conditions::Scope;
use super::rules::SpaceRules;
use super::uniform;
use crate::results::Parameter;
use tiletune_engine::field_error::FieldError;
use tiletune_engine::heuristic::{Scale, Short};

/// Width of the quadratic margin at each bound, in unit coordinates.
pub(super) const MARGIN: f64 = 1.0 / 20.0;

/// A parameter with more whole-number values is searched like any other number: its steps are small.
const MOST_VALUES: f64 = 1000.0;

/// Allowed initial standard deviations of a parameter, as multiples of the optimizer's step size.
const STEPS: std::ops::RangeInclusive<f64> = 0.001..=10.0;

/// Uniform points that show how rarely a condition holds.
const RARE_POINTS: u32 = 4000;

/// Constraints that fewer than this share of candidates keep are rare.
const RARE: f64 = 0.05;

/// What hardly any values of a space fulfil.
#[derive(Clone, Debug, PartialEq)]
pub enum RareRule {
    /// The constraints together.
    Constraints {
        /// The share of candidates that keep all of them.
        share: f64,
    },
    /// The condition of a parameter, which no uniform point fulfils.
    Condition {
        /// The name of the parameter.
        parameter: String,
        /// The condition.
        text: String,
        /// True if it reads no parameter that the search changes.
        is_never: bool,
    },
}

/// The parameters of a campaign, in order, and the map from search coordinates to their values.
///
/// Vectors of *values* contain all parameters, vectors of *coordinates* only the free ones. Both have the order
/// of [`Space::parameters`].
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    parameters: Vec<Parameter>,
    rules: SpaceRules,
}

impl Space {
    /// Checks the parameters.
    ///
    /// # Errors
    /// The first parameter with a name that is not unique, or with start, bounds, scale and `integer` that
    /// contradict each other. It is also an error if no parameter is free.
    pub fn new(parameters: Vec<Parameter>) -> Result<Space, FieldError> {
        for (index, parameter) in parameters.iter().enumerate() {
            parameter.check()?;
            if parameters[..index].iter().any(|p| p.name == parameter.name) {
                let name = parameter.name.as_str();
                let message = format!("parameter `{name}` occurs twice; names must be unique");
                return Err(FieldError::new([name], message));
            }
        }
        let rules = SpaceRules::default();
        let space = Space { parameters, rules };
        if space.dimension() == 0 {
            let message = format!(
                "no parameter is free: at least one must not be fixed (parameters: {})",
                space.names().join(", ")
            );
            return Err(FieldError::new([""; 0], message));
        }
        Ok(space)
    }

    /// The same space with constraints, which all values keep, and with conditions under which parameters (by name) are
    /// active. A parameter that is not active has its start value. Conditions may also use the names of `constants`.
    ///
    /// # Errors
    /// If a condition is wrong, or if the start breaks a constraint.
    pub fn with_rules(
        self,
        require: &[String],
        active_when: &BTreeMap<String, String>,
        constants: &[(String, f64)],
    ) -> Result<Space, FieldError> {
        let scope = Scope {
            parameters: &self.parameters,
            constants,
        };
        let rules = SpaceRules::new(require, active_when, scope)?;
        let space = Space { rules, ..self };
        let Some(broken) = space.rules.broken(&space.start_values()) else {
            return Ok(space);
        };
        let place = require.iter().position(|text| text == broken.text());
        let place = place.unwrap_or_default().to_string();
        if broken.reads().is_empty() {
            let message = format!("`{}` never holds: it names no parameter", broken.text());
            return Err(FieldError::new(["require", &place], message));
        }
        let read = broken.reads().iter().map(|&index| &space.parameters[index]);
        let read: Vec<String> = read
            .map(|one| match one.choice(one.start) {
                Some(choice) => format!("{} = '{choice}'", one.name),
                None => format!("{} = {}", one.name, one.start),
            })
            .collect();
        let message = format!(
            "the start breaks `{}`: {}. Give start values that keep it",
            broken.text(),
            read.join(", ")
        );
        Err(FieldError::new(["require", &place], message))
    }

    pub(super) fn rules(&self) -> &SpaceRules {
        &self.rules
    }

    /// The first constraint that values of all parameters break.
    pub fn broken(&self, values: &[f64]) -> Option<&str> {
        Some(self.rules.broken(values)?.text())
    }

    /// The values, with the start value of each parameter that is not active.
    pub fn settled(&self, mut values: Vec<f64>) -> Vec<f64> {
        self.rules.make_inactive(&self.parameters, &mut values);
        values
    }

    /// The parameters that are not active at these values, ascending.
    pub fn inactive(&self, values: &[f64]) -> Vec<usize> {
        let mut values = values.to_vec();
        let mut inactive = self.rules.make_inactive(&self.parameters, &mut values);
        inactive.sort_unstable();
        inactive
    }

    /// The constraints that hardly any of these candidates (search coordinates) keep by themselves, and the conditions that
    /// hardly any values fulfil.
    pub fn rare_rules(&self, candidates: &[Vec<f64>]) -> Vec<RareRule> {
        let keeps = |candidate: &&Vec<f64>| {
            let positions: Vec<f64> = candidate.iter().map(|x| fold(*x)).collect();
            self.rules.broken(&self.values_at(&positions)).is_none()
        };
        // Without candidates nothing is known.
        let share = candidates.iter().filter(keeps).count() as f64 / candidates.len() as f64;
        let constraints = (share < RARE).then_some(RareRule::Constraints { share });
        constraints
            .into_iter()
            .chain(self.rare_conditions())
            .collect()
    }

    fn rare_conditions(&self) -> Vec<RareRule> {
        if self.rules.conditions().next().is_none() {
            return Vec::new();
        }
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(0);
        let mut point = || {
            let positions = (0..self.dimension()).map(|_| uniform(&mut stream));
            let mut values = self.spread_values(&positions.collect::<Vec<_>>());
            let inactive = self.rules.make_inactive(&self.parameters, &mut values);
            (self.rules.broken(&values).is_none(), inactive)
        };
        let points: Vec<_> = (0..RARE_POINTS).map(|_| point()).collect();
        let kept = points.iter().filter(|(is_kept, _)| *is_kept).count();
        // If hardly any points keep the constraints, those that do say nothing.
        let counts = |is_kept: bool| is_kept || (kept as f64) < RARE * points.len() as f64;
        let is_inactive = |index: usize| {
            let mut counted = points.iter().filter(|(is_kept, _)| counts(*is_kept));
            counted.all(|(_, inactive)| inactive.contains(&index))
        };
        // Parameters that the search does not change: those that are fixed, and those that are never active.
        let fixed = self.parameters.iter().map(|one| one.fixed);
        let mut constant: Vec<bool> = fixed.collect();
        let mut rare = Vec::new();
        for (index, condition) in self.rules.conditions() {
            if constant[index] || !is_inactive(index) {
                continue;
            }
            let is_never = condition.reads().iter().all(|&read| constant[read]);
            constant[index] = is_never;
            rare.push(RareRule::Condition {
                parameter: self.parameters[index].name.clone(),
                text: condition.text().to_owned(),
                is_never,
            });
        }
        rare
    }

    /// Number of free parameters, which is the number of search coordinates.
    pub fn dimension(&self) -> usize {
        self.free().count()
    }

    /// All parameters, including fixed ones.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Names of all parameters, including fixed ones.
    pub fn names(&self) -> Vec<&str> {
        self.parameters.iter().map(|p| p.name.as_str()).collect()
    }

    /// Names of the free parameters, one for each search coordinate.
    pub fn free_names(&self) -> Vec<&str> {
        self.free().map(|p| p.name.as_str()).collect()
    }

    /// Search coordinates of the start, one for each free parameter. [`Space::decode`] inverts this up to
    /// rounding errors, and exactly for values at a bound.
    pub fn start(&self) -> Vec<f64> {
        self.free().map(|p| unfold(p.position(p.start))).collect()
    }

    /// Search coordinates of the values of all parameters, which must be within their bounds; see
    /// [`Space::start`].
    ///
    /// # Panics
    /// If the number of values differs from the number of parameters.
    pub fn encode(&self, values: &[f64]) -> Vec<f64> {
        assert_eq!(values.len(), self.parameters.len(), "a value per parameter");
        let values = self.parameters.iter().zip(values);
        let free = values.filter(|(p, _)| !p.fixed);
        free.map(|(p, &value)| unfold(p.position(value))).collect()
    }

    /// Start values of all parameters, including fixed ones.
    pub fn start_values(&self) -> Vec<f64> {
        self.parameters.iter().map(|p| p.start).collect()
    }

    /// Initial standard deviations as multiples of the optimizer's step size, one for each free parameter.
    pub fn steps(&self) -> Vec<f64> {
        self.free().map(|p| p.step).collect()
    }

    /// For each free parameter the search coordinates at which its value changes, ascending: those between
    /// neighbouring whole numbers. None if it is not a whole number, or has more than `MOST_VALUES` values.
    pub fn boundaries(&self) -> Vec<Vec<f64>> {
        let of_parameter = |p: &Parameter| {
            let count = p.max - p.min;
            if !p.integer || !p.choices.is_empty() || count >= MOST_VALUES {
                return Vec::new();
            }
            let between = |index| p.min + f64::from(index) + 0.5;
            let places = (0..count as u32).map(|index| unfold(p.position(between(index))));
            places.collect()
        };
        self.free().map(of_parameter).collect()
    }

    /// For each free parameter the search coordinates of its choices; none if it is a number.
    pub fn categories(&self) -> Vec<Vec<f64>> {
        let of_choice = |p: &Parameter, number: usize| unfold(p.position(number as f64));
        let of_parameter = |p: &Parameter| {
            let numbers = 0..p.choices.len();
            numbers.map(|number| of_choice(p, number)).collect()
        };
        self.free().map(of_parameter).collect()
    }

    /// Values of all parameters, including fixed ones, at the given search coordinates. For finite coordinates
    /// they are always within the bounds, and they keep the constraints.
    ///
    /// # Panics
    /// If the number of coordinates differs from the number of free parameters.
    pub fn decode(&self, coordinates: &[f64]) -> Vec<f64> {
        assert_eq!(coordinates.len(), self.dimension(), "a coordinate each");
        self.allowed(coordinates).values
    }

    /// Values of all parameters at unit positions of the free ones, whatever the constraints say.
    pub(super) fn values_at(&self, positions: &[f64]) -> Vec<f64> {
        self.settled(self.spread_values(positions))
    }

    /// The same, whatever the conditions say.
    fn spread_values(&self, positions: &[f64]) -> Vec<f64> {
        self.scatter(positions, |parameter, position| match position {
            Some(position) => parameter.value_at(position),
            None => parameter.start,
        })
    }

    /// The same, and whole numbers are not rounded.
    pub(super) fn smooth_values_at(&self, positions: &[f64]) -> Vec<f64> {
        self.settled(
            self.scatter(positions, |parameter, position| match position {
                Some(position) if parameter.choices.is_empty() => parameter.between(position),
                Some(position) => parameter.value_at(position),
                None => parameter.start,
            }),
        )
    }

    /// Unit positions of the start, one for each free parameter.
    pub(super) fn start_positions(&self) -> Vec<f64> {
        self.free().map(|p| p.position(p.start)).collect()
    }

    /// Places of the free parameters among all of them.
    pub(super) fn free_indices(&self) -> Vec<usize> {
        let all = 0..self.parameters.len();
        all.filter(|&index| !self.parameters[index].fixed).collect()
    }

    /// Value of the parameter with this index at a unit position (see [`Space::unit`]).
    ///
    /// # Panics
    /// If there is no parameter with this index.
    pub fn value_at(&self, index: usize, position: f64) -> f64 {
        self.parameters[index].value_at(position)
    }

    /// Unit positions of values, one for each parameter: the position between the bounds on the scale of the
    /// parameter. It is 0 at `min` and below, 1 at `max` and above, and 0.5 for fixed parameters.
    ///
    /// # Panics
    /// If the number of values differs from the number of parameters.
    pub fn unit(&self, values: &[f64]) -> Vec<f64> {
        assert_eq!(values.len(), self.parameters.len(), "a value per parameter");
        let positions = self.parameters.iter().zip(values);
        positions
            .map(|(p, &value)| if p.fixed { 0.5 } else { p.position(value) })
            .collect()
    }

    /// Extends numbers of the free parameters, such as standard deviations, to all parameters. Fixed parameters
    /// get 0.
    ///
    /// # Panics
    /// If the count of numbers differs from the number of free parameters.
    pub fn spread_of(&self, free: &[f64]) -> Vec<f64> {
        self.scatter(free, |_, number| number.unwrap_or(0.0))
    }

    fn free(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(|p| !p.fixed)
    }

    /// One result for each parameter. `number` is called with the number of a free parameter, or with `None`
    /// for a fixed one.
    fn scatter(&self, free: &[f64], number: impl Fn(&Parameter, Option<f64>) -> f64) -> Vec<f64> {
        assert_eq!(free.len(), self.dimension(), "a number per free parameter");
        let mut free = free.iter().copied();
        let parameters = self.parameters.iter();
        parameters
            .map(|p| number(p, if p.fixed { None } else { free.next() }))
            .collect()
    }
}

impl Parameter {
    fn check(&self) -> Result<(), FieldError> {
        let &Parameter {
            start, min, max, ..
        } = self;
        if self.fixed && start.is_finite() {
            return Ok(());
        }
        let wrong = |path: &[&str], message: String| Err(self.error(path, &message));
        let [shown_start, shown_min, shown_max] = [start, min, max].map(Short);
        let all = format!("start = {shown_start}, min = {shown_min}, max = {shown_max}");
        if !(start.is_finite() && min.is_finite() && max.is_finite() && (max - min).is_finite()) {
            return wrong(&[], format!("{all} must be finite numbers, max - min too"));
        }
        // Different bounds can have equal logarithms, so the logarithms are compared too.
        let is_log = self.scale == Scale::Log;
        if min >= max || (is_log && min > 0.0 && libm::log(min) >= libm::log(max)) {
            let message = format!(
                "min = {shown_min} must be below max = {shown_max}; to keep it at its start, make it fixed"
            );
            return wrong(&[], message);
        }
        if !(min..=max).contains(&start) {
            let message = format!(
                "start = {shown_start} must lie within its bounds, from {shown_min} to {shown_max}"
            );
            return wrong(&["start"], message);
        }
        if !STEPS.contains(&self.step) {
            let (least, most) = STEPS.into_inner();
            let message = format!("step = {} must be from {least} to {most}", self.step);
            return wrong(&["step"], message);
        }
        if is_log && min <= 0.0 {
            let message = format!("min = {shown_min} must be above 0 on a log scale");
            return wrong(&["min"], message);
        }
        if self.integer && [start, min, max].iter().any(|x| x.fract() != 0.0) {
            let message = format!("{all} must be whole numbers for an integer parameter");
            return wrong(&[], message);
        }
        Ok(())
    }

    /// An error about this parameter, at a path inside of it.
    fn error(&self, path: &[&str], message: &str) -> FieldError {
        let name = self.name.as_str();
        FieldError::new(path, format!("parameter `{name}`: {message}")).within([name])
    }

    /// Unit position of a value.
    fn position(&self, value: f64) -> f64 {
        let value = value.clamp(self.min, self.max);
        if !self.choices.is_empty() {
            // The middle of the part of the range that belongs to the choice.
            return (value + 0.5) / self.choices.len() as f64;
        }
        let (low, high, at) = match self.scale {
            Scale::Linear => (self.min, self.max, value),
            // `libm` and not `std`, because the logarithm of the system library differs between platforms.
            Scale::Log => (libm::log(self.min), libm::log(self.max), libm::log(value)),
        };
        ((at - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// Value at a unit position. Each choice of a category has an equal part of the range.
    fn value_at(&self, position: f64) -> f64 {
        if !self.choices.is_empty() {
            let choice = (position * self.choices.len() as f64).floor();
            return choice.clamp(self.min, self.max);
        }
        let value = self.between(position);
        if self.integer {
            // Minus zero is no whole number that anybody has written: the sum is 0.
            (value.round() + 0.0).clamp(self.min, self.max)
        } else {
            value
        }
    }

    /// Number at a unit position, not rounded. It is exact at 0 and 1. It is clamped, because rounding errors can exceed
    /// a bound.
    fn between(&self, position: f64) -> f64 {
        let between = |low: f64, high: f64| (1.0 - position) * low + position * high;
        let value = match self.scale {
            Scale::Linear => between(self.min, self.max),
            Scale::Log if position <= 0.0 => self.min,
            Scale::Log if position >= 1.0 => self.max,
            Scale::Log => libm::exp(between(libm::log(self.min), libm::log(self.max))),
        };
        value.clamp(self.min, self.max)
    }
}

/// Maps a search coordinate to a unit position in `[0, 1]` (see the diagram above).
pub(super) fn fold(coordinate: f64) -> f64 {
    const SPAN: f64 = 1.0 + 2.0 * MARGIN;
    let mut x = coordinate;
    // Coordinates in the first copy are not reduced, so that the interior is exactly the identity.
    if !(-MARGIN..=1.0 + MARGIN).contains(&x) {
        let phase = (x + MARGIN).rem_euclid(2.0 * SPAN);
        x = phase.min(2.0 * SPAN - phase) - MARGIN;
    }
    let position = if x < MARGIN {
        (x + MARGIN).powi(2) / (4.0 * MARGIN)
    } else if x > 1.0 - MARGIN {
        1.0 - (x - (1.0 + MARGIN)).powi(2) / (4.0 * MARGIN)
    } else {
        x
    };
    position.clamp(0.0, 1.0)
}

/// Maps a unit position to the search coordinate in `[-MARGIN, 1 + MARGIN]` that folds to it.
pub(super) fn unfold(position: f64) -> f64 {
    if position < MARGIN {
        (4.0 * MARGIN * position).sqrt() - MARGIN
    } else if position > 1.0 - MARGIN {
        1.0 + MARGIN - (4.0 * MARGIN * (1.0 - position)).sqrt()
    } else {
        position
    }
}

#[cfg(test)]
pub(super) mod tests;
