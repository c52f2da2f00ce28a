//! Runs: long computations whose results are files of a directory. Every kind of run (see [`RunKind`]) has
//! the same lifecycle: begin, execute, stop at any time, resume, draw. [`Run`] implements it; each kind
//! implements [`RunPlan`]. This module must not play, optimise or draw.
//!
//! All writes are atomic: a file is written under a temporary name, synced and renamed ([`atomic`]).
//! Logs grow line by line, and an unfinished last line is dropped ([`logs`]). A file is read only if it is
//! the one that was written ([`RunFile`]). The writer locks the run directory; other processes can read it at
//! the same time. [`tables`] declares, writes and reads all tables.
//!
//! ```text
//! config.toml        the file of the campaign or experiment, verbatim
//! resolved.toml      every default filled in; itself such a file
//! manifest.json      kind, format, program, machine, command, start, end, status, ends of the logs
//! files.jsonl        size and hash of every finished file but the manifest
//! timing.jsonl       durations
//! cluster.jsonl      events of the workers on other machines, with times; only of runs on a cluster
//! .cluster.json      their current status, while the run plays
//!
//! a campaign:
//! events.jsonl       events, without times
//! tables/generations/generation-00000.parquet ..    a generation is complete if this exists
//! tables/candidates/generation-00000.parquet ..
//! tables/train/generation-00000.parquet ..    games of the candidates
//! tables/start/start.parquet    games of the start weights at the beginning
//! tables/race/race.parquet
//! tables/hold-out/start.parquet tuned.parquet
//! tables/hold-out-deeper/depth-3-start.parquet ..
//! tables/finalists.parquet  the finalists of a race
//! distribution.json  correlation of the parameters at the end of the search
//! validation.json    comparison of start and tuned weights on the hold-out seeds
//! tuned.toml         the tuned weights with their provenance
//! best.toml          the recommended weights: the tuned ones if they are shown to be better, else those of an earlier look
//!                    that were, else those of the start
//! looks/1/ ..        the same results of an earlier look, if the run went on with more budget
//! charts/ report.html
//!
//! a series:
//! runs/1/ runs/2/ ..    its runs, each the directory of a campaign
//! tables/race/race.parquet
//! tables/hold-out/start.parquet run-1.parquet run-2.parquet ..
//! tables/finalists.parquet    the final means of the runs
//! validation.json    comparison of start and tuned weights on the hold-out seeds
//! series.json        the results of all runs and their spread
//! tuned.toml best.toml charts/ report.html
//!
//! an experiment:
//! published.csv reference.csv    the files that the resolved file names
//! tables/games/row-000.parquet ..    a row is complete if this exists
//! tables/blocks/row-000-00000.parquet ..    the games of a row that is not complete
//! yardstick.jsonl    the positions that its oracle has judged
//! retuned/row-000 ..    the campaigns that tune the weights of rows, each a run directory
//! results.json results.csv weights.csv timing.csv charts/ report.html
//!
//! a comparison:
//! tables/games/pairs-00000.parquet ..    the games of consecutive pairs; complete if it exists
//! tables/pairs/player-001.parquet ..    the pairs of each player with the first one
//! results.json charts/ report.html
//! ```
//!
//! A campaign from its file to its outcome:
//!
//! ```
//! use std::path::Path;
//! use tiletune_runs::run::plan_of;
//! use tiletune_runs::run::Session;
//! use tiletune_runs::config::Source;
//! use tiletune_runs::config::campaign::Campaign;
//! use tiletune_runs::run::{Control, Run, RunDirectory, NullObserver};
//! use tiletune_tuning::evaluation::Progress;
//! use tiletune_tuning::evaluation::local::Local;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! # std::fs::write(folder.join("tune.toml"), r#"
//! # why = "an example"
//! # name = "example"
//! # seed = 0
//! # player = { name = "expectimax", depth = 0 }
//! # evaluation = { games = 10 }
//! # optimizer = { population = 4 }
//! # budget = { generations = 2 }
//! # validation = { games = 20 }
//! # parameters = { empty = {}, merges = {} }
//! # "#)?;
//! let source = Source::read(&folder.join("tune.toml"))?;
//! // Relative paths in the file begin in its folder.
//! let campaign = Campaign::resolve(&source, folder)?;
//! let local = Local::new(campaign.player.clone(), None)?;
//! let run = Run::begin(&campaign, &source.text, &folder.join("run"), Session::now(local.threads()))?;
//! let (progress, mut observer) = (Progress::default(), NullObserver);
//! let outcome = run.execute(&campaign, &local, &mut Control::new(&progress, &mut observer))?;
//! println!("{}", outcome.recommendation.weights);
//!
//! // A run that was interrupted is continued by `Run::open`, `Run::resume` and `Run::execute`. Its
//! // directory has all that is needed for that.
//! let directory = RunDirectory::open(&folder.join("run"))?;
//! let again: Campaign = plan_of(&directory)?;
//! assert_eq!(again.config, campaign.config);
//! # Ok(())
//! # }
//! ```

pub mod atomic;
mod charts;
pub mod child;
mod control;
pub mod directory;
mod error;
mod files;
pub mod follow;
pub mod games_table;
pub mod kind;
pub mod lock;
pub mod logs;
mod looks;
pub mod machines;
pub mod manifest;
mod places;
mod recorded;
pub mod replay;
pub mod shell;
pub mod summary;
pub mod tables;
pub mod verify;

pub use charts::{draw_charts, remove_chart, write_folder, write_report};
pub use child::complete_child;
pub use control::{Control, NullObserver, Observer, Task, system_clock};
pub use directory::RunDirectory;
pub use error::{RunError, StoreError};
pub use files::{RunFile, remove_all};
pub use follow::Follower;
pub use kind::{ErasedPlan, Run, RunKind, RunKinds, RunPlan, SearchPlace, plan_of, plan_of_with};
pub(crate) use looks::VALIDATION;
pub use manifest::{Build, Session};
pub use summary::{
    Findings, Output, RecordedPlayer, RemainingWork, ReportSummary, ShownGame, View,
};
