//! The games of an experiment, row by row and block by block.
//!
//! While a row is played, every block of its games is a separate table, so that a killed process loses
//! less than a block and the games that it was playing. A complete row is one table without blocks.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::weights;
use crate::config::experiment::{Experiment, Row};
use crate::evaluation::{Evaluator, Makes};
use crate::heuristic::weights::Weights;
use crate::player::Pairings;
use crate::random::Stream;
use crate::record::GameRecord;
use crate::run::logs::Timing;
use crate::run::replay;
use crate::run::{
    Control, Part, RunDirectory, RunError, StoreError, Task, parquet, remove_all, rows,
};

/// Smallest number of games that are played together if rows differ only in their weights: large enough
/// that threads seldom wait for the longest game.
const GAMES_TOGETHER: u32 = 1000;

/// The entry of rows that were played together, or of the rest of one row, in `timing.jsonl`.
#[derive(Serialize, Deserialize)]
pub(super) struct OfRows {
    pub(super) rows: Vec<String>,
    pub(super) moves: u64,
    pub(super) threads: usize,
}

/// Number of games after which a block is written. Every block is synced, which takes as long as many games of
/// fast players.
fn games_in_block(row: &Row) -> usize {
    (row.games / 32).clamp(16, 1000) as usize
}

/// Time after which a block of fewer games is written: a game of a deep search takes minutes.
const LONGEST_BLOCK: Duration = Duration::from_secs(20);

/// Seeds of a row's games: the seeds of `evaluate --seed`.
pub(super) fn seeds(experiment: &Experiment, row: &Row) -> Vec<u64> {
    let seed = experiment.config.seed;
    let players = row.player.players();
    players.game_seeds(seed, Stream::Evaluate, 0, u64::from(row.games))
}

/// The games of a row in the directory: all, or those of the first blocks.
fn recorded(
    experiment: &Experiment,
    directory: &RunDirectory,
    index: usize,
) -> Result<Vec<GameRecord>, StoreError> {
    let row = &experiment.rows[index];
    let path = directory.row_part(index);
    let is_complete = path.exists();
    let parts = match is_complete {
        true => vec![path],
        false => directory.block_parts(index),
    };
    let expected = seeds(experiment, row);
    let pairings = Pairings::of(&row.player);
    let read = |part: &Part| rows::read_row_games(part, &row.name, index as u32, pairings.as_ref());
    let mut games = Vec::new();
    for part in parts {
        games.extend(read(&part)?);
        let expected = match is_complete {
            true => Some(&expected[..]),
            false => expected.get(..games.len()),
        };
        let is_of_row = |expected: &[u64]| games.iter().map(|game| &game.seed).eq(expected);
        if !expected.is_some_and(is_of_row) {
            let reason = format!("these are not the games of row `{}`", row.name);
            return Err(StoreError::damaged(&part, reason));
        }
    }
    Ok(games)
}

/// The games of every complete row; none of the other rows.
pub(super) fn complete_rows(
    experiment: &Experiment,
    directory: &RunDirectory,
) -> Result<Vec<Vec<GameRecord>>, StoreError> {
    let games = |index| match directory.row_part(index).exists() {
        true => recorded(experiment, directory, index),
        false => Ok(Vec::new()),
    };
    (0..experiment.rows.len()).map(games).collect()
}

/// Number of games that are not played yet, those of campaigns included.
///
/// # Errors
/// If a table cannot be read.
pub fn games_to_play(experiment: &Experiment, directory: &RunDirectory) -> Result<u64, StoreError> {
    let mut missing = weights::games_to_play(experiment, directory)?;
    for (index, row) in experiment.rows.iter().enumerate() {
        if !directory.row_part(index).exists() {
            missing += u64::from(row.games).saturating_sub(directory.games_in_blocks(index));
        }
    }
    Ok(missing)
}

/// Plays every row that is not complete with its weights and writes its table; returns the games of all
/// rows.
pub(super) fn play(
    experiment: &Experiment,
    weights: &[Weights],
    machines: &impl Makes,
    directory: &RunDirectory,
    control: &mut Control,
) -> Result<Vec<Vec<GameRecord>>, RunError> {
    let numbers: Vec<usize> = (0..experiment.rows.len()).collect();
    let recorded = numbers
        .iter()
        .map(|&index| recorded(experiment, directory, index));
    let games: Vec<Vec<GameRecord>> = recorded.collect::<Result<_, StoreError>>()?;
    let mut rows = Rows {
        experiment,
        weights,
        directory,
        in_blocks: games.iter().map(Vec::len).collect(),
        wrote: (control.clock)(),
        games,
    };
    let same_player = |one: &usize, next: &usize| {
        let [one, next] = [one, next].map(|&index| &experiment.rows[index]);
        (&one.player, one.games) == (&next.player, next.games)
    };
    for group in numbers.chunk_by(same_player) {
        let (complete, missing): (Vec<usize>, Vec<usize>) =
            group.iter().partition(|&&index| rows.is_complete(index));
        for index in complete {
            rows.remove_blocks(index)?;
        }
        if missing.is_empty() {
            continue;
        }
        let row = &experiment.rows[group[0]];
        let evaluator = machines.evaluator(&row.player)?;
        if let Some(&index) = group.iter().find(|&&index| !rows.games[index].is_empty()) {
            rows.check_play(index, &evaluator, control)?;
        }
        let together = GAMES_TOGETHER.div_ceil(row.games) as usize;
        // Rows with equal numbers of missing games are played together.
        let alike = missing.chunk_by(|&one, &next| rows.games[one].len() == rows.games[next].len());
        let chunks = alike.flat_map(|alike| alike.chunks(together).map(<[usize]>::to_vec));
        let chunks: Vec<Vec<usize>> = chunks.collect();
        let others = rows.missing_after(group[group.len() - 1]);
        for (number, indices) in chunks.iter().enumerate() {
            let later = chunks[number + 1..].iter().flatten();
            let left = Left {
                alike: later.map(|&index| rows.missing(index)).sum(),
                others,
            };
            rows.play(indices, left, (&evaluator, machines.threads()), control)?;
        }
    }
    Ok(rows.games)
}

/// The rows of an experiment with the games of each.
struct Rows<'a> {
    experiment: &'a Experiment,
    weights: &'a [Weights],
    directory: &'a RunDirectory,
    games: Vec<Vec<GameRecord>>,
    /// For each row the number of games that are in the directory.
    in_blocks: Vec<usize>,
    /// When the last block was written.
    wrote: Duration,
}

/// What is left to play after some rows.
struct Left {
    /// Games of rows of the same player.
    alike: u64,
    /// Number of rows of other players.
    others: usize,
}

impl<'a> Rows<'a> {
    /// Number of games of a row that are not played yet.
    fn missing(&self, index: usize) -> u64 {
        u64::from(self.experiment.rows[index].games) - self.games[index].len() as u64
    }

    /// Number of rows after this one that are not complete.
    fn missing_after(&self, index: usize) -> usize {
        let later = index + 1..self.experiment.rows.len();
        later.filter(|&index| self.missing(index) > 0).count()
    }

    fn is_complete(&self, index: usize) -> bool {
        self.games[index].len() == self.experiment.rows[index].games as usize
    }

    /// Plays a recorded game again.
    fn check_play(
        &self,
        index: usize,
        evaluator: &impl Evaluator,
        control: &Control,
    ) -> Result<(), RunError> {
        let (row, games) = (&self.experiment.rows[index], &self.games[index]);
        let recorded = &games[replay::any(games.len())];
        if evaluator.repeats(recorded, &self.weights[index], control.progress)? {
            return Ok(());
        }
        Err(RunError::Differs(format!(
            "row `{}`: this program plays the game of seed {} differently. Resume the run with the \
             build that began it (see manifest.json)",
            row.name, recorded.seed
        )))
    }

    /// Plays the missing games of rows that differ only in their weights and have equal numbers of games, with
    /// an evaluator and the number of threads of this machine.
    fn play(
        &mut self,
        indices: &[usize],
        left: Left,
        (evaluator, threads): (&impl Evaluator, usize),
        control: &mut Control,
    ) -> Result<(), RunError> {
        let experiment: &'a Experiment = self.experiment;
        let rows: Vec<&Row> = indices.iter().map(|&row| &experiment.rows[row]).collect();
        let (first, last) = (rows[0], rows[rows.len() - 1]);
        control.observer.task_begins(Task::Rows {
            first: &first.name,
            last: &last.name,
            games: indices.iter().map(|&index| self.missing(index)).sum(),
            alike: left.alike,
            others: left.others,
        });
        let weights: Vec<Weights> = indices
            .iter()
            .map(|&row| self.weights[row].clone())
            .collect();
        let seeds = seeds(experiment, first).split_off(self.games[indices[0]].len());
        let clock = control.clock;
        let begin = clock();
        self.wrote = begin;
        let mut moves = 0;
        evaluator.evaluate::<StoreError>(&weights, &seeds, control.progress, &mut |batch| {
            moves += batch
                .games
                .iter()
                .map(|game| u64::from(game.moves))
                .sum::<u64>();
            self.add(indices[batch.candidate], batch.games, clock())
        })?;
        self.directory.timing_log()?.append(&Timing {
            of: OfRows {
                rows: rows.iter().map(|row| row.name.clone()).collect(),
                moves,
                threads,
            },
            games: (indices.len() * seeds.len()) as u64,
            seconds: (clock() - begin).as_secs_f64(),
        })?;
        Ok(())
    }

    /// Adds games to a row and writes a block if it is time for it, or the row.
    fn add(&mut self, index: usize, more: &[GameRecord], now: Duration) -> Result<(), StoreError> {
        let row = &self.experiment.rows[index];
        let games = &mut self.games[index];
        games.extend_from_slice(more);
        let pairings = Pairings::of(&row.player);
        let table = |games: &[GameRecord]| {
            rows::row_games(&row.name, index as u32, pairings.as_ref(), games)
        };
        if games.len() == row.games as usize {
            parquet::write(&self.directory.row_part(index), table(games))?;
            return self.remove_blocks(index);
        }
        let in_blocks = &mut self.in_blocks[index];
        let is_full = games.len() - *in_blocks >= games_in_block(row);
        if is_full || now - self.wrote >= LONGEST_BLOCK {
            let path = self.directory.block_part(index, games.len());
            parquet::write(&path, table(&games[*in_blocks..]))?;
            (*in_blocks, self.wrote) = (games.len(), now);
        }
        Ok(())
    }

    /// Removes the blocks of a row whose table contains their games.
    fn remove_blocks(&self, index: usize) -> Result<(), StoreError> {
        remove_all(&self.directory.block_parts(index))
    }
}
