//! Intervals and standard errors in closed form, for a share and for the median.

use super::summary::sorted;

/// The 0.975 quantile of the standard normal distribution: two-sided 95 %.
pub const NORMAL_975: f64 = 1.959_963_984_540_054;

/// Ends of a 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// The interval that contains only this value.
    pub(super) fn point(value: f64) -> Self {
        Interval::around(value, 0.0)
    }

    /// All numbers: nothing is known.
    pub const ALL: Interval = Interval {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };

    /// The interval from `center - half` to `center + half`.
    pub(super) fn around(center: f64, half: f64) -> Self {
        Interval {
            low: center - half,
            high: center + half,
        }
    }
}

/// Wilson score interval, 95 %, for a share of successes (Wilson 1927).
///
/// `share` is in `[0, 1]`, out of `trials`; `[0, 1]` for no trials. Unlike share +- 1.96 standard
/// errors it is always within `[0, 1]` and has a positive width at shares of 0 and 1. A draw may count
/// half: then the interval is conservative.
///
/// # Panics
/// If `share` is outside `[0, 1]`.
pub fn wilson_interval(share: f64, trials: u64) -> Interval {
    assert!((0.0..=1.0).contains(&share), "a share");
    if trials == 0 {
        let (low, high) = (0.0, 1.0);
        return Interval { low, high };
    }
    let n = trials as f64;
    let z2 = NORMAL_975 * NORMAL_975;
    let center = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half =
        NORMAL_975 * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt() / (1.0 + z2 / n);
    // Exact arithmetic gives ends within 0 and 1 around the share; round-off may slightly violate that.
    Interval {
        low: (center - half).clamp(0.0, share),
        high: (center + half).clamp(share, 1.0),
    }
}

/// Standard error of the sample median, from the distance of two order statistics (Price and Bonett
/// 2001, "Estimating the variance of the sample median"): with c = (n + 1) / 2 - sqrt(n), rounded and
/// at least 1, it is the distance between the order statistics c and n + 1 - c over twice the normal
/// quantile of that interval's coverage. It needs one sort, but no density estimate and no resampling.
/// 0 for fewer than two values, and if the two order statistics are equal.
pub fn standard_error_of_median(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    let n = sorted.len();
    if n < 2 {
        return 0.0;
    }
    let c = (((n as f64 + 1.0) / 2.0 - (n as f64).sqrt()).round() as usize).max(1);
    let z = -normal_quantile(fair_coin_tail(n, c));
    (sorted[n - c] - sorted[c - 1]) / (2.0 * z)
}

/// P(Binomial(n, 1/2) < c), for 1 <= c <= n: the probability that fewer than c of n values are below the
/// median.
pub(super) fn fair_coin_tail(n: usize, c: usize) -> f64 {
    let (n, c) = (n as f64, c as f64);
    // Largest term in logarithms, since 2^-n underflows from n = 1075 on; the others by ratios.
    let log_choose = libm::lgamma(n + 1.0) - libm::lgamma(c) - libm::lgamma(n - c + 2.0);
    let mut term = libm::exp(log_choose - n * std::f64::consts::LN_2);
    let (mut sum, mut i) = (0.0, c - 1.0);
    while i >= 0.0 && term > sum * 1e-17 {
        sum += term;
        term *= i / (n - i + 1.0);
        i -= 1.0;
    }
    sum
}

/// Distribution function of the standard normal distribution.
pub(super) fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// Inverse of [`normal_cdf`] by bisection, for probabilities strictly between 0 and 1. The result is
/// limited to +-9 (a probability of 1e-19).
pub(super) fn normal_quantile(probability: f64) -> f64 {
    let (mut low, mut high) = (-9.0, 9.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if normal_cdf(middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
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

    #[test]
    fn normal_quantiles_are_the_textbook_ones() {
        assert!((normal_quantile(0.975) - NORMAL_975).abs() < 1e-14);
        assert!((normal_quantile(0.025) + NORMAL_975).abs() < 1e-14);
        assert!(normal_quantile(0.5).abs() < 1e-15);
    }

    #[test]
    fn wilson_matches_worked_examples() {
        // Newcombe 1998, table I: 81 of 263 and 0 of 20.
        let interval = wilson_interval(81.0 / 263.0, 263);
        assert!((interval.low - 0.2553).abs() < 5e-5 && (interval.high - 0.3662).abs() < 5e-5);
        let interval = wilson_interval(0.0, 20);
        assert!(interval.low == 0.0 && (interval.high - 0.1611).abs() < 5e-5);
        assert_eq!(wilson_interval(1.0, 20).high, 1.0);
        assert_eq!(
            wilson_interval(0.5, 0),
            Interval {
                low: 0.0,
                high: 1.0
            }
        );
    }

    #[test]
    fn fair_coin_tails_are_exact() {
        assert!((fair_coin_tail(5, 1) - 1.0 / 32.0).abs() < 1e-15);
        assert!((fair_coin_tail(5, 3) - 0.5).abs() < 1e-14);
        assert!((fair_coin_tail(10, 2) - 11.0 / 1024.0).abs() < 1e-15);
        assert!((fair_coin_tail(100_001, 50_001) - 0.5).abs() < 1e-8);
    }

    #[test]
    fn standard_error_of_median_is_right_on_average() {
        // True values by the asymptotic variance pi / (2 n) of a normal median.
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
