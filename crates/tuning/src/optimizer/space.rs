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

use crate::results::Parameter;
use tiletune_engine::field_error::FieldError;
use tiletune_engine::heuristic::{Scale, Short};

/// Width of the quadratic margin at each bound, in unit coordinates.
pub(super) const MARGIN: f64 = 1.0 / 20.0;

/// A parameter with more whole-number values is searched like any other number: its steps are small.
const MOST_VALUES: f64 = 1000.0;

/// Allowed initial standard deviations of a parameter, as multiples of the optimizer's step size.
const STEPS: std::ops::RangeInclusive<f64> = 0.001..=10.0;

/// The parameters of a campaign, in order, and the map from search coordinates to their values.
///
/// Vectors of *values* contain all parameters, vectors of *coordinates* only the free ones. Both have the order
/// of [`Space::parameters`].
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    parameters: Vec<Parameter>,
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
        let space = Space { parameters };
        if space.dimension() == 0 {
            let message = format!(
                "no parameter is free: at least one must not be fixed (parameters: {})",
                space.names().join(", ")
            );
            return Err(FieldError::new([""; 0], message));
        }
        Ok(space)
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
            if !p.integer || count >= MOST_VALUES {
                return Vec::new();
            }
            let between = |index| p.min + f64::from(index) + 0.5;
            let places = (0..count as u32).map(|index| unfold(p.position(between(index))));
            places.collect()
        };
        self.free().map(of_parameter).collect()
    }

    /// Values of all parameters, including fixed ones, at the given search coordinates. For finite coordinates
    /// they are always within the bounds.
    ///
    /// # Panics
    /// If the number of coordinates differs from the number of free parameters.
    pub fn decode(&self, coordinates: &[f64]) -> Vec<f64> {
        self.scatter(coordinates, |parameter, coordinate| match coordinate {
            Some(coordinate) => parameter.value_at(fold(coordinate)),
            None => parameter.start,
        })
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
        let (low, high, at) = match self.scale {
            Scale::Linear => (self.min, self.max, value),
            // `libm` and not `std`, because the logarithm of the system library differs between platforms.
            Scale::Log => (libm::log(self.min), libm::log(self.max), libm::log(value)),
        };
        ((at - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// Value at a unit position. It is exact at 0 and 1. It is clamped, because rounding errors can exceed a
    /// bound.
    fn value_at(&self, position: f64) -> f64 {
        let between = |low: f64, high: f64| (1.0 - position) * low + position * high;
        let value = match self.scale {
            Scale::Linear => between(self.min, self.max),
            Scale::Log if position <= 0.0 => self.min,
            Scale::Log if position >= 1.0 => self.max,
            Scale::Log => libm::exp(between(libm::log(self.min), libm::log(self.max))),
        };
        let value = if self.integer { value.round() } else { value };
        value.clamp(self.min, self.max)
    }
}

/// Maps a search coordinate to a unit position in `[0, 1]` (see the diagram above).
fn fold(coordinate: f64) -> f64 {
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parameter(name: &str, start: f64, min: f64, max: f64, scale: Scale) -> Parameter {
        Parameter {
            name: name.into(),
            start,
            min,
            max,
            scale,
            integer: false,
            step: 1.0,
            fixed: false,
        }
    }

    /// A free parameter with any width, scale and start, including starts at a bound.
    fn any_parameter() -> impl Strategy<Value = Parameter> {
        let start = prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0];
        (any::<bool>(), -6.0..6.0, 0.01..6.0, start).prop_map(
            |(log, low, width, at): (_, f64, f64, f64)| {
                let (min, max, scale) = if log {
                    (10f64.powf(low), 10f64.powf(low + width), Scale::Log)
                } else {
                    (low, low + 10f64.powf(width), Scale::Linear)
                };
                let start = ((1.0 - at) * min + at * max).clamp(min, max);
                parameter("p", start, min, max, scale)
            },
        )
    }

    proptest! {
        #[test]
        fn decoded_values_stay_within_the_bounds(p in any_parameter(), x in prop_oneof![
            -3.0..3.0, -1e18..1e18, any::<f64>().prop_filter("finite", |x| x.is_finite())
        ]) {
            let (min, max) = (p.min, p.max);
            let value = Space::new(vec![p]).unwrap().decode(&[x])[0];
            prop_assert!((min..=max).contains(&value), "{value} outside {min}..={max}");
        }

        #[test]
        fn a_small_step_of_the_coordinate_is_a_small_step_of_the_position(x in -50.0..50.0, step in 0.0..1e-3) {
            // The slope of the fold is at most 1 everywhere; 1e-12 covers rounding errors of the reduction.
            prop_assert!((fold(x + step) - fold(x)).abs() <= step + 1e-12);
        }

        #[test]
        fn the_start_comes_back(p in any_parameter()) {
            let (start, min, max) = (p.start, p.min, p.max);
            let space = Space::new(vec![p]).unwrap();
            let coordinates = space.start();
            let back = space.decode(&coordinates)[0];
            if start == min || start == max {
                prop_assert_eq!(back, start);
            }
            // The tolerance is relative to the number or, where it is much smaller than the bounds, to the
            // bounds.
            let size = if space.parameters()[0].scale == Scale::Log { start } else { min.abs().max(max.abs()) };
            prop_assert!((back - start).abs() <= 1e-12 * size, "{start} came back as {back}");
            prop_assert!((-MARGIN..=1.0 + MARGIN).contains(&coordinates[0]));
        }

        #[test]
        fn scales_are_monotone(p in any_parameter(), a in -MARGIN..1.0 + MARGIN, step in 1e-6..0.1) {
            let b = f64::min(a + step, 1.0 + MARGIN);
            let space = Space::new(vec![p]).unwrap();
            prop_assert!(space.decode(&[a])[0] <= space.decode(&[b])[0]);
        }

        #[test]
        fn unfolding_undoes_folding(position in 0.0..=1.0) {
            prop_assert!((fold(unfold(position)) - position).abs() < 1e-15);
        }
    }

    #[test]
    fn the_interior_is_the_identity_and_the_outside_a_mirror() {
        for x in [0.05, 0.3, 0.5, 0.7, 0.95] {
            assert_eq!(fold(x), x);
            for copy in [-4.4, -2.2, 2.2, 220.0] {
                assert!((fold(x + copy) - x).abs() < 1e-12);
                assert!((fold(-0.1 - x + copy) - x).abs() < 1e-12);
            }
        }
        assert_eq!((fold(-MARGIN), fold(1.0 + MARGIN)), (0.0, 1.0));
    }

    #[test]
    fn log_positions_are_ratios() {
        let space = Space::new(vec![parameter("p", 1.0, 0.01, 100.0, Scale::Log)]).unwrap();
        assert!((space.start()[0] - 0.5).abs() < 1e-15);
        assert!((space.decode(&[0.75])[0] - 10.0).abs() < 1e-12);
        assert_eq!(space.unit(&[0.001]), [0.0]);
    }

    #[test]
    fn fixed_and_integer_parameters_keep_their_places() {
        let mut fixed = parameter("fixed", 7.5, 7.5, 7.5, Scale::Linear);
        fixed.fixed = true;
        let mut whole = parameter("whole", 3.0, 0.0, 10.0, Scale::Linear);
        whole.integer = true;
        let free = parameter("free", 0.25, 0.0, 1.0, Scale::Linear);
        let space = Space::new(vec![whole, fixed, free]).unwrap();
        assert_eq!(space.dimension(), 2);
        assert_eq!(space.names(), ["whole", "fixed", "free"]);
        assert_eq!(space.free_names(), ["whole", "free"]);
        assert_eq!(space.decode(&space.start()), [3.0, 7.5, 0.25]);
        assert_eq!(space.decode(&[0.449, 0.5]), [4.0, 7.5, 0.5]);
        assert_eq!(space.unit(&[5.0, 1.0, 0.75]), [0.5, 0.5, 0.75]);
        assert_eq!(space.spread_of(&[0.1, 0.2]), [0.1, 0.0, 0.2]);
    }

    #[test]
    fn mistakes_name_the_parameter_and_what_is_allowed() {
        let bad = |p: Parameter| Space::new(vec![p]).unwrap_err().to_string();
        let linear = |start, min, max| parameter("w", start, min, max, Scale::Linear);
        assert_eq!(
            bad(linear(1.0, 1.0, 1.0)),
            "parameter `w`: min = 1 must be below max = 1; to keep it at its start, make it fixed"
        );
        assert_eq!(
            bad(linear(3.0, 0.0, 2.0)),
            "parameter `w`: start = 3 must lie within its bounds, from 0 to 2"
        );
        assert_eq!(
            bad(parameter("w", 1.0, 0.0, 2.0, Scale::Log)),
            "parameter `w`: min = 0 must be above 0 on a log scale"
        );
        assert!(bad(linear(f64::NAN, 0.0, 1.0)).contains("finite"));
        assert!(bad(linear(0.0, -f64::MAX, f64::MAX)).contains("max - min too"));
        let mut whole = linear(1.0, 0.5, 2.0);
        whole.integer = true;
        assert!(bad(whole).contains("whole numbers"));
        let mut fixed = linear(1.0, 0.0, 2.0);
        fixed.fixed = true;
        assert!(bad(fixed).contains("no parameter is free"));
        let twice = vec![linear(1.0, 0.0, 2.0), linear(1.0, 0.0, 2.0)];
        let message = Space::new(twice).unwrap_err().to_string();
        assert_eq!(message, "parameter `w` occurs twice; names must be unique");
    }
}
