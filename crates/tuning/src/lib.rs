//! The parts of tuning except the games: statistics, optimizers, and the evaluation of candidates. This crate
//! must not read or write files.
//!
//! | module | content |
//! |---|---|
//! | [`results`] | candidates, generations and the results of runs |
//! | [`stats`] | means, intervals, differences and verdicts, sequential tests |
//! | [`evaluation`] | fitness: candidates play seeded games; the objectives |
//! | [`optimizer`] | a trait and a registry of optimizers: CMA-ES, random search; parameter spaces |
//! | [`Catalogue`] | games, players and optimizers by name |

#![warn(missing_docs)]
#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod results;
pub mod stats;

mod catalogue;
pub mod evaluation;
pub mod optimizer;

pub use catalogue::{Catalogue, ShippedWeights};
