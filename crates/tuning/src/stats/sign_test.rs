//! The exact sign test of paired differences, and McNemar's test, which is the sign test of successes.

use super::distributions::fair_coin_tail;

/// How many paired differences are above and below 0. Differences of 0 say nothing and are not counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignTest {
    /// Number of differences above 0.
    pub above: u64,
    /// Number of differences below 0.
    pub below: u64,
    /// Two-sided probability of a split at least as uneven if differences above and below 0 are equally
    /// probable.
    pub p: f64,
}

impl SignTest {
    /// Number of differences other than 0.
    pub fn different(&self) -> u64 {
        self.above + self.below
    }

    fn of(above: u64, below: u64) -> Self {
        let p = match above + below {
            0 => 1.0,
            // At most the fewer ones: strictly less than one more.
            all => (2.0 * fair_coin_tail(all, above.min(below) + 1)).min(1.0),
        };
        SignTest { above, below, p }
    }
}

/// The exact sign test (Arbuthnot 1710). It is about signs alone: it compares how often, not by how much,
/// one of a pair exceeds the other.
pub fn sign_test(differences: &[f64]) -> SignTest {
    let count = |is: fn(&f64) -> bool| differences.iter().filter(|value| is(value)).count() as u64;
    SignTest::of(count(|value| *value > 0.0), count(|value| *value < 0.0))
}

/// McNemar's exact test of whether one of two treatments of the same cases succeeds more often (McNemar
/// 1947, with the binomial distribution instead of its approximation): cases in which only the first
/// succeeded count as above 0, those in which only the second did as below 0.
///
/// # Panics
/// If the slices differ in length.
pub fn mcnemar(first: &[bool], second: &[bool]) -> SignTest {
    assert_eq!(first.len(), second.len(), "the same cases");
    let only = |one: &[bool], other: &[bool]| {
        let pairs = one.iter().zip(other);
        pairs.filter(|(one, other)| **one && !**other).count() as u64
    };
    SignTest::of(only(first, second), only(second, first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_split_decides() {
        let cases = |both: usize, first: usize, second: usize| {
            let one = [vec![true; both + first], vec![false; second]].concat();
            let other = [vec![true; both], vec![false; first], vec![true; second]].concat();
            mcnemar(&one, &other)
        };
        let found = cases(50, 9, 1);
        assert_eq!((found.above, found.below), (9, 1));
        // 2 (1 + 10) / 2^10.
        assert!((found.p - 22.0 / 1024.0).abs() < 1e-12, "{}", found.p);
        assert_eq!(cases(3, 4, 4).p, 1.0);
        assert_eq!(cases(3, 0, 0).p, 1.0);
        assert!((cases(0, 0, 6).p - 2.0 / 64.0).abs() < 1e-12);
    }

    #[test]
    fn differences_count_by_their_signs() {
        let test = sign_test(&[5.0, 0.0, -0.5, 2.0, 0.0, 1.0]);
        assert_eq!((test.above, test.below, test.different()), (3, 1, 4));
        assert!((test.p - 10.0 / 16.0).abs() < 1e-12);
        assert_eq!(sign_test(&[]).p, 1.0);
    }
}
