//! Paths of the tables of a run: the file of each generation, row, block and set of weights.

use super::directory::RunDirectory;
use super::files::{RunFile, remove_all};
use super::tables::{self, TableInfo, generation_in};
use super::{StoreError, atomic};
use crate::inventory::FileName;
use tiletune_tuning::results::GenerationRow;

impl RunDirectory {
    /// The file of a table for one generation.
    pub fn generation_part(&self, table: &TableInfo, generation: u32) -> RunFile {
        self.part(generation_file(table, generation))
    }

    /// Reads the files `generations` and `diagnostics` of a generation.
    ///
    /// # Errors
    /// If one of them is damaged, or they have other parameters.
    pub fn read_generation(
        &self,
        generation: u32,
        names: &[&str],
    ) -> Result<GenerationRow, StoreError> {
        let part = |table| self.generation_part(table, generation);
        let (row, diagnostics) = (part(&tables::GENERATIONS), part(&tables::DIAGNOSTICS));
        let contents = [(&row, row.read()?), (&diagnostics, diagnostics.read()?)];
        generation_in(contents, names)
    }

    /// The games of the start weights at the beginning of a campaign.
    pub fn start_part(&self) -> RunFile {
        self.table_part(&tables::START, "start")
    }

    /// The games of the race between final means.
    pub fn race_part(&self) -> RunFile {
        self.table_part(&tables::RACE, "race")
    }

    /// The hold-out games of the weights of this name: `start`, `tuned` or `run-<number>`.
    pub fn hold_out_part(&self, weights: &str) -> RunFile {
        self.table_part(&tables::HOLD_OUT, weights)
    }

    /// The hold-out games of these weights at another depth than that of the search.
    pub fn deeper_part(&self, depth: u8, weights: &str) -> RunFile {
        self.table_part(&tables::DEEPER, &format!("depth-{depth}-{weights}"))
    }

    /// The finalists of the race.
    pub fn finalists_part(&self) -> RunFile {
        self.part(tables::FINALISTS.place)
    }

    /// The file of `games` for a row of an experiment.
    pub fn row_part(&self, row: usize) -> RunFile {
        self.table_part(&tables::ROWS, &format!("row-{row:03}"))
    }

    /// The existing blocks of games of a row of an experiment, in order.
    pub fn block_parts(&self, row: usize) -> Vec<RunFile> {
        let names = self.block_names(row).into_iter();
        names.map(|name| self.part(name)).collect()
    }

    /// A block of games of a row of an experiment. `games` is the number of games of the row with this block.
    pub fn block_part(&self, row: usize, games: usize) -> RunFile {
        self.table_part(&tables::BLOCKS, &format!("row-{row:03}-{games:08}"))
    }

    /// Number of games in the blocks of a row of an experiment, from the name of the last block. No file is read,
    /// because another process may be playing the row and remove its blocks.
    pub fn games_in_blocks(&self, row: usize) -> u64 {
        let names = self.block_names(row);
        let last = names.last().and_then(|name| {
            let (_, games) = name.strip_suffix(".parquet")?.rsplit_once('-')?;
            games.parse().ok()
        });
        last.unwrap_or(0)
    }

    /// The names of the blocks of a row, in the order of their games.
    fn block_names(&self, row: usize) -> Vec<FileName> {
        let prefix = format!("{}row-{row:03}-", tables::BLOCKS.prefix());
        let mut names = self.names();
        names.retain(|name| name.starts_with(&prefix));
        names.sort_unstable();
        names
    }

    /// A block of games of a comparison: consecutive pairs of all players.
    pub fn pairs_block_part(&self, block: usize) -> RunFile {
        self.table_part(&tables::ROWS, &format!("pairs-{block:05}"))
    }

    /// The pairs of a player of a comparison with the first player. The file is a result.
    ///
    /// # Errors
    /// If its folder cannot be created.
    pub fn pairs_part(&self, player: usize) -> Result<RunFile, StoreError> {
        let name = format!("{}player-{player:03}.parquet", tables::PAIRS.prefix());
        let part = self.output(&name);
        let folder = atomic::folder_of(&part);
        std::fs::create_dir_all(folder).map_err(StoreError::io(folder))?;
        Ok(part)
    }

    fn table_part(&self, table: &TableInfo, name: &str) -> RunFile {
        self.part(format!("{}{name}.parquet", table.prefix()))
    }

    /// Number of files of a table.
    pub fn number_of_parts(&self, table: &TableInfo) -> usize {
        let prefix = table.prefix();
        let names = self.names().into_iter();
        names.filter(|name| name.starts_with(&prefix)).count()
    }

    /// Number of complete generations.
    ///
    /// # Errors
    /// If one is missing before a later one: generations are written in order, so a file was lost.
    pub fn complete_generations(&self) -> Result<u32, StoreError> {
        let prefix = tables::GENERATIONS.prefix();
        let names = self.names().into_iter();
        let of_table = names.filter_map(|name| generation_of(name.strip_prefix(&prefix)?));
        let mut numbers: Vec<u32> = of_table.collect();
        numbers.sort_unstable();
        let mut expected = (0..).zip(&numbers);
        match expected.find(|(expected, number)| expected != *number) {
            None => Ok(numbers.len() as u32),
            Some((expected, _)) => {
                let missing = self.generation_part(&tables::GENERATIONS, expected);
                Err(StoreError::damaged(&missing, "the file is missing"))
            }
        }
    }

    /// Removes the files of generations from `complete` on. They belong to an unfinished generation, which is played
    /// again.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn discard_from(&self, complete: u32) -> Result<(), StoreError> {
        let mut names = self.names();
        names.retain(|name| {
            let file = name.rsplit('/').next().unwrap_or_default();
            generation_of(file).is_some_and(|number| number >= complete)
        });
        let parts: Vec<RunFile> = names.into_iter().map(|name| self.part(name)).collect();
        remove_all(&parts)
    }
}

/// The file of a table for one generation.
pub(super) fn generation_file(table: &TableInfo, generation: u32) -> String {
    format!("{}generation-{generation:05}.parquet", table.prefix())
}

/// The generation in the name of a table file.
pub(super) fn generation_of(name: &str) -> Option<u32> {
    let name = name.strip_prefix("generation-")?;
    name.strip_suffix(".parquet")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_generation_is_not_counted_and_goes() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("run");
        let directory = RunDirectory::create(&root, &tables::folders(), |_| Ok(())).unwrap();
        for (table, generation) in [
            (&tables::GENERATIONS, 0),
            (&tables::CANDIDATES, 0),
            (&tables::TRAIN, 0),
            (&tables::TRAIN, 1),
            (&tables::CANDIDATES, 1),
        ] {
            directory
                .generation_part(table, generation)
                .write("x")
                .unwrap();
        }
        assert_eq!(directory.complete_generations().unwrap(), 1);
        directory.discard_from(1).unwrap();
        assert!(directory.generation_part(&tables::TRAIN, 0).exists());
        assert!(!directory.generation_part(&tables::TRAIN, 1).exists());
        assert!(!directory.generation_part(&tables::CANDIDATES, 1).exists());

        let later = directory.generation_part(&tables::GENERATIONS, 2);
        later.write("x").unwrap();
        let gap = directory.complete_generations().unwrap_err().to_string();
        assert!(
            gap.contains("generation-00001.parquet: the file is missing"),
            "{gap}"
        );
    }

    #[test]
    fn blocks_are_in_the_order_of_their_games() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("run");
        let directory = RunDirectory::create(&root, &tables::folders(), |_| Ok(())).unwrap();
        assert_eq!(directory.games_in_blocks(1), 0);
        let blocks = [
            directory.block_part(1, 23_456_789),
            directory.block_part(1, 99),
            directory.block_part(1, 100_000),
        ];
        for block in &blocks {
            block.write("x").unwrap();
        }
        directory.block_part(2, 7).write("x").unwrap();
        let [last, first, second] = blocks;
        let expected = [first, second, last].map(|part| part.to_path_buf());
        let parts = directory.block_parts(1).into_iter();
        let parts: Vec<_> = parts.map(|part| part.to_path_buf()).collect();
        assert_eq!(parts, expected);
        assert_eq!(directory.games_in_blocks(1), 23_456_789);
        assert_eq!(directory.games_in_blocks(2), 7);
    }
}
