//! Pearson's chi-square test for two samples of counts: do they have the same distribution?

use std::collections::{BTreeMap, BTreeSet};

use statrs::distribution::{ChiSquared, ContinuousCDF};

/// Number of observations for each category. Neighbouring categories are similar and may be pooled.
pub type Counts = BTreeMap<u32, u64>;

/// Smallest expected number of observations of either sample in a cell of the test.
const FEWEST_EXPECTED: f64 = 5.0;

/// The result of a chi-square test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChiSquare {
    /// The chi-square statistic.
    pub statistic: f64,
    /// Degrees of freedom: number of cells after pooling minus one.
    pub degrees: u32,
    /// Probability of a statistic at least as large if both samples have the same distribution.
    pub p: f64,
}

/// Two-sample chi-square test. Neighbouring categories are pooled in ascending order until at least 5
/// observations of each sample are expected in every cell. The remaining categories are added to the last cell.
/// `None` if only one cell is left, because then there is nothing to test.
pub fn chi_square(one: &Counts, other: &Counts) -> Option<ChiSquare> {
    let totals = [one, other].map(|counts| counts.values().sum::<u64>() as f64);
    let all = totals[0] + totals[1];
    let cells = pooled(one, other, totals[0].min(totals[1]) / all);
    let mut statistic = 0.0;
    for cell in &cells {
        for (observed, total) in cell.iter().zip(totals) {
            let expected = (cell[0] + cell[1]) * total / all;
            if expected > 0.0 {
                statistic += (observed - expected).powi(2) / expected;
            }
        }
    }
    let degrees = cells.len().saturating_sub(1) as u32;
    // Without a degree of freedom, the constructor returns an error.
    let distribution = ChiSquared::new(f64::from(degrees)).ok()?;
    Some(ChiSquare {
        statistic,
        degrees,
        p: distribution.sf(statistic),
    })
}

/// Pools categories into cells with enough observations. `smaller` is the share of the smaller sample in all
/// observations.
fn pooled(one: &Counts, other: &Counts, smaller: f64) -> Vec<[f64; 2]> {
    let is_enough = |cell: &[f64; 2]| (cell[0] + cell[1]) * smaller >= FEWEST_EXPECTED;
    let of = |counts: &Counts, category| counts.get(category).copied().unwrap_or(0) as f64;
    let categories: BTreeSet<&u32> = one.keys().chain(other.keys()).collect();
    let mut cells: Vec<[f64; 2]> = Vec::new();
    let mut cell = [0.0; 2];
    for category in categories {
        cell = [cell[0] + of(one, category), cell[1] + of(other, category)];
        if is_enough(&cell) {
            cells.push(std::mem::take(&mut cell));
        }
    }
    match cells.last_mut() {
        Some(last) => *last = [last[0] + cell[0], last[1] + cell[1]],
        None => cells.push(cell),
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(values: &[(u32, u64)]) -> Counts {
        values.iter().copied().collect()
    }

    #[test]
    fn different_distributions_have_a_small_p_value() {
        let one = counts(&[(6, 2), (7, 300), (8, 500), (9, 195), (10, 3)]);
        assert!((chi_square(&one, &one).unwrap().p - 1.0).abs() < 1e-9);
        let other = counts(&[(7, 360), (8, 500), (9, 140)]);
        assert!(chi_square(&one, &other).unwrap().p < 1e-3);
        // Four times (60 - 50)^2 / 50 is 8, with one degree of freedom.
        let test = chi_square(&counts(&[(1, 60), (2, 40)]), &counts(&[(1, 40), (2, 60)])).unwrap();
        assert!((test.p - 0.004678).abs() < 1e-5, "{test:?}");
        assert_eq!((test.statistic, test.degrees), (8.0, 1));
    }

    #[test]
    fn small_cells_are_pooled_by_what_the_smaller_sample_expects() {
        // The first sample has 10 of 110 observations, so 1.1 of the 12 in category 1 are expected in it.
        let small = counts(&[(1, 2), (2, 8)]);
        let large = counts(&[(1, 10), (2, 90)]);
        assert_eq!(chi_square(&small, &large), None);
        let cells = pooled(
            &counts(&[(1, 3), (2, 20), (3, 2)]),
            &counts(&[(1, 3), (2, 20), (3, 2)]),
            0.5,
        );
        assert_eq!(cells, [[25.0, 25.0]]);
        assert_eq!(chi_square(&Counts::new(), &Counts::new()), None);
    }
}
