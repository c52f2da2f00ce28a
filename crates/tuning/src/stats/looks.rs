//! The correction for several looks at one search: a search that goes on with a larger budget after its hold-out games
//! is compared again on fresh games.
//!
//! Look k has the error probability 5 % / 2^k for k > 1, so all looks after the first one are wrong in at most
//! 2.5 % of searches together, for any number of looks and any rule by which they follow. The first look has 5 %,
//! because most searches have no other.

/// Largest number of looks at a search. The ends of later intervals would be quantiles that need too many resamples.
pub const MOST_LOOKS: u32 = 8;

/// The number by which the error probability of a single look is divided at this look, counted from 1.
///
/// ```
/// use tiletune_tuning::stats::looks::divisor;
///
/// assert_eq!([1, 2, 3, 4].map(divisor), [1, 4, 8, 16]);
/// ```
pub fn divisor(look: u32) -> u32 {
    match look {
        0 | 1 => 1,
        look => 1 << look.min(MOST_LOOKS),
    }
}

/// The confidence of the interval of this look, as a share: 0.95 for the first one.
pub fn confidence(look: u32) -> f64 {
    1.0 - 0.05 / f64::from(divisor(look))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_later_looks_together_share_half_of_the_error_of_the_first() {
        let errors = (2..=MOST_LOOKS).map(|look| 1.0 - confidence(look));
        let all: f64 = errors.sum();
        assert!(all < 0.025, "{all}");
        assert!((confidence(1) - 0.95).abs() < 1e-12 && (confidence(2) - 0.9875).abs() < 1e-12);
    }
}
