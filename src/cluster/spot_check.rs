//! Spot checks: which tasks are replayed on this machine, and the probability of detecting wrong games.
//!
//! The first task of each worker is replayed, and then a random sample. The sample is chosen by a hash with a random
//! number that workers do not know, so a worker cannot predict which tasks are in it.

use crate::random::fold;

use super::messages::TaskId;

/// A random sample of tasks.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckSample {
    secret: u64,
    share: f64,
}

impl CheckSample {
    /// A sample with this share of the tasks, between 0 and 1.
    pub(super) fn new(secret: u64, share: f64) -> Self {
        CheckSample { secret, share }
    }

    pub(super) fn share(&self) -> f64 {
        self.share
    }

    /// Whether a task is in the sample.
    pub(super) fn has(&self, task: TaskId) -> bool {
        let numbers = [task.evaluation, u64::from(task.number)];
        let hash = numbers.into_iter().fold(self.secret, fold);
        // 53 bits, so that the conversion to a floating-point number is exact.
        ((hash >> 11) as f64) < self.share * (1u64 << 53) as f64
    }
}

/// The probability of detecting a worker that falsifies a share of its tasks, after this number of tasks. `sampled` is
/// the share of tasks that are replayed.
pub(super) fn detection(sampled: f64, falsified: f64, tasks: u64) -> f64 {
    1.0 - libm::pow(1.0 - sampled * falsified, tasks as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_has_its_share_and_depends_on_the_secret() {
        let tasks = (0..10_000).map(|number| TaskId {
            evaluation: u64::from(number / 100),
            number: number % 100,
        });
        let chosen = |secret, share| {
            let sample = CheckSample::new(secret, share);
            tasks.clone().filter(|task| sample.has(*task)).count()
        };
        assert!((150..250).contains(&chosen(1, 0.02)), "{}", chosen(1, 0.02));
        assert_eq!((chosen(1, 0.0), chosen(1, 1.0)), (0, 10_000));
        let both = |task: &TaskId| [1, 2].map(|secret| CheckSample::new(secret, 0.5).has(*task));
        let differ = tasks
            .clone()
            .filter(|task| both(task) == [true, false])
            .count();
        assert!((2_000..3_000).contains(&differ), "{differ}");
    }

    #[test]
    fn a_share_of_lies_is_found_with_this_probability() {
        assert_eq!(detection(0.02, 0.0, 1000), 0.0);
        assert_eq!(detection(1.0, 1.0, 1), 1.0);
        assert!((detection(0.02, 1.0, 100) - 0.867_380).abs() < 1e-6);
        assert!((detection(0.02, 0.1, 1000) - 0.864_935).abs() < 1e-6);
    }
}
