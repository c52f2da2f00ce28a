//! The sequential comparison of paired results, look by look: decision, confidence sequence and
//! thresholds.
//!
//! The difference of interest is a share of the mean result of the first player. Looks are at the
//! numbers of pairs of [`next_look`](super::sequential::next_look).
//!
//! ```
//! use tiletune_tuning::stats::paired_test::{PairedTest, Range};
//! use tiletune_tuning::results::compare::Verdict;
//!
//! // The second result is on average 10 % larger.
//! let mut test = PairedTest::new(Range::Unlimited, 0.02, 0.05, 1);
//! for pair in 0..1000u32 {
//!     let (first, noise) = (f64::from(pair * 7919 % 200), f64::from(pair * 104_729 % 40));
//!     test.add(100.0 + first, 106.0 + first + noise);
//!     if pair % 100 == 99 && test.look(false).is_some() {
//!         break;
//!     }
//! }
//! assert_eq!(test.verdict(), Some(Verdict::Better));
//! ```

use super::intervals::Interval;
use super::sequential::{EmpiricalBernstein, Gsprt, Moments, NormalMixture, fixed_sample};
use crate::results::compare::{Look, Verdict};

/// The values that a difference can have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Any number.
    Unlimited,
    /// From minus this number to this number.
    Within(f64),
}

/// The confidence sequence of the mean difference.
#[derive(Clone, Debug)]
enum Sequence {
    /// For differences of any size; planned at the first look with enough pairs.
    Mixture(Option<NormalMixture>),
    /// For differences within a range; its values are mapped to 0 to 1.
    Bernstein(EmpiricalBernstein, f64),
}

/// A sequential test of paired results with the path of its looks.
#[derive(Clone, Debug)]
pub struct PairedTest {
    margin: f64,
    error: f64,
    comparisons: u32,
    test: Gsprt,
    sequence: Sequence,
    first: Moments,
    differences: Moments,
    path: Vec<Look>,
    verdict: Option<Verdict>,
}

impl PairedTest {
    /// A test for a difference of the share `margin`, with this probability of calling equal players
    /// different, as one of `comparisons` (Bonferroni).
    ///
    /// # Panics
    /// If `margin` is not positive, `error` is not between 0 and 1, or `comparisons` is 0.
    pub fn new(range: Range, margin: f64, error: f64, comparisons: u32) -> Self {
        assert!(margin > 0.0, "a difference of interest");
        PairedTest {
            margin,
            error,
            comparisons,
            test: Gsprt::new(error, comparisons),
            sequence: match range {
                Range::Unlimited => Sequence::Mixture(None),
                Range::Within(limit) => {
                    Sequence::Bernstein(EmpiricalBernstein::new(error, comparisons), limit)
                }
            },
            first: Moments::default(),
            differences: Moments::default(),
            path: Vec::new(),
            verdict: None,
        }
    }

    /// Adds the results of a pair.
    pub fn add(&mut self, first: f64, other: f64) {
        let difference = other - first;
        self.first.add(first);
        self.differences.add(difference);
        if let Sequence::Bernstein(sequence, limit) = &mut self.sequence {
            sequence.add((difference / *limit + 1.0) / 2.0);
        }
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.differences.count()
    }

    /// The looks so far.
    pub fn path(&self) -> &[Look] {
        &self.path
    }

    /// The verdict, once there is one.
    pub fn verdict(&self) -> Option<Verdict> {
        self.verdict
    }

    /// The difference of interest at the present mean of the first player.
    fn effect(&self) -> f64 {
        self.margin * self.first.mean().abs()
    }

    /// The error probability of this test alone.
    fn error_alone(&self) -> f64 {
        self.error / f64::from(self.comparisons)
    }

    /// Number of pairs of a test of fixed size for the same difference and errors; `None` while too few
    /// pairs differ.
    pub fn fixed_sample(&self) -> Option<u64> {
        let (values, effect) = (&self.differences, self.effect());
        let is_known = values.is_enough() && effect > 0.0;
        is_known.then(|| fixed_sample(values.variance(), effect, self.error_alone()).ceil() as u64)
    }

    /// Takes a look. If it is the last one, a test without decision is undecided. After the verdict no
    /// look has an effect.
    pub fn look(&mut self, is_last: bool) -> Option<Verdict> {
        if self.verdict.is_some() {
            return self.verdict;
        }
        let (values, effect) = (self.differences, self.effect());
        let interval = self.interval();
        let decision = self.test.look(&values, effect);
        self.verdict = match decision {
            None if self.is_within(interval, effect) => Some(Verdict::NoDifference),
            None => is_last.then_some(Verdict::Undecided),
            decided => decided,
        };
        let bounds = self.test.bounds(&values, effect);
        let known = |value: f64| value.is_finite().then_some(value);
        self.path.push(Look {
            pairs: values.count(),
            different: values.different(),
            first: self.first.mean(),
            difference: values.mean(),
            standard_deviation: values.variance().sqrt(),
            low: known(interval.low),
            high: known(interval.high),
            effect,
            better: bounds.map(|bounds| bounds[0]),
            not_better: bounds.map(|bounds| bounds[1]),
        });
        self.verdict
    }

    /// The confidence sequence at this look.
    fn interval(&mut self) -> Interval {
        let fixed = self.fixed_sample();
        match &mut self.sequence {
            Sequence::Mixture(planned) => {
                let new =
                    |fixed: u64| NormalMixture::new(self.error, self.comparisons, fixed as f64);
                *planned = planned.or(fixed.map(new));
                planned.map_or(Interval::ALL, |planned| planned.interval(&self.differences))
            }
            Sequence::Bernstein(sequence, limit) => {
                let Interval { low, high } = sequence.interval();
                let back = |value: f64| (2.0 * value - 1.0) * *limit;
                Interval::new(back(low), back(high))
            }
        }
    }

    /// Whether a confidence sequence that needs no minimum of pairs excludes a difference of interest:
    /// so even players that hardly ever differ get a verdict. Equal players cannot be called different by
    /// it.
    fn is_within(&self, interval: Interval, effect: f64) -> bool {
        let is_exact = matches!(self.sequence, Sequence::Bernstein(..));
        is_exact && -effect < interval.low && interval.high < effect
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test of results that repeat with a period.
    fn test(range: Range, pairs: u64, result: impl Fn(u64) -> (f64, f64)) -> PairedTest {
        let mut test = PairedTest::new(range, 0.1, 0.05, 1);
        for pair in 0..pairs {
            let (first, other) = result(pair);
            test.add(first, other);
            if (pair + 1) % 100 == 0 && test.look(pair + 1 == pairs).is_some() {
                break;
            }
        }
        test
    }

    #[test]
    fn looks_contain_the_numbers_of_the_definition() {
        // Differences 5, -1, 5, -1 ..: mean 2, sample variance 9 n / (n - 1).
        let mut test = test(Range::Unlimited, 100, |pair| {
            (10.0, if pair % 2 == 0 { 15.0 } else { 9.0 })
        });
        assert_eq!(test.verdict(), Some(Verdict::Better));
        let look = test.path()[0];
        assert_eq!((look.pairs, look.different, look.first), (100, 100, 10.0));
        assert!((look.difference - 2.0).abs() < 1e-12 && (look.effect - 1.0).abs() < 1e-12);
        let variance = 900.0 / 99.0;
        assert!((look.standard_deviation - f64::sqrt(variance)).abs() < 1e-12);
        // effect / 2 + ln(0.8 / 0.025) variance / (n effect)
        let better = 0.5 + f64::ln(32.0) * variance / 100.0;
        assert!((look.better.unwrap() - better).abs() < 1e-12);
        let not_better = 0.5 + f64::ln(0.2 / 0.975) * variance / 100.0;
        assert!((look.not_better.unwrap() - not_better).abs() < 1e-12);
        let (low, high) = (look.low.unwrap(), look.high.unwrap());
        assert!(low < 2.0 && 2.0 < high && ((low + high) / 2.0 - 2.0).abs() < 1e-12);
        // 7.848879 variance
        assert_eq!(test.fixed_sample(), Some(72));
        assert_eq!(
            test.look(true),
            Some(Verdict::Better),
            "nothing changes a verdict"
        );
    }

    #[test]
    fn mirrored_results_have_the_mirrored_verdict() {
        let test = test(Range::Within(0.5), 2000, |pair| {
            (0.5, if pair % 4 == 0 { 0.5 } else { 0.25 })
        });
        assert_eq!(test.verdict(), Some(Verdict::Worse));
        let look = test.path().last().unwrap();
        assert!(look.high.unwrap() < 0.0 && look.low.unwrap() >= -0.5);
    }

    #[test]
    fn equal_results_within_a_range_are_no_difference_and_others_undecided() {
        let bounded = test(Range::Within(0.5), 10_000, |_| (0.5, 0.5));
        assert_eq!(bounded.verdict(), Some(Verdict::NoDifference));
        assert!(bounded.pairs() < 1000 && bounded.fixed_sample().is_none());
        let scores = test(Range::Unlimited, 1000, |_| (7.0, 7.0));
        assert_eq!(scores.verdict(), Some(Verdict::Undecided));
        assert_eq!(scores.path().len(), 10);
        assert_eq!(scores.path()[9].low, None);
        let nothing = test(Range::Unlimited, 200, |pair| {
            (0.0, f64::from(u8::from(pair % 3 == 0)))
        });
        assert_eq!(
            nothing.verdict(),
            Some(Verdict::Undecided),
            "no margin without a mean"
        );
    }
}
