//! The conclusion from a paired difference.

use crate::record::PairedDifference;

/// The conclusion from a paired difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The whole interval is above 0.
    Better,
    /// The whole interval is below 0.
    Worse,
    /// The interval contains 0.
    Undecided,
    /// Too few games for a reliable interval.
    TooFewGames,
}

/// A bootstrap interval of fewer games is too narrow.
const FEWEST_GAMES: u32 = 10;

impl Verdict {
    /// The conclusion from a difference over this number of games.
    pub fn of(difference: &PairedDifference, games: u32) -> Self {
        let PairedDifference { low, high, .. } = *difference;
        let is_known = low.is_finite() && high.is_finite();
        match () {
            () if games < FEWEST_GAMES || !is_known => Verdict::TooFewGames,
            () if low > 0.0 => Verdict::Better,
            () if high < 0.0 => Verdict::Worse,
            () => Verdict::Undecided,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_interval_without_zero_decides() {
        let verdict = |low, high, games| {
            let difference = PairedDifference {
                mean: 1.0,
                standard_error: 1.0,
                low,
                high,
                resamples: 100,
            };
            Verdict::of(&difference, games)
        };
        assert_eq!(verdict(0.5, 2.0, 10), Verdict::Better);
        assert_eq!(verdict(-2.0, -0.5, 10), Verdict::Worse);
        assert_eq!(verdict(-0.5, 2.0, 10), Verdict::Undecided);
        assert_eq!(verdict(0.0, 0.0, 10), Verdict::Undecided);
        assert_eq!(verdict(0.5, 2.0, 9), Verdict::TooFewGames);
        assert_eq!(verdict(f64::NAN, 2.0, 10), Verdict::TooFewGames);
    }
}
