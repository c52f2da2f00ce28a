//! The size of results: what a difference of interest in percent or in standard deviations is a share of.
//!
//! A difference in percent makes sense if the mean result is not small beside its deviation. The results of
//! matches against a baseline, for example, have a mean near 0: a percentage of it says nothing.
//!
//! ```
//! use tiletune_tuning::stats::scale::Scale;
//!
//! let scores = Scale { mean: 7000.0, deviation: 3000.0 };
//! assert_eq!(scores.difference(None).points, 140.0);
//! // Wins and losses, 1 and -1, against an opponent that is about as good.
//! let matches = Scale { mean: 0.02, deviation: 1.0 };
//! assert_eq!(matches.difference(None).points, 0.1);
//! ```

use super::sequential::Moments;
use crate::results::{DifferenceOfInterest, Margin, MarginUnit};

/// Smallest mean, in standard deviations, of which differences in percent are meant without a margin.
const FEWEST_DEVIATIONS: f64 = 0.2;

/// The difference of interest without a margin if the mean is large enough.
const USUAL_PERCENT: Margin = Margin {
    value: 2.0,
    unit: MarginUnit::Percent,
};

/// The difference of interest without a margin if the mean is near 0.
const USUAL_DEVIATIONS: Margin = Margin {
    value: 0.1,
    unit: MarginUnit::StandardDeviations,
};

/// The size of the results of two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Mean of the absolute means of both.
    pub mean: f64,
    /// Standard deviation of a result of one of them.
    pub deviation: f64,
}

impl Scale {
    /// That of the results of two players, in any order.
    pub fn of(one: &Moments, other: &Moments) -> Self {
        Scale {
            mean: (one.mean().abs() + other.mean().abs()) / 2.0,
            deviation: ((one.variance() + other.variance()) / 2.0).sqrt(),
        }
    }

    /// The difference of interest: that of the margin; without one 2 % of the mean, or 0.1 standard deviations
    /// if the mean is less than 0.2 of them.
    pub fn difference(self, margin: Option<Margin>) -> DifferenceOfInterest {
        let usual = match self.mean >= FEWEST_DEVIATIONS * self.deviation {
            true => USUAL_PERCENT,
            false => USUAL_DEVIATIONS,
        };
        let Margin { value, unit } = margin.unwrap_or(usual);
        let points = match unit {
            MarginUnit::Percent => value / 100.0 * self.mean,
            MarginUnit::Points => value,
            MarginUnit::StandardDeviations => value * self.deviation,
        };
        DifferenceOfInterest {
            value,
            unit,
            points,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_difference_is_relative_unless_the_mean_is_near_0() {
        let usual = |mean: f64, deviation: f64| {
            let usual = Scale { mean, deviation }.difference(None);
            (usual.is_relative(), usual.points)
        };
        assert_eq!(usual(100.0, 500.0), (true, 2.0));
        assert_eq!(usual(99.9, 500.0), (false, 50.0));
        assert_eq!(usual(7.0, 0.0), (true, 0.14));
        assert_eq!(usual(0.0, 0.0), (true, 0.0));
    }

    #[test]
    fn the_scale_is_that_of_both() {
        let [mut one, mut other] = [Moments::default(); 2];
        one.extend([-1.0, -1.0, -4.0]);
        other.extend([5.0, 5.0, 5.0]);
        let scale = Scale::of(&one, &other);
        assert_eq!(scale, Scale::of(&other, &one));
        assert_eq!(scale.mean, 3.5);
        assert!((scale.deviation - 1.5f64.sqrt()).abs() < 1e-12);
        let of = |text: &str| scale.difference(Some(text.parse().unwrap())).points;
        assert!((of("10%") - 0.35).abs() < 1e-12 && of("10") == 10.0);
        assert_eq!(of("2sd"), 2.0 * scale.deviation);
    }
}
