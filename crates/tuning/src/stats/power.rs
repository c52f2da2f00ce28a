//! The number of pairs of games that a comparison needs, and the difference that a number of pairs can find.
//!
//! All formulas are for a two-sided test of a mean with a power of 80 % ([`POWER`](super::sequential::POWER)).
//! The power is the probability of finding a difference of the planned size. Effect and standard deviation have
//! the same unit, for example points. The standard deviation is that of the difference of a pair; if the two
//! games of a pair are independent, it is sqrt(2) times the standard deviation of a game. This module must not
//! know games or files.
//!
//! ```
//! use tiletune_tuning::stats::power::{detectable, pairs_needed};
//!
//! // Scores with a coefficient of variation of 0.42; a difference of 5 % of the mean.
//! let standard_deviation = 0.42 * 2f64.sqrt();
//! let pairs = pairs_needed(standard_deviation, 0.05, 0.05);
//! assert_eq!(pairs.round(), 1108.0);
//! assert!((detectable(pairs, standard_deviation, 0.05) - 0.05).abs() < 1e-12);
//! ```

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::distributions::normal_quantile;
use super::sequential::{Gsprt, Moments, fixed_sample, next_look};

/// The assumed true differences in a plan, as multiples of the difference of interest. If this is 2 %, they are
/// 1, 2, 5 and 10 %.
pub const MULTIPLES: [f64; 4] = [0.5, 1.0, 2.5, 5.0];

/// Number of pairs with which a test of fixed size finds a difference of `effect` in 80 % of cases: ((z(1 -
/// error/2) + z(0.8)) sd / effect)^2. `error` is the probability of calling equal players different. The result
/// is not rounded.
///
/// # Panics
/// If `error` is not between 0 and 1.
pub fn pairs_needed(standard_deviation: f64, effect: f64, error: f64) -> f64 {
    assert!(error > 0.0 && error < 1.0, "a probability of an error");
    fixed_sample(standard_deviation * standard_deviation, effect, error)
}

/// The difference that a test with this number of pairs finds in 80 % of cases. It is the inverse of
/// [`pairs_needed`].
///
/// # Panics
/// Like [`pairs_needed`].
pub fn detectable(pairs: f64, standard_deviation: f64, error: f64) -> f64 {
    pairs_needed(standard_deviation, 1.0, error).sqrt() / pairs.sqrt()
}

/// Number of simulated tests in [`sequential_pairs`]. The standard error of its result is about 2 %.
const PATHS: u64 = 500;

/// Mean number of pairs until a [`Gsprt`] for differences of `effect` decides, if the true difference is
/// `truth`. It is found by a simulation with normal values of this standard deviation, at the looks of
/// [`next_look`]. Equal arguments give equal results.
///
/// # Panics
/// If `error` is not between 0 and 1, or if `effect` or the standard deviation is not positive.
pub fn sequential_pairs(standard_deviation: f64, effect: f64, truth: f64, error: f64) -> f64 {
    assert!(standard_deviation > 0.0 && effect > 0.0, "positive numbers");
    // A limit far above the number of pairs of every decision.
    let most = 100.0 * pairs_needed(standard_deviation, effect, error) + 1000.0;
    let mut stream = Xoshiro256PlusPlus::seed_from_u64(PATHS);
    let mut pairs_of_path = || {
        let (mut test, mut count, mut sum) = (Gsprt::new(error, 1), 0, 0.0);
        while (count as f64) < most {
            let next = next_look(count);
            let more = (next - count) as f64;
            let uniform = ((stream.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
            sum += more * truth + more.sqrt() * standard_deviation * normal_quantile(uniform);
            count = next;
            let variance = standard_deviation * standard_deviation;
            let values = Moments::known(count, sum / count as f64, variance);
            if test.look(&values, effect).is_some() {
                break;
            }
        }
        count as f64
    };
    (0..PATHS).map(|_| pairs_of_path()).sum::<f64>() / PATHS as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(stream: &mut Xoshiro256PlusPlus) -> f64 {
        normal_quantile(((stream.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64)
    }

    #[test]
    fn numbers_of_pairs_are_the_textbook_ones() {
        // (1.959964 + 0.841621)^2 = 7.848879; sd 0.588 of the mean, a difference of 2 %.
        assert!((pairs_needed(0.588, 0.02, 0.05) - 6784.26).abs() < 0.1);
        // A quarter of the difference needs 16 times as many pairs.
        let ratio = pairs_needed(2.0, 0.25, 0.05) / pairs_needed(2.0, 1.0, 0.05);
        assert!((ratio - 16.0).abs() < 1e-12);
        for pairs in [10.0, 1000.0, 1e6] {
            let effect = detectable(pairs, 0.7, 0.01);
            assert!((pairs_needed(0.7, effect, 0.01) / pairs - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn the_number_of_pairs_finds_the_difference_in_four_of_five_cases() {
        let (deviation, effect) = (3.0, 1.0);
        let pairs = pairs_needed(deviation, effect, 0.05).ceil() as u64;
        let z = normal_quantile(0.975);
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut finds = || {
            let values = (0..pairs).map(|_| effect + deviation * normal(&mut stream));
            let mean = values.sum::<f64>() / pairs as f64;
            mean / (deviation / (pairs as f64).sqrt()) > z
        };
        let found = (0..4000).filter(|_| finds()).count() as f64 / 4000.0;
        // The tolerance is four standard errors.
        assert!((found - 0.8).abs() < 0.026, "{found}");
    }

    #[test]
    fn the_sequential_test_needs_fewer_pairs_on_average() {
        let (deviation, effect) = (0.588, 0.02);
        let fixed = pairs_needed(deviation, effect, 0.05);
        let share = |truth: f64| sequential_pairs(deviation, effect, truth, 0.05) / fixed;
        let (equal, planned, large) = (share(0.0), share(effect), share(5.0 * effect));
        assert!(equal > 0.5 && equal < 0.8, "{equal}");
        assert!(planned > 0.5 && planned < 0.85, "{planned}");
        assert!(large < 0.15, "{large}");
        assert_eq!(planned, share(effect));
    }
}
