//! Statistics of slices of numbers and of game records: summaries, intervals, tests.
//!
//! Pure functions, without files and clock. Sums are computed in index order, and functions that use
//! random numbers take a seed, so that equal input gives equal bits. This module must not know the
//! rules of a game.
//!
//! ```
//! use tiletune::stats::bootstrap::paired_difference;
//! use tiletune::stats::summary::mean;
//! use tiletune::stats::verdict::Verdict;
//!
//! // Scores of the same ten seeds with two sets of weights.
//! let start = [310.0, 420.0, 150.0, 260.0, 380.0, 290.0, 340.0, 210.0, 400.0, 330.0];
//! let tuned = [390.0, 450.0, 240.0, 300.0, 470.0, 350.0, 420.0, 330.0, 460.0, 350.0];
//! let difference = paired_difference(&tuned, &start, 2000, 1);
//! assert!((difference.mean - (mean(&tuned) - mean(&start))).abs() < 1e-9);
//! assert_eq!(Verdict::of(&difference, 10), Verdict::Better);
//! ```

pub mod bootstrap;
pub mod chi_square;
pub mod games;
pub mod intervals;
pub mod mcnemar;
pub mod multiple_testing;
pub mod points;
pub mod power;
pub mod sequential;
pub mod summary;
pub mod verdict;
