//! Distribution functions and quantiles for intervals and tests: normal, Student's t, binomial.
//!
//! The normal and the binomial distribution use `libm`, which gives the same bits on every platform.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The 0.975 quantile of the standard normal distribution, for two-sided 95 % intervals.
pub(super) const NORMAL_975: f64 = 1.959_963_984_540_054;

/// Distribution function of the standard normal distribution.
pub(super) fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// Inverse of [`normal_cdf`], by bisection, for probabilities between 0 and 1 (exclusive). The result is
/// limited to +-9, which is a probability of 1e-19.
pub(super) fn normal_quantile(probability: f64) -> f64 {
    bisect(-9.0, 9.0, |x| normal_cdf(x) < probability)
}

/// The quantile of the standard normal distribution that is exceeded with probability `tail`.
pub(crate) fn normal_upper_quantile(tail: f64) -> f64 {
    match tail {
        // The constant is exact; bisection has a small error.
        0.025 => NORMAL_975,
        _ => -normal_quantile(tail),
    }
}

/// From this number of degrees of freedom on, the expansion of the quantile of Student's t has an error of at
/// most 1e-9.
const MANY_DEGREES: f64 = 1000.0;

/// The quantile of Student's t that is exceeded with probability `tail` (below 1/2), for `degrees` degrees of
/// freedom (at least 1).
pub(super) fn student_upper_quantile(tail: f64, degrees: f64) -> f64 {
    let z = normal_upper_quantile(tail);
    if degrees >= MANY_DEGREES {
        // Expansion in 1 / degrees (Abramowitz and Stegun 1964, 26.7.5). The continued fraction of `statrs`
        // stops after a fixed number of terms, which is too early for many degrees of freedom.
        let (square, v) = (z * z, degrees);
        let one = (square + 1.0) * z / 4.0;
        let two = ((5.0 * square + 16.0) * square + 3.0) * z / 96.0;
        let three = (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) * z / 384.0;
        return z + one / v + two / (v * v) + three / (v * v * v);
    }
    let Ok(student) = StudentsT::new(0.0, 1.0, degrees) else {
        return z;
    };
    let mut high = 2.0 * z;
    while student.sf(high) > tail {
        high *= 2.0;
    }
    bisect(0.0, high, |x| student.sf(x) > tail)
}

/// P(X < c) for a binomial X with n trials of probability p, where 1 <= c <= n and 0 < p < 1. It is exact
/// unless c is so far above n p that the probability of c - 1 alone underflows.
pub(super) fn binomial_tail(n: u64, c: u64, p: f64) -> f64 {
    let (n, c) = (n as f64, c as f64);
    // The largest term is computed with logarithms, because p^n underflows. The other terms follow by ratios.
    let log_choose = libm::lgamma(n + 1.0) - libm::lgamma(c) - libm::lgamma(n - c + 2.0);
    let log_power = (c - 1.0) * libm::log(p) + (n - c + 1.0) * libm::log1p(-p);
    let mut term = libm::exp(log_choose + log_power);
    let (mut sum, mut i) = (0.0, c - 1.0);
    while i >= 0.0 && term > sum * 1e-17 {
        sum += term;
        term *= i / (n - i + 1.0) * ((1.0 - p) / p);
        i -= 1.0;
    }
    sum
}

/// P(Binomial(n, 1/2) < c) for 1 <= c <= n: the probability that fewer than c of n values are below the median.
pub(super) fn fair_coin_tail(n: u64, c: u64) -> f64 {
    binomial_tail(n, c, 0.5)
}

/// The point between `low` and `high` below which `is_below` is true and above which it is false.
pub(super) fn bisect(mut low: f64, mut high: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if is_below(middle) {
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

    #[test]
    fn normal_quantiles_are_the_textbook_ones() {
        assert!((normal_quantile(0.975) - NORMAL_975).abs() < 1e-14);
        assert!((normal_quantile(0.025) + NORMAL_975).abs() < 1e-14);
        assert!(normal_quantile(0.5).abs() < 1e-15);
    }

    #[test]
    fn student_quantiles_are_the_textbook_ones() {
        // R: qt(0.975, c(1, 2, 9, 29, 99, 999, 1e6)), qt(0.9995, 29)
        for (degrees, expected) in [
            (1.0, 12.706_204_74),
            (2.0, 4.302_652_73),
            (9.0, 2.262_157_16),
            (29.0, 2.045_229_64),
            (99.0, 1.984_216_95),
            (999.0, 1.962_341_46),
            (1e6, 1.959_966_36),
        ] {
            let quantile = student_upper_quantile(0.025, degrees);
            assert!((quantile - expected).abs() < 2e-8, "{degrees}: {quantile}");
        }
        assert!((student_upper_quantile(0.0005, 29.0) - 3.659_405_0).abs() < 1e-6);
    }

    #[test]
    fn the_expansion_meets_the_distribution() {
        for tail in [0.025, 0.001, 0.000_01] {
            let [below, above] =
                [999.999_999, 1000.0].map(|degrees| student_upper_quantile(tail, degrees));
            assert!((below - above).abs() < 1e-8, "{tail}: {below}, {above}");
        }
    }

    #[test]
    fn fair_coin_tails_are_exact() {
        assert!((fair_coin_tail(5, 1) - 1.0 / 32.0).abs() < 1e-15);
        assert!((fair_coin_tail(5, 3) - 0.5).abs() < 1e-14);
        assert!((fair_coin_tail(10, 2) - 11.0 / 1024.0).abs() < 1e-15);
        assert!((fair_coin_tail(100_001, 50_001) - 0.5).abs() < 1e-8);
    }

    #[test]
    fn binomial_tails_are_sums_of_the_definition() {
        // (1 - p)^4 + 4 p (1 - p)^3.
        let p: f64 = 0.3;
        let expected = (1.0 - p).powi(4) + 4.0 * p * (1.0 - p).powi(3);
        assert!((binomial_tail(4, 2, p) - expected).abs() < 1e-15);
        assert!((binomial_tail(1_000_000, 1, 1e-6) - 0.367_879_257).abs() < 1e-8);
    }
}
