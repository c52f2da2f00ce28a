//! McNemar's test: whether one of two treatments of the same cases succeeds more often.

use super::intervals::fair_coin_tail;

/// The numbers of cases in which only one of two treatments succeeded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct McNemar {
    /// Cases in which only the first succeeded.
    pub only_first: u64,
    /// Cases in which only the second did.
    pub only_second: u64,
    /// Two-sided probability of a split at least as uneven if both succeed equally often.
    pub p: f64,
}

/// The exact test (McNemar 1947, with the binomial distribution instead of its approximation). Cases in
/// which both or neither succeeded are ignored.
///
/// # Panics
/// If the slices differ in length.
pub fn mcnemar(first: &[bool], second: &[bool]) -> McNemar {
    assert_eq!(first.len(), second.len(), "the same cases");
    let only = |one: &[bool], other: &[bool]| {
        let pairs = one.iter().zip(other);
        pairs.filter(|(one, other)| **one && !**other).count() as u64
    };
    let (only_first, only_second) = (only(first, second), only(second, first));
    let (split, fewer) = (only_first + only_second, only_first.min(only_second));
    let p = if split == 0 {
        1.0
    } else {
        // At most `fewer`: strictly less than `fewer + 1`.
        (2.0 * fair_coin_tail(split as usize, fewer as usize + 1)).min(1.0)
    };
    McNemar {
        only_first,
        only_second,
        p,
    }
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
        assert_eq!((found.only_first, found.only_second), (9, 1));
        // 2 (1 + 10) / 2^10.
        assert!((found.p - 22.0 / 1024.0).abs() < 1e-12, "{}", found.p);
        assert_eq!(cases(3, 4, 4).p, 1.0);
        assert_eq!(cases(3, 0, 0).p, 1.0);
        assert!((cases(0, 0, 6).p - 2.0 / 64.0).abs() < 1e-12);
    }
}
