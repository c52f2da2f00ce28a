//! The fitness of the generations of a restart, and the stop rules that look at nothing else. This module must not know
//! where the candidates lie.

use super::stagnation::{Level, SignalHistory};
use crate::optimizer::Noise;

/// Weight of the penalty outside the box. The penalty is this weight times the range of fitness in the
/// generation times the squared distance in unit coordinates.
///
/// The fold of `Space` is periodic outside the box. Without a penalty, the copies of an optimum are as good as
/// the original, so the step size grows until the search samples at random. This was measured on the sphere
/// with 10 parameters, 40 candidates and a mean learning rate of 0.3. The median loss at the mean after 40
/// generations (15 seeds; 40 at the start) was 49 without the penalty, and 0.24, 0.02, 0.01, 0.01 with the
/// weights 0.3, 1, 3, 10. Nothing changes inside the box, which contains a copy of every optimum.
const PENALTY: f64 = 3.0;

/// The fitness of all generations.
#[derive(Default)]
pub(super) struct History {
    /// Smallest finite fitness so far; `None` if there is none.
    worst: Option<f64>,
    /// Best and median fitness of each generation.
    values: [Vec<f64>; 2],
    signals: SignalHistory,
    population: usize,
}

/// The fitness of a generation.
pub(super) struct Told {
    /// Of each candidate, finite.
    pub fitness: Vec<f64>,
    /// The difference of the best and the worst one.
    pub range: f64,
}

impl Told {
    /// Penalty per squared distance from the box, in units of fitness.
    pub fn penalty(&self) -> f64 {
        (PENALTY * self.range).min(f64::MAX)
    }
}

impl History {
    /// Adds a generation with what `Optimizer::tell` is given.
    pub fn add(&mut self, fitness: &[f64], noise: Noise) -> Told {
        let fitness = finite(fitness, &mut self.worst);
        let mut ranked = fitness.clone();
        ranked.sort_unstable_by(f64::total_cmp);
        let (worst, best) = (ranked[0], ranked[ranked.len() - 1]);
        self.values[0].push(best);
        self.values[1].push(ranked[ranked.len() / 2]);
        self.signals.add(&fitness, noise);
        self.population = fitness.len();
        Told {
            fitness,
            range: best - worst,
        }
    }

    /// Number of generations.
    pub fn generations(&self) -> u32 {
        self.values[0].len() as u32
    }

    /// True if the candidates hardly differ, compared with the first ones.
    pub fn has_converged(&self) -> bool {
        self.signals.has_converged()
    }

    /// The level of the latest generations; `None` before there are enough.
    pub fn level(&self, dimension: usize) -> Option<Level> {
        self.signals.level(dimension)
    }

    /// True if luck decides; see [`SignalHistory::is_lost_in_noise`].
    pub fn is_lost_in_noise(&self, dimension: usize, are_steps_small: bool) -> bool {
        self.signals.is_lost_in_noise(dimension, are_steps_small)
    }

    /// True if neither the best nor the median fitness has improved for a long time, or the mean fitness has not in the
    /// last third of the games.
    pub fn stands_still(&self, dimension: usize) -> bool {
        let is_flat = |values: &Vec<f64>| has_stagnated(values, dimension, self.population);
        self.values.iter().all(is_flat) || self.signals.has_stagnated()
    }

    /// The range of the best fitness of the latest 10 + ceil(30 n / lambda) generations; infinite if there are fewer.
    pub fn range_of_latest(&self, dimension: usize) -> f64 {
        let count = 10 + (30 * dimension).div_ceil(self.population);
        let Some(first) = self.values[0].len().checked_sub(count) else {
            return f64::INFINITY;
        };
        let latest = self.values[0][first..].iter().copied();
        let least = latest.clone().fold(f64::INFINITY, f64::min);
        latest.fold(f64::NEG_INFINITY, f64::max) - least
    }
}

/// Replaces fitness values that are not finite by one that is worse than all others (see
/// `Optimizer::tell`): the stop rules need finite ranges, and the crate would stop at NaN. `worst` is the
/// smallest finite fitness of the restart, `None` if there is none.
fn finite(fitness: &[f64], worst: &mut Option<f64>) -> Vec<f64> {
    let finite = fitness.iter().copied().filter(|x| x.is_finite());
    let least = finite.reduce(f64::min);
    let replacement = match least {
        Some(least) => least.next_down().max(f64::MIN),
        None => worst.unwrap_or(0.0),
    };
    *worst = least.into_iter().chain(*worst).reduce(f64::min);
    let replaced = |&x: &f64| if x.is_finite() { x } else { replacement };
    fitness.iter().map(replaced).collect()
}

/// The stagnation rule of the tutorial, appendix B.3, for one fitness history, oldest value first.
fn has_stagnated(history: &[f64], dimension: usize, population: usize) -> bool {
    let least = 120 + (30 * dimension).div_ceil(population);
    let window = (history.len() / 5).min(20_000).max(least);
    let Some(first) = history.len().checked_sub(window) else {
        return false;
    };
    let median = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_unstable_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let share = window * 3 / 10;
    let earliest = &history[first..first + share];
    let latest = &history[history.len() - share..];
    median(latest) <= median(earliest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stagnation_looks_at_the_ends_of_the_window() {
        // For n = 2 and 10 candidates, the window is 126 generations and its ends are 37 generations each.
        let rising: Vec<f64> = (0..126).map(f64::from).collect();
        assert!(!has_stagnated(&rising, 2, 10));
        assert!(!has_stagnated(&[1.0; 125], 2, 10));
        assert!(has_stagnated(&[1.0; 126], 2, 10));
        // A rise counts until it leaves the window.
        let step = |flat: usize| [vec![0.0; 50], vec![1.0; flat]].concat();
        assert!(!has_stagnated(&step(126 - 19), 2, 10));
        assert!(has_stagnated(&step(126 - 18), 2, 10));
        // After 630 generations a fifth of the run is longer than the minimum window: here the last 200 of
        // 1000.
        let late = [vec![0.0; 850], vec![1.0; 150]].concat();
        assert!(!has_stagnated(&late, 2, 10));
        assert!(has_stagnated(&late[400..], 2, 10));
    }
}
