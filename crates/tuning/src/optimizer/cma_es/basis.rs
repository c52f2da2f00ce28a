//! The coordinates in which an instance of the `cmaes` crate searches, so that its first candidates, which have
//! the covariance matrix sigma^2 I there, have another one in search coordinates. CMA-ES is invariant under such a
//! change of coordinates (Hansen, arXiv:1604.00772, section 5.2), so it continues as if it had begun with that matrix.

use std::borrow::Cow;

use nalgebra::{DMatrix, DVector};

use crate::optimizer::Learned;

/// The map from scaled coordinates, those of an instance, to search coordinates.
pub(super) enum Basis {
    /// Each search coordinate is the scaled one times a factor.
    Steps(Vec<f64>),
    /// Search coordinates are `center` + `factor` times the scaled ones.
    Affine {
        center: DVector<f64>,
        factor: DMatrix<f64>,
    },
}

/// Smallest eigenvalue of a correlation matrix over its largest: rounding, or correlations of two searches, can make
/// one that is not positive definite. The crate stops at a condition number of 1e14.
const LEAST: f64 = 1e-12;

impl Basis {
    /// The basis in which the step size `sigma` gives the covariance matrix of an earlier search.
    pub(super) fn learned(start: &[f64], steps: &[f64], learned: &Learned, sigma: f64) -> Self {
        let n = start.len();
        let correlation = DMatrix::from_fn(n, n, |i, j| learned.correlation[i][j]);
        let eigen = correlation.symmetric_eigen();
        let least = LEAST * eigen.eigenvalues.max();
        let lengths = eigen.eigenvalues.map(|value| value.max(least).sqrt());
        let deviations = learned.deviations(steps, sigma);
        let deviations = DVector::from_vec(deviations) / sigma;
        let factor = eigen.eigenvectors * DMatrix::from_diagonal(&lengths);
        Basis::Affine {
            center: DVector::from_column_slice(start),
            factor: DMatrix::from_diagonal(&deviations) * factor,
        }
    }

    /// Scaled coordinates of the start of the search.
    pub(super) fn scaled(&self, start: &[f64]) -> Vec<f64> {
        match self {
            Basis::Steps(steps) => start
                .iter()
                .zip(steps)
                .map(|(at, step)| at / step)
                .collect(),
            Basis::Affine { center, .. } => vec![0.0; center.len()],
        }
    }

    /// Search coordinates of a point.
    pub(super) fn point(&self, scaled: &DVector<f64>) -> Vec<f64> {
        match self {
            Basis::Steps(_) => self.lengths(scaled.iter().copied()),
            Basis::Affine { center, factor } => (center + factor * scaled).as_slice().to_vec(),
        }
    }

    /// A covariance matrix in search coordinates, but for the factors of [`Basis::lengths`].
    pub(super) fn covariance<'a>(&self, scaled: &'a DMatrix<f64>) -> Cow<'a, DMatrix<f64>> {
        match self {
            Basis::Steps(_) => Cow::Borrowed(scaled),
            Basis::Affine { factor, .. } => Cow::Owned(factor * scaled * factor.transpose()),
        }
    }

    /// Lengths along the coordinates, from those of [`Basis::covariance`].
    pub(super) fn lengths(&self, lengths: impl Iterator<Item = f64>) -> Vec<f64> {
        match self {
            Basis::Steps(steps) => lengths.zip(steps).map(|(at, step)| at * step).collect(),
            Basis::Affine { .. } => lengths.collect(),
        }
    }
}
