//! The run directory: what a campaign leaves on disk, and reading it back.
//!
//! Nothing written is half written: every file is made under a temporary name, synced and
//! renamed ([`atomic`]); the two logs are appended to line by line and a torn last line is
//! dropped on reading. Only [`parquet`] and [`rows`] name polars. Nothing here plays or
//! optimises.
//!
//! ```text
//! config.toml        the campaign file, verbatim
//! resolved.toml      every default filled in; itself a campaign file
//! manifest.json      program, machine, command, start, end, status
//! events.jsonl       what happened, without times
//! timing.jsonl       how long it took
//! tables/generations/generation-00000.parquet ..    a generation is complete once this exists
//! tables/candidates/generation-00000.parquet ..
//! tables/games/generation-00000.parquet .. race.parquet .. hold-out-start.parquet ..
//! tables/finalists.parquet  the final means of several restarts
//! distribution.json  correlation of the parameters at the end of the search
//! validation.json    start against recommended weights on the hold-out seeds
//! best.toml          the recommended weights with their provenance
//! charts/ report.html
//! ```
//!
//! An experiment leaves `tables/games/row-000.parquet ..`, its reference files, `results.json`,
//! `results.csv`, `timing.jsonl`, `timing.csv` and `report.md` in place of the tables and results of a
//! campaign.

pub mod atomic;
pub mod logs;
pub mod manifest;
pub mod parquet;
pub mod rows;
pub mod run_directory;

use std::path::{Path, PathBuf};

/// A failure to write or read a run directory. The message names the file.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// The contents are not what this program writes there.
    #[error("{}: {reason}", path.display())]
    Damaged {
        /// The file or directory.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The directory cannot be used as asked.
    #[error("{}: {reason}", path.display())]
    Unusable {
        /// The directory.
        path: PathBuf,
        /// Why not, and what would do.
        reason: String,
    },
}

impl StoreError {
    fn io(path: &Path) -> impl FnOnce(std::io::Error) -> StoreError {
        let path = path.to_owned();
        move |source| StoreError::Io { path, source }
    }

    /// Contents that are not what this program writes there.
    pub fn damaged(path: &Path, reason: impl ToString) -> StoreError {
        StoreError::Damaged {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}
