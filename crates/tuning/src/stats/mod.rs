//! Statistics of slices of numbers and of game records: summaries, intervals, tests.
//!
//! All functions are pure: they use no files and no clock. Sums are computed in index order, and functions with
//! random numbers take a seed, so equal input gives equal bits. This module must not know the rules of a game.
//!
//! ```
//! use tiletune_tuning::results::Verdict;
//! use tiletune_tuning::stats::bootstrap::Resampling;
//! use tiletune_tuning::stats::difference::paired_difference;
//! use tiletune_tuning::stats::summary::mean;
//!
//! // Scores of the same forty seeds with two sets of weights.
//! let start: Vec<f64> = (0..40).map(|seed| f64::from(300 + seed * 37 % 90)).collect();
//! let tuned: Vec<f64> = (0..40).map(|seed| f64::from(350 + seed * 53 % 110)).collect();
//! let difference = paired_difference(&tuned, &start, Resampling::new(2000, 1));
//! assert!((difference.mean - (mean(&tuned) - mean(&start))).abs() < 1e-9);
//! assert_eq!(difference.verdict, Verdict::Better);
//! ```

pub mod bootstrap;
pub mod chi_square;
pub mod difference;
pub(crate) mod distributions;
pub mod equivalence;
pub mod games;
pub mod importance;
pub mod intervals;
pub mod looks;
pub mod multiple_testing;
pub mod paired_test;
pub mod points;
pub mod power;
pub mod scale;
pub mod sequential;
pub mod sign_test;
pub mod signal;
pub mod summary;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// A random whole number below `n`, uniform to within n / 2^64: the upper half of a 64 x 64 bit product.
fn below(stream: &mut Xoshiro256PlusPlus, n: usize) -> usize {
    ((u128::from(stream.next_u64()) * n as u128) >> 64) as usize
}
