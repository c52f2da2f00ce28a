//! Verification of a run: redundant contents of its files are compared, and a sample of all games is replayed. This
//! module must not know a kind of run.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::child::check;
use super::games_table::{GamesTable, spot_check};
use super::kind::RunPlan;
use super::manifest::Status;
use super::replay::Replay;
use super::{Control, RunDirectory, RunError, StoreError};
use tiletune_engine::random::{Stream, derive};
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::EvaluatorFactory;

/// A run or a child run, with its plan.
pub type PlannedRun = (Box<dyn RunPlan>, RunDirectory);

/// The child runs of a run, and then the run itself, because its results follow from theirs.
///
/// # Errors
/// If a child run has another plan, or is damaged.
pub fn with_children(
    plan: Box<dyn RunPlan>,
    directory: RunDirectory,
) -> Result<Vec<PlannedRun>, RunError> {
    let mut runs = Vec::new();
    for (place, child) in plan.children() {
        let root: PathBuf = directory.path(&place);
        if RunDirectory::is_begun(&root) {
            let inside = RunDirectory::open(&root)?;
            check(&*child, &inside)?;
            runs.push((child, inside));
        }
    }
    runs.push((plan, directory));
    Ok(runs)
}

/// Paths of the child runs.
fn children(plan: &dyn RunPlan) -> Vec<String> {
    plan.children()
        .into_iter()
        .map(|(place, _)| place)
        .collect()
}

/// Runs with undamaged files and consistent results.
pub struct VerifiedRuns<'a> {
    /// Number of files.
    pub files: u64,
    /// Their size.
    pub bytes: u64,
    /// Whether all runs are complete.
    pub is_complete: bool,
    /// The comparisons so far.
    pub replay: Replay,
    tables: Vec<GamesTable<'a>>,
}

impl<'a> VerifiedRuns<'a> {
    /// Checks all files of some runs, and compares their redundant contents.
    ///
    /// # Errors
    /// The first file that is not as the run wrote it, or contradicts another one.
    pub fn check(runs: &'a [PlannedRun]) -> Result<Self, RunError> {
        let mut verified = VerifiedRuns {
            files: 0,
            bytes: 0,
            is_complete: true,
            replay: Replay::default(),
            tables: Vec::new(),
        };
        for (plan, directory) in runs {
            let (files, bytes) = directory.check_files()?;
            let status = directory.manifest()?.status;
            // A running process writes files under temporary names.
            if status != Status::Running
                && let Some(path) = directory.unlisted(&children(&**plan))?.first()
            {
                let reason = "the run did not write this file; remove it, or keep it elsewhere";
                return Err(StoreError::damaged(path, reason).into());
            }
            // Verification writes nothing, so an interrupt may simply end the process.
            plan.check_results(directory, Stop::never(), &mut verified.replay)?;
            verified.tables.extend(plan.tables(directory)?);
            verified.files += files;
            verified.bytes += bytes;
            verified.is_complete &= status == Status::Complete;
        }
        Ok(verified)
    }

    /// Number of recorded games.
    pub fn recorded(&self) -> u64 {
        self.tables.iter().map(|table| table.count).sum()
    }

    /// Replays the recorded games with these ascending numbers.
    ///
    /// # Errors
    /// If a stop was requested through `control`, or a table is damaged.
    pub fn play(
        &mut self,
        numbers: &[u64],
        machines: &dyn EvaluatorFactory,
        control: &mut Control,
    ) -> Result<(), RunError> {
        let (mut begin, mut left) = (0, numbers);
        let mut chosen: Vec<(&GamesTable, Vec<usize>)> = Vec::new();
        for table in &self.tables {
            let end = begin + table.count;
            let (of_table, rest) = left.split_at(left.partition_point(|number| *number < end));
            if !of_table.is_empty() {
                let places = of_table.iter().map(|number| (number - begin) as usize);
                chosen.push((table, places.collect()));
            }
            (begin, left) = (end, rest);
        }
        spot_check(&chosen, machines, control, &mut self.replay).map(drop)
    }
}

/// `games` distinct numbers below `count`, ascending; all of them if there are no more.
pub fn sample(games: u64, count: u64, seed: u64) -> Vec<u64> {
    let mut chosen = BTreeSet::new();
    if games >= count {
        chosen.extend(0..count);
    }
    // Floyd's algorithm.
    for last in count.saturating_sub(games)..count {
        let number = derive(seed, Stream::Sample, 0, last) % (last + 1);
        if !chosen.insert(number) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_distinct_and_as_large_as_asked() {
        assert_eq!(sample(5, 3, 1), [0, 1, 2]);
        assert!(sample(0, 3, 1).is_empty() && sample(4, 0, 1).is_empty());
        let some = sample(20, 1000, 1);
        assert_eq!(some.len(), 20);
        assert!(some.is_sorted() && some.iter().all(|number| *number < 1000));
        assert_ne!(some, sample(20, 1000, 2));
    }
}
