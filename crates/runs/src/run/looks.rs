//! The results of a search, and the copies that remain of them when the search goes on with more budget: the files
//! of look 1 are in `looks/1/`, under their names.

use super::directory::RunDirectory;
use super::files::{RunFile, remove_all};
use super::tables::{DEEPER, FINALISTS, HOLD_OUT, RACE};
use super::{StoreError, atomic};
use crate::inventory::FileName;
use tiletune_tuning::results::{Validation, Verdict};
use tiletune_tuning::stats::looks::MOST_LOOKS;

const RECOMMENDED: &str = "best.toml";
/// The summary of the hold-out games of a campaign or a series.
pub(crate) const VALIDATION: &str = "validation.json";

/// The files that are written after the end of a search, besides those that a report draws again.
const FILES: [&str; 5] = [
    "distribution.json",
    VALIDATION,
    "tuned.toml",
    RECOMMENDED,
    FINALISTS.place,
];

fn is_result(name: &FileName) -> bool {
    let tables = [&RACE, &HOLD_OUT, &DEEPER];
    FILES.contains(&name.as_str()) || tables.iter().any(|one| name.starts_with(&one.prefix()))
}

impl RunDirectory {
    /// A result of an earlier look at the search.
    pub fn earlier_part(&self, look: u32, name: &str) -> RunFile {
        self.part(format!("looks/{look}/{name}"))
    }

    /// The last look before this one whose hold-out games showed that its tuned weights are better than the start
    /// weights, with these games; `None` if none did.
    ///
    /// # Errors
    /// If a file is damaged.
    pub fn better_before(&self, look: u32) -> Result<Option<(u32, Validation)>, StoreError> {
        // The number can be from a file of somebody else.
        for earlier in (1..look.min(MOST_LOOKS + 1)).rev() {
            let name = self.name_of(&self.earlier_part(earlier, VALIDATION));
            let validation: Option<Validation> = self.read_json(&name)?;
            let better = validation.filter(|one| one.verdict() == Verdict::Better);
            if let Some(validation) = better {
                return Ok(Some((earlier, validation)));
            }
        }
        Ok(None)
    }

    /// The earlier look whose tuned weights are recommended in place of those of the last one; `None` as `last` if that is
    /// not complete.
    ///
    /// # Errors
    /// If a file is damaged.
    pub fn better_look(
        &self,
        last: Option<&Validation>,
    ) -> Result<Option<(u32, Validation)>, StoreError> {
        match last {
            Some(last) if last.verdict() == Verdict::Better => Ok(None),
            Some(last) => self.better_before(last.look_number()),
            None => self.better_before(MOST_LOOKS + 1),
        }
    }

    fn results(&self) -> Vec<FileName> {
        let mut names = self.names();
        names.retain(is_result);
        names
    }

    /// Copies the results to the files of an earlier look.
    ///
    /// # Errors
    /// If a file is damaged or cannot be written.
    pub fn keep_results(&self, look: u32) -> Result<(), StoreError> {
        for name in self.results() {
            let copy = self.earlier_part(look, &name);
            let folder = atomic::folder_of(&copy);
            std::fs::create_dir_all(folder).map_err(StoreError::io(folder))?;
            copy.write(self.part(name).read()?)?;
        }
        Ok(())
    }

    /// Removes the results, because the search goes on. With `is_kept` the results so far are those of an earlier look,
    /// and its recommended weights stay in place: until the search has other ones, they are the best of the run.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn remove_results(&self, is_kept: bool) -> Result<(), StoreError> {
        let mut names = self.results();
        names.retain(|name| !is_kept || name.as_str() != RECOMMENDED);
        let parts = names.into_iter().map(|name| self.part(name));
        remove_all(&parts.collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::tables;

    #[test]
    fn results_are_kept_under_their_names_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("run");
        let directory = RunDirectory::create(&root, &tables::folders(), |_| Ok(())).unwrap();
        let results = [
            "validation.json",
            "tuned.toml",
            "tables/hold-out/start.parquet",
        ];
        directory.write(RECOMMENDED, "best").unwrap();
        for name in results.into_iter().chain(["resolved.toml"]) {
            directory.write(name, name).unwrap();
        }
        for _ in 0..2 {
            directory.keep_results(1).unwrap();
        }
        directory.remove_results(true).unwrap();
        for name in results {
            assert!(!directory.part(name).exists());
            assert_eq!(
                directory.earlier_part(1, name).read().unwrap(),
                name.as_bytes()
            );
        }
        assert!(directory.part("resolved.toml").exists());
        assert_eq!(directory.part(RECOMMENDED).read().unwrap(), b"best");
        // The copies stay.
        directory.remove_results(false).unwrap();
        assert!(!directory.part(RECOMMENDED).exists());
        assert_eq!(directory.check_files().unwrap().0, 5);
    }
}
