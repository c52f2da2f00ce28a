//! Bootstrap intervals with 95 % confidence: of a mean (the wider of Student's t and BCa), and of a difference
//! of medians (percentiles).
//!
//! Source: Efron 1987, "Better bootstrap confidence intervals". Scores are skewed, and the BCa interval is
//! longer on the side of the long tail. With few values it is too short, because a resample varies less than a
//! sample; Student's t does not have this problem. This module must not know the meaning of the numbers.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::below;
use super::distributions::{normal_cdf, normal_quantile, normal_upper_quantile};
use super::intervals::{Interval, TAIL, t_interval_beyond};
use super::summary::{mean, quantile_of_sorted, standard_error};
use tiletune_engine::stop::Stop;

/// Up to this acceleration, BCa moves the ends of an interval by less than a hundredth of its length. Student's
/// t is then used alone.
const NEGLIGIBLE_ACCELERATION: f64 = 0.001;

/// How values are resampled.
///
/// ```
/// use tiletune_tuning::stats::bootstrap::{Resampling, mean_interval};
///
/// let values: Vec<f64> = (0..40).map(|i| f64::from(i * i % 37)).collect();
/// assert!(mean_interval(&values, Resampling::new(1_000, 7)).is_some());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Resampling<'a> {
    count: u32,
    seed: u64,
    stop: Stop<'a>,
}

impl Resampling<'static> {
    /// `count` resamples, drawn with this seed. A thousand or more are usual, because the ends of intervals are
    /// quantiles near 2.5 % and 97.5 %.
    ///
    /// # Panics
    /// If `count` is 0.
    pub fn new(count: u32, seed: u64) -> Self {
        assert!(count > 0, "resamples");
        let stop = Stop::never();
        Resampling { count, seed, stop }
    }
}

impl Resampling<'_> {
    /// The same resamples, but drawing ends when `stop` is requested. Results must then be discarded.
    pub fn until(self, stop: Stop) -> Resampling {
        Resampling { stop, ..self }
    }

    /// The number of resamples.
    pub(super) fn count(self) -> u32 {
        self.count
    }

    /// The value of `statistic` for each resample. There is at least one value, even if a stop is requested.
    fn each(self, statistic: impl FnMut() -> f64) -> Vec<f64> {
        let mut resampled: Vec<f64> = Vec::with_capacity(self.count as usize);
        let mut statistics = std::iter::repeat_with(statistic).take(self.count as usize);
        resampled.extend(statistics.next());
        resampled.extend(statistics.take_while(|_| !self.stop.is_requested()));
        resampled
    }
}

/// The 95 % interval of the mean of the distribution of the values. It is the wider of Student's t and BCa: the
/// smaller of the two lower ends and the larger of the two upper ends. `None` if there are fewer than two
/// values, or if they are all equal.
pub fn mean_interval(values: &[f64], resampling: Resampling) -> Option<Interval> {
    mean_interval_beyond(values, TAIL, resampling)
}

/// The interval of a mean that excludes the probability `tail` on each side.
pub(super) fn mean_interval_beyond(
    values: &[f64],
    tail: f64,
    resampling: Resampling,
) -> Option<Interval> {
    let center = mean(values);
    let student = t_interval_beyond(center, standard_error(values), values.len() as u64, tail)?;
    let acceleration = acceleration(values, center)?;
    if acceleration.abs() < NEGLIGIBLE_ACCELERATION {
        return Some(student);
    }
    let resampled = bca_interval_beyond(values, center, acceleration, tail, resampling);
    Some(student.union(resampled))
}

/// The BCa interval that excludes the probability `tail` on each side.
fn bca_interval_beyond(
    values: &[f64],
    center: f64,
    acceleration: f64,
    tail: f64,
    resampling: Resampling,
) -> Interval {
    let mut draws = Resamples::new(values.len(), resampling.seed);
    let n = values.len() as f64;
    let mut means = resampling.each(|| draws.indices().map(|index| values[index]).sum::<f64>() / n);
    means.sort_unstable_by(f64::total_cmp);

    // Bias correction z0: the normal quantile of the rank of the sample mean among the resampled means. Equal
    // means count half. At least half a resample counts on each side, so that z0 is finite.
    let below = means.partition_point(|&m| m < center) as f64;
    let not_above = means.partition_point(|&m| m <= center) as f64;
    let all = means.len() as f64;
    let bias = normal_quantile((0.5 * (below + not_above)).clamp(0.5, all - 0.5) / all);

    // Efron 1987, equation 3.9: the percentiles that replace 2.5 % and 97.5 %.
    let end = |z: f64| {
        let shifted = bias + z;
        let level = normal_cdf(bias + shifted / (1.0 - acceleration * shifted));
        quantile_of_sorted(&means, level)
    };
    let z = normal_upper_quantile(tail);
    Interval::new(end(-z), end(z))
}

/// Acceleration of the mean from its jackknife: a sixth of the skewness of the mean; 0 if the deviations are so small that
/// their cubes are not numbers. `None` if there are fewer than two values, or if they are all equal.
fn acceleration(values: &[f64], mean: f64) -> Option<f64> {
    let deviations = || values.iter().map(|x| x - mean);
    let squares: f64 = deviations().map(|d| d * d).sum();
    let cubes: f64 = deviations().map(|d| d * d * d).sum();
    let acceleration = cubes / (6.0 * squares * squares.sqrt());
    (squares > 0.0).then_some(if acceleration.is_finite() {
        acceleration
    } else {
        0.0
    })
}

/// The median of the first set minus the median of the second set, for each resample of their pairs.
///
/// Both slices have one number for each pair, in the same order.
pub(super) fn median_differences(tuned: &[f64], start: &[f64], resampling: Resampling) -> Vec<f64> {
    let mut draws = Resamples::new(tuned.len(), resampling.seed);
    let [mut of_tuned, mut of_start] = [tuned, start].map(Ranked::new);
    resampling.each(|| {
        for index in draws.indices() {
            of_tuned.count(index);
            of_start.count(index);
        }
        of_tuned.take_median() - of_start.take_median()
    })
}

/// Sorted values, and how often the current resample contains each of them. Its median needs no further sort.
struct Ranked {
    sorted: Vec<f64>,
    /// Position of each value in the sorted order.
    rank: Vec<u32>,
    counts: Vec<u32>,
}

impl Ranked {
    fn new(values: &[f64]) -> Self {
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        order.sort_by(|&one, &other| values[one as usize].total_cmp(&values[other as usize]));
        let mut rank = vec![0; values.len()];
        for (place, &index) in order.iter().enumerate() {
            rank[index as usize] = place as u32;
        }
        Ranked {
            sorted: order.iter().map(|&index| values[index as usize]).collect(),
            rank,
            counts: vec![0; values.len()],
        }
    }

    fn count(&mut self, index: usize) {
        self.counts[self.rank[index] as usize] += 1;
    }

    /// The median of the counted values. Resets the counts to 0.
    fn take_median(&mut self) -> f64 {
        let n = self.sorted.len();
        let (mut before, mut lower) = (0, None);
        let mut median = 0.0;
        for (&value, &count) in self.sorted.iter().zip(&self.counts) {
            before += count as usize;
            if lower.is_none() && before >= n.div_ceil(2) {
                lower = Some(value);
            }
            if let Some(lower) = lower.filter(|_| before > n / 2) {
                median = 0.5 * (lower + value);
                break;
            }
        }
        self.counts.fill(0);
        median
    }
}

/// Draws resamples with replacement.
struct Resamples {
    stream: Xoshiro256PlusPlus,
    n: usize,
}

impl Resamples {
    fn new(n: usize, seed: u64) -> Self {
        let stream = Xoshiro256PlusPlus::seed_from_u64(seed);
        Resamples { stream, n }
    }

    /// The indices of the next resample.
    fn indices(&mut self) -> impl Iterator<Item = usize> {
        (0..self.n).map(|_| below(&mut self.stream, self.n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::distributions::NORMAL_975;
    use crate::stats::summary::median;
    use rand_xoshiro::rand_core::Rng;

    /// Log-normal values minus their true mean exp(1/2): skewness 6.
    fn skewed(stream: &mut Xoshiro256PlusPlus, n: usize) -> Vec<f64> {
        let uniform = |x: u64| ((x >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        (0..n)
            .map(|_| libm::exp(normal_quantile(uniform(stream.next_u64()))) - libm::exp(0.5))
            .collect()
    }

    /// Shares of samples whose interval is completely below, and completely above, the true mean 0: first for
    /// the wider of t and BCa, then for mean +- 1.96 standard errors.
    fn misses(samples: u32, n: usize, resamples: u32) -> [f64; 4] {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(11);
        let mut counts = [0u32; 4];
        for sample in 0..samples {
            let values = skewed(&mut stream, n);
            let wider = mean_interval(&values, Resampling::new(resamples, sample.into())).unwrap();
            let (center, half) = (mean(&values), NORMAL_975 * standard_error(&values));
            counts[0] += u32::from(wider.high < 0.0);
            counts[1] += u32::from(wider.low > 0.0);
            counts[2] += u32::from(center + half < 0.0);
            counts[3] += u32::from(center - half > 0.0);
        }
        counts.map(|count| f64::from(count) / f64::from(samples))
    }

    #[test]
    fn coverage_on_skewed_differences() {
        let [below, above, normal_below, _] = misses(500, 100, 400);
        assert!(below + above < 0.10, "misses {below} + {above}");
        assert!(below < normal_below, "{below}, symmetric {normal_below}");
    }

    /// Shares of 95 % intervals that miss the true mean, below + above, from 10,000 samples each:
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
                "n = {n}: misses {below} + {above}, symmetric {normal_below} + {normal_above}"
            );
            assert!(below + above < normal_below + normal_above);
            assert!(below < normal_below);
        }
    }

    #[test]
    fn acceleration_is_a_sixth_of_the_skewness_of_the_mean() {
        // The deviations are -1, -1, 2, so the cubes add up to 6 and the squares to 6.
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
        let Interval { low, high } = mean_interval(&values, Resampling::new(20_000, 1)).unwrap();
        let half = NORMAL_975 * standard_error(&values);
        assert!((low + half).abs() < 0.03 * half * 2.0 && (high - half).abs() < 0.03 * half * 2.0);
    }

    #[test]
    fn the_wider_interval_contains_both() {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(3);
        let values = skewed(&mut stream, 40);
        let interval = mean_interval(&values, Resampling::new(2_000, 1)).unwrap();
        let center = mean(&values);
        let student = t_interval_beyond(center, standard_error(&values), 40, TAIL).unwrap();
        let acceleration = acceleration(&values, center).unwrap();
        let bca = bca_interval_beyond(
            &values,
            center,
            acceleration,
            TAIL,
            Resampling::new(2_000, 1),
        );
        assert_eq!(
            interval,
            Interval {
                low: student.low,
                high: bca.high
            }
        );
        assert!(student.low < bca.low && student.high < bca.high);
    }

    #[test]
    fn same_arguments_same_bits() {
        let values: Vec<f64> = (0..50).map(|i| f64::from(i * i % 37)).collect();
        let interval = |seed| {
            mean_interval(
                &[&values[..], &[400.0]].concat(),
                Resampling::new(1_000, seed),
            )
        };
        assert_eq!(interval(7), interval(7));
        assert_ne!(interval(7), interval(8));
    }

    #[test]
    fn resampled_medians_are_those_of_the_definition() {
        for n in [6, 7] {
            let tuned: Vec<f64> = (0..n).map(|i| f64::from(i * i % 5)).collect();
            let start: Vec<f64> = (0..n).map(|i| f64::from(i * 3 % 4)).collect();
            let mut draws = Resamples::new(tuned.len(), 9);
            let expected = (0..50).map(|_| {
                let indices: Vec<usize> = draws.indices().collect();
                let of = |values: &[f64]| {
                    median(
                        &indices
                            .iter()
                            .map(|&index| values[index])
                            .collect::<Vec<_>>(),
                    )
                };
                of(&tuned) - of(&start)
            });
            let expected: Vec<f64> = expected.collect();
            let resampling = Resampling::new(50, 9);
            assert_eq!(median_differences(&tuned, &start, resampling), expected);
        }
    }

    #[test]
    fn a_stop_ends_it_between_resamples() {
        let flag = std::sync::atomic::AtomicBool::new(false);
        let resampling = Resampling::new(1_000_000, 1).until(Stop::when(&flag));
        let mut count = 0;
        let resampled = resampling.each(|| {
            count += 1;
            flag.store(count == 3, std::sync::atomic::Ordering::Relaxed);
            f64::from(count)
        });
        assert_eq!(resampled, [1.0, 2.0]);
        flag.store(true, std::sync::atomic::Ordering::Relaxed);
        let values: Vec<f64> = (0..50).map(|i| f64::from(i * i % 37)).collect();
        assert!(mean_interval(&values, resampling).is_some());
    }

    #[test]
    fn nothing_one_and_constant_have_no_interval() {
        let ends = |values: &[f64]| mean_interval(values, Resampling::new(100, 1));
        assert_eq!(ends(&[]), None);
        assert_eq!(ends(&[3.0]), None);
        assert_eq!(ends(&[3.0; 20]), None);
    }

    #[test]
    fn tiny_values_have_an_interval() {
        for size in [1.0, 1e-100, 1e-110, 1e-120, 1e-140, 1e-150] {
            let values: Vec<f64> = (0..50).map(|i| size * f64::from(i * i % 37)).collect();
            let [low, high] = mean_interval(&values, Resampling::new(200, 1))
                .unwrap()
                .ends();
            assert!(
                low / size > 8.0 && high / size < 30.0 && low < high,
                "{size}"
            );
        }
    }
}
