//! Verification of a run: what its files say twice is compared, and a sample of its games is played again.
//! Each kind of run implements [`Verify`]. That every file is the one that was written is checked before, see
//! [`RunDirectory::check_files`]. This module must not play.

use super::replay::Replay;
use super::{Control, RunDirectory, RunError, RunPlan, StoreError};
use crate::config::campaign::Campaign;
use tiletune_engine::stop::Stop;
use tiletune_tuning::evaluation::EvaluatorFactory;

/// A kind of run that can be verified.
pub trait Verify: RunPlan {
    /// The campaigns that are runs inside of this one, with their places.
    fn children(&self) -> Vec<(String, Campaign)> {
        Vec::new()
    }

    /// Compares what follows from other files of the directory with what is recorded: keys and seeds with
    /// the configuration, fitness and results with the games. Plays no game.
    ///
    /// # Errors
    /// If `stop` is requested, or a table contradicts the configuration or another table.
    fn compare(
        &self,
        directory: &RunDirectory,
        stop: Stop,
        replay: &mut Replay,
    ) -> Result<(), RunError>;

    /// The recorded games, in some order.
    ///
    /// # Errors
    /// If a table is damaged.
    fn recorded_games(&self, directory: &RunDirectory) -> Result<u64, RunError>;

    /// Plays the recorded games with these ascending numbers again.
    ///
    /// # Errors
    /// If a stop was requested through `control`, or a table is damaged.
    fn play_again(
        &self,
        machines: &dyn EvaluatorFactory,
        directory: &RunDirectory,
        numbers: &[u64],
        control: &mut Control,
        replay: &mut Replay,
    ) -> Result<(), RunError>;
}

/// The numbers of consecutive tables, table by table.
pub struct Numbers<'a> {
    left: &'a [u64],
    /// Number of games in the tables so far.
    before: u64,
}

impl<'a> Numbers<'a> {
    /// Of these ascending numbers.
    pub fn new(numbers: &'a [u64]) -> Self {
        Numbers {
            left: numbers,
            before: 0,
        }
    }

    /// The chosen indices within the next table, which has this number of games.
    pub fn next_table(&mut self, games: u64) -> Vec<usize> {
        let end = self.before + games;
        let count = self.left.partition_point(|number| *number < end);
        let (of_table, left) = self.left.split_at(count);
        let within = of_table
            .iter()
            .map(|number| (number - self.before) as usize);
        let within = within.collect();
        (self.left, self.before) = (left, end);
        within
    }
}

/// Checks that a directory has no file that the run did not write.
///
/// # Errors
/// The first such file.
pub fn check_unlisted(directory: &RunDirectory) -> Result<(), StoreError> {
    match directory.unlisted()?.first() {
        Some(path) => {
            let reason = "the run did not write this file; remove it, or keep it elsewhere";
            Err(StoreError::damaged(path, reason))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_tables() {
        let mut numbers = Numbers::new(&[0, 4, 5, 9]);
        assert_eq!(numbers.next_table(5), [0, 4]);
        assert!(numbers.next_table(0).is_empty());
        assert_eq!(numbers.next_table(1), [0]);
        assert_eq!(numbers.next_table(10), [3]);
    }
}
