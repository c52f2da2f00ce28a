//! A lower limit of the spread of whole-number parameters, so that they do not freeze.
//!
//! If the other parameters matter much more, the step size falls quickly. Once the spread of a whole-number
//! parameter is far below 1, all candidates have the same value, and no later generation can correct it. CMA-ES
//! with margin (Hamano et al. 2022, arXiv:2205.13482) keeps the probability of each neighbouring value at
//! 1 / (n lambda) or more: candidates are stretched along the coordinate, and the covariance matrix is left
//! alone. The mean is moved by the stretched candidates. It is not moved otherwise, as it is there.

use nalgebra::DVector;

use crate::stats::distributions::normal_upper_quantile;

/// The places in the search coordinates where the values of whole-number parameters change.
#[derive(Clone, Debug, Default)]
pub(super) struct Integers {
    /// For each coordinate its places, ascending; none for other parameters.
    pub boundaries: Vec<Vec<f64>>,
}

impl Integers {
    /// Those of some coordinates only; if there is none, of one without a whole number.
    pub fn of(&self, coordinates: &[usize]) -> Self {
        let boundaries = coordinates.iter();
        let boundaries = boundaries.map(|&index| self.boundaries[index].clone());
        let mut boundaries: Vec<Vec<f64>> = boundaries.collect();
        boundaries.resize(boundaries.len().max(1), Vec::new());
        Integers { boundaries }
    }

    /// True if there is a whole-number parameter.
    pub fn are_any(&self) -> bool {
        self.boundaries.iter().any(|places| !places.is_empty())
    }

    /// True if the parameter of this coordinate is a whole number.
    pub fn is_one(&self, coordinate: usize) -> bool {
        !self.boundaries[coordinate].is_empty()
    }

    /// The smallest factor for each coordinate, at least 1, with which candidates around `mean` with these
    /// standard deviations have each neighbouring value with a probability of 1 / (n lambda) or more.
    pub fn stretch(&self, mean: &[f64], deviations: &[f64], population: usize) -> DVector<f64> {
        let quantile = quantile(mean.len(), population);
        let factor = |(coordinate, boundaries): (usize, &Vec<f64>)| {
            let least = farthest(boundaries, mean[coordinate]) / quantile;
            (least / deviations[coordinate]).max(1.0)
        };
        let mut stretch = DVector::repeat(mean.len(), 1.0);
        for (one, factor) in stretch
            .iter_mut()
            .zip(self.boundaries.iter().enumerate().map(factor))
        {
            // A deviation of 0 ends the restart anyway.
            if factor.is_finite() {
                *one = factor;
            }
        }
        stretch
    }
}

/// The quantile of the normal distribution that is exceeded with the probability 1 / (n lambda), at most 1/10.
fn quantile(dimension: usize, population: usize) -> f64 {
    let probability = 1.0 / (dimension as f64 * population as f64);
    normal_upper_quantile(probability.min(0.1))
}

/// Distance of the farther one of the two boundaries around a point; 0 without any.
fn farthest(boundaries: &[f64], at: f64) -> f64 {
    let above = boundaries.partition_point(|boundary| *boundary <= at);
    let below = above.checked_sub(1).map(|index| at - boundaries[index]);
    let above = boundaries.get(above).map(|boundary| boundary - at);
    below.into_iter().chain(above).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_neighbouring_value_keeps_its_probability() {
        // The values 0 to 3 between 0 and 1 change at 1/6, 3/6 and 5/6.
        let boundaries = vec![1.0 / 6.0, 0.5, 5.0 / 6.0];
        let integers = Integers {
            boundaries: vec![boundaries, vec![]],
        };
        let least = quantile(2, 20);
        assert!((least - 1.959_964).abs() < 1e-6);
        for (mean, distance) in [
            (0.0, 1.0 / 6.0),
            (0.4, 0.4 - 1.0 / 6.0),
            (0.55, 5.0 / 6.0 - 0.55),
            (1.0, 1.0 / 6.0),
        ] {
            let stretch = integers.stretch(&[mean, 0.3], &[1e-3, 1e-3], 20);
            assert!(
                (1e-3 * stretch[0] * least - distance).abs() < 1e-12,
                "{mean}"
            );
            assert_eq!(stretch[1], 1.0);
        }
        // A wide distribution is left alone.
        assert_eq!(integers.stretch(&[0.4, 0.3], &[0.2, 1e-9], 20)[0], 1.0);
        assert_eq!(Integers::default().stretch(&[0.4], &[0.0], 20)[0], 1.0);
    }
}
