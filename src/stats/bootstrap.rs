//! Bootstrap intervals of a mean: bias-corrected and accelerated (BCa), 95 %.
//!
//! Source: Efron 1987, "Better bootstrap confidence intervals". Scores are skewed. The BCa interval is
//! longer on the side of the long tail, whereas mean +- 1.96 standard errors is always symmetric. This
//! module must not know what the numbers mean.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::intervals::{Interval, NORMAL_975, normal_cdf, normal_quantile};
use super::summary::{mean, quantile_of_sorted, standard_error};
use crate::record::PairedDifference;

/// Mean of `tuned[i] - start[i]` with its standard error and BCa interval.
///
/// Both slices hold one number per seed, in the same order. With fewer than two pairs the interval is
/// the mean itself. The result is a pure function of the arguments.
///
/// # Panics
/// If the slices differ in length, or `resamples` is 0.
pub fn paired_difference(
    tuned: &[f64],
    start: &[f64],
    resamples: u32,
    seed: u64,
) -> PairedDifference {
    simultaneous_difference(tuned, start, 1, resamples, seed)
}

/// [`paired_difference`] as one of `comparisons`, with a simultaneous interval: with 95 % confidence all
/// intervals contain the true differences (Bonferroni: the error probability of each is 5 % divided by
/// their number). The ends for many comparisons are extreme quantiles, which need many resamples.
///
/// # Panics
/// As [`paired_difference`], and if `comparisons` is 0.
pub fn simultaneous_difference(
    tuned: &[f64],
    start: &[f64],
    comparisons: u32,
    resamples: u32,
    seed: u64,
) -> PairedDifference {
    assert!(comparisons > 0, "comparisons");
    assert_eq!(tuned.len(), start.len(), "pairs on common seeds");
    let differences: Vec<f64> = tuned.iter().zip(start).map(|(t, s)| t - s).collect();
    let tail = 0.025 / f64::from(comparisons);
    let Interval { low, high } = interval_beyond(&differences, tail, resamples, seed);
    PairedDifference {
        mean: mean(&differences),
        standard_error: standard_error(&differences),
        low,
        high,
        resamples,
    }
}

/// BCa interval, 95 %, of the mean of the distribution of the values. Both ends are the sample mean if all
/// values are equal or there are fewer than two. A thousand resamples or more are usual, because the ends
/// are quantiles near 2.5 % and 97.5 %.
///
/// # Panics
/// If `resamples` is 0.
pub fn mean_interval(values: &[f64], resamples: u32, seed: u64) -> Interval {
    interval_beyond(values, 0.025, resamples, seed)
}

/// The BCa interval that excludes the probability `tail` on each side.
fn interval_beyond(values: &[f64], tail: f64, resamples: u32, seed: u64) -> Interval {
    assert!(resamples > 0, "resamples");
    let center = mean(values);
    let Some(acceleration) = acceleration(values, center) else {
        return Interval::point(center);
    };
    let mut means = resampled_means(values, resamples, seed);
    means.sort_unstable_by(f64::total_cmp);

    // Bias correction z0: the rank of the sample mean among the resampled means. Equal ones count half,
    // and at least half a resample counts on each side, so that z0 is finite.
    let below = means.partition_point(|&m| m < center) as f64;
    let not_above = means.partition_point(|&m| m <= center) as f64;
    let all = f64::from(resamples);
    let bias = normal_quantile((0.5 * (below + not_above)).clamp(0.5, all - 0.5) / all);

    // Efron 1987, equation 3.9: the percentiles that replace 2.5 % and 97.5 %.
    let end = |z: f64| {
        let shifted = bias + z;
        let level = normal_cdf(bias + shifted / (1.0 - acceleration * shifted));
        quantile_of_sorted(&means, level)
    };
    // The constant is exact; bisection is slightly off.
    let z = match tail {
        0.025 => NORMAL_975,
        _ => -normal_quantile(tail),
    };
    Interval {
        low: end(-z),
        high: end(z),
    }
}

/// Acceleration of the mean from its jackknife: a sixth of the skewness of the mean. `None` if the
/// values do not vary (or are fewer than two).
fn acceleration(values: &[f64], mean: f64) -> Option<f64> {
    let deviations = || values.iter().map(|x| x - mean);
    let squares: f64 = deviations().map(|d| d * d).sum();
    let cubes: f64 = deviations().map(|d| d * d * d).sum();
    (squares > 0.0).then(|| cubes / (6.0 * squares * squares.sqrt()))
}

/// Means of resamples with replacement, in the order they were drawn.
fn resampled_means(values: &[f64], resamples: u32, seed: u64) -> Vec<f64> {
    let mut stream = Xoshiro256PlusPlus::seed_from_u64(seed);
    let n = values.len();
    // Upper half of a 64 x 64 bit product: an index below n, uniform to within n / 2^64.
    let mut index = || ((u128::from(stream.next_u64()) * n as u128) >> 64) as usize;
    (0..resamples)
        .map(|_| (0..n).map(|_| values[index()]).sum::<f64>() / n as f64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Log-normal differences less their true mean exp(1/2): skewness 6.
    fn skewed(stream: &mut Xoshiro256PlusPlus, n: usize) -> Vec<f64> {
        let uniform = |x: u64| ((x >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        (0..n)
            .map(|_| libm::exp(normal_quantile(uniform(stream.next_u64()))) - libm::exp(0.5))
            .collect()
    }

    /// Shares of samples whose interval lies wholly below and wholly above the true mean 0: BCa, then
    /// mean +- 1.96 standard errors.
    fn misses(samples: u32, n: usize, resamples: u32) -> [f64; 4] {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(11);
        let mut counts = [0u32; 4];
        for sample in 0..samples {
            let values = skewed(&mut stream, n);
            let bca = mean_interval(&values, resamples, u64::from(sample));
            let (center, half) = (mean(&values), NORMAL_975 * standard_error(&values));
            counts[0] += u32::from(bca.high < 0.0);
            counts[1] += u32::from(bca.low > 0.0);
            counts[2] += u32::from(center + half < 0.0);
            counts[3] += u32::from(center - half > 0.0);
        }
        counts.map(|count| f64::from(count) / f64::from(samples))
    }

    #[test]
    fn coverage_on_skewed_differences() {
        let [below, above, normal_below, _] = misses(500, 100, 400);
        assert!(below + above < 0.10, "BCa misses {below} + {above}");
        assert!(
            below < normal_below,
            "BCa {below}, symmetric {normal_below}"
        );
    }

    /// Of 95 % intervals of 10,000 samples each, missing the true mean below + above:
    ///
    /// | n   | BCa             | mean +- 1.96 standard errors |
    /// |-----|-----------------|------------------------------|
    /// | 30  | 0.0821 + 0.0262 | 0.1265 + 0.0037              |
    /// | 100 | 0.0512 + 0.0293 | 0.0841 + 0.0054              |
    /// | 300 | 0.0367 + 0.0283 | 0.0554 + 0.0097              |
    #[test]
    #[ignore = "takes several seconds; run it after a change of this file"]
    fn coverage_on_skewed_differences_thoroughly() {
        for n in [30, 100, 300] {
            let [below, above, normal_below, normal_above] = misses(10_000, n, 2_000);
            println!(
                "n = {n}: BCa misses {below} + {above}, symmetric {normal_below} + {normal_above}"
            );
            assert!(below + above < normal_below + normal_above);
            assert!(below < normal_below);
        }
    }

    #[test]
    fn acceleration_is_a_sixth_of_the_skewness_of_the_mean() {
        // Deviations -1, -1, 2: cubes 6, squares 6.
        let expected = 6.0 / (6.0 * 6.0f64.powf(1.5));
        assert!((acceleration(&[0.0, 0.0, 3.0], 1.0).unwrap() - expected).abs() < 1e-15);
        assert_eq!(acceleration(&[-1.0, 1.0], 0.0), Some(0.0));
        assert_eq!(acceleration(&[2.0, 2.0], 2.0), None);
    }

    #[test]
    fn symmetric_data_give_the_textbook_interval() {
        let values: Vec<f64> = (0..400)
            .map(|i| normal_quantile((f64::from(i) + 0.5) / 400.0))
            .collect();
        let Interval { low, high } = mean_interval(&values, 20_000, 1);
        let half = NORMAL_975 * standard_error(&values);
        assert!((low + half).abs() < 0.03 * half * 2.0 && (high - half).abs() < 0.03 * half * 2.0);
    }

    #[test]
    fn same_arguments_same_bits_and_pairs_are_subtracted() {
        let tuned: Vec<f64> = (0..50).map(|i| f64::from(i * i % 37)).collect();
        let start: Vec<f64> = (0..50).map(|i| f64::from(i * 3 % 11)).collect();
        let difference = paired_difference(&tuned, &start, 1_000, 7);
        assert_eq!(difference, paired_difference(&tuned, &start, 1_000, 7));
        assert_ne!(
            difference.low,
            paired_difference(&tuned, &start, 1_000, 8).low
        );
        assert!((difference.mean - (mean(&tuned) - mean(&start))).abs() < 1e-12);
        assert!(difference.low < difference.mean && difference.mean < difference.high);
        let back = paired_difference(&start, &tuned, 1_000, 7);
        assert!((back.low + difference.high).abs() < 0.2 * difference.standard_error);
    }

    #[test]
    fn intervals_of_many_comparisons_are_wider() {
        let values: Vec<f64> = (0..60).map(|i| f64::from(i * i % 37)).collect();
        let zeros = [0.0; 60];
        let of = |comparisons| simultaneous_difference(&values, &zeros, comparisons, 20_000, 3);
        let (one, ten) = (of(1), of(10));
        assert!(ten.low < one.low && one.high < ten.high);
        let ratio = (ten.high - ten.low) / (one.high - one.low);
        // Normal quantiles at 1 - 0.0025 and 1 - 0.025.
        assert!((ratio - 2.807 / 1.960).abs() < 0.05, "{ratio}");
    }

    #[test]
    fn nothing_one_and_constant_are_defined() {
        let ends = |values: &[f64]| mean_interval(values, 100, 1);
        assert_eq!(ends(&[]), Interval::point(0.0));
        assert_eq!(ends(&[3.0]), Interval::point(3.0));
        assert_eq!(ends(&[3.0; 20]), Interval::point(3.0));
    }
}
