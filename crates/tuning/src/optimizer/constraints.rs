//! The repair of candidates that break a constraint.
//!
//! Such a candidate is moved to values near it that keep all constraints. First its numbers move along the slope of a
//! broken constraint, one after the other, until all hold: the gradient-based repair of Chootinan and Chen 2006. If that
//! ends nowhere, it moves on the straight line to the start until all hold (the line to a reference point is that of
//! GENOCOP III, Michalewicz and Nazhiyath 1995). The start keeps all constraints. No random number is used, so equal
//! candidates are repaired equally.
//!
//! An optimizer that learns gets a penalty for the distance of the repair (Hansen, arXiv:1604.00772, B.5), as for a point
//! outside the box of the bounds.

use std::sync::Arc;

use super::conditions::Condition;
use super::space::{Space, fold};

/// Largest number of steps along a slope.
const MOST_STEPS: i32 = 40;

/// A step goes so far beyond the limit of a constraint, in unit positions; twice as far in each next step. So strict
/// comparisons hold, and whole numbers change.
const FIRST_PUSH: f64 = 1e-9;

/// Half of the distance over which a slope is measured, in unit positions.
const HALF: f64 = 1e-6;

/// Number of halvings of the line to the start.
const HALVINGS: u32 = 40;

/// The constraints of a search, as an optimizer sees them. Without any, every point in the box is allowed.
#[derive(Clone, Debug, Default)]
pub struct Constraints(Option<Arc<Space>>);

impl Constraints {
    /// True if there is at least one.
    pub(super) fn are_any(&self) -> bool {
        self.0.is_some()
    }

    /// Squared distance from a point to the allowed point that is played for it, in unit positions; 0 if it keeps all
    /// constraints.
    pub(super) fn squared_distance(&self, point: &[f64]) -> f64 {
        let Some(space) = &self.0 else {
            return 0.0;
        };
        let played = space.allowed(point).positions;
        let moved = point.iter().zip(played).map(|(x, at)| fold(*x) - at);
        moved.map(|distance| distance * distance).sum()
    }
}

/// A point that keeps all constraints.
pub(super) struct Allowed {
    /// Unit positions of the free parameters.
    positions: Vec<f64>,
    /// Values of all parameters.
    pub values: Vec<f64>,
}

impl Space {
    /// The constraints for an optimizer. They are those of [`Space::with_rules`].
    pub fn constraints(&self) -> Constraints {
        let has_any = self.rules().texts().next().is_some();
        Constraints(has_any.then(|| Arc::new(self.clone())))
    }

    /// What is played for a point in search coordinates: the point itself, or its repair.
    pub(super) fn allowed(&self, coordinates: &[f64]) -> Allowed {
        let first: Vec<f64> = coordinates.iter().map(|x| fold(*x)).collect();
        let mut positions = first.clone();
        let mut push = FIRST_PUSH;
        for _ in 0..MOST_STEPS {
            let values = self.values_at(&positions);
            let Some(broken) = self.rules().broken(&values) else {
                return Allowed { positions, values };
            };
            let Some(next) = self.beyond(broken, &positions, push) else {
                break;
            };
            positions = next;
            push *= 2.0;
        }
        self.towards_start(&first)
    }

    /// The positions after a step along the slope of a constraint, to its limit and `push` further. `None` if it has no
    /// slope here.
    fn beyond(&self, broken: &Condition, positions: &[f64], push: f64) -> Option<Vec<f64>> {
        let free = self.free_indices();
        let slack = |positions: &[f64]| broken.slack(&self.smooth_values_at(positions));
        let mut tried = positions.to_vec();
        let mut slope = vec![0.0; positions.len()];
        for (place, &index) in free.iter().enumerate() {
            let is_category = !self.parameters()[index].choices.is_empty();
            if is_category || !broken.reads().contains(&index) {
                continue;
            }
            let at = positions[place];
            let ends = [(at - HALF).max(0.0), (at + HALF).min(1.0)];
            let [low, high] = ends.map(|end| {
                tried[place] = end;
                slack(&tried)
            });
            tried[place] = at;
            let rise = (high - low) / (ends[1] - ends[0]);
            // At a bound it can only move inwards.
            let is_outwards = at <= 0.0 && rise < 0.0 || at >= 1.0 && rise > 0.0;
            slope[place] = if is_outwards { 0.0 } else { rise };
        }
        let steepness = slope.iter().map(|rise| rise * rise).sum::<f64>().sqrt();
        let length = (-slack(positions)).max(0.0) / steepness + push;
        if !(steepness > 0.0 && length.is_finite()) {
            return None;
        }
        let moved = positions.iter().zip(&slope);
        let moved = moved.map(|(at, rise)| (at + length * rise / steepness).clamp(0.0, 1.0));
        Some(moved.collect())
    }

    /// The farthest allowed point on the line from the start, first with the given categories.
    fn towards_start(&self, given: &[f64]) -> Allowed {
        let start = self.start_positions();
        let free = self.free_indices();
        let is_category = |place: usize| !self.parameters()[free[place]].choices.is_empty();
        let on_line = |share: f64| -> Vec<f64> {
            let places = given.iter().zip(&start).enumerate();
            let at = places.map(|(place, (at, start))| {
                if is_category(place) {
                    *at
                } else {
                    start + share * (at - start)
                }
            });
            at.collect()
        };
        let is_allowed = |positions: &[f64]| {
            let values = self.values_at(positions);
            self.rules().broken(&values).is_none()
        };
        let mut best = on_line(0.0);
        if !is_allowed(&best) {
            return Allowed {
                positions: start,
                values: self.start_values(),
            };
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            let tried = on_line(middle);
            if is_allowed(&tried) {
                (low, best) = (middle, tried);
            } else {
                high = middle;
            }
        }
        Allowed {
            values: self.values_at(&best),
            positions: best,
        }
    }
}

#[cfg(test)]
mod tests;
