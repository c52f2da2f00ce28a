//! Mean, standard error, median and quantiles.
//!
//! If a number cannot be estimated (no values, or one value for a standard error), the result is 0 and not NaN,
//! because tables and JSON contain only finite numbers. The number of values distinguishes "zero" from
//! "unknown".

/// Arithmetic mean; 0 for no values.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.iter().sum::<f64>() / values.len() as f64
}

/// Largest rounding error of the difference of two results, relative to the larger one.
const ROUNDING: f64 = 1e-13;

/// The largest part of `other - first` that can be a rounding error.
pub(super) fn rounding(first: f64, other: f64) -> f64 {
    ROUNDING * first.abs().max(other.abs())
}

/// `other - first`; 0 if the difference can be a rounding error.
pub(super) fn difference(first: f64, other: f64) -> f64 {
    let difference = other - first;
    if difference.abs() <= rounding(first, other) {
        0.0
    } else {
        difference
    }
}

/// Standard error of the mean: sample standard deviation (divisor n - 1) divided by sqrt(n); 0 for fewer than
/// two values.
pub fn standard_error(values: &[f64]) -> f64 {
    (sample_variance(values) / values.len().max(1) as f64).sqrt()
}

/// Sample standard deviation (divisor n - 1); 0 for fewer than two values.
pub fn standard_deviation(values: &[f64]) -> f64 {
    sample_variance(values).sqrt()
}

/// Sample variance (divisor n - 1); 0 for fewer than two values.
pub(super) fn sample_variance(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    squares(values) / (values.len() as f64 - 1.0)
}

/// Sum of the squared deviations from the mean.
pub(super) fn squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|x| (x - mean) * (x - mean)).sum()
}

/// Median: the middle value, or the mean of the two middle values; 0 for no values.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// Quantile of type 7 (Hyndman and Fan 1996; the default of R and NumPy). It is linear between the order
/// statistics: `probability` 0 is the smallest value, 1 the largest. 0 for no values.
///
/// # Panics
/// If `probability` is not between 0 and 1.
pub fn quantile(values: &[f64], probability: f64) -> f64 {
    quantile_of_sorted(&sorted(values), probability)
}

/// A copy in ascending order, with NaN last.
pub(super) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The same as [`quantile`] for sorted values.
pub(super) fn quantile_of_sorted(sorted: &[f64], probability: f64) -> f64 {
    assert!((0.0..=1.0).contains(&probability), "a probability");
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let rank = probability * last as f64;
    let below = rank as usize;
    let above = (below + 1).min(last);
    sorted[below] + (rank - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_and_one_value_are_defined() {
        assert_eq!(
            (mean(&[]), standard_error(&[]), median(&[])),
            (0.0, 0.0, 0.0)
        );
        assert_eq!(
            (mean(&[4.0]), standard_error(&[4.0]), median(&[4.0])),
            (4.0, 0.0, 4.0)
        );
    }

    #[test]
    fn worked_example() {
        let values = [5.0, 1.0, 2.0, 4.0];
        assert_eq!(mean(&values), 3.0);
        assert!((standard_error(&values) - (10.0f64 / 3.0 / 4.0).sqrt()).abs() < 1e-15);
        assert!((standard_deviation(&values) - (10.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(median(&values), 3.0);
        assert_eq!(median(&[9.0, 1.0, 2.0]), 2.0);
        // R: quantile(c(5, 1, 2, 4), c(0.1, 0.25, 0.9), type = 7)
        assert!((quantile(&values, 0.1) - 1.3).abs() < 1e-15);
        assert!((quantile(&values, 0.25) - 1.75).abs() < 1e-15);
        assert!((quantile(&values, 0.9) - 4.7).abs() < 1e-15);
        assert_eq!((quantile(&values, 0.0), quantile(&values, 1.0)), (1.0, 5.0));
    }
}
