//! tiletune: tuning the weights of hand-written heuristics for 2048-like games.
//!
//! CMA-ES proposes weights, a pool plays seeded games with each, the results become parquet
//! tables, charts and a weights file whose claim anyone can replay. The modules, in the order in
//! which a result passes through them; imports run downwards only (see ARCHITECTURE.md):
//!
//! | module | what it is |
//! |---|---|
//! | [`number`] | numbers as people read them |
//! | [`field_error`], [`suggestion`] | what is wrong with a setting, and what may have been meant |
//! | [`record`] | the records that everything below makes, keeps or draws |
//! | [`stats`] | means, intervals, bootstrap |
//! | [`simd`] | vector instructions and the kernels written with them |
//! | [`game`] | rules, row tables, random numbers |
//! | [`heuristic`] | the registry of terms, weights, tables |
//! | [`search`] | how a move is chosen |
//! | [`player`] | the catalogue: name -> game + terms + search |
//! | [`evaluation`] | candidates x seeds -> games -> fitness |
//! | [`optimizer`] | ask / tell over CMA-ES, parameter spaces, restarts |
//! | [`config`] | campaigns, experiments and weights files |
//! | [`chart`], [`report`], [`export`] | what comes out |
//! | [`run`] | the lifecycle of every kind of run, and its directory |
//! | [`campaign`] | a kind of run: the loop, recovery, validation |
//! | [`experiment`] | a kind of run: fixed players compared with each other and with references |
//! | [`cli`] | the command line |

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod field_error;
pub mod number;
pub mod random;
pub mod record;
pub mod stats;
pub mod suggestion;

pub mod simd;

pub mod heuristic;
pub mod player;

pub mod games;

pub mod evaluation;
pub mod optimizer;

pub mod config;

pub mod chart;
pub mod export;
pub mod report;

pub mod run;

pub mod campaign;
pub mod experiment;

#[cfg(feature = "cli")]
pub mod cli;

#[doc(hidden)]
pub mod reference;
