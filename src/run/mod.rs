//! Runs: whatever plays for a long time into a directory. Every kind of run (see [`Kind`]) has the
//! same lifecycle: begin, execute, stop at any instant, resume, draw. [`Run`] is that lifecycle,
//! [`RunPlan`] and [`Execute`] are what a kind supplies. Nothing here plays, optimises or draws.
//!
//! All writes are atomic: a file is made under a temporary name, synced and renamed ([`atomic`]).
//! Logs are appended to line by line, and an unfinished last line is dropped ([`logs`]). A run
//! directory is locked by its writer and can be read while it grows. Only [`parquet`] and [`rows`]
//! name polars.
//!
//! ```text
//! config.toml        the file of the campaign or experiment, verbatim
//! resolved.toml      every default filled in; itself such a file
//! manifest.json      kind, format, program, machine, command, start, end, status
//! timing.jsonl       how long it took
//!
//! a campaign:
//! events.jsonl       what happened, without times
//! tables/generations/generation-00000.parquet ..    a generation is complete once this exists
//! tables/candidates/generation-00000.parquet ..
//! tables/games/generation-00000.parquet .. race.parquet .. hold-out-start.parquet ..
//! tables/finalists.parquet  the final means of several restarts
//! distribution.json  correlation of the parameters at the end of the search
//! validation.json    start against recommended weights on the hold-out seeds
//! best.toml          the recommended weights with their provenance
//! charts/ report.html
//!
//! an experiment:
//! published.csv reference.csv    what the resolved file names
//! tables/games/row-000.parquet ..    a row is complete once this exists
//! tables/blocks/row-000-00000.parquet ..    the games of a row that is not complete
//! yardstick.jsonl    the positions that its oracle has judged
//! results.json results.csv timing.csv charts/ report.md
//! ```
//!
//! A library user tunes weights in five calls:
//!
//! ```no_run
//! use std::path::Path;
//! use tiletune::config::{Source, campaign::Campaign};
//! use tiletune::evaluation::{Progress, local::Local};
//! use tiletune::run::{Control, Run, Unobserved};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let source = Source::read(Path::new("tune.toml"))?;
//! let campaign = Campaign::resolve(&source, Path::new(""))?;
//! let local = Local::new(campaign.player.clone(), None)?;
//! let run = Run::begin(&campaign, &source.text, Path::new("results/mine"), local.threads())?;
//! let (progress, mut observer) = (Progress::default(), Unobserved);
//! let outcome = run.execute(&campaign, &local, &mut Control::new(&progress, &mut observer))?;
//! println!("{:?}", outcome.recommendation.weights);
//! # Ok(())
//! # }
//! ```

pub mod atomic;
mod charts;
mod control;
pub mod directory;
mod error;
mod lifecycle;
pub mod logs;
pub mod manifest;
pub mod parquet;
pub mod rows;

pub use charts::{remove_chart, write_charts};
pub use control::{Control, Observer, Task, Unobserved, system_clock};
pub use directory::RunDirectory;
pub use error::{RunError, StoreError};
pub use lifecycle::{Execute, Run, RunPlan, plan_of, plan_of_with};
pub use manifest::Kind;
