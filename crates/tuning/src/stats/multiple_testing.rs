//! Correction of p values for several simultaneous tests.

/// Holm's step-down correction (Holm 1979). Returns the corrected p values, in the order of `p`. If every
/// hypothesis with a corrected value of at most alpha is rejected, the probability of any false rejection is at
/// most alpha. This is true for independent and for dependent tests.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut corrected = vec![1.0; p.len()];
    let mut largest: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        largest = largest.max(p[index] * (p.len() - rank) as f64).min(1.0);
        corrected[index] = largest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holm_corrects_from_the_smallest_up() {
        let corrected = holm(&[0.04, 0.01, 0.03]);
        let expected = [0.06, 0.03, 0.06];
        for (corrected, expected) in corrected.iter().zip(expected) {
            assert!((corrected - expected).abs() < 1e-12, "{corrected}");
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
