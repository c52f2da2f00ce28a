//! An upper limit for the difference of two distributions, from samples of counts. A test of equality cannot
//! show that two distributions agree.

use std::collections::BTreeSet;

use super::chi_square::Counts;
use super::distributions::normal_quantile;

/// The largest difference of the share of any category that the samples do not exclude, with 95 % confidence
/// for all categories together, for one of `comparisons` (Bonferroni). In terms of equivalence testing, it is
/// the smallest margin within which the distributions are equivalent.
///
/// The interval of each difference is that of Agresti and Caffo ("Simple and effective confidence intervals for
/// proportions", 2000): one success and one failure are added to each sample.
///
/// # Panics
/// If `comparisons` is 0.
pub fn largest_difference(one: &Counts, other: &Counts, comparisons: u32) -> f64 {
    assert!(comparisons > 0);
    let categories: BTreeSet<&u32> = one.keys().chain(other.keys()).collect();
    let intervals = f64::from(comparisons) * categories.len() as f64;
    let z = normal_quantile(1.0 - 0.025 / intervals.max(1.0));
    let [n, m] = [one, other].map(|counts| counts.values().sum::<u64>() as f64 + 2.0);
    let share = |counts: &Counts, category: &u32, n: f64| {
        (counts.get(category).copied().unwrap_or(0) as f64 + 1.0) / n
    };
    let ends = categories.into_iter().map(|category| {
        let (p, q) = (share(one, category, n), share(other, category, m));
        (p - q).abs() + z * (p * (1.0 - p) / n + q * (1.0 - q) / m).sqrt()
    });
    ends.fold(0.0, f64::max).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    #[test]
    fn a_worked_example() {
        // The shares are 31/62 and 11/52 after the addition. There are two categories, so z = 2.2414.
        let one = Counts::from([(1, 30), (2, 30)]);
        let other = Counts::from([(1, 10), (2, 40)]);
        let difference: f64 = 31.0 / 62.0 - 11.0 / 52.0;
        let error = (0.25f64 / 62.0 + 11.0 / 52.0 * 41.0 / 52.0 / 52.0).sqrt();
        let found = largest_difference(&one, &other, 1);
        assert!(
            (found - (difference + 2.241_402_7 * error)).abs() < 1e-6,
            "{found}"
        );
        assert!(largest_difference(&one, &other, 14) > found);
    }

    #[test]
    fn more_games_exclude_more() {
        let of = |games: u64| {
            let counts = Counts::from([(1, games / 2), (2, games / 2)]);
            largest_difference(&counts, &counts, 1)
        };
        assert!(of(100) > 2.9 * of(1000) && of(1000) < 0.06);
    }

    #[test]
    fn the_true_difference_is_seldom_excluded() {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(9);
        let mut sample = |shares: [f64; 4]| {
            let mut counts = Counts::new();
            for _ in 0..300 {
                let mut at = (stream.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
                let mut category = 0;
                while category < 3 && at >= shares[category] {
                    at -= shares[category];
                    category += 1;
                }
                *counts.entry(category as u32).or_default() += 1;
            }
            counts
        };
        let excluded = (0..400).filter(|_| {
            let one = sample([0.02, 0.28, 0.5, 0.2]);
            let other = sample([0.02, 0.38, 0.4, 0.2]);
            largest_difference(&one, &other, 1) < 0.1
        });
        assert!(excluded.count() <= 20);
    }
}
