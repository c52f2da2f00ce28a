//! Paired differences: their interval, the sign test if few of them differ from 0, and the verdict.
//!
//! If few differences are not 0, their sample variance contains little information: every interval that is
//! based on it is too short, and resamples do not help. In this case there is no interval, but the exact sign
//! test of the differences that are not 0.

use super::bootstrap::{Resampling, mean_interval_beyond, median_differences};
use super::intervals::{Interval, TAIL};
use super::sequential::{FEWEST_DIFFERENT, Moments};
use super::sign_test::sign_test;
use super::summary::{mean, median, quantile_of_sorted, standard_deviation, standard_error};
use crate::results::{PairedDifference, Verdict};

/// Smallest number of observations for a verdict. Intervals from fewer observations contain the true value too
/// rarely.
pub const FEWEST_OBSERVATIONS: u32 = 30;

/// The mean of `tuned[i] - start[i]` with its standard error, its interval (see
/// [`mean_interval`](super::bootstrap::mean_interval)) and the verdict.
///
/// Both slices have one number for each observation, in the same order. An observation is a seed or, in games
/// between two players, an opening. If fewer than 20 observations differ, the sign test replaces the interval.
/// The result is a pure function of the arguments.
///
/// # Panics
/// If the slices have different lengths.
pub fn paired_difference(tuned: &[f64], start: &[f64], resampling: Resampling) -> PairedDifference {
    simultaneous_difference(tuned, start, 1, resampling)
}

/// The same as [`paired_difference`] for one of several `comparisons`, with a simultaneous interval: with 95 %
/// confidence all intervals contain the true differences. It uses the Bonferroni correction: the error
/// probability of each interval is 5 % divided by their number, and the p value of the sign test is multiplied
/// by it. With many comparisons the ends are extreme quantiles, which need many resamples.
///
/// # Panics
/// Like [`paired_difference`], and if `comparisons` is 0.
pub fn simultaneous_difference(
    tuned: &[f64],
    start: &[f64],
    comparisons: u32,
    resampling: Resampling,
) -> PairedDifference {
    let pair = [tuned, start];
    contributed_difference(pair, pair, comparisons, resampling)
}

/// The same for a value to which observations contribute: a contribution may depend on all of them, so that every one
/// changes with a single observation. How many differ, and in which direction, is counted from the observations. Both
/// pairs are tuned and start.
///
/// # Panics
/// Like [`simultaneous_difference`].
pub fn contributed_difference(
    contributions: [&[f64]; 2],
    observations: [&[f64]; 2],
    comparisons: u32,
    resampling: Resampling,
) -> PairedDifference {
    assert!(comparisons > 0, "comparisons");
    let (observed, _) = differences(observations);
    let (differences, moments) = differences(contributions);
    let interval = || {
        let tail = TAIL / f64::from(comparisons);
        mean_interval_beyond(&differences, tail, resampling)
    };
    let estimate = [mean(&differences), standard_error(&differences)];
    judged(
        &observed,
        moments,
        estimate,
        interval,
        comparisons,
        resampling,
    )
}

/// The difference of the medians of `tuned` and `start`. The standard error and the percentile interval come
/// from resamples of the pairs. As in [`simultaneous_difference`], it is one of several `comparisons`, and there is no
/// interval if fewer than 20 pairs differ.
///
/// # Panics
/// Like [`simultaneous_difference`].
pub fn median_difference(
    tuned: &[f64],
    start: &[f64],
    comparisons: u32,
    resampling: Resampling,
) -> PairedDifference {
    assert!(comparisons > 0, "comparisons");
    let (differences, moments) = differences([tuned, start]);
    let mut resampled = median_differences(tuned, start, resampling);
    resampled.sort_unstable_by(f64::total_cmp);
    let interval = || {
        let tail = TAIL / f64::from(comparisons);
        let [low, high] = [tail, 1.0 - tail].map(|level| quantile_of_sorted(&resampled, level));
        // With ties both ends can be equal.
        Some(Interval { low, high })
    };
    let estimate = [
        median(tuned) - median(start),
        standard_deviation(&resampled),
    ];
    judged(
        &differences,
        moments,
        estimate,
        interval,
        comparisons,
        resampling,
    )
}

/// The differences of the pairs, and their moments.
fn differences([tuned, start]: [&[f64]; 2]) -> (Vec<f64>, Moments) {
    assert_eq!(tuned.len(), start.len(), "pairs on common seeds");
    let pairs = tuned.iter().zip(start);
    let mut moments = Moments::default();
    let differences = pairs.map(|(tuned, start)| moments.add_difference(*start, *tuned));
    (differences.collect(), moments)
}

/// Builds the result with its verdict. The interval is computed only if enough pairs differ.
fn judged(
    differences: &[f64],
    moments: Moments,
    estimate: [f64; 2],
    interval: impl FnOnce() -> Option<Interval>,
    comparisons: u32,
    resampling: Resampling,
) -> PairedDifference {
    let signs = sign_test(differences);
    let is_enough = signs.different() >= FEWEST_DIFFERENT && !moments.are_equal();
    // For equal differences, these values avoid the rounding errors of sums.
    let [mean, standard_error] = if moments.are_equal() {
        [moments.mean(), 0.0]
    } else {
        estimate
    };
    let interval = is_enough.then(interval).flatten();
    let interval = interval.filter(|interval| interval.ends().iter().all(|end| end.is_finite()));
    let mut difference = PairedDifference {
        mean,
        standard_error,
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
        resamples: interval.map_or(0, |_| resampling.count()),
        observations: differences.len() as u32,
        above: signs.above as u32,
        below: signs.below as u32,
        p_sign_test: interval
            .is_none()
            .then(|| (signs.p * f64::from(comparisons)).min(1.0)),
        verdict: Verdict::Undecided,
    };
    difference.verdict = verdict(&difference);
    difference
}

/// The verdict on a difference: by its interval or, if it has none, by the sign test.
pub fn verdict(difference: &PairedDifference) -> Verdict {
    let is_significant = difference.p_sign_test.is_some_and(|p| p <= 2.0 * TAIL);
    match difference.interval() {
        _ if difference.observations < FEWEST_OBSERVATIONS => Verdict::TooFewObservations,
        Some([low, _]) if low > 0.0 => Verdict::Better,
        Some([_, high]) if high < 0.0 => Verdict::Worse,
        Some(_) => Verdict::Undecided,
        None if !is_significant => Verdict::TooFewDifferences,
        None if difference.above > difference.below => Verdict::Better,
        None => Verdict::Worse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `count` differences: the first `above` are 1, the next `below` are -1, all others are 0.
    fn sparse(count: usize, above: usize, below: usize) -> PairedDifference {
        let sign = |index: usize| match index {
            _ if index < above => 1.0,
            _ if index < above + below => -1.0,
            _ => 0.0,
        };
        let values: Vec<f64> = (0..count).map(sign).collect();
        paired_difference(&values, &vec![0.0; count], Resampling::new(500, 1))
    }

    #[test]
    fn only_an_interval_without_zero_decides() {
        let of = |low, high| {
            let difference = PairedDifference {
                low: Some(low),
                high: Some(high),
                p_sign_test: None,
                ..sparse(30, 0, 0)
            };
            verdict(&difference)
        };
        assert_eq!(of(0.5, 2.0), Verdict::Better);
        assert_eq!(of(-2.0, -0.5), Verdict::Worse);
        assert_eq!(of(-0.5, 2.0), Verdict::Undecided);
        assert_eq!(of(0.0, 0.0), Verdict::Undecided);
    }

    #[test]
    fn equal_medians_are_no_difference() {
        // 20 pairs differ, and both medians are 1 in every resample.
        let start: Vec<f64> = (0..200).map(|i| f64::from(i % 10 / 2)).collect();
        let tuned: Vec<f64> = (0..200).map(|i| f64::from(i % 10 / 2 + i % 2)).collect();
        let of = |tuned: &[f64], start: &[f64]| {
            let [tuned, start] =
                [tuned, start].map(|all| all.iter().map(|x| x.min(1.0)).collect::<Vec<_>>());
            median_difference(&tuned, &start, 1, Resampling::new(500, 1))
        };
        let difference = of(&tuned, &start);
        assert!(
            difference.different() >= FEWEST_DIFFERENT as u32,
            "{difference:?}"
        );
        assert_eq!(
            (difference.mean, difference.interval()),
            (0.0, Some([0.0, 0.0]))
        );
        assert_eq!(difference.verdict, Verdict::Undecided);
    }

    #[test]
    fn few_observations_decide_nothing() {
        assert_eq!(sparse(29, 29, 0).verdict, Verdict::TooFewObservations);
        assert_eq!(sparse(30, 29, 1).verdict, Verdict::Better);
        assert_eq!(sparse(0, 0, 0).verdict, Verdict::TooFewObservations);
    }

    #[test]
    fn few_differences_are_judged_by_their_signs() {
        let few = sparse(300, 12, 7);
        assert_eq!(
            (few.interval(), few.different(), few.resamples),
            (None, 19, 0)
        );
        assert_eq!(few.verdict, Verdict::TooFewDifferences);
        // p = 2 (1 + 9) / 2^9.
        let clear = sparse(300, 1, 8);
        assert!((clear.p_sign_test.unwrap() - 20.0 / 512.0).abs() < 1e-12);
        assert_eq!(clear.verdict, Verdict::Worse);
        assert_eq!(sparse(300, 0, 0).verdict, Verdict::TooFewDifferences);
        let enough = sparse(300, 12, 8);
        assert!(enough.interval().is_some() && enough.p_sign_test.is_none());
        assert_eq!(enough.verdict, Verdict::Undecided);
    }

    #[test]
    fn the_sign_test_is_corrected_for_the_number_of_comparisons() {
        let values: Vec<f64> = (0..100)
            .map(|index| f64::from(u8::from(index < 8)))
            .collect();
        let resampling = Resampling::new(500, 1);
        let of =
            |comparisons| simultaneous_difference(&values, &[0.0; 100], comparisons, resampling);
        // p = 2 / 2^8.
        assert!((of(5).p_sign_test.unwrap() - 5.0 / 128.0).abs() < 1e-12);
        assert_eq!(of(5).verdict, Verdict::Better);
        assert_eq!(of(7).verdict, Verdict::TooFewDifferences);
        assert_eq!(of(200).p_sign_test, Some(1.0));
    }

    #[test]
    fn equal_differences_have_no_interval() {
        let (tuned, start) = ([5.0; 40], [3.0; 40]);
        for difference in [
            paired_difference(&tuned, &start, Resampling::new(100, 1)),
            median_difference(&tuned, &start, 1, Resampling::new(100, 1)),
        ] {
            assert_eq!((difference.mean, difference.interval()), (2.0, None));
            assert_eq!(difference.verdict, Verdict::Better);
        }
    }

    #[test]
    fn rounding_is_no_difference() {
        let start: Vec<f64> = (1..=40).map(|i| f64::from(i) * 0.1).collect();
        let tuned: Vec<f64> = start.iter().map(|start| start * (1.0 + 4e-16)).collect();
        let found = paired_difference(&tuned, &start, Resampling::new(100, 1));
        assert_eq!((found.different(), found.mean), (0, 0.0));
        let tuned: Vec<f64> = start.iter().map(|start| start + 0.3).collect();
        let found = paired_difference(&tuned, &start, Resampling::new(100, 1));
        assert_eq!((found.standard_error, found.interval()), (0.0, None));
        assert_eq!(found.verdict, Verdict::Better);
    }

    #[test]
    fn pairs_are_subtracted() {
        let tuned: Vec<f64> = (0..50).map(|i| f64::from(i * i % 37)).collect();
        let start: Vec<f64> = (0..50).map(|i| f64::from(i * 3 % 11)).collect();
        let resampling = Resampling::new(1_000, 7);
        let difference = paired_difference(&tuned, &start, resampling);
        assert_eq!(difference, paired_difference(&tuned, &start, resampling));
        assert!((difference.mean - (mean(&tuned) - mean(&start))).abs() < 1e-12);
        let [low, high] = difference.interval().unwrap();
        assert!(low < difference.mean && difference.mean < high);
        let back = paired_difference(&start, &tuned, resampling);
        assert!((back.low.unwrap() + high).abs() < 0.2 * difference.standard_error);
    }

    #[test]
    fn intervals_of_many_comparisons_are_wider() {
        let values: Vec<f64> = (0..600).map(|i| f64::from(i * i % 37)).collect();
        let zeros = [0.0; 600];
        let width = |comparisons| {
            let difference =
                simultaneous_difference(&values, &zeros, comparisons, Resampling::new(20_000, 3));
            let [low, high] = difference.interval().unwrap();
            high - low
        };
        // The ratio of the normal quantiles at 1 - 0.0025 and 1 - 0.025.
        let ratio = width(10) / width(1);
        assert!((ratio - 2.807 / 1.960).abs() < 0.05, "{ratio}");
        let spread: Vec<f64> = (0..600).map(|i| f64::from(i * 37 % 601)).collect();
        let of_medians = |comparisons| {
            let resampling = Resampling::new(20_000, 3);
            let [low, high] = median_difference(&spread, &zeros, comparisons, resampling)
                .interval()
                .unwrap();
            high - low
        };
        assert!(of_medians(10) > of_medians(1));
    }

    #[test]
    fn medians_are_compared_not_differences() {
        // The median of the differences is -1, the difference of the medians is 8.
        let tuned: Vec<f64> = (0..60)
            .map(|i| if i % 3 == 0 { 0.0 } else { 9.0 })
            .collect();
        let start: Vec<f64> = (0..60)
            .map(|i| if i % 3 == 1 { 10.0 } else { 1.0 })
            .collect();
        let difference = median_difference(&tuned, &start, 1, Resampling::new(1_000, 1));
        assert_eq!((difference.mean, difference.observations), (8.0, 60));
        assert!(difference.standard_error > 0.0);
    }
}
