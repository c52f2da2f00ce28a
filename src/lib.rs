//! tiletune tunes the weights of hand-written heuristics for 2048-like games.
//!
//! CMA-ES proposes weights. A pool of threads plays seeded games with each set of weights. The results
//! are Parquet tables, charts, a report and a weights file.
//!
//! This program measures the published weights of a player over a hundred games:
//!
//! ```
//! use tiletune::config::weights_file::published;
//! use tiletune::player::Players;
//! use tiletune::random::Stream;
//! use tiletune::stats::summary::{mean, standard_error};
//! use tiletune::{Catalogue, Evaluate, Local, PlayerConfig, Progress};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let asked = PlayerConfig::new("expectimax", Some("2048")).with("depth", 0);
//! let player = Catalogue::builtin().player(&asked)?;
//! let weights = published(&player);
//! let seeds = Players::One.game_seeds(1, Stream::Evaluate, 0, 100);
//! let games = Local::new(player, None)?.games(&weights, &seeds, &Progress::default())?;
//! let scores: Vec<f64> = games.iter().map(|game| game.value()).collect();
//! println!("mean score {:.0}, standard error {:.0}", mean(&scores), standard_error(&scores));
//! # assert!(mean(&scores) > 1000.0 && standard_error(&scores) > 0.0);
//! # Ok(())
//! # }
//! ```
//!
//! The folder `examples` of the repository has whole programs: a campaign run from code, a game added
//! from outside of the crate, a player evaluated, a run directory read.
//!
//! This crate is the program. It also re-exports four other crates: `tiletune-engine` (games and players),
//! `tiletune-tuning` (statistics, optimizers, evaluation), `tiletune-report` (charts and reports) and `tiletune-runs`
//! (run directories and the kinds of run). Their modules, in reading order:
//!
//! | module | content |
//! |---|---|
//! | [`record`] | the record of one game |
//! | [`player`] | what a game and a player are; the catalogue of both; options, positions, analyses |
//! | [`heuristic`] | tunable parameters and weights |
//! | [`games`] | the built-in games, one folder each, and the built-in catalogue |
//! | [`results`] | candidates, generations and the results of runs |
//! | [`evaluation`] | fitness: candidates play seeded games; the objectives |
//! | [`optimizer`] | CMA-ES as ask and tell; parameter spaces; restarts |
//! | [`config`] | campaigns, experiments, comparisons and weights files: reading, defaults, checks |
//! | [`run`] | the lifecycle of every kind of run, and its directory |
//! | [`campaign`] | a kind of run: tunes weights and validates them on hold-out games |
//! | [`experiment`] | a kind of run: compares players with fixed weights |
//! | [`compare`] | a kind of run: compares players with fixed weights in a sequential test |
//! | [`series`] | a kind of run: the same campaign several times with different seeds |
//! | [`shipped`] | the weights that ship with the program |
//! | [`overview`] | the runs in a folder |
//! | [`prune`] | which terms of a heuristic can go |
//! | [`chart`], [`report`], [`export`] | charts, the report, weights for other programs |
//! | [`stats`], [`random`] | statistics; seeds and random numbers |
//! | [`stop`] | the request to end a computation early |
//! | [`simd`], [`number`], [`interest`], [`field_error`], [`suggestion`] | small tools of the modules above |
//! | `web` | the local server and its pages, with the default feature `cli` |
//! | `browser` | a 2048 that is open in a Chromium, with the default feature `cli` |
//! | `cluster` | an evaluator that plays on other machines, and its worker, with the default feature `cli` |
//! | `cli` | the command line, with the default feature `cli` |

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub use tiletune_engine::{
    field_error, games, heuristic, player, program, random, record, simd, stop, suggestion,
};
pub use tiletune_report::{chart, interest, number, report, visible};
pub use tiletune_runs::{
    campaign, compare, config, experiment, export, inventory, kinds, overview, plain_file, prune,
    run, series,
};
pub use tiletune_tuning::{Catalogue, ShippedWeights, evaluation, optimizer, results, stats};

#[doc(hidden)]
pub use tiletune_engine::reference;

pub mod shipped;

#[cfg(feature = "cli")]
mod build;
#[cfg(feature = "cli")]
mod lock;
#[cfg(feature = "cli")]
mod prepare;

#[cfg(feature = "cli")]
pub mod browser;
#[cfg(feature = "cli")]
pub mod cluster;
#[cfg(feature = "cli")]
pub mod web;

#[cfg(feature = "cli")]
pub mod cli;

#[cfg(all(test, feature = "cli"))]
mod tests;

pub use config::campaign::Campaign;
pub use config::compare::Comparison;
pub use config::experiment::Experiment;
pub use config::series::Series;
pub use config::{ConfigError, Source};
pub use evaluation::local::Local;
pub use evaluation::objective::Objective;
pub use evaluation::{
    Batch, Evaluate, EvaluationError, Evaluator, EvaluatorFactory, Only, Progress,
};
pub use heuristic::weights::Weights;
pub use player::{PlayerConfig, PlayerSpec};
pub use record::{GameRecord, GameResult};
pub use run::{Control, NullObserver, Observer, Run, RunDirectory, RunError, Session};
pub use stop::Stop;
