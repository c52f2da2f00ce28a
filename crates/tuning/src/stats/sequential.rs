//! Sequential tests and confidence sequences of a mean. Their statistics may be evaluated repeatedly while the
//! games are played.
//!
//! The values are paired differences, in the order of their seeds. [`Gsprt`] decides between "better", "worse"
//! and "no difference of interest". A confidence sequence is an interval that contains the true mean at *all*
//! looks together with a probability of 95 %, so that one may stop at any look: [`NormalMixture`] for values of
//! any size, [`EmpiricalBernstein`] for values between -1 and 1. This module must not know games or files.
//!
//! ```
//! use tiletune_tuning::results::compare::Verdict;
//! use tiletune_tuning::stats::sequential::{Gsprt, Moments};
//!
//! let mut test = Gsprt::new(0.05, 1);
//! let mut moments = Moments::default();
//! let decision = (1..=50).find_map(|look| {
//!     for pair in 0..100 {
//!         // Half of the pairs differ by 3, the others by -1.
//!         moments.add(if (look + pair) % 2 == 0 { 3.0 } else { -1.0 });
//!     }
//!     test.look(&moments, 0.5)
//! });
//! assert_eq!(decision, Some(Verdict::Better));
//! ```

use super::distributions::normal_quantile;
use super::intervals::Interval;
use super::summary::{difference, rounding};
use crate::results::compare::Verdict;

/// Smallest number of values for a look, and the default distance between two looks.
pub const LOOK: u64 = 100;

/// The number of values at the next look after the look at `count` values. Looks are at every 100 values up to
/// 2,000. After that each step is 5 % of the number, rounded to 100. A million values have fewer than 150
/// looks.
pub fn next_look(count: u64) -> u64 {
    // A twentieth of `count` in units of `LOOK`, rounded to the nearest.
    let step = (count + LOOK * 10) / (LOOK * 20);
    (count / LOOK + step.max(1)) * LOOK
}

/// Smallest number of values that deviate from the most common one, for an interval that is based on their
/// variance.
pub const FEWEST_DIFFERENT: u64 = 20;

/// If hardly any value deviates from the most common one, the alternative to "no difference" is that there are
/// other values with this probability which have not been seen.
pub const RARE: f64 = 0.01;

/// The same for "better" and "worse" if all values are equal and values are bounded, as points are. To change the sign of
/// the mean, the others would have to be 19 times as large, in the other direction. Scores can be.
const OUTWEIGHING: f64 = 0.05;

/// Number of values n after which a value with probability `share` is missing with a probability of at most
/// `error`: the smallest n with (1 - share)^n <= error.
fn values_without(share: f64, error: f64) -> u64 {
    (libm::log(error) / libm::log1p(-share)).ceil() as u64
}

/// Power: the probability of finding a difference of the planned size.
pub const POWER: f64 = 0.8;

/// Number, mean and variance of values, updated with each value (Welford 1962), and how many of the values
/// deviate from the most common one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    count: u64,
    different: u64,
    deviating: u64,
    commonest: f64,
    votes: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// For values that are all different, of which only number, mean and variance are known.
    pub(super) fn known(count: u64, mean: f64, variance: f64) -> Self {
        Moments {
            count,
            different: count,
            deviating: count,
            mean,
            squares: variance * count.saturating_sub(1) as f64,
            ..Moments::default()
        }
    }

    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.add_observed(value, value);
    }

    fn add_observed(&mut self, value: f64, observed: f64) {
        self.count += 1;
        self.different += u64::from(observed != 0.0);
        self.vote(observed);
        let deviation = value - self.mean;
        self.mean += deviation / self.count as f64;
        self.squares += deviation * (value - self.mean);
    }

    /// Adds the difference of a pair, and returns it. Differences that are equal except for rounding errors
    /// become one value. A program whose results depend on the seed only by rounding is therefore treated like
    /// a deterministic one.
    pub fn add_difference(&mut self, first: f64, other: f64) -> f64 {
        let difference = self.of_pair(first, other);
        self.add(difference);
        difference
    }

    /// The same for contributions that depend on more than this pair of observations, from which it is counted how many
    /// differ.
    pub fn add_contributed(&mut self, contributed: [f64; 2], observed: [f64; 2]) {
        let [first, other] = observed;
        let difference = self.of_pair(first, other);
        let value = match contributed {
            same if same == observed => difference,
            [first, other] => other - first,
        };
        self.add_observed(value, difference);
    }

    fn of_pair(&self, first: f64, other: f64) -> f64 {
        let difference = difference(first, other);
        let deviation = (difference - self.commonest).abs();
        if deviation <= rounding(first, other) {
            self.commonest
        } else {
            difference
        }
    }

    /// Finds the most common value, if it is a majority, and counts the values that deviate from it, with an
    /// error of one or two (the majority vote algorithm of Boyer and Moore 1991).
    fn vote(&mut self, value: f64) {
        if value == self.commonest {
            self.votes += 1;
            return;
        }
        self.deviating += u64::from(self.count > 1);
        match self.votes.checked_sub(1) {
            Some(fewer) => self.votes = fewer,
            None => (self.commonest, self.votes) = (value, 1),
        }
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Number of values that are not 0.
    pub fn different(&self) -> u64 {
        self.different
    }

    /// True if all values are equal.
    pub fn are_equal(&self) -> bool {
        self.deviating == 0
    }

    /// Mean of the values; 0 for no values.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Sample variance of the values (divisor n - 1); 0 for fewer than two values.
    pub fn variance(&self) -> f64 {
        match self.count {
            0 | 1 => 0.0,
            count => self.squares / (count - 1) as f64,
        }
    }

    /// Standard error of the mean; 0 for no values.
    pub fn standard_error(&self) -> f64 {
        match self.count {
            0 => 0.0,
            count => (self.variance() / count as f64).sqrt(),
        }
    }

    /// True if there are enough values, and enough that deviate, for an interval that is based on their
    /// variance.
    pub fn has_variance(&self) -> bool {
        self.count >= LOOK && self.deviating >= FEWEST_DIFFERENT
    }

    /// True if there are enough values for a decision with this one-sided error probability: enough values
    /// deviate, or rare values would have been seen.
    pub fn are_enough(&self, error: f64) -> bool {
        self.has_variance() || self.count >= values_without(RARE, error).max(LOOK)
    }

    /// True if there are enough values to say on which side of 0 the mean is.
    fn have_direction(&self, are_bounded: bool, error: f64) -> bool {
        let outweighing = values_without(OUTWEIGHING, error).max(LOOK);
        self.are_enough(error) || (are_bounded && self.are_equal() && self.count >= outweighing)
    }
}

/// Number of equal differences of this size after which a test with this one-sided error decides, at the next
/// look. `effect` is the difference of interest. `are_bounded`: the results are points, not scores.
pub fn equal_differences_needed(
    difference: f64,
    effect: f64,
    are_bounded: bool,
    error: f64,
) -> u64 {
    let share = if are_bounded && difference.abs() > effect / 2.0 {
        OUTWEIGHING
    } else {
        RARE
    };
    values_without(share, error).next_multiple_of(LOOK)
}

impl Extend<f64> for Moments {
    fn extend<Values: IntoIterator<Item = f64>>(&mut self, values: Values) {
        values.into_iter().for_each(|value| self.add(value));
    }
}

/// Number of values with which a test of fixed size finds a mean of `effect` in 80 % of cases. `error` is its
/// two-sided error probability.
pub fn fixed_sample(variance: f64, effect: f64, error: f64) -> f64 {
    let z = normal_quantile(1.0 - error / 2.0) + normal_quantile(POWER);
    z * z * variance / (effect * effect)
}

/// A sequential test with three decisions: better, worse, no difference of interest. It consists of two
/// generalised sequential probability ratio tests of the mean 0, one against the mean `effect`, and one against
/// `-effect`.
///
/// The log likelihood ratio is that of a normal distribution with the sample variance s^2, as in the chess
/// testing framework fishtest: n (effect mean - effect^2 / 2) / s^2. Each test ends when its ratio first leaves
/// the range from ln(0.2 / (1 - a)) to ln(0.8 / a) (Wald 1945), where a is half of the error probability.
///
/// If all values are equal, s is 0 and the ratio is infinite. It is positive if the mean is nearer to the
/// effect than to 0. If fewer than [`FEWEST_DIFFERENT`] values deviate from the most common one, a decision
/// waits until values with a stated probability would have been seen.
#[derive(Clone, Debug)]
pub struct Gsprt {
    error: f64,
    lower: f64,
    upper: f64,
    are_bounded: bool,
    /// True if the test against `effect`, or the one against `-effect`, has ended with "no".
    is_excluded: [bool; 2],
}

impl Gsprt {
    /// A test with this probability of calling equal players different, over `comparisons` tests (Bonferroni:
    /// each test has the probability divided by their number).
    ///
    /// # Panics
    /// If `error` is not between 0 and 1, or if `comparisons` is 0.
    pub fn new(error: f64, comparisons: u32) -> Self {
        assert!(error > 0.0 && error < 1.0 && comparisons > 0);
        let one_sided = error / f64::from(comparisons) / 2.0;
        Gsprt {
            error: one_sided,
            lower: libm::log((1.0 - POWER) / (1.0 - one_sided)),
            upper: libm::log(POWER / one_sided),
            are_bounded: false,
            is_excluded: [false; 2],
        }
    }

    /// The same test for points, which are between 0 and 1: it decides sooner if all values are equal.
    pub fn of_points(self) -> Self {
        Gsprt {
            are_bounded: true,
            ..self
        }
    }

    /// The means at which the test against `effect` ends: at the first one or above with "better", at the
    /// second one or below with "not better". The test against `-effect` has the mirrored means. `None` while
    /// there are too few values.
    pub fn bounds(&self, values: &Moments, effect: f64) -> Option<[f64; 2]> {
        let unit = values.variance() / (values.count() as f64 * effect);
        let mean = |bound: f64| effect / 2.0 + bound * unit;
        let is_known = values.are_enough(self.error) && effect > 0.0;
        is_known.then(|| [mean(self.upper), mean(self.lower)])
    }

    /// Evaluates the values so far. `effect` is the difference of interest, at least 0. The numbers of values
    /// at which looks are made must be fixed in advance.
    pub fn look(&mut self, values: &Moments, effect: f64) -> Option<Verdict> {
        let sides = [(1.0, Verdict::Better), (-1.0, Verdict::Worse)];
        for (side, (sign, decision)) in sides.into_iter().enumerate() {
            if self.is_excluded[side] {
                continue;
            }
            let excess = sign * values.mean() - effect / 2.0;
            let ratio = match values.variance() {
                variance if variance > 0.0 => values.count() as f64 * effect * excess / variance,
                _ if excess > 0.0 => f64::INFINITY,
                _ => f64::NEG_INFINITY,
            };
            if ratio >= self.upper && values.have_direction(self.are_bounded, self.error) {
                return Some(decision);
            }
            self.is_excluded[side] = ratio <= self.lower && values.are_enough(self.error);
        }
        (self.is_excluded == [true; 2]).then_some(Verdict::NoDifference)
    }
}

/// A confidence sequence of a mean from a normal mixture (Waudby-Smith, Arbour, Sinha, Kennedy and
/// Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences", 2021).
#[derive(Clone, Copy, Debug)]
pub struct NormalMixture {
    error: f64,
    rho_squared: f64,
}

impl NormalMixture {
    /// A sequence that ever misses the mean with a probability of `error` (two-sided), over `comparisons`
    /// sequences. It is shortest near `planned` values. `planned` must not depend on later looks.
    ///
    /// # Panics
    /// If `error` is not between 0 and 1, if `planned` is not positive, or if `comparisons` is 0.
    pub fn new(error: f64, comparisons: u32, planned: f64) -> Self {
        assert!(error > 0.0 && error < 1.0 && planned > 0.0 && comparisons > 0);
        let error = error / f64::from(comparisons);
        let log = -2.0 * libm::log(error);
        NormalMixture {
            error,
            rho_squared: (log + libm::log1p(log)) / planned,
        }
    }

    /// The interval at a look. It contains all numbers while there are too few values. If all values are equal, it is only the mean.
    pub fn interval(&self, values: &Moments) -> Interval {
        if !values.are_enough(self.error / 2.0) {
            return Interval::ALL;
        }
        let n = values.count() as f64;
        let scaled = n * self.rho_squared;
        let log = libm::log((scaled + 1.0).sqrt() / self.error);
        let width = (2.0 * (scaled + 1.0) / (n * scaled) * log).sqrt();
        Interval::around(values.mean(), values.variance().sqrt() * width)
    }
}

/// A confidence sequence of the mean of values between -1 and 1, for any number of values: empirical Bernstein
/// with predictable weights (Waudby-Smith and Ramdas, "Estimating means of bounded random variables by
/// betting", 2024, theorem 2, there for values between 0 and 1).
#[derive(Clone, Copy, Debug)]
pub struct EmpiricalBernstein {
    error: f64,
    count: f64,
    sum: f64,
    squares: f64,
    weights: f64,
    weighted: f64,
    penalty: f64,
}

impl EmpiricalBernstein {
    const LARGEST_WEIGHT: f64 = 0.5;

    /// A sequence that ever misses the mean with a probability of `error` (two-sided), over `comparisons`
    /// sequences.
    ///
    /// # Panics
    /// If `error` is not between 0 and 1, or if `comparisons` is 0.
    pub fn new(error: f64, comparisons: u32) -> Self {
        assert!(error > 0.0 && error < 1.0 && comparisons > 0);
        EmpiricalBernstein {
            error: error / f64::from(comparisons),
            count: 0.0,
            sum: 0.0,
            squares: 0.0,
            weights: 0.0,
            weighted: 0.0,
            penalty: 0.0,
        }
    }

    /// Adds a value, which must be between -1 and 1.
    pub fn add(&mut self, value: f64) {
        let t = self.count + 1.0;
        // Mean and variance of the earlier values, with one additional value of 0 whose deviation counts as 1.
        // The weight must not depend on the new value.
        let (mean, variance) = (self.sum / t, (1.0 + self.squares) / t);
        let weight = 8.0 * self.log() / (variance * t * libm::log1p(t));
        let weight = weight.sqrt().min(Self::LARGEST_WEIGHT);
        let deviation = value - mean;
        self.penalty += deviation * deviation / 4.0 * (-libm::log1p(-weight) - weight);
        self.weights += weight;
        self.weighted += weight * value;
        self.count = t;
        self.sum += value;
        let deviation = value - self.sum / (t + 1.0);
        self.squares += deviation * deviation;
    }

    /// The interval at a look, limited to -1 and 1.
    pub fn interval(&self) -> Interval {
        if self.weights == 0.0 {
            return Interval::new(-1.0, 1.0);
        }
        let half = 2.0 * (self.log() + self.penalty) / self.weights;
        Interval::around(self.weighted / self.weights, half).within(-1.0, 1.0)
    }

    fn log(&self) -> f64 {
        libm::log(2.0 / self.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    fn uniform(stream: &mut Xoshiro256PlusPlus) -> f64 {
        ((stream.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// The decision for normal values with this mean and variance 1, and the number of values that it needed.
    fn decide(mean: f64, effect: f64, most: u64, seed: u64) -> (Option<Verdict>, u64) {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (mut test, mut values) = (Gsprt::new(0.05, 1), Moments::default());
        while values.count() < most {
            for _ in 0..LOOK {
                values.add(mean + normal_quantile(uniform(&mut stream)));
            }
            if let Some(decision) = test.look(&values, effect) {
                return (Some(decision), values.count());
            }
        }
        (None, most)
    }

    #[test]
    fn moments_are_those_of_the_definition() {
        let values = [3.0, 0.0, -1.0, 4.0, 0.0];
        let mut moments = Moments::default();
        moments.extend(values);
        assert_eq!((moments.count(), moments.different()), (5, 3));
        assert!((moments.mean() - 1.2).abs() < 1e-15);
        // Squared deviations 3.24, 1.44, 4.84, 7.84, 1.44.
        assert!((moments.variance() - 18.8 / 4.0).abs() < 1e-14);
        assert!((moments.standard_error() - (18.8f64 / 20.0).sqrt()).abs() < 1e-14);
    }

    #[test]
    fn looks_become_rarer() {
        let looks = |from: u64| std::iter::successors(Some(from), |&count| Some(next_look(count)));
        assert_eq!(Vec::from_iter(looks(0).take(4)), [0, 100, 200, 300]);
        assert_eq!(Vec::from_iter(looks(1900).take(3)), [1900, 2000, 2100]);
        assert_eq!(next_look(10_000), 10_500);
        assert!(looks(0).take_while(|&count| count < 1_000_000).count() < 150);
        for count in looks(0).take(200) {
            assert_eq!(count % LOOK, 0);
        }
    }

    #[test]
    fn the_fixed_sample_is_the_textbook_one() {
        // (1.959964 + 0.841621)^2 = 7.848879.
        assert!((fixed_sample(1.0, 1.0, 0.05) - 7.848_879).abs() < 1e-5);
        assert!((fixed_sample(4.0, 0.1, 0.05) - 3139.55).abs() < 0.01);
    }

    #[test]
    fn decisions_are_right_and_need_fewer_values_than_a_fixed_sample() {
        let effect = 0.05;
        let fixed = fixed_sample(1.0, effect, 0.05);
        let share = |mean: f64, wanted: Verdict| {
            let runs: Vec<_> = (0..300)
                .map(|seed| decide(mean, effect, 100_000, seed))
                .collect();
            let found = runs
                .iter()
                .filter(|(decision, _)| *decision == Some(wanted));
            let used: u64 = runs.iter().map(|(_, used)| used).sum();
            (found.count() as f64 / 300.0, used as f64 / 300.0 / fixed)
        };
        let (found, used) = share(0.0, Verdict::NoDifference);
        assert!(found > 0.92 && used < 0.8, "equal: {found}, {used}");
        let (found, used) = share(effect, Verdict::Better);
        assert!(found > 0.75 && used < 0.85, "better: {found}, {used}");
        let (found, used) = share(-2.5 * effect, Verdict::Worse);
        assert!(found > 0.99 && used < 0.35, "worse: {found}, {used}");
    }

    /// The decision for these values, the number of values that it needed, and how many of them deviate.
    fn decide_values(most: u64, effect: f64, value: impl Fn(u64) -> f64) -> (Verdict, u64, u64) {
        let (mut test, mut values) = (Gsprt::new(0.05, 1), Moments::default());
        loop {
            values.extend((values.count()..next_look(values.count())).map(&value));
            let decision = test.look(&values, effect);
            if decision.is_some() || values.count() >= most {
                let decision = decision.unwrap_or(Verdict::Undecided);
                return (decision, values.count(), values.deviating);
            }
        }
    }

    #[test]
    fn equal_values_decide_when_others_would_have_been_seen() {
        use Verdict::{Better, NoDifference, Worse};
        // ln(0.025) / ln(0.99) = 367.1 and ln(0.025) / ln(0.95) = 71.9.
        assert_eq!(values_without(RARE, 0.025), 368);
        assert_eq!(values_without(OUTWEIGHING, 0.025), 72);
        for (value, effect, expected) in [
            (0.0, 1.0, (NoDifference, 400, 0)),
            (0.4, 1.0, (NoDifference, 400, 0)),
            (18.0, 1.0, (Better, 400, 0)),
            (-18.0, 1.0, (Worse, 400, 0)),
            (1e-300, 0.0, (Better, 400, 0)),
            (0.0, 0.0, (NoDifference, 400, 0)),
        ] {
            assert_eq!(decide_values(1000, effect, |_| value), expected);
            let needed = equal_differences_needed(value, effect, false, 0.025);
            assert_eq!(needed, expected.1);
            let of_points = equal_differences_needed(value, effect, true, 0.025);
            assert_eq!(
                of_points,
                if expected.0 == NoDifference { 400 } else { 100 }
            );
        }
    }

    #[test]
    fn a_few_values_that_deviate_decide() {
        use Verdict::{Better, NoDifference, Worse};
        // One in 150 values is 3 times as large as the largest mean without interest, or 300 times.
        let rare = |size: f64| move |index: u64| if index % 150 == 149 { size } else { 0.0 };
        assert_eq!(decide_values(5000, 1.0, rare(3.0)), (NoDifference, 400, 2));
        let (decision, count, deviating) = decide_values(5000, 1.0, rare(300.0));
        assert!(
            decision == Better && deviating < FEWEST_DIFFERENT,
            "{count}"
        );
        assert_eq!(
            decide_values(5000, 1.0, rare(-300.0)),
            (Worse, count, deviating)
        );
        // All values are 18, but each hundredth is 1 less.
        let mostly = |index: u64| {
            if index % 100 == 50 { 17.0 } else { 18.0 }
        };
        assert_eq!(decide_values(5000, 1.0, mostly), (Better, 400, 4));
    }

    #[test]
    fn what_rounding_makes_of_equal_differences_is_one_value() {
        let mut values = Moments::default();
        for index in 0..200 {
            let noise = f64::from(index) * 0.1 - 7.0;
            values.add_difference(noise - 18.3, noise - 0.1);
        }
        assert!(values.are_equal() && values.variance() == 0.0);
        assert_eq!(values.different(), 200);
        let mut values = Moments::default();
        values.add_difference(0.3, 0.1 + 0.2);
        assert_eq!((values.different(), values.mean()), (0, 0.0));
    }

    /// The share of sequences of values that miss the mean at any look.
    fn missed(runs: u64, mut leaves: impl FnMut(&mut Xoshiro256PlusPlus) -> bool) -> f64 {
        let missed = (0..runs).filter(|&seed| leaves(&mut Xoshiro256PlusPlus::seed_from_u64(seed)));
        missed.count() as f64 / runs as f64
    }

    #[test]
    fn confidence_sequences_hold_at_all_looks_together() {
        let mixture = NormalMixture::new(0.05, 1, 2000.0);
        let missing = missed(300, |stream| {
            let mut values = Moments::default();
            (0..50).any(|_| {
                values.extend((0..LOOK).map(|_| -libm::log(uniform(stream)) - 1.0));
                let Interval { low, high } = mixture.interval(&values);
                low > 0.0 || high < 0.0
            })
        });
        assert!(missing <= 0.05, "normal mixture: {missing}");
        let missing = missed(300, |stream| {
            let mut sequence = EmpiricalBernstein::new(0.05, 1);
            (0..3000).any(|_| {
                sequence.add(f64::from(u8::from(uniform(stream) < 0.03)) * 2.0 - 1.0);
                let Interval { low, high } = sequence.interval();
                low > -0.94 || high < -0.94
            })
        });
        assert!(missing <= 0.05, "empirical Bernstein: {missing}");
    }

    #[test]
    fn empirical_bernstein_narrows_to_the_mean() {
        let (mut sequence, mut mirrored) = (
            EmpiricalBernstein::new(0.05, 1),
            EmpiricalBernstein::new(0.05, 1),
        );
        assert_eq!(sequence.interval(), Interval::new(-1.0, 1.0));
        for index in 0..20_000 {
            let value = [-0.5, 0.1, 0.5, 0.0][index % 4];
            sequence.add(value);
            mirrored.add(-value);
        }
        let Interval { low, high } = sequence.interval();
        assert!(
            0.0 < low && low < 0.025 && 0.025 < high && high < 0.05,
            "{low} to {high}"
        );
        assert_eq!(mirrored.interval(), Interval::new(-high, -low));
    }
}
