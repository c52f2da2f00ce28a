//! Coordinate transformation of an instance of the `cmaes` crate. The crate always starts with the covariance
//! matrix sigma^2 I in its own coordinates. With this transformation the first candidates have another
//! covariance matrix in search coordinates. CMA-ES is invariant under such a transformation (Hansen,
//! arXiv:1604.00772, section 5.2), so it continues as if it had started with that matrix.

use std::borrow::Cow;

use nalgebra::{DMatrix, DVector};

use crate::optimizer::Learned;

/// The map from scaled coordinates, which the instance uses, to search coordinates.
#[derive(Clone)]
pub(super) enum Basis {
    /// Each search coordinate is the scaled coordinate multiplied by a factor.
    Steps(Vec<f64>),
    /// Search coordinates are `center + factor * scaled`.
    Affine {
        center: DVector<f64>,
        factor: DMatrix<f64>,
    },
}

/// Smallest allowed ratio of the smallest to the largest eigenvalue of a correlation matrix. Rounding errors,
/// or correlations from two searches, can make a matrix that is not positive definite. The crate stops at a
/// condition number of 1e14.
const LEAST: f64 = 1e-12;

/// The correlations C_ij / sqrt(C_ii C_jj) of a covariance matrix.
pub(super) fn correlations(covariance: &DMatrix<f64>) -> Vec<Vec<f64>> {
    let n = covariance.nrows();
    let correlation = |i: usize, j: usize| {
        let scale = (covariance[(i, i)] * covariance[(j, j)]).sqrt();
        if i == j {
            1.0
        } else if scale > 0.0 {
            (covariance[(i, j)] / scale).clamp(-1.0, 1.0)
        } else {
            0.0 // C is no longer positive definite.
        }
    };
    let row = |i| (0..n).map(|j| correlation(i, j)).collect();
    (0..n).map(row).collect()
}

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

    /// The same for another start.
    pub(super) fn at(&self, start: &[f64]) -> Self {
        match self {
            Basis::Steps(steps) => Basis::Steps(steps.clone()),
            Basis::Affine { factor, .. } => Basis::Affine {
                center: DVector::from_column_slice(start),
                factor: factor.clone(),
            },
        }
    }

    /// Scaled coordinates of the start.
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

    /// The standard deviations of the first candidates in search coordinates divided by the step size: a factor
    /// for each coordinate, and the correlations. A covariance matrix with factors of very different size would be
    /// ill-conditioned.
    pub(super) fn first(&self) -> (Vec<f64>, DMatrix<f64>) {
        match self {
            Basis::Steps(steps) => (steps.clone(), DMatrix::identity(steps.len(), steps.len())),
            Basis::Affine { factor, .. } => {
                let mut rows = factor.clone();
                let lengths = rows.row_iter_mut().map(|mut row| row.normalize_mut());
                let lengths = lengths.collect();
                (lengths, &rows * rows.transpose())
            }
        }
    }

    /// Search coordinates of a point in scaled coordinates.
    pub(super) fn point(&self, scaled: &DVector<f64>) -> Vec<f64> {
        match self {
            Basis::Steps(_) => self.lengths(scaled.iter().copied()),
            Basis::Affine { center, factor } => (center + factor * scaled).as_slice().to_vec(),
        }
    }

    /// The covariance matrix in search coordinates, without the factors that [`Basis::lengths`] applies.
    pub(super) fn covariance<'a>(&self, scaled: &'a DMatrix<f64>) -> Cow<'a, DMatrix<f64>> {
        match self {
            Basis::Steps(_) => Cow::Borrowed(scaled),
            Basis::Affine { factor, .. } => Cow::Owned(factor * scaled * factor.transpose()),
        }
    }

    /// Standard deviations in search coordinates, from those of the matrix of [`Basis::covariance`].
    pub(super) fn lengths(&self, lengths: impl Iterator<Item = f64>) -> Vec<f64> {
        match self {
            Basis::Steps(steps) => lengths.zip(steps).map(|(at, step)| at * step).collect(),
            Basis::Affine { .. } => lengths.collect(),
        }
    }
}
