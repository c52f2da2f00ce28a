//! Tables of games that can be played again. Verification compares what the files of a run say twice and plays a
//! sample of all games again; a replay plays those that the results rest on. This module must not know a kind of run.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;

use super::child::check;
use super::kind::RunPlan;
use super::manifest::Status;
use super::replay::Replay;
use super::{Control, RunDirectory, RunError, StoreError, Task};
use crate::evaluation::{Evaluate, EvaluatorFactory, Progress};
use crate::heuristic::weights::Weights;
use crate::player::PlayerSpec;
use crate::random::{Stream, derive};
use crate::record::GameRecord;
use crate::stop::Stop;

/// A table of recorded games that can be played again.
pub struct GamesTable<'a> {
    /// What it is called in messages.
    pub label: String,
    /// Who played, with the weights of each game.
    pub player: PlayerSpec,
    /// Number of games.
    pub count: u64,
    read: Box<dyn Fn() -> Result<Vec<RecordedGame>, RunError> + 'a>,
}

/// A recorded game.
#[derive(Clone)]
pub struct RecordedGame {
    /// The candidate or finalist of the table that played it, if there are several.
    pub of: Option<(&'static str, u32)>,
    /// Its number, for this candidate or finalist.
    pub number: u32,
    /// The weights of the player.
    pub weights: Rc<Weights>,
    /// Seed and result.
    pub record: GameRecord,
}

impl RecordedGame {
    /// The games of one set of weights, in order.
    pub fn all(weights: &Weights, games: &[GameRecord]) -> Vec<Self> {
        let weights = Rc::new(weights.clone());
        let numbered = games.iter().zip(0..);
        let game = |(&record, number)| RecordedGame {
            of: None,
            number,
            weights: Rc::clone(&weights),
            record,
        };
        numbered.map(game).collect()
    }

    fn label(&self, table: &str) -> String {
        match self.of {
            Some((name, of)) => format!("{table}: {name} {of}, game {}", self.number),
            None => format!("{table}: game {}", self.number),
        }
    }
}

impl<'a> GamesTable<'a> {
    /// A table whose games are read when they are needed: those of a long search do not fit into memory.
    pub fn new(
        label: String,
        player: PlayerSpec,
        count: u64,
        read: impl Fn() -> Result<Vec<RecordedGame>, RunError> + 'a,
    ) -> Self {
        GamesTable {
            label,
            player,
            count,
            read: Box::new(read),
        }
    }

    /// A table of games of one set of weights.
    pub fn of_weights(
        label: String,
        player: PlayerSpec,
        weights: Weights,
        games: Vec<GameRecord>,
    ) -> Self {
        let count = games.len() as u64;
        let read = move || Ok(RecordedGame::all(&weights, &games));
        GamesTable::new(label, player, count, read)
    }
}

/// Plays games of tables of the same player again; returns them in order.
fn play(
    player: &PlayerSpec,
    games: &[&RecordedGame],
    machines: &dyn EvaluatorFactory,
    progress: &Progress,
) -> Result<Vec<GameRecord>, RunError> {
    let evaluator = machines.evaluator(player)?;
    let mut again: Vec<Option<GameRecord>> = vec![None; games.len()];
    let numbers: Vec<usize> = (0..games.len()).collect();
    let same_weights =
        |&one: &usize, &next: &usize| Rc::ptr_eq(&games[one].weights, &games[next].weights);
    let of_weights: Vec<&[usize]> = numbers.chunk_by(same_weights).collect();
    let seeds = |of: &[usize]| {
        of.iter()
            .map(|&number| games[number].record.seed)
            .collect::<Vec<u64>>()
    };
    // Different weights on the same seeds are one evaluation, so that threads seldom wait for the longest game.
    for together in of_weights.chunk_by(|one, next| seeds(one) == seeds(next)) {
        let weights = together
            .iter()
            .map(|of| Weights::clone(&games[of[0]].weights));
        let weights: Vec<Weights> = weights.collect();
        evaluator.evaluate::<RunError>(&weights, &seeds(together[0]), progress, &mut |batch| {
            let places = &together[batch.candidate][batch.first_game..];
            for (&place, &game) in places.iter().zip(batch.games) {
                again[place] = Some(game);
            }
            Ok(())
        })?;
    }
    Ok(again.into_iter().flatten().collect())
}

/// Plays all games of tables again, or the first of each, and compares each with the recorded one. Returns the games of
/// each table.
///
/// # Errors
/// If a stop was requested through `control`, or a table is damaged.
pub fn replay(
    tables: &[GamesTable],
    first: Option<u32>,
    machines: &dyn EvaluatorFactory,
    control: &mut Control,
    replay: &mut Replay,
) -> Result<Vec<Vec<GameRecord>>, RunError> {
    let mut all = Vec::with_capacity(tables.len());
    for of_player in tables.chunk_by(|one, next| one.player == next.player) {
        let player = &of_player[0].player;
        let mut recorded = Vec::with_capacity(of_player.len());
        for table in of_player {
            let mut games = (table.read)()?;
            games.truncate(
                first.map_or(games.len(), |first| player.players().whole(first) as usize),
            );
            recorded.push(games);
        }
        let games: Vec<&RecordedGame> = recorded.iter().flatten().collect();
        let (first, last) = (&of_player[0].label, &of_player[of_player.len() - 1].label);
        control.observer.task_begins(Task::Tables { first, last });
        let again = play(player, &games, machines, control.progress)?;
        let mut again = &again[..];
        for (table, games) in of_player.iter().zip(&recorded) {
            let (of_table, rest) = again.split_at(games.len());
            let records: Vec<GameRecord> = games.iter().map(|game| game.record).collect();
            replay.add_played(of_table.len() as u64);
            replay.compare_games(&records, of_table, |place| games[place].label(&table.label));
            all.push(of_table.to_vec());
            again = rest;
        }
    }
    Ok(all)
}

/// Number of games that [`replay`] plays.
pub fn games_to_replay(tables: &[GamesTable], first: Option<u32>) -> u64 {
    let of_table = |table: &GamesTable| match first {
        Some(first) => table.count.min(table.player.players().whole(first).into()),
        None => table.count,
    };
    tables.iter().map(of_table).sum()
}

/// A run, or one inside of it, with its plan.
pub type PlannedRun = (Box<dyn RunPlan>, RunDirectory);

/// The runs inside of a run, and the run itself at the end: its results follow from theirs.
///
/// # Errors
/// If a run inside is of another plan, or damaged.
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

/// Runs whose files are the written ones, and whose results follow from each other.
pub struct Verified<'a> {
    /// Number of files.
    pub files: u64,
    /// Their size.
    pub bytes: u64,
    /// Whether all runs are complete.
    pub is_complete: bool,
    /// What was compared.
    pub replay: Replay,
    tables: Vec<GamesTable<'a>>,
}

impl<'a> Verified<'a> {
    /// Checks all files of some runs, and compares what they say twice.
    ///
    /// # Errors
    /// The first file that is not as the run wrote it, or contradicts another one.
    pub fn check(runs: &'a [PlannedRun]) -> Result<Self, RunError> {
        let mut verified = Verified {
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
            if status != Status::Running {
                check_unlisted(directory)?;
            }
            // An interrupt ends the process: it has written nothing.
            plan.compare(directory, Stop::never(), &mut verified.replay)?;
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

    /// Plays the recorded games with these ascending numbers again.
    ///
    /// # Errors
    /// If a stop was requested through `control`, or a table is damaged.
    pub fn play(
        &mut self,
        numbers: &[u64],
        machines: &dyn EvaluatorFactory,
        control: &mut Control,
    ) -> Result<(), RunError> {
        let (mut left, mut before) = (numbers, 0);
        for table in &self.tables {
            let end = before + table.count;
            let (of_table, rest) = left.split_at(left.partition_point(|number| *number < end));
            if !of_table.is_empty() {
                let games = (table.read)()?;
                let chosen = of_table
                    .iter()
                    .map(|number| &games[(number - before) as usize]);
                let chosen: Vec<&RecordedGame> = chosen.collect();
                let again = play(&table.player, &chosen, machines, control.progress)?;
                let records: Vec<GameRecord> = chosen.iter().map(|game| game.record).collect();
                self.replay.add_played(again.len() as u64);
                let label = |place: usize| chosen[place].label(&table.label);
                self.replay.compare_games(&records, &again, label);
            }
            (left, before) = (rest, end);
        }
        Ok(())
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

/// Distinct numbers below `count`, ascending; all if there are not that many.
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
