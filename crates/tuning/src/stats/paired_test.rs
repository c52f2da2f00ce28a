//! The sequential comparison of paired results, with a decision, a confidence sequence and thresholds at each
//! look.
//!
//! The difference of interest is fixed at the first look, from the results so far (see
//! [`scale`](super::scale)). Looks are at the numbers of pairs of [`next_look`](super::sequential::next_look).
//! If the players are exchanged, every number and the verdict are mirrored.
//!
//! ```
//! use tiletune_tuning::results::compare::{Measure, Verdict};
//! use tiletune_tuning::stats::paired_test::PairedTest;
//!
//! // The second result is on average 10 % larger.
//! let mut test = PairedTest::new(Measure::Score, None, 0.05, 1);
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
use super::scale::Scale;
use super::sequential::{EmpiricalBernstein, Gsprt, Moments, NormalMixture, fixed_sample};
use crate::results::compare::{Look, Measure, Verdict};
use crate::results::{DifferenceOfInterest, Margin};

/// The confidence sequence of the mean difference.
#[derive(Clone, Debug)]
enum Sequence {
    /// For differences of any size. It is planned at the first look with enough pairs.
    Mixture(Option<NormalMixture>),
    /// For differences between minus this number and this number. They are divided by it, so its values are
    /// between -1 and 1.
    Bernstein(EmpiricalBernstein, f64),
}

/// A sequential test of paired results, with the history of its looks.
#[derive(Clone, Debug)]
pub struct PairedTest {
    measure: Measure,
    margin: Option<Margin>,
    error: f64,
    comparisons: u32,
    test: Gsprt,
    sequence: Sequence,
    first: Moments,
    other: Moments,
    differences: Moments,
    /// Fixed at the first look.
    interest: Option<DifferenceOfInterest>,
    path: Vec<Look>,
    verdict: Option<Verdict>,
}

impl PairedTest {
    /// A test for a difference of size `margin` (`None` means the default). `error` is the probability of
    /// calling equal players different, over `comparisons` tests (Bonferroni).
    ///
    /// # Panics
    /// If `error` is not between 0 and 1, or if `comparisons` is 0.
    pub fn new(measure: Measure, margin: Option<Margin>, error: f64, comparisons: u32) -> Self {
        let within =
            |limit: f64| Sequence::Bernstein(EmpiricalBernstein::new(error, comparisons), limit);
        PairedTest {
            measure,
            margin,
            error,
            comparisons,
            test: match measure {
                Measure::Score => Gsprt::new(error, comparisons),
                Measure::Points | Measure::Match => Gsprt::new(error, comparisons).of_points(),
            },
            sequence: match measure {
                Measure::Score => Sequence::Mixture(None),
                Measure::Points => within(1.0),
                Measure::Match => within(0.5),
            },
            first: Moments::default(),
            other: Moments::default(),
            differences: Moments::default(),
            interest: None,
            path: Vec::new(),
            verdict: None,
        }
    }

    /// Adds the results of a pair. In direct matches these are 1/2 and the points of the challenger.
    pub fn add(&mut self, first: f64, other: f64) {
        self.first.add(first);
        self.other.add(other);
        self.differences.add_difference(first, other);
        if let Sequence::Bernstein(sequence, limit) = &mut self.sequence {
            sequence.add((other - first) / *limit);
        }
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.differences.count()
    }

    /// The looks so far, in order.
    pub fn path(&self) -> &[Look] {
        &self.path
    }

    /// The verdict; `None` while the test continues.
    pub fn verdict(&self) -> Option<Verdict> {
        self.verdict
    }

    /// The difference of interest; `None` before the first look.
    pub fn interest(&self) -> Option<DifferenceOfInterest> {
        self.interest
    }

    /// The typical size of the results so far.
    fn scale(&self) -> Scale {
        match self.measure {
            // In a match the points of both players add up to 1, so they have the same deviation.
            Measure::Match => Scale {
                means: [0.5; 2],
                deviation: self.differences.variance().sqrt(),
            },
            Measure::Score | Measure::Points => Scale::of(&self.first, &self.other),
        }
    }

    /// The difference of interest in the unit of the results. It is 0, and not fixed, while all results are 0.
    fn effect(&mut self) -> f64 {
        let now = self.scale().difference(self.margin);
        match self.interest {
            Some(fixed) if fixed.points > 0.0 => fixed.points,
            _ => self.interest.insert(now).points,
        }
    }

    /// The value that corresponds to 100 % when differences are shown in percent; `None` if they are not shown
    /// in percent.
    fn reference(&self) -> Option<f64> {
        let is_relative = self.interest.is_some_and(DifferenceOfInterest::is_relative);
        let mean = self.scale().mean();
        (is_relative && mean > 0.0).then_some(mean)
    }

    /// The error probability of this test, as one of several comparisons.
    fn error_alone(&self) -> f64 {
        self.error / f64::from(self.comparisons)
    }

    /// Number of pairs of a test with fixed sample size for the same difference and errors; `None` while too
    /// few differences deviate from the most common one.
    pub fn fixed_sample(&self) -> Option<u64> {
        let (values, interest) = (&self.differences, self.interest?);
        let is_known = values.has_variance() && interest.points > 0.0;
        let pairs = || fixed_sample(values.variance(), interest.points, self.error_alone());
        is_known.then(|| pairs().ceil() as u64)
    }

    /// Evaluates the pairs so far. If `is_last` is true, a test without decision ends as undecided. After the
    /// verdict, further looks have no effect.
    pub fn look(&mut self, is_last: bool) -> Option<Verdict> {
        if self.verdict.is_some() {
            return self.verdict;
        }
        let (values, effect) = (self.differences, self.effect());
        let interval = self.interval();
        let decision = self.test.look(&values, effect);
        self.verdict = decision.or_else(|| is_last.then_some(Verdict::Undecided));
        let bounds = self.test.bounds(&values, effect);
        let known = |value: f64| value.is_finite().then_some(value);
        self.path.push(Look {
            pairs: values.count(),
            different: values.different(),
            first: self.first.mean(),
            reference: self.reference(),
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

    /// The difference of interest and the state after the pairs so far, for planning.
    pub fn calibrated(mut self) -> (DifferenceOfInterest, Look) {
        self.look(true);
        let look = self.path[self.path.len() - 1];
        let interest = self.scale().difference(self.margin);
        (interest, look)
    }

    /// The interval of the confidence sequence at this look.
    fn interval(&mut self) -> Interval {
        let fixed = self.fixed_sample();
        match &mut self.sequence {
            Sequence::Mixture(planned) => {
                let new =
                    |fixed: u64| NormalMixture::new(self.error, self.comparisons, fixed as f64);
                *planned = planned.or(fixed.map(new));
                let planned = planned.filter(|_| self.differences.has_variance());
                planned.map_or(Interval::ALL, |planned| planned.interval(&self.differences))
            }
            Sequence::Bernstein(sequence, limit) => {
                let Interval { low, high } = sequence.interval();
                Interval::new(*limit * low, *limit * high)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;
    use crate::results::MarginUnit;

    const TEN_PERCENT: Option<Margin> = Some(Margin {
        value: 10.0,
        unit: MarginUnit::Percent,
    });

    /// A test whose results are functions of the number of the pair.
    fn test(
        measure: Measure,
        margin: Option<Margin>,
        pairs: u64,
        result: impl Fn(u64) -> (f64, f64),
    ) -> PairedTest {
        let mut test = PairedTest::new(measure, margin, 0.05, 1);
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
        // The differences are 5, -1, 5, -1 ..: mean 2, sample variance 9 n / (n - 1).
        let mut test = test(Measure::Score, TEN_PERCENT, 100, |pair| {
            (9.0, if pair % 2 == 0 { 14.0 } else { 8.0 })
        });
        assert_eq!(test.verdict(), Some(Verdict::Better));
        let look = test.path()[0];
        assert_eq!((look.pairs, look.different, look.first), (100, 100, 9.0));
        // 10 % of (9 + 11) / 2.
        assert!((look.reference.unwrap() - 10.0).abs() < 1e-12);
        assert!((look.effect - 1.0).abs() < 1e-12);
        assert!((look.difference - 2.0).abs() < 1e-12);
        // Percent of the mean of the first.
        assert!((look.percent(look.difference).unwrap() - 200.0 / 9.0).abs() < 1e-10);
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
    fn the_difference_of_interest_is_fixed_at_the_first_look() {
        let mut test = PairedTest::new(Measure::Score, None, 0.05, 1);
        for pair in 0..200 {
            let level = f64::from(1000 * (1 + pair / 100));
            test.add(level, level + f64::from(pair * 7919 % 2000) - 999.5);
            if pair % 100 == 99 {
                assert_eq!(test.interest().is_some(), pair > 99);
                test.look(false);
            }
        }
        let [one, two] = test.path() else {
            panic!("two looks")
        };
        assert!(one.effect == two.effect && two.reference.unwrap() > 1.4 * one.reference.unwrap());
        assert_eq!(test.interest().unwrap().points, one.effect);
    }

    #[test]
    fn deterministic_players_get_a_verdict() {
        use Verdict::{Better, NoDifference, Worse};
        let verdict = |measure: Measure, first: f64, other: f64| {
            let test = test(measure, None, 10_000, |_| (first, other));
            (test.verdict().unwrap(), test.pairs())
        };
        for measure in [Measure::Score, Measure::Points] {
            let pairs = if measure == Measure::Score { 400 } else { 100 };
            assert_eq!(verdict(measure, 0.25, 0.75), (Better, pairs));
            assert_eq!(verdict(measure, 0.75, 0.25), (Worse, pairs));
            assert_eq!(verdict(measure, 0.0, 1.0), (Better, pairs));
            assert_eq!(verdict(measure, 1.0, 0.0), (Worse, pairs));
            assert_eq!(verdict(measure, 0.5, 0.5), (NoDifference, 400));
            assert_eq!(verdict(measure, 0.0, 0.0), (NoDifference, 400));
        }
        assert_eq!(verdict(Measure::Match, 0.5, 0.75), (Better, 100));
        assert_eq!(verdict(Measure::Match, 0.5, 0.5), (NoDifference, 400));
        assert_eq!(verdict(Measure::Score, -18.0, -1e-9), (Better, 400));
        assert_eq!(verdict(Measure::Score, -18.0, -18.1), (NoDifference, 400));
    }

    #[test]
    fn a_mean_near_0_has_a_verdict_in_any_order() {
        // Wins and losses against a baseline, with 50 % and 70 % wins, on independent games.
        let wins = |pair: u64, share: u64| if pair * 7919 % 100 < share { 1.0 } else { -1.0 };
        let result = |pair: u64| (wins(pair, 50), wins(pair + 37, 70));
        let forward = test(Measure::Score, None, 50_000, result);
        let back = test(Measure::Score, None, 50_000, |pair| {
            let (first, other) = result(pair);
            (other, first)
        });
        assert_eq!(forward.verdict(), Some(Verdict::Better));
        assert_eq!(back.verdict(), Some(Verdict::Worse));
        assert!(forward.pairs() <= 300 && back.pairs() == forward.pairs());
        let interest = forward.interest().unwrap();
        assert_eq!(
            (interest.value, interest.unit),
            (0.1, MarginUnit::StandardDeviations)
        );
    }

    /// Pairs of all kinds that are difficult for a test.
    fn pairs() -> impl Strategy<Value = Vec<(f64, f64)>> {
        let size = prop::sample::select(vec![0.0, 1e-12, 1.0, 18.0, 7000.0, 1e9]);
        let level = (size.clone(), any::<bool>());
        let level = level.prop_map(|(size, is_below)| if is_below { -size } else { size });
        // The elements are: seed, level, constant difference, noise of both, rare differences with their share,
        // and whether these have one direction.
        let noise = prop::sample::select(vec![0.0, 0.0, 1e-15, 0.3, 2.0]);
        let share = prop::sample::select(vec![0u64, 0, 1, 10, 100, 1000]);
        (
            any::<u64>(),
            level,
            size,
            noise,
            share,
            any::<bool>(),
            1usize..1500,
        )
            .prop_map(
                |(seed, level, step, noise, share, is_one_way, count): (
                    u64,
                    f64,
                    f64,
                    f64,
                    u64,
                    bool,
                    usize,
                )| {
                    let mut stream = Xoshiro256PlusPlus::seed_from_u64(seed);
                    let mut uniform =
                        move || (stream.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
                    let step = if uniform() < 0.5 { step } else { 0.0 };
                    let mut pair = |_| {
                        let common = level + noise * level.abs() * (uniform() - 0.5);
                        let rare = if uniform() * 1000.0 < share as f64 {
                            level.abs() + 1.0
                        } else {
                            0.0
                        };
                        let sign = if is_one_way || uniform() < 0.5 {
                            1.0
                        } else {
                            -1.0
                        };
                        let own = if noise > 0.1 { uniform() - 0.5 } else { 0.0 };
                        (common, common + step + sign * rare + own)
                    };
                    (0..count).map(&mut pair).collect()
                },
            )
    }

    fn played(measure: Measure, margin: Option<Margin>, pairs: &[(f64, f64)]) -> PairedTest {
        test(measure, margin, pairs.len() as u64, |pair| {
            pairs[pair as usize]
        })
    }

    /// A look with the players exchanged; `first` is the first mean.
    fn turned(look: &Look, first: f64) -> Look {
        Look {
            first,
            difference: -look.difference,
            low: look.high.map(|high| -high),
            high: look.low.map(|low| -low),
            ..*look
        }
    }

    proptest! {
        #[test]
        fn exchanging_the_players_mirrors_all(
            pairs in pairs(),
            margin in prop::option::of(prop::sample::select(vec!["2%", "0.1sd", "50", "0.001"])),
            is_match in any::<bool>(),
        ) {
            let margin = margin.map(|margin| margin.parse().unwrap());
            let measure = if is_match { Measure::Match } else { Measure::Score };
            // Points of a match are multiples of 1/4.
            let (pairs, back): (Vec<_>, Vec<_>) = pairs.iter().map(|&(first, other)| if !is_match { ((first, other), (other, first)) } else {
                let points = 0.5 + 0.25 * (4.0 * (other - first)).round().clamp(-1.0, 1.0);
                ((0.5, points), (0.5, 1.0 - points))
            }).unzip();
            let (one, other) = (played(measure, margin, &pairs), played(measure, margin, &back));
            let mirrored = one.verdict().map(|verdict| match verdict {
                Verdict::Better => Verdict::Worse,
                Verdict::Worse => Verdict::Better,
                same => same,
            });
            prop_assert_eq!(other.verdict(), mirrored);
            prop_assert_eq!(other.fixed_sample(), one.fixed_sample());
            prop_assert_eq!(other.interest(), one.interest());
            prop_assert_eq!(other.path().len(), one.path().len());
            for (one, other) in one.path().iter().zip(other.path()) {
                prop_assert_eq!(*other, turned(one, other.first));
            }
        }
    }
}
