//! The typical size of results. A difference of interest in percent or in standard deviations refers to it.
//!
//! A difference in percent has a meaning only if no mean result is small in comparison with the deviation. For
//! example, the results of matches against a baseline have a mean near 0, and a percentage of this mean says
//! nothing.
//!
//! ```
//! use tiletune_tuning::stats::scale::Scale;
//!
//! let scores = Scale { means: [6800.0, 7200.0], deviation: 3000.0 };
//! assert_eq!(scores.difference(None).points, 140.0);
//! // Wins and losses, 1 and -1, against an opponent that is about as good.
//! let matches = Scale { means: [-0.02, 0.5], deviation: 1.0 };
//! assert_eq!(matches.difference(None).points, 0.1);
//! ```

use super::sequential::Moments;
use crate::results::{DifferenceOfInterest, Margin, MarginUnit};

/// Smallest mean of each player, in standard deviations, with which the default margin is in percent.
const FEWEST_DEVIATIONS: f64 = 0.2;

/// The default margin if the means are large enough.
const USUAL_PERCENT: Margin = Margin {
    value: 2.0,
    unit: MarginUnit::Percent,
};

/// The default margin if a mean is near 0.
const USUAL_DEVIATIONS: Margin = Margin {
    value: 0.1,
    unit: MarginUnit::StandardDeviations,
};

/// The typical size of the results of two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The mean result of each player.
    pub means: [f64; 2],
    /// Standard deviation of one result: the root mean square of both players.
    pub deviation: f64,
}

impl Scale {
    /// The scale of the results of two players, in any order.
    pub fn of(one: &Moments, other: &Moments) -> Self {
        Scale {
            means: [one.mean(), other.mean()],
            deviation: ((one.variance() + other.variance()) / 2.0).sqrt(),
        }
    }

    /// Mean of the absolute mean results of both players.
    pub fn mean(self) -> f64 {
        let [one, other] = self.means.map(f64::abs);
        (one + other) / 2.0
    }

    /// The difference of interest for a margin. The default is 2 % of the mean, or 0.1 standard deviations if
    /// the mean of a player is less than 0.2 standard deviations away from 0.
    pub fn difference(self, margin: Option<Margin>) -> DifferenceOfInterest {
        let [one, other] = self.means.map(f64::abs);
        let usual = if one.min(other) >= FEWEST_DEVIATIONS * self.deviation {
            USUAL_PERCENT
        } else {
            USUAL_DEVIATIONS
        };
        let Margin { value, unit } = margin.unwrap_or(usual);
        let points = match unit {
            MarginUnit::Percent => value / 100.0 * self.mean(),
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
        let usual = |one: f64, other: f64, deviation: f64| {
            let means = [one, other];
            let usual = Scale { means, deviation }.difference(None);
            (usual.is_relative(), usual.points)
        };
        assert_eq!(usual(100.0, -100.0, 500.0), (true, 2.0));
        assert_eq!(usual(99.9, 200.0, 500.0), (false, 50.0));
        assert_eq!(usual(200.0, -99.9, 500.0), (false, 50.0));
        assert_eq!(usual(0.0, 14.0, 0.0), (true, 0.14));
        assert_eq!(usual(0.0, 0.0, 0.0), (true, 0.0));
    }

    #[test]
    fn the_scale_is_that_of_both() {
        let [mut one, mut other] = [Moments::default(); 2];
        one.extend([-1.0, -1.0, -4.0]);
        other.extend([5.0, 5.0, 5.0]);
        let scale = Scale::of(&one, &other);
        let turned = Scale::of(&other, &one);
        assert_eq!(scale.difference(None), turned.difference(None));
        assert_eq!(scale.mean(), 3.5);
        assert!((scale.deviation - 1.5f64.sqrt()).abs() < 1e-12);
        let of = |text: &str| scale.difference(Some(text.parse().unwrap())).points;
        assert!((of("10%") - 0.35).abs() < 1e-12 && of("10") == 10.0);
        assert_eq!(of("2sd"), 2.0 * scale.deviation);
    }
}
