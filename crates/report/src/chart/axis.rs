//! Axes: a range, and the places that get a label.
//!
//! Places on a logarithmic axis are exponents of ten. Only this file and the code that draws a figure know that: charts
//! pass real values.

use serde::Serialize;

use crate::number;

/// One axis of a panel.
#[derive(Clone, Debug, Serialize)]
pub struct Axis {
    /// What is measured, with its unit; may be empty.
    pub title: String,
    /// First and last place on the axis.
    pub range: (f64, f64),
    pub ticks: Vec<(f64, String)>,
    /// Whether the place of a value is its exponent of ten.
    pub is_logarithmic: bool,
    /// Whether the values are shares, labelled in percent.
    pub is_share: bool,
    /// Whether overlapping labels are dropped by priority: a label that would touch an earlier one of `ticks` is left
    /// out. Otherwise every second, third and so on is kept.
    #[serde(skip)]
    pub(super) has_priorities: bool,
}

impl Axis {
    fn new(
        title: impl Into<String>,
        range: (f64, f64),
        ticks: impl Iterator<Item = (f64, String)>,
    ) -> Self {
        Axis {
            title: title.into(),
            range,
            ticks: ticks.collect(),
            is_logarithmic: false,
            is_share: false,
            has_priorities: false,
        }
    }

    /// An axis with equal steps and about `count` ticks. Its range contains every finite value.
    pub fn linear(
        title: impl Into<String>,
        values: impl IntoIterator<Item = f64>,
        count: usize,
    ) -> Self {
        let (low, high) = extent(values).unwrap_or((0.0, 1.0));
        let room = match high - low {
            0.0 if low == 0.0 => 1.0,
            0.0 => low.abs() * 0.1,
            span => span * 0.05,
        };
        Axis::between(title, (low - room, high + room), count)
    }

    /// An axis with equal steps over exactly this range.
    pub fn between(title: impl Into<String>, range: (f64, f64), count: usize) -> Self {
        let step = nice_step((range.1 - range.0) / count as f64);
        let ticks = multiples(step, range).map(|value| (value, linear_label(value, step)));
        Axis::new(title, range, ticks)
    }

    /// A logarithmic axis whose range contains every positive finite value. The title says that it is logarithmic,
    /// because labels such as 1 and 3 alone do not show it.
    pub(super) fn logarithmic(
        title: impl Into<String>,
        values: impl IntoIterator<Item = f64>,
    ) -> Self {
        let logs = values
            .into_iter()
            .filter(|value| *value > 0.0)
            .map(f64::log10);
        let (low, high) = extent(logs).unwrap_or((0.0, 1.0));
        // A range of less than a factor of two would exaggerate small changes.
        let room = ((0.3 - (high - low)) / 2.0)
            .max((high - low) * 0.05)
            .max(0.02);
        let range = (low - room, high + room);
        let ticks = log_ticks(range)
            .into_iter()
            .map(|value| (value.log10(), number::compact(value)));
        let title: String = title.into();
        let title = format!("{title}, logarithmic");
        Axis {
            is_logarithmic: true,
            ..Axis::new(title, range, ticks)
        }
    }

    /// An axis of whole numbers from 0 to `last`.
    pub fn generations(title: impl Into<String>, last: u32, count: usize) -> Self {
        let last = f64::from(last);
        let room = (last * 0.01).max(0.2);
        let step = nice_step(last / count as f64).max(1.0);
        let range = (-room, last + room);
        let ticks = multiples(step, range).map(|value| (value, number::grouped(value, 0)));
        Axis::new(title, range, ticks)
    }

    /// An axis with names at the places 0, 1, 2 and so on. Fewer than five are drawn close together in the middle.
    pub(super) fn named(title: impl Into<String>, names: Vec<String>) -> Self {
        let count = names.len() as f64;
        let room = 0.5 + ((5.0 - count) / 2.0).max(0.0);
        let range = (-room, count - 1.0 + room);
        let ticks = names
            .into_iter()
            .enumerate()
            .map(|(place, name)| (place as f64, name));
        Axis::new(title, range, ticks)
    }

    /// An axis of shares in percent, from 0 to `highest`.
    pub(super) fn shares(title: impl Into<String>, highest: f64) -> Self {
        let step = nice_step(highest * 100.0 / 6.0);
        let ticks = multiples(step, (0.0, highest * 100.0 + 1e-9))
            .map(|value| (value / 100.0, format!("{} %", linear_label(value, step))));
        Axis {
            is_share: true,
            ..Axis::new(title, (0.0, highest), ticks)
        }
    }

    /// An axis from the lower to the upper bound of a parameter on its scale. Both bounds and the middle are labelled,
    /// or round values on a logarithmic scale.
    pub(super) fn bounded(low: f64, high: f64, is_logarithmic: bool) -> Self {
        let ends = if is_logarithmic {
            (low.log10(), high.log10())
        } else {
            (low, high)
        };
        let ticks = if is_logarithmic {
            log_ticks(ends)
        } else {
            vec![low, (low + high) / 2.0, high]
        };
        let room = 0.02 * (ends.1 - ends.0);
        let axis = Axis {
            is_logarithmic,
            ..Axis::new("", (ends.0 - room, ends.1 + room), std::iter::empty())
        };
        let ticks = ticks.into_iter();
        let ticks = ticks.filter_map(|value| Some((axis.place(value)?, number::compact(value))));
        Axis {
            ticks: ticks.collect(),
            ..axis
        }
    }

    /// An axis without labels for this number of rows.
    pub(super) fn of_rows(count: f64) -> Self {
        Axis::new("", (0.0, count), std::iter::empty())
    }

    /// Adds space after the last value, for a result beside the series. Returns the middle of that space.
    pub(super) fn add_room(&mut self) -> f64 {
        let room = 0.03 * (self.range.1 - self.range.0);
        self.range.1 += 2.0 * room;
        self.range.1 - room
    }

    /// The place of a value, clamped to the range; `None` for a value without a place.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let place = if self.is_logarithmic {
            value.log10()
        } else {
            value
        };
        place
            .is_finite()
            .then(|| place.clamp(self.range.0, self.range.1))
    }
}

/// Smallest and largest finite value.
fn extent(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values
        .into_iter()
        .filter(|value| value.is_finite())
        .fold(None, |extent, value| {
            let (low, high) = extent.unwrap_or((value, value));
            Some((value.min(low), value.max(high)))
        })
}

/// The number nearest to `step` of 1, 2, 5, 10, 20 and so on, and of their tenths, hundredths and so on.
fn nice_step(step: f64) -> f64 {
    if !(step.is_finite() && step > 0.0) {
        return 1.0;
    }
    let power = 10_f64.powf(step.log10().floor());
    let factor = match step / power {
        ..1.5 => 1.0,
        ..3.5 => 2.0,
        ..7.5 => 5.0,
        _ => 10.0,
    };
    factor * power
}

fn multiples(step: f64, (low, high): (f64, f64)) -> impl Iterator<Item = f64> {
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(move |index| index as f64 * step)
}

fn linear_label(value: f64, step: f64) -> String {
    if !(1e-4..1e9).contains(&step) {
        return number::compact(value);
    }
    number::grouped(
        value,
        (-(step * 1.000_001).log10().floor()).max(0.0) as usize,
    )
}

/// The ticks of the coarsest pattern with at least three labels. The patterns are powers of ten, 1-3, 1-2-5 and
/// 1-2-3..9.
fn log_ticks((low, high): (f64, f64)) -> Vec<f64> {
    const FACTORS: [&[f64]; 4] = [
        &[1.0],
        &[1.0, 3.0],
        &[1.0, 2.0, 5.0],
        &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
    ];
    let decades = low.floor() as i32..=high.ceil() as i32;
    // With many decades not all labels fit.
    let stride = ((high - low) / 8.0).ceil().max(1.0) as usize;
    let ticks = |factors: &[f64]| -> Vec<f64> {
        let powers = decades
            .clone()
            .step_by(stride)
            .map(|decade| 10_f64.powi(decade));
        let values = powers.flat_map(|power| factors.iter().map(move |factor| factor * power));
        values
            .filter(|value| (low - 1e-9..=high + 1e-9).contains(&value.log10()))
            .collect()
    };
    let found = FACTORS
        .iter()
        .map(|factors| ticks(factors))
        .find(|ticks| ticks.len() >= 3);
    found.unwrap_or_else(|| ticks(FACTORS[3]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(
            labels(&Axis::linear("", [0.0, 20_000.0], 4)),
            ["0", "5,000", "10,000", "15,000", "20,000"]
        );
        assert_eq!(
            labels(&Axis::linear("", [0.0, 0.04], 2)),
            ["0.00", "0.02", "0.04"]
        );
        assert_eq!(labels(&Axis::generations("", 0, 6)), ["0"]);
        assert_eq!(
            labels(&Axis::logarithmic("", [0.001, 0.3])),
            ["0.001", "0.01", "0.1"]
        );
    }

    #[test]
    fn the_axis_of_a_parameter_has_its_scale() {
        let axis = Axis::bounded(0.1, 10.0, true);
        assert_eq!(labels(&axis), ["0.1", "1", "10"]);
        assert!(axis.place(1.0).is_some_and(|place| place.abs() < 1e-12));
        assert_eq!(
            labels(&Axis::bounded(0.1, 10.0, false)),
            ["0.1", "5.05", "10"]
        );
    }

    #[test]
    fn a_logarithmic_axis_says_so() {
        let axis = Axis::logarithmic("games", [1.0, 10.0]);
        assert_eq!(axis.title, "games, logarithmic");
    }

    #[test]
    fn odd_values_have_axes_too() {
        for values in [
            vec![],
            vec![f64::NAN],
            vec![5.0],
            vec![0.0],
            vec![f64::INFINITY, 1e-12],
        ] {
            for axis in [
                Axis::linear("", values.clone(), 5),
                Axis::logarithmic("", values),
            ] {
                assert!(axis.range.0 < axis.range.1);
                assert!(!axis.ticks.is_empty());
            }
        }
        assert_eq!(Axis::linear("", [1.0], 5).place(f64::NAN), None);
    }
}
