//! A quadratic function of several variables, fitted by weighted least squares with a penalty (ridge regression) from
//! moments, so that a fit of a resample costs no pass over the data. This module must not know what the variables are.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// Penalties that are tried, in units of the number of observations: the variables have variance 1.
const PENALTIES: [f64; 7] = [1e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0];

/// The terms of the function: each variable, its square and, if there are enough data, the product of each pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) variables: usize,
    pub(super) has_pairs: bool,
}

impl Terms {
    pub(super) fn count(self) -> usize {
        let pairs = self.variables * self.variables.saturating_sub(1) / 2;
        2 * self.variables + if self.has_pairs { pairs } else { 0 }
    }

    /// The values of the terms: first those of all variables, then their squares, then the products.
    pub(super) fn of(self, variables: &[f64]) -> Vec<f64> {
        let mut terms = variables.to_vec();
        terms.extend(variables.iter().map(|value| value * value));
        if self.has_pairs {
            for (index, one) in variables.iter().enumerate() {
                terms.extend(variables[index + 1..].iter().map(|other| one * other));
            }
        }
        terms
    }
}

/// An observation: the values of the terms, the fitness, and its weight. Means are already subtracted.
pub(super) struct Observation {
    pub(super) terms: Vec<f64>,
    pub(super) value: f64,
    pub(super) weight: f64,
}

/// Weighted sums of products of observations.
#[derive(Clone)]
pub(super) struct Moments {
    /// Of two terms: the lower triangle, row by row.
    terms: Vec<f64>,
    /// Of a term and the value.
    values: Vec<f64>,
    /// Of the value with itself.
    square: f64,
    weight: f64,
}

impl Moments {
    pub(super) fn none(count: usize) -> Self {
        Moments {
            terms: vec![0.0; count * (count + 1) / 2],
            values: vec![0.0; count],
            square: 0.0,
            weight: 0.0,
        }
    }

    pub(super) fn of(count: usize, observations: &[Observation]) -> Self {
        let mut moments = Moments::none(count);
        for one in observations {
            let mut row = moments.terms.as_mut_slice();
            for (index, term) in one.terms.iter().enumerate() {
                let (head, rest) = row.split_at_mut(index + 1);
                let weighted = one.weight * term;
                for (sum, other) in head.iter_mut().zip(&one.terms) {
                    *sum += weighted * other;
                }
                row = rest;
            }
            moments.square += one.weight * one.value * one.value;
            moments.weight += one.weight;
        }
        moments.values = cross(count, observations, |index| observations[index].value);
        moments
    }

    /// Adds other moments `times` times; a negative number takes them away.
    pub(super) fn add(&mut self, other: &Moments, times: f64) {
        let add = |to: &mut [f64], from: &[f64]| {
            for (sum, value) in to.iter_mut().zip(from) {
                *sum += times * value;
            }
        };
        add(&mut self.terms, &other.terms);
        add(&mut self.values, &other.values);
        self.square += times * other.square;
        self.weight += times * other.weight;
    }

    /// The coefficients with this penalty; `None` if there is no weight.
    pub(super) fn fit(&self, penalty: f64) -> Option<Vec<f64>> {
        self.factor(penalty)?.solve(&self.values)
    }

    /// The factored left side of the normal equations.
    pub(super) fn factor(&self, penalty: f64) -> Option<Factored> {
        let count = self.values.len();
        let mut matrix = DMatrix::zeros(count, count);
        let mut rest = self.terms.as_slice();
        for row in 0..count {
            let (head, after) = rest.split_at(row + 1);
            for (column, value) in head.iter().enumerate() {
                matrix[(row, column)] = *value;
                matrix[(column, row)] = *value;
            }
            matrix[(row, row)] += penalty * self.weight;
            rest = after;
        }
        (self.weight > 0.0)
            .then(|| matrix.cholesky())?
            .map(Factored)
    }

    /// Weighted sum of the squared errors of these coefficients.
    fn error(&self, coefficients: &[f64]) -> f64 {
        let mut sum = self.square;
        let mut rest = self.terms.as_slice();
        for (row, one) in coefficients.iter().enumerate() {
            let (head, after) = rest.split_at(row + 1);
            let products = head.iter().zip(coefficients);
            let products: f64 = products.map(|(moment, other)| moment * other).sum();
            // The triangle has each pair once.
            sum += one * (2.0 * products - head[row] * one - 2.0 * self.values[row]);
            rest = after;
        }
        sum
    }
}

/// Weighted sums of the products of each term with other values of the observations.
pub(super) fn cross(
    count: usize,
    observations: &[Observation],
    value: impl Fn(usize) -> f64,
) -> Vec<f64> {
    let mut sums = vec![0.0; count];
    for (index, one) in observations.iter().enumerate() {
        let weighted = one.weight * value(index);
        for (sum, term) in sums.iter_mut().zip(&one.terms) {
            *sum += weighted * term;
        }
    }
    sums
}

/// A factored matrix of moments, for several right sides.
pub(super) struct Factored(Cholesky<f64, Dyn>);

impl Factored {
    /// The coefficients for this right side; `None` if they are no numbers.
    pub(super) fn solve(&self, values: &[f64]) -> Option<Vec<f64>> {
        let solved = self.0.solve(&DVector::from_column_slice(values));
        let solved = solved.as_slice().to_vec();
        solved
            .iter()
            .all(|value| value.is_finite())
            .then_some(solved)
    }
}

/// The penalty that predicts left-out groups of blocks best, and the share of the variance that it predicts of them.
pub(super) fn best_penalty(blocks: &[Moments]) -> Option<(f64, f64)> {
    const GROUPS: usize = 5;
    let count = blocks.first()?.values.len();
    let sum = |of: &dyn Fn(usize) -> bool| {
        let mut sum = Moments::none(count);
        let wanted = blocks.iter().enumerate().filter(|(index, _)| of(*index));
        wanted.for_each(|(_, block)| sum.add(block, 1.0));
        sum
    };
    let all = sum(&|_| true);
    let groups = (0..GROUPS.min(blocks.len())).map(|group| {
        (
            sum(&|index| index % GROUPS != group),
            sum(&|index| index % GROUPS == group),
        )
    });
    let groups: Vec<(Moments, Moments)> = groups.collect();
    let error = |penalty: f64| {
        let errors = groups.iter().map(|(fitted, left_out)| {
            let coefficients = fitted.fit(penalty)?;
            Some(left_out.error(&coefficients))
        });
        errors.sum::<Option<f64>>()
    };
    let tried = PENALTIES.into_iter();
    let tried = tried.filter_map(|penalty| Some((penalty, error(penalty)?)));
    let (penalty, error) = tried.min_by(|one, other| one.1.total_cmp(&other.1))?;
    (all.square > 0.0).then(|| (penalty, 1.0 - error / all.square))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Observations of `2 a - b^2 + a b` at the points of a grid.
    fn observations(terms: Terms) -> Vec<Observation> {
        let places = [-1.0, -0.5, 0.0, 0.5, 1.0];
        let points = places.iter().flat_map(|a| places.map(|b| [*a, b]));
        let observation = |[a, b]: [f64; 2]| Observation {
            terms: terms.of(&[a, b]),
            value: 2.0 * a - b * b + a * b,
            weight: 1.0,
        };
        points.map(observation).collect()
    }

    #[test]
    fn a_quadratic_function_is_found() {
        let terms = Terms {
            variables: 2,
            has_pairs: true,
        };
        let observations = observations(terms);
        let moments = Moments::of(terms.count(), &observations);
        let found = moments.fit(1e-12).unwrap();
        for (found, expected) in found.iter().zip([2.0, 0.0, 0.0, -1.0, 1.0]) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
        // The sum of squares by its definition.
        let coefficients = [1.5, 0.2, -0.3, -1.1, 0.7];
        let slow = observations.iter().map(|one| {
            let fitted = one.terms.iter().zip(coefficients);
            let fitted: f64 = fitted.map(|(term, by)| term * by).sum();
            (one.value - fitted).powi(2)
        });
        let slow: f64 = slow.sum();
        assert!((moments.error(&coefficients) - slow).abs() < 1e-9);
        let mut none = moments.clone();
        none.add(&moments, -1.0);
        assert!(none.fit(1.0).is_none());
    }
}
