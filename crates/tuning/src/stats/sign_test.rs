//! The exact sign test of paired differences, and McNemar's test, which is the same test for successes.

use super::distributions::fair_coin_tail;

/// Number of paired differences above and below 0. Differences of 0 contain no information and are not counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignTest {
    /// Number of differences above 0.
    pub above: u64,
    /// Number of differences below 0.
    pub below: u64,
    /// Two-sided p value: the probability of a split at least as uneven, if differences above and below 0 are
    /// equally probable.
    pub p: f64,
}

impl SignTest {
    /// Number of differences that are not 0.
    pub fn different(&self) -> u64 {
        self.above + self.below
    }

    fn of(above: u64, below: u64) -> Self {
        let p = match above + below {
            0 => 1.0,
            // "At most k" is "fewer than k + 1".
            all => (2.0 * fair_coin_tail(all, above.min(below) + 1)).min(1.0),
        };
        SignTest { above, below, p }
    }
}

/// The exact sign test (Arbuthnot 1710). It uses only the signs: how often one of a pair exceeds the other, not
/// by how much.
pub fn sign_test(differences: &[f64]) -> SignTest {
    let count = |is: fn(&f64) -> bool| differences.iter().filter(|value| is(value)).count() as u64;
    SignTest::of(count(|value| *value > 0.0), count(|value| *value < 0.0))
}

/// McNemar's exact test (McNemar 1947, with the binomial distribution instead of its approximation): does one
/// of two treatments of the same cases succeed more often? Cases in which only the first one succeeds count as
/// above 0, cases in which only the second one succeeds as below 0.
///
/// # Panics
/// If the slices have different lengths.
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
