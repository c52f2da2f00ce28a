//! Intervals and standard errors in closed form: of a mean (Student's t), of a share (Clopper and Pearson), and
//! of the median (order statistics).

use super::distributions::{
    binomial_tail, bisect, fair_coin_tail, normal_quantile, student_upper_quantile,
};
use super::summary::sorted;

/// The probability outside of a 95 % interval, on each side.
pub(super) const TAIL: f64 = 0.025;

/// An interval, usually with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// The interval of all numbers, if nothing is known.
    pub const ALL: Interval = Interval {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };

    /// The interval from `low` to `high`.
    pub fn new(low: f64, high: f64) -> Self {
        Interval { low, high }
    }

    /// The interval from `center - half` to `center + half`.
    pub(super) fn around(center: f64, half: f64) -> Self {
        Interval::new(center - half, center + half)
    }

    /// The smallest interval that contains both intervals.
    pub(super) fn union(self, other: Interval) -> Self {
        Interval::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// The interval with both ends clamped to `low..=high`.
    pub fn within(self, low: f64, high: f64) -> Self {
        Interval::new(self.low.clamp(low, high), self.high.clamp(low, high))
    }

    /// Both ends, the lower first.
    pub fn ends(self) -> [f64; 2] {
        [self.low, self.high]
    }
}

/// Student's t interval (95 %) of a mean with this standard error from a number of independent observations.
/// `None` for fewer than two observations, or if the standard error is 0.
pub fn t_interval(mean: f64, standard_error: f64, observations: u64) -> Option<Interval> {
    t_interval_beyond(mean, standard_error, observations, TAIL)
}

/// The t interval that excludes the probability `tail` on each side.
pub(super) fn t_interval_beyond(
    mean: f64,
    standard_error: f64,
    observations: u64,
    tail: f64,
) -> Option<Interval> {
    (observations >= 2 && standard_error > 0.0).then(|| {
        let quantile = student_upper_quantile(tail, (observations - 1) as f64);
        Interval::around(mean, quantile * standard_error)
    })
}

/// Exact 95 % interval of a probability, from the number of successes in independent trials (Clopper and
/// Pearson 1934). It contains the true probability in at least 95 % of cases, for any probability and any
/// number of trials. Without trials it is `[0, 1]`.
///
/// A trial can succeed in part, such as a draw that counts half, or one of the two games of an opening. The
/// number of successes is then rounded down for the lower end and up for the upper end.
///
/// # Panics
/// If there are fewer than 0 successes, or more successes than trials.
pub fn share_interval(successes: f64, trials: u64) -> Interval {
    let all = trials as f64;
    assert!((0.0..=all).contains(&successes), "successes in trials");
    Interval {
        // The lower end follows from the upper end for failures.
        low: 1.0 - share_above((all - successes).ceil() as u64, trials, TAIL),
        high: share_above(successes.ceil() as u64, trials, TAIL),
    }
}

/// The success probability at which at most `successes` successes occur with probability `tail`. It is the
/// upper end of the exact interval.
pub(super) fn share_above(successes: u64, trials: u64, tail: f64) -> f64 {
    if successes >= trials {
        return 1.0;
    }
    let share = successes as f64 / trials as f64;
    bisect(share, 1.0, |p| {
        binomial_tail(trials, successes + 1, p) > tail
    })
}

/// Exact 95 % interval of the median, for any distribution of the values. Its ends are two order statistics
/// (Thompson 1936). `None` for fewer than 6 values: even the smallest and the largest of 5 values enclose the
/// median in less than 95 % of cases.
pub fn median_interval(values: &[f64]) -> Option<Interval> {
    let n = values.len() as u64;
    if n == 0 || fair_coin_tail(n, 1) > TAIL {
        return None;
    }
    // Bisection for the largest c with P(fewer than c values are below the median) <= TAIL.
    let (mut c, mut beyond) = (1, n.div_ceil(2) + 1);
    while c + 1 < beyond {
        let middle = c.midpoint(beyond);
        if fair_coin_tail(n, middle) <= TAIL {
            c = middle;
        } else {
            beyond = middle;
        }
    }
    let sorted = sorted(values);
    Some(Interval::new(
        sorted[c as usize - 1],
        sorted[(n - c) as usize],
    ))
}

/// Standard error of the sample median, from the distance of two order statistics (Price and Bonett 2001,
/// "Estimating the variance of the sample median"). Let c = (n + 1) / 2 - sqrt(n), rounded and at least 1. The
/// result is the distance between the order statistics c and n + 1 - c, divided by twice the normal quantile of
/// the coverage of that interval. It needs one sort, but no density estimate and no resampling. The result is 0
/// for fewer than two values, and if the two order statistics are equal.
pub fn standard_error_of_median(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    let n = sorted.len();
    if n < 2 {
        return 0.0;
    }
    let c = (((n as f64 + 1.0) / 2.0 - (n as f64).sqrt()).round() as usize).max(1);
    let z = -normal_quantile(fair_coin_tail(n as u64, c as u64));
    (sorted[n - c] - sorted[c - 1]) / (2.0 * z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::summary::{mean, median};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    fn normal_sample(stream: &mut Xoshiro256PlusPlus, n: usize) -> Vec<f64> {
        let uniform = |x: u64| ((x >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        (0..n)
            .map(|_| normal_quantile(uniform(stream.next_u64())))
            .collect()
    }

    fn is_close(interval: Interval, low: f64, high: f64) -> bool {
        (interval.low - low).abs() < 5e-5 && (interval.high - high).abs() < 5e-5
    }

    #[test]
    fn shares_match_worked_examples() {
        // Newcombe 1998, table I, method 5: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        assert!(is_close(share_interval(81.0, 263), 0.2527, 0.3676));
        assert!(is_close(share_interval(15.0, 148), 0.0578, 0.1617));
        assert!(is_close(share_interval(0.0, 20), 0.0, 0.1684));
        assert!(is_close(share_interval(1.0, 29), 0.0009, 0.1776));
        assert_eq!(share_interval(20.0, 20).high, 1.0);
        assert_eq!(share_interval(0.0, 0).ends(), [0.0, 1.0]);
        let half = share_interval(3.5, 20);
        assert_eq!(half.low, share_interval(3.0, 20).low);
        assert_eq!(half.high, share_interval(4.0, 20).high);
    }

    #[test]
    fn the_ends_of_a_share_leave_a_fortieth_outside() {
        for (successes, trials) in [(7, 30), (5, 1_000), (499_000, 1_000_000)] {
            let Interval { low, high } = share_interval(successes as f64, trials);
            let below = binomial_tail(trials, successes + 1, high);
            let above = binomial_tail(trials, trials - successes + 1, 1.0 - low);
            assert!((below - TAIL).abs() < 1e-6 && (above - TAIL).abs() < 1e-6);
        }
    }

    #[test]
    fn the_interval_of_a_mean_is_the_textbook_one() {
        let interval = t_interval(10.0, 2.0, 10).unwrap();
        assert!((interval.high - 10.0 - 2.0 * 2.262_157).abs() < 1e-5);
        assert!((interval.low + interval.high - 20.0).abs() < 1e-12);
        assert_eq!(t_interval(10.0, 2.0, 1), None);
        assert_eq!(t_interval(10.0, 0.0, 10), None);
    }

    #[test]
    fn the_interval_of_the_median_is_the_textbook_one() {
        // Conover 1999, table A3: order statistics 1 and 6, 2 and 9, 10 and 21, 40 and 61.
        for (n, low, high) in [(6, 1, 6), (10, 2, 9), (30, 10, 21), (100, 40, 61)] {
            let values: Vec<f64> = (1..=n).rev().map(f64::from).collect();
            let interval = median_interval(&values).unwrap();
            assert_eq!(interval.ends(), [f64::from(low), f64::from(high)], "{n}");
        }
        assert_eq!(median_interval(&[1.0; 5]), None);
        assert_eq!(median_interval(&[]), None);
    }

    #[test]
    fn standard_error_of_median_is_right_on_average() {
        // True values from the asymptotic variance pi / (2 n) of the median of normal values.
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(5);
        for n in [20usize, 101, 400] {
            let samples: Vec<_> = (0..600).map(|_| normal_sample(&mut stream, n)).collect();
            let estimates: Vec<_> = samples
                .iter()
                .map(|s| standard_error_of_median(s))
                .collect();
            let medians: Vec<_> = samples.iter().map(|s| median(s)).collect();
            let spread = mean(&medians.iter().map(|m| m * m).collect::<Vec<_>>()).sqrt();
            let asymptotic = (std::f64::consts::PI / (2.0 * n as f64)).sqrt();
            assert!(
                (spread / asymptotic - 1.0).abs() < 0.1,
                "n = {n}: the medians themselves"
            );
            let ratio = mean(&estimates) / spread;
            assert!((0.9..1.12).contains(&ratio), "n = {n}: ratio {ratio}");
        }
        assert_eq!(
            (
                standard_error_of_median(&[]),
                standard_error_of_median(&[3.0])
            ),
            (0.0, 0.0)
        );
        assert_eq!(standard_error_of_median(&[3.0; 9]), 0.0);
    }
}
