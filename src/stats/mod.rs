//! Statistics over slices of numbers: summaries, bootstrap intervals, closed-form intervals,
//! two-sample tests.
//!
//! Pure functions: no game, no store, no clock. Everything is reduced in index order, and what draws
//! random numbers takes a seed, so that the same input gives the same bits.

pub mod bootstrap;
pub mod games;
pub mod intervals;
pub mod mcnemar;
pub mod points;
pub mod summary;
pub mod two_samples;
pub mod verdict;
