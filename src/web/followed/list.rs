//! The list of the runs in the results folder, cached until their files change. This module
//! must not read tables.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use schemars::JsonSchema;
use serde::Serialize;

use super::place;
use crate::inventory;
use crate::lock::locked;
use crate::overview::{FolderEntry, LiveStatus, Overview, list_by, overview};
use crate::run::manifest::{self, Status};
use crate::run::{RunDirectory, RunKinds, SearchPlace, StoreError};

/// Cache time of a run that grows: at least this time, and at least this multiple of the time to read it.
const FRESH: Duration = Duration::from_secs(3);
const MULTIPLE: u32 = 40;

/// Modification time and size of a file; `None` if the file does not exist.
pub(in crate::web) type Stamp = Option<(Option<SystemTime>, u64)>;

pub(in crate::web) fn stamp(path: &Path) -> Stamp {
    let file = std::fs::symlink_metadata(path).ok()?;
    Some((file.modified().ok(), file.len()))
}

/// The cached overviews of the runs of a folder.
pub(in crate::web) struct RunOverviews {
    pub(in crate::web) kinds: RunKinds,
    seen: Mutex<HashMap<PathBuf, CachedOverview>>,
}

struct CachedOverview {
    at: Instant,
    /// Time to read the overview.
    time: Duration,
    stamps: [Stamp; 2],
    run: Overview,
}

impl RunOverviews {
    pub(super) fn new(kinds: RunKinds) -> Self {
        RunOverviews {
            kinds,
            seen: Mutex::default(),
        }
    }

    /// The runs of the results folder, including child runs, the newest first. Then folders that are not runs, and
    /// damaged runs.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub(in crate::web) fn all(&self, results: &Path) -> Result<RunList, StoreError> {
        let (mut runs, mut others) = (Vec::new(), Vec::new());
        for found in list_by(results, true, &mut |path| self.overview(path))? {
            match found {
                FolderEntry::Run(run) => runs.push(ServedRun::new(results, *run)),
                FolderEntry::Other { path, reason } => others.push(OtherFolder {
                    path: place::name(results, &path),
                    is_run: RunDirectory::is_begun(&path),
                    reason: place::message(results, &reason),
                }),
            }
        }
        Ok(RunList { runs, others })
    }

    /// The child runs of a run, in the order of their numbers.
    ///
    /// # Errors
    /// If its folder cannot be read.
    pub(in crate::web) fn inside(
        &self,
        results: &Path,
        root: &Path,
    ) -> Result<Vec<ServedRun>, StoreError> {
        let found = list_by(root, true, &mut |path| self.overview(path))?;
        let runs = found.into_iter().filter_map(|found| match found {
            FolderEntry::Run(run) => Some(run),
            FolderEntry::Other { .. } => None,
        });
        let mut runs: Vec<_> = runs.collect();
        // A longer number is a larger number.
        runs.sort_by_key(|run| (run.path.as_os_str().len(), run.path.clone()));
        let runs = runs.into_iter();
        Ok(runs.map(|run| ServedRun::new(results, *run)).collect())
    }

    /// The overview of a run. It is as new as the files of the run; if the run grows, it may be a few seconds old.
    ///
    /// # Errors
    /// As [`overview`].
    pub(in crate::web) fn overview(&self, path: &Path) -> Result<Overview, StoreError> {
        self.overview_by(path, || overview(self.kinds, path))
    }

    /// As [`overview`](Self::overview), with another function to read the overview.
    ///
    /// # Errors
    /// As `look`.
    pub(in crate::web) fn overview_by(
        &self,
        path: &Path,
        look: impl FnOnce() -> Result<Overview, StoreError>,
    ) -> Result<Overview, StoreError> {
        let stamps = [manifest::FILE, inventory::FILE].map(|name| stamp(&path.join(name)));
        if let Some(seen) = locked(&self.seen).get_mut(path)
            && (seen.stamps == stamps
                || seen.stamps[0] == stamps[0]
                    && seen.at.elapsed() < FRESH.max(MULTIPLE * seen.time))
        {
            // The stamps do not change when a process is killed, so the lock is checked again.
            if matches!(seen.run.state, LiveStatus::Running | LiveStatus::Killed) {
                seen.run.state = LiveStatus::of(path, Status::Running);
            }
            return Ok(seen.run.clone());
        }
        let begin = Instant::now();
        let run = look()?;
        let seen = CachedOverview {
            at: Instant::now(),
            time: begin.elapsed(),
            stamps,
            run: run.clone(),
        };
        locked(&self.seen).insert(path.to_owned(), seen);
        Ok(run)
    }
}

/// The runs of the results folder.
#[derive(Default, Serialize, JsonSchema)]
pub(in crate::web) struct RunList {
    /// The runs, the newest first.
    runs: Vec<ServedRun>,
    /// Folders that are no runs, and damaged runs.
    others: Vec<OtherFolder>,
}

/// A run at a glance, with its name in the place of its path.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct ServedRun {
    #[serde(flatten)]
    run: Overview,
    /// Whether the run itself searches, or the runs inside of it; null if it does not search.
    search: Option<SearchPlace>,
}

impl ServedRun {
    pub(in crate::web) fn new(results: &Path, mut run: Overview) -> Self {
        run.path = place::name(results, &run.path).into();
        let search = run.search;
        ServedRun { run, search }
    }

    pub(in crate::web) fn name(&self) -> String {
        self.run.path.display().to_string()
    }
}

/// A folder that is no run, or a damaged run.
#[derive(Serialize, JsonSchema)]
struct OtherFolder {
    /// Its name.
    path: String,
    /// Whether it says that it is a run.
    is_run: bool,
    /// Why it is not listed.
    reason: String,
}
