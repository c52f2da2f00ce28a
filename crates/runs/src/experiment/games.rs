//! The games of an experiment, row by row and block by block.
//!
//! While a row is played, every block of its games is a separate table. So a killed process loses less than a block,
//! and the games in progress. A block has its games in the order in which they ended: a game of a deep search can take
//! as long as ten others, and those must not wait for it in memory. A complete row is one table without blocks, in the
//! order of its seeds.

use std::collections::HashMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::weights;
use crate::config::experiment::{Experiment, Row};
use crate::run::games_table::{any, check_game};
use crate::run::logs::Timing;
use crate::run::tables::GamesOf;
use crate::run::{Control, RunDirectory, RunError, RunFile, StoreError, Task, remove_all, tables};
use tiletune_engine::heuristic::weights::Weights;
use tiletune_engine::player::Pairings;
use tiletune_engine::random::Stream;
use tiletune_engine::record::GameRecord;
use tiletune_tuning::evaluation::{
    Batch, Evaluate, EvaluationError, Evaluator, EvaluatorFactory, Order,
};

/// Smallest number of games that are played together if rows differ only in their weights. With this number threads
/// rarely wait for the longest game.
const GAMES_TOGETHER: u32 = 1000;

/// The entry in `timing.jsonl` of rows that were played together, or of the rest of one row.
#[derive(Serialize, Deserialize)]
pub(super) struct TimedRows {
    pub(super) rows: Vec<String>,
    pub(super) moves: u64,
    pub(super) threads: usize,
}

/// Number of games after which a block is written. Every block is synced, which takes as long as many games of fast
/// players.
fn games_in_block(row: &Row) -> usize {
    (row.games / 32).clamp(16, 1000) as usize
}

/// Time after which a block with fewer games is written, because a game of a deep search takes minutes.
const LONGEST_BLOCK: Duration = Duration::from_secs(20);

/// Seeds of a row's games: the seeds of `evaluate --seed`.
pub(super) fn seeds(experiment: &Experiment, row: &Row) -> Vec<u64> {
    let seed = experiment.config.seed;
    let players = row.player.players();
    players.game_seeds(seed, Stream::Evaluate, 0, u64::from(row.games))
}

/// The games of one row.
struct RowGames {
    /// In the order of the seeds; `None` for a game that is not played yet.
    games: Vec<Option<GameRecord>>,
    /// Number of games that are played.
    played: usize,
    /// Played games that are not in the directory yet.
    unwritten: Vec<GameRecord>,
    /// Time at which the last block was written, or the first game began.
    wrote: Duration,
}

impl RowGames {
    fn none(row: &Row) -> Self {
        RowGames {
            games: vec![None; row.games as usize],
            played: 0,
            unwritten: Vec::new(),
            wrote: Duration::ZERO,
        }
    }

    fn is_complete(&self) -> bool {
        self.played == self.games.len()
    }

    /// Numbers of the games that are not played yet.
    fn missing(&self) -> Vec<usize> {
        let numbers = 0..self.games.len();
        numbers
            .filter(|&number| self.games[number].is_none())
            .collect()
    }

    /// Adds a recorded game; returns whether it was missing.
    fn add(&mut self, number: usize, game: GameRecord) -> bool {
        let was_missing = self.games[number].replace(game).is_none();
        self.played += usize::from(was_missing);
        was_missing
    }

    /// The played games, in the order of their seeds.
    fn in_order(&self) -> Vec<GameRecord> {
        self.games.iter().flatten().cloned().collect()
    }
}

/// The recorded games of a row: all of them, or those in blocks.
fn recorded(
    experiment: &Experiment,
    directory: &RunDirectory,
    index: usize,
) -> Result<RowGames, StoreError> {
    let row = &experiment.rows[index];
    let mut games = RowGames::none(row);
    let path = directory.row_part(index);
    let is_complete = path.exists();
    let parts = if is_complete {
        vec![path]
    } else {
        directory.block_parts(index)
    };
    if parts.is_empty() {
        return Ok(games);
    }
    let numbers = seeds(experiment, row).into_iter().zip(0..);
    let numbers: HashMap<u64, usize> = numbers.collect();
    let pairings = Pairings::of(&row.player);
    for part in parts {
        let of = GamesOf::Row {
            name: &row.name,
            number: index as u32,
        };
        for game in tables::read_keyed_games(&part, of, pairings.as_ref())? {
            let game = game.record;
            let number = numbers.get(&game.seed).copied();
            // The table of a complete row must be in the order of the seeds.
            let number = number.filter(|&number| !is_complete || number == games.played);
            if !number.is_some_and(|number| games.add(number, game)) {
                let reason = format!("these are not the games of row `{}`", row.name);
                return Err(StoreError::damaged(&part, reason));
            }
        }
        if is_complete && !games.is_complete() {
            let reason = format!("these are not all games of row `{}`", row.name);
            return Err(StoreError::damaged(&part, reason));
        }
    }
    Ok(games)
}

/// The games of every complete row; empty for the other rows.
pub(super) fn complete_rows(
    experiment: &Experiment,
    directory: &RunDirectory,
) -> Result<Vec<Vec<GameRecord>>, StoreError> {
    let games = |index| {
        if directory.row_part(index).exists() {
            Ok(recorded(experiment, directory, index)?.in_order())
        } else {
            Ok(Vec::new())
        }
    };
    (0..experiment.rows.len()).map(games).collect()
}

/// Number of games that are not played yet, including those of campaigns.
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

/// Plays every incomplete row with its weights and writes its table. Returns the games of all rows.
pub(super) fn play(
    experiment: &Experiment,
    weights: &[Weights],
    machines: &dyn EvaluatorFactory,
    directory: &RunDirectory,
    control: &mut Control,
) -> Result<Vec<Vec<GameRecord>>, RunError> {
    let numbers: Vec<usize> = (0..experiment.rows.len()).collect();
    let recorded = numbers
        .iter()
        .map(|&index| recorded(experiment, directory, index));
    let mut rows = Rows {
        experiment,
        weights,
        directory,
        games: recorded.collect::<Result<_, StoreError>>()?,
    };
    let same_player = |one: &usize, next: &usize| {
        let [one, next] = [one, next].map(|&index| &experiment.rows[index]);
        (&one.player, one.games) == (&next.player, next.games)
    };
    for group in numbers.chunk_by(same_player) {
        let (complete, missing): (Vec<usize>, Vec<usize>) = group
            .iter()
            .partition(|&&index| rows.games[index].is_complete());
        for index in complete {
            rows.remove_blocks(index)?;
        }
        if missing.is_empty() {
            continue;
        }
        let row = &experiment.rows[group[0]];
        let evaluator = machines.evaluator(&row.player)?;
        if let Some(&index) = group.iter().find(|&&index| rows.games[index].played > 0) {
            rows.check_play(index, &*evaluator, control)?;
        }
        let together = GAMES_TOGETHER.div_ceil(row.games) as usize;
        // Rows that miss the same games are played together.
        let missing_games = |index: usize| rows.games[index].missing();
        let alike = missing.chunk_by(|&one, &next| missing_games(one) == missing_games(next));
        let chunks = alike.flat_map(|alike| alike.chunks(together).map(<[usize]>::to_vec));
        let chunks: Vec<Vec<usize>> = chunks.collect();
        let others = rows.missing_after(group[group.len() - 1]);
        for (number, indices) in chunks.iter().enumerate() {
            let later = chunks[number + 1..].iter().flatten();
            let left = LaterGames {
                alike: later.map(|&index| rows.missing(index)).sum(),
                others,
            };
            rows.play(indices, left, (&*evaluator, machines.threads()), control)?;
        }
    }
    Ok(rows.games.iter().map(RowGames::in_order).collect())
}

/// The rows of an experiment with the games of each.
struct Rows<'a> {
    experiment: &'a Experiment,
    weights: &'a [Weights],
    directory: &'a RunDirectory,
    games: Vec<RowGames>,
}

/// The remaining games after some rows.
struct LaterGames {
    /// Games of rows of the same player.
    alike: u64,
    /// Number of rows of other players.
    others: usize,
}

impl<'a> Rows<'a> {
    /// Number of games of a row that are not played yet.
    fn missing(&self, index: usize) -> u64 {
        u64::from(self.experiment.rows[index].games) - self.games[index].played as u64
    }

    /// Number of rows after this one that are not complete.
    fn missing_after(&self, index: usize) -> usize {
        let later = index + 1..self.experiment.rows.len();
        later.filter(|&index| self.missing(index) > 0).count()
    }

    /// Repeats a recorded game.
    fn check_play(
        &self,
        index: usize,
        evaluator: &dyn Evaluator,
        control: &Control,
    ) -> Result<(), RunError> {
        let games = self.games[index].in_order();
        let Some(game) = any(&games) else {
            return Ok(());
        };
        let place = format!("row `{}`", self.experiment.rows[index].name);
        check_game(
            evaluator,
            game,
            &self.weights[index],
            place,
            control.progress,
        )
    }

    /// Plays the missing games of rows that differ only in their weights and miss the same games. The pair is an
    /// evaluator and the number of threads of this machine.
    fn play(
        &mut self,
        indices: &[usize],
        left: LaterGames,
        (evaluator, threads): (&dyn Evaluator, usize),
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
        let missing = self.games[indices[0]].missing();
        let seeds = seeds(experiment, first);
        let seeds: Vec<u64> = missing.iter().map(|&number| seeds[number]).collect();
        let clock = control.clock;
        let begin = clock();
        indices
            .iter()
            .for_each(|&index| self.games[index].wrote = begin);
        let mut moves = 0;
        let mut sink = |batch: Batch| {
            let index = indices[batch.candidate];
            let numbers = &missing[batch.first_game..];
            for (&number, game) in numbers.iter().zip(batch.games) {
                moves += u64::from(game.moves);
                self.games[index].add(number, game.clone());
                self.games[index].unwritten.push(game.clone());
            }
            self.write(index, clock())
        };
        let (order, progress) = (Order::AsPlayed, control.progress);
        let ended = evaluator.evaluate_in(order, &weights, &seeds, progress, &mut sink);
        // After other errors, games may be wrong, so they are not written.
        if let Err(EvaluationError::Interrupted | EvaluationError::Player(_)) = ended {
            indices
                .iter()
                .try_for_each(|&index| self.write_block(index))?;
        }
        ended?;
        self.directory.timing_log()?.append(&Timing {
            of: TimedRows {
                rows: rows.iter().map(|row| row.name.clone()).collect(),
                moves,
                threads,
            },
            games: (indices.len() * seeds.len()) as u64,
            seconds: (clock() - begin).as_secs_f64(),
        })?;
        Ok(())
    }

    /// Writes a row if it is complete. Otherwise writes a block, if one is due.
    fn write(&mut self, index: usize, now: Duration) -> Result<(), StoreError> {
        let (row, games) = (&self.experiment.rows[index], &mut self.games[index]);
        if games.is_complete() {
            games.unwritten.clear();
            let games = games.in_order();
            self.write_table(index, &self.directory.row_part(index), &games)?;
            return self.remove_blocks(index);
        }
        let is_full = games.unwritten.len() >= games_in_block(row);
        if is_full || now - games.wrote >= LONGEST_BLOCK {
            games.wrote = now;
            return self.write_block(index);
        }
        Ok(())
    }

    /// Writes the games of a row that are not in the directory yet as a block.
    fn write_block(&mut self, index: usize) -> Result<(), StoreError> {
        let games = &self.games[index];
        if !games.unwritten.is_empty() {
            let block = self.directory.block_part(index, games.played);
            self.write_table(index, &block, &games.unwritten)?;
            self.games[index].unwritten.clear();
        }
        Ok(())
    }

    fn write_table(
        &self,
        index: usize,
        part: &RunFile,
        games: &[GameRecord],
    ) -> Result<(), StoreError> {
        let row = &self.experiment.rows[index];
        let pairings = Pairings::of(&row.player);
        let table = tables::row_games(&row.name, index as u32, pairings.as_ref(), games);
        tables::write(part, &table)
    }

    /// Removes the blocks of a row after its table was written.
    fn remove_blocks(&self, index: usize) -> Result<(), StoreError> {
        remove_all(&self.directory.block_parts(index))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::cmp::Reverse;

    use super::*;
    use crate::config::Source;
    use crate::run::NullObserver;
    use tiletune_engine::player::PlayerSpec;
    use tiletune_tuning::evaluation::local::Local;
    use tiletune_tuning::evaluation::{FactoryError, Progress, Sink, SinkClosed};

    const TEXT: &str = "why = 'games that end in another order'
        name = 'disordered'
        seed = 3
        games = 40
        resamples = 100
        player = { name = 'expectimax', depth = 0 }
        row = [{ name = 'one' }, { name = 'other', values = { empty = 0 } }]";

    /// Delivers games from the last to the first, alternating between the rows, and is interrupted after a number of
    /// games.
    struct Disordered {
        local: Local,
        games: usize,
    }

    impl Evaluator for Disordered {
        fn play(
            &self,
            order: Order,
            candidates: &[Weights],
            seeds: &[u64],
            progress: &Progress,
            sink: &mut Sink,
        ) -> Result<(), EvaluationError<SinkClosed>> {
            if order == Order::Seeds {
                return self.local.play(order, candidates, seeds, progress, sink);
            }
            let mut games = Vec::new();
            self.local
                .play(order, candidates, seeds, progress, &mut |batch| {
                    let numbered = batch.games.iter().zip(batch.first_game..);
                    games.extend(
                        numbered.map(|(game, number)| (batch.candidate, number, game.clone())),
                    );
                    Ok(())
                })?;
            games.sort_by_key(|(candidate, number, _)| Reverse((*number, *candidate)));
            for (candidate, first_game, game) in games.iter().take(self.games) {
                sink(Batch {
                    candidate: *candidate,
                    first_game: *first_game,
                    games: std::slice::from_ref(game),
                })?;
            }
            if games.len() > self.games {
                Err(EvaluationError::Interrupted)
            } else {
                Ok(())
            }
        }
    }

    /// Creates evaluators that are interrupted after this number of games.
    struct InterruptedAfter(usize);

    impl EvaluatorFactory for InterruptedAfter {
        fn evaluator(&self, player: &PlayerSpec) -> Result<Box<dyn Evaluator + '_>, FactoryError> {
            let local = Local::new(player.clone(), Some(1))?;
            let games = self.0;
            Ok(Box::new(Disordered { local, games }))
        }

        fn threads(&self) -> usize {
            1
        }
    }

    /// The experiment and a run directory.
    fn begun() -> (Experiment, tempfile::TempDir, RunDirectory) {
        let source = Source::new("disordered.toml", TEXT);
        let experiment = Experiment::resolve(&source, std::path::Path::new("")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("run");
        let directory = RunDirectory::create(&root, Experiment::KIND.tables, |_| Ok(())).unwrap();
        (experiment, folder, directory)
    }

    fn played(
        experiment: &Experiment,
        machines: &dyn EvaluatorFactory,
        directory: &RunDirectory,
        clock: &dyn Fn() -> Duration,
    ) -> Result<Vec<Vec<GameRecord>>, RunError> {
        let (progress, mut observer) = (Progress::default(), NullObserver);
        let mut control = Control {
            clock,
            ..Control::new(&progress, &mut observer)
        };
        let weights = weights::tune(experiment, machines, directory, &mut control)?;
        play(experiment, &weights, machines, directory, &mut control)
    }

    fn no_time() -> Duration {
        Duration::ZERO
    }

    #[test]
    fn games_of_any_order_are_kept_and_end_as_the_same_tables() {
        let (experiment, _folder, at_once) = begun();
        let games = played(&experiment, &1, &at_once, &no_time).unwrap();
        let (experiment, _folder, resumed) = begun();
        let play = |after| played(&experiment, &InterruptedAfter(after), &resumed, &no_time);
        // The first games of both rows, fewer than a block. Then the rows miss different games, and the first row is
        // next.
        for (after, kept) in [(7, [3, 4]), (18, [21, 4])] {
            assert!(matches!(play(after), Err(RunError::Interrupted)));
            for (row, kept) in kept.into_iter().enumerate() {
                let recorded = recorded(&experiment, &resumed, row).unwrap();
                assert_eq!(recorded.missing(), Vec::from_iter(0..40 - kept));
                assert_eq!(resumed.games_in_blocks(row), kept as u64);
            }
        }
        assert_eq!(games_to_play(&experiment, &resumed).unwrap(), 55);
        assert_eq!(play(usize::MAX).unwrap(), games);
        assert_eq!(complete_rows(&experiment, &resumed).unwrap(), games);
        for row in [0, 1] {
            let table = |run: &RunDirectory| std::fs::read(&*run.row_part(row)).unwrap();
            assert!(table(&at_once) == table(&resumed), "row {row} differs");
            assert!(resumed.block_parts(row).is_empty());
        }
    }

    #[test]
    fn each_row_writes_its_games_in_time() {
        let (experiment, _folder, directory) = begun();
        // Each reading of the clock is 15 seconds after the previous one, so a block is due after every second game of
        // a row.
        let seconds = Cell::new(0);
        let clock = || {
            seconds.set(seconds.get() + 15);
            Duration::from_secs(seconds.get())
        };
        let ended = played(&experiment, &InterruptedAfter(6), &directory, &clock);
        assert!(matches!(ended, Err(RunError::Interrupted)));
        // The rows alternate, and the second one begins. Its first game comes after 15 seconds. Its other games, and
        // those of the first row, come 30 seconds after the last block.
        let blocks = [0, 1].map(|row| directory.block_parts(row).len());
        assert_eq!(blocks, [3, 2]);
    }

    #[test]
    fn blocks_with_games_of_others_are_refused() {
        let (experiment, _folder, at_once) = begun();
        let games = played(&experiment, &1, &at_once, &no_time).unwrap();
        let strange = GameRecord {
            seed: 1,
            ..games[0][0].clone()
        };
        let (experiment, _folder, directory) = begun();
        let write = |part: &RunFile, games: &[GameRecord]| {
            let table = tables::row_games("one", 0, None, games);
            tables::write(part, &table).unwrap();
        };
        let read = || recorded(&experiment, &directory, 0);
        let refused = |said: &str| {
            let refused = read().err().unwrap().to_string();
            assert!(refused.contains(said), "{refused}");
        };
        // A block may contain any games of its row.
        write(&directory.block_part(0, 5), &games[0][..5]);
        assert_eq!(read().unwrap().missing(), Vec::from_iter(5..40));
        for wrong in [strange, games[0][2].clone()] {
            write(&directory.block_part(0, 6), &[wrong]);
            refused("these are not the games of row `one`");
        }
        write(&directory.row_part(0), &games[0][..39]);
        refused("these are not all games of row `one`");
        let mut swapped = games[0].clone();
        swapped.swap(3, 4);
        write(&directory.row_part(0), &swapped);
        refused("these are not the games of row `one`");
    }
}
